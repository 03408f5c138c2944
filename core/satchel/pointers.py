"""Pointers: addresses of cut text, as versioned URIs and in the short form used in documents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import parse_qs, quote, unquote, urlsplit

from satchel.errors import PointerError
from satchel.items import ContextItem
from satchel.parts import NO_LINES, Lines
from satchel.paths import path_address
from satchel.paths import unquote as unquote_text
from satchel.patterns import lazily

_VERSION = 8
_IDS = {"blob": "hash", "commit": "id"}
_CONFLICT = "conflict-"
_DIGITS = 12
"""Digits of a commit's id in the id of an item."""
_REVISION = lazily(r"[0-9a-f]{7,64}")
_NUMBER = lazily(r"[0-9]{1,18}")
_BLOB = lazily(r"blob:([0-9a-f]{8,})(?::(\d+)(?:-(\d+)|@(\d+)(?:-(\d+))?)?)?")
_COMMIT = lazily(r"(?:satchel://commit/|commit:)([0-9a-f]{7,64})")
_TOO_SHORT = lazily(r"(blob|commit):[0-9a-f]*")
_KEYS = {
    **dict.fromkeys(("file", "vendored"), ("lines", "v")),
    "diff": ("since", "until"),
    "blob": ("lines", "characters"),
}
"""Keys allowed after the `?` of a URI of each kind."""
_SHORT = lazily(r"(?P<path>.+?)(?::(?P<first>\d+)(?:-(?P<last>\d+))?)?", re.DOTALL)


class Pointer(NamedTuple):
    """The address of a file or some of its lines; `version` is the start of its content's hash.

    With `since`, HEAD or a commit's id, it is the address of the file's changes from there to the commit
    `until`, or to now. With a `blob` it is the address of a stored text instead, or of `characters` of a line
    of it, counted from 1 as lines are; with a `commit` that of a commit by the first digits of its id; `path`
    is "" then.
    """

    path: str
    lines: Lines = NO_LINES
    version: str = ""
    blob: str = ""
    commit: str = ""
    since: str = ""
    until: str = ""
    characters: Lines = NO_LINES

    def uri(self) -> str:
        """Return `satchel://file/src/app.py?lines=10-40&v=1a2b3c4d`."""
        if self.blob:
            asked = _write_range("lines", self.lines) + _write_range("characters", self.characters)
            return f"satchel://blob/{self.blob}{_query(asked)}"
        if self.commit:
            return f"satchel://commit/{self.commit}"
        if self.since:
            asked = [] if self.since == "HEAD" else [f"since={self.since}"]
            asked += [f"until={self.until}"] if self.until else []
            return f"satchel://diff/{quote(self.path, safe='/', errors='surrogateescape')}{_query(asked)}"
        asked = _write_range("lines", self.lines)
        asked += [f"v={self.version}"] if self.version else []
        return f"satchel://file/{quote(self.path, safe='/', errors='surrogateescape')}{_query(asked)}"

    def short(self) -> str:
        """Return `src/app.py:10-40`; a path that is not plain is put in double quotes."""
        return path_address(self.path) + (
            f":{self.lines[0]}-{self.lines[1]}" if self.lines != NO_LINES else ""
        )


def _write_range(name: str, numbers: Lines) -> list[str]:
    return [f"{name}={numbers[0]}-{numbers[1]}"] if numbers != NO_LINES else []


def _query(asked: Sequence[str]) -> str:
    return f"?{'&'.join(asked)}" if asked else ""


REVIEWED = "review:"
"""Prefix of the id of a requested diff since a commit."""
CHANGED_FILES = f"{REVIEWED}summary"
"""The id of the list of all changed files."""


def diff_id(path: str, since: str, until: str = "") -> str:
    """Return the id of an item with the changes of a file between commits, given by full id."""
    return f"{REVIEWED}{path}@{since[:_DIGITS]}" + (f"..{until[:_DIGITS]}" if until else "")


def conflict_id(path: str, number: int) -> str:
    """Return the id of an item that shows a place in conflict."""
    return f"{REVIEWED}{path}@{_CONFLICT}{number}"


def is_conflict(id_: str) -> bool:
    """Return whether an item's id is that of a place in conflict."""
    return id_.startswith(REVIEWED) and id_.rpartition("@")[2].startswith(_CONFLICT)


def place_of_conflict(id_: str) -> tuple[str, int]:
    """Return the path and the number in the id of a place in conflict."""
    return path_of_diff(id_), int(id_.rpartition(_CONFLICT)[2])


def is_past_diff(id_: str) -> bool:
    """Return whether an item's id is that of a diff between two commits of the past."""
    return id_.startswith(REVIEWED) and ".." in id_.rpartition("@")[2]


def path_of_diff(id_: str) -> str:
    """Return the path in the id of an item that is a diff, `diff:src/app.py` or one of `diff_id`."""
    path = id_.partition(":")[2]
    return path.rpartition("@")[0] if id_.startswith(REVIEWED) else path


def pointer_to(item: ContextItem) -> str:
    """Return the URI of an item: its file, or the hash of its stored text."""
    if item.path and item.text is None:
        return Pointer(item.path, version=item.content[:_VERSION]).uri()
    if item.kind == "instructions" and item.path:
        return Pointer(item.path).uri()
    if item.text:
        return f"satchel://blob/{item.content}"
    kind, _, rest = item.id.partition(":")
    if item.kind == "diff" and kind == "review":
        since, _, until = rest.rpartition("@")[2].partition("..")
        return Pointer(path_of_diff(item.id), since=since, until=until).uri()
    return f"satchel://{quote(kind, safe='')}/{quote(rest, safe='/', errors='surrogateescape')}"


def parse(written: str) -> Pointer:
    """Read a URI or the short form `path`, `@path`, `path:10`, `path:10-40`, `blob:HASH:10-40`, `commit:ID`.

    `blob:HASH:10@300-900` are characters of line 10.

    Raises:
        PointerError: it is neither.
    """
    commit = _COMMIT.fullmatch(written)
    if commit is not None:
        return Pointer("", commit=commit[1])
    if not written.startswith("satchel:"):
        return _short(written.removeprefix("@"))
    try:
        parts = urlsplit(written)
    except ValueError as error:
        raise PointerError(repr(written), "is not a pointer; write satchel://file/path") from error
    asked = parse_qs(parts.query)
    if unknown := [name for name in asked if name not in _KEYS.get(parts.netloc, asked)]:
        known = " and ".join(_KEYS[parts.netloc])
        raise PointerError(written, f"{unknown[0]!r} is not recognized; it may have {known}")
    if parts.netloc == "blob":
        lines, characters = (_read_range(asked, name, written) for name in ("lines", "characters"))
        if characters != NO_LINES and (lines == NO_LINES or lines[0] != lines[1]):
            raise PointerError(written, "characters are those of one line; write ?lines=1&characters=300-900")
        return Pointer("", lines, blob=parts.path.strip("/"), characters=characters)
    if parts.netloc not in ("file", "vendored", "diff") or not parts.path.strip("/"):
        raise PointerError(
            written, "only file, diff, commit and blob can be expanded, as in satchel://file/path"
        )
    if parts.netloc == "diff":
        return _diff(unquote(parts.path[1:], errors="surrogateescape"), asked, written)
    path = unquote(parts.path[1:], errors="surrogateescape")
    return Pointer(path, _read_range(asked, "lines", written), asked.get("v", [""])[0])


def _read_range(asked: Mapping[str, Sequence[str]], name: str, written: str) -> Lines:
    first, dash, last = asked.get(name, [""])[0].partition("-")
    return _lines(first, last if dash else first, written)


def _diff(path: str, asked: Mapping[str, Sequence[str]], written: str) -> Pointer:
    since, until = (asked.get(name, [""])[0] for name in ("since", "until"))
    if not all(not rev or _REVISION.fullmatch(rev) for rev in (since, until)):
        raise PointerError(written, "`since` and `until` are ids of commits")
    return Pointer(path, since=since or "HEAD", until=until)


def _short(written: str) -> Pointer:
    """Read the short form; documents write unusual paths in double quotes with escapes."""
    blob = _BLOB.fullmatch(written)
    if blob is not None:
        lines = _lines(blob[2], blob[3] or blob[2], written)
        return Pointer("", lines, blob=blob[1], characters=_lines(blob[4], blob[5] or blob[4], written))
    if named := _TOO_SHORT.fullmatch(written):
        least = 7 if named[1] == "commit" else 8
        raise PointerError(
            written, f"a {named[1]} is named by {least} or more digits of its {_IDS[named[1]]}"
        )
    unquoted = unquote_text(written) if written.startswith('"') else None
    if unquoted is not None:
        first, _, last = unquoted[1].partition("-")
        return Pointer(unquoted[0], _lines(first, last or first, written))
    match = _SHORT.fullmatch(written)
    if match is None:
        raise PointerError(repr(written), "is not a pointer; write path, path:10-40 or satchel://file/path")
    return Pointer(match["path"], _lines(match["first"], match["last"] or match["first"], written))


def _lines(first: str | None, last: str | None, written: str) -> Lines:
    if not first and not last:
        return NO_LINES
    numbers = [int(number) if number and _NUMBER.fullmatch(number) else 0 for number in (first, last)]
    if not 1 <= numbers[0] <= numbers[1]:
        raise PointerError(written, "its lines are not a range; write 10-40")
    return (numbers[0], numbers[1])
