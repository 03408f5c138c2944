"""Processes that are forked from one with the modules of satchel loaded, many times quicker than a start.

What a test says of the start itself (what is imported, how pipes are read) needs a process of its own.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

_SENDING = threading.Lock()
Stream = int | IO[Any] | None
"""Of a process: `subprocess.PIPE`, a file or its number, None for nothing."""


def run_satchel(
    words: Sequence[str],
    *,
    given: bytes | str = b"",
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    umask: int | None = None,
    out: str = "",
    err: str = "",
    timeout: float = 120,
    check: bool = False,
    code: str = "",
) -> subprocess.CompletedProcess[Any]:
    """Run a command of satchel, or Python code, to its end; return its exit code and what it printed.

    That is text or bytes, as `given` is, and nothing of what goes to a file of its own, `out` or `err`.

    Raises:
        CalledProcessError: it failed, with `check`.
        TimeoutExpired: it did not end in time, and was killed.
    """
    is_text = isinstance(given, str)
    with tempfile.TemporaryDirectory() as folder:
        streams = [Path(folder, name) for name in ("in", "out", "err")]
        for place, content in zip(streams, (given.encode() if is_text else given, b"", b""), strict=True):
            place.write_bytes(content)
        with contextlib.ExitStack() as stack:
            stdin, stdout, stderr = (
                stack.enter_context(open(place, mode))
                for place, mode in ((streams[0], "rb"), (out or streams[1], "wb"), (err or streams[2], "wb"))
            )
            process = start_satchel(
                words, stdin=stdin, stdout=stdout, stderr=stderr, env=env, cwd=cwd, umask=umask, code=code
            )
        with process:
            try:
                process.wait(timeout)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                raise
        printed: list[Any] = [place.read_bytes() for place in streams[1:]]
    if is_text:
        printed = [one.decode() for one in printed]
    done = subprocess.CompletedProcess(["satchel", *words], process.wait(), *printed)
    if check:
        done.check_returncode()
    return done


def start_satchel(
    words: Sequence[str],
    *,
    stdin: Stream = None,
    stdout: Stream = None,
    stderr: Stream = None,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    umask: int | None = None,
    code: str = "",
) -> subprocess.Popen[bytes] | Forked:
    """Start a command of satchel, or Python code that gets the words as its arguments."""
    environment = dict(os.environ if env is None else env)
    if not hasattr(os, "fork"):
        command = [sys.executable, *(("-c", code) if code else ("-m", "satchel")), *words]
        streams = {"stdin": stdin, "stdout": stdout, "stderr": stderr}
        return subprocess.Popen(command, cwd=cwd, env=environment, **streams)
    job = {"argv": list(words), "env": environment, "folder": str(cwd or Path.cwd()), "code": code}
    return Forked(job if umask is None else {**job, "umask": umask}, (stdin, stdout, stderr))


class Forked:
    """A process that was forked, with what tests use of `subprocess.Popen`; it leads a session of its own."""

    def __init__(self, job: Mapping[str, Any], streams: Sequence[Stream]) -> None:
        self.returncode: int | None = None
        ours: list[IO[bytes] | None] = []
        with contextlib.ExitStack() as stack:
            theirs = []
            for stream, asked in enumerate(streams):
                mine, its = _open_ends(asked, is_input=stream == 0)
                ours.append(mine)
                theirs.append(its)
                if asked is None or asked == subprocess.PIPE:
                    stack.callback(os.close, its)
            self._told, tells = os.pipe()
            stack.callback(os.close, tells)
            sentence = json.dumps(job).encode()
            with _SENDING:
                socket.send_fds(_server(), [b"%8d" % len(sentence)], [*theirs, tells])
                _server().sendall(sentence)
        self.stdin, self.stdout, self.stderr = ours
        self.pid = self._read_number()

    def poll(self) -> int | None:
        """Return the exit code, None as long as it runs."""
        if self.returncode is None and select.select([self._told], [], [], 0)[0]:
            self.returncode = self._read_number()
            os.close(self._told)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code when it has ended.

        Raises:
            TimeoutExpired: it did not end in so many seconds.
        """
        if self.returncode is None and not select.select([self._told], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired("satchel", timeout or 0)
        code = self.poll()
        assert code is not None
        return code

    def communicate(self, given: bytes = b"", timeout: float = 120) -> tuple[bytes | None, bytes | None]:
        """Give it its input; return what it printed, less than a pipe holds, when it has ended."""
        if self.stdin is not None:
            self.stdin.write(given)
            self.stdin.close()
        printed = [stream and stream.read() for stream in (self.stdout, self.stderr)]
        self.wait(timeout)
        self._close()
        return printed[0], printed[1]

    def send_signal(self, number: int) -> None:
        """Send a signal to it."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it, and what it has started in its session."""
        if self.poll() is None:
            os.killpg(self.pid, signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def _close(self) -> None:
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream is not None:
                stream.close()

    def _read_number(self) -> int:
        told = b""
        while not told.endswith(b"\n"):
            told += os.read(self._told, 1)
        return int(told)


def _open_ends(asked: Stream, *, is_input: bool) -> tuple[IO[bytes] | None, int]:
    """Return our end of a stream of a process, and the number of its own."""
    if asked is None:
        return None, os.open(os.devnull, os.O_RDONLY if is_input else os.O_WRONLY)
    if asked != subprocess.PIPE:
        return None, asked if isinstance(asked, int) else asked.fileno()
    reads, writes = os.pipe()
    return (os.fdopen(writes, "wb", 0), reads) if is_input else (os.fdopen(reads, "rb"), writes)


@functools.cache
def _server() -> socket.socket:
    """Start the process that forks, which ends with this one; return what it listens to."""
    ours, its = socket.socketpair()
    command = [sys.executable, str(Path(__file__).with_name("forking.py")), str(its.fileno())]
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[its.fileno()])
    its.close()
    atexit.register(_stop, server, ours)
    return ours


def _stop(server: subprocess.Popen[bytes], jobs: socket.socket) -> None:
    jobs.close()
    server.kill()
    server.wait()
