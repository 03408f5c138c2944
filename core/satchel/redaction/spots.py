"""Find the runs of word characters in which a rule's word can stand, many runs at once."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, chain
from typing import NamedTuple

from satchel.patterns import lazily
from satchel.redaction.bounds import Needs
from satchel.redaction.rules import LETTERS_DIGITS, Rule, literals

_HEX = "0123456789ABCDEFabcdef"
_RUN = lazily(r"\w+")
_ESCAPES = {1: frozenset("nrt"), 2: frozenset(first + second for first in _HEX for second in _HEX)}
"""A word may begin so late within a run: after the letter of `\\n` or the digits of `%0A`."""
_COLOUR = 6
"""Characters of a run that a terminal's colour has at most before a word, its `m` included."""
_WORDY = f"{LETTERS_DIGITS}_"
_PEEK, _LATE_PEEK = 4, 3
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
        wholes = {text: f"{text}\n" if _ends(self._pieces[text]) else text for text in sorted(begun)}
        self._openings = _openings(wholes)
        """By what a run goes on with: pieces' texts, each with the line feed that it must end with."""
        self._begun = re.compile(f"[\n_m](?=({literals(self._openings)}))")
        """Openings alone: an expression of whole words takes three times as long to make."""
        self._late = _by_opening({text: wholes[text] for text in wholes if _may_be_late(self._pieces[text])})

    def words_in(self, runs: set[str]) -> dict[str, set[str]]:
        """Return the runs in which a piece of a rule's word can stand, with those words."""
        listed = list(runs)
        found: dict[str, set[str]] = {}
        for run, at, literal in self._places(listed, ascii_of("\n".join(["", *listed, ""]))):
            for piece, word in self._pieces[literal]:
                if _stands(piece, run, at):
                    found.setdefault(run, set()).add(word)
        for run in runs & self._exact.keys():
            found.setdefault(run, set()).update(self._exact[run])
        return found

    def _places(self, runs: Sequence[str], text: str) -> Iterator[tuple[str, int, str]]:
        """Yield the runs and where in them a piece's text stands, if what is no ASCII were underscores.

        `text` has such runs, a line feed before and after each.
        """
        lines = text.split("\n")
        begins = [*accumulate(map((1).__add__, map(len, lines)), initial=0)]
        for at, literal in chain(self._begun_places(text), self._late_places(lines, begins)):
            line = bisect_right(begins, at) - 1
            yield runs[line - 1], at - begins[line], literal

    def _begun_places(self, text: str) -> Iterator[tuple[int, str]]:
        for hit in self._begun.finditer(text):
            at = hit.end()
            yield from (
                (at, literal) for literal, whole in self._openings[hit[1]] if text.startswith(whole, at)
            )
        for literal in self._anywhere:
            yield from ((at, literal) for at in places(text, literal))

    def _late_places(self, lines: Sequence[str], begins: Sequence[int]) -> Iterator[tuple[int, str]]:
        """Yield those after the first or second character of a line: what begins the run can be an escape."""
        known = self._late
        for late, escapes in _ESCAPES.items():
            end = late + _LATE_PEEK
            for place, line in enumerate(lines):
                if line[late:end] in known and line[:late] in escapes:
                    at = begins[place] + late
                    yield from ((at, word) for word in known[line[late:end]] if line.startswith(word, late))


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


def _ends(held: Sequence[tuple[Piece, str]]) -> bool:
    """Tell whether all of the pieces stand where a run ends."""
    return all(piece.last for piece, _ in held)


def _may_be_late(held: Sequence[tuple[Piece, str]]) -> bool:
    return not all(piece.first for piece, _ in held)


def _openings(wholes: Mapping[str, str]) -> dict[str, list[tuple[str, str]]]:
    """Return pieces' texts, each with what stands there as a whole, by the opening of what begins so."""
    found: dict[str, list[tuple[str, str]]] = {}
    for text, whole in wholes.items():
        found.setdefault(whole[:_PEEK], []).append((text, whole))
    return {
        opening: [pair for end in range(_PEEK) for pair in found.get(opening[: end + 1], ())]
        for opening in found
    }


def _by_opening(wholes: Mapping[str, str]) -> dict[str, list[str]]:
    """Return pieces' texts by all that the rests of runs in ASCII which begin with them can begin with."""
    found: dict[str, list[str]] = {}
    for literal, whole in wholes.items():
        opening = literal[:_LATE_PEEK]
        goes_on = whole == literal and len(opening) < _LATE_PEEK
        for following in ["", *_WORDY] if goes_on else [""]:
            found.setdefault(opening + following, []).append(literal)
    return found


def _stands(piece: Piece, run: str, at: int) -> bool:
    if not run.startswith(piece.literal, at):
        return False
    if piece.last and at + len(piece.literal) != len(run):
        return False
    if piece.first:
        return at == 0
    if len(run) - at < piece.follow:
        return False
    return not piece.early or _begins(run, at)


def _begins(run: str, at: int) -> bool:
    """Tell whether a key can begin there: after what is in none, an escape, the end of a colour."""
    before = run[at - 1 : at]
    if not (before.isascii() and before.isalnum()):
        return True
    return (before == "m" and at <= _COLOUR) or (at in _ESCAPES and run[:at] in _ESCAPES[at])
