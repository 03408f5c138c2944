"""Secrets of several lines: armoured private keys, PuTTY keys, the data of Kubernetes secrets."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from satchel.patterns import lazily
from satchel.redaction.kubernetes import REACH, kubernetes_spans
from satchel.redaction.rules import Span
from satchel.redaction.values import is_random

_BLANK = r"(?:[ +]|%20)"
_LABEL = rf"{_BLANK}(?:[A-Z0-9]{{1,12}}{_BLANK}){{0,4}}PRIVATE{_BLANK}KEY(?:{_BLANK}BLOCK)? ?-----?"
_BEGIN = lazily(rf"-----? ?BEGIN{_LABEL}")
_END = lazily(rf"-----? ?END{_LABEL}")
_MATERIAL = lazily(r"[A-Za-z0-9+/=]{16,}+")
_TRAIL = r"(?:\[[\d;]{0,12}[mK]|<br|&#x?\w{1,4};|u000[ad]|[rn](?=\W|$)|[^\w\n]){0,24}"
"""Text that may follow a line of a key: quotes, escapes, codes of a terminal, marks of a table."""
_BODY_LINE = lazily(
    rf"[^\n]{{0,160}}?[A-Za-z0-9+/=]{{20,}}+{_TRAIL}|"
    r"(?:\[[\d;]{0,12}[mK]|[^\w\n]){0,40}(?:[A-Za-z0-9+/]{2,63}={1,2}|=[A-Za-z0-9+/]{4})"
    rf"{_TRAIL}|"
    r"[^\n]{0,20}(?:Proc-Type|DEK-Info|Version|Comment):[^\n]{0,200}|[ \t\r]{0,80}"
)
_LONG_LINE = lazily(rf"[^\n]{{0,160}}?[A-Za-z0-9+/=]{{20,}}+{_TRAIL}")
_LAST_LINE = lazily(r"[^\n]{0,160}?[A-Za-z0-9+/]{2,63}={0,2}[^\w\n]{0,12}n?[^\w\n]{0,12}")
_BREAK = r"(?: {1,2}|(?:&#x?\w{1,4};|%0[ADad]|<br ?/?>){1,2})"
"""A line's end in a text with all lines in one."""
_RUN = lazily(
    r"[A-Za-z0-9+/=\\\r]*+"
    rf"(?:{_BREAK}[A-Za-z0-9+/=\\\r]{{32,}}+)*+(?:{_BREAK}[A-Za-z0-9+/]{{2,63}}={{1,2}})?"
)
_WRAPPED = lazily(r"\r?\n[^\w\n]{0,40}([A-Za-z0-9+/]{2,1024}+={0,2})(?=\r?\n|\Z)")
_WEB_KEY = lazily(
    r"(?:(?P<quote>\\*[\"'])(?:[dkpq]|d[pq]|qi)(?P=quote)[ \t]*:\s*(?P=quote)|\b(?:[dkpq]|d[pq]|qi): )"
    r"(?P<number>[\w-]{16,1400}+)(?![\w.-])"
)
_WEB_KEY_REACH = 4_000
"""Characters between the private numbers of a key and its `kty` (RFC 7517)."""
_WEB_KEY_SIZE = _WEB_KEY_REACH + 1_500
"""The same with the length of a number."""
_NOT_BASE64 = lazily(r"[^A-Za-z0-9+/=]")
_ESCAPED_BREAK = lazily(r"\\+[rn]")
_LONGEST = 1_048_576
"""Characters of a key: those of PGP hold pictures."""
_LONGEST_TAIL = 65_536
"""The same before an end alone: a stream that reaches it has released earlier text."""
BLOCK_REACH = REACH
"""Longest secret of several lines, in characters."""
_FAR_WORDS = ("PRIVATE KEY", "PRIVATE+KEY", "PRIVATE%20KEY", "Private-Lines: ", "LS0tLS1CRUdJTi", "Secret")
"""Words that begin a secret of several lines, or are in it; so does `_DATA`."""
_DATA = lazily(
    r"ata(?:(?<=(?<![a-lo-qsu-zA-Z\d_])data)|(?<=stringData))"
    r"\\*(?:[\"']\s*:|\s*:(?![!-~](?<![\"'{\[\\])))"
)
"""A section of an object, or a text with such an ending; not `metadata:`, `data:image/png` or `data::get`."""
_LEAD = 200
_EDGE_LEFT = " \t\"'`(>|"
_EDGE_RIGHT = " \t\r\"'`,;)\\"
_REST = lazily(_TRAIL)
"""Text that may follow a key on its line."""
_PUTTY = lazily(r"Private-Lines: (\d{1,3})(?:\r?\n|(?:\\+r)?(?P<escaped>\\+)n)")
_PUTTY_LINE = lazily(
    r"[^\n]{0,160}?(?<![\w+/=])([A-Za-z0-9+/=]{2,128}+)"
    r"[\\\"',\r ]{0,8}n?[\"',\r +]{0,8}(?:\n|\Z)"
)
_PUTTY_RUN = lazily(r"(?:[A-Za-z0-9+/=]{2,128}+(?:\\+r)?\\+n)++")
_HEADING = lazily(
    r"@ (?=[A-Za-z0-9+/=]{0,79}[A-Z])(?=[A-Za-z0-9+/=]{0,79}[a-z])(?=[A-Za-z0-9+/=]{0,79}[\d+/=])"
    r"([A-Za-z0-9+/]{20,80}+={0,2})[^\w\n]{0,4}$",
    re.MULTILINE,
)
"""A hunk's heading that is one line of base64: git takes the last line beginning with a letter."""
_HUNK = lazily(r"[-+]\d{1,9}(?:,\d{1,9})? @@+\Z")
_LONGEST_HUNK = 80
"""Characters of a hunk's line numbers and the marks after them: a merge has one for each parent."""
_ENCODED_KEY = lazily(r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{40,65536}+={0,2}")


def can_reach_far(text: str) -> bool:
    """Return whether a secret of several lines may begin or end in a text; else none crosses it."""
    return any(word in text for word in _FAR_WORDS) or _DATA.search(text) is not None


def block_spans(text: str) -> Iterator[Span]:
    """Yield the spans of private keys and of Kubernetes secrets, one for each of their lines."""
    if "PRIVATE" in text:
        yield from _find_armoured(text)
    if "Private-Lines: " in text:
        yield from _putty(text)
    if "LS0tLS1CRUdJTi" in text:
        yield from _find_encoded(text)
    if "kty" in text:
        yield from _web_keys(text)
    if "Secret" in text and "ata" in text:
        yield from kubernetes_spans(text)
    if " @@" in text:
        yield from _headings(text)


def _headings(text: str) -> Iterator[Span]:
    """Yield headings of a diff that are a lone line of a key."""
    for found in _HEADING.finditer(text):
        at = found.start() + 1
        if _HUNK.search(text, max(0, at - _LONGEST_HUNK), at) and is_random(found[1]):
            yield Span(*found.span(1), "private-key", "hunk-heading")


def _find_armoured(text: str) -> Iterator[Span]:
    done, ending = 0, _END.search(text)
    whole: set[int] = set()
    for begin in _BEGIN.finditer(text):
        if ending and ending.start() < begin.end():
            ending = _END.search(text, begin.end())
        stop = _end_of_key(text, begin, ending) if begin.start() >= done else 0
        body = _ESCAPED_BREAK.sub("\n", text[begin.end() : stop])
        material = "".join(_MATERIAL.findall(body))
        if len(material) >= 40 and len(set(material)) > 12:
            yield from _lines(text, begin.start(), stop, _NOT_BASE64.sub("", _body(body)))
            done = stop
            whole.add(stop)
    yield from _tails(text, whole)


def _tails(text: str, whole: Collection[int]) -> Iterator[Span]:
    """Yield the lines of keys of which a text has only the end; those that end in `whole` are known."""
    last = 0
    for end in _END.finditer(text):
        least, last = max(last, end.start() - _LONGEST_TAIL), end.end()
        if end.end() in whole:
            continue
        first = line = text.rfind("\n", 0, end.start()) + 1
        while line > least:
            before = text.rfind("\n", 0, line - 1) + 1
            form = _LONG_LINE if line < first else _LAST_LINE
            if before < least or not form.fullmatch(text, before, line - 1):
                break
            line = before
        body = text[line:first]
        material = "".join(_MATERIAL.findall(body))
        if len(material) >= 40 and len(set(material)) > 12:
            yield from _lines(text, line, end.end(), _NOT_BASE64.sub("", body))


def _body(text: str) -> str:
    return text.rpartition("-----END")[0] or text


def _end_of_key(text: str, begin: re.Match[str], ending: re.Match[str] | None) -> int:
    """Return the end of the key: after its END line, or after the last line that can be part of a key."""
    again = text.find("BEGIN", begin.end(), begin.end() + _LONGEST)
    if ending and ending.start() - begin.end() < _LONGEST and not 0 <= again < ending.start():
        return ending.end()
    limit = min(len(text), begin.end() + _LONGEST)
    run = _RUN.match(text, begin.end(), limit)
    reach = run.end() if run else begin.end()
    rest = _REST.match(text, reach)
    stop = rest.end() if rest else reach
    if text[stop : stop + 1] not in {"", "\n"}:
        return reach
    while stop < limit:
        following = _line_end(text, stop + 1)
        if 0 <= again < following or not _BODY_LINE.fullmatch(text, stop + 1, following):
            break
        stop = following
    return stop


def _line_end(text: str, at: int, limit: int | None = None) -> int:
    end = text.find("\n", at, limit)
    return end if end >= 0 else len(text) if limit is None else limit


def _lines(text: str, start: int, stop: int, seed: str) -> Iterator[Span]:
    """Yield a span for each line of a key, without the text before and after it on the line."""
    line = text.rfind("\n", max(0, start - _LEAD), start) + 1
    lead = text[max(line, start - _LEAD) : start]
    at, counted = start, True
    while at < stop:
        end = _line_end(text, at, stop)
        first = at if counted else _after_lead(text, at, end, lead)
        last = first + len(text[first:end].rstrip(_EDGE_RIGHT))
        if text[first:last].strip("+-#*/"):
            yield Span(first, last, "private-key", "armoured-key", seed, counted)
            counted = False
        at = end + 1


def _after_lead(text: str, at: int, end: int, lead: str) -> int:
    """Return where key material can begin: after the first line's comment or diff mark, blanks, quotes."""
    at += len(lead) if not lead.isspace() and text.startswith(lead, at) else 0
    return end - len(text[at:end].lstrip(_EDGE_LEFT))


def _web_keys(text: str) -> Iterator[Span]:
    """Yield the private numbers of keys in JSON, in any string, and in YAML."""
    at = done = 0
    while (at := text.find("kty", at)) >= 0:
        begun = text.rfind("\n", done, max(done, at - _WEB_KEY_SIZE)) + 1 or done
        done = text.find("\n", max(done, at + _WEB_KEY_SIZE)) % (len(text) + 1)
        for found in _WEB_KEY.finditer(text, begun, done):
            near = text[max(0, found.start() - _WEB_KEY_REACH) : found.end() + _WEB_KEY_REACH]
            if "kty" in near and is_random(found["number"]):
                yield Span(*found.span("number"), "private-jwk", "jwk")
        at = max(at + 1, done - _WEB_KEY_SIZE)


def _putty(text: str) -> Iterator[Span]:
    reach = 0  # the end of the lines that are known to be a key's: a head may stand in them
    for head in _PUTTY.finditer(text):
        if head["escaped"]:
            run = _PUTTY_RUN.match(text, head.end())
            if run:
                yield Span(run.start(), run.end(), "private-key", "putty-key")
            continue
        known = text.count("\n", head.end(), reach) if head.end() < reach else 0
        at, counted = max(head.end(), reach), not known
        for _ in range(int(head[1]) - known):
            line = _PUTTY_LINE.match(text, at)
            if not line:
                break
            yield Span(line.start(1), line.end(1), "private-key", "putty-key", "", counted)
            at, counted = line.end(), False
        reach = at


def _find_encoded(text: str) -> Iterator[Span]:
    for found in _ENCODED_KEY.finditer(text):
        import base64

        head = found[0][:96]
        try:
            plain = base64.b64decode(head[: len(head) // 4 * 4])
        except ValueError:
            continue
        if b"PRIVATE KEY" in plain:
            yield Span(found.start(), found.end(), "private-key", "encoded-key")
            yield from _find_wrapped(text, found)


def _find_wrapped(text: str, first: re.Match[str]) -> Iterator[Span]:
    """Yield the further lines of a key with wrapped base64: as long as the first, except the last."""
    at, length = first.end(), len(first[0])
    while at - first.end() < _LONGEST and (line := _WRAPPED.match(text, at)) and len(line[1]) <= length:
        at = line.end()
        if len(line[1]) < length and len(line[1]) % 4:
            break
        yield Span(line.start(1), line.end(1), "private-key", "encoded-key", "", counted=False)
        if len(line[1]) < length:
            break
