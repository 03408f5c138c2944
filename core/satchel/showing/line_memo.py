"""The one line of `satchel show --line`, kept while nothing has changed: a prompt asks again and again.

Imported before anything else of satchel, so it imports little itself.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from satchel import __version__
from satchel.private_files import cache_folder, read_record, user_config_file, write_record

_SETTINGS = ("satchel.toml", "pyproject.toml", "llm_context.json")
_VALUES = ("--model", "--window")


class LineAsked(NamedTuple):
    """What a line is of; one that is equal in all of it is answered by the same line."""

    file: str
    model: str = ""
    window: str = ""
    states: tuple[tuple[int, int], ...] = ()
    """Time and size of the file and of each settings file, before they were read."""

    @property
    def place(self) -> Path:
        """Where the line is kept."""
        env = sorted(item for item in os.environ.items() if item[0].startswith("SATCHEL_"))
        key = repr((__version__, self[:3], os.getcwd(), env)).encode("utf-8", "surrogateescape")
        return cache_folder() / "lines" / f"{hashlib.blake2b(key, digest_size=16).hexdigest()}.json"


def ask(file: str, model: str = "", window: str = "") -> LineAsked:
    """Return what a line of a file would be of."""
    person = user_config_file()
    places = (Path(file).expanduser(), *map(Path, _SETTINGS), person, person.parent)
    return LineAsked(file, model, window, tuple(map(_state, places)))


def recall_line(words: Sequence[str]) -> str:
    """Return the line that a command line of `show` prints, "" where that is not known."""
    asked = _parse(words)
    if asked is None:
        return ""
    record = read_record(asked.place)
    line = record.get("line")
    is_same = record.get("states") == [list(state) for state in asked.states]
    return line if is_same and isinstance(line, str) else ""


def keep_line(asked: LineAsked, line: str) -> None:
    """Keep a line for the next time; a cache that can't be written is none."""
    write_record(asked.place, {"states": asked.states, "line": line})


def _parse(words: Sequence[str]) -> LineAsked | None:
    """Return what simple words ask for, None for all else."""
    given: dict[str, str] = {}
    waiting = iter(words)
    for word in waiting:
        if word in _VALUES:
            given[word] = next(waiting, "")
        elif word in ("--line", "--latest"):
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
