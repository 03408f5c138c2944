"""The magnitude of edits, and what is decided from it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from satchel import Part, Symbol
from satchel.plugin_api import lines_of
from satchel.session import Strategy
from satchel.session.edits import Magnitude, decide, measure

LONG = "".join(f"def f{number}(a):\n    return a + {number}\n\n\n" for number in range(30))


def parts(text: str) -> list[Part]:
    """Return a part for each function of a text."""
    lines = lines_of(text)
    starts = [at for at, line in enumerate(lines, start=1) if line.startswith(("def ", "class "))]
    ends = [*(start - 1 for start in starts[1:]), len(lines)]
    made = []
    for start, end in zip(starts, ends, strict=False):
        kind, _, rest = lines[start - 1].partition(" ")
        symbol = Symbol(rest.partition("(")[0].strip(":"), kind, (start, end), (start, start))
        made.append(Part(kind, symbol.name, (start, end), symbols=(symbol,)))
    return made


def measured(old: str, new: str, path: str = "a.py") -> Magnitude:
    """Return the magnitude of an edit."""
    return measure(path, old, new, parts=(parts(old), parts(new)))


def test_a_small_change_of_a_function_is_shown_on_both_sides() -> None:
    magnitude = measured(LONG, LONG.replace("a + 7", "a - 7"))

    assert (magnitude.changed, magnitude.functions, magnitude.hunks) == (1, ("f7",), 1)
    assert decide(magnitude)[0] is Strategy.BOTH


def test_a_comment_alone_is_a_diff() -> None:
    magnitude = measured(LONG, LONG.replace("a + 7", "a + 7  # more"))

    assert magnitude.comments_only
    assert not magnitude.formatting_only
    assert decide(magnitude) == (Strategy.DIFF, "only comments changed")


def test_the_layout_alone_is_a_diff_however_many_lines_it_is() -> None:
    magnitude = measured(LONG, LONG.replace("(a)", "(\n    a,\n)"))

    assert magnitude.formatting_only
    assert magnitude.share > 0.3
    assert decide(magnitude)[0] is Strategy.DIFF


def test_half_of_the_lines_is_a_marker() -> None:
    magnitude = measured(LONG, LONG.replace("return a", "return 2 * a").replace("(a)", "(a=1)"))

    assert magnitude.share == 0.5
    assert decide(magnitude)[0] is Strategy.DIFF
    assert decide(measured("a\nb\nc\n", "x\ny\nc\n", "n.txt"))[0] is Strategy.MARKER


def test_a_new_and_a_deleted_file_are_markers() -> None:
    assert decide(measure("a.py", None, LONG))[0] is Strategy.MARKER
    assert decide(measure("a.py", LONG, None)) == (Strategy.MARKER, "the structure changed")


def test_one_new_function_among_many_is_no_new_structure() -> None:
    magnitude = measured(LONG, f"{LONG}def more(a):\n    return a\n")

    assert magnitude.functions == ("more",)
    assert not magnitude.structure


def test_functions_that_are_renamed_everywhere_are_a_new_structure() -> None:
    magnitude = measured(LONG, LONG.replace("def f", "def g"))

    assert magnitude.structure
    assert decide(magnitude)[0] is Strategy.MARKER


def test_a_type_counts_where_its_head_changed_and_not_where_its_body_did() -> None:
    old = "class Cart(Base):\n    size = 1\n\n\n" + LONG

    assert measured(old, old.replace("(Base)", "(Other)")).types == ("Cart",)
    assert measured(old, old.replace("size = 1", "size = 2")).types == ()


def test_manifests_and_configuration_are_told_by_their_names() -> None:
    manifest = measured('a = "1"\n', 'a = "2"\n', "pyproject.toml")

    assert (manifest.dependencies, manifest.configuration) == (True, True)
    assert not measured("a = 1\n", "a = 2\n").configuration
    assert measured("a: 1\n", "a: 2\n", "deploy/values.yaml").configuration


def test_changed_imports_are_dependencies() -> None:
    old, new = "import os\nx = 1\n", "import sys\nx = 1\n"
    imports = Part("imports", "", (1, 1))

    assert measure("a.py", old, new, parts=([imports], [imports])).dependencies


def test_one_changed_line_of_a_hundred_is_one_percent() -> None:
    old = "".join(f"line {number}\n" for number in range(100))

    assert measured(old, old.replace("line 50\n", "line fifty\n"), "a.txt").share == 0.01


@given(st.text(max_size=200), st.text(max_size=200))
def test_a_share_is_a_share_and_every_edit_has_a_strategy(old: str, new: str) -> None:
    magnitude = measure("a.txt", old, new)

    assert 0 <= magnitude.share <= 1
    assert decide(magnitude)[0] in Strategy
