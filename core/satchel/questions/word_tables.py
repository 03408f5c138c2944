"""Read the tables of words of this package."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType


@lru_cache
def read_table(name: str) -> tuple[str, ...]:
    """Return the lines of a table beside this module, but for empty ones and comments."""
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if line and not line.startswith("#"))


def read_words(name: str) -> frozenset[str]:
    """Return the words of one list of `words.txt`; it may take several lines."""
    rows = (line.partition(": ") for line in read_table("words.txt"))
    return frozenset(word for found, _, words in rows if found == name for word in words.split())


def read_pairs(name: str) -> Mapping[str, str]:
    """Return a table of two columns."""
    rows = (line.partition("|") for line in read_table(name))
    return MappingProxyType({word: meanings for word, _, meanings in rows})
