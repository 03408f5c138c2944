"""Calibrate counts by what the provider said that its requests cost."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from satchel.conversation.counting.counts import START, Tally
from satchel.messages import Conversation

LEAST, MOST = 0.5, 4.0
"""Bounds of the factor: the dearest vocabulary known counts 2.3 times ours, more is a mistake somewhere."""
_SURE = 200
"""Counted tokens below which a report says more about the frame than about the text."""
_INPUT = (
    "prompt_tokens",
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
)


def calibration(conversation: Conversation, tally: Tally) -> float:
    """Return tokens of the provider for each counted one, by the newest answer that keeps its `usage`.

    `usage` is what the provider's response had, kept beside the message: its input tokens are set against
    the count of all that stood before. 1.0 where no message keeps one.
    """
    sums = list(accumulate(tally.messages, initial=START + tally.tools))
    for at in range(len(conversation.messages) - 1, -1, -1):
        reported = reported_tokens(conversation.messages[at].raw)
        if reported and sums[at] >= _SURE:
            return calibrated(reported, sums[at])
    return 1.0


def calibrated(reported: int, counted: int) -> float:
    """Return the factor from `counted` tokens to the provider's `reported` ones, within bounds."""
    known = max(1, counted)
    return max(LEAST, min(reported, int(MOST) * known) / known)  # a number of any size may be reported


def reported_tokens(raw: Any) -> int:
    """Return the input tokens that a message's usage reports, cached ones included; 0 for none."""
    if not isinstance(raw, dict):
        return 0
    usage = raw.get("usage")
    plain = usage if isinstance(usage, dict) else {"input_tokens": raw.get("prompt_eval_count")}
    given = [plain.get(key) for key in _INPUT]
    return sum(value for value in given if isinstance(value, int) and value > 0)
