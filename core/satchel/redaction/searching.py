"""Find all secrets of a text: rules where their words stand, blocks, names; then join what overlaps."""

from __future__ import annotations

import bisect
import functools
import re
import string
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from satchel.patterns import lazily
from satchel.redaction.assignments import assignment_spans
from satchel.redaction.blocks import block_spans
from satchel.redaction.formats import RULES
from satchel.redaction.prefilter import needs_of
from satchel.redaction.prefixed import ALL_BODIES, find_prefixed
from satchel.redaction.rules import Rule, Span, by_word, compile_once, literals
from satchel.redaction.screens import Seen, readings
from satchel.redaction.values import MARK, is_filler, surprise

if TYPE_CHECKING:
    from satchel.redaction.prefilter import Looks, Sieve

Scanner = Callable[[str, str], Iterable[tuple[int, int, str]]]
"""Takes a text and its path; returns start, end (not included) and kind of each secret it finds."""

_FEW = 100
"""Words up to which each is looked for by itself; beyond, all at once."""
_PLAIN_CHARACTERS = 40_000
_PLAIN_COST = 300
"""Characters that a text costs beside its own: every word is looked for in it."""
_ESCAPE = lazily(r"\\[nrt]|%[0-9A-Fa-f]{2}|[\[;]\d{1,3}m")
"""What may stand just before a key though it ends in letters: a line end in a string, a terminal's colour."""
_ESCAPED = 8
_SHORT, _KEPT = 100, 4096
"""Characters of what is judged once for all places, and how many verdicts are kept."""
_LEAD = lazily(r"(?:\\[nrt]|%[0-9A-Fa-f]{2})\Z")
_WORDY = lazily(r"[\w-]*+")
_RUN_FIRST = lazily(r"(\w+)\[\\w-\]\{\d+,(\d+)\}\+\\\.")
"""The beginning of a pattern that matches a word, then the rest of its run, then a dot."""
_FARTHEST_SIGN = 40_000
"""Characters from a rule's word within which all of its match lies, where that has an at sign."""
_BLOB = lazily(r"[A-Za-z0-9+/]{24}")


def find(text: str, path: str, scanners: Sequence[Scanner], looks: Looks | None = None) -> list[Span]:
    """Return the spans of all secrets, in order, joined where they overlap, none across lines.

    `looks` narrows what has to be looked for, as a `Sieve` tells it of this very text.
    """
    if looks is not None and not scanners and _is_clean(looks):
        return []
    found = _found(text, path, scanners, looks)
    read: list[Span] = []
    for seen in readings(text):
        marks = _marks(text)
        read += [_map_back(span, seen, marks) for span in _joined(_found(seen.text, path, scanners, None))]
    # First what is read: of two alike, its mark is that of the secret wherever it stands.
    return _joined([*read, *found])


def _found(text: str, path: str, scanners: Sequence[Scanner], looks: Looks | None) -> list[Span]:
    """Return the spans of the secrets that show in a text as it is, one for each line."""
    may_block = looks is None or looks.block
    marks = _marks(text) if may_block else []
    found = [*_rule_spans(text, looks), *(block_spans(text) if may_block else ())]
    found += find_prefixed(text, ALL_BODIES if looks is None else looks.bodies)
    found += _named_spans(text, looks)
    for scanner in scanners:
        found += _foreign(scanner(text, path), len(text))
    whole = [line for span in found for line in _by_line(text, span)]
    return [span for span in whole if not _touches(marks, span)]


def _map_back(span: Span, seen: Seen, marks: Sequence[tuple[int, int]]) -> Span:
    """Return where a secret of a reading stands in the text itself, with what is hidden in it.

    A mark that it reaches into goes with it; its own mark is made from what is read.
    """
    start, end = seen.origin(span.start, span.end)
    first, last = (bisect.bisect_right(marks, (place, sys.maxsize)) - 1 for place in (start, end - 1))
    if first >= 0 and marks[first][1] > start:
        start = marks[first][0]
    if last >= 0 and marks[last][1] > end:
        end = marks[last][1]
    return span._replace(start=start, end=end, seed=span.seed or seen.text[span.start : span.end])


def _is_clean(looks: Looks) -> bool:
    from satchel.redaction.prefilter import NOTHING  # whoever has looks has loaded it

    return looks == NOTHING


def _marks(text: str) -> list[tuple[int, int]]:
    return [found.span() for found in MARK.finditer(text)] if "[redacted:" in text else []


def _named_spans(text: str, looks: Looks | None) -> Iterable[Span]:
    names = looks.names if looks and looks.names is not None and len(looks.names) <= _FEW else None
    return assignment_spans(text, names) if names is None or names else ()


@functools.cache
def _rules() -> Mapping[str, tuple[Rule, ...]]:
    return by_word(RULES)


class _Words:
    """Finds the words of all rules: one by one in the first few texts, then with one expression for all.

    Compiling it takes as long as looking through a hundred short texts.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._words = sorted(words, key=len)
        self._left = _PLAIN_CHARACTERS

    @functools.cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(literals(self._words))

    def hits(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield where a word stands, the longest that stands there."""
        self._left -= len(text) + _PLAIN_COST
        if self._left > 0:
            yield from sorted(_longest(text, self._words).items())
            return
        at = -1
        # One step on from each hit, not past its word: words overlap ("fc-" and "-us").
        while hit := self._pattern.search(text, at + 1):
            at = hit.start()
            yield at, hit[0]


@functools.cache
def _any_word() -> _Words:
    return _Words(_rules())


def sieve() -> Sieve:
    """Return a sieve for the words of all rules."""
    return _sieve().fresh()


@functools.cache
def _sieve() -> Sieve:
    from satchel.redaction.prefilter import Sieve

    return Sieve(_rules())


def _hits(text: str, looks: Looks | None) -> Iterator[tuple[int, str]]:
    """Yield where a rule's word stands, the longest that stands there."""
    if looks is not None and len(looks.words) <= _FEW:
        yield from sorted(_longest(text, looks.words).items())
        return
    yield from _any_word().hits(text)


def _longest(text: str, words: Iterable[str]) -> dict[int, str]:
    hits: dict[int, str] = {}
    for word in sorted(words, key=len):
        at = text.find(word)
        while at >= 0:
            hits[at] = word
            at = text.find(word, at + 1)
    return hits


def _rule_spans(text: str, looks: Looks | None) -> Iterator[Span]:
    runs = _Runs(text)
    failed: dict[str, int] = {}
    held: dict[str, Span] = {}
    done = 0
    for at, word, rules in _tried(text, looks):
        if not rules:
            continue
        # Behind a secret will stand its mark: a key begins there, in this pass as in the next one.
        inside = _is_inside_word(text, at, word, done)
        for rule in rules:
            if (inside and not rule.back) or at < failed.get(rule.name, 0) or runs.is_vain(rule, at):
                continue
            match = _match(rule, text, at)
            if not match:
                runs.note_vain(rule, at)
                continue
            # What begins inside a secret or a near miss is judged with it: a run of them is judged once.
            start, end = match.span(1 if match.re.groups else 0)
            if widened := _widened(held.get(rule.name), at, start, end):
                held[rule.name] = widened
            elif not _holds(rule, text, match, done):
                failed[rule.name] = match.end()
                continue
            else:
                if rule.name in held:
                    yield held[rule.name]
                held[rule.name] = Span(start, end, rule.kind, rule.name)
            done = max(done, end)
    yield from held.values()


def _tried(text: str, looks: Looks | None) -> Iterator[tuple[int, str, tuple[Rule, ...]]]:
    """Yield where a rule's word stands, with the rules to try there."""
    rules, sign = _rules(), text.find("@")
    for at, word in _hits(text, looks):
        if at > sign >= 0:
            sign = text.find("@", at)
        yield at, word, rules[word] if 0 <= sign < at + _FARTHEST_SIGN else _signless(word)


@functools.cache
def _signless(word: str) -> tuple[Rule, ...]:
    """Return the rules of a word that can match where no at sign is near: most texts have few."""
    return tuple(rule for rule in _rules()[word] if not needs_of(rule).at_sign)


def _is_inside_word(text: str, at: int, word: str, done: int) -> bool:
    if at == done or not word[0].isalnum():
        return False
    return (at > 2 and text[at - 1] in _NO_ESCAPE and text[at - 3] != "%") or not _starts(text, at)


def _widened(last: Span | None, at: int, start: int, end: int) -> Span | None:
    """Return the last secret with one that begins inside it, None where it does not."""
    if last is None or at >= last.end or start > last.end:
        return None
    return last._replace(end=max(last.end, end))


_NO_ESCAPE = frozenset(string.ascii_letters + string.digits) - frozenset("nrtm")
"""What a word goes on behind; the letters left out may end an escape or a colour."""


class _Runs:
    """Knows where rules fail that begin with a run, up to its end and the dot behind it.

    All words of such a rule in one run meet the same end: what fails behind it fails for all of them,
    and trying each would cost the square of the run.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._end = 0
        self._vain: dict[str, int] = {}

    def is_vain(self, rule: Rule, at: int) -> bool:
        """Tell whether a rule is known to fail where its word stands."""
        most = _longest_run(rule.pattern)
        if not most:
            return False
        if at >= self._end:
            run = _WORDY.match(self._text, at)
            self._end = run.end() if run else at
        return at < self._vain.get(rule.name, 0) or self._end - at > most

    def note_vain(self, rule: Rule, at: int) -> None:
        """Take note that a rule fails where its word stands."""
        if at < self._end and _longest_run(rule.pattern):
            self._vain[rule.name] = self._end


@functools.cache
def _longest_run(pattern: str) -> int:
    """Return how long the run is at most that a match begins with, before a dot; 0 where there is none."""
    begins = _RUN_FIRST.match(pattern)
    return len(begins[1]) + int(begins[2]) if begins else 0


def _match(rule: Rule, text: str, at: int) -> re.Match[str] | None:
    pattern = compile_once(rule.pattern)
    if not rule.back:
        return pattern.match(text, at)
    before = text[max(0, at - rule.back - _ESCAPED) : at]
    run = len(before) - len(before.rstrip(rule.lead))
    whole = pattern.match(text, at - run) if 0 < run <= rule.back else None
    escape = None if whole else _ESCAPE.match(before, max(0, len(before) - run - 1))
    return pattern.match(text, at - len(before) + escape.end()) if escape else whole


def _starts(text: str, at: int) -> bool:
    """Return whether a word starts here: after what no key holds, an escape or a terminal's colour."""
    before = text[at - 1] if at else ""
    if not (before.isascii() and before.isalnum()):
        return True
    if before in "nrtm" or text[max(0, at - 3)] == "%":
        return _LEAD.search(text, max(0, at - 3), at) is not None or (
            before == "m" and "\x1b[" in text[max(0, at - _ESCAPED) : at]
        )
    return False


def _holds(rule: Rule, text: str, match: re.Match[str], done: int) -> bool:
    """Return whether a match is a secret; secrets were found up to `done`."""
    secret = match[match.re.groups and 1]
    holds = (_is_short if len(secret) <= _SHORT else _is_secret)(rule, secret)
    return holds and not _in_blob(text, *match.span(), done)


def _is_secret(rule: Rule, secret: str) -> bool:
    return rule.check(secret) if rule.check else not is_filler(secret)


@functools.lru_cache(maxsize=_KEPT)
def _is_short(rule: Rule, secret: str) -> bool:
    """Judge a short one: the same stands in many places."""
    return _is_secret(rule, secret)


def _in_blob(text: str, start: int, end: int, done: int) -> bool:
    """Return whether base64 goes on at either side: what looks like a key there is a chance hit.

    A secret just before, which ends at `done`, is not base64 that goes on.
    """
    sides = (text[max(0, start - 24, min(done, start)) : start], text[end : end + 24])
    return any(map(_is_blob, sides))


@functools.lru_cache(maxsize=_KEPT)
def _is_blob(side: str) -> bool:
    return _BLOB.fullmatch(side) is not None and surprise(side) > 0


def _foreign(found: Iterable[tuple[int, int, str]], size: int) -> Iterator[Span]:
    for start, end, kind in found:
        name = re.sub(r"[^a-z0-9]+", "-", kind.lower()).strip("-")[:40] or "secret"
        if 0 <= start < end <= size:
            yield Span(start, end, name, "scanner")


def _by_line(text: str, span: Span) -> Iterator[Span]:
    """Yield one span for each line of a span, so that replacing it keeps every line end."""
    if text.find("\n", span.start, span.end) < 0:
        yield span
        return
    at, seed = span.start, span.seed or text[span.start : span.end]
    for line in text[span.start : span.end].split("\n"):
        body = line.rstrip("\r")
        if body.strip():
            yield span._replace(start=at, end=at + len(body), seed=seed, counted=at == span.start)
        at += len(line) + 1


def _touches(marks: Sequence[tuple[int, int]], span: Span) -> bool:
    nearest = bisect.bisect_left(marks, (span.end, 0)) - 1
    return nearest >= 0 and marks[nearest][1] > span.start


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Join spans that overlap; what a rule says counts before what a name says."""
    joined: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        last = joined[-1] if joined else None
        if last is None or span.start >= last.end:
            joined.append(span)
            continue
        better = span if last.rule == "assignment" and span.rule != "assignment" else last
        end = max(last.end, span.end)
        joined[-1] = better._replace(start=last.start, end=end, counted=last.counted or span.counted)
    return joined
