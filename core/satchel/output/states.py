"""Read `git status`: the state of each file, in its long form and its short one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import NamedTuple

from satchel.patterns import lazily

SHORT_STATE = lazily(r"(?!  )([ MADRCUT?!]{2}) (\S.*)")
"""A file of `git status --short`: its staged state, its unstaged state, and its path."""
_ENTRY = lazily(r"\t(?:([a-z][a-z ]*): +)?(\S.*)")
_HEADS = MappingProxyType(
    {
        "Changes to be committed:": "staged",
        "Changes not staged for commit:": "changed",
        "Unmerged paths:": "in conflict",
        "Untracked files:": "untracked",
        "Ignored files:": "ignored",
    }
)
_UNMERGED = frozenset(("DD", "AU", "UD", "UA", "DU", "AA", "UU"))


class FileState(NamedTuple):
    """A file of `git status`."""

    line: int
    """From 0."""
    state: str
    """`staged`, `changed`, `in conflict`, `untracked` or `ignored`."""
    path: str


def iter_states(lines: Sequence[str]) -> Iterator[FileState]:
    """Yield the files that `git status` names."""
    state = ""
    for at, line in enumerate(lines):
        if line and not line[0].isspace():
            state = _HEADS.get(line, state)
        entry = _ENTRY.match(line)
        short = SHORT_STATE.fullmatch(line)
        if entry and state:
            yield FileState(at, state, entry[2])
        elif short:
            yield FileState(at, _read_code(short[1]), short[2])


def _read_code(code: str) -> str:
    if code in _UNMERGED:
        return "in conflict"
    if code[0] in "?!":
        return "untracked" if code[0] == "?" else "ignored"
    return "staged" if code[0] != " " else "changed"
