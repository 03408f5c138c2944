"""Write a number with its noun or verb in the right form."""

from __future__ import annotations


def format_count(number: int, noun: str) -> str:
    """Return `1,203 files`, `1 file`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def agree(number: int, one: str, many: str) -> str:
    """Return the word that goes with a number: `is` with one, `are` with others."""
    return one if number == 1 else many
