"""Tasks out of a repository's own history: a commit's message asks, what the commit changed is the answer."""

from __future__ import annotations

import os
import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from mined.sources import Definition, definitions, innermost, is_source

COMMITS = 3_000
MOST_FILES, LEAST_WORDS = 8, 8
_TRAILER = re.compile(
    r"^\s*(?:[\w-]+-by|change-id|cc|fixes|closes|bug|git-svn-id|\(cherry picked from)\b.*$", re.IGNORECASE
)
_PULL_REQUEST = re.compile(r"\s*\(#\d+\)\s*$")
_ROUTINE = re.compile(r"merge\b|release\b|bump\b|version\b|revert\b|\w+\(deps", re.IGNORECASE)
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? ", re.MULTILINE)


class Gold(NamedTuple):
    """What a commit changed in one file, in the parent's lines."""

    path: str
    lines: tuple[int, ...]
    """Lines removed or changed; of an insertion alone the two lines around it."""
    definitions: tuple[Definition, ...]


class MinedTask(NamedTuple):
    """A message to answer at the parent commit."""

    commit: str
    parent: str
    text: str
    gold: tuple[Gold, ...]


def git(root: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    """Run git without a person's configuration, hooks or filters; return what it wrote."""
    settings = ("safe.directory=*", "core.hooksPath=/dev/null", "core.quotePath=false", "gc.auto=0")
    options = [text for setting in settings for text in ("-c", setting)]
    clean = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
    done = subprocess.run(  # noqa: S603 - git, with arguments of this module
        ["git", *options, "-C", str(root), *arguments],  # noqa: S607 - the git that the person has
        input=stdin,
        capture_output=True,
        env={**clean, **quiet, "LC_ALL": "C"},
        check=True,
    )
    return done.stdout


def repository_name(repository: Path) -> str:
    """Return `owner/name` as the address of a clone's origin ends, or its folder's name if it has no origin."""
    try:
        origin = git(repository, "remote", "get-url", "origin").decode().strip()
    except subprocess.CalledProcessError:
        return repository.resolve().name
    return "/".join(re.split(r"[/:\\]", origin.rstrip("/").removesuffix(".git"))[-2:])


def mine(repository: Path, tasks: int, *, seed: int = 0) -> list[MinedTask]:
    """Return up to `tasks` tasks drawn from the newest commits, oldest first."""
    candidates = list(_candidates(repository))
    drawn = random.Random(seed).sample(candidates, len(candidates))  # noqa: S311 - nothing secret
    found: list[tuple[int, MinedTask]] = []
    for place, commit, parent, text in drawn:
        if len(found) == tasks:
            break
        if gold := _gold(repository, parent, commit, text=text):
            found.append((place, MinedTask(commit, parent, text, gold)))
    return [task for _, task in sorted(found, reverse=True)]


def asked(message: str) -> str:
    """Return a commit's message without trailers and numbers of pull requests."""
    lines = [
        _PULL_REQUEST.sub("", line.rstrip()) for line in message.splitlines() if not _TRAILER.match(line)
    ]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def changed_lines(diff: str, length: int) -> tuple[int, ...]:
    """Return the old lines that a diff without context touches, in a file of that length."""
    lines: set[int] = set()
    for start, count in _HUNK.findall(diff):
        first, size = int(start), int(count or 1)
        lines.update(range(first, first + size) if size else (first, first + 1))
    return tuple(sorted(line for line in lines if 1 <= line <= length))


class Tree:
    """A working tree of the parent commit: its .git has one branch there, and no name for anything later."""

    def __init__(self, repository: Path, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        git(folder, "init", "-q", "--template=", "-b", "main")
        objects = git(repository, "rev-parse", "--path-format=absolute", "--git-path", "objects")
        info = folder / ".git" / "objects" / "info"
        info.mkdir(exist_ok=True)
        (info / "alternates").write_bytes(objects)
        (folder / ".git" / "info").mkdir(exist_ok=True)
        (folder / ".git" / "info" / "exclude").write_text(".aider*\n")

    def move_to(self, commit: str) -> list[str]:
        """Check out a commit; return the paths of its files."""
        git(self.folder, "update-ref", "refs/heads/main", commit)
        try:
            git(self.folder, "reset", "-q", "--hard")
        except subprocess.CalledProcessError:
            # a partial clone lacks some large files: the others are enough
            git(self.folder, "read-tree", "HEAD")
            with_gaps = ["checkout-index", "-a", "-f", "-q"]
            subprocess.run(["git", "-C", str(self.folder), *with_gaps], capture_output=True, check=False)  # noqa: S603, S607
        git(self.folder, "clean", "-ffdxq", "-e", ".aider*")
        (self.folder / ".git" / "ORIG_HEAD").unlink(missing_ok=True)
        listed = git(self.folder, "ls-files", "-z").decode(errors="surrogateescape").split("\0")
        return [path for path in listed if path and (self.folder / path).is_file()]


def _candidates(repository: Path) -> Iterator[tuple[int, str, str, str]]:
    log = git(repository, "log", "--no-merges", "-n", str(COMMITS), "--format=%H%x00%P%x00%B%x01")
    for place, entry in enumerate(log.decode(errors="replace").split("\x01\n")):
        commit, _, rest = entry.strip("\x01").partition("\0")
        parent, _, message = rest.partition("\0")
        text = asked(message)
        if parent and len(text.split()) >= LEAST_WORDS and not _ROUTINE.match(text):
            yield place, commit, parent, text


def _gold(repository: Path, parent: str, commit: str, *, text: str) -> tuple[Gold, ...]:
    try:
        listed = git(repository, "diff-tree", "-r", "-z", "--no-renames", "--name-status", parent, commit)
        fields = listed.decode(errors="surrogateescape").split("\0")
        touched = [(status, path) for status, path in zip(fields[::2], fields[1::2]) if is_source(path)]  # noqa: B905 - it ends in a NUL
        paths = [path for status, path in touched if status == "M"]
        if not paths or len(touched) > MOST_FILES or _names_one(text.lower(), paths):
            return ()
        gold = (_changed(repository, parent, commit, path=path) for path in paths)
        return tuple(entry for entry in gold if entry.lines)
    except subprocess.CalledProcessError:  # a shallow or partial clone ends here
        return ()


def _names_one(text: str, paths: list[str]) -> bool:
    return any(path.rpartition("/")[2].lower() in text for path in paths)


def _changed(repository: Path, parent: str, commit: str, *, path: str) -> Gold:
    content = git(repository, "cat-file", "blob", f"{parent}:{path}")
    options = ("-U0", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color")
    diff = git(repository, "diff", *options, parent, commit, "--", path).decode(errors="replace")
    lines = changed_lines(diff, len(content.splitlines()))
    known = definitions(path, content)
    touched = dict.fromkeys(found for line in lines if (found := innermost(known, line)))
    return Gold(path, lines, tuple(touched))
