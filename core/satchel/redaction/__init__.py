"""Redaction: replace every secret of a text with a stable mark, and leave the rest as it is."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from satchel.lazy_names import import_on_first_use
from satchel.redaction.rules import RuleSet, Span
from satchel.redaction.searching import Scanner, find_near
from satchel.redaction.values import MARK

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel.redaction.rules import Keywords as Keywords
    from satchel.redaction.rules import RuleSet as RuleSet
    from satchel.redaction.rules import check_rules as check_rules
    from satchel.redaction.scanning import NO_SCANNERS as NO_SCANNERS
    from satchel.redaction.scanning import Scanners as Scanners
    from satchel.redaction.searching import rule_spans as rule_spans
    from satchel.redaction.streaming import WindowSizes as WindowSizes
    from satchel.redaction.streaming import redact_stream as redact_stream

__all__ = ["Finding", "Redacted", "Scanner", "count_marks", "mark", "redact"]

_PASSES = 4
"""A mark can make a neighbour readable as a secret; texts come to rest after one pass more."""


class Finding(NamedTuple):
    """A secret: its kind, the line (from 1), the rule. Never the secret itself."""

    kind: str
    line: int
    rule: str


class Redacted(NamedTuple):
    """A text without its secrets, with as many lines as before, and the findings."""

    text: str
    found: tuple[Finding, ...]


def redact(
    text: str,
    *,
    path: str = "",
    scanners: Sequence[Scanner] = (),
    more: RuleSet | None = None,
    needed: range | None = None,
) -> Redacted:
    """Return the text with each secret replaced by its mark; the same object if there is none.

    Redacting twice changes nothing. `scanners` are further detectors: each takes the text and the
    path and returns start, end (not included) and kind of each secret; it may raise, nothing is caught.
    `more` are rules beside satchel's own. If only the characters in `needed` are used, only secrets in them
    must be redacted.
    """
    found: list[Finding] = []
    places: list[int] | None = None
    for _ in range(_PASSES):
        spans, is_near = find_near(text, path, scanners, more, places, needed)
        if not spans:
            break
        found += _findings(text, spans)
        text, ends = _put_marks(text, spans)
        places, needed = ends if is_near else None, None
    return Redacted(text, tuple(sorted(found, key=lambda finding: finding.line)))


def mark(kind: str, secret: str) -> str:
    """Return `[redacted:kind:4hex]`, the same for the same secret in every file and run."""
    digest = hashlib.blake2b(secret.encode("utf-8", "surrogatepass"), digest_size=2, person=b"satchel")
    return f"[redacted:{kind}:{digest.hexdigest()}]"


def count_marks(text: str) -> dict[str, int]:
    """Return how many secrets of each kind are redacted in a text."""
    kinds = Counter(one.split(":")[1] for one in MARK.findall(text))
    return dict(sorted(kinds.items()))


def _findings(text: str, spans: Sequence[Span]) -> list[Finding]:
    found, line, at = [], 1, 0
    for span in spans:
        line += text.count("\n", at, span.start)
        at = span.start
        if span.counted:
            found.append(Finding(span.kind, line, span.rule))
    return found


def _put_marks(text: str, spans: Sequence[Span]) -> tuple[str, list[int]]:
    """Return the text with marks for secrets, and the ends of the marks."""
    pieces: list[str] = []
    ends: list[int] = []
    at = size = 0
    for span in spans:
        put = mark(span.kind, span.seed or text[span.start : span.end])
        pieces += [text[at : span.start], put]
        size += span.start - at + len(put)
        ends.append(size)
        at = span.end
    return "".join([*pieces, text[at:]]), ends


__getattr__ = import_on_first_use(__name__, __file__)
