"""Commands of satchel as processes that are forked from one with its modules loaded, many times quicker.

What a test says of the start itself (what is imported, how pipes are read) needs a process of its own.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


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
) -> subprocess.CompletedProcess[Any]:
    """Run a command of satchel to its end; return its exit code and what it printed.

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
        job = {
            "argv": list(words),
            "env": dict(os.environ if env is None else env),
            "folder": str(cwd or Path.cwd()),
            "streams": [str(streams[0]), out or str(streams[1]), err or str(streams[2])],
        }
        code = _run_job(job if umask is None else {**job, "umask": umask}, timeout)
        printed: list[Any] = [place.read_bytes() for place in streams[1:]]
    if is_text:
        printed = [one.decode() for one in printed]
    done = subprocess.CompletedProcess(["satchel", *words], code, *printed)
    if check:
        done.check_returncode()
    return done


def _run_job(job: Mapping[str, Any], timeout: float) -> int:
    if not hasattr(os, "fork"):
        return _start_anew(job, timeout)
    server = start_server()
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(f"{json.dumps(job)}\n".encode())
    number = int(server.stdout.readline())
    ended = select.select([server.stdout], [], [], timeout)[0]
    if not ended:
        os.killpg(number, signal.SIGKILL)
    code = int(server.stdout.readline())
    if not ended:
        raise subprocess.TimeoutExpired(job["argv"], timeout)
    return code


def _start_anew(job: Mapping[str, Any], timeout: float) -> int:
    given, out, err = job["streams"]
    command = [sys.executable, "-m", "satchel", *job["argv"]]
    with open(given, "rb") as stdin, open(out, "wb") as stdout, open(err, "wb") as stderr:
        streams = {"stdin": stdin, "stdout": stdout, "stderr": stderr}
        return subprocess.run(
            command, cwd=job["folder"], env=job["env"], timeout=timeout, check=False, **streams
        ).returncode


@functools.cache
def start_server() -> subprocess.Popen[bytes]:
    """Start the process that forks; it ends with this one."""
    command = [sys.executable, str(Path(__file__).with_name("forking.py"))]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    atexit.register(_stop, server)
    return server


def _stop(server: subprocess.Popen[bytes]) -> None:
    server.kill()
    server.communicate()
