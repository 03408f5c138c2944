"""A home, a small workspace and the commands for the tests of the command line."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.processes import run_satchel

from satchel.cli import run

Satchel = Callable[..., subprocess.CompletedProcess[bytes]]

FILES = {
    "src/app.py": '"""App."""\n\n\ndef login(name: str) -> bool:\n    """Log in."""\n    return bool(name)\n',
    "src/mail.py": '"""Mail."""\n\n\ndef send(text: str) -> None:\n    """Send a mail."""\n    print(text)\n',
    "README.md": "# Shop\n\nA shop with a login.\n",
}


@pytest.fixture
def home(own_home: Path) -> Path:
    """Return the home of this test."""
    return own_home


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A workspace of three files, no repository."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def satchel(monkeypatch: pytest.MonkeyPatch) -> Satchel:
    """Run a command in this process, its standard streams being files: what it writes is returned."""

    def command(
        *argv: str, stdin: bytes = b"", cwd: Path | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        with monkeypatch.context() as patch, contextlib.ExitStack() as stack:
            if cwd is not None:
                patch.chdir(cwd)
            given, out, err = streams = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
            given.write(stdin)
            given.seek(0)
            for number, (stream, name) in enumerate(zip(streams, ("stdin", "stdout", "stderr"), strict=True)):
                stack.callback(os.close, saved := os.dup(number))
                stack.callback(os.dup2, saved, number)
                os.dup2(stream.fileno(), number)
                mode = "w" if number else "r"
                text = stack.enter_context(open(number, mode, encoding="utf-8", closefd=False))
                patch.setattr(sys, name, text)
            code = run(argv)
            for text in (sys.stdout, sys.stderr):
                text.flush()
            out.seek(0)
            err.seek(0)
            return subprocess.CompletedProcess(["satchel", *argv], code, out.read(), err.read())

    return command


@pytest.fixture
def satchel_process() -> Satchel:
    """Run a command as a process of its own, whose modules are loaded already."""

    def process(
        *argv: str, stdin: bytes = b"", env: dict[str, str] | None = None, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        return run_satchel(argv, given=stdin, env={**os.environ, **(env or {})}, cwd=cwd)

    return process


@pytest.fixture
def satchel_started() -> Satchel:
    """Run a command as a process that is started anew, for what depends on how one begins."""

    def process(
        *argv: str, stdin: bytes = b"", env: dict[str, str] | None = None, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        command: Sequence[str] = [sys.executable, "-m", "satchel", *argv]
        environment = {**os.environ, **(env or {})}
        return subprocess.run(
            command, input=stdin, capture_output=True, env=environment, cwd=cwd, timeout=120, check=False
        )

    return process
