"""A home of its own and a small workspace for every test of the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

Satchel = Callable[..., subprocess.CompletedProcess[bytes]]

FILES = {
    "src/app.py": '"""App."""\n\n\ndef login(name: str) -> bool:\n    """Log in."""\n    return bool(name)\n',
    "src/mail.py": '"""Mail."""\n\n\ndef send(text: str) -> None:\n    """Send a mail."""\n    print(text)\n',
    "README.md": "# Shop\n\nA shop with a login.\n",
}


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the person's own configuration and cache out of the tests."""
    folder = tmp_path_factory.mktemp("home")
    for name in [name for name in os.environ if name.startswith("SATCHEL_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
    monkeypatch.setenv("SATCHEL_CACHE_DIR", str(folder / "cache"))
    return folder


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A workspace of three files, no repository."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def satchel() -> Satchel:
    """Run satchel as a process of its own."""

    def process(
        *argv: str, stdin: bytes = b"", env: dict[str, str] | None = None, **options: object
    ) -> subprocess.CompletedProcess[bytes]:
        command: Sequence[str] = [sys.executable, "-m", "satchel", *argv]
        return subprocess.run(  # type: ignore[call-overload, no-any-return]
            command,
            input=stdin,
            capture_output=True,
            env={**os.environ, **(env or {})},
            timeout=120,
            **options,
        )

    return process
