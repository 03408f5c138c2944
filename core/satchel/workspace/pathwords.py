"""The words of paths, noted once for each folder and not for each file below it."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import NamedTuple

from satchel.workspace.index import PATH
from satchel.workspace.terms import LONGEST_WORD, WORD


class _Level(NamedTuple):
    """A folder that the documents lie in, one below the other."""

    folder: str
    """With `/` at its end."""
    words: tuple[str, ...]
    """Those that no folder above it has."""
    first: int
    """The first document that lies in it."""


class PathWords:
    """Notes the words of paths for documents that are numbered in a row; sorted by path it is quickest.

    `postings` are by word with its field: the document's number, and in the last eight bits how often; a
    word that is new gets a list of its own.
    """

    def __init__(self) -> None:
        self._levels: list[_Level] = []
        self._folder = ""
        self._known: frozenset[str] = frozenset()

    def add(self, path: str, number: int, postings: Mapping[str, array[int]]) -> list[str]:
        """Go to the folder of a document, and return the words of its name that no folder of it has."""
        start = path.rfind("/") + 1
        if path[:start] != self._folder:
            self._enter(path[:start], number, postings)
        return [PATH + word for word in _words(path[start:]) if word not in self._known]

    def close(self, number: int, postings: Mapping[str, array[int]]) -> None:
        """Note the words of all folders for the documents up to `number`, which is not included."""
        while self._levels:
            self._leave(number, postings)
        self._folder, self._known = "", frozenset()

    def _enter(self, folder: str, number: int, postings: Mapping[str, array[int]]) -> None:
        while self._levels and not folder.startswith(self._levels[-1].folder):
            self._leave(number, postings)
        known = {word for level in self._levels for word in level.words}
        begun = len(self._levels[-1].folder) if self._levels else 0
        while begun < len(folder):
            end = folder.index("/", begun) + 1
            words = tuple(word for word in _words(folder[begun:end]) if word not in known)
            self._levels.append(_Level(folder[:end], words, number))
            known.update(words)
            begun = end
        self._folder, self._known = folder, frozenset(known)

    def _leave(self, number: int, postings: Mapping[str, array[int]]) -> None:
        """Note the words of the innermost folder; where this was interrupted before, no word twice."""
        level = self._levels[-1]
        documents = array("I", range(level.first << 8 | 1, number << 8 | 1, 1 << 8))
        for word in level.words:
            noted = postings[PATH + word]
            if not noted or noted[-1] < documents[0]:
                noted.extend(documents)
        self._levels.pop()


def _words(name: str) -> dict[str, None]:
    return dict.fromkeys(word for word in WORD.findall(name) if len(word) <= LONGEST_WORD)
