"""Know which words are shown already: a line that repeats them tells less."""

from __future__ import annotations

from satchel.patterns import lazily

_WORDS = lazily(r"\w+")
_LONGEST = 600


class Told:
    """The words of all that is shown so far."""

    def __init__(self) -> None:
        self._words: set[str] = set()

    def add(self, text: str) -> None:
        """Remember the words of a text that is shown."""
        self._words.update(_WORDS.findall(text[:_LONGEST]))

    def share(self, text: str) -> float:
        """Return the share of a text's words that are shown already, 0 to 1; 0 of a text without words."""
        words = _WORDS.findall(text[:_LONGEST])
        return sum(word in self._words for word in words) / max(1, len(words))
