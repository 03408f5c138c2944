"""Guess tokens without a vocabulary: fast, and nearly always within a fifth of the count."""

from __future__ import annotations

from satchel.patterns import lazily

_PIECE = lazily(
    r"[A-Z]?[a-z]{1,8}|[A-Z]{1,3}|\d{1,3}|[^\S\n](?=\d)|[^\S\n]{2,80}|[^\x00-\x7f]"
    r"|([^\sA-Za-z\d])\1{3,60}|[^\sA-Za-z\d]{1,3}"
)
"""Matches roughly one token: a short word, three digits, a blank before them, marks."""
_PER_PIECE, _PER_LINE = 0.97, 0.7
"""Fitted to the counts of 50,000 lines of 440 outputs in o200k_base."""


def guess(text: str) -> int:
    """Return the approximate number of tokens of a text."""
    return 1 + int(_PER_PIECE * len(_PIECE.findall(text)) + _PER_LINE * text.count("\n"))
