"""Parse git's status, patches and blame, whatever the file names in them contain."""

from __future__ import annotations

import os
import re
from ast import literal_eval
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from satchel.paths import safe_text
from satchel.patterns import lazily

_FILE = lazily(rb"^(?=diff --git )", re.MULTILINE)
_HUNK = lazily(rb"^(?=@@ )", re.MULTILINE)
_RANGE = lazily(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NO_MORE = lazily(rb"\n(?![ +\\\\-]|\Z)")
"""The end of a hunk without a following one: git lists files in conflict between diffs."""
_QUOTED = lazily(r'"((?:[^"\\]|\\.)*+)"')
_BLAMED = lazily(r"(\^?[0-9a-f]{40,64}) \d+ (\d+)(?: \d+)?\Z")
_LETTERS = {"M": "changed", "T": "changed", "A": "new", "D": "deleted"}


class Status(NamedTuple):
    """The state of a working tree; every path is relative to the workspace."""

    branch: str = ""
    """"" if HEAD is not a branch."""
    head: str = ""
    """"" before the first commit."""
    staged: tuple[tuple[str, str], ...] = ()
    """The content of the next commit: (`new`, `changed` or `deleted`, path)."""
    unstaged: tuple[tuple[str, str], ...] = ()
    conflicts: tuple[str, ...] = ()
    sides: Mapping[str, str] = MappingProxyType({})
    """Changes of both sides to a path in conflict, in git's letters: UU, AA, DU (deleted here), UD, ..."""


class Hunk(NamedTuple):
    """A run of changed lines with the lines around it."""

    text: bytes
    """Its `@@` line and its lines, the last one ended by a line feed."""
    new: tuple[int, int]
    """First and last line in the new file; the last is before the first if all lines are gone."""


class FileDiff(NamedTuple):
    """The changes in one file."""

    path: str
    """The new path, the old one of a deleted file."""
    old_path: str
    """"" for a new file."""
    status: str
    """`changed`, `new`, `deleted` or `renamed`."""
    hunks: tuple[Hunk, ...]
    binary: bool = False
    modes: str = ""
    """Old and new mode where the two differ: `100644 -> 100755`."""

    def header(self) -> str:
        """Return the lines above the hunks: the renaming of a file, and both paths."""
        moved = f"renamed from {safe_text(self.old_path)}\n" if self.status == "renamed" else ""
        old = f"a/{safe_text(self.old_path)}" if self.old_path else "/dev/null"
        new = "/dev/null" if self.status == "deleted" else f"b/{safe_text(self.path)}"
        return f"{moved}--- {old}\n+++ {new}\n"


class Blamed(NamedTuple):
    """The commit that last changed a line."""

    line: int
    sha: str
    time: int
    """The committer's, in seconds since the epoch."""
    subject: str


_CHANGE = lazily(r"(?:1 \S\S(?: \S+){6}|u \S\S(?: \S+){8}) [^\0]")
"""A complete record of a changed path, or of a path in conflict."""


def read_status(output: bytes, prefix: str) -> Status:
    """Read `git status --porcelain=v2 --branch -z --no-renames`; paths outside `prefix` are left out."""
    branch = head = ""
    staged, unstaged = [], []
    sides: dict[str, str] = {}
    for record in os.fsdecode(output).split("\0"):
        if record.startswith("# branch.oid "):
            head = record.removeprefix("# branch.oid ").replace("(initial)", "")
        elif record.startswith("# branch.head "):
            branch = record.removeprefix("# branch.head ").replace("(detached)", "")
        fields = record.split(" ", 10 if record.startswith("u ") else 8)
        path = fields[-1]
        if not _CHANGE.match(record) or not path.startswith(prefix):
            continue
        path = path.removeprefix(prefix)
        if record[0] == "u":
            sides[path] = fields[1]
            continue
        letters = fields[1]
        staged += [(_LETTERS[letters[0]], path)] if letters[0] in _LETTERS else []
        unstaged += [(_LETTERS[letters[1]], path)] if letters[1] in _LETTERS else []
    return Status(branch, head, tuple(staged), tuple(unstaged), tuple(sides), sides)


def read_patch(output: bytes) -> list[FileDiff]:
    """Read `git diff --patch` with prefixes a/ and b/ and quoted names; other text is skipped."""
    sections = _FILE.split(output)
    found = [_file_diff(section) for section in sections if section.startswith(b"diff --git ")]
    return [diff for diff in found if diff is not None]


def _file_diff(section: bytes) -> FileDiff | None:
    header, *bodies = _HUNK.split(section)
    hunks = tuple(hunk for body in bodies if (hunk := _hunk(body)) is not None)
    lines = header.decode("utf-8", "surrogateescape").split("\n")
    old, new = _paths_of_header(lines)
    if not new and not old:
        return None
    status = _status(old, new)
    binary = _has_line(lines, ("Binary files ", "GIT binary patch"))
    modes = " -> ".join(line[9:] for line in lines if line.startswith(("old mode ", "new mode ")))
    if status == "changed" and not (hunks or binary or modes):
        return None  # it was only touched
    return FileDiff(new or old, old, status, hunks, binary, modes)


def _status(old: str, new: str) -> str:
    """Return the status of a file from its old and new path; a path is "" if there was no file."""
    if not new:
        return "deleted"
    if not old:
        return "new"
    return "changed" if old == new else "renamed"


def _has_line(lines: Sequence[str], beginnings: tuple[str, ...]) -> bool:
    return any(line.startswith(beginnings) for line in lines)


def _hunk(body: bytes) -> Hunk | None:
    found = _RANGE.match(body)
    if found is None:
        return None
    end = _NO_MORE.search(body)
    text = body[: end.start()] if end else body.removesuffix(b"\n")
    first, count = int(found[3]), int(found[4] or 1)
    return Hunk(text + b"\n", (first, first + count - 1))


def _paths_of_header(lines: Sequence[str]) -> tuple[str, str]:
    """Return the old and the new path from the header of a file's diff."""
    old, new = _split_paths(lines[0].removeprefix("diff --git "))
    for line in lines[1:]:
        key, _, rest = line.partition(" ")
        if key == "---":
            old = _unquote(rest.removesuffix("\t")).removeprefix("a/")
        elif key == "+++":
            new = _unquote(rest.removesuffix("\t")).removeprefix("b/")
        elif line.startswith(("rename from ", "copy from ")):
            old = _unquote(line.partition(" from ")[2])
        elif line.startswith(("rename to ", "copy to ")):
            new = _unquote(line.partition(" to ")[2])
        elif line.startswith("new file mode "):
            old = ""
        elif line.startswith("deleted file mode "):
            new = ""
    return ("" if old == "/dev/null" else old), ("" if new == "/dev/null" else new)


def _split_paths(names: str) -> tuple[str, str]:
    """Split `a/X b/X`; if the two differ, other header lines give them."""
    if names.startswith('"'):
        quoted = _QUOTED.findall(names)
        return (_unquote(f'"{quoted[0]}"')[2:], _unquote(f'"{quoted[-1]}"')[2:]) if quoted else ("", "")
    half = len(names) // 2
    same = names[:half].removeprefix("a/") == names[half + 1 :].removeprefix("b/")
    return (names[2:half], names[half + 3 :]) if same else ("", "")


def _unquote(name: str) -> str:
    r"""Undo git's quoting, which is that of C: `"caf\303\251"`."""
    if not _QUOTED.fullmatch(name) or not name.isascii():
        return name
    try:
        return os.fsdecode(literal_eval(f"b{name}"))
    except (SyntaxError, ValueError):
        return name


def read_blame(output: bytes) -> list[Blamed]:
    """Read `git blame --porcelain`; lines older than the requested range are left out."""
    subjects: dict[str, str] = {}
    times: dict[str, int] = {}
    boundary: set[str] = set()
    placed: list[tuple[int, str]] = []
    for line in output.decode(errors="replace").split("\n"):
        found = _BLAMED.match(line)
        key, _, rest = line.partition(" ")
        if found:
            placed.append((int(found[2]), found[1]))
        elif not placed or line.startswith("\t"):
            continue
        elif key == "summary":
            subjects[placed[-1][1]] = rest
        elif key == "committer-time" and rest.isdecimal():
            times[placed[-1][1]] = int(rest)
        elif key == "boundary":
            boundary.add(placed[-1][1])
    return [
        Blamed(number, sha, times.get(sha, 0), subjects.get(sha, ""))
        for number, sha in placed
        if sha not in boundary
    ]


def line_options(lines: Iterable[tuple[int, int]]) -> list[str]:
    """Return the options that narrow a blame to runs of lines."""
    return [option for first, last in lines for option in ("-L", f"{int(first)},{int(last)}")]


def find_added_lines(diff: FileDiff) -> frozenset[str]:
    """Return the lines that a diff adds, without the blanks around them."""
    return frozenset(
        line[1:].decode("utf-8", "replace").strip()
        for hunk in diff.hunks
        for line in hunk.text.split(b"\n")
        if line.startswith(b"+")
    )


def find_changed_lines(diff: FileDiff, most: int) -> list[str]:
    """Return the first lines that a diff adds, and the first that it removes, at most `most` of each."""
    added, removed = [
        [line[1:] for hunk in diff.hunks for line in hunk.text.split(b"\n") if line.startswith(sign)]
        for sign in (b"+", b"-")
    ]
    return [line.decode("utf-8", "replace") for line in (*added[:most], *removed[:most])]
