"""Why something stands in a window, in words: what each scorer says of an item."""

from __future__ import annotations

from collections.abc import Mapping

from satchel.report.page import Score

MEANINGS: Mapping[str, str] = {
    "calls": "it uses, or is used by, code that fits the task",
    "changes": "it is a change that the task asks about",
    "cochange": "commits changed it together with the best files",
    "errors": "a tool said that it failed",
    "feedback": "it shares words with the best parts",
    "history": "commits with similar messages touched it",
    "hunks": "lines of similar commits still stand in it",
    "lexical": "the file holds words of the task",
    "mentions": "the task names its lines or its name",
    "passages": "a part of it holds words of the task",
    "paths": "the task, a pin or the editor names its path",
    "position": "it is recent",
    "precedents": "it holds words that similar commits wrote",
    "priority": "it is pinned, open, or under the cursor",
    "recency": "a commit touched it lately",
    "references": "later messages refer to the same things",
    "relevance": "it holds words of the task",
    "role": "of who speaks in it",
    "scopes": "the task names its area",
    "size": "it is short",
    "symbols": "it defines a name with words of the task",
    "usage": "the session used it",
}
"""Scorer -> what a high score says."""
_MOST = 3
_TELLING = 0.2
"""A lower score is no reason."""


def score_of(scorer: str, value: float) -> Score:
    """Return a score with its meaning; a value outside 0..1 is put at the nearer end."""
    return Score(scorer, min(1.0, max(0.0, value)), MEANINGS.get(scorer, ""))


def explain_scores(scores: tuple[Score, ...]) -> str:
    """Return the strongest reasons as one sentence, "" where no score says much."""
    best = sorted(scores, key=lambda score: (-score.value, score.scorer))[:_MOST]
    said = [score.meaning or f"scorer {score.scorer} favours it" for score in best if score.value >= _TELLING]
    return "; ".join(said)
