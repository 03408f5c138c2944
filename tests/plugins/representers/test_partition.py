from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.amounts import examples

from satchel import ContextItem, Part
from satchel.plugin_api import lines_of
from satchel_plugins.representers import REPRESENTERS
from satchel_plugins.representers.partition import Definition, Outline, partition

CLASSES = [later.load() for later in REPRESENTERS]

LANGUAGES = Path(__file__).parents[2] / "data" / "languages"
TEXTS = [path.read_text() for path in sorted(LANGUAGES.glob("*.*"))]
SUFFIXES = "py js ts tsx go rs java c h cpp cs rb php sh md rst adoc toml yaml json ini kt sql css"
PATHS = [*(f"a.{suffix}" for suffix in SUFFIXES.split()), ".env", "Dockerfile", "Makefile", "a"]
PLUGINS = [plugin() for plugin in CLASSES]

cuttings = st.tuples(st.sampled_from(TEXTS), st.integers(0, 3000), st.integers(0, 3000)).map(
    lambda cut: cut[0][min(cut[1:]) : max(cut[1:])]
)
junk = st.text(
    st.sampled_from("{}()[]<>\"'`#=-*/\\\n\r\t \x00\x0b\x0c\u2028\ud800abcé:;,.@$|&"), max_size=200
)
anything = st.lists(st.one_of(cuttings, junk, st.text(max_size=50)), max_size=4).map("".join)


def check(text: str, parts: Sequence[Part]) -> None:
    lines = lines_of(text)
    covered = [number for part in parts for number in range(part.lines[0], part.lines[1] + 1)]
    assert covered == list(range(1, len(lines) + 1))
    assert all(lines[part.lines[0] - 1].strip() for part in parts[1:])
    for part in parts:
        assert part.head == (0, 0) or part.lines[0] <= part.head[0] <= part.head[1] <= part.lines[1]
        assert all(part.lines[0] <= symbol.lines[0] <= part.lines[1] for symbol in part.symbols)
        assert all(symbol.lines[0] <= symbol.lines[1] <= len(lines) for symbol in part.symbols)
        assert len(part.refs) == len(set(part.refs)) <= 40


def split(path: str, text: str) -> Sequence[Part]:
    item = ContextItem(id="a", provider="test", kind="file", title=path, path=path, text=text)
    return max(PLUGINS, key=lambda plugin: plugin.claims(item)).split(item)


@settings(max_examples=examples(400), deadline=None)
@given(st.sampled_from(PATHS), anything)
def test_parts_cover_every_line_once_whatever_the_text(path: str, text: str) -> None:
    check(text, split(path, text))


spans = st.tuples(st.integers(1, 300), st.integers(0, 200), st.sampled_from(["class", "function", "key"]))


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(spans, max_size=20), st.lists(st.sampled_from(["", "  x", "}", "y"]), max_size=300))
def test_parts_cover_every_line_once_whatever_the_definitions(
    found: list[tuple[int, int, str]], lines: list[str]
) -> None:
    full = [
        Definition(f"d{first}", kind, first, first + more, (first, first))
        for first, more, kind in found
        if first <= len(lines) and lines[first - 1]
    ]

    check("\n".join(lines), partition("\n".join(lines), Outline(tuple(full))))


HOSTILE: dict[str, Callable[[], str]] = {
    "one endless line": lambda: "f(a); " * 900_000,
    "open brackets": lambda: "[" * 100_000,
    "matched brackets": lambda: "(" * 100_000 + ")" * 100_000,
    "type arguments": lambda: "A<" * 30_000,
    "deep blocks": lambda: "if(x){\n" * 20_000,
    "deep namespaces": lambda: "namespace a {\n" * 1_500,
}


@pytest.mark.slow
@pytest.mark.parametrize("path", ["a.py", "a.cpp", "a.ts", "a.rs", "a.md", "a.json"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_cut_all_the_same(path: str, name: str) -> None:
    text = HOSTILE[name]()

    check(text, split(path, text))


def test_an_empty_text_has_no_parts() -> None:
    assert [list(split(path, "")) for path in PATHS] == [[] for _ in PATHS]


def test_only_a_line_feed_ends_a_line() -> None:
    assert len(lines_of("a\x0cb\x0bc\u2028d\r\ne\n")) == 2


def test_blank_lines_and_closing_brackets_belong_to_the_part_before() -> None:
    text = "class A {\n" + "".join(f"  m{n}() {{\n    x;\n  }}\n\n" for n in range(9)) + "}\n\nlater();\n"

    parts = split("a.js", text)

    assert [(part.name, part.lines) for part in parts[-2:]] == [("A.m8", (34, 39)), ("", (40, 40))]


def test_prototypes_share_a_block() -> None:
    parts = split("a.h", "int a(void);\nint b(void);\nint c(void);\n")

    assert [(part.kind, part.lines) for part in parts] == [("block", (1, 3))]
    assert [symbol.name for symbol in parts[0].symbols] == ["a", "b", "c"]


def test_a_class_that_the_end_of_the_text_cuts_off_leaves_no_head_outside_its_part() -> None:
    ruby = (LANGUAGES / "sample.rb").read_text()

    text = ruby[: ruby.rindex("class Shop")] + "class Shop:"

    check(text, split("a.py", text))
