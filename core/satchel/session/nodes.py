"""The elements of a session: nodes on one chain, each sealed by a hash over all its content."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from satchel.errors import SatchelError, UsageError
from satchel.patterns import lazily
from satchel.spelling import join_reason

MESSAGE = "message"
COMPACTION = "compaction"
STARTS, ENDS = 1, 2
"""Flags of a node: it begins a step of undo; it is an answer that ends a turn."""
_OWN_STEPS = frozenset({COMPACTION, "pin", "unpin", "read_only", "writable"})
"""Kinds, besides messages, that a person creates with one command and takes back with one."""
_ID = lazily(r"(\d{1,12})\.(\d{1,15})\.[0-9a-f]{16}", re.ASCII)
_LONGEST_NAME = 200
_KIND = lazily(r"[a-z][a-z0-9_]{0,39}", re.ASCII)


POOL_PREFIX = "pool:"
"""Prefix of the name of a pool's session: a pool has all promises of a session."""


class SessionError(SatchelError):
    """A session can't be found, read, moved or written."""

    def __init__(self, session: str, reason: str) -> None:
        self.session, self.reason = session, reason
        kind = "pool" if session.startswith(POOL_PREFIX) else "session"
        super().__init__(join_reason(f"{kind} {session.removeprefix(POOL_PREFIX)!r}", reason))


class DamageError(SatchelError):
    """Kept content differs from the written content; it is named and never served."""

    def __init__(self, place: str, reason: str) -> None:
        self.place, self.reason = place, reason
        super().__init__(join_reason(place, reason))


class Node(NamedTuple):
    """One thing that happened in a session: a message, a compaction, a pin, an edit."""

    id: str
    parent: str
    """The node before it on its branch, "" for the first."""
    kind: str
    at: float
    """Seconds since the epoch, by the clock of the session; the chain sets the order."""
    body: Any
    """JSON; for a message, exactly as it came in."""
    meta: Mapping[str, Any]
    """Counts and reported usage, which never appear in a window."""


class NodePlace(NamedTuple):
    """The place of a node: its run of nodes, and how many nodes its chain has up to it."""

    segment: int
    position: int


START = NodePlace(0, 0)
"""The place before the first node."""


class Row(NamedTuple):
    """A node as a store keeps it; `check` seals every field before it."""

    segment: int
    position: int
    parent: str
    kind: str
    at: float
    digest: bytes
    """BLAKE2b of the body."""
    meta: str
    flags: int
    nth: int
    """How many nodes of its kind the chain has up to it."""
    prior: int
    """Position of the previous node of its kind, 0 if there is none."""
    other: int
    """In a message: position of the newest node that is not a message, 0 if there is none."""
    tally: str
    """In all others: the chain's nodes of every other kind before it, `{kind: [count, position]}`."""
    check: str = ""
    content: bytes | None = None
    """The body, if it was requested."""

    @property
    def id(self) -> str:
        """Return the node's id: its place and its seal."""
        return f"{self.segment}.{self.position}.{self.check}"

    @property
    def place(self) -> NodePlace:
        """Return the place of the node."""
        return NodePlace(self.segment, self.position)

    def seal(self, origin: str) -> Row:
        """Return the row with the seal for a session of that origin."""
        return self._replace(check=seal(origin, *self[:12]))


def seal(*fields: object) -> str:
    """Return a hash over values and their types."""
    return hashlib.blake2b(ascii(fields).encode("ascii"), digest_size=8).hexdigest()


def digest(content: bytes) -> bytes:
    """Return the address of a body."""
    return hashlib.blake2b(content, digest_size=16).digest()


def place_of(node_id: str) -> NodePlace:
    """Return the place of the node with an id; UsageError if it is not an id."""
    found = _ID.fullmatch(node_id)
    if not found:
        raise UsageError(f"{node_id!r} is not an id of a node; satchel session log lists them")
    return NodePlace(int(found[1]), int(found[2]))


def is_id(text: str) -> bool:
    """Return whether a text has the form of a node's id."""
    return bool(_ID.fullmatch(text))


def check_kind(kind: str) -> str:
    """Return the kind; UsageError if it is not a word in small letters."""
    if not _KIND.fullmatch(kind):
        raise UsageError(
            f"{kind!r} is not a kind of a node: use up to 40 small letters, digits and underscores"
        )
    return kind


def check_name(name: str, what: str) -> str:
    """Return a name; UsageError if it is empty, too long or can't be shown."""
    if not name.strip() or name != name.strip() or len(name) > _LONGEST_NAME:
        raise UsageError(
            f"{name[:40]!r} can't name a {what}: use 1 to {_LONGEST_NAME} characters, no spaces at the ends"
        )
    if not name.isprintable():
        raise UsageError(f"{name[:40]!r} can't name a {what}: it holds characters that can't be shown")
    return name


def encode(value: object, what: str) -> bytes:
    """Return a value as compact JSON; UsageError that calls it `what` if that is not possible."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"{what} can't be kept as JSON: {' '.join(str(error).split())[:200]}") from None
    return text.encode("utf-8", "surrogatepass")


def decode(content: bytes) -> Any:
    """Return the value of a body."""
    return json.loads(content.decode("utf-8", "surrogatepass"))


def flags_of(kind: str, body: Any, before: Row | None) -> int:
    """Return whether a node begins a step of undo and whether it ends a turn.

    A step begins with a person's message, with the first node after an answer that ended a turn, with a
    compaction, and with a person's command.
    """
    if kind != MESSAGE or not isinstance(body, Mapping):
        return STARTS if kind in _OWN_STEPS else 0
    answered = before is not None and bool(before.flags & ENDS)
    starts = (
        STARTS
        if (body.get("role") == "user" and not _only_results(body.get("content")))
        or (answered and body.get("role") != "tool")
        else 0
    )
    return starts | (ENDS if (body.get("role") == "assistant" and not _has_calls(body)) else 0)


def _has_calls(message: Mapping[str, Any]) -> bool:
    if message.get("tool_calls") or message.get("function_call"):
        return True
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return any(isinstance(block, Mapping) and block.get("type") == "tool_use" for block in blocks)


def _only_results(content: object) -> bool:
    if not isinstance(content, list) or not content:
        return False
    return all(isinstance(block, Mapping) and block.get("type") == "tool_result" for block in content)
