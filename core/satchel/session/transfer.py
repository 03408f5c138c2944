"""Export and import: a session as JSON Lines, a line at a time, sealed from the first line to the last."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from satchel.errors import SatchelError, UsageError
from satchel.session.chains import Chain
from satchel.session.nodes import NodePlace, Row, check_kind, check_name, decode, digest, encode, place_of
from satchel.session.store import BRANCH, CHECKPOINT, Head, Known, Segment, Store, StoreReader, StoreWriter
from satchel.spelling import join_reason

if TYPE_CHECKING:
    from satchel.session.line import OpenBranch

SCHEMA = 1
_MOST = 1 << 50
"""Larger than every number of an export."""


NOTHING: Mapping[str, object] = MappingProxyType({})


class BrokenExportError(SatchelError):
    """The input is damaged or not an export; nothing was imported."""


class Imported(NamedTuple):
    """The result of an import."""

    session: str
    nodes: int
    branch: str
    head: str


class LineWriter:
    """Makes lines and keeps a hash of all of them."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=16)
        self._lines = 0

    def line(self, value: Mapping[str, object]) -> str:
        """Return a value as a line."""
        text = json.dumps(value, separators=(",", ":")) + "\n"
        self._hash.update(text.encode("ascii"))
        self._lines += 1
        return text

    def end(self) -> str:
        """Return the last line, which seals all before it."""
        return self.line({"end": self._lines, "hash": self._hash.hexdigest()})


def export(session: OpenBranch, stream: IO[str]) -> int:
    """Write the branches and checkpoints of a session with all their nodes; return the number of lines."""
    lines = 0
    with session.store.reading() as moment:
        for line in export_lines(moment, reload(moment, session)):
            stream.write(line)
            lines += 1
    return lines


def reload(moment: StoreReader, session: OpenBranch) -> Known:
    """Return a session as it is now."""
    known = moment.session(session.id)
    if known is None:
        raise SatchelError(f"session {session.id!r} is gone from {session.store.place}")
    return known


def export_lines(moment: StoreReader, known: Known, *, more: Mapping[str, object] = NOTHING) -> Iterator[str]:
    """Yield the lines of a session's heads and nodes, with `more` in the first; redo is not exported."""
    heads = [*moment.heads(known.number, BRANCH), *moment.heads(known.number, CHECKPOINT)]
    out = LineWriter()
    told = {"session": known.name, "origin": known.origin, "created": known.created, "branch": known.branch}
    yield out.line({"satchel": "session", "schema": SCHEMA, **told, **more})
    for head in heads:
        held = {"at": head.at, "home": head.home, "since": head.since}
        yield out.line({head.role: head.name, "head": head.node} | {k: v for k, v in held.items() if v})
    for segment, last in _runs(moment, known, heads):
        yield out.line({"run": segment.number, "parent": segment.parent, "fork": segment.fork})
        chain = Chain(moment, known, _id_at(moment, known, segment.number, last))
        for row in chain.oldest(after=segment.fork, content="*"):
            yield out.line(describe_row(row))
    yield out.end()


def _id_at(moment: StoreReader, known: Known, number: int, position: int) -> str:
    row = moment.row(known, NodePlace(number, position))
    if row is None:
        raise SatchelError(f"session {known.name!r}: node {position} of run {number} is missing in the store")
    return row.id


def _runs(moment: StoreReader, known: Known, heads: list[Head]) -> list[tuple[Segment, int]]:
    """Return each segment that the heads reach, and how far, parents first."""
    found: dict[int, tuple[Segment, int]] = {}
    for head in dict.fromkeys(head.node for head in heads if head.node):
        for segment, last in Chain(moment, known, head).runs():
            held = found.get(segment.number)
            if held is not None and held[1] >= last:
                break
            found[segment.number] = segment, last
    return [found[number] for number in sorted(found)]


def describe_row(row: Row) -> dict[str, Any]:
    """Return the values for the line of a node."""
    told: dict[str, Any] = {"id": row.id, "parent": row.parent, "kind": row.kind, "at": row.at}
    if row.meta:
        told["meta"] = json.loads(row.meta)
    counts = [row.flags, row.nth, row.prior, row.other]
    if row.tally:
        counts.append(json.loads(row.tally))
    return told | {"counts": counts, "body": decode(row.content or b"null")}


class Reader:
    """Reads an export; every line is checked before it is yielded, the whole at its end.

    Raises:
        BrokenExportError: a line is damaged, missing or not a line of an export.
    """

    def __init__(self, lines: Iterable[bytes], source: str) -> None:
        self._lines, self._source = lines, source
        self._hash = hashlib.blake2b(digest_size=16)
        self._line = 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield all lines except the seal at the end."""
        ended = False
        for self._line, raw in enumerate(self._lines, 1):  # noqa: B020 (the number is told in errors)
            if ended:
                raise self.wrong("comes after the end")
            value = self._value(raw)
            if "end" in value:
                if value != {"end": self._line - 1, "hash": self._hash.hexdigest()}:
                    raise self.wrong("the lines before it are not those that were written")
                ended = True
                continue
            self._hash.update(raw.rstrip(b"\r\n") + b"\n")
            yield value
        if not ended:
            self._line += 1
            raise self.wrong("the end is missing: it was cut short")

    def _value(self, raw: bytes) -> dict[str, Any]:
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError):
            raise self.wrong("is not JSON") from None
        if not isinstance(value, dict):
            raise self.wrong("is not an object")
        return value

    def wrong(self, what: str) -> BrokenExportError:
        """Return the error for the line that was read last."""
        return BrokenExportError(
            f"{self._source}: {join_reason(f'line {self._line}', what)}; nothing was imported"
        )

    def row(self, value: dict[str, Any], origin: str) -> Row:
        """Return the node of a line, compared with its id."""
        try:
            row = read_row(value).seal(origin)
        except (KeyError, TypeError, ValueError, UsageError, OverflowError):
            raise self.wrong("is not a node of a session") from None
        if row.id != value["id"]:
            raise self.wrong("is not as it was written")
        return row

    def text(self, value: dict[str, Any], key: str) -> str:
        """Return a text of a line."""
        found = value.get(key, "")
        if not isinstance(found, str):
            raise self.wrong(f"{key!r} is not text")
        return found

    def number(self, value: dict[str, Any], key: str) -> int:
        """Return a whole number of a line."""
        found = value.get(key)
        if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found < _MOST:
            raise self.wrong(f"{key!r} is not a number")
        return found

    def segment(self, value: dict[str, Any]) -> Segment:
        """Return the run of nodes of a line."""
        segment = Segment(*(self.number(value, key) for key in ("run", "parent", "fork")))
        if segment.parent >= segment.number:
            raise self.wrong("goes on from a run after it")
        return segment

    def head(self, value: dict[str, Any]) -> Head:
        """Return the branch or checkpoint of a line."""
        role = BRANCH if BRANCH in value else CHECKPOINT
        at = value.get("at", 0.0)
        if not isinstance(at, int | float):
            raise self.wrong("'at' is not a time")
        text = [self.text(value, key) for key in (role, "head", "home", "since")]
        try:
            check_name(text[0], role)
        except UsageError as error:
            raise self.wrong(str(error)) from None
        return Head(role, text[0], text[1], float(at), home=text[2], since=text[3])


def read_row(value: Mapping[str, Any]) -> Row:
    """Return the node of a line, not sealed yet; KeyError, TypeError or ValueError if it is not a node."""
    flags, nth, prior, other, *tally = value["counts"]
    numbers = [
        flags,
        nth,
        prior,
        other,
        *(one for pair in (tally[0] if tally else {}).values() for one in pair),
    ]
    if not all(type(one) is int and 0 <= one < _MOST for one in numbers) or not isinstance(
        value["parent"], str
    ):
        raise TypeError("no counts")
    content = encode(value["body"], "the body")
    meta = encode(value["meta"], "the meta").decode("utf-8", "surrogatepass") if "meta" in value else ""
    return Row(
        *place_of(value["id"]),
        value["parent"],
        check_kind(value["kind"]),
        float(value["at"]),
        digest(content),
        meta,
        flags,
        nth,
        prior,
        other,
        json.dumps(tally[0], separators=(",", ":")) if tally else "",
        content=content,
    )


def bring(store: Store, lines: Iterable[bytes], *, source: str, name: str = "") -> Imported:
    """Read an export into a store, all or nothing.

    Args:
        store: the store to write to.
        lines: the output of `export`.
        source: the name of the lines, for messages.
        name: the session's new name; its own by default.

    Raises:
        BrokenExportError: it is damaged.
        SatchelError: there is a session of that name.
    """
    reader = Reader(lines, source)
    told = iter(reader)
    first = next(told, {})
    known = session_of(reader, first, name)
    with store.writing() as moment:
        if moment.session(known.name) is not None:
            raise SatchelError(
                f"session {known.name!r} is in {store.place} already; choose another name with --session"
            )
        known = moment.put_session(known)
        nodes = bring_lines(moment, known, reader, told)
        head = moment.head(known.number, BRANCH, known.branch)
        if head is None:
            raise BrokenExportError(f"{source} has no branch {known.branch!r}; nothing was imported")
        for one in (*moment.heads(known.number, BRANCH), *moment.heads(known.number, CHECKPOINT)):
            _check_head(moment, known, one, source)
    return Imported(known.name, nodes, known.branch, head.node)


def session_of(reader: Reader, first: dict[str, Any], name: str = "") -> Known:
    """Return the session in the first line of an export."""
    if first.get("satchel") != "session":
        raise reader.wrong("is not a beginning of an export of satchel session")
    if first.get("schema") != SCHEMA:
        raise reader.wrong(f"is of schema {first.get('schema')!r}, this satchel reads {SCHEMA}")
    session = check_name(name or reader.text(first, "session"), "session")
    created = first.get("created", 0.0)
    return Known(
        0,
        session,
        reader.text(first, "origin"),
        float(created) if isinstance(created, float) else 0.0,
        reader.text(first, "branch"),
    )


def bring_lines(moment: StoreWriter, known: Known, reader: Reader, told: Iterable[dict[str, Any]]) -> int:
    """Put the lines of an export into a session; return the number of nodes."""
    nodes = 0
    for value in told:
        if "id" in value:
            moment.put_row(known, reader.row(value, known.origin))
            nodes += 1
        elif "run" in value:
            segment = reader.segment(value)
            moment.put_segment(known.number, segment)
        elif BRANCH in value or CHECKPOINT in value:
            moment.put_head(known.number, reader.head(value))
        else:
            raise reader.wrong("is not a line of an export")
    return nodes


def _check_head(moment: StoreReader, known: Known, head: Head, source: str) -> None:
    if head.node:
        row = moment.row(known, place_of(head.node))
        if row is None or row.id != head.node:
            raise BrokenExportError(f"{source}: {head.role} {head.name!r} has no nodes; nothing was imported")
