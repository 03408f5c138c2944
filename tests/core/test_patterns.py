"""Expressions that wait: they answer as compiled ones do, and compile when they are asked."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel import patterns
from satchel.patterns import compile_stored
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


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of codes, which is not there yet."""
    file = tmp_path / "__pycache__" / "expressions"
    monkeypatch.setattr(patterns, "_FILE", file)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    _begin_anew()
    return file


def _begin_anew() -> None:
    """Forget what this process knows of compiled expressions, as a new one does."""
    patterns.compile_stored.cache_clear()
    patterns._read_file.cache_clear()


@pytest.mark.parametrize(
    ("source", "flags"),
    [
        (r"(?i)\b(?P<verb>add|remove)(?:s|ing)?\b (?P<what>\w+)(?=\.|$)", re.MULTILINE),
        (r"(?x) ( a+ ) (b)? \1  # twice", 0),
        ("[äöü\u0416-\u044f\U0001f600]+|[^\\W\\d_]{2,40}+", re.IGNORECASE),
        (rb"(\x00|[a-f]{1,3}?)$", re.DOTALL),
    ],
)
def test_what_one_process_compiled_is_the_same_expression_in_the_next(
    stored: Path, source: str | bytes, flags: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_stored(source, flags)
    _begin_anew()
    monkeypatch.setattr(patterns, "_translate", None)  # it would fail

    found = compile_stored(source, flags)

    assert found == re.compile(source, flags)
    assert (found.groups, found.groupindex) == (
        re.compile(source, flags).groups,
        re.compile(source, flags).groupindex,
    )
    text = "Remove words. aaabaa äЖ😀 name_of \x00ab"
    given = text if isinstance(source, str) else text.encode()
    assert [one.regs for one in found.finditer(given)] == [  # type: ignore[type-var]
        one.regs
        for one in re.compile(source, flags).finditer(given)  # type: ignore[type-var]
    ]


@pytest.mark.parametrize("damage", [b"", b"\x00", b"\xff" * 40, None])
def test_a_damaged_file_of_codes_is_made_anew(stored: Path, damage: bytes | None) -> None:
    compile_stored("a(b)+")
    kept = stored.read_bytes()
    stored.write_bytes(kept[:20] + damage + kept[21:] if damage is not None else kept[:-9])
    _begin_anew()

    assert compile_stored("a(b)+").findall("abb") == ["b"]
    _begin_anew()
    assert compile_stored("a(b)+").findall("abb") == ["b"]
    assert stored.read_bytes() == kept


def test_codes_that_re_would_not_make_are_not_run(stored: Path) -> None:
    row = patterns._translate("a(b)+", 0)
    patterns._store(("a(b)+", 0), (row[0], b"\x09\x00\x00\x00" * 9, *row[2:]))

    assert compile_stored("a(b)+").findall("abb") == ["b"]


def test_no_codes_are_stored_where_python_stores_no_modules(
    stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    assert compile_stored("a+").findall("aab") == ["aa"]
    assert not stored.exists()


def test_a_file_of_codes_that_grew_large_begins_anew(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_stored("a+")
    monkeypatch.setattr(patterns, "_MOST_BYTES", 10)
    _begin_anew()

    assert compile_stored("a+").findall("aab") == ["aa"]
    assert not stored.exists()
