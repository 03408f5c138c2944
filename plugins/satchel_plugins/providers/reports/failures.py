"""The common form of all reports: failures, and the text that shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import attrs

from satchel.plugin_api import lazily

LONGEST_LINE = 300
"""Most characters of a line that are kept."""
_ANSI = lazily(r"\x1b\[[0-9;?]{0,20}[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")


Row = tuple[str, Sequence[str], Sequence[str], int]
"""Message, body, places and count of a failure."""


@attrs.frozen
class Failure:
    """One thing that went wrong."""

    message: str
    """One line."""
    body: tuple[str, ...] = ()
    """Further lines: the traceback, the code that a compiler shows."""
    places: tuple[str, ...] = ()
    """`path:line` or `path:first-last` as the report writes them."""
    count: int = 1
    """How often the report has it."""


def to_row(failure: Failure) -> Row:
    """Return a failure as JSON takes it."""
    return failure.message, failure.body, failure.places, failure.count


def from_row(row: Row) -> Failure:
    """Return the failure of a row from JSON."""
    message, body, places, count = row
    return Failure(message, tuple(body), tuple(places), count)


class Report(NamedTuple):
    """A report of the workspace and its failures."""

    path: str
    kind: str
    """`log`, `junit`, `sarif` or `coverage`."""
    failures: tuple[Failure, ...]
    is_hidden: bool = False
    """Whether git ignores it."""


def clean_line(line: str) -> str:
    """Return a line without colours and controls, cut if it is endless."""
    line = _ANSI.sub("", line.replace("\t", "    ")).rstrip()
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]} ..."


def render_failure(failure: Failure, places: Sequence[str]) -> str:
    """Write a failure: its message at the margin, its places two columns in, the rest four.

    `places` are workspace paths with their lines.
    """
    times = f" ({failure.count} times)" if failure.count > 1 else ""
    lines = [
        f"{clean_line(failure.message).strip() or 'failure'}{times}",
        *(f"  at {place}" for place in places),
        *(f"    {clean_line(line)}".rstrip() for line in failure.body),
    ]
    return "\n".join(line for line in lines if line.strip()) + "\n"


def merge(failures: Sequence[Failure]) -> list[Failure]:
    """Join failures that are the same: a test's error and its line in the summary, a repeated message."""
    found: dict[str, Failure] = {}
    for failure in failures:
        key = _core(failure.message)
        before = found.get(key)
        found[key] = failure if before is None else _join(before, failure)
    return list(found.values())


_ERROR = lazily(r"\b[A-Za-z_][\w.]{0,80}(?:Error|Exception|Panic)\b.*")
_VARIES = lazily(r"0x[0-9a-f]+|\d+")


def _core(message: str) -> str:
    """Return the part of a message that is the same in all reports of one error."""
    error = _ERROR.search(message)
    core = error[0] if error is not None and len(error[0]) > 12 else message
    return _VARIES.sub("0", " ".join(core.split())[:200])


def _join(first: Failure, second: Failure) -> Failure:
    """Keep the longer message and the longer body; a summary line is not a second occurrence."""
    same = first.message.strip() == second.message.strip()
    return Failure(
        message=max(first.message, second.message, key=len),
        body=max(first.body, second.body, key=len),
        places=tuple(dict.fromkeys((*first.places, *second.places)))[:20],
        count=first.count + second.count if same else max(first.count, second.count),
    )
