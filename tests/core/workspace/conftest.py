"""Repositories for tests, made with a git that reads no configuration but their own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import pytest
from tests.core.repositories import head_of


@attrs.frozen
class Repository:
    """A repository in a temporary folder."""

    root: Path

    def write(self, path: str, text: str | bytes = "text\n") -> Path:
        """Write a file and the folders that it needs."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    def git(self, *arguments: str, code: int | None = 0) -> str:
        """Run plain git, without any hardening."""
        done = subprocess.run(
            ["git", "-c", "protocol.file.allow=always", *arguments],
            cwd=self.root,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=20,
        )
        assert code is None or done.returncode == code, done.stderr.decode()
        return os.fsdecode(done.stdout).strip()

    def commit(self, message: str = "change", **files: str) -> str:
        """Commit everything, after writing `files`."""
        for path, text in files.items():
            self.write(path, text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return head_of(self.root) if (self.root / ".git").is_dir() else self.git("rev-parse", "HEAD")

    def configure(self, text: str) -> None:
        """Add to the repository's own configuration."""
        with (self.root / ".git/config").open("a") as file:
            file.write(text)


@pytest.fixture(autouse=True)
def _own_configuration(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (own_home / ".gitconfig").write_text(
        "[user]\nname = A\nemail = a@example.org\n[init]\ndefaultBranch = main\ntemplateDir =\n"
        "[maintenance]\nauto = false\n"
    )
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def make_repository(tmp_path: Path) -> Callable[[str], Repository]:
    """Return a function that makes a repository in a folder of that name."""

    def make(name: str) -> Repository:
        root = tmp_path / name
        root.mkdir()
        made = Repository(root)
        made.git("init", "-q")
        return made

    return make


@pytest.fixture
def repository(make_repository: Callable[[str], Repository]) -> Repository:
    """Return an empty repository."""
    return make_repository("repository")


@pytest.fixture
def dig(tmp_path: Path) -> Iterator[Callable[[Path, int], str]]:
    """Return a function that makes so many nested folders with a file in the last, and returns its path."""
    dug: list[Path] = []

    def make(root: Path, depth: int) -> str:
        dug.append(root)
        current = os.open(root, os.O_RDONLY)
        for _ in range(depth):
            os.mkdir("d", dir_fd=current)
            deeper = os.open("d", os.O_RDONLY, dir_fd=current)
            os.close(current)
            current = deeper
        with os.fdopen(os.open("leaf", os.O_CREAT | os.O_WRONLY, dir_fd=current), "wb") as file:
            file.write(b"leaf")
        os.close(current)
        return "d/" * depth + "leaf"

    yield make
    # pytest's own cleaning is recursive and does not reach the bottom.
    subprocess.run(["rm", "-rf", *(str(root / "d") for root in dug)], check=True)
