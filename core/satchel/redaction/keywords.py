"""Find where the keywords of rules stand in a text, all of them in one pass."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

try:
    import ahocorasick as _library

    ahocorasick: Any = _library
except ImportError:  # no wheel for Windows on ARM
    ahocorasick = None


class Keywords:
    """Some words that are looked for together."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._automaton = _automaton_of(self._words) if ahocorasick is not None and self._words else None
        self._expression = (
            None if self._automaton or not self._words else re.compile(prefix_tree(self._words))
        )

    def places(self, text: str) -> list[tuple[int, str]]:
        """Return in order where a word stands, with the longest one that stands there."""
        if self._automaton is None:
            return self._places_by_expression(text)
        longest: dict[int, str] = {}
        for end, word in self._automaton.iter(text):  # of words that begin together, the longest comes last
            longest[end - len(word) + 1] = word
        return sorted(longest.items())

    def _places_by_expression(self, text: str) -> list[tuple[int, str]]:
        found: list[tuple[int, str]] = []
        at = -1
        # One step on from each hit, not past its word: words overlap ("fc-" and "-us").
        while self._expression and (hit := self._expression.search(text, at + 1)):
            at = hit.start()
            found.append((at, hit[0]))
        return found


def _automaton_of(words: Iterable[str]) -> Any:
    automaton = ahocorasick.Automaton()
    for word in words:
        automaton.add_word(word, word)
    automaton.make_automaton()
    return automaton


def prefix_tree(words: Iterable[str]) -> str:
    """Return a pattern of all words whose common beginnings are written once: four times as fast as |."""
    tree: dict[str, list[str]] = {}
    for word in words:
        tree.setdefault(word[:1], []).append(word[1:])
    ends = "" in tree
    branches = [re.escape(first) + prefix_tree(set(rest)) for first, rest in sorted(tree.items()) if first]
    if not branches:
        return ""
    return f"(?:{'|'.join(branches)}){'?' if ends else ''}"
