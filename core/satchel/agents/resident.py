"""A process that keeps a workspace's index fresh, so that a hook's answer costs a fifth of a second.

A hook asks it through a socket in satchel's cache folder, which only the user may open, and starts it if
it is not running. It ends after ten minutes without a question, or if its socket or its workspace is gone.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from satchel.errors import SatchelError
from satchel.private_files import cache_folder, make_private_folder, open_nonblocking, why_foreign

if TYPE_CHECKING:
    from satchel.packing.bundle import Bundle
    from satchel.packing.indexing.watching import Watch

_IDLE_SECONDS = 600.0
_TICK_SECONDS = 2.0
_LOOK_SECONDS = 0.05
_LONGEST_NAME = 100
"""Bytes that a socket's path may have: systems allow 104 or 108."""
_MOST_BYTES = 4 << 20
_FAMILY = getattr(socket, "AF_UNIX", None)
"""None on systems without sockets in the file system."""


def _folder() -> Path:
    return cache_folder() / "resident"


def socket_of(root: Path) -> Path | None:
    """Return the place of a workspace's socket, None if sockets can't be used.

    It depends on satchel's version and settings in the environment: other ones have another process.
    """
    from satchel import __version__

    settings = sorted((name, value) for name, value in os.environ.items() if name.startswith("SATCHEL_"))
    told = json.dumps([str(root), __version__, sys.prefix, settings])
    path = _folder() / f"{hashlib.sha256(told.encode('utf-8', 'replace')).hexdigest()[:16]}.sock"
    return path if _FAMILY is not None and len(os.fsencode(path)) <= _LONGEST_NAME else None


def _lock_of(path: Path) -> Path:
    return path.with_suffix(".lock")


def ask(root: Path, request: dict[str, Any], *, wait_seconds: float) -> dict[str, Any] | None:
    """Return the answer of a workspace's process, which is started if needed.

    Args:
        root: the workspace's folder, resolved.
        request: the request, as `answer` takes it.
        wait_seconds: how long to wait for the process to be ready and to answer.

    Returns:
        The answer, None if there was none in time.
    """
    path = socket_of(root)
    if path is None:
        return None
    until = time.monotonic() + wait_seconds
    started: subprocess.Popen[bytes] | None = None
    while True:
        with contextlib.suppress(OSError, ValueError):
            return _ask_once(path, request, until)
        if started is None:
            started = start(root)
        elif started.poll() is not None and not path.exists() and not _lock_of(path).exists():
            return None  # it can't be started, and no other one is under way
        if time.monotonic() > until:
            return None
        time.sleep(_LOOK_SECONDS)


def _ask_once(path: Path, request: dict[str, Any], until: float) -> dict[str, Any]:
    assert _FAMILY is not None  # noqa: S101 - told to the type checker; `socket_of` looked
    if reason := why_foreign(path.parent):
        raise OSError(None, reason, str(path))
    with socket.socket(_FAMILY) as line:
        line.settimeout(max(0.1, until - time.monotonic()))
        line.connect(str(path))
        line.sendall(json.dumps(request).encode() + b"\n")
        line.shutdown(socket.SHUT_WR)
        answer = json.loads(_read_all(line))
    if not isinstance(answer, dict):
        raise ValueError("not an answer")
    return answer


def _read_all(line: socket.socket) -> bytes:
    pieces: list[bytes] = []
    while (piece := line.recv(1 << 16)) and sum(map(len, pieces)) < _MOST_BYTES:
        pieces.append(piece)
    return b"".join(pieces)


def start(root: Path) -> subprocess.Popen[bytes]:
    """Start a workspace's process, which outlives this one."""
    command = [sys.executable, "-P", "-m", "satchel", "hook", "serve", "--root", str(root)]
    null = subprocess.DEVNULL
    return subprocess.Popen(  # noqa: S603  our own program, with this interpreter
        command, stdin=null, stdout=null, stderr=null, cwd="/", start_new_session=True
    )


def serve(root: Path, *, idle_seconds: float = _IDLE_SECONDS) -> None:
    """Answer questions about a workspace until nobody has asked for a while.

    Raises:
        OSError: the socket can't be made.
        WorkspaceError: the root is not a folder.
    """
    path = socket_of(root)
    if path is None or _FAMILY is None:
        return
    make_private_folder(path.parent)
    with _only_one(path) as is_only, socket.socket(_FAMILY) as door:
        if not is_only:
            return
        path.unlink(missing_ok=True)
        from satchel.packing.indexing.watching import watch

        with watch(root) as watched:
            watched.pack("where does it start", budget=500)  # loads what every pack needs
            door.bind(str(path))
            path.chmod(0o600)
            door.listen(16)
            door.settimeout(_TICK_SECONDS)
            try:
                _answer_all(door, path, watched, idle_seconds)
            finally:
                path.unlink(missing_ok=True)


@contextlib.contextmanager
def _only_one(path: Path) -> Iterator[bool]:
    """Hold the lock of a socket; yield whether it was free."""
    import fcntl

    number = open_nonblocking(str(_lock_of(path)), os.O_RDWR | os.O_CREAT)
    try:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
            return
        try:
            yield True
        finally:
            _lock_of(path).unlink(missing_ok=True)
    finally:
        os.close(number)


def _answer_all(door: socket.socket, path: Path, watched: Watch, idle_seconds: float) -> None:
    asked = time.monotonic()
    while time.monotonic() - asked < idle_seconds and path.exists() and watched.root.is_dir():
        try:
            line, _ = door.accept()
        except TimeoutError:
            continue
        with line, contextlib.suppress(OSError, ValueError):
            line.settimeout(_TICK_SECONDS)
            request = json.loads(_read_all(line))
            if request.get("stop"):
                return
            line.sendall(json.dumps(answer(request, watched.pack)).encode())
            asked = time.monotonic()


def answer(request: dict[str, Any], pack: Callable[..., Bundle]) -> dict[str, Any]:
    """Return the answer to a request: `{"prompt": TEXT}`, or `{"changed": TEXT}` at a session's start.

    Args:
        request: the request.
        pack: packs the workspace for a task, as `satchel.pack` does.
    """
    from satchel.agents.prompts import choose_context, start_context

    try:
        if "changed" in request:
            return {"context": start_context(request["changed"], lambda: _pack_changes(pack))}
        return {"context": choose_context(str(request.get("prompt", "")), pack)}
    except (SatchelError, OSError) as error:
        return {"context": "", "error": str(error)}


def _pack_changes(pack: Callable[..., Bundle]) -> Bundle | None:
    """Return a small pack of the uncommitted changes, None if there is no commit to compare with."""
    from satchel.agents.prompts import BUDGET
    from satchel.packing.bundle import PackOptions

    try:
        return pack("the uncommitted changes", budget=BUDGET, options=PackOptions(since="HEAD"))
    except SatchelError:
        return None


def stop_all() -> None:
    """End all processes of this user's cache folder, and remove their files."""
    import shutil

    folder = _folder()
    for path in folder.glob("*.sock"):
        with contextlib.suppress(OSError, ValueError):
            _ask_once(path, {"stop": True}, time.monotonic() + _TICK_SECONDS)
    if folder.is_dir() and not why_foreign(folder):
        shutil.rmtree(folder, ignore_errors=True)
