"""Ask git about a repository: its index, status, history and untracked files."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import stat
import threading
import time
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from satchel.errors import Problem, WorkspaceError
from satchel.paths import safe_text
from satchel.patterns import lazily
from satchel.workspace.git import patches, running
from satchel.workspace.git.patches import Status
from satchel.workspace.git.running import SETTINGS, Answer, find_git, harden_environment, run
from satchel.workspace.index.store import IndexStore

_NS = 1_000_000_000
_LOW_BITS = 0xFFFF_FFFF
"""The index keeps only these bits of a size or an inode."""
_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
)
_SHA = lazily(r"[0-9a-f]{40}\Z")
_BRANCH = lazily(r"ref: (refs/heads/(?!.*\.\.)[\w./+@#=-]{1,200})\Z")
_LONGEST_REF = 1_000


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


def read_head(git_dir: Path, common: Path) -> str:
    """Return the id that HEAD names, "" if only git can tell; the commit may not exist."""
    head = os.fsdecode(_read_limited(git_dir / "HEAD", _LONGEST_REF)).rstrip("\n")
    if _SHA.match(head):
        return head
    branch = _BRANCH.match(head)
    if branch is None:
        return ""
    told = os.fsdecode(_read_limited(common / branch[1], _LONGEST_REF)).rstrip("\n")
    return told if _SHA.match(told) else ""


def _read_limited(path: Path, most: int) -> bytes:
    """Return the content of a file, b"" if it can't be read or has more than `most` bytes."""
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError:
        return b""
    with os.fdopen(descriptor, "rb") as file:
        try:
            data = file.read(most + 1)
        except OSError:
            return b""
    return data if len(data) <= most else b""


SUBMODULE = "160000"
BULK_PATHS = 60
"""A commit that touches more files says nothing about which of them belong together."""
_SECONDS = 20.0
"""Seconds that timed-out git calls may take in one run, together."""
_LEAST_SECONDS = 1.0
_NAME_BYTES = 8_192
_LISTING_BYTES = 256_000_000
_LOG_BYTES = 8_000_000
_BLOB_BYTES = 8_000_000
_PATCH_BYTES = 4_000_000

# Names are quoted, huge files count as binary, the index is not written.
_PATCH_SETTINGS = ("core.quotePath=true", "core.bigFileThreshold=1m", "diff.autoRefreshIndex=false")

_FULL_SHA = lazily(r"[0-9a-f]{40,64}\Z")
_COMMIT = lazily(r"\x01([0-9a-f]{40,64})\Z")
_TRACKED = lazily(
    r"([^ ]*) ([^ ]*) (.)\t([^\0]*)\0"
    r"  ctime: (\d+):(\d+)\n  mtime: (\d+):(\d+)\n  dev: [^\t]*\tino: (\d+)\n[^\n]*\n  size: (\d+)\t[^\n]*\n"
)
_TRACKED_ONLY = lazily(r"([^ ]*) ([^ ]*) (.)\t([^\0]*)\0")
_FILTER = lazily(r"filter\.[^\n]*\.(?:clean|smudge|process|required)\Z", re.DOTALL)
_HEADING = lazily(r"diff\.[^\n]*\.x?funcname\Z", re.DOTALL)
_QUOTED = lazily(r"(?s)(['\"]).*\1")


class Commit(NamedTuple):
    """A commit; `time` is the committer's, in seconds since the epoch."""

    sha: str
    time: int
    subject: str
    body: str
    paths: tuple[str, ...]
    """Files that it changed against its parent; () for a merge or if there are more than BULK_PATHS."""


class Untracked(NamedTuple):
    """Files that git neither tracks nor ignores, and git's complaints on the way.

    A repository of its own within the workspace is one path that ends with `/`.
    """

    paths: tuple[str, ...]
    warnings: tuple[str, ...] = ()


class Git:
    """A repository whose working tree holds the workspace; every path is relative to the workspace.

    Each method raises WorkspaceError if git fails or does not answer in time.
    """

    def __init__(
        self, root: Path, program: str, git_dir: Path, prefix: str, environment: Mapping[str, str]
    ) -> None:
        self.root = root
        self.program = program
        self.git_dir = git_dir
        self.prefix = prefix
        """The workspace's own path in the repository, "" or with a `/` at its end."""
        self.environment = environment
        self._filters: tuple[str, tuple[str, ...]] = ("", ())
        """The state of git's settings, and the settings that turn their filters off."""
        self.wasted: list[float] = []
        """Seconds of each call that timed out."""
        self.choose_visible: Callable[[Sequence[str]], Sequence[str]] = list
        """Returns the paths that `.satchelignore` does not name; of others no change is told."""

    @classmethod
    def open(cls, root: Path) -> Git | None:
        """Return the repository around `root`, or None where there is none that can be used."""
        return open_git(root)[0]

    def head(self) -> str:
        """Return the id of the newest commit, "" before the first one."""
        answer = self._ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}", "--")
        sha = answer.output.decode(errors="replace").split("\n")[0]
        if _FULL_SHA.match(sha):
            return sha
        if answer.code == 1 and not answer.errors:
            return ""
        raise self._failure("the newest commit can't be read", answer)

    def tracked(self) -> list[TrackedFile]:
        """Return the files of the index, submodules and links too; one entry for a path in conflict."""
        files = self._list_index()
        return files if all(file.stage == "0" for file in files) else merge_stages(files)

    def _list_index(self) -> list[TrackedFile]:
        """Ask git for its index with stat data, so that a clean file need not be read."""
        output = os.fsdecode(self._ask_or_fail("ls-files", "-s", "--debug", "-z", "--").output)
        rows = _TRACKED.findall(output)
        if len(rows) != output.count("\0"):  # the format of --debug may change
            plain = os.fsdecode(self._ask_or_fail("ls-files", "-s", "-z", "--").output)
            return list(map(TrackedFile._make, _TRACKED_ONLY.findall(plain)))
        return list(map(_read_tracked_row, rows))

    def read_head(self) -> str:
        """Return the id that HEAD names if that needs no git, else ""; the commit may not exist."""
        return read_head(self.git_dir, self.common_dir)

    @property
    def common_dir(self) -> Path:
        """The folder of the data that all working trees of the repository share."""
        try:
            named = (self.git_dir / "commondir").read_text(errors="surrogateescape").strip()
        except OSError:
            return self.git_dir
        return self.git_dir / named

    def untracked(self) -> list[str]:
        """Return the files that are neither tracked nor ignored."""
        return list(self.others().paths)

    def others(self) -> Untracked:
        """Return the files that are neither tracked nor ignored, and git's warnings about them."""
        answer = self._ask("ls-files", "-o", "--exclude-standard", "-z", "--")
        if answer.late:  # an ignore file that the settings name may be what blocks
            nothing = (f"core.excludesFile={os.devnull}",)
            answer = self._ask("ls-files", "-o", "--exclude-standard", "-z", "--", settings=nothing)
        if answer.code or answer.cut:
            raise self._failure("git ls-files failed", answer)
        warnings = tuple(line.removeprefix("warning: ") for line in answer.errors.splitlines()[:20])
        return Untracked(_split_names(answer.output), warnings)

    def ignored_folders(self) -> list[str]:
        """Return the folders that git's rules exclude, each with a trailing `/`."""
        answer = self._ask_or_fail("ls-files", "-o", "-i", "--exclude-standard", "--directory", "-z", "--")
        return [name for name in _split_names(answer.output) if name.endswith("/")]

    def changed(self) -> list[str]:
        """Return the tracked files whose content differs from the index; a deleted one does.

        Filters are off, so a file with a filter (Git LFS) counts as changed once it was touched.
        """
        answer = self._ask_or_fail("ls-files", "-m", "-z", "--", settings=self._filters_off())
        return sorted(set(_split_names(answer.output)))

    def log(self, limit: int = 400, *, head: str = "", skip: int = 0, paths: bool = True) -> list[Commit]:
        """Return the newest commits of HEAD's history, newest first; `head` is its id, if known.

        The newest `skip` are left out. Only HEAD counts: no other ref, no stash, reflog, replace
        ref, graft or note. A history of more than 8 MB is cut at its old end. Without `paths` no commit has
        any, which is much faster.
        """
        newest = head or self.head()
        if not newest:
            return []
        return self._log(f"--max-count={limit}", f"--skip={skip}", revs=[newest], paths=paths)

    def paths_of(self, shas: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return the paths of commits, given by full id, as `log` does."""
        if not shas or not all(map(_FULL_SHA.match, shas)):
            return {}
        return {commit.sha: commit.paths for commit in self._log("--no-walk=unsorted", revs=shas)}

    def _log(self, *which: str, revs: Sequence[str], paths: bool = True) -> list[Commit]:
        answer = self._ask(
            "log", "-z", *which, "--format=%x01%H%x00%ct%x00%s%x00%b%x00",
            *(["--name-status"] if paths else []),
            "--no-renames", "--no-diff-merges", "--no-ext-diff", "--no-textconv", "--no-notes", "--no-color",
            "--no-decorate", "--encoding=UTF-8", "--ignore-submodules=all", "--relative", "--end-of-options",
            *revs, "--", *(["."] if self.prefix else []),
            limit=_LOG_BYTES,
        )  # fmt: skip
        if answer.code and not answer.cut:
            raise self._failure("the history can't be read", answer)
        commits = list(_commits(answer.output.split(b"\0")))
        return commits[:-1] if answer.cut else commits

    def show(self, rev: str, path: str) -> bytes | None:
        """Return what the file held at the commit `rev`, a full id or HEAD; None if it was not a file."""
        if rev != "HEAD" and not _FULL_SHA.match(rev):
            raise WorkspaceError(safe_text(rev), "is not a full commit id")
        if not path or "\0" in path or path.startswith("/") or ".." in path.split("/"):
            return None
        answer = self._ask("cat-file", "blob", f"{rev}:./{path}", limit=_BLOB_BYTES)
        if answer.cut:
            raise WorkspaceError(safe_text(path), f"has more than {_BLOB_BYTES:,} bytes at {rev}")
        return None if answer.code else answer.output

    def resolve(self, rev: str) -> str:
        """Return the full id of the commit that a branch, a tag or any other name means.

        Raises WorkspaceError if it means none, or looks like an option.
        """
        reason = "names no commit here; give a branch, a tag or a commit id"
        if not rev.strip() or rev.startswith("-") or "\0" in rev:
            raise WorkspaceError(repr(safe_text(rev)), reason)
        answer = self._ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}")
        sha = answer.output.decode(errors="replace").strip()
        if answer.code or not _FULL_SHA.match(sha):
            raise WorkspaceError(repr(safe_text(rev)), reason)
        return sha

    def list_roots(self) -> list[str]:
        """Return the ids of the commits that the history of HEAD begins with; [] where there is none."""
        head = self.head()
        answer = self._ask("rev-list", "--max-parents=0", "--end-of-options", head) if head else None
        if answer is None or answer.code:
            return []
        return answer.output.decode(errors="replace").split()

    def status(self, paths: Sequence[str] = ()) -> patches.Status:
        """Return the branch and the tracked files that differ from HEAD or the index; no untracked ones.

        With `paths` git checks only those.
        """
        answer = self._ask_or_fail(
            "status", "--porcelain=v2", "--branch", "-z", "--untracked-files=no", "--ignore-submodules=all",
            "--no-renames", "--no-ahead-behind", "--", *(f":(literal){path}" for path in paths),
            *(["."] if self.prefix and not paths else []),
            settings=self._filters_off(),
        )  # fmt: skip
        status = patches.read_status(answer.output, self.prefix)
        changes = (*status.staged, *status.unstaged)
        visible = set(self.choose_visible([*(path for _, path in changes), *status.conflicts]))
        return status._replace(
            staged=tuple(one for one in status.staged if one[1] in visible),
            unstaged=tuple(one for one in status.unstaged if one[1] in visible),
            conflicts=tuple(path for path in status.conflicts if path in visible),
        )

    def diff(
        self, rev: str = "HEAD", *, deleted: bool = True, paths: Sequence[str] = ()
    ) -> list[patches.FileDiff]:
        """Return what the working tree changed against a commit, a full id or HEAD.

        No filter, text conversion or external diff runs. Beyond 4 MB the last files are left out. Without
        `deleted`, deleted files have no hunks. That is faster, and so is comparing only `paths`.
        """
        if rev != "HEAD" and not _FULL_SHA.match(rev):
            raise WorkspaceError(safe_text(rev), "is not a full commit id")
        answer = self._ask(
            "diff", "--patch", "--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/",
            "--dst-prefix=b/", "--unified=3", "--inter-hunk-context=0", "--diff-algorithm=myers",
            "--find-renames", "-l200", "--submodule=short", "--ignore-submodules=all", "--relative",
            "--ws-error-highlight=none", *([] if deleted else ["--irreversible-delete"]), rev, "--",
            *(f":(literal){path}" for path in paths), *(["."] if self.prefix and not paths else []),
            limit=_PATCH_BYTES,
            settings=(*self._filters_off(), *_PATCH_SETTINGS, "diff.suppressBlankEmpty=false"),
        )  # fmt: skip
        if answer.code and not answer.cut:
            raise self._failure(f"the changes since {rev[:12]} can't be read", answer)
        whole = answer.output.rpartition(b"\ndiff --git ")[0] if answer.cut else answer.output
        return self._drop_invisible(patches.read_patch(whole))

    def _drop_invisible(self, diffs: list[patches.FileDiff]) -> list[patches.FileDiff]:
        visible = set(
            self.choose_visible([path for one in diffs for path in (one.path, one.old_path) if path])
        )
        return [one for one in diffs if {one.path, one.old_path} - {""} <= visible]

    def changes_of(self, shas: Sequence[str]) -> dict[str, list[patches.FileDiff]]:
        """Return what each commit, a full id, changed in each path, without lines around it.

        Beyond 4 MB of patches the last files are left out.
        """
        if not shas or not all(map(_FULL_SHA.match, shas)):
            return {}
        answer = self._ask(
            "show", "--format=%x01%H", "--patch", "--no-ext-diff", "--no-textconv", "--no-color",
            "--src-prefix=a/", "--dst-prefix=b/", "--unified=0", "--inter-hunk-context=0", "--no-renames",
            "--no-diff-merges", "--no-notes", "--no-decorate", "--ignore-submodules=all", "--relative",
            "--ws-error-highlight=none", "--end-of-options", *shas, "--", *(["."] if self.prefix else []),
            limit=_PATCH_BYTES,
            settings=(*self._filters_off(), *_PATCH_SETTINGS, "diff.suppressBlankEmpty=false"),
        )  # fmt: skip
        if answer.code and not answer.cut:
            raise self._failure("the patches of past commits can't be read", answer)
        found = {}
        for text in re.split(rb"^\x01(?=[0-9a-f]{40,64}$)", answer.output, flags=re.MULTILINE)[1:]:
            sha, _, patch = text.partition(b"\n")
            found[sha.decode()] = self._drop_invisible(patches.read_patch(patch))
        return found

    def added(self, shas: Sequence[str]) -> dict[str, dict[str, frozenset[str]]]:
        """Return the lines that each commit, a full id, added to each path, without blanks around them."""
        return {
            sha: {one.path: patches.find_added_lines(one) for one in changes}
            for sha, changes in self.changes_of(shas).items()
        }

    def blame(self, path: str, lines: Sequence[tuple[int, int]], *, oldest: str = "") -> list[patches.Blamed]:
        """Return the commits that last changed runs of lines of the file at HEAD.

        With `oldest`, a full commit id, git looks no further back, and older lines are left out; so are
        those of the oldest commits of a shallow clone.
        """
        if oldest and not _FULL_SHA.match(oldest):
            raise WorkspaceError(safe_text(oldest), "is not a full commit id")
        to_root = [] if (self.git_dir / "shallow").exists() else ["--root"]
        answer = self._ask(
            "blame", "--porcelain", "--no-textconv", "--ignore-revs-file=", *to_root,
            *patches.line_options(lines), f"{oldest}..HEAD" if oldest else "HEAD", "--", path,
            limit=_LOG_BYTES,
        )  # fmt: skip
        if answer.code or answer.cut:
            raise self._failure(f"the blame of {safe_text(path)} can't be read", answer)
        return patches.read_blame(answer.output)

    def _filters_off(self) -> tuple[str, ...]:
        """Return settings that disable every filter and heading pattern, which could run for ever.

        Reading the configuration runs nothing. It is read again only when it changes.
        """
        state = settings_state(self)
        if not state or self._filters[0] != state:
            self._filters = (state, self._read_filters())
        return self._filters[1]

    def _read_filters(self) -> tuple[str, ...]:
        answer = self._ask("config", "-z", "--name-only", "--get-regexp", r"^(filter|diff)\.")
        found = set(_split_names(answer.output))
        headings = {name for name in found if _HEADING.match(name) and "=" not in name}
        names = {name for name in found if _FILTER.match(name)}
        stems = sorted({name.rpartition(".")[0] for name in names})
        if any("=" in stem for stem in stems):
            raise WorkspaceError(
                str(self.root), "a filter in git's configuration has '=' in its name: rename it"
            )
        pairs = (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false"))
        plain = tuple(f"{name}=^[a-zA-Z_]" for name in sorted(headings))
        return plain + tuple(f"{stem}.{key}={text}" for stem in stems for key, text in pairs)

    def _ask_or_fail(self, *arguments: str, settings: tuple[str, ...] = ()) -> Answer:
        answer = self._ask(*arguments, settings=settings)
        if answer.code or answer.cut:
            raise self._failure(f"git {arguments[0]} failed", answer)
        return answer

    def _ask(self, *arguments: str, settings: tuple[str, ...] = (), limit: int = _LISTING_BYTES) -> Answer:
        options = [option for pair in (*SETTINGS, *settings) for option in ("-c", pair)]
        command = [self.program, *options, "--no-pager", "--no-optional-locks", "--no-replace-objects"]
        seconds = _SECONDS - sum(self.wasted)
        if seconds < _LEAST_SECONDS:
            raise WorkspaceError(str(self.root), "git gave no answer before and is not asked again")
        begun = time.monotonic()
        try:
            answer = run(
                [*command, *arguments],
                folder=self.root,
                environment=self.environment,
                seconds=seconds,
                limit=limit,
            )
        except OSError as error:
            raise WorkspaceError(str(self.root), f"git can't be started: {error.strerror}") from error
        if answer.late:
            self.wasted.append(time.monotonic() - begun)
        return answer

    def _failure(self, what: str, answer: Answer) -> WorkspaceError:
        return WorkspaceError(str(self.root), f"{what}: {_complaint(answer)}")


def open_git(root: Path) -> tuple[Git | None, tuple[Problem, ...]]:
    """Return the repository whose working tree holds `root`, and problems with using it.

    A missing repository, or a missing git program that is not needed, is not a problem. A repository that is
    damaged, belongs to somebody else or has an unusual layout is one: the workspace is then a plain folder.
    """
    real = Path(os.path.realpath(root))
    holder = next((folder for folder in (real, *real.parents) if os.path.lexists(folder / ".git")), None)
    if holder is None:
        return None, ()
    program = find_git(real, os.environ)
    if program is None:
        return None, (_problem(root, "there is a repository but no git program: install git"),)
    refused = running.refusal(holder)
    if refused:
        return None, (_problem(root, f"the git repository is not asked: {refused}; taken as a plain folder"),)
    # Without the ceiling git would skip a damaged repository and use one further up.
    environment = harden_environment(real, os.environ) | {"GIT_CEILING_DIRECTORIES": str(holder.parent)}
    git = Git(root, program, holder / ".git", "", environment)
    try:
        settled, problems = _complete(git, real)
        if settled and running.borrows(holder) and not _is_own_tree(settled):
            text = (
                "the git repository is not asked: it borrows objects from outside, and its files are others"
            )
            return None, (*problems, _problem(root, f"{text}; taken as a plain folder"))
        return settled, problems
    except WorkspaceError as error:
        return None, (_problem(root, error.reason),)


def excludes_file(environment: Mapping[str, str]) -> Path | None:
    """Return the ignore file that the user's own configuration names, None if it names none.

    Git is asked outside of any repository, so that no setting of a workspace counts.
    """
    nowhere = Path(os.path.abspath(os.sep))
    program = find_git(Path(__file__), environment)
    if program is None:
        return None
    with contextlib.suppress(OSError):
        answer = run(
            [program, "config", "-z", "--global", "--includes", "--type=path", "--get", "core.excludesFile"],
            folder=nowhere,
            environment=harden_environment(Path(__file__), environment),
            seconds=_SECONDS / 4,
            limit=_NAME_BYTES,
        )
        place = os.fsdecode(answer.output.partition(b"\0")[0])
        return Path(place) if not answer.code and os.path.isabs(place) else None
    return None


def _complete(git: Git, real: Path) -> tuple[Git | None, tuple[Problem, ...]]:
    """Return the repository with what git itself says about it, or the problem with it."""
    answer = git._ask("rev-parse", "--is-inside-work-tree", "--absolute-git-dir", "--show-prefix")
    if answer.code or answer.late:
        return None, (_problem(git.root, _refusal(git, answer)),)
    facts = os.fsdecode(answer.output).removesuffix("\n").split("\n")
    if len(facts) != 3 or facts[0] != "true" or not f"{real.as_posix()}/".endswith(f"/{facts[2]}"):
        return None, (
            _problem(git.root, "the repository's working tree is elsewhere; taken as a plain folder"),
        )
    settled = Git(git.root, git.program, Path(facts[1]), facts[2], git.environment)
    settled.wasted = git.wasted
    if settled.prefix and _is_only_ignored(settled):
        return None, ()
    return settled, ()


def _is_own_tree(git: Git) -> bool:
    """Tell whether at least half of the files of HEAD are unchanged in the working tree.

    A hostile repository can name somebody else's commit, but does not have its files.
    """
    kept = git._ask("ls-tree", "-r", "--name-only", "-z", "--full-tree", "HEAD")
    options = ("--name-only", "--no-renames", "--no-ext-diff", "-z")
    changed = git._ask("diff-index", *options, "HEAD", "--", ":/", settings=git._filters_off())
    if kept.code or changed.code:
        return False
    return 2 * changed.output.count(b"\0") <= kept.output.count(b"\0")


def _is_only_ignored(git: Git) -> bool:
    """Tell whether the repository further up ignores the whole workspace."""
    return git._ask("check-ignore", "--quiet", "--", ".").code == 0 and not git.tracked()


def _refusal(git: Git, answer: Answer) -> str:
    if "dubious ownership" in answer.errors:
        fix = f"git config --global --add safe.directory {safe_text(str(git.git_dir.parent))}"
        return f"the repository belongs to another user; taken as a plain folder; if you trust it: {fix}"
    return f"the repository can't be used, taken as a plain folder: {_complaint(answer)}"


def _complaint(answer: Answer) -> str:
    if answer.late:
        return "git gives no answer"
    if answer.cut:
        return "the answer is too long"
    lines = answer.errors.strip().splitlines() or [f"exit code {answer.code}"]
    fatal = next((line for line in lines if line.startswith(("fatal: ", "error: "))), lines[0])
    # What git quotes may be the content of a file that a setting or a link leads to.
    plain = fatal.removeprefix("fatal: ").removeprefix("error: ").partition(": ")[0]
    return safe_text(_QUOTED.sub("...", plain))[:300]


def _problem(root: Path, text: str) -> Problem:
    return Problem("git", "read", f"{safe_text(str(root))}: {text}")


def _split_names(output: bytes) -> tuple[str, ...]:
    return tuple(os.fsdecode(output).split("\0")[:-1])


def _read_tracked_row(row: Sequence[str]) -> TrackedFile:
    changed, changed_ns, modified, modified_ns, inode, size = map(int, row[4:])
    times = changed * _NS + changed_ns, modified * _NS + modified_ns
    return TrackedFile(row[0], row[1], row[2], row[3], *times, inode, size)


def _commits(tokens: list[bytes]) -> Iterator[Commit]:
    r"""Read `\x01sha time subject body "" (status path)...` for each commit; paths may hold anything."""
    at = 0
    while at + 4 < len(tokens) and (opening := _COMMIT.match(tokens[at].decode(errors="replace"))):
        seconds, subject, body = tokens[at + 1 : at + 4]
        at += 5
        start = at
        while at + 1 < len(tokens) and not tokens[at].startswith(b"\x01") and tokens[at]:
            at += 2
        paths = tuple(os.fsdecode(token) for token in tokens[start + 1 : at : 2])
        yield Commit(
            opening[1],
            int(seconds or 0),
            subject.decode(errors="replace"),
            body.decode(errors="replace").strip("\n"),
            paths if len(paths) <= BULK_PATHS else (),
        )


_FACT = "untracked"
_FORM = 1
_RULES = ".gitignore"
_SETTLE_NS = 2_000_000_000
"""A path that changed this shortly before its stat may change again within the same time stamp."""
_NOT_THERE = (0, 0, 0, 0)
_UNSETTLED = (-1, -1, -1, -1)
"""Stat data that no file has, so that git is asked again."""
_CLUES = (b"excludesfile", b"include", b"worktreeconfig")
"""Settings that refer to further files; with one of them git is asked each time."""
_VARIABLES = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "HOME", "XDG_CONFIG_HOME")
_MOST_SETTINGS = 1_000_000

Facts = tuple[int, int, int, int]
"""Times, inode and size."""


class _UntrackedFolders(NamedTuple):
    """The paths that the answer depends on, with their stat data."""

    places: tuple[str, ...]
    facts: array[int]


def others(git: Git, tracked: Mapping[str, TrackedFile], store: IndexStore) -> Untracked:
    """Return `git.others()`, from the store while nothing that it depends on has changed.

    Raises:
        WorkspaceError: git fails.
    """
    key = _key(git, tracked)
    stored = store.rows("SELECT value FROM facts WHERE name = ?", (_FACT,)) if key else []
    known = _read(str(stored[0][0]), key) if stored else None
    if known is not None and _facts_of(git.root, known[0].places) == known[0].facts:
        return known[1]
    begun = time.time_ns()
    found = git.others()
    if key and not found.warnings:
        _remember(git, found, store, key=key, begun=begun, submodules=_submodules(tracked))
    return found


def _read(stored: str, key: str) -> tuple[_UntrackedFolders, Untracked] | None:
    told, _, rest = stored.partition("\n")
    if told != key:
        return None
    places, paths, facts = json.loads(rest)
    return _UntrackedFolders(tuple(places), array("q", bytes.fromhex(facts))), Untracked(tuple(paths))


def _remember(
    git: Git, found: Untracked, store: IndexStore, *, key: str, begun: int, submodules: frozenset[str]
) -> None:
    try:
        closed = {*git.ignored_folders(), *found.paths, *submodules}
    except WorkspaceError:
        return
    places = tuple(_places(git.root, closed))
    facts = _facts_of(git.root, places, before=begun - _SETTLE_NS)
    value = f"{key}\n{json.dumps([places, found.paths, facts.tobytes().hex()])}"
    insert = "INSERT OR REPLACE INTO facts VALUES (?, ?)"
    store.remember(lambda connection: connection.execute(insert, (_FACT, value)))


def _places(root: Path, closed: Iterable[str]) -> Iterator[str]:
    """Yield the folders that git reads and the ignore files in them; closed ones end with `/`."""
    ends = frozenset(path.rstrip("/") for path in closed if path.endswith("/"))
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        yield folder
        if folder in ends:
            continue
        prefix = f"{folder}/" if folder else ""
        try:
            with os.scandir(f"{root}/{folder}") as entries:
                inner = sorted(
                    entry.name
                    for entry in entries
                    if entry.is_dir(follow_symlinks=False) or entry.name == _RULES
                )
        except OSError:
            continue
        yield from (prefix + name for name in inner if name == _RULES)
        waiting += [prefix + name for name in inner if name not in (".git", _RULES)]


def _facts_of(root: Path, places: Sequence[str], *, before: int = 0) -> array[int]:
    """Return the stat data of paths; with `before`, what changed later gets data that never matches."""
    facts: array[int] = array("q")
    top = f"{root}/"
    for place in places:
        try:
            found = os.lstat(top + place)
        except OSError:
            facts.extend(_NOT_THERE)
            continue
        if before and max(found.st_mtime_ns, found.st_ctime_ns) >= before:
            facts.extend(_UNSETTLED)
        else:
            size = 0 if stat.S_ISDIR(found.st_mode) else found.st_size
            facts.extend((found.st_mtime_ns, found.st_ctime_ns, found.st_ino & 0x7FFF_FFFF_FFFF_FFFF, size))
    return facts


def _submodules(tracked: Mapping[str, TrackedFile]) -> frozenset[str]:
    return frozenset(f"{path}/" for path, file in tracked.items() if file.mode == "160000")


def _key(git: Git, tracked: Mapping[str, TrackedFile]) -> str:
    """Return a checksum of everything but the folders that an answer depends on, "" if it is not known."""
    settings = settings_state(git)
    if not settings:
        return ""
    digest = hashlib.blake2b(settings.encode("utf-8", "replace"), digest_size=20)
    digest.update("\0".join(tracked).encode("utf-8", "surrogateescape"))
    return f"{_FORM} {digest.hexdigest()}"


def settings_state(git: Git) -> str:
    """Return a text that changes with every git setting, "" if a settings file refers to further files."""
    files = list(_setting_files(git))
    if any(map(_leads_on, files)):
        return ""
    named = (git.environment.get(name, "") for name in _VARIABLES)
    stamps = (f"{file} {_stamp(file)}" for file in (*files, *_rule_files(git)))
    return "\n".join([git.prefix, str(git.root), git.program, *named, *stamps])


def _setting_files(git: Git) -> Iterator[str]:
    yield f"{git.common_dir}/config"
    yield f"{git.git_dir}/config.worktree"
    yield git.environment.get("GIT_CONFIG_GLOBAL") or f"{_home(git)}/.gitconfig"
    yield f"{_personal(git)}/git/config"
    yield git.environment.get("GIT_CONFIG_SYSTEM") or "/etc/gitconfig"
    yield str(Path(git.program).parent.parent / "etc/gitconfig")


def _rule_files(git: Git) -> Iterator[str]:
    yield f"{git.common_dir}/info/exclude"
    yield f"{_personal(git)}/git/ignore"
    yield from (f"{folder}/{_RULES}" for folder in _above(git))


def _above(git: Git) -> Iterator[Path]:
    """Yield the folders between the repository's top and the workspace: their rules apply too."""
    folder = Path(git.root)
    for _ in range(git.prefix.count("/")):
        folder = folder.parent
        yield folder


def _home(git: Git) -> str:
    return git.environment.get("HOME", "")


def _personal(git: Git) -> str:
    return git.environment.get("XDG_CONFIG_HOME") or f"{_home(git)}/.config"


def _stamp(file: str) -> str:
    try:
        facts = os.stat(file)
    except OSError:
        return "-"
    return f"{facts.st_mtime_ns} {facts.st_ctime_ns} {facts.st_ino} {facts.st_size}"


def _leads_on(file: str) -> bool:
    try:
        with open(file, "rb") as stream:
            text = stream.read(_MOST_SETTINGS + 1).lower()
    except OSError:
        return False
    return len(text) > _MOST_SETTINGS or any(clue in text for clue in _CLUES)


_MOST_TOUCHED = 100
"""Files that git is asked about by name; if more were touched, it checks all files again."""
_Change = tuple[str, str]


class StatusCache:
    """Caches the status of a repository, and asks git again only about touched files."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._known: Status | None = None
        self._touched: set[str] = set()
        self._lock = threading.Lock()

    def touch(self, paths: Collection[str]) -> None:
        """Note files that may have changed since the last question."""
        self._touched.update(paths)

    def status(self) -> Status:
        """Return what `Git.status` does.

        Raises:
            WorkspaceError: git fails.
        """
        with self._lock:
            touched, self._touched = self._touched, set()
            try:
                self._known = self._ask_status(sorted(touched))
            except WorkspaceError:
                self._known = None
                raise
            return self._known

    def _ask_status(self, touched: Sequence[str]) -> Status:
        if self._known is None or len(touched) > _MOST_TOUCHED:
            return self._git.status()
        if not touched:
            return self._known
        return _update_status(self._known, self._git.status(touched), frozenset(touched))


def _update_status(known: Status, fresh: Status, touched: frozenset[str]) -> Status:
    """Return the known status, with the touched files taken from the fresh one."""
    conflicts = {path for path in known.conflicts if path not in touched} | set(fresh.conflicts)
    return Status(
        fresh.branch,
        fresh.head,
        _merge_changes(known.staged, fresh.staged, touched),
        _merge_changes(known.unstaged, fresh.unstaged, touched),
        tuple(sorted(conflicts, key=os.fsencode)),
    )


def _merge_changes(
    known: Sequence[_Change], fresh: Sequence[_Change], touched: frozenset[str]
) -> tuple[_Change, ...]:
    """Merge both in git's order, by the bytes of the paths."""
    changes = [*(change for change in known if change[1] not in touched), *fresh]
    return tuple(sorted(changes, key=lambda change: os.fsencode(change[1])))
