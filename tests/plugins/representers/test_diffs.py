"""Hunks of a unified diff as parts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from satchel import ContextItem, Part
from satchel.host import check_parts
from satchel.testing.contracts import RepresenterContract
from satchel_plugins.representers import Diffs, find_definition, name_of_hunk, name_of_place

PATCH = (Path(__file__).parents[2] / "data/git/two_files.patch").read_text()


class TestDiffs(RepresenterContract):
    plugin = Diffs
    samples = {"two_files.patch": PATCH, "a.py": "x = 1\n"}  # noqa: RUF012  the contract's own form


def diff(text: str, path: str = "") -> ContextItem:
    return ContextItem("diff:a.py", "git", "diff", "diff of a.py", path=path, text=text)


def split(text: str) -> Sequence[Part]:
    return check_parts(Diffs().split(diff(text)), text)


def test_diffs_and_patch_files_are_claimed_and_nothing_else() -> None:
    file = ContextItem("file:a", "files", "file", "a", path="fix/a.PATCH")

    assert (Diffs().claims(diff("")), Diffs().claims(file)) == (0.95, 0.9)
    assert Diffs().claims(ContextItem("file:b", "files", "file", "b", path="patch.py")) == 0.0


def test_each_hunk_is_a_part_with_its_first_line_as_head() -> None:
    parts, lines = split(PATCH), PATCH.split("\n")

    assert [part.kind for part in parts] == ["hunk"] * 3
    heads = [lines[part.head[0] - 1] for part in parts]
    assert [head.split(" +")[0] for head in heads] == ["@@ -10,4", "@@ -30,2", "@@ -1,3"]
    assert [part.name for part in parts] == ["total", "refund", "push"]


def test_the_lines_that_name_a_file_stand_with_its_first_hunk() -> None:
    parts, lines = split(PATCH), PATCH.split("\n")

    assert [lines[part.lines[0] - 1][:10] for part in parts] == ["From 1a2b3", "@@ -30,2 +", "diff --git"]
    assert parts[-1].lines[1] == len(lines) - 1


def test_a_removed_line_that_looks_like_a_hunk_is_none() -> None:
    text = "@@ -1,2 +1,2 @@\n-@@ -1 +1 @@\n+@@ -9 +9 @@\n x\n"

    assert [part.lines for part in split(text)] == [(1, 4)]


def test_what_changed_lines_define_is_named() -> None:
    names = [symbol.name for part in split(PATCH) for symbol in part.symbols]

    assert names == ["refund"]


def test_a_long_hunk_is_cut() -> None:
    text = "@@ -0,0 +1,200 @@\n" + "+x\n" * 200

    parts = split(text)

    assert [part.lines for part in parts] == [(1, 80), (81, 160), (161, 201)]
    assert [part.head for part in parts] == [(1, 1), (0, 0), (0, 0)]


def test_a_place_is_named_in_many_languages() -> None:
    places = {
        " class Cart:": "Cart",
        " static int push(struct ring *r, char c)": "push",
        " func (s *Server) Serve(port int) error {": "Serve",
        " pub fn start(&mut self) {": "start",
        " export async function load(path) {": "load",
        " ## Heading": "",
        "": "",
    }

    assert {place: name_of_place(place) for place in places} == places


def test_a_hunk_is_named_after_what_it_changes() -> None:
    place = " def get_annotation_type(leaf):"
    own = [
        "     return None",
        " ",
        " def is_part(leaf):",
        '     """Tell."""',
        "-    return 1",
        "+    return 2",
    ]
    inner = ["     x = 1", "     def helper():", "         pass", "-    y = 1", "+    y = 2"]
    aside = ["     return None", " ", "+TABLE = {}", " "]
    go = [
        " }",
        " ",
        " // WithColorProfile sets it.",
        "-func WithColorProfile(p int) {",
        "+func WithColorProfile(p P) {",
    ]
    c = [" }", " ", "-int total(struct cart *c) {", "+int total(struct cart *c, int n) {", "     int i;"]

    assert name_of_hunk(place, own) == "is_part"
    assert name_of_hunk(place, own[:1] + own[-2:]) == "get_annotation_type"
    assert name_of_hunk(place, inner) == "get_annotation_type"
    assert name_of_hunk(place, aside) == ""
    assert name_of_hunk(" func WithFPS(n int) Option {", go) == "WithColorProfile"
    assert name_of_hunk(" int first(void)", c) == "total"
    assert name_of_hunk(" ## Usage", [" Call it.", "+Twice."]) == name_of_place("## Usage")


def test_a_definition_needs_its_keyword_first() -> None:
    assert find_definition("    async def run(self):") == ("def", "run")
    assert find_definition("pub(crate) trait Ext {") == ("trait", "Ext")
    assert find_definition("x = define") is None


def test_a_struct_of_c_that_is_only_used_defines_nothing() -> None:
    uses = (
        "struct menu_item *item;",
        "const enum lines lines,",
        "static struct client\t*last;",
        "enum state,",
    )

    assert not any(map(find_definition, uses))
    assert find_definition("struct menu_item {") == ("struct", "menu_item")
    assert find_definition("struct Money: Codable {") == ("struct", "Money")
    assert find_definition("final struct Money final : Base {") == ("struct", "Money")
    assert find_definition("enum class Colour {") == ("enum", "Colour")


@given(
    st.lists(
        st.sampled_from(["@@ -1 +1 @@", "@@ -1,9 +2,3 @@ f(", "+a", "-b", " c", "", "\\ No", "--- a", "d"])
    )
)
def test_any_lines_make_parts_in_order(lines: list[str]) -> None:
    split("".join(f"{line}\n" for line in lines))


def test_ten_megabytes_of_junk_are_split_at_once() -> None:
    assert len(split("@@ -1,1 +1,1 @@ def " * 500_000)) == 1
    assert split("+" + "def " * 2_500_000) == []
