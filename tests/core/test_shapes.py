"""Shapes: branches are counted in code alone, comments by what each language writes them with."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.amounts import sized

from satchel.packing.shapes import LineRun, Shape, shapes
from satchel.parts import Lines
from satchel.workspace import runs_of


def shape(text: str, path: str = "a.py") -> Shape:
    lines = text.split("\n")
    return shapes(lines, [run(lines, (1, len(lines)))], path)[0]


def run(lines: list[str], place: Lines) -> LineRun:
    text = "\n".join(lines[place[0] - 1 : place[1]])
    return LineRun(place, text, runs_of(text))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("x = 1", 0),
        ("if a:\n    return b", 2),
        ("a && b || c ? d : e", 3),
        ("notify(iffy)", 0),
        ("# if this, return that", 0),
    ],
)
def test_branches_are_words_and_marks_of_code(text: str, count: int) -> None:
    assert shape(text).branches == count


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "# one\n# if two"),
        ("a.py", '"""If so.\n\nReturn it."""'),
        ("a.py", "r'''one line'''"),
        ("a.go", "// if one\n/* two\nreturn three */"),
        ("a.ts", "/** one */"),
        ("a.rs", "/// if one"),
    ],
)
def test_a_text_of_comments_has_no_branches(path: str, text: str) -> None:
    found = shape(text, path)

    assert (found.branches, found.comments) == (0, 1.0)


def test_calls_are_opening_parentheses() -> None:
    assert shape("f(g(x), [1])\ny = 2").calls == 2


@pytest.mark.parametrize(
    ("path", "text"), [("a.c", "#if X"), ("a.rs", "#[cfg(x)]"), ("a.py", "x = 1  # why"), ("a.py", "")]
)
def test_directives_and_code_with_a_remark_are_no_comments(path: str, text: str) -> None:
    assert shape(text, path).comments == 0


def test_code_behind_a_comment_that_ended_counts_again() -> None:
    made = shape('"""Doc.\nif so.\n"""\nif a:\n    pass')

    assert made.branches == 1
    assert 0.3 < made.comments < 0.7


def test_each_range_has_its_own_shape_and_a_comment_may_reach_into_it() -> None:
    lines = ["/* one", "if two", "*/", "if (x) return;"]

    first, second, third = shapes(lines, [run(lines, place) for place in ((1, 2), (3, 3), (4, 4))], "a.js")

    assert first == second == (0, 1.0, 0)
    assert third == (2, 0.0, 1)


@given(text=st.text(st.sampled_from('"/*#\n if')), path=st.sampled_from(["a.py", "a.go", "a.c", "a", ""]))
def test_any_text_has_a_shape(text: str, path: str) -> None:
    made = shape(text, path)

    assert made.branches >= 0
    assert 0 <= made.comments <= 1


@given(st.lists(st.sampled_from(["if", "iff", "_if", "é", "éif", "&&&", "||", "?", " ", "return", "raise"])))
def test_words_that_branch_stand_by_themselves(pieces: list[str]) -> None:
    text = "".join(pieces)

    found = re.findall(r"(?<![A-Za-z0-9_])(?:if|return|raise)\b|&&|\|\||\?", text)

    assert shape(text).branches == len(found)


@pytest.mark.parametrize("piece", ["/*", '"""\n', "if ", "\n"])
def test_megabytes_take_little_time(piece: str) -> None:
    text = piece * (sized(2_000_000) // len(piece))
    began = time.process_time()

    shape(text)

    assert time.process_time() - began < 5
