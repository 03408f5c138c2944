"""The files that a conversation's calls read and edit, and the readings that are out of date."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from satchel.conversation import read_arguments
from satchel.messages import Exchange
from satchel.patterns import lazily

_PATHS = (
    "file_path",
    "path",
    "filePath",
    "notebook_path",
    "absolute_path",
    "target_file",
    "filename",
    "file",
)
_WRITES = ("old", "new", "insert", "file_text", "content", "edits")
"""Prefixes of the arguments of an editor that writes; without one, and without a command, it shows a file."""
_COMMANDS = ("command", "cmd", "script", "input")
_SERVER = lazily(r"^mcp__\w+?__")
_READ = lazily(
    r"(?:fs_?)?(?:read|view|open|cat)(?:_?(?:text_?)?file)?(?:_?contents?)?|get_file_contents?|read_many_files"
)
_EDIT = lazily(
    r"(?:multi_?|notebook_?|str_replace_?|file_?)?(?:edit|write|patch|replace|update|create|insert)"
    r"(?:_?(?:to_)?file|_?in_file)?|apply_?patch|apply_diff|write_to_file|search_replace|delete_file"
)
_EDITOR = lazily(r"str_replace_(?:based_)?edit(?:or|_tool)|text_editor\w*")
_SHELL = lazily(r"\w*(?:bash|shell|exec|terminal|command|powershell)\w*")
_NAME = r"['\"]?([\w./\\:~@+-]+)['\"]?"
_SED = lazily(rf"\bsed\s+-n\s+['\"]?(\d+),(\d+)p['\"]?\s+{_NAME}")
_HEAD = lazily(rf"\bhead\s+(?:-n\s*|-)(\d+)\s+{_NAME}")
_CAT = lazily(
    rf"(?:^|&&|;|\n)\s*(?:cat|bat|nl|less|Get-Content|type)\s+(?:-[\w-]+\s+)*{_NAME}\s*(?:\||$|&&|;|\n|2>)"
)
_SED_IN_PLACE = lazily(
    rf"\bsed\s+-i\S*\s+(?:-[eE]\s+)?(?:'[^']*'|\"[^\"]*\")\s+{_NAME}|(?:\bcat|\btee|<<\s*['\"]?\w+['\"]?)\s*>+\s*{_NAME}|\btee\s+(?:-a\s+)?{_NAME}"
)
_PATCHED = lazily(r"^\*\*\* (Update|Add|Delete) File: (.+?)\s*$", re.MULTILINE)
_WHOLE = lazily(r"(?:file_?)?(?:write|create)(?:_?(?:to_)?file)?|write_to_file|delete_file")
"""Names of tools that write a file from its first to its last line."""

_LOG = lazily(r"\.(?:log|out|output|err|stderr|stdout)(?:\.txt|\.\d+)?$", re.IGNORECASE)
"""Endings of files that commands write."""
_LONGEST = 80
"""Characters of a file's name that are shown."""
EDITED, READ_AGAIN = "edited since", "read again since"
"""The fate of a file after it was read."""


class Touch(NamedTuple):
    """The effect of a call on a file: it reads lines of it, or edits it."""

    path: str
    first: float = 0
    last: float = math.inf
    edits: bool = False
    writes: bool = False
    """Whether the edit replaces all of the file."""


def _edit(path: str, *, writes: bool = False) -> Touch:
    return Touch(path, edits=True, writes=writes)


@lru_cache(maxsize=4096)
def touches_of(name: str, arguments: str) -> tuple[Touch, ...]:
    """Return the files that a call reads or edits, by its tool's name and its arguments."""
    try:
        table: Any = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        table = arguments
    headers = _PATCHED.findall(arguments.replace("\\n", "\n"))
    patched = tuple(_edit(path, writes=how != "Update") for how, path in headers)
    if patched:
        return patched
    if not isinstance(table, Mapping):
        return ()
    plain = _SERVER.sub("", name).lower()
    path = next((value for key in _PATHS if isinstance(value := table.get(key), str) and value), "")
    if path and _EDITOR.fullmatch(plain):
        shows = not any(key.startswith(_WRITES) for key in table)
        reads = table["command"] == "view" if "command" in table else shows
        return (_read(path, table) if reads else _edit(path, writes="file_text" in table),)
    if path and _READ.fullmatch(plain):
        return (_read(path, table),)
    if path and _EDIT.fullmatch(plain):
        return (_edit(path, writes=_WHOLE.fullmatch(plain) is not None),)
    return tuple(_in_shell(_command(table))) if _SHELL.fullmatch(plain) else ()


def reads_log(touch: Touch) -> bool:
    """Return whether a file that a command wrote is read, judged by its ending."""
    return not touch.edits and _LOG.search(touch.path) is not None


def _read(path: str, table: Mapping[str, Any]) -> Touch:
    span = table.get("view_range")
    try:
        if isinstance(span, list) and len(span) == 2:
            return Touch(path, float(span[0]), float(span[1]) if span[1] != -1 else math.inf)
        first = float(table.get("offset") or table.get("start_line") or 0)
        limit, last = table.get("limit"), table.get("end_line")
        return Touch(path, first, float(last) if last else first + float(limit) if limit else math.inf)
    except (TypeError, ValueError):
        return Touch(path)


def _command(table: Mapping[str, Any]) -> str:
    said = next((table[key] for key in _COMMANDS if key in table), "")
    return "\n".join(map(str, said)) if isinstance(said, list) else str(said)


def command_of(name: str, arguments: str) -> tuple[str, str] | None:
    """Return a shell's name and the command that a call runs, None for other calls."""
    if not _SHELL.fullmatch(_SERVER.sub("", name).lower()):
        return None
    command = _command(read_arguments(arguments)).strip()
    return (name, command) if command else None


def _in_shell(command: str) -> Iterator[Touch]:
    """Yield the file that a command prints, or the files that it writes."""
    edited = [next(filter(None, found.groups())) for found in _SED_IN_PLACE.finditer(command)]
    if edited:
        yield from map(_edit, edited)
    elif found := _SED.search(command):
        yield Touch(found[3], float(found[1]), float(found[2]))
    elif found := _HEAD.search(command):
        yield Touch(found[2], 0, float(found[1]))
    elif found := _CAT.search(command):
        yield Touch(found[1])


class FileReading(NamedTuple):
    """A call that read one file."""

    path: str
    gone: str = ""
    """The fate of the file, `EDITED` or `READ_AGAIN`; "" if the reading still holds."""
    touched: int = 0
    """The number of the last exchange that edited or read the file."""


ResultKey = tuple[int, str]
"""Number of an exchange, and the id of a call in it."""


def readings_of(exchanges: Sequence[Exchange]) -> dict[ResultKey, FileReading]:
    """Return the fate of each file reading: a later edit, or a later reading of the same lines."""
    found: dict[ResultKey, FileReading] = {}
    later: dict[str, list[Touch]] = {}
    touched: dict[str, int] = {}
    for at in range(len(exchanges) - 1, -1, -1):
        calls = [call for message in exchanges[at].messages for call in message.calls]
        failed = {block.id for message in exchanges[at].messages for block in message.results if block.error}
        for call in reversed(calls):
            if call.id in failed:
                continue
            for touch in touches_of(call.name, call.text):
                base = _base(touch.path)
                after = later.setdefault(base, [])
                last = touched.setdefault(base, at)
                if not touch.edits:
                    found[at, call.id] = FileReading(touch.path, _fate(touch, after), last)
                _note(after, touch)
    return found


def _note(after: list[Touch], touch: Touch) -> None:
    """Remember a later touch, unless a wider one covers it."""
    same = [one for one in after if _same(one.path, touch.path)]
    if any(one.edits for one in same) or (not touch.edits and any(_covers(one, touch) for one in same)):
        return
    after.append(touch)


def _fate(touch: Touch, after: Sequence[Touch]) -> str:
    same = [one for one in after if _same(one.path, touch.path)]
    if any(one.edits for one in same):
        return EDITED
    return READ_AGAIN if any(_covers(one, touch) for one in same) else ""


def _covers(later: Touch, touch: Touch) -> bool:
    return not later.edits and later.first <= max(touch.first, 1) and later.last >= touch.last


def _base(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def find_overwritten(exchanges: Sequence[Exchange]) -> set[int]:
    """Return the exchanges that edited only files which later exchanges rewrote or deleted."""
    found: set[int] = set()
    later: dict[str, list[str]] = {}
    for at in range(len(exchanges) - 1, -1, -1):
        refused = {block.id for message in exchanges[at].messages for block in message.results if block.error}
        calls = [
            call for message in exchanges[at].messages for call in message.calls if call.id not in refused
        ]
        touches = [touch for call in calls for touch in touches_of(call.name, call.text)]
        edits = [touch for touch in touches if touch.edits]
        if edits and all(_is_in(touch.path, later) for touch in edits):
            found.add(at)
        for touch in edits:
            if touch.writes:
                later.setdefault(_base(touch.path), []).append(touch.path)
    return found


def _is_in(path: str, later: Mapping[str, Sequence[str]]) -> bool:
    return any(_same(path, one) for one in later.get(_base(path), ()))


def _same(one: str, other: str) -> bool:
    """Return whether two paths name one file, where one may be relative."""
    first, second = (path.replace("\\", "/").removeprefix("./") for path in (one, other))
    return first == second or first.endswith(f"/{second}") or second.endswith(f"/{first}")


def name_reading(reading: FileReading) -> str:
    """Return the name of a read file."""
    return " ".join(_base(reading.path).split())[:_LONGEST]
