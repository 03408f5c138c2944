"""How much likelier than others a message of a chat answers the task: who says it, and what it tells."""

from __future__ import annotations

import re
from collections.abc import Sequence

from satchel.parts import Part
from satchel.patterns import lazily

SPEAKER = 2.6
"""Factor of what a person says whom the task names, where it names nobody else (`Ann: ...`)."""
TIME = 2.5
"""Factor of a message that tells a time, where the task asks for one."""
QUESTION = 0.88
"""Factor of a message that ends in a question: what is asked for is seldom there."""
_LONGEST = 2_000
_ASKS_WHEN = lazily(
    r"(?:^|[.?!\n,]\s*)(?:and |but |so |since |until )?(?:when|how long|(?:in |on |at )?(?:what|which) "
    r"(?:year|month|week|date|day|time|season))\b",
    re.IGNORECASE,
)
_TELLS_WHEN = lazily(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|last|next|weeks?|weekend|months?|years?|mornings?|night|evening"
    r"|recently|since|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july"
    r"|august|september|october|november|december|spring|summer|autumn|winter|\d+)\b",
    re.IGNORECASE,
)


def answering(parts: Sequence[Part], texts: Sequence[str], task: str) -> list[float]:
    """Return a factor for each message of a chat; 1 where nothing is known.

    The factors are odds that were fitted on questions about long dialogues of two people, and hold whatever
    scorers say. The words of time are English.
    """
    asked = task[:_LONGEST]
    named = {part.name for part in parts if part.name and _names(asked, part.name)}
    speaker = next(iter(named)) if len(named) == 1 else None
    timed = _ASKS_WHEN.search(asked) is not None
    return [
        _factor(text, said=part.name == speaker, timed=timed) for part, text in zip(parts, texts, strict=True)
    ]


def _factor(text: str, *, said: bool, timed: bool) -> float:
    factor = SPEAKER if said else 1.0
    if text.rstrip().endswith("?"):
        factor *= QUESTION
    return factor * TIME if timed and _TELLS_WHEN.search(text, 0, _LONGEST) else factor


def _names(task: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", task) is not None
