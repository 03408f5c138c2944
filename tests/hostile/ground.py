"""The ground that a hostile workspace stands on: the workspace, what lies outside of it, a home, traps."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

NEIGHBOUR = "settle_invoice_7f3a"
"""A function of an ordinary file that stands in every workspace, and must be found in spite of all."""
OUTSIDE = "outside-91c4-of-somebody-else"
"""Text of a file that lies beside the workspace: nobody may show it."""
TASK = f"fix {NEIGHBOUR}"


class Expect(NamedTuple):
    """What must come out, beside what holds for every workspace."""

    shown: Sequence[str] = ()
    """Texts that the output must hold."""
    hidden: Sequence[str] = ()
    """Texts that may stand neither in the output nor on stderr."""
    secret: Sequence[str] = ()
    """Texts that may stand nowhere, in no cache either."""
    told: Sequence[str] = ()
    """Of satchel alone: texts in the JSON or on stderr, for what was left out."""
    codes: Sequence[int] = (0,)
    argv: Sequence[str] = ()
    """Options of satchel that the case is about."""
    task: str = TASK
    env: Mapping[str, str] = {}
    form: str = "json"
    of_satchel: bool = False
    """Whether others have nothing like it, so that only satchel is asked."""
    finds_neighbour: bool = True
    forged: str = ""
    """Path of a section that a file tries to open."""
    check: Callable[[Ground], list[str]] | None = None
    """Of satchel alone: asks by itself, in the place of one pack, and returns what is wrong."""


class Ground:
    """Folders of one case, empty but for the ordinary file and the one outside."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.root, self.outside, self.home = base / "workspace", base / "outside", base / "home"
        self.ran = base / "a-program-ran"
        for folder in (self.root, self.outside, self.home):
            folder.mkdir(parents=True)
        (self.outside / "secret.txt").write_text(f"{OUTSIDE}\n")
        (self.home / ".gitconfig").write_text(
            "[user]\nname = A\nemail = a@example.org\n[init]\ndefaultBranch = main\n"
            '[protocol "file"]\nallow = always\n'
        )
        self.write("app.py", f'"""Invoices."""\n\n\ndef {NEIGHBOUR}(total):\n    return total * 2\n')

    def write(self, path: str | bytes, text: str | bytes = "text\n") -> Path:
        """Write a file of the workspace and the folders that it needs."""
        name = os.path.join(os.fsencode(self.root), os.fsencode(path))
        os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(name, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return Path(os.fsdecode(name))

    def link(self, path: str, target: str | Path) -> None:
        """Make a link in the workspace."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).symlink_to(target)

    def fifo(self, path: str) -> str:
        """Make a FIFO in the workspace that nobody writes to; return its full path."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(self.root / path)
        return str(self.root / path)

    def socket(self, path: str) -> None:
        """Leave a socket in the workspace."""
        here = os.getcwd()
        try:
            os.chdir(self.root)  # the path of a socket must be short
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(path)
        finally:
            os.chdir(here)

    def program(self, name: str = "trap.sh", *, answer: str = "cat") -> str:
        """Write a program into the workspace that leaves a trace where it is run; return its full path."""
        file = self.write(name, f"#!/bin/sh\necho ran >> '{self.ran}'\n{answer}\n")
        file.chmod(0o755)
        return str(file)

    def git(self, *arguments: str, folder: Path | None = None, check: bool = True) -> str:
        """Run plain git."""
        kept = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
        done = subprocess.run(
            ["git", *arguments],
            cwd=folder or self.root,
            env={**kept, "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0 or not check, done.stderr.decode(errors="replace")
        return os.fsdecode(done.stdout).strip()

    def repository(self, *, changed: bool = True) -> None:
        """Make the workspace a repository of two commits, and change the ordinary file afterwards."""
        self.write("old.txt", "first\n")
        self.git("init", "-q")
        self.commit("begin")
        self.write("old.txt", "second\n")
        self.commit(f"speed up {NEIGHBOUR}")
        if changed:
            self.write("old.txt", f"third, for {NEIGHBOUR}\n")

    def commit(self, message: str) -> str:
        """Commit everything; return the commit's id."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def configure(self, text: str) -> None:
        """Add to the repository's own configuration."""
        with (self.root / ".git/config").open("a") as file:
            file.write(text)

    def foreign_repository(self) -> Path:
        """Make a repository outside, with text that nobody may show; return its folder."""
        folder = self.outside / "private"
        folder.mkdir()
        (folder / "plan.txt").write_text(f"{OUTSIDE} {NEIGHBOUR}\n" * 3)
        self.git("init", "-q", folder=folder)
        self.git("add", "-A", folder=folder)
        self.git("commit", "-q", "-m", f"{OUTSIDE} {NEIGHBOUR}", folder=folder)
        return folder


Build = Callable[[Ground], Expect]


class Case(NamedTuple):
    """One hostile workspace."""

    group: str
    name: str
    build: Build


def snapshot(root: Path) -> dict[bytes, tuple[int, ...]]:
    """Return what the system knows of everything in a folder, git's own files included."""
    found: dict[bytes, tuple[int, ...]] = {}
    waiting = [os.fsencode(root)]
    while waiting:
        folder = waiting.pop()
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue
        for entry in entries:
            try:
                facts = entry.stat(follow_symlinks=False)
            except OSError:  # its path is longer than the system takes
                continue
            found[entry.path] = (facts.st_mode, facts.st_size, facts.st_mtime_ns, facts.st_ino)
            if stat.S_ISDIR(facts.st_mode):
                waiting.append(entry.path)
    return found
