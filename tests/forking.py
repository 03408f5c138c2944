"""A server that forks for each job of `tests/processes.py`, so that the modules of satchel are loaded once.

A job comes over the socket whose number is the argument: the numbers of the three streams and of a pipe, and
JSON with the arguments, the environment, the folder, code where it is not the program, and a umask where
there is one. Into the pipe come a line with the number of the process, then one with its exit code.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import json
import os
import select
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def warm() -> None:
    """Load whatever a pack loads, by making one."""
    from satchel.cli import run

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a.py").write_text("def a():\n    return 1\n")
        os.environ.update(HOME=folder, SATCHEL_CACHE_DIR=f"{folder}/cache")
        run(["pack", "a", "--root", folder, "--format", "json"])


def start(job: dict[str, Any], streams: Sequence[int]) -> int:
    """Fork, run the job in the child, and return the child's number."""
    if job["argv"][:1] == ["mcp"]:
        with contextlib.suppress(ImportError):  # the SDK takes longer than all of satchel
            importlib.import_module("satchel.mcp_server.server")
    number = os.fork()
    if number:
        return number
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.umask(job.get("umask", os.umask(0)))
        for place, stream in enumerate(streams):
            os.dup2(stream, place)
        os.closerange(3, max(streams) + 2)
        os.chdir(job["folder"])
        os.environ.clear()
        os.environ.update(job["env"])
        sys.path[1:1] = filter(None, job["env"].get("PYTHONPATH", "").split(os.pathsep))
        importlib.invalidate_caches()
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
        sys.stdin = os.fdopen(0, closefd=False)
        sys.argv = ["-c" if job["code"] else "satchel", *job["argv"]]
        _run(job["code"])
    finally:
        os._exit(1)


def _run(code: str) -> None:
    """Run the program, or code, and end this process."""
    from satchel.__main__ import program

    if not code:
        program()
    exit_code = 0
    try:
        exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
    except SystemExit as ended:
        exit_code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
        exit_code = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(exit_code)


def serve(jobs: socket.socket) -> None:
    """Do jobs until the socket is closed."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    warm()
    wakes, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(woken)
    running: dict[int, int] = {}
    while True:
        ready = select.select([jobs, wakes], [], [])[0]
        if wakes in ready:
            os.read(wakes, 4096)
            _tell_ends(running)
        if jobs in ready:
            head, numbers, _, _ = socket.recv_fds(jobs, 8, 4)
            if not head:
                return
            with contextlib.closing(jobs.dup().makefile("rb", 0)) as sentence:
                job = json.loads(_read(sentence, int(head)))
            *streams, pipe = numbers
            number = start(job, streams)
            for stream in streams:
                os.close(stream)
            os.write(pipe, b"%d\n" % number)
            running[number] = pipe


def _read(stream: Any, size: int) -> bytes:
    """Read so many bytes."""
    read = b""
    while len(read) < size:
        read += stream.read(size - len(read))
    return read


def _tell_ends(running: dict[int, int]) -> None:
    while running:
        number, status = os.waitpid(-1, os.WNOHANG)
        if not number:
            return
        pipe = running.pop(number)
        os.write(pipe, b"%d\n" % os.waitstatus_to_exitcode(status))
        os.close(pipe)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
