"""Handle texts for providers: cut them to a number of tokens, and measure what they share with a task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from satchel.plugin_api import WORD, format_count, split_words

if TYPE_CHECKING:
    from satchel.plugin_api import Task, Workspace


BYTES_PER_TOKEN = 3
"""The host's estimate for enforcing limits."""


def within(text: str, max_tokens: int) -> str:
    """Return the leading whole lines that fit, and a last line with the number of the others."""
    room = max_tokens * BYTES_PER_TOKEN
    if len(text.encode("utf-8", "replace")) <= room:
        return text
    lines, kept, spent = text.splitlines(keepends=True), 0, len("... 10000 more lines\n")
    for line in lines:
        spent += len(line.encode("utf-8", "replace"))
        if spent > room:
            break
        kept += 1
    return "".join(lines[:kept]) + f"... {format_count(len(lines) - kept, 'more line')}\n" if kept else ""


_LEAST_RARITY = 0.5
"""Least rarity of a word: in a small workspace every word is in many of the files."""
_NEW_RARITY = 2.0
"""Rarity of words if no file of the workspace has any word of the task."""


class Relation:
    """The task's terms, weighed once for many texts; words that were split are remembered."""

    def __init__(self, task: Task, workspace: Workspace) -> None:
        rarity = workspace.ranking.files(task).rarity
        held = {term: max(value, _LEAST_RARITY) for term, value in rarity.items()}
        # A word that no file holds is a name or a turn of speech: it counts as the others do on average.
        unknown = sum(held.values()) / len(held) if held else _NEW_RARITY
        self._worths = {
            term: weight * held.get(term, unknown) for term, weight in workspace.ranking.query(task).items()
        }
        self._all = sum(self._worths.values()) or 1.0
        self._terms: dict[str, frozenset[str]] = {}

    def share(self, text: str) -> float:
        """Return 0..1: the share of the task's terms in a text, by weight and rarity."""
        if not self._worths:
            return 0.0
        words = set(WORD.findall(text))
        fresh = [word for word in words if word not in self._terms]
        for word, terms in zip(fresh, split_words(fresh), strict=True):
            self._terms[word] = frozenset(terms) & self._worths.keys()
        held = frozenset[str]().union(*(self._terms[word] for word in words))
        return min(1.0, sum(self._worths[term] for term in held) / self._all)
