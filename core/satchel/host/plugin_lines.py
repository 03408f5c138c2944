"""Find the line of a plugin at which its call fails, or hangs, even if it lets no other Python code run."""

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

    @property
    def place(self) -> str:
        """Return the file's name and the line."""
        return f"{self.file.replace(chr(92), '/').rpartition('/')[2]}:{self.line}"


def find_line_of_error(error: BaseException) -> str:
    """Return the plugin's line from which an exception came: ` (notes.py:12)`, "" if unknown.

    Where no plugin was called, that is the line that raised it.
    """
    frames: list[_Frame] = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        frames.append(_Frame(code.co_filename, trace.tb_lineno, code.co_name))
        trace = trace.tb_next
    frames.reverse()
    found = _find_own(frames) or next(iter(frames), None)
    return f" ({found.place})" if found is not None and found.file != _CALLER else ""


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
    found = _find_own(newest_first)
    if found is None:
        return ""
    what = "while it is imported" if found.function == "<module>" else f"in {found.function}"
    return f" {what} ({found.place})"


def _find_own(newest_first: Iterable[_Frame]) -> _Frame | None:
    """Return the newest frame of the plugin that satchel called, not one of a library that it calls.

    Its files are those in the folder of the first one; only that file where the folder is on the import path.
    """
    frames = [frame for frame in newest_first if not frame.file.startswith("<frozen importlib")]
    calls = [at for at, frame in enumerate(frames) if frame.file == _CALLER and frame.function == "_run_call"]
    own = [frame for frame in frames[: calls[0] if calls else 0] if not frame.file.startswith(_SATCHEL)]
    if not own:
        return None
    folder = os.path.dirname(own[-1].file)
    home = own[-1].file if folder in sys.path else folder + os.sep
    return next(frame for frame in own if frame.file.startswith(home))
