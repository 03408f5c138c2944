"""Files that the person gives a model to read and not to change: which they are, by path and glob."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from satchel.errors import WorkspaceError
from satchel.workspace.paths import relative_path
from satchel.workspace.wildmatch import compile_path, literal_length, matches

if TYPE_CHECKING:
    from satchel.config import Config


def is_read_only(path: str | Path, root: str | Path = ".", *, config: Config | None = None) -> bool:
    """Tell whether the configuration lists a file as read-only; for editors, before they change it.

    Args:
        path: below the root, or relative to it; it need not exist yet.
        root: the workspace's folder.
        config: the configuration; read as `pack` reads it by default.

    Raises:
        ConfigError: the configuration has errors.
    """
    if config is None:
        from satchel import config as configuration

        config = configuration.load(Path(root), env=os.environ)
    table = config.table("provider", "read_only")
    patterns = [pattern for key in ("files", "pinned") for pattern in _texts(table.get(key))]
    try:
        relative = relative_path(Path(root), os.fspath(path))
    except WorkspaceError:
        return False
    return any(matching(pattern, [relative]) for pattern in patterns)


def matching(pattern: str, paths: Iterable[str]) -> list[str]:
    """Return the paths that a path or a glob names, in order; `docs/` names all below."""
    wanted = pattern.strip().removeprefix("./")
    if wanted.endswith("/"):
        wanted += "**"
    encoded = os.fsencode(wanted)
    if literal_length(encoded) == len(encoded):
        return [path for path in paths if path == wanted or path.startswith(f"{wanted}/")] if wanted else []
    glob = compile_path(encoded)
    return [path for path in paths if matches(glob, os.fsencode(path))]


def _texts(value: object) -> Sequence[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list | tuple) else []
