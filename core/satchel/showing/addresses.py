r"""Write titles and paths so that each can be told from what stands around it, and read them back.

A file's address is bare where it holds no blank and nothing that means something to Markdown, else
in double quotes with escapes; words that are no file's address hold a blank or follow their kind.
"""

from __future__ import annotations

import re

from satchel.patterns import lazily
from satchel.workspace.paths import safe_text

_BARE_PATH = lazily(r"[\w./+@()\[\]{}=,~#%&$!^;':-]+")
_PREFIXES = ("@", "satchel:")
"""What `parse` of `satchel.pointers` takes off a pointer, or reads as a URI."""
_LINES = lazily(r":\d+(?:-\d+)?\Z")
_BARE_WORDS = lazily(r"[A-Za-z][^\"\\`<>\x00-\x1f]* [^\"\\`<>\x00-\x1f]*")
_ENDINGS = (" file", " item", "trusted", " ")
_KIND = lazily(r"[\w-]{1,40}")
_QUOTED = lazily(r'"((?:[^"\\]|\\.)*)"((?::\d+(?:-\d+)?)?)')
_ESCAPE = lazily(r"\\(?:x([0-9a-f]{2})|u\{([0-9a-f]{1,6})\}|(.))")
_ACTIVE = (('"', r"\""), ("`", r"\u{60}"), ("](", r"]\u{28}"), ("<", r"\u{3c}"))
"""What would end the quotes, or mean something to Markdown."""
_NAMED = {"n": "\n", "r": "\r", "t": "\t"}


def path_address(path: str) -> str:
    """Return a path as it stands in a document; `parse` of `satchel.pointers` takes it back."""
    shown = safe_text(path)
    is_bare = shown == path and _BARE_PATH.fullmatch(path) and not _LINES.search(path)
    return path if is_bare and "](" not in path and not path.startswith(_PREFIXES) else quote(path)


def words_address(title: str, kind: str) -> str:
    """Return the title of an item that is no file."""
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
    """Return the text in double quotes and the lines behind it; None where it is not written so."""
    match = _QUOTED.fullmatch(written)
    return (_ESCAPE.sub(_unescaped, match[1]), match[2][1:]) if match else None


def _unescaped(escape: re.Match[str]) -> str:
    if escape[1]:
        return chr(0xDC00 + int(escape[1], 16))
    if escape[2]:
        code = int(escape[2], 16)
        return chr(code) if code < 0x110000 else escape[0]
    return _NAMED.get(escape[3], escape[3])
