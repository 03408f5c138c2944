"""Find the line at which a plugin's call hangs, also where the call lets no other Python code run."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from satchel.patterns import lazily

_SATCHEL = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_CALLER = os.path.join(_SATCHEL, "host", "calling.py")
_FRAME = lazily(r'^  File "(.*)", line (\d+) in (.+)$')


class _Frame(NamedTuple):
    file: str
    line: int
    function: str


def find_line_of_thread(ident: int | None) -> str:
    """Return where the plugin stands whose call a thread makes: ` in gather (notes.py:12)`, "" if unknown."""
    frame = sys._current_frames().get(ident or 0)
    frames: list[_Frame] = []
    while frame is not None:
        frames.append(_Frame(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
        frame = frame.f_back
    return _describe_line(frames)


def find_line_in_dump(dump: str) -> str:
    """Return the same from the last of the tracebacks of all threads that `faulthandler` wrote."""
    threads = dump.rpartition("Timeout (")[2].split("most recent call first")
    return next(filter(None, (_describe_line(list(_parse_frames(thread))) for thread in threads)), "")


def _parse_frames(dump: str) -> Iterator[_Frame]:
    for line in dump.splitlines():
        found = _FRAME.match(line)
        if found:
            yield _Frame(found[1], int(found[2]), found[3])


def _describe_line(newest_first: Iterable[_Frame]) -> str:
    """Describe the plugin's line that satchel's call leads to, not one of a library that it calls."""
    frames = [frame for frame in newest_first if not frame.file.startswith("<frozen importlib")]
    calls = [at for at, frame in enumerate(frames) if frame.file == _CALLER and frame.function == "_run_call"]
    own = [frame for frame in frames[: calls[0] if calls else 0] if not frame.file.startswith(_SATCHEL)]
    if not own:
        return ""
    file, line, function = own[-1]
    what = "while it is imported" if function == "<module>" else f"in {function}"
    return f" {what} ({os.path.basename(file)}:{line})"
