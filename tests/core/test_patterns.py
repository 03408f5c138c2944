"""Expressions that wait: they answer as compiled ones do, and compile when they are asked."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.plugin_api import lazily


@given(st.text(alphabet="ab \n", max_size=30))
def test_a_waiting_expression_finds_what_a_compiled_one_finds(text: str) -> None:
    waiting, compiled = lazily(r"(a+)b?", re.MULTILINE), re.compile(r"(a+)b?", re.MULTILINE)

    assert waiting.findall(text) == compiled.findall(text)
    assert waiting.sub("-", text) == compiled.sub("-", text)
    assert (waiting.pattern, waiting.flags) == (compiled.pattern, compiled.flags)


def test_a_bad_expression_is_not_looked_at_before_it_is_used() -> None:
    waiting = lazily("(")

    with pytest.raises(re.error):
        waiting.search("a")


def test_bytes_have_expressions_too() -> None:
    assert lazily(rb"\d+").findall(b"a1b22") == [b"1", b"22"]


def test_once_asked_it_is_asked_no_slower_than_a_compiled_one() -> None:
    waiting = lazily("a")
    waiting.search("a")

    assert waiting.search is vars(waiting)["search"]
