"""Find all secrets of a text: rules at their words, blocks, names; then join overlapping ones."""

from __future__ import annotations

import bisect
import functools
import re
import string
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from satchel.patterns import lazily
from satchel.redaction.assignments import Columns, assignment_spans
from satchel.redaction.blocks import block_spans
from satchel.redaction.ranges import REACH, SearchRange, find_ranges
from satchel.redaction.rules import (
    Allowance,
    RedactionRule,
    RuleSet,
    Span,
    characters_of,
    compile_once,
    shipped_rules,
)
from satchel.redaction.screens import Seen, readings
from satchel.redaction.values import CHECKS, MARK, is_filler, is_hex_key, kinds_of, shannon, surprise

_BODY = lazily(r"[_.-]([A-Za-z0-9]{20,400}+)(?:[_.-][A-Za-z0-9]{4,400}+){0,3}+")
"""It begins where a prefix ends."""
_BEGINS_BODY = b"-" + b"a" * 20
"""Its beginning in `_SHAPES`: this is found in a fifth of the time."""
_SHAPES = bytes(
    ord("a") if chr(byte) in string.ascii_letters + string.digits else ord("-") if chr(byte) in "_.-" else 0
    for byte in range(256)
)
_PREFIX = lazily(
    r"(?:^[+-]?|\n[+-]|[^\w.$%@/\\+-]|\\[nrt]|[=:/]|\x1b\[[\d;]{1,8}m)([A-Za-z][A-Za-z0-9]{1,11}(?:[_-][A-Za-z0-9]{1,10}){0,3})$"
)
_LONGEST_WORD = 26
"""Longest prefix; ngrok's has its number there, which is drawn too."""
_DRAWN = lazily(r"/(?=\w*\d)(?=\w*[a-z])(?=\w*[A-Z])")
"""A path or continued base64: not a prefix."""
_BARE = lazily(
    r"(?:^[+-]?|\n[+-]|[^\w.$%@/\\+-]|\\[nrt]|[=:/]|%[0-9A-F]{2}|\x1b\[[\d;]{1,8}m)(2[A-Za-z0-9]{26}|s)$"
)
_MAILGUN = lazily(r"-(?=[0-9a-f]{8}-[0-9a-f]{8}(?![0-9A-Za-z-]))(?<=[0-9a-f]{32}-)[0-9a-f]{8}-[0-9a-f]{8}")
_ABLY = lazily(r":(?=[A-Za-z0-9_-]{43}(?![\w-]))(?<=[\w-]{6}\.[\w-]{6}:)[A-Za-z0-9_-]{43}")
_BEGINS = lazily(r"(?:^[+-]?|\n[+-]|[^\w.-]|\\[nrt]|%[0-9A-F]{2}|\x1b\[[\d;]{1,8}m)$")
_REACH = 48
_AFTER = lazily(r"(?:[.!?,:;]?(?:[\s\"'`)\]}>|,;&<\\]|$)|\x1b|@)")
_SAYS = lazily(
    r"(?:^|[_-])(?:[a-z]{0,4}(?:key|pat|tok|token|secret|sec|api|apikey|priv|auth|oauth|live|prod|sk|rk|pk|sdk|svc|sa|ak|at|rt))(?:$|[_-])",
    re.IGNORECASE,
)
_HARMLESS = lazily(
    r"(?:^|[_-])(?:sha\d*|md5|blake\w*|crc\w*|hash|digest|sum|integrity|nonce|pub|public|publishable|pk|phc|cs|"
    r"id|uid|uuid|guid|ids?|img|image|video|file|chunk|cache|layer|blob|tree|commit|rev|etag|tx|addr|address|"
    r"test\w*|mock|example|fake|dummy|sample|cid|ref|price|cus|evt|pi|req|resp|msg|call|toolu|chatcmpl|run|thread|asst|"
    r"webpack|bundle|module|css|font|data|base64|snap\w*|gradle|go|rustc|lib\w*|build|cert|csrf|xsrf|state|session|trace|span)(?:$|[_-])",
    re.IGNORECASE,
)
_HASHED = lazily(r"https?://[^\s\"'<>`#]{1,300}#\Z|(?i:\bcach(?:e|ed|ing)\b)[^\n]{0,60}\Z")
"""Text before a hash that is not a key: the page of a link's anchor (a file in a commit), a cache."""
_LINES = lazily(r"(?:[LR]\d{1,6}(?:-[LR]\d{1,6})?)\Z")
"""The lines of a file in a commit, after the hash of its path."""
_LEAD_OF_HASH = 320
_VAULT = 24
_UNSURE, _SURE = 30, 20
_HEX_UNSAID, _HEX_SAID = 48, 32
_CERTAIN, _LIKELY = 14.0, 9.0
"""Nats by which the body must be likelier random than written (`entropy.surprise`)."""
_SIGNED = lazily(r"eyJ(?<![\w+/-]eyJ)[\w-]{16,8192}+\.[\w-]{6,8192}+(?:\.[\w-]{20,1024}+)?")
"""The signed form of itsdangerous, Tinybird and others: JSON in base64, a dot, a signature; no JWT header."""


def find_prefixed(text: str) -> Iterator[Span]:
    """Yield keys with a prefix of no known maker, and signed JSON."""
    done = 0
    for body in _find_bodies(text):
        if body.start() < done or not _AFTER.match(text, body.end()):
            continue
        lead = text[max(0, body.start() - _REACH) : body.start()]
        before = _PREFIX.search(lead) or _BARE.search(lead)
        if before is None or _DRAWN.match(before[0]) or not _is_key(before[1], body[0][1:], body[1]):
            continue
        start = body.start() - len(before[1])
        if not _is_named_hash(text, start, before[1], body[0][1:]):
            done = body.end()
            yield Span(start, done, "api-key", "prefixed-key")
    yield from _find_parted(text)
    if "eyJ" in text:
        yield from _find_signed(text)


def _find_bodies(text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of `_BODY`."""
    shapes = text.encode("latin-1", "replace").translate(_SHAPES)
    at = shapes.find(_BEGINS_BODY)
    while at >= 0 and (body := _BODY.match(text, at)):
        yield body
        at = shapes.find(_BEGINS_BODY, body.end())


def _find_parted(text: str) -> Iterator[Span]:
    """Yield keys without any word in them, recognised by the lengths of their parts."""
    for hit in _MAILGUN.finditer(text):
        start = hit.start() - 32
        if is_hex_key(text[start : hit.start()]) and _BEGINS.search(text[max(0, start - 8) : start]):
            yield Span(start, hit.end(), "mailgun-key", "parted-key")
    for hit in _ABLY.finditer(text):
        start, drawn = hit.start() - 13, hit[0][1:]
        if (
            surprise(drawn) > _CERTAIN
            and kinds_of(drawn) > 2
            and _BEGINS.search(text[max(0, start - 8) : start])
        ):
            yield Span(start, hit.end(), "api-key", "parted-key")


def _is_named_hash(text: str, start: int, prefix: str, whole: str) -> bool:
    """Return whether the text before hexadecimal digits shows that they are a hash: an anchor, a cache."""
    if _SAYS.search(prefix) or not is_hex_key(_LINES.sub("", whole)):
        return False
    return _HASHED.search(text[max(0, start - _LEAD_OF_HASH) : start]) is not None


def _is_key(prefix: str, whole: str, body: str) -> bool:
    if _HARMLESS.search(prefix) or is_filler(whole):
        return False
    if prefix == "s":  # HashiCorp Vault before 1.10
        return len(whole) == _VAULT and kinds_of(whole) > 2 and surprise(whole) > _LIKELY
    if len(prefix) > _LONGEST_WORD:
        return _is_drawn(prefix + body, says=True)
    return _is_drawn(body, says=bool(_SAYS.search(prefix)))


def _is_drawn(body: str, *, says: bool) -> bool:
    """Return whether only chance writes this; `says` if the prefix says that it is a key."""
    if is_hex_key(body):
        return len(body) >= (_HEX_SAID if says else _HEX_UNSAID)
    if kinds_of(body) < 3 and not (says and len(body) >= 32 and kinds_of(body) == 2):
        return False
    return len(body) >= (_SURE if says else _UNSURE) and surprise(body) > _CERTAIN


def _find_signed(text: str) -> Iterator[Span]:
    for found in _SIGNED.finditer(text):
        head, _, rest = found[0].partition(".")
        if _is_json(head) and not is_filler(found[0]) and surprise(rest) > _CERTAIN / 2:
            yield Span(found.start(), found.end(), "signed-token", "signed-json")


def _is_json(encoded: str) -> bool:
    import base64

    body = encoded[:64].replace("-", "+").replace("_", "/")
    try:
        plain = base64.b64decode(body[: len(body) // 4 * 4])
    except ValueError:  # base64 has ASCII letters alone
        return False
    return plain.startswith(b'{"') and b":" in plain and all(32 <= byte < 127 for byte in plain)


Scanner = Callable[[str, str], Iterable[tuple[int, int, str]]]
"""Takes a text and its path; returns start, end (not included) and kind of each secret."""

_ESCAPE = lazily(r"\\[nrt]|%[0-9A-Fa-f]{2}|[\[;]\d{1,3}m")
"""Letters that may precede a key: a line end in a string, a terminal's colour."""
_ESCAPED = 8
_LEAD = lazily(r"(?:\\[nrt]|%[0-9A-Fa-f]{2})\Z")
_WORDY = lazily(r"[\w-]*+")
_RUN_FIRST = lazily(r"(\w+)\[\\w-\]\{\d+,(\d+)\}\+\\\.")
"""The beginning of a pattern that matches a word, then the rest of its run, then a dot."""
_STANDS_ALONE = lazily(r"\(\?(?:[aiLmsux]+\)|P|\()|\\[1-9]")
"""An expression with flags, or with references to its groups: it can't be one of several."""
_BLOB = lazily(r"[A-Za-z0-9+/]{24}")


class SearchResult(NamedTuple):
    """The result of one search of a text."""

    spans: list[Span]
    """In order, overlapping ones joined, each within one line."""
    is_near: bool
    """Whether no table is so long that a change in one place affects text far from it."""


def find(text: str, path: str, scanners: Sequence[Scanner] = (), more: RuleSet | None = None) -> list[Span]:
    """Return the spans of all secrets, in order, overlapping ones joined, each within one line.

    `more` are rules beside those that ship with satchel.
    """
    return find_near(text, path, scanners, more, None).spans


def find_near(
    text: str,
    path: str,
    scanners: Sequence[Scanner],
    more: RuleSet | None,
    places: Sequence[int] | None,
    needed: range | None = None,
) -> SearchResult:
    """Return those secrets of `find` that text at some places can affect.

    Blocks, scanners and `more` rules, which may read without bound, still find all; so does everything
    else if `places` is None, in the `needed` part of the text.
    """
    found = _found(text, path, scanners, more, places, needed)
    is_near = found.is_near
    read: list[Span] = []
    for nth, seen in enumerate(readings(text)):
        marks = _marks(text)
        # A reading differs from the text at omissions, and from the last search at marks.
        again = [] if places is None else [start for start, _ in _marks(seen.text)]
        is_known = seen.is_local and is_near and (nth > 0 or places is not None)
        near = sorted([*(seen.joints_but_colours() if is_known else seen.joints()), *again])
        part = seen.find_part(needed) if needed and seen.is_local else None
        here = _found(seen.text, path, scanners, more, near if found.is_near else None, part)
        is_near = is_near and here.is_near
        read += [_map_back(span, seen, marks) for span in _join_spans(here.spans)]
    # Readings first: of two equal secrets, theirs sets the mark everywhere.
    return SearchResult(_join_spans([*read, *found.spans]), is_near)


def _found(
    text: str,
    path: str,
    scanners: Sequence[Scanner],
    more: RuleSet | None,
    places: Sequence[int] | None,
    needed: range | None = None,
) -> SearchResult:
    """Return the spans of the secrets in a text as it is, one for each line."""
    marks = _marks(text)
    part = needed or range(len(text))
    bounded = _find_needed(text, part) if places is None else _find_bounded(text, places, part)
    found = [*bounded.first, *block_spans(text), *bounded.rest]
    if more is not None:
        found += rule_spans(text, more, path)
    for scanner in scanners:
        found += _foreign(scanner(text, path), len(text))
    whole = [line for span in found for line in _by_line(text, span)]
    return SearchResult([span for span in whole if not _touches(marks, span)], bounded.is_near)


class _Bounded(NamedTuple):
    """Secrets from rules that read a bounded part of a text, and from tables."""

    first: list[Span]
    """Secrets of the shipped rules, which count before blocks."""
    rest: list[Span]
    is_near: bool


def _find_needed(text: str, needed: range) -> _Bounded:
    """Search the needed part of a text; a table may begin anywhere before."""
    part = SearchRange(
        max(0, needed.start - 2 * REACH),
        min(len(text), needed.stop + 2 * REACH),
        needed.start - REACH,
        needed.stop + REACH,
    )
    whole, near = text[: part.end], text[part.start : part.end]
    columns = Columns(whole)
    first = list(part.keep(rule_spans(near, shipped_rules())))
    rest = [*part.keep(find_prefixed(near)), *assignment_spans(whole, columns)]
    return _Bounded(first, rest, columns.longest <= REACH)


def _find_bounded(text: str, places: Sequence[int], needed: range) -> _Bounded:
    """Search a text near some places, or all its needed part if a table near one of them is long."""
    found = _Bounded([], [], is_near=True)
    for part in find_ranges(places, len(text)):
        stop = max(0, min(needed.stop, part.end) - part.start)
        start = min(max(0, needed.start - part.start), stop)
        here = _find_needed(text[part.start : part.end], range(start, stop))
        if not here.is_near:
            return _find_needed(text, needed)
        found.first.extend(part.keep(here.first))
        found.rest.extend(part.keep(here.rest))
    return found


def _map_back(span: Span, seen: Seen, marks: Sequence[tuple[int, int]]) -> Span:
    """Return the original span of a secret of a reading, with the hidden characters in it.

    A mark that it overlaps is included; its own mark is made from the reading.
    """
    start, end = seen.origin(span.start, span.end)
    first, last = (bisect.bisect_right(marks, (place, sys.maxsize)) - 1 for place in (start, end - 1))
    if first >= 0 and marks[first][1] > start:
        start = marks[first][0]
    if last >= 0 and marks[last][1] > end:
        end = marks[last][1]
    return span._replace(start=start, end=end, seed=span.seed or seen.text[span.start : span.end])


def _marks(text: str) -> list[tuple[int, int]]:
    return [found.span() for found in MARK.finditer(text)] if "[redacted:" in text else []


def rule_spans(text: str, rules: RuleSet, path: str = "") -> Iterator[Span]:
    """Yield the secrets that rules find."""
    yield from _anchored_spans(text, rules, path)
    yield from _loose_spans(text, rules, path)


def _anchored_spans(text: str, rules: RuleSet, path: str) -> Iterator[Span]:
    runs = _Runs(text)
    failed: dict[str, int] = {}
    held: dict[str, Span] = {}
    done = 0
    for at, word in rules.keywords.places(text, _screens(rules)):
        # A mark will replace a secret: a key begins after it, in this pass as in the next one.
        inside = _is_inside_word(text, at, word, done)
        for rule in rules.anchored[word]:
            if (inside and not rule.lead) or at < failed.get(rule.id, 0) or runs.is_vain(rule, at):
                continue
            match = _match(rule, text, at)
            if not match:
                runs.note_vain(rule, at)
                continue
            # A match inside a secret or a near miss is judged with it: a run of them is judged once.
            start, end = match.span(_group(rule, match))
            if widened := _widen_span(held.get(rule.id), at, start, end):
                held[rule.id] = widened
            elif not _holds(rule, match, path) or _in_blob(text, *match.span(), done):
                failed[rule.id] = match.end()
                continue
            else:
                if rule.id in held:
                    yield held[rule.id]
                held[rule.id] = Span(start, end, rule.kind or rule.id, rule.id)
            done = max(done, end)
    yield from held.values()


@functools.lru_cache(maxsize=8)
def _screens(rules: RuleSet) -> Mapping[str, re.Pattern[str]]:
    """Return an expression for the rules of each word, except words before which a match can begin.

    If it does not match, the word has no meaning: `test_` begins keys, and names of tests.
    """
    return {
        word: lazily("|".join(f"(?:{rule.regex})" for rule in own))
        for word, own in rules.anchored.items()
        if not any(rule.lead or _longest_run(rule.regex) or _STANDS_ALONE.search(rule.regex) for rule in own)
    }


def _is_inside_word(text: str, at: int, word: str, done: int) -> bool:
    if at == done or not word[0].isalnum():
        return False
    return (at > 2 and text[at - 1] in _NO_ESCAPE and text[at - 3] != "%") or not _starts(text, at)


def _widen_span(last: Span | None, at: int, start: int, end: int) -> Span | None:
    """Return the last secret with one that begins inside it, None if it does not."""
    if last is None or at >= last.end or start > last.end:
        return None
    return last._replace(end=max(last.end, end))


_NO_ESCAPE = frozenset(string.ascii_letters + string.digits) - frozenset("nrtm")
"""Characters after which a word does not begin; the letters left out may end an escape or a colour."""


class _Runs:
    """The places where rules fail that begin with a run, up to its end and the dot after it.

    All words of such a rule in one run meet the same end: a failure after it holds for all of them, and
    trying each would cost the square of the run.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._end = 0
        self._vain: dict[str, int] = {}

    def is_vain(self, rule: RedactionRule, at: int) -> bool:
        """Return whether a rule is known to fail at its word."""
        most = _longest_run(rule.regex)
        if not most:
            return False
        if at >= self._end:
            run = _WORDY.match(self._text, at)
            self._end = run.end() if run else at
        return at < self._vain.get(rule.id, 0) or self._end - at > most

    def note_vain(self, rule: RedactionRule, at: int) -> None:
        """Record that a rule fails at its word."""
        if at < self._end and _longest_run(rule.regex):
            self._vain[rule.id] = self._end


@functools.cache
def _longest_run(pattern: str) -> int:
    """Return the most characters of a run that begins a match, before a dot; 0 if there is none."""
    begins = _RUN_FIRST.match(pattern)
    return len(begins[1]) + int(begins[2]) if begins else 0


def _match(rule: RedactionRule, text: str, at: int) -> re.Match[str] | None:
    pattern = compile_once(rule.regex)
    if not rule.lead:
        return pattern.match(text, at)
    before = text[max(0, at - rule.lead - _ESCAPED) : at]
    run = len(before) - len(before.rstrip(characters_of(rule.lead_characters)))
    whole = pattern.match(text, at - run) if 0 < run <= rule.lead else None
    escape = None if whole else _ESCAPE.match(before, max(0, len(before) - run - 1))
    return pattern.match(text, at - len(before) + escape.end()) if escape else whole


def _starts(text: str, at: int) -> bool:
    """Return whether a word begins here: after a character no key has, an escape or a terminal's colour."""
    before = text[at - 1] if at else ""
    if not (before.isascii() and before.isalnum()):
        return True
    if before in "nrtm" or text[max(0, at - 3)] == "%":
        return _LEAD.search(text, max(0, at - 3), at) is not None or (
            before == "m" and "\x1b[" in text[max(0, at - _ESCAPED) : at]
        )
    return False


def _loose_spans(text: str, rules: RuleSet, path: str) -> Iterator[Span]:
    """Yield the matches of rules that may match anywhere."""
    lower = text.lower() if rules.loose else ""
    for rule in rules.loose:
        if rule.keywords and not any(word.lower() in lower for word in rule.keywords):
            continue
        for match in compile_once(rule.regex).finditer(text):
            start, end = match.span(_group(rule, match))
            if start < end and _holds(rule, match, path):
                yield Span(start, end, rule.kind or rule.id, rule.id)


def _group(rule: RedactionRule, match: re.Match[str]) -> int:
    """Return the number of the group that is the secret."""
    if rule.secret_group or not match.re.groups:
        return rule.secret_group
    return 1 if match[1] is not None else match.lastindex or 0


def _holds(rule: RedactionRule, match: re.Match[str], path: str) -> bool:
    """Return whether a match is a secret."""
    secret = match[_group(rule, match)]
    holds = CHECKS[rule.check](secret) and (not rule.entropy or shannon(secret) >= rule.entropy)
    if not holds or not (rule.path or rule.allowances):
        return holds
    if rule.path and not compile_once(rule.path).search(path):
        return False
    return not any(_allows(allowance, match, secret, path) for allowance in rule.allowances)


def _allows(allowance: Allowance, match: re.Match[str], secret: str, path: str) -> bool:
    """Return whether a secret stays where it is."""
    if allowance.paths and path and any(compile_once(one).search(path) for one in allowance.paths):
        return True
    if any(word in secret.lower() for word in allowance.stopwords):
        return True
    if not allowance.regexes:
        return False
    target = {"secret": secret, "match": match[0]}.get(allowance.target) or _line_of(match)
    return any(compile_once(one).search(target) for one in allowance.regexes)


def _line_of(match: re.Match[str]) -> str:
    """Return the lines around a match."""
    text = match.string
    start, end = text.rfind("\n", 0, match.start()) + 1, text.find("\n", match.end())
    return text[start : end if end >= 0 else len(text)]


def _in_blob(text: str, start: int, end: int, done: int) -> bool:
    """Return whether base64 continues at either side: an apparent key there is a chance hit.

    A secret just before, which ends at `done`, does not count as base64.
    """
    sides = (text[max(0, start - 24, min(done, start)) : start], text[end : end + 24])
    return any(_BLOB.fullmatch(side) and surprise(side) > 0 for side in sides)


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


def _join_spans(spans: Iterable[Span]) -> list[Span]:
    """Join overlapping spans; the kind of a rule counts before that of a name."""
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
