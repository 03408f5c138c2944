"""Finds out that a server cut the front of a prompt without a word: tokens sent against tokens evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

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


def read_token_counts(answer: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return evaluated and cached prompt tokens of an answer, None where it does not tell.

    Ollama tells `prompt_eval_count` (old versions leave out what was cached), llama-server
    `tokens_evaluated` or `timings`, OpenAI-compatible servers `usage.prompt_tokens`.
    """
    usage, timings = _table(answer, "usage"), _table(answer, "timings")
    tellers = ((usage, "prompt_tokens"), (answer, "prompt_eval_count"), (answer, "tokens_evaluated"))
    for table, key in tellers:
        told = _whole(table.get(key))
        if told is not None:
            return told, 0
    told = _whole(timings.get("prompt_n"))
    return None if told is None else (told, _whole(timings.get("cache_n")) or 0)


def _table(answer: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = answer.get(key)
    return value if isinstance(value, Mapping) else {}


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
