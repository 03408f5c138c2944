"""The one line of `satchel show --line`: kept, estimated when its file has grown, counted in the background.

Imported before anything else of satchel, so it imports little itself: a prompt asks again and again.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from satchel import __version__
from satchel.open_flags import NO_FOLLOW
from satchel.private_files import (
    cache_folder,
    make_private_folder,
    read_record,
    user_config_file,
    write_record,
)

_SETTINGS = ("satchel.toml", "pyproject.toml", "llm_context.json")
_VALUES = ("--model", "--window")
_FLAGS = ("--line", "--latest", "--exact")
_MARK_BYTES = 4_096
"""Bytes at the beginning and at the end of the counted content, which identify it."""
_LARGE_BYTES = 2_000_000
"""Size of a file from which a prompt does not wait for the first count."""
_BASE64 = re.compile(rb"[A-Za-z0-9+/=]{4000,}")
"""A picture or document: its tokens do not depend on its length."""
_BASE64_TOKENS = 1_600
_REST = 10
"""Counts in the background take at most one tenth of a processor."""
_ESTIMATED = "~"


class LineAsked(NamedTuple):
    """The inputs of a line; equal inputs have the same line."""

    file: str
    model: str = ""
    window: str = ""
    states: tuple[tuple[int, int], ...] = ()
    """Time and size of the file and of each settings file, before they were read."""
    mark: str = ""
    """Of the file's content, before it was read."""

    @property
    def place(self) -> Path:
        """Return the place of the stored line."""
        env = sorted(item for item in os.environ.items() if item[0].startswith("SATCHEL_"))
        key = repr((__version__, self[:3], os.getcwd(), env)).encode("utf-8", "surrogateescape")
        return cache_folder() / "lines" / f"{_checksum(key, key[::-1])}.json"

    @property
    def size(self) -> int:
        """Return the bytes of the file."""
        return self.states[0][1] if self.states else 0

    @property
    def words(self) -> list[str]:
        """Return the command line that counts it."""
        given = zip(_VALUES, (self.model, self.window), strict=True)
        more = [word for name, value in given if value for word in (name, value)]
        return ["show", self.file, "--line", "--exact", *more]


class LineCount(NamedTuple):
    """The numbers of a line."""

    tokens: int
    window: int
    sections: tuple[tuple[str, int], ...]
    """Name and tokens."""
    share: float = 1.0
    """Share of the file in the window; the rest came before a compaction."""


def format_line(count: LineCount, *, is_estimated: bool = False) -> str:
    """Return the line: the used share, each section's share of it, and the free rest."""
    mark = _ESTIMATED if is_estimated else ""
    used = count.tokens / count.window if count.window else 0.0
    whole = max(1, sum(tokens for _, tokens in count.sections))
    parts = " ".join(f"{name} {100 * tokens / whole:.0f}" for name, tokens in count.sections)
    free = max(0, count.window - count.tokens)
    told = f"{free / 1_000:.0f}k" if free >= 1_000 else str(free)
    return " | ".join(filter(None, (f"{mark}{used:.0%}", parts, f"{mark}{told} free"))) + "\n"


def ask(file: str, model: str = "", window: str = "") -> LineAsked:
    """Return the inputs of a line for a file."""
    person = user_config_file()
    path = Path(file).expanduser()
    states = tuple(map(_state, (path, *map(Path, _SETTINGS), person, person.parent)))
    return LineAsked(file, model, window, states, _read_mark(path, states[0][1]))


def recall_line(words: Sequence[str]) -> str:
    """Return the line that a command line of `show` prints, "" if it has to be counted first.

    A file that has grown is estimated, and counted in the background for the next time.
    """
    asked = _parse(words)
    if asked is None:
        return ""
    record = read_record(asked.place)
    line, states = record.get("line"), [list(state) for state in asked.states]
    if isinstance(line, str) and record.get("states") == states:
        return line
    if "--exact" in words:
        return ""
    known = _find_known_part(asked, record)
    if known is None and asked.size < _LARGE_BYTES:
        return ""
    if not count_in_background(asked, known[2] if known else 0.0):
        return ""
    if known is None:
        return f"counting {asked.size / 1_000_000:.0f} MB, ask again\n"
    numbers, size, _ = known
    appended = _read(Path(asked.file).expanduser(), size)
    return format_line(estimate_count(numbers, size=size, appended=appended), is_estimated=True)


def keep_line(asked: LineAsked, count: LineCount, line: str) -> None:
    """Store a line for the next time, if the cache can be written."""
    record = {
        "states": asked.states,
        "line": line,
        "mark": asked.mark,
        "count": count,
        "seconds": time.process_time(),
    }
    write_record(asked.place, record)


def estimate_count(known: LineCount, *, size: int, appended: bytes) -> LineCount:
    """Return the numbers of a grown file: the counted ones, and about as much for each byte more.

    Args:
        known: the counted numbers.
        size: bytes of the file that were counted.
        appended: the new bytes.
    """
    short = _BASE64.sub(b"", appended)
    pictures = len(_BASE64.findall(appended))
    of_window = max(1.0, size * known.share)
    more = round(len(short) * known.tokens / of_window) + _BASE64_TOKENS * pictures
    return known._replace(tokens=known.tokens + more)


def count_in_background(asked: LineAsked, seconds: float = 0.0) -> bool:
    """Start a process that counts a line, unless one is running; return whether it will be counted.

    Args:
        asked: the line.
        seconds: duration of the last count; the next one waits for ten times as long.
    """
    if not hasattr(os, "posix_spawn"):
        return False
    import fcntl

    place = asked.place.with_suffix(".lock")
    try:
        make_private_folder(place.parent)
        lock = os.open(place, os.O_RDWR | os.O_CREAT | NO_FOLLOW, 0o600)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        since = time.time() - os.fstat(lock).st_mtime
        if os.fstat(lock).st_size and 0 <= since < _REST * seconds:
            return True
        os.ftruncate(lock, 0)
        os.write(lock, b"\n")
        # The process holds the lock until it ends.
        os.set_inheritable(lock, True)  # noqa: FBT003  it takes no keywords
        _spawn([sys.executable, "-P", "-m", "satchel", *asked.words])
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(lock)
    return True


def _spawn(command: list[str]) -> None:
    """Start a process of its own, that reads and prints nothing; it is not waited for."""
    null = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0o600) for number in range(3)]
    try:
        os.posix_spawn(command[0], command, os.environ, file_actions=null, setsid=True)
    except NotImplementedError:  # the system has no such flag
        os.posix_spawn(command[0], command, os.environ, file_actions=null, setpgroup=0)


def _find_known_part(asked: LineAsked, record: dict[str, Any]) -> tuple[LineCount, int, float] | None:
    """Return the count of a file that has only grown since, its size, and the seconds of the count.

    None if the file, or a settings file, has changed otherwise.
    """
    try:
        (_, size), *settings = record["states"]
        tokens, window, sections, share = record["count"]
        sections = tuple((str(name), int(part)) for name, part in sections)
        known = LineCount(tokens, window, sections, share), size, float(record["seconds"])
    except (KeyError, TypeError, ValueError):
        return None
    if settings != [list(state) for state in asked.states[1:]] or not 0 < size < asked.size:
        return None
    return known if _read_mark(Path(asked.file).expanduser(), size) == record.get("mark") else None


def _read_mark(path: Path, size: int) -> str:
    """Return a checksum of the first and last of `size` bytes, "" if there are none."""
    if not size:  # also anything but a regular file: reading it would take what others wait for
        return ""
    start = max(0, size - _MARK_BYTES)
    return _checksum(_read(path, 0, min(size, _MARK_BYTES)), _read(path, start, size - start))


def _checksum(one: bytes, other: bytes) -> str:
    """Return a checksum against chance, not against malice; hashlib takes 3 ms to load."""
    return f"{zlib.crc32(one):08x}{zlib.crc32(other):08x}"


def _read(path: Path, start: int, most: int = -1) -> bytes:
    try:
        with path.open("rb") as file:
            file.seek(start)
            return file.read(most)
    except OSError:
        return b""


def _parse(words: Sequence[str]) -> LineAsked | None:
    """Return the inputs of simple words, None for others."""
    given: dict[str, str] = {}
    waiting = iter(words)
    for word in waiting:
        if word in _VALUES:
            given[word] = next(waiting, "")
        elif word in _FLAGS:
            given[word] = word
        elif word.startswith("-") or "file" in given:
            return None
        else:
            given["file"] = word
    if "--line" not in given or ("file" in given) == ("--latest" in given):
        return None
    file = given.get("file", "")
    if not file:
        from satchel.showing.finding import find_latest

        file = str(find_latest(Path()) or "")
    return ask(file, *(given.get(name, "") for name in _VALUES)) if file else None


def _state(path: Path) -> tuple[int, int]:
    try:
        facts = path.stat()
    except OSError:
        return 0, 0
    return facts.st_mtime_ns, facts.st_size


_MOST_BYTES = 1 << 18
"""Most bytes of Claude Code's input, which has a few thousand; more is messages."""
_ASSUMED = 200_000


class StatusLine(NamedTuple):
    """The request for a status line."""

    words: list[str]
    """The command line of `show`, with the values from stdin."""
    line: str = ""
    """The line of a session that has no file yet."""


def read_status(words: Sequence[str]) -> StatusLine:
    """Return the words of `show --line` with Claude Code's values on stdin; other input stays there."""
    given = StatusLine(list(words))
    if not _reads_stdin(words) or os.isatty(0):
        return given
    told = _read_told()
    path = told.get("transcript_path")
    if not isinstance(path, str) or not os.path.isabs(path):
        return given
    model, around = told.get("model"), told.get("context_window")
    name = model.get("id") if isinstance(model, dict) else None
    size = around.get("context_window_size") if isinstance(around, dict) else None
    window = size if isinstance(size, int) and size > 0 else 0
    more = [path]
    if isinstance(name, str) and name and "--model" not in words:
        more += ["--model", name]
    if window and "--window" not in words:
        more += ["--window", str(window)]
    try:
        is_begun = os.path.getsize(path) > 0
    except OSError:
        is_begun = False
    line = "" if is_begun else format_line(LineCount(0, window or _ASSUMED, ()))
    return StatusLine([*words, *more], line)


def _reads_stdin(words: Sequence[str]) -> bool:
    """Return whether a command line names no file."""
    waiting = iter(words)
    for word in waiting:
        if word in ("--model", "--window"):
            next(waiting, "")
        elif word not in ("--line", "--exact", "-"):
            return False
    return True


def _read_told() -> dict[str, Any]:
    """Return the object on stdin, {} for anything else, which stays readable there."""
    pieces: list[bytes] = []
    try:
        while sum(map(len, pieces)) <= _MOST_BYTES and (piece := os.read(0, _MOST_BYTES)):
            pieces.append(piece)
        data = b"".join(pieces)
        told = json.loads(data) if data[:1] == b"{" and b'"transcript_path"' in data else None
    except (OSError, ValueError, RecursionError):
        told = None
    if isinstance(told, dict):
        return told
    _put_back(b"".join(pieces))
    return {}


def _put_back(data: bytes) -> None:
    """Put the bytes read from stdin back at its beginning."""
    import shutil  # a prompt has no time for it
    import tempfile

    with tempfile.TemporaryFile() as spool, open(0, "rb", closefd=False) as rest:
        spool.write(data)
        if len(data) > _MOST_BYTES:
            shutil.copyfileobj(rest, spool)
        spool.seek(0)
        os.dup2(spool.fileno(), 0)
