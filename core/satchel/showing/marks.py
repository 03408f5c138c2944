r"""Keep strangers' text from wearing our marks: a look-alike loses its first character to `\u{...}`."""

from __future__ import annotations

import re
from collections.abc import Collection

from satchel.patterns import lazily
from satchel.showing.hidden import visible

_GAPS = lazily(r"^@(?=@+\d)", re.MULTILINE)
_REDACTED = lazily(r"\[(redacted:[a-z0-9-]{1,40}:[0-9a-f]{4}\])")
_SECRET = "[redacted:"  # noqa: S105 (the opening of a mark, no password)
_STANDING = lazily(
    r"^\[(?=(?:project file|imported from|cut here:) |end of (?:[^\s\]]{1,4096}\]|[^\n\]]{0,4096}[./]))",
    re.MULTILINE,
)
"""The end of an import names a path: `[end of the story]` is no mark."""


def shown(text: str) -> str:
    """Return a text as a document may show it: nothing hides in it, no line looks like a mark line."""
    text = visible(text)
    return _GAPS.sub(r"\\u{40}", text) if "@@" in text else text


def without_marks(text: str, genuine: Collection[str] = ()) -> str:
    """Return a text in which no redaction mark stands but the `genuine` ones, which redaction made itself."""
    if _SECRET not in text:
        return text
    return _REDACTED.sub(lambda mark: mark[0] if mark[0] in genuine else f"\\u{{5b}}{mark[1]}", text)


def marks_in(text: str) -> list[str]:
    """Return the redaction marks of a text."""
    return [mark[0] for mark in _REDACTED.finditer(text)] if _SECRET in text else []


def quoted(text: str) -> str:
    """Return instructions in which no line claims another place, a standing or a cut."""
    return _STANDING.sub(r"\\u{5b}", visible(text))
