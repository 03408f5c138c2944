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


@pytest.mark.parametrize(
    "heading", ["// <h1>", "# <h2></h2>", "// <h1><b></b></h1>", "# = <b></b>", "# # <i>"]
)
def test_a_heading_without_a_title_begins_no_chapter(heading: str) -> None:
    text = "".join(
        f"{heading}\n{'// more words here' if '//' in heading else '# more words'}\n" for _ in range(60)
    )

    check(text, split("a.php", text))


def test_code_of_a_long_function_belongs_to_the_banner_above_it() -> None:
    steps = "".join(f"        value = self.turn({number}, value, again=True)\n" for number in range(50))
    text = (
        "class Loom:\n    def weave(self, value):\n        self.begin()\n"
        f"        ### Wind the yarn ###\n{steps}\n"
        f"        ### Cut the cloth ###\n{steps}        return value\n"
    )

    parts = split("loom.py", text)

    named = {part.name: (part.kind, part.lines) for part in parts}
    assert named["Loom.weave: Wind the yarn"] == ("block", (4, 55))
    assert named["Loom.weave: Cut the cloth"] == ("block", (56, 107))


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


def test_a_banner_of_hashes_above_a_key_is_no_heading_and_its_part_keeps_no_head_outside() -> None:
    banner = f"{'#' * 60} breakers {'#' * 9}\n##{' ' * 60}##\n{'#' * 80}\n"
    text = f"{banner}breaker.size=100\n" + "".join(f"breaker.k{n}={n}\n" for n in range(40))

    parts = split("a.properties", text)

    check(text, parts)
    assert "##" not in {part.name for part in parts}


def test_a_key_that_a_heading_cuts_from_its_comment_has_no_head_outside_its_part() -> None:
    text = "# about the size\n# # Sizes\na.size=100\n" + "".join(f"a.k{n}={n}\n" for n in range(40))

    check(text, split("a.properties", text))


MANUAL = "".join(f" * Line {number} of what it says.\n" for number in range(20))
BODY = "".join(f"    void m{number}() {{\n        x();\n    }}\n\n" for number in range(12))


@pytest.mark.parametrize(
    ("path", "text", "owner"),
    [
        (
            "A.java",
            f"package a;\n\n/**\n * What it is.\n *\n{MANUAL} * <h3>Static <b>methods</b></h3>\n{MANUAL}"
            f" * <h3>Spies</h3>\n{MANUAL} */\npublic class A {{\n{BODY}}}\n",
            "A: ",
        ),
        (
            "a.rs",
            "".join(
                f"//! # {title}\n//!\n//! ```\n//! # let x = 1;\n//! ```\n" + MANUAL.replace(" *", "//!")
                for title in ("Static methods", "Spies")
            )
            + "\npub mod a;\n",
            "",
        ),
        (
            "a.ex",
            'defmodule A do\n  @moduledoc """\n  What it is.\n\n'
            + "".join(
                f"  ## {title}\n\n{MANUAL.replace(' *', '  ')}\n" for title in ("Static methods", "Spies")
            )
            + '  """\n\n'
            + "".join(f"  def m{number}(x) do\n    x\n  end\n\n" for number in range(12))
            + "end\n",
            "A: ",
        ),
        (
            "a.py",
            '"""\nWhat it is.\n\n'
            + "".join(
                f"{title}\n{'=' * len(title)}\n\n{MANUAL.replace(' * ', '')}\n"
                for title in ("Static methods", "Spies")
            )
            + '"""\n\nimport os\n\n\ndef main():\n    os.abort()\n',
            "",
        ),
    ],
)
def test_a_long_comment_is_cut_at_its_headings_like_a_page(path: str, text: str, owner: str) -> None:
    parts = split(path, text)

    check(text, parts)
    lines = lines_of(text)
    titled = {part.name: lines[part.lines[0] - 1] for part in parts if part.kind == "comment"}
    assert [name for name in titled if name.removeprefix(owner) in ("Static methods", "Spies")] == [
        f"{owner}Static methods",
        f"{owner}Spies",
    ]
    assert "Static" in titled[f"{owner}Static methods"]
    assert "Spies" in titled[f"{owner}Spies"]


def test_a_definition_begins_below_the_page_that_stands_above_it() -> None:
    text = (
        f"package a;\n\n/**\n * What it is.\n{MANUAL}{MANUAL}{MANUAL} */\n@Deprecated\nclass A {{\n{BODY}}}\n"
    )

    shown = next(part for part in split("A.java", text) if part.head != (0, 0))

    assert lines_of(text)[shown.lines[0] - 1] == "@Deprecated"


def test_a_short_comment_stays_with_what_it_is_about() -> None:
    text = f"package a;\n\n/**\n * What it is.\n * <h3>Spies</h3>\n{MANUAL} */\nclass A {{\n{BODY}}}\n"

    first = next(part for part in split("A.java", text) if part.head != (0, 0))

    assert lines_of(text)[first.lines[0] - 1] == "/**"


def test_directives_of_a_preprocessor_are_no_headings() -> None:
    text = "".join(f"#if A{n}\n#  define B{n} 1\n#else\n#  define B{n} 2\n#endif\n" for n in range(20))

    assert {part.kind for part in split("a.h", text)} == {"block"}


def test_what_a_short_namespace_holds_is_a_part_by_its_own_name() -> None:
    text = "namespace Tea\n{\n    public class Pot\n    {\n        int At() => 1;\n    }\n}\n"

    assert [part.name for part in split("Pot.cs", text)] == ["Tea", "Tea.Pot"]
