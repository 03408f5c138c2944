"""Workspace paths: keeping them inside the root, and showing them to people."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

from satchel.errors import WorkspaceError
from satchel.patterns import lazily
from satchel.showing.hidden import is_hidden

_DRIVE = lazily(r"[A-Za-z]:[\\/]")
_PLAIN = lazily(r"[\x20-\x7e]*\Z")
# Format characters and separators can hide or reorder a name; surrogates stand for undecodable bytes.
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def inside(root: Path, path: str) -> Path:
    """Return the absolute path that `path` names within `root`, by its parts alone.

    `./`, `..`, doubled slashes, backslashes and absolute paths below the root are understood. Links
    are not resolved here: whoever opens the file does that. Raises WorkspaceError where the path
    leaves the root or can't be a path.
    """
    return root.joinpath(*_parts(root, path))


def relative_path(root: Path, path: str) -> str:
    """Return what `inside` finds as a workspace path with `/`; "" is the root itself."""
    return "/".join(_parts(root, path))


def safe_text(path: str) -> str:
    r"""Return `path` for showing: one line, with every hidden or undecodable character escaped.

    An undecodable byte becomes `\xNN`, a newline `\n`, other such characters `\u{...}`.
    """
    return path if _PLAIN.match(path) else "".join(map(_shown, path))


def _shown(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if character in "\n\r\t":
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}[character]
    hidden = unicodedata.category(character) in _HIDDEN_CATEGORIES or is_hidden(character)
    return f"\\u{{{code:x}}}" if hidden else character


def _parts(root: Path, path: str) -> list[str]:
    if "\0" in path:
        raise WorkspaceError(safe_text(path), "no path has a zero byte in it")
    if _DRIVE.match(path) and os.sep == "/":
        raise WorkspaceError(safe_text(path), f"is outside {root}: name a path below it")
    if "\\" in path and not os.path.lexists(root / path):
        path = path.replace("\\", "/")
    parts: list[str] = []
    for part in _below(root, path).split("/"):
        if part == ".." and not parts:
            raise WorkspaceError(safe_text(path), f"is outside {root}: name a path below it")
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return parts


def absolute(path: str | Path) -> Path:
    """Return a path that means the same whatever the current folder will be.

    Raises:
        WorkspaceError: it is relative, and the current folder was deleted.
    """
    try:
        return Path(path).absolute()
    except FileNotFoundError as error:
        reason = "the current folder was deleted; go to another one, or name an absolute path"
        raise WorkspaceError(safe_text(str(path)), reason) from error


def _below(root: Path, path: str) -> str:
    """Cut the root off an absolute path, in the root's own spelling or with its links resolved."""
    if not path.startswith("/") and not Path(path).is_absolute():
        return path
    asked = Path(os.path.normpath(path))
    for spelling in (Path(os.path.normpath(root.absolute())), Path(os.path.realpath(root))):
        if asked.is_relative_to(spelling):
            return asked.relative_to(spelling).as_posix()
    raise WorkspaceError(safe_text(path), f"is outside {root}: name a path below it")
