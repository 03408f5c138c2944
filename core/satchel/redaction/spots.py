"""Find the runs of word characters in which a rule's word can stand, many runs at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, compress
from typing import NamedTuple

from satchel.patterns import lazily
from satchel.redaction.bounds import Needs
from satchel.redaction.rules import LETTERS_DIGITS, Rule, literals

_RUN = lazily(r"\w+")
_ESCAPES = 2
"""A word may begin so late within a run: after the letter of `\\n` or the digits of `%0A`."""
_WORDY = f"{LETTERS_DIGITS}_"
_PEEK = 3
"""Characters of a run that are looked up to see whether a piece can begin with them."""


class Piece(NamedTuple):
    """The part of a rule's word that is a run by itself, and where in a text's run it must stand."""

    literal: str
    first: bool
    """At the very beginning."""
    early: bool
    """Where a key can begin."""
    last: bool
    follow: int
    """Characters that the run must have from there."""


class Spots:
    """The pieces of all words of rules, arranged so that most runs are passed over at once."""

    def __init__(self, pieces: Mapping[str, Piece | None]) -> None:
        self.odd = frozenset(word for word, piece in pieces.items() if piece is None)
        """Words that any text may have."""
        self._exact: dict[str, set[str]] = {}
        self._pieces: dict[str, list[tuple[Piece, str]]] = {}
        for word, piece in pieces.items():
            if piece is not None and piece.first and piece.last:
                self._exact.setdefault(piece.literal, set()).add(word)
            elif piece is not None:
                self._pieces.setdefault(piece.literal, []).append((piece, word))
        begun = {text for text, held in self._pieces.items() if _begin(held)}
        self._anywhere = sorted(self._pieces.keys() - begun)
        self._begun = re.compile(f"[\n_m](?=({literals(begun)}))")
        self._openings = _by_opening(
            {literal: [piece for piece, _ in self._pieces[literal]] for literal in begun}
        )
        self._prefixes = {long: [short for short in begun if long.startswith(short)] for long in begun}

    def words_in(self, runs: set[str]) -> dict[str, set[str]]:
        """Return the runs in which a piece of a rule's word can stand, with those words."""
        text = "\n".join(["", *runs])
        found: dict[str, set[str]] = {}
        for at, literal in self._places(ascii_of(text)):
            run, place = line_at(text, at)
            held = {word for one, word in self._pieces[literal] if _stands(one, run, place)}
            if held:
                found.setdefault(run, set()).update(held)
        for run in runs & self._exact.keys():
            found.setdefault(run, set()).update(self._exact[run])
        return found

    def _places(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield where in lines of runs a piece's text stands, if what is no ASCII were underscores."""
        for hit in self._begun.finditer(text):
            yield from ((hit.start(1), literal) for literal in self._prefixes[hit[1]])
        yield from self._late_places(text)
        for literal in self._anywhere:
            yield from ((at, literal) for at in places(text, literal))

    def _late_places(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield those after the first or second character of a line: what begins the run can be an escape."""
        lines = text.split("\n")
        begins = [*accumulate(map((1).__add__, map(len, lines)), initial=0)]
        for late in range(1, _ESCAPES + 1):
            openings = [line[late : late + _PEEK] for line in lines]
            known = map(self._openings.__contains__, openings)
            for begin, opening in compress(zip(begins, openings, strict=False), known):
                at = begin + late
                yield from ((at, word) for word in self._openings[opening] if text.startswith(word, at))


def piece_of(word: str, rules: Sequence[Rule], needs: Needs) -> Piece | None:
    """Return the longest run of a rule's word; None where any text may have it: one open character."""
    found = max(_RUN.finditer(word), key=lambda run: len(run[0]), default=None)
    if found is None:
        return None
    first, last = found.start() > 0, found.end() < len(word)
    if len(found[0]) < 2 and not (first and last):
        return None
    early = not first and word[0].isalnum() and not any(rule.back for rule in rules)
    return Piece(found[0], first, early, last, 0 if first else needs.follow)


def line_at(text: str, at: int) -> tuple[str, int]:
    """Return the line that a place is in, and how far into it."""
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return text[start : end if end >= 0 else len(text)], at - start


def places(text: str, word: str) -> Iterator[int]:
    """Yield where a word stands, overlapping or not: for a rare word far faster than an expression."""
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def ascii_of(text: str) -> str:
    """Return a text with an underscore for each character that is not ASCII: neither goes on with a word."""
    return text if text.isascii() else text.encode("ascii", "replace").replace(b"?", b"_").decode()


def _begin(held: Sequence[tuple[Piece, str]]) -> bool:
    """Tell whether all of the pieces stand where a run or a key begins."""
    return all(piece.first or piece.early for piece, _ in held)


def _by_opening(pieces: Mapping[str, Sequence[Piece]]) -> dict[str, list[str]]:
    """Return literals by the openings of `_openings`."""
    found: dict[str, list[str]] = {}
    for literal, held in pieces.items():
        for opening in _openings(literal, held):
            found.setdefault(opening, []).append(literal)
    return found


def _openings(literal: str, pieces: Sequence[Piece]) -> list[str]:
    """Return the first characters of all rests of runs in ASCII that can begin with a literal."""
    late = [piece for piece in pieces if not piece.first]
    opening = literal[:_PEEK]
    if len(opening) == _PEEK or all(piece.last for piece in late):
        return [opening] if late else []
    return [opening, *(opening + more for more in _WORDY)]


def _stands(piece: Piece, run: str, at: int) -> bool:
    if not run.startswith(piece.literal, at):
        return False
    if piece.last and at + len(piece.literal) != len(run):
        return False
    if piece.first:
        return at == 0
    if len(run) - at < piece.follow:
        return False
    before = run[at - 1 : at]
    begins = at <= _ESCAPES or before == "m" or not (before.isascii() and before.isalnum())
    return begins or not piece.early
