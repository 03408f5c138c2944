"""Tell from the words of a text which formats of secrets it can hold, so that few are looked for.

Most words stand in many files: what each can hold is found out once for all texts that a sieve sees.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from operator import attrgetter
from typing import NamedTuple

from satchel.patterns import lazily
from satchel.redaction.assignments import name_places
from satchel.redaction.bounds import Needs, fewest, needs_of
from satchel.redaction.names import BEGINNINGS, NAMES, folded
from satchel.redaction.prefixed import LEAST_BODY, LEAST_PARTED, NO_BODIES, Bodies, may_be_coloned
from satchel.redaction.rules import Rule
from satchel.redaction.seen import weaves
from satchel.redaction.spots import Spots, ascii_of, line_at, piece_of, places

_BLOCKS = ("PRIVATE", "Private", "Secret", "LS0tLS1CRUdJTi", "kty", "redacted")
"""One of these is in the first line of each block that `blocks.py` finds, or in a mark."""
_SIGNED = "eyJ"
"""So a signed JSON begins, in base64."""
_INNER = lazily(f"_[A-Za-z0-9]{{{LEAST_BODY}}}")
_NO_BODY = "".join(chr(code) if chr(code).isalnum() or chr(code) == "\n" else " " for code in range(128))
"""For `str.translate` of runs in ASCII: letters and digits that stand side by side become words."""
_LONGEST = 400
"""A text with a longer run is searched as a whole: judging such a run could take its square."""
_MOST_KNOWN = 500_000
"""Runs that are remembered; then the sieve begins anew."""
_RARE = "$+*?&<~%|@"
"""Characters that many texts have nowhere: to look for one alone is ten times as fast as for a word."""


class Looks(NamedTuple):
    """What has to be looked for in a text."""

    words: frozenset[str] = frozenset()
    """Of the rules."""
    names: Mapping[str, tuple[int, ...]] | None = {}
    """Runs that hold the name of a secret, with the places in them where it begins; None where any can."""
    bodies: Bodies = NO_BODIES
    """What there can be of keys that no maker is known of."""
    block: bool = False
    """Whether a run can stand in the first line of a private key, or in a mark."""


NOTHING = Looks()
"""Of a text in which nothing has to be looked for: most are such."""


class _Held(NamedTuple):
    """What a run can hold, wherever it stands."""

    words: Collection[str] = ()
    names: tuple[int, ...] = ()
    longest: int = 0
    """Letters and digits side by side, 0 where they are fewer than a key has."""
    inner: bool = False
    """Whether so many stand behind an underscore."""
    outer: bool = False
    """Whether it begins with so many."""
    block: bool = False
    signed: bool = False
    overlong: bool = False

    @property
    def more(self) -> bool:
        """Whether it can hold anything but words of rules."""
        return bool(self.names or self.longest or self.block or self.signed)


_IS_OVERLONG, _LONGEST_OF = attrgetter("overlong"), attrgetter("longest")


class Sieve:
    """Remembers of every run of word characters that it has seen what can begin in it."""

    def __init__(self, words: Mapping[str, Sequence[Rule]]) -> None:
        known = {rule.name: needs_of(rule) for rules in words.values() for rule in rules}
        needs = {word: fewest([known[rule.name] for rule in rules]) for word, rules in words.items()}
        self._asks = {word: _asked(word, needs[word]) for word in words}
        self._spots = Spots({word: piece_of(word, rules, needs[word]) for word, rules in words.items()})
        self._open = [(word, self._asks[word][2]) for word in self._spots.odd if not any(needs[word])]
        """Words that need nothing, each with a rare character of it."""
        self._within = {word: frozenset(long for long in words if word in long) for word, _ in self._open}
        """Those that stand only where such a word does."""
        self._bare = self._spots.odd.difference(*self._within.values())
        """Words that any text may have, and that need something."""
        self._cases: dict[tuple[str, ...], frozenset[str]] = {}
        self._known: set[str] = set()
        self._held: dict[str, _Held] = {}

    def fresh(self) -> Sieve:
        """Return a sieve for the same words that has seen nothing yet."""
        made = copy(self)
        made._known, made._held = set(), {}
        return made

    def looks(self, text: str, runs: Collection[str]) -> Looks | None:
        r"""Return what can stand in a text whose runs of word characters, as `\w+` finds them, are `runs`.

        None is returned where anything can.
        """
        if not self._known.issuperset(runs):
            self.learn(runs)
        return self.looks_of([text], [runs])[0]

    def looks_of(self, texts: Sequence[str], runs: Sequence[Collection[str]]) -> list[Looks | None]:
        """Return what `looks` says of each text; all of their runs have been learned.

        What hides between letters parts runs, so anything can stand in a text that hides something.
        """
        known = self._held.keys()
        return [
            None if weaves(text) else self._looks(text, known & mine)
            for text, mine in zip(texts, runs, strict=True)
        ]

    def _looks(self, text: str, runs: Collection[str]) -> Looks | None:
        """Return what `looks` does of a text in whose `runs` something is held."""
        absent = tuple([word for word, rare in self._open if rare not in text or word not in text])
        coloned = may_be_coloned(text)
        if not runs and not coloned and len(absent) == len(self._open):
            standing = self._standing(text, self._bare, 0) if "@" in text else frozenset()
            return Looks(standing) if standing else NOTHING
        held = {run: self._held[run] for run in runs}
        if any(map(_IS_OVERLONG, held.values())):
            return None
        longest = max(map(_LONGEST_OF, held.values()), default=0)
        possible = self._spots.odd.union(*[one.words for one in held.values()])
        standing = self._standing(text, possible.difference(self._gone(absent)), longest)
        return _looks_at(text, {run: one for run, one in held.items() if one.more}, standing, coloned=coloned)

    def _gone(self, absent: tuple[str, ...]) -> frozenset[str]:
        """Return the words that stand nowhere where others are absent; there are few cases."""
        gone = self._cases.get(absent)
        if gone is None:
            gone = frozenset().union(*[self._within[word] for word in absent])
            self._cases[absent] = gone
        return gone

    def _standing(self, text: str, words: Iterable[str], longest: int) -> frozenset[str]:
        """Return the words that stand in a text, unless their rules need more than is there."""
        standing, at_sign = [], "@" in text
        for word in words:
            least, asks_at, rare = self._asks[word]
            enough = least <= longest and (at_sign or not asks_at)
            if enough and (not rare or rare in text) and word in text:
                standing.append(word)
        return frozenset(standing)

    def learn(self, runs: Iterable[str]) -> set[str]:
        """Look at new runs, all in one text: far faster than one by one, or text by text. Return them."""
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
            self._held.clear()
        fresh = set(runs) - self._known
        self._learn(fresh)
        return fresh

    def held(self, runs: Collection[str]) -> Collection[str]:
        """Return those of learned runs in which something can begin; of a text no other needs to be told."""
        return self._held.keys() & runs

    def _learn(self, runs: set[str]) -> None:
        short = {run for run in runs if len(run) <= _LONGEST}
        self._held.update(dict.fromkeys(runs - short, _Held(overlong=True)))
        words, longest, names = self._spots.words_in(short), _longest_bodies(short), _names_in(short)
        text = "\n".join(short)
        blocks = {line_at(text, at)[0] for word in _BLOCKS for at in places(text, word)}
        signed = {line_at(text, at)[0] for at in places(text, _SIGNED)}
        for run in {*words, *longest, *names, *blocks, *signed}:
            self._held[run] = _Held(
                frozenset(words.get(run, ())),
                names.get(run, ()),
                longest.get(run, 0),
                inner=run in longest and bool(_INNER.search(run)),
                outer=run in longest and _is_body(run[:LEAST_BODY]),
                block=run in blocks,
                signed=run in signed,
            )
        self._known.update(runs)  # the last step: what was interrupted is looked at again


def _longest_bodies(runs: Iterable[str]) -> dict[str, int]:
    """Return how many letters and digits of ASCII stand side by side in runs that have enough for a key."""
    long = [run for run in runs if len(run) >= LEAST_BODY]
    lines = ascii_of("\n".join(long)).translate(_NO_BODY).split("\n")
    longest = {run: max(map(len, line.split()), default=0) for run, line in zip(long, lines, strict=False)}
    return {run: length for run, length in longest.items() if length >= LEAST_BODY}


def _is_body(text: str) -> bool:
    return text.isascii() and text.isalnum()


def _asked(word: str, needs: Needs) -> tuple[int, bool, str]:
    """Return what a text must have where a word is to be looked for: a long run, an at sign, a mark."""
    least = needs.longest if needs.longest >= LEAST_BODY else 0
    return least, needs.at_sign, next(filter(_RARE.__contains__, word), "")


def _looks_at(text: str, held: Mapping[str, _Held], words: frozenset[str], *, coloned: bool) -> Looks:
    if not held and not coloned:
        return Looks(words) if words else NOTHING
    names = {run: one.names for run, one in held.items() if one.names}
    bodies = _bodies(text, held, coloned=coloned)
    block = any(one.block for one in held.values())
    return Looks(words, names, bodies, block) if words or names or block or any(bodies) else NOTHING


def _bodies(text: str, held: Mapping[str, _Held], *, coloned: bool) -> Bodies:
    long = {run: one for run, one in held.items() if one.longest or one.signed}
    if not long and not coloned:
        return NO_BODIES
    return Bodies(
        long=any(_is_led(text, run, one) for run, one in long.items()),
        parted=any(one.longest >= LEAST_PARTED for one in long.values()),
        coloned=coloned,
        signed=any(one.signed for one in long.values()),
    )


def _is_led(text: str, run: str, held: _Held) -> bool:
    """Tell whether in a text a mark stands before enough letters and digits for a key."""
    return held.inner or (held.outer and (f".{run}" in text or f"-{run}" in text))


def _names_in(runs: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """Return the runs in which a name of a secret stands that can be harmful, and where."""
    plain = [run for run in runs if run.isascii()]
    text = "\n".join(plain)
    lower = text.lower()
    named = {
        line_at(text, at)[0] for begin in BEGINNINGS for at in places(lower, begin) if NAMES.match(lower, at)
    }
    named.update(run for run in runs if not run.isascii() and NAMES.search(folded(run)))
    return {run: found for run in named if (found := name_places(run))}
