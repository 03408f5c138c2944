from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from tests.amounts import some

from satchel import ContextItem, Part, Symbol
from satchel_plugins.representers import REPRESENTERS
from satchel_plugins.representers.syntax import GRAMMARS

CLASSES = [later.load() for later in REPRESENTERS]

Split = Callable[[str, str], Sequence[Part]]
LANGUAGES = Path(__file__).parents[2] / "data" / "languages"
FIXTURES = sorted(path.name for path in LANGUAGES.glob("*.*"))
PROJECT = sorted(LANGUAGES.parents[2].glob("*/satchel*/**/*.py"))


def symbols_of(parts: Sequence[Part]) -> list[Symbol]:
    return [symbol for part in parts for symbol in part.symbols]


def named(parts: Sequence[Part], name: str) -> Part:
    return next(part for part in parts if part.name == name)


@pytest.mark.parametrize("name", FIXTURES)
def test_every_definition_is_reported_with_its_lines(name: str, split: Split) -> None:
    expected = (LANGUAGES / "expected" / f"{name}.txt").read_text().splitlines()

    found = symbols_of(split(name, (LANGUAGES / name).read_text()))

    written = [f"{s.lines[0]:4} {s.lines[1]:4}  {s.kind:12} {s.name}" for s in found]
    assert written == expected


@pytest.mark.parametrize("name", FIXTURES)
def test_carriage_returns_change_no_line(name: str, split: Split) -> None:
    text = (LANGUAGES / name).read_text()

    windows = symbols_of(split(name, text.replace("\n", "\r\n")))

    assert [(s.name, s.lines) for s in windows] == [(s.name, s.lines) for s in symbols_of(split(name, text))]


def test_a_comment_above_the_first_of_a_body_is_not_of_the_head(split: Split) -> None:
    ruby = "module Shop\n  # Sells.\n  class Cart\n    # Pays.\n    def pay\n    end\n  end\nend\n"

    heads = {symbol.name: (symbol.lines, symbol.head) for symbol in symbols_of(split("cart.rb", ruby))}

    assert heads["Shop"] == ((1, 8), (1, 1))
    assert heads["Shop.Cart"] == ((2, 7), (3, 3))


def _raw_definitions(text: str) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node.end_lineno or 0


@pytest.mark.weekly
def test_the_definitions_of_this_project_are_those_that_python_sees(split: Split) -> None:
    wanted, found = set(), set()
    for path in some(PROJECT, 40):
        text = path.read_text()
        wanted |= {(path, *each) for each in _raw_definitions(text)}
        symbols = symbols_of(split(path.name, text))
        found |= {(path, s.name.rpartition(".")[2], s.lines[1]) for s in symbols}

    assert len(wanted) > 100
    assert wanted <= found


NODES = {
    "sample.go": {"function_declaration", "method_declaration", "type_spec", "func_literal"},
    "sample.rs": {"function_item", "struct_item", "impl_item", "trait_item", "macro_definition"},
    "sample.java": {"class_declaration", "method_declaration", "constructor_declaration"},
    "sample.c": {"function_definition", "type_definition", "preproc_function_def"},
    "sample.cpp": {"function_definition", "class_specifier", "namespace_definition"},
    "sample.cs": {"method_declaration", "class_declaration", "property_declaration"},
    "sample.rb": {"method", "singleton_method", "module"},
    "sample.php": {"method_declaration", "function_definition", "class_declaration"},
    "sample.sh": {"function_definition"},
    "sample.js": {"function_declaration", "method_definition", "class_declaration"},
    "sample.ts": {"function_declaration", "method_definition", "interface_declaration"},
}


@pytest.mark.parametrize("name", NODES)
def test_a_walk_over_all_nodes_finds_no_definition_more(name: str, split: Split) -> None:
    from tree_sitter import Language, Node, Parser

    plugin = max((cls() for cls in CLASSES), key=lambda each: each.claims(_item(name, "")))
    grammar = GRAMMARS[plugin.grammar_of(_item(name, ""))]
    text = (LANGUAGES / name).read_text()
    module = __import__(grammar.module)
    tree = Parser(Language(getattr(module, grammar.function)())).parse(text.encode())
    waiting: list[Node] = [tree.root_node]
    ends = {symbol.lines[1] for symbol in symbols_of(split(name, text))}

    while waiting:
        node = waiting.pop()
        waiting += node.children
        if node.is_named and node.type in NODES[name]:
            assert node.end_point.row + (node.end_point.column > 0) in ends, node


def _item(path: str, text: str | None) -> ContextItem:
    return ContextItem(id=path, provider="test", kind="file", title=path, path=path, text=text)


BROKEN = {
    "a.py": ("def one():\n    return 1\n\n", "def ((:\n  ][\n", "\ndef two():\n    return 2\n"),
    "a.js": ("function one() {\n  return 1;\n}\n", "let = = ( }\n", "function two() {\n  return 2;\n}\n"),
    "a.go": ("package a\nfunc one() {\n}\n", "func ( ) ) {{ \n}\n}\n", "func two() {\n}\n"),
    "a.rs": ("fn one() {\n}\n", "struct = ;; ) \n", "fn two() {\n}\n"),
    "a.java": ("class A {\n void one() {\n }\n", " int ( = ;\n", " void two() {\n }\n}\n"),
    "a.c": ("int one(void) {\n return 1;\n}\n", "int = ( ;\n", "int two(void) {\n return 2;\n}\n"),
    "a.cpp": ("int one() {\n return 1;\n}\n", "int = ( ;\n", "int two() {\n return 2;\n}\n"),
    "a.cs": ("class A {\n void one() {\n }\n", " int = ;\n", " void two() {\n }\n}\n"),
    "a.rb": ("def one\n  1\nend\n", ") ] = \n", "def two\n  2\nend\n"),
    "a.php": ("<?php\nfunction one() {\n}\n", "$ = ( ;\n", "function two() {\n}\n"),
    "a.sh": ("one() {\n  true\n}\n", "if ; ) then\n", "two() {\n  true\n}\n"),
    "a.ts": ("function one() {\n}\n", "type = ( ;\n", "function two() {\n}\n"),
}


@pytest.mark.parametrize("path", BROKEN)
def test_a_syntax_error_hides_nothing_around_it(path: str, split: Split) -> None:
    found = {symbol.name.rpartition(".")[2] for symbol in symbols_of(split(path, "".join(BROKEN[path])))}

    assert {"one", "two"} <= found


def test_an_unknown_macro_hides_no_c_function(split: Split) -> None:
    text = (
        "OLD_API(1, 2) API int first(const X *x,\n    int y);\n#ifdef A\n#define B 1\n"
        "STACK(X) *second(void) {\n  return 0;\n}\n"
    )

    found = {symbol.name for symbol in symbols_of(split("a.h", text))}

    assert {"first", "second", "B"} <= found


def test_a_c_function_whose_braces_depend_on_a_macro_ends_at_the_margin(split: Split) -> None:
    work = "".join(f"  steep({at});\n" for at in range(60))
    text = (
        "void steep_all(void)\n{\n#ifdef FAST\n  if (is_hot()) {\n#else\n  while (is_cold()) {\n#endif\n"
        f"{work}  }}\n}}\n\nint pour(void)\n{{\n  return 1;\n}}\n"
    )

    parts = [part for part in split("a.c", text) if part.name == "steep_all"]

    assert (parts[0].lines[0], parts[-1].lines[1]) == (1, 70)
    assert "pour" in {symbol.name for symbol in symbols_of(split("a.c", text))}


def test_a_macro_before_the_name_of_a_class_hides_no_method(split: Split) -> None:
    body = "".join(f"    int f{at}() {{\n        return {at};\n    }}\n" for at in range(12))
    text = f"class LOOM_API base_sink : public sink {{\npublic:\n{body}}};\n\nstruct ALIGNED(8) Row {{\n"
    text += f"{body}}};\n"

    parts = split("sink.h", text)

    assert [part.name for part in parts if part.kind == "class"] == ["base_sink"]
    assert [part.name for part in parts if part.kind == "struct"] == ["Row"]
    assert [part.name for part in parts if part.kind == "method"][-1] == "Row.f11"


def test_a_large_class_is_opened_and_its_methods_stand_alone(split: Split) -> None:
    methods = "".join(f"    def m{number}(self):\n        return {number}\n\n" for number in range(12))
    parts = split("a.py", f'import x\n\n\n@wrap\nclass Big(Base):\n    """Hold."""\n\n{methods}')

    opening = named(parts, "Big")
    assert (opening.kind, opening.lines, opening.head, opening.span) == ("class", (4, 7), (4, 5), (4, 42))
    assert (named(parts, "Big.m3").kind, named(parts, "Big.m3").lines) == ("method", (17, 19))
    assert parts[0].kind == "imports"


def test_what_is_said_of_a_go_type_belongs_to_it(split: Split) -> None:
    text = (
        "package a\n\nvar n int\n\n// Cup holds.\ntype Cup struct {\n\tsize int\n\tlid bool\n\ttea int\n}\n"
    )

    assert (named(split("a.go", text), "Cup").lines, named(split("a.go", text), "Cup").head) == (
        (5, 10),
        (6, 6),
    )


def test_a_small_class_stays_whole(split: Split) -> None:
    parts = split("a.py", "class Small:\n    def a(self):\n        pass\n\n    def b(self):\n        pass\n")

    assert [part.name for part in parts] == ["Small"]
    assert [symbol.name for symbol in parts[0].symbols] == ["Small", "Small.a", "Small.b"]


def test_a_long_function_is_cut_into_runs(split: Split) -> None:
    body = "".join(f"    step({number})\n" if number % 10 else "\n" for number in range(1, 200))
    parts = split("a.py", f"def long():\n{body}")

    assert parts[0].head == (1, 1)
    assert parts[0].span == (1, 200)
    assert {part.name for part in parts} == {"long"}
    assert [part.kind for part in parts[1:]] == ["block"] * (len(parts) - 1)
    assert all(part.lines[1] - part.lines[0] < 90 for part in parts)


STEPS = "".join(f"        step({number});\n" for number in range(3))


@pytest.mark.parametrize(
    ("path", "text", "name", "head"),
    [
        ("a.ts", f"""socket.on("sign in", async (data, done) => {{\n{STEPS}}});\n""", "sign in", 1),
        ("a.js", f"""client.on(Events.Ready, function () {{\n{STEPS}}});\n""", "Ready", 1),
        ("a.tsx", f"export const Field = forwardRef((props, ref) => {{\n{STEPS}}});\n", "Field", 1),
        (
            "a.go",
            f'package a\n\nfunc f() {{\n\tr.GET("/users", func(c *C) {{\n{STEPS}\t}})\n}}\n',
            "f./users",
            4,
        ),
        ("a.php", f"<?php\nRoute::get('/users', function () {{\n{STEPS}}});\n", "/users", 2),
        ("a.cs", f'app.MapGet("/users", async (int id) => {{\n{STEPS}}});\n', "/users", 1),
        ("schema.rb", f"create_table :users, force: true do |t|\n{STEPS}end\n", "users", 1),
        ("a_spec.rb", f"it 'signs in', :slow do\n{STEPS}end\n", "signs in", 1),
    ],
)
def test_a_function_that_a_call_is_given_has_the_name_that_the_call_gives_it(
    path: str, text: str, name: str, head: int, split: Split
) -> None:
    kind = "function" if name == "Field" else "callback"
    found = [symbol for symbol in symbols_of(split(path, text)) if symbol.name == name]

    last = len(text.splitlines()) - (path == "a.go")
    assert [(symbol.kind, symbol.lines, symbol.head) for symbol in found] == [
        (kind, (head, last), (head, head))
    ]


def test_calls_with_short_functions_or_values_are_no_definitions(split: Split) -> None:
    text = (
        'on("end", () => {\n    stop();\n});\nconst all = reduce(state.items, (a, b) => {\n'
        + STEPS
        + "}, 0);\n"
    )

    assert [symbol.name for symbol in symbols_of(split("a.js", f"function f() {{\n{text}}}\n"))] == ["f"]


def test_a_long_function_is_cut_at_its_handlers(split: Split) -> None:
    events = ("open", "message", "error", "close")
    handlers = "".join(f'    socket.on("{event}", () => {{\n{STEPS * 9}    }});\n' for event in events)

    parts = split("a.ts", f"function listen(socket) {{\n    log();\n{handlers}}}\n")

    assert [part.name for part in parts] == ["listen", *(f"listen.{event}" for event in events)]


def test_a_long_switch_is_cut_at_its_cases(split: Split) -> None:
    cases = "".join(f"    case {number}:\n{STEPS * 4}        break;\n" for number in range(20))
    text = f"int f(int a)\n{{\n    switch (a) {{\n{cases}    }}\n    return 0;\n}}\n"

    begins = [text.splitlines()[part.lines[0] - 1] for part in split("a.c", text)]

    assert len(begins) > 3
    assert all(line.startswith("    case ") for line in begins[1:])


def test_the_names_that_a_part_uses_come_most_used_first(split: Split) -> None:
    part = named(split("a.py", "def go(x: Shape):\n    load()\n    load()\n    x.draw()\n"), "go")

    assert part.refs == ("load", "Shape", "draw")


def test_a_comment_is_apart_from_the_imports(split: Split) -> None:
    text = (LANGUAGES / "sample.c").read_text()

    parts = split("sample.c", text)

    assert [(part.kind, part.lines) for part in parts[:2]] == [("comment", (1, 5)), ("imports", (6, 8))]


def test_a_license_is_apart_from_what_stands_below_it_without_imports(split: Split) -> None:
    text = (
        "// Copyright 2024 The Authors.\n// Licensed under the Apache License, Version 2.0;\n"
        "// you may not use this file.\n// See LICENSE.\n\n"
        "// Package cart sums.\npackage cart\n\nconst most = 3\n\nfunc Sum() int {\n\treturn most\n}\n"
    )

    parts = split("cart.go", text)

    assert (parts[0].kind, parts[0].lines) == ("licence", (1, 5))
    assert parts[1].lines[0] == 6


def test_a_comment_on_what_a_file_does_is_no_license(split: Split) -> None:
    text = (
        "// Sums.\n// Adds up.\n// Rounds.\n// Copies.\n\npackage cart\n\nfunc Sum() int {\n\treturn 1\n}\n"
    )

    assert "licence" not in {part.kind for part in split("cart.go", text)}


def test_plain_c_in_a_header_is_read_as_c(split: Split) -> None:
    found = symbols_of(split("a.h", "int class(int new);\nstruct a {\n  int b;\n};\n"))

    assert [symbol.name for symbol in found] == ["class", "a"]


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("Rakefile", None, "ruby"),
        ("a/.bashrc", None, "shell"),
        ("A.HPP", None, "cpp"),
        ("x.tsx", None, "typescript"),
        ("Jenkinsfile", None, "generic"),
        ("py", None, "generic"),
    ],
)
def test_names_and_suffixes_tell_the_language(path: str, text: str | None, name: str) -> None:
    best = max((plugin() for plugin in CLASSES), key=lambda plugin: plugin.claims(_item(path, text)))

    assert best.name == name


@pytest.mark.parametrize(
    ("first", "text"),
    [
        ("#!/usr/bin/env bash", "warp() {\n  echo 1\n}\n"),
        ("#! /bin/sh -e", "warp() {\n  echo 1\n}\n"),
        ("#!/usr/bin/env -S python3.12 -u", "def warp():\n    return 1\n"),
        ("#!/usr/bin/node", "function warp() {\n  return 1;\n}\n"),
        ("#!/usr/bin/perl -w", "sub warp {\n  return 1;\n}\n"),
    ],
)
def test_the_first_line_of_a_script_without_a_suffix_tells_its_language(
    first: str, text: str, split: Split
) -> None:
    assert "warp" in {part.name for part in split("bin/tool", f"{first}\n\n{text}")}
    assert {part.name for part in split("bin/tool", f"#!/usr/bin/env unknown\n\n{text}")} == {""}
    assert {part.name for part in split("tool.in", f"{first}\n\n{text}")} == {""}


def test_importing_the_representers_imports_no_grammar() -> None:
    code = "import sys, satchel_plugins.representers; print([m for m in sys.modules if 'tree_sitter' in m])"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
