"""Tell from the words of a text which formats of secrets it can hold, so that few are looked for."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from satchel.redaction.names import NAMES, folded
from satchel.redaction.rules import Rule, literals

_RUN = re.compile(r"[^\W\d]\w+")
"""What `workspace.terms.WORD` takes for a word."""
_ESCAPES = 2
"""A word may begin so late within a word: after the letter of `\\n` or the digits of `%0A`."""


class Looks(NamedTuple):
    """What has to be looked for in a text."""

    words: frozenset[str]
    """Of the rules."""
    names: bool
    """Whether a name of a secret can stand in it."""


class _Piece(NamedTuple):
    """The part of a rule's word that is a word by itself, and where in a text's word it must stand."""

    literal: str
    first: bool
    """At the very beginning."""
    early: bool
    """Where a key can begin."""
    last: bool


class Sieve:
    """Remembers of every word that it has seen which of the rules' words can begin in it."""

    def __init__(self, words: Mapping[str, Sequence[Rule]]) -> None:
        pieces = {word: _piece_of(word, rules) for word, rules in words.items()}
        self._odd = _by_anchor(word for word, piece in pieces.items() if piece is None)
        self._pieces: dict[str, list[tuple[_Piece, str]]] = {}
        for word, piece in pieces.items():
            if piece is not None:
                self._pieces.setdefault(piece.literal, []).append((piece, word))
        self._any = re.compile(f"(?=({literals(self._pieces)}))")
        self._prefixes = {
            long: [short for short in self._pieces if long.startswith(short)] for long in self._pieces
        }
        self._known: set[str] = set()
        self._holding: dict[str, frozenset[str]] = {}
        self._naming: set[str] = set()

    def looks(self, text: str, words: Collection[str]) -> Looks:
        """Return what can stand in a text whose words, as `WORD` finds them, are all among `words`."""
        held = words.keys() if isinstance(words, Mapping) else set(words)
        unknown = held - self._known
        if unknown:
            self._learn(unknown)
        found = {word for any_of, odd in self._odd if any_of.search(text) for word in odd if word in text}
        for word in held & self._holding.keys():
            found |= self._holding[word]
        return Looks(frozenset(found), not held.isdisjoint(self._naming))

    def _learn(self, words: Collection[str]) -> None:
        """Look at new words, all in one text: far faster than one by one."""
        self._known.update(words)
        text = "\n".join(words)
        for hit in self._any.finditer(text):
            word, at = _line_at(text, hit.start())
            held = self._holding.get(word, frozenset()).union(self._held(word, at, hit[1]))
            if held:
                self._holding[word] = held
        lower = folded(text)
        self._naming.update(_line_at(text, hit.start())[0] for hit in NAMES.finditer(lower))

    def _held(self, word: str, at: int, longest: str) -> Iterator[str]:
        """Return the rules' words whose piece can stand at a place of a word."""
        for literal in self._prefixes[longest]:
            for piece, whole in self._pieces[literal]:
                if _stands(piece, word, at):
                    yield whole


def _by_anchor(words: Iterable[str]) -> list[tuple[re.Pattern[str], list[str]]]:
    """Group words by a character that they share, with a pattern that finds any of a group.

    The pattern starts with that character, which is what the search is fast for.
    """
    groups: dict[str, list[str]] = {}
    for word in sorted(words):
        anchor = next((letter for letter in word if not letter.isalnum()), word[-1])
        groups.setdefault(anchor, []).append(word)
    return [
        (re.compile(f"{re.escape(anchor)}(?:{'|'.join(_around(word, anchor) for word in group)})"), group)
        for anchor, group in groups.items()
    ]


def _around(word: str, anchor: str) -> str:
    at = word.index(anchor) + 1
    return f"(?<={re.escape(word[:at])}){re.escape(word[at:])}"


def _line_at(text: str, at: int) -> tuple[str, int]:
    """Return the line that a place is in, and how far into it."""
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return text[start : end if end >= 0 else len(text)], at - start


def _stands(piece: _Piece, word: str, at: int) -> bool:
    if piece.last and at + len(piece.literal) != len(word):
        return False
    if piece.first:
        return at == 0
    before = word[at - 1 : at]
    begins = at <= _ESCAPES or before == "m" or not (before.isascii() and before.isalnum())
    return begins or not piece.early


def _piece_of(word: str, rules: Sequence[Rule]) -> _Piece | None:
    """Return the longest run of word characters in a rule's word, None where there is none of two."""
    found = max(_RUN.finditer(word), key=lambda run: len(run[0]), default=None)
    if found is None:
        return None
    begins, ends = found.start(), found.end()
    first = begins > 0 and re.match(r"\W", word[begins - 1]) is not None
    if begins > 0 and not first:
        return None  # digits before it may belong to another word
    early = begins == 0 and word[0].isalnum() and not any(rule.back for rule in rules)
    return _Piece(found[0], first, early, ends < len(word))
