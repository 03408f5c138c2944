"""Terminal entries of a session: outputs of commands, shown shorter as newer ones come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from satchel.archive import Archive, ArchiveError
from satchel.events import OutputCompressed
from satchel.output.squeezing import LADDER, Squeezed, decode_stream, squeeze_for_each
from satchel.shared_archive import open_archive
from satchel.spelling import format_count

if TYPE_CHECKING:
    from satchel.session.nodes import Node
    from satchel.session.session import Session

KIND = "entry"
SHOWN = 50
"""Entries that a window looks at; older ones are only counted."""
_DIGITS = 12


@attrs.frozen
class Entry:
    """The output of one command."""

    node: str
    number: int
    """Number in the branch, from 1: each entry has its own."""
    at: float
    command: str
    exit_code: int | None
    lines: int
    pointer: str
    """`blob:HASH` of the whole output, "" if it was empty."""
    shown: tuple[str, ...]
    """The output in at most 3,000, 1,000, 300 and 120 tokens."""

    def level(self, age: int) -> int:
        """Return its index in `texts` after `age` newer entries."""
        return min(max(age, 0), len(self.shown))

    @property
    def texts(self) -> tuple[str, ...]:
        """Return its forms in a window, from most to least; the last is its address line."""
        head = self.headline
        return (*(f"{head}\n{text}" for text in self.shown), f"{head}\n")

    @property
    def headline(self) -> str:
        """Return the line that names it."""
        code = "" if self.exit_code is None else f", exit code {self.exit_code}"
        where = f", satchel expand {self.pointer}" if self.pointer else ""
        size = format_count(self.lines, "line")
        return f"$ {self.command or 'unknown command'}   [entry {self.number}{code}, {size}{where}]"


def record_entry(
    session: Session,
    pieces: Iterable[bytes],
    *,
    command: str = "",
    exit_code: int | None = None,
    store: str | Path | None = None,
) -> Entry:
    """Record a command's output: the whole goes into the archive, four shortened texts into the session.

    Args:
        session: where it is recorded.
        pieces: the output as it comes, of any size.
        command: the command line.
        exit_code: of the command.
        store: folder of the archive.

    Raises:
        ArchiveError: the output can't be kept, so that it may not be cut.
    """
    archive = open_archive(store)
    hash_ = _archive_output(pieces, archive)
    steps = _squeeze_output(archive, hash_, command, exit_code)
    pointer = f"blob:{hash_[:_DIGITS]}" if hash_ else ""
    body = {
        "command": " ".join(archive.scanners.redact(command).text.split()),
        "exit_code": exit_code,
        "lines": steps[0].lines,
        "pointer": pointer,
        "shown": [step.text for step in steps],
    }
    node = session.record(KIND, body)
    session.emit(OutputCompressed(str(body["command"]), steps[0].lines, steps[0].tokens, pointer))
    return _read(node, session.count(KIND))


def entries_of(session: Session, *, last: int = SHOWN) -> list[Entry]:
    """Return the newest entries of the branch, oldest first."""
    nodes = session.happenings(KIND, last=last)
    first = session.count(KIND) - len(nodes) + 1 if nodes else 1
    return [_read(node, number) for number, node in enumerate(nodes, start=first)]


def _read(node: Node, number: int) -> Entry:
    body: dict[str, Any] = {**node.body, "shown": tuple(node.body["shown"])}
    return Entry(node.id, number, node.at, **body)


def _archive_output(pieces: Iterable[bytes], archive: Archive) -> str:
    """Put the output, redacted, into the archive; return its hash, "" if there is none."""
    from satchel.output.cleaning import Hider

    hider, empty = Hider(archive.scanners), True
    writer = archive.writer()
    try:
        for clean in hider.stream(decode_stream(pieces)):
            empty = empty and not clean
            writer.write(clean.encode("utf-8", "surrogatepass"))
    except BaseException:
        writer.abandon()
        raise
    if empty:
        writer.abandon()
        return ""
    return writer.close()


def _squeeze_output(archive: Archive, hash_: str, command: str, exit_code: int | None) -> list[Squeezed]:
    pieces: Iterator[bytes] = archive.chunks(hash_) if hash_ else iter(())
    made = squeeze_for_each(pieces, LADDER, command=command, exit_code=exit_code, archive=archive)
    failed = [problem for one in made for problem in one.problems if problem.plugin == "archive"]
    if failed:
        raise ArchiveError(archive.folder, "; ".join(problem.error for problem in failed))
    return made
