"""A small git repository to test against, the same on every machine, and packs of small workspaces."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from satchel.config import load
from satchel.hookspecs import hookimpl
from satchel.host import Host, PluginKind
from satchel.packing.bundle import Bundle, PackOptions, pack

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


def pack_with(
    task: str,
    plugin: Any,
    folder: Path,
    *,
    files: Mapping[str, str] | None = None,
    budget: int = 4_000,
    settings: Mapping[str, object] | None = None,
) -> Bundle:
    """Pack `files` (a small shop by default) for a task, with the built-in plugins and `plugin`.

    Args:
        task: what the window is for.
        plugin: a class of any kind; None for the built-in plugins alone.
        folder: where the workspace is created.
        files: texts by path.
        budget: most tokens of the document.
        settings: of the plugin, by name.

    Raises:
        TypeError: the class does not have the methods of any kind of plugin.
        ConfigError: a setting is wrong.
    """
    place = folder / f"packed-{sum(1 for _ in folder.glob('packed-*')) + 1}"
    root = make_repository_of(FILES if files is None else files, place)
    modules: list[object] = [
        found.load() for found in entry_points(group="satchel") if found.dist and found.dist.name == "satchel"
    ]
    config = load(root, env={})
    if plugin is not None:
        kind = kind_of(plugin)
        modules.append(SimpleNamespace(**{kind.hook: hookimpl(lambda: [plugin])}))
        if settings:
            tables = {**config.plugins.get(kind.value, {}), plugin.name: dict(settings)}
            config = config._replace(plugins={**config.plugins, kind.value: tables})
    return pack(task, root, budget=budget, host=Host.of(*modules), options=PackOptions(config=config))


def kind_of(plugin: Any) -> PluginKind:
    """Return the kind whose methods a class has; every class is callable, so observers come last."""
    for kind in sorted(PluginKind, key=lambda kind: kind is PluginKind.OBSERVER):
        if all(callable(getattr(plugin, method, None)) for method in kind.methods):
            return kind
    raise TypeError(f"{plugin!r} does not have the methods of any kind of plugin")
