"""Logs of builds, tests and programs: the lines of failures, with their tracebacks."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby

import attrs

from satchel.plugin_api import Rank, Told, Tone, TracebackFrame, find_frames, lazily, telling, tone_of
from satchel_plugins.providers.reports.failures import Failure, merge

_HEAD, _TAIL = 100_000, 400_000
"""Characters of a long log that are read, at its beginning and its end."""
_MOST = 60
_BODY_LINES = 24
_MORE_LINES = 6
_TOLD_TOKENS, _TOLD_CHARS = 3_000, 200_000
_LEAST_WORTH = 36.0
_HEADING = lazily(r"\s*[=_*#~-]{3,}")
_CHECKED = lazily(r"\S{1,300}\.\w{1,10}[:(]\d+[:,)]\d*\)?:? \S")
_WORD = lazily(r"(?<![\w<.])[A-Za-z]+(?!\w)")
_ABOVE, _BELOW = 8, 60
"""Lines around a failure that are searched for relevant ones."""
_PYTEST = lazily(r"[\w./\\+-]{1,200}\.py:\d+: ")
_STAMPS = lazily(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]{0,12}Z ", re.MULTILINE)
_ANSI = lazily(r"\x1b\[[0-9;?]{0,20}[A-Za-z]")
_WORDS = (
    *("rror", "RROR", "ail", "AIL", "xception", "atal", "ATAL", "anic", "ssert", "not ok", "EVERE", "ERR!"),
    *("RITICAL", "undefined ref", "✗", "✕", "✖", "×", "✘"),
)
"""Pieces, one of which is in every line of a failure; looking for these first is fifty times faster."""
_TELLS = lazily(
    r"(?:\A|[\s:(\[|>])(?:[\w-]{1,40} )?(?i:error|fatal error|fatal)(?:\[\w{1,20}\]| \w{1,20})?[\]:!]"
    r"|(?<![\w-])(?:ERROR|FATAL|CRITICAL|SEVERE|FAILED|FAILURE|FAIL|FAILURES|ERR!)(?![\w-])"
    r"|(?<![\w./])(?:[A-Za-z_][\w.]{0,80})?(?:Error|Exception|Failure)\b(?:: |:?\Z| \[)"
    r"|\A\s{0,8}(?:not ok \d|[✗✕✖×✘] |--- FAIL|panic: |fatal: |(?i:failed|failure|assertion failed)\b)"
    r"|(?i:\bfailed to [a-z]{3})|\bpanicked at\b|\bAssertion .{1,120} failed|\bundefined reference to\b"
)
_FINE = lazily(
    r"(?i:\b(?:0|no|zero|without|any) (?:\w{1,20} )?(?:errors?|failures?|failed|exceptions?)\b)"
    r"|(?i:\b(?:errors?|failures?|failed|fatal)\s{0,3}[:=]\s{0,3}(?:0|none|false|no|null)\b)"
    r"|\b(?:INFO|DEBUG|TRACE|NOTICE|PASSED|PASS|XFAIL|xfailed)\b|\b(?:info|debug):|\A\s{0,8}(?:ok|✓|✔|PASS)\b"
    r"|(?i:\bwarning:)|\bWARN(?:ING)?\b|\A[=\-_ ]{3,}(?:FAILURES|ERRORS|short test summary)"
    r"|\A(?:FAIL|FAILED)\s{0,3}\Z|(?i:\A\s*(?:make|gmake)(?:\[\d+\])?: \*\*\*)"
    r"|\A[=\-_ ]{4,}\d+ (?:failed|passed)"
    r"|\A(?:Tests?|Test Suites|Tests run|FAILED \(|Ran \d+)\b.{0,20}[\d=]"
)


def read_log(text: str) -> list[Failure]:
    """Return the failures in a log, the last ones first; the log of a successful run has none."""
    if len(text) > _HEAD + _TAIL:
        text = f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    if not any(word in text for word in _WORDS):
        frames = find_frames(text) if "Traceback" in text or "panic" in text else []
        return [] if not frames else _read(text, frames)
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if _STAMPS.match(text):
        text = _STAMPS.sub("", text)
    return _read(text, [frame for frame in find_frames(text) if not frame.text.endswith(("warning", "note"))])


def _read(text: str, frames: Sequence[TracebackFrame]) -> list[Failure]:
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    traced = list(_find_tracebacks(lines, starts, frames))
    inside = {number for first, last, _ in traced for number in range(first, last + 1)}
    matter = _matter(text)
    hits = {at for at, rank in matter.items() if _is_failure(lines[at][:1_000], rank)}
    hits = hits.difference(inside).union(_hits(lines, inside))
    told = [(at, *_read_failure(lines, at, inside | hits)) for at in sorted(hits)]
    found = sorted((*traced, *told), key=lambda one: one[0])
    more = {at for at, rank in matter.items() if rank not in (Rank.WARNING, Rank.NOISE)}
    found = list(_add_explanations(found, lines, {at for at in more if not _HEADING.match(lines[at])}))
    return merge([failure for _, _, failure in found][-3 * _MOST :])[-_MOST:][::-1]


def _matter(text: str) -> dict[int, Rank]:
    """Return the places and ranks of the lines at a log's end that squeezing would show."""
    start = text.find("\n", len(text) - _TOLD_CHARS) + 1 if len(text) > _TOLD_CHARS else 0
    before = text.count("\n", 0, start) - 1
    return {
        before + told.number: told.rank for told in _judge_lines(text[start:]) if told.worth >= _LEAST_WORTH
    }


@lru_cache(maxsize=8)
def _judge_lines(text: str) -> tuple[Told, ...]:
    """Judge a text once, however often it is packed while a process lives."""
    return tuple(telling(text, tokens=_TOLD_TOKENS))


def _is_failure(line: str, rank: Rank) -> bool:
    """Return whether a relevant line reports a failure.

    A separate word does, part of a name does not; a checker's message about a place does, too.
    """
    if _FINE.search(line):
        return False
    if rank is Rank.WARNING:
        return _CHECKED.match(line) is not None
    if rank not in (Rank.ERROR, Rank.FAILURE):
        return False
    return not line.isascii() or any(tone_of(word.lower()) is Tone.STRONG for word in _WORD.findall(line))


def _add_explanations(
    found: Sequence[tuple[int, int, Failure]], lines: Sequence[str], matter: set[int]
) -> Iterator[tuple[int, int, Failure]]:
    """Give each failure the relevant lines below it, up to the next failure, and those just above."""
    end = -1
    for at, (first, last, failure) in enumerate(found):
        until = found[at + 1][0] if at + 1 < len(found) else len(lines)
        above = [lines[near] for near in range(max(end + 1, first - _ABOVE), first) if near in matter]
        below = [near for near in range(last + 1, min(until, last + _BELOW)) if near in matter][:_BODY_LINES]
        end = max(last, *below, end)
        more = (*above, *failure.body, *(lines[near] for near in below))
        yield first, last, attrs.evolve(failure, body=tuple(line for line in more if line.strip()))


def _hits(lines: Sequence[str], inside: set[int]) -> Iterator[int]:
    """Yield the lines of failures that belong to no traceback."""
    for at, line in enumerate(lines):
        if at not in inside and any(word in line for word in _WORDS):
            start = line[:1_000]
            if _TELLS.search(start) and not _FINE.search(start):
                yield at


def _read_failure(lines: Sequence[str], at: int, inside: set[int]) -> tuple[int, Failure]:
    """Return the end and the failure of one line, with the indented or quoted lines below it."""
    last = at
    while last + 1 < len(lines) and last - at < _MORE_LINES and last + 1 not in inside:
        below = lines[last + 1]
        if not below.strip() or not below.startswith((" ", "\t", "|", ">", "E ", "+", "-->")):
            break
        last += 1
    message = re.sub(r"\AE {2,}", "", lines[at]).strip()
    return last, Failure(message, tuple(lines[at + 1 : last + 1]))


def _find_tracebacks(
    lines: Sequence[str], starts: Sequence[int], frames: Sequence[TracebackFrame]
) -> Iterator[tuple[int, int, Failure]]:
    """Yield the tracebacks, each with its first and last line and the failure that it shows."""
    for _, group in groupby(frames, key=lambda frame: frame.trace):
        trace = list(group)
        numbers = [bisect_right(starts, frame.start) - 1 for frame in trace]
        first, last = min(numbers), max(numbers)
        first, last, message = _bounds(lines, first, last, trace[0])
        body = lines[first : last + 1]
        if len(body) > _BODY_LINES:
            body = [*body[: _BODY_LINES // 2], "...", *body[-_BODY_LINES // 2 :]]
        told = tuple(line for line in body if line.strip() and not message.startswith(line.strip()))
        yield first, last, Failure(message, told)


def _bounds(lines: Sequence[str], first: int, last: int, innermost: TracebackFrame) -> tuple[int, int, str]:
    """Return the first and last line of the traceback of these frames, and its message."""
    if 'File "' in innermost.text:
        return _python(lines, first, last)
    if _PYTEST.match(innermost.text):
        told = [line[1:].strip() for line in lines[first:last] if line.startswith("E ")]
        return first, last, told[0] if told else lines[last].strip()
    begin, message = _find_heading(lines, first)
    while first == last and last - begin < _MORE_LINES and lines[last + 1 : last + 2]:
        below = lines[last + 1]
        if not below.strip() or not below.startswith((" ", "|")):
            break
        first = last = last + 1
    return begin, last, message


def _python(lines: Sequence[str], first: int, last: int) -> tuple[int, int, str]:
    """Return the lines of a Python traceback and its message, the first unindented line below."""
    indent = len(lines[first]) - len(lines[first].lstrip())
    until = last
    while until + 1 < len(lines) and until - last < _MORE_LINES:
        until += 1
        line = lines[until]
        if line.strip() and len(line) - len(line.lstrip()) < max(indent, 1):
            break
    if first and "Traceback" in lines[first - 1]:
        first -= 1
    return first, until, lines[until].strip()


def _find_heading(lines: Sequence[str], first: int) -> tuple[int, str]:
    """Return the first line of a failure and its message, which is on its first frame's line or above."""
    own = lines[first].strip()
    if _TELLS.search(own[:1_000]) or ": error" in own:
        if own.startswith("-->") and first:
            return first - 1, lines[first - 1].strip()
        following = lines[first + 1].strip() if first + 1 < len(lines) else ""
        return first, f"{own} {following}" if own.endswith(":") and "panicked" in own else own
    for above in range(first - 1, max(first - 6, -1), -1):
        if _TELLS.search(lines[above][:1_000]) or re.match(r"\S*(?:Error|Exception)\b|panic:", lines[above]):
            return above, lines[above].strip()
    return first, own
