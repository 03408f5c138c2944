"""Finds out that a server cut the front of a prompt without a word: tokens sent against tokens evaluated."""

from __future__ import annotations

from typing import NamedTuple

TOLERANCE = 0.02
"""Share by which two counts of one prompt differ without a cut: templates, special tokens."""
SLACK_TOKENS = 16


class Truncation(NamedTuple):
    """A server evaluated fewer tokens than it was sent."""

    sent: int
    evaluated: int

    @property
    def lost(self) -> int:
        """Tokens that the model never saw."""
        return self.sent - self.evaluated


def truncation(sent: int, evaluated: int, *, cached: int = 0, error: float = 0.0) -> Truncation | None:
    """Return the cut, None where the server evaluated what it was sent.

    `sent` is one's own count of the whole prompt and `error` its relative error (0 where exact);
    `cached` are tokens that the server took from its cache in addition to those evaluated. A server
    may count more than was sent (its template), never less without a cut.
    """
    seen = evaluated + cached
    allowed = sent * (1 - TOLERANCE - error) - SLACK_TOKENS
    return Truncation(sent, seen) if seen < allowed else None
