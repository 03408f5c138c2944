"""What is taken from a text when it is indexed."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.workspace.terms import count_all_words
from satchel.workspace.writing import _DEFINERS, _defined

ALL_AT_ONCE = re.compile(
    r"(?:^|[\s;{}(])(?:def|class|func|fn|struct|enum|trait|interface|type|function|module|namespace|macro_rules!|#define)"
    r"\s+(?:\([^)\n]{0,80}\)\s*)?([^\W\d]\w*)"
)
TOKENS = (
    *_DEFINERS.values(),
    "name",
    "Zählung",
    "x1",
    "(r Receiver)",
    " ",
    "\n",
    "\t",
    "{",
    ";",
    ".",
    "9",
    "\u2003",
)


def names(text: str) -> set[str]:
    return set(_defined(text, _DEFINERS.keys() & count_all_words(text).keys()))


@given(st.lists(st.sampled_from(TOKENS), max_size=25).map("".join))
def test_names_are_those_that_one_expression_finds(text: str) -> None:
    assert names(text) == set(ALL_AT_ONCE.findall(text))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def login(name): ...", {"login"}),
        ("func (s *Server) Run() {}", {"Run"}),
        ("enum class Color", {"class"}),
        ("x.type name; my_def f", set()),
        ("#define MOST 3\nmacro_rules! vec {}", {"MOST", "vec"}),
    ],
)
def test_names_stand_after_what_introduces_them(text: str, found: set[str]) -> None:
    assert names(text) == found


@pytest.mark.parametrize("text", ["def " * 300_000, "type(" * 300_000, " def" * 300_000 + "\n" * 300_000])
def test_hostile_texts_are_read_in_linear_time(text: str) -> None:
    begun = time.process_time()

    names(text)

    assert time.process_time() - begun < 5
