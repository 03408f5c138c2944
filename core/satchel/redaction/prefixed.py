"""Keys of makers that nobody has listed: a short prefix, then what only chance writes."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from satchel.patterns import lazily
from satchel.redaction.rules import Span
from satchel.redaction.values import is_filler, is_hex_key, kinds_of, surprise

_BODY = lazily(r"[_.-](?=[A-Za-z0-9]{20})([A-Za-z0-9]{20,400}+)(?:[_.-][A-Za-z0-9]{4,400}+){0,3}+")
"""It begins where a prefix ends: the mark before 20 letters and digits is quickly found."""
_PREFIX = lazily(
    r"(?:^[+-]?|\n[+-]|[^\w.$%@/\\+-]|\\[nrt]|[=:/]|\x1b\[[\d;]{1,8}m)([A-Za-z][A-Za-z0-9]{1,11}(?:[_-][A-Za-z0-9]{1,10}){0,3})$"
)
_LONGEST_WORD = 26
"""No prefix is longer; what ngrok gives out has its number there, which is drawn too."""
_DRAWN = lazily(r"/(?=\w*\d)(?=\w*[a-z])(?=\w*[A-Z])")
"""A path or base64 that goes on: no prefix."""
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
_VAULT = 24
_UNSURE, _SURE = 30, 20
_HEX_UNSAID, _HEX_SAID = 48, 32
_CERTAIN, _LIKELY = 14.0, 9.0
"""Nats by which the body must be likelier drawn than written (`entropy.surprise`)."""
_SIGNED = lazily(r"eyJ(?<![\w+/-]eyJ)[\w-]{16,8192}+\.[\w-]{6,8192}+(?:\.[\w-]{20,1024}+)?")
"""What itsdangerous, Tinybird and others sign: JSON in base64, a dot, a signature; no header as in a JWT."""


def find_prefixed(text: str) -> Iterator[Span]:
    """Yield keys with a prefix of no known maker, and signed JSON."""
    done = 0
    for body in _BODY.finditer(text):
        if body.start() < done or not _AFTER.match(text, body.end()):
            continue
        lead = text[max(0, body.start() - _REACH) : body.start()]
        before = _PREFIX.search(lead) or _BARE.search(lead)
        if before and not _DRAWN.match(before[0]) and _is_key(before[1], body[0][1:], body[1]):
            done = body.end()
            yield Span(body.start() - len(before[1]), done, "api-key", "prefixed-key")
    yield from _find_parted(text)
    if "eyJ" in text:
        yield from _find_signed(text)


def _find_parted(text: str) -> Iterator[Span]:
    """Yield keys without any word in them that show by the lengths of their parts."""
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


@functools.lru_cache(maxsize=4096)
def _is_key(prefix: str, whole: str, body: str) -> bool:
    if _HARMLESS.search(prefix) or is_filler(whole):
        return False
    if prefix == "s":  # HashiCorp Vault before 1.10
        return len(whole) == _VAULT and kinds_of(whole) > 2 and surprise(whole) > _LIKELY
    if len(prefix) > _LONGEST_WORD:
        return _is_drawn(prefix + body, says=True)
    return _is_drawn(body, says=bool(_SAYS.search(prefix)))


def _is_drawn(body: str, *, says: bool) -> bool:
    """Return whether only chance writes this; `says` where the prefix says that it is a key."""
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
