"""Lines of a file that stand without the rest of it: what only the whole tells to be a secret goes.

The middle of a private key says nothing of what it is. So the whole file is looked through, and each line
that has lost anything is known by its hash: wherever it stands alone, it is shown as it stands in the whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b

Hidden = Mapping[str, str]
"""By the hash of a line without the blanks around it: what is shown of it."""
_SHORTEST = 4
_HEADING = 80
"""Bytes of a line that git shows behind the place of a hunk."""


def hidden_lines(text: str, clean: str) -> dict[str, str]:
    """Return what redaction changed, line by line; both texts have the same number of lines."""
    hidden: dict[str, str] = {}
    for line, left in zip(text.split("\n"), clean.split("\n"), strict=True):
        bare = line.strip()
        if line != left and len(bare) >= _SHORTEST:
            hidden[_hash(bare)] = left.strip()
            hidden.setdefault(_hash(_heading(bare)), "")
    return hidden


def without_hidden(text: str, hidden: Hidden) -> str:
    """Return lines of a file, or a diff of it, in which none of the hidden ones stands."""
    if not hidden:
        return text
    return "\n".join([_shown(line, hidden) for line in text.split("\n")])


def _shown(line: str, hidden: Hidden) -> str:
    if line.startswith("@@ "):
        place, end, heading = line[3:].partition("@@")
        return f"@@ {place}{end}" if _hash(heading.strip()) in hidden else line
    for bare in (line.strip(), line[1:].strip() if line[:1] in ("+", "-") else ""):
        known = hidden.get(_hash(bare)) if len(bare) >= _SHORTEST else None
        if known:
            return line.replace(bare, known)
    return line


def _heading(bare: str) -> str:
    return bare.encode("utf-8", "replace")[:_HEADING].decode("utf-8", "replace").strip()


def _hash(line: str) -> str:
    return blake2b(line.encode("utf-8", "replace"), digest_size=9).hexdigest()
