"""Which files of a repository git tracks and ignores, and which it does neither."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from satchel.patterns import lazily
from satchel.workspace.git.running import GitProgram, split_names

SUBMODULE = "160000"
_NS = 1_000_000_000
_LOW_BITS = 0xFFFF_FFFF
"""The index keeps only these bits of a size or an inode."""
_TRACKED = lazily(
    r"([^ ]*) ([^ ]*) (.)\t([^\0]*)\0"
    r"  ctime: (\d+):(\d+)\n  mtime: (\d+):(\d+)\n  dev: [^\t]*\tino: (\d+)\n[^\n]*\n  size: (\d+)\t[^\n]*\n"
)
_TRACKED_ONLY = lazily(r"([^ ]*) ([^ ]*) (.)\t([^\0]*)\0")


class TrackedFile(NamedTuple):
    """A file of git's index, with the stat data that it had when `blob` was known to be its content."""

    mode: str
    blob: str
    """"" for a path in conflict."""
    stage: str
    path: str
    ctime_ns: int = -1
    mtime_ns: int = -1
    inode: int = -1
    """The lowest 32 bits, as of `size`."""
    size: int = -1

    def is_unchanged(self, facts: os.stat_result) -> bool:
        """Compare with the file's current stat data, as git does before it reads a file."""
        return (
            self.mtime_ns == facts.st_mtime_ns
            and self.size == facts.st_size & _LOW_BITS
            and self.ctime_ns == facts.st_ctime_ns
            and self.inode == facts.st_ino & _LOW_BITS
        )


def merge_stages(files: Iterable[TrackedFile]) -> list[TrackedFile]:
    """Return one entry per path, without a blob for a path in conflict."""
    found: dict[str, TrackedFile] = {}
    for file in files:
        found[file.path] = file if file.stage == "0" else TrackedFile(file.mode, "", "0", file.path)
    return list(found.values())


class Untracked(NamedTuple):
    """Files that git neither tracks nor ignores, and git's complaints on the way.

    A repository of its own within the workspace is one path that ends with `/`.
    """

    paths: tuple[str, ...]
    warnings: tuple[str, ...] = ()


class GitFiles:
    """The files of a repository's working tree, as git sees them; every path is relative to the workspace.

    Each method raises WorkspaceError if git fails or does not answer in time.
    """

    def __init__(self, program: GitProgram) -> None:
        self.program = program

    def tracked(self) -> list[TrackedFile]:
        """Return the files of the index, submodules and links too; one entry for a path in conflict."""
        files = self._list_index()
        return files if all(file.stage == "0" for file in files) else merge_stages(files)

    def _list_index(self) -> list[TrackedFile]:
        """Ask git for its index with stat data, so that a clean file need not be read."""
        output = os.fsdecode(self.program.ask_or_fail("ls-files", "-s", "--debug", "-z", "--").output)
        rows = _TRACKED.findall(output)
        if len(rows) != output.count("\0"):  # the format of --debug may change
            plain = os.fsdecode(self.program.ask_or_fail("ls-files", "-s", "-z", "--").output)
            return list(map(TrackedFile._make, _TRACKED_ONLY.findall(plain)))
        return list(map(_read_tracked_row, rows))

    def others(self) -> Untracked:
        """Return the files that are neither tracked nor ignored, and git's warnings about them."""
        answer = self.program.ask("ls-files", "-o", "--exclude-standard", "-z", "--")
        if answer.late:  # an ignore file that the settings name may be what blocks
            nothing = (f"core.excludesFile={os.devnull}",)
            answer = self.program.ask("ls-files", "-o", "--exclude-standard", "-z", "--", settings=nothing)
        if answer.code or answer.cut:
            raise self.program.failure("git ls-files failed", answer)
        warnings = tuple(line.removeprefix("warning: ") for line in answer.errors.splitlines()[:20])
        return Untracked(split_names(answer.output), warnings)


def _read_tracked_row(row: Sequence[str]) -> TrackedFile:
    changed, changed_ns, modified, modified_ns, inode, size = map(int, row[4:])
    times = changed * _NS + changed_ns, modified * _NS + modified_ns
    return TrackedFile(row[0], row[1], row[2], row[3], *times, inode, size)
