"""A server that forks for each command line of satchel, so that its modules are loaded once.

A job is a line of JSON on stdin: arguments, environment, folder, the files of the three streams, and a umask
where there is one. The answer is a line with the number of the process, then one with its exit code.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any


def warm() -> None:
    """Load whatever a pack loads, by making one."""
    from satchel.cli import run

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a.py").write_text("def a():\n    return 1\n")
        os.environ.update(HOME=folder, SATCHEL_CACHE_DIR=f"{folder}/cache")
        run(["pack", "a", "--root", folder, "--format", "json"])


def started(job: dict[str, Any]) -> int:
    """Fork, run the job in the child, and return the child's number."""
    number = os.fork()
    if number:
        return number
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.umask(job.get("umask", os.umask(0)))
        for stream, name in enumerate(job["streams"]):
            os.dup2(os.open(name, os.O_RDONLY if stream == 0 else os.O_WRONLY | os.O_TRUNC), stream)
        os.chdir(job["folder"])
        os.environ.clear()
        os.environ.update(job["env"])
        sys.path[1:1] = filter(None, job["env"].get("PYTHONPATH", "").split(os.pathsep))
        importlib.invalidate_caches()
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
        sys.stdin = os.fdopen(0, closefd=False)
        sys.argv = ["satchel", *job["argv"]]
        from satchel.__main__ import program

        program()
    finally:
        os._exit(1)


def serve() -> None:
    """Do jobs until stdin ends."""
    answers = os.fdopen(os.dup(1), "w")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)
    os.dup2(null, 2)
    warm()
    for line in iter(sys.stdin.buffer.readline, b""):
        number = started(json.loads(line))
        answers.write(f"{number}\n")
        answers.flush()
        answers.write(f"{os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])}\n")
        answers.flush()


if __name__ == "__main__":
    serve()
