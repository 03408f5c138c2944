r"""Workspace paths: keep them inside the root, show them, and write addresses that can be read back.

A file's address is bare if it has no blank and no Markdown syntax, else in double quotes with escapes;
words that are not a file's address have a blank or follow their kind.
"""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path

from satchel.errors import WorkspaceError
from satchel.escaping import is_hidden
from satchel.patterns import lazily

_DRIVE = lazily(r"[A-Za-z]:[\\/]")
_PLAIN = lazily(r"[\x20-\x7e]*\Z")
# Format characters and separators can hide or reorder a name; surrogates stand for undecodable bytes.
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def inside(root: Path, path: str) -> Path:
    """Return the absolute path that `path` names within `root`, by its parts alone.

    `./`, `..`, doubled slashes, backslashes and absolute paths below the root are understood. Links
    are not resolved here: whoever opens the file does that. Raises WorkspaceError if the path
    leaves the root or can't be a path.
    """
    return root.joinpath(*_parts(root, path))


def relative_path(root: Path, path: str) -> str:
    """Return the result of `inside` as a workspace path with `/`; "" is the root itself."""
    return "/".join(_parts(root, path))


def safe_text(path: str) -> str:
    r"""Return `path` for showing: one line, with every hidden or undecodable character escaped.

    An undecodable byte becomes `\xNN`, a newline `\n`, other such characters `\u{...}`.
    """
    return path if _PLAIN.match(path) else "".join(map(_spell_character, path))


def _spell_character(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if character in "\n\r\t":
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}[character]
    hidden = unicodedata.category(character) in _HIDDEN_CATEGORIES or is_hidden(character)
    return f"\\u{{{code:x}}}" if hidden else character


def _parts(root: Path, path: str) -> list[str]:
    if "\0" in path:
        raise WorkspaceError(safe_text(path), "a path can't contain a zero byte")
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
        reason = "the current folder was deleted; change to another one, or name an absolute path"
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


_BARE_PATH = lazily(r"[\w./+@()\[\]{}=,~#%&$!^;':-]+")
_PREFIXES = ("@", "satchel:")
"""Prefixes that `parse` of `satchel.pointers` removes from a pointer, or reads as a URI."""
_LINES = lazily(r":\d+(?:-\d+)?\Z")
_BARE_WORDS = lazily(r"[A-Za-z][^\"\\`<>\x00-\x1f]* [^\"\\`<>\x00-\x1f]*")
_ENDINGS = (" file", " item", "trusted", " ")
_KIND = lazily(r"[\w-]{1,40}")
_QUOTED = lazily(r'"((?:[^"\\]|\\.)*)"((?::\d+(?:-\d+)?)?)')
_ESCAPE = lazily(r"\\(?:x([0-9a-f]{2})|u\{([0-9a-f]{1,6})\}|(.))")
_ACTIVE = (('"', r"\""), ("`", r"\u{60}"), ("](", r"]\u{28}"), ("<", r"\u{3c}"))
"""Characters that would end the quotes, or mean something to Markdown."""
_NAMED = {"n": "\n", "r": "\r", "t": "\t"}


def path_address(path: str) -> str:
    """Return a path as a document shows it; `parse` of `satchel.pointers` reads it back."""
    shown = safe_text(path)
    is_bare = shown == path and _BARE_PATH.fullmatch(path) and not _LINES.search(path)
    return path if is_bare and "](" not in path and not path.startswith(_PREFIXES) else quote(path)


def words_address(title: str, kind: str) -> str:
    """Return the title of an item that is not a file."""
    plain = safe_text(title) == title and _BARE_WORDS.fullmatch(title) and ": " not in title
    if plain and "](" not in title and not title.endswith(_ENDINGS):
        return title
    return f"{kind if _KIND.fullmatch(kind) else 'item'} {quote(title)}"


def quote(text: str) -> str:
    r"""Return `text` in double quotes on one line: `\"`, `\\`, `\n`, `\xNN`, `\u{...}`."""
    doubled = safe_text(text.replace("\\", "\\\\"))
    for active, escaped in _ACTIVE:
        doubled = doubled.replace(active, escaped)
    return f'"{doubled}"'


def unquote(written: str) -> tuple[str, str] | None:
    """Return the text in double quotes and the lines after it; None if it is not written so."""
    match = _QUOTED.fullmatch(written)
    return (_ESCAPE.sub(_unescape_match, match[1]), match[2][1:]) if match else None


def _unescape_match(escape: re.Match[str]) -> str:
    if escape[1]:
        return chr(0xDC00 + int(escape[1], 16))
    if escape[2]:
        code = int(escape[2], 16)
        return chr(code) if code < 0x110000 else escape[0]
    return _NAMED.get(escape[3], escape[3])
