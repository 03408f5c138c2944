"""Pins and read-only files of a session: a fold over the pin and unpin nodes of the branch."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from satchel.errors import PointerError, UsageError
from satchel.paths import absolute
from satchel.pointers import parse
from satchel.session.nodes import is_id
from satchel.spelling import agree, format_count
from satchel.workspace.files.kinds import language_of

if TYPE_CHECKING:
    from satchel.session.session import Session

MESSAGE = "message:"
"""The prefix for the pin of a message: `message:3`, `message:-1`, `message:ID`."""
_GLOB = frozenset("*?[")
"""Characters of a glob; such a name may match files that do not exist yet."""
_ON, _OFF = {"pin": "pin", "read-only": "read_only"}, {"pin": "unpin", "read-only": "writable"}


@attrs.frozen
class Pin:
    """A file or message that must be in every window of the session."""

    ref: str
    """A file, lines or a symbol as `pack --pin` takes them, or `message:ID`."""
    message: Mapping[str, Any] | None = None
    """The pinned message as it came in."""


def pins_of(session: Session) -> list[Pin]:
    """Return the active pins, oldest first."""
    return [Pin(ref, body.get("message")) for ref, body in _fold(session, "pin").items()]


def read_only_of(session: Session) -> list[str]:
    """Return the paths and globs of the files that may be read but not changed."""
    return list(_fold(session, "read-only"))


def add_pin(session: Session, ref: str, root: str | Path | None = None) -> Pin:
    """Pin a file, lines, a symbol or a message; files are those of `root`, the session's own by default.

    Raises:
        PointerError: it names no file of the root, or no message.
        UsageError: it is pinned already.
    """
    folder = session.root if root is None else absolute(root)
    pin = _message_pin(session, ref) if ref.startswith(MESSAGE) else Pin(_file_pin(ref, folder))
    _refuse_again(session, "pin", pin.ref)
    body: dict[str, Any] = {"ref": pin.ref}
    if pin.message is not None:
        body["message"] = dict(pin.message)
    session.record("pin", body)
    return pin


def add_read_only(session: Session, ref: str, root: str | Path | None = None) -> str:
    """Make the files of a path or a glob read-only; a glob may match files that do not exist yet.

    With `root`, a path that does not exist below it is a PointerError.
    """
    wanted = ref.strip()
    if not wanted or wanted.startswith("/") or ".." in wanted.split("/"):
        raise UsageError(f"{ref!r} is not a path or glob below the root")
    if root is not None and not _GLOB.intersection(wanted) and not Path(root, wanted).exists():
        raise PointerError(ref, f"names no file or folder below {root}")
    _refuse_again(session, "read-only", wanted)
    session.record("read_only", {"ref": wanted})
    return wanted


def remove(session: Session, what: str, ref: str) -> None:
    """Remove a pin or read-only files, by the name that `list` shows; UsageError if it is not set."""
    held = _fold(session, what)
    if ref not in held:
        listed = ", ".join(held) or "nothing"
        raise UsageError(f"{ref!r} is not {_describe(what)}; {_describe(what)}: {listed}")
    session.record(_OFF[what], {"ref": ref})


def _describe(what: str) -> str:
    return "pinned" if what == "pin" else what


def _fold(session: Session, what: str) -> dict[str, Mapping[str, Any]]:
    """Return the active entries: the newest node for each decides."""
    held: dict[str, Mapping[str, Any]] = {}
    for node in session.happenings(_ON[what], _OFF[what]):
        ref = str(node.body["ref"])
        if node.kind == _ON[what]:
            held[ref] = node.body
        else:
            held.pop(ref, None)
    return held


def _refuse_again(session: Session, what: str, ref: str) -> None:
    if ref in _fold(session, what):
        raise UsageError(f"{ref!r} is {_describe(what)} already")


def _file_pin(ref: str, root: Path) -> str:
    """Return the pin as written; PointerError if it names a path that does not exist."""
    if not ref.strip():
        raise UsageError("the pin is empty; name a file, lines (src/app.py:10-40), a symbol, or message:N")
    path = parse(ref).path
    is_path = "/" in path or bool(language_of(path))
    if is_path and not (root / path).exists():
        raise PointerError(ref, f"names no file below {root}")
    return ref


def _message_pin(session: Session, ref: str) -> Pin:
    """Return the pin of a message, by its place from 0 (negative: from the end) or its id."""
    wanted = ref.removeprefix(MESSAGE)
    if is_id(wanted):
        node = session.node(wanted)
        if node.kind != "message":
            raise PointerError(ref, f"is a {node.kind}, not a message")
        return Pin(f"{MESSAGE}{node.id}", node.body)
    digits = wanted.removeprefix("-")
    if not digits.isascii() or not digits.isdecimal() or len(digits) > 12:
        raise UsageError(
            f"{ref!r} names no message; write message:0 for the first, message:-1 for the newest"
        )
    count, number = session.count(), int(wanted)
    back = -number if number < 0 else count - number
    if not 1 <= back <= count:
        raise PointerError(
            ref,
            f"there {agree(count, 'is', 'are')} {format_count(count, 'message')}, "
            f"from message:0 to message:{max(count - 1, 0)}",
        )
    node = session.message_nodes(last=back)[0]
    return Pin(f"{MESSAGE}{node.id}", node.body)
