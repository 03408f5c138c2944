"""Tell from the words of a text which formats of secrets it can hold, so that few are looked for.

Most words stand in many files: what each can hold is found out once for all texts that a sieve sees.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import NamedTuple

from satchel.redaction.assignments import name_places
from satchel.redaction.bounds import Needs, fewest, needs_of
from satchel.redaction.names import NAMES, folded
from satchel.redaction.prefixed import LEAST_BODY
from satchel.redaction.rules import Rule, literals

_RUN = re.compile(r"\w+")
_BODY = re.compile(f"[A-Za-z0-9]{{{LEAST_BODY},}}")
_BLOCK = re.compile("(?:PRIVATE|Private|Secret|LS0tLS1CRUdJTi|redacted)")
"""One of these is in the first line of each block that `blocks.py` finds, or in a mark."""
_ESCAPES = 2
"""A word may begin so late within a run: after the letter of `\\n` or the digits of `%0A`."""
_LONGEST = 400
"""A text with a longer run is searched as a whole: judging such a run could take its square."""
_MOST_KNOWN = 500_000
"""Runs that are remembered; then the sieve begins anew."""


_RARE = "$+*?&<~%|@"
"""Characters that many texts have nowhere: to look for one alone is ten times as fast as for a word."""


class Looks(NamedTuple):
    """What has to be looked for in a text."""

    words: frozenset[str]
    """Of the rules."""
    names: Mapping[str, tuple[int, ...]]
    """Runs that hold the name of a secret, with the places in them where it begins."""
    long: bool
    """Whether a run has as many letters and digits side by side as the body of a key."""
    block: bool
    """Whether a run can stand in the first line of a private key, or in a mark."""
    named: bool
    """Whether a name of a secret stands anywhere, harmless or not."""


class _Held(NamedTuple):
    """What a run can hold, wherever it stands."""

    words: frozenset[str] = frozenset()
    names: tuple[int, ...] = ()
    longest: int = 0
    block: bool = False
    named: bool = False


class _Piece(NamedTuple):
    """The part of a rule's word that is a run by itself, and where in a text's run it must stand."""

    literal: str
    first: bool
    """At the very beginning."""
    early: bool
    """Where a key can begin."""
    last: bool
    follow: int
    """Characters that the run must have from there."""


class Sieve:
    """Remembers of every run of word characters that it has seen what can begin in it."""

    def __init__(self, words: Mapping[str, Sequence[Rule]]) -> None:
        known = {rule.name: needs_of(rule) for rules in words.values() for rule in rules}
        self._needs = {word: fewest([known[rule.name] for rule in rules]) for word, rules in words.items()}
        self._rare = {word: next(filter(_RARE.__contains__, word), "") for word in words}
        self._place({word: _piece_of(word, rules, self._needs[word]) for word, rules in words.items()})
        self._known: set[str] = set()
        self._overlong: set[str] = set()
        self._held: dict[str, _Held] = {}

    def _place(self, pieces: Mapping[str, _Piece | None]) -> None:
        """Note by its piece where each word of a rule is looked for."""
        self._odd = frozenset(word for word, piece in pieces.items() if piece is None)
        self._exact: dict[str, set[str]] = {}
        self._pieces: dict[str, list[tuple[_Piece, str]]] = {}
        for word, piece in pieces.items():
            if piece is not None and piece.first and piece.last:
                self._exact.setdefault(piece.literal, set()).add(word)
            elif piece is not None:
                self._pieces.setdefault(piece.literal, []).append((piece, word))
        self._prefixes = {
            long: [short for short in self._pieces if long.startswith(short)] for long in self._pieces
        }
        self._any = re.compile(f"(?=({literals(self._pieces)}))")

    def fresh(self) -> Sieve:
        """Return a sieve for the same words that has seen nothing yet."""
        made = copy(self)
        made._known, made._overlong, made._held = set(), set(), {}
        return made

    def looks(self, text: str, runs: Collection[str]) -> Looks | None:
        r"""Return what can stand in a text whose runs of word characters, as `\w+` finds them, are `runs`.

        None is returned where anything can.
        """
        if not self._known.issuperset(runs):
            self.learn(runs)
        if self._overlong and not self._overlong.isdisjoint(runs):
            return None
        words, names, longest = set(self._odd), dict[str, tuple[int, ...]](), 0
        block = named = False
        for run in filter(self._held.__contains__, runs):
            one = self._held[run]
            words |= one.words
            longest = max(longest, one.longest)
            block |= one.block
            named |= one.named
            if one.names:
                names[run] = one.names
        possible = self._possible(words, longest=longest, at_sign="@" in text)
        found = [word for word in possible if self._rare[word] in text and word in text]
        return Looks(frozenset(found), names, longest > 0, block, named)

    def _possible(self, words: Iterable[str], *, longest: int, at_sign: bool) -> Iterator[str]:
        """Leave out the words whose rules need more than is there."""
        for word in words:
            needs = self._needs[word]
            if (needs.longest < LEAST_BODY or needs.longest <= longest) and (at_sign or not needs.at_sign):
                yield word

    def learn(self, runs: Iterable[str]) -> set[str]:
        """Look at new runs, all in one text: far faster than one by one, or text by text. Return them."""
        if len(self._known) > _MOST_KNOWN:
            for remembered in (self._known, self._overlong, self._held):
                remembered.clear()
        fresh = set(runs) - self._known
        self._learn(fresh)
        return fresh

    def _learn(self, runs: set[str]) -> None:
        learned, runs = runs, {run for run in runs if len(run) <= _LONGEST}
        self._overlong.update(learned - runs)
        text = "\n".join(runs)
        words = self._words_in(text)
        for run in runs & self._exact.keys():
            words.setdefault(run, set()).update(self._exact[run])
        bodies = {run: max(map(len, _BODY.findall(run)), default=0) for run in runs if len(run) >= LEAST_BODY}
        blocks = {_line_at(text, hit.start())[0] for hit in _BLOCK.finditer(text)}
        named = _named(runs)
        for run in {*words, *blocks, *named, *filter(bodies.get, bodies)}:
            names = name_places(run) if run in named else ()
            self._held[run] = _Held(
                frozenset(words.get(run, ())), names, bodies.get(run, 0), run in blocks, run in named
            )
        self._known.update(learned)  # the last step: what was interrupted is looked at again

    def _words_in(self, text: str) -> dict[str, set[str]]:
        """Return the lines of a text in which a piece of a rule's word can stand, with those words."""
        found: dict[str, set[str]] = {}
        for hit in self._any.finditer(text):
            run, at = _line_at(text, hit.start())
            held = set(self._beginning(run, at, hit[1]))
            if held:
                found.setdefault(run, set()).update(held)
        return found

    def _beginning(self, run: str, at: int, longest: str) -> Iterator[str]:
        """Return the rules' words whose piece can stand at a place of a run."""
        for literal in self._prefixes[longest]:
            for piece, whole in self._pieces[literal]:
                if _stands(piece, run, at):
                    yield whole


def _named(runs: Iterable[str]) -> set[str]:
    """Return the runs in which a name of a secret stands, harmless or not."""
    text = "\n".join(run for run in runs if run.isascii())
    named = {_line_at(text, hit.start())[0] for hit in NAMES.finditer(text.lower())}
    return named.union(run for run in runs if not run.isascii() and NAMES.search(folded(run)))


def _line_at(text: str, at: int) -> tuple[str, int]:
    """Return the line that a place is in, and how far into it."""
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return text[start : end if end >= 0 else len(text)], at - start


def _stands(piece: _Piece, run: str, at: int) -> bool:
    if piece.last and at + len(piece.literal) != len(run):
        return False
    if piece.first:
        return at == 0
    if len(run) - at < piece.follow:
        return False
    before = run[at - 1 : at]
    begins = at <= _ESCAPES or before == "m" or not (before.isascii() and before.isalnum())
    return begins or not piece.early


def _piece_of(word: str, rules: Sequence[Rule], needs: Needs) -> _Piece | None:
    """Return the longest run of a rule's word; None where any text may have it: one open character."""
    found = max(_RUN.finditer(word), key=lambda run: len(run[0]), default=None)
    if found is None:
        return None
    first, last = found.start() > 0, found.end() < len(word)
    if len(found[0]) < 2 and not (first and last):
        return None
    early = not first and word[0].isalnum() and not any(rule.back for rule in rules)
    return _Piece(found[0], first, early, last, 0 if first else needs.follow)
