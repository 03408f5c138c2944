"""Tell from the words of a text which formats of secrets it can hold, so that few are looked for.

Most words stand in many files: what each can hold is found out once for all texts that a sieve sees.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from itertools import accumulate, chain
from operator import attrgetter
from typing import NamedTuple

from satchel.patterns import lazily
from satchel.redaction.assignments import BEGINNINGS, NAMES, fold_case, name_places
from satchel.redaction.prefixed import LEAST_BODY, LEAST_PARTED, NO_BODIES, Bodies, may_be_coloned
from satchel.redaction.rules import LETTERS_DIGITS, Rule, literals
from satchel.redaction.screens import weaves

_PIECES = lazily(r"\\.|\[(?P<set>(?:\\.|[^\]\\])*)\](?:\{(?P<least>\d+))?|(?P<or>\|)|[()@]")
_ALNUM = lazily(r"(?:[a-z]-[a-z]|[A-Z]-[A-Z]|\d-\d|[A-Za-z0-9])+")
"""The inside of a set of ASCII letters and digits."""
_PLAIN = lazily(r"(?:[A-Za-z0-9_]|\[\w+(?:-\w+)*\](?!\{)|\(\?:[\w|]+\)\??)*")
"""The beginning of a pattern that matches word characters alone."""
_OPTIONAL = lazily(r"\(\?:[\w|]+\)\??")
_SET = lazily(r"\[\w+(?:-\w+)*\]")


class Needs(NamedTuple):
    """What a text must have; all of it is necessary, none of it enough."""

    follow: int = 0
    """Word characters in one run, from where the rule's word stands."""
    longest: int = 0
    """Letters and digits of ASCII side by side, anywhere."""
    at_sign: bool = False


def needs_of(rule: Rule) -> Needs:
    """Return what each match of a rule needs; a pattern that is not understood needs nothing."""
    longest, at_sign, depth, first = 0, False, 0, -1
    for piece in _PIECES.finditer(rule.pattern):
        if piece[0] in "()":
            depth += 1 if piece[0] == "(" else -1
        elif depth:
            continue
        elif piece["or"]:
            return Needs()
        elif piece["least"] and _ALNUM.fullmatch(piece["set"]):
            longest = max(longest, int(piece["least"]))
            first = piece.start() if first < 0 else first
        at_sign |= piece[0] == "@" and rule.pattern[piece.end() : piece.end() + 1] not in {"?", "*", "{"}
    return Needs(_follow(rule, first), longest, at_sign)


def _follow(rule: Rule, at: int) -> int:
    """Return how long a run must be that a match begins with; `at` is where the first counted set stands."""
    beginning = rule.pattern[: max(at, 0)]
    if at < 0 or rule.back or not _PLAIN.fullmatch(beginning):
        return 0
    counted = re.match(r"\[[^\]]*\]\{(\d+)", rule.pattern[at:])
    fixed = _SET.sub("x", _OPTIONAL.sub("", beginning))
    return len(fixed) + int(counted[1] if counted else 0)


def fewest(needs: list[Needs]) -> Needs:
    """Return what at least one of these needs."""
    return Needs(
        min(need.follow for need in needs),
        min(need.longest for need in needs),
        all(need.at_sign for need in needs),
    )


_HEX = "0123456789ABCDEFabcdef"
_RUN = lazily(r"\w+")
_ESCAPES = {1: frozenset("nrt"), 2: frozenset(first + second for first in _HEX for second in _HEX)}
"""A word may begin so late within a run: after the letter of `\\n` or the digits of `%0A`."""
_COLOUR = 6
"""Characters of a run that a terminal's colour has at most before a word, its `m` included."""
_WORDY = f"{LETTERS_DIGITS}_"
_PEEK, _LATE_PEEK = 4, 3
"""Characters of a run that are looked up to see whether a piece can begin with them."""


class PatternPiece(NamedTuple):
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

    def __init__(self, pieces: Mapping[str, PatternPiece | None]) -> None:
        self.odd = frozenset(word for word, piece in pieces.items() if piece is None)
        """Words that any text may have."""
        self._exact: dict[str, set[str]] = {}
        self._pieces: dict[str, list[tuple[PatternPiece, str]]] = {}
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
        """Yield the runs and where in them a piece's text stands, if what is not ASCII were underscores.

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


def piece_of(word: str, rules: Sequence[Rule], needs: Needs) -> PatternPiece | None:
    """Return the longest run of a rule's word; None where any text may have it: one open character."""
    found = max(_RUN.finditer(word), key=lambda run: len(run[0]), default=None)
    if found is None:
        return None
    first, last = found.start() > 0, found.end() < len(word)
    if len(found[0]) < 2 and not (first and last):
        return None
    early = not first and word[0].isalnum() and not any(rule.back for rule in rules)
    return PatternPiece(found[0], first, early, last, 0 if first else needs.follow)


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


def _begin(held: Sequence[tuple[PatternPiece, str]]) -> bool:
    """Tell whether all of the pieces stand where a run or a key begins."""
    return all(piece.first or piece.early for piece, _ in held)


def _ends(held: Sequence[tuple[PatternPiece, str]]) -> bool:
    """Tell whether all of the pieces stand where a run ends."""
    return all(piece.last for piece, _ in held)


def _may_be_late(held: Sequence[tuple[PatternPiece, str]]) -> bool:
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


def _stands(piece: PatternPiece, run: str, at: int) -> bool:
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
        self._asks = {word: _describe_needs(word, needs[word]) for word in words}
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

    def runs_that_hold(self, runs: Collection[str]) -> Collection[str]:
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


def _describe_needs(word: str, needs: Needs) -> tuple[int, bool, str]:
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
    named.update(run for run in runs if not run.isascii() and NAMES.search(fold_case(run)))
    return {run: found for run in named if (found := name_places(run))}
