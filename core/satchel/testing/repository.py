"""A small git repository to test against, the same on every machine."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

FILES: Mapping[str, str] = {
    "README.md": "# Shop\n\nA shop with a cart.\n\n## Use\n\nCall `total` of the cart.\n",
    "shop/__init__.py": '"""A shop."""\n',
    "shop/cart.py": (
        '"""The cart."""\n\nfrom shop.prices import price\n\n\n'
        "class Cart:\n    def total(self, names):\n        return sum(price(name) for name in names)\n"
    ),
    "shop/prices.py": '"""Prices."""\n\n\ndef price(name: str) -> int:\n    return len(name)\n',
}
CHANGE = "\n    def count(self, names):\n        return len(names)\n"


def make_repository(root: Path) -> Path:
    """Write the files, commit them, change `shop/cart.py` and commit again; return the root."""
    for name, text in FILES.items():
        _write(root / name, text)
    _git(root, "init", "-q")
    _commit(root, "open the shop", "2024-05-01T12:00:00Z")
    _write(root / "shop/cart.py", FILES["shop/cart.py"] + CHANGE)
    _commit(root, "count what is in the cart", "2024-05-02T12:00:00Z")
    return root


def make_repository_of(files: Mapping[str, str], root: Path) -> Path:
    """Write the files of a mapping from paths to texts and commit them; return the root."""
    root.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        _write(root / name, text)
    _git(root, "init", "-q")
    _git(root, "add", "-A")
    _git(root, "commit", "-q", "--allow-empty", "-m", "add files", date="2024-05-01T12:00:00Z")
    return root


def contents(root: Path) -> dict[str, bytes]:
    """Return every file below a folder, including git's, to detect later writes."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def _commit(root: Path, message: str, date: str) -> None:
    _git(root, "add", "-A")
    _git(root, "commit", "-q", "-m", message, date=date)


def _git(root: Path, *arguments: str, date: str = "") -> None:
    """Run git without the user's configuration or environment."""
    person = ("-c", "user.name=Shop", "-c", "user.email=shop@example.invalid", "-c", "commit.gpgsign=false")
    kept = {key: os.environ[key] for key in ("PATH", "SYSTEMROOT", "TMPDIR") if key in os.environ}
    clean = {"HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "LC_ALL": "C"}
    dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date} if date else {}
    subprocess.run(  # noqa: S603 - fixed arguments
        ["git", *person, *arguments],  # noqa: S607 - the installed git
        cwd=root,
        env=kept | clean | dates,
        check=True,
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
