"""Open a repository, and ask git about its commits, later changes, and tracked files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from satchel.errors import Problem, WorkspaceError
from satchel.paths import safe_text
from satchel.patterns import lazily
from satchel.workspace.git import patches, running
from satchel.workspace.git.running import (
    Answer,
    GitProgram,
    describe_failure,
    find_git,
    harden_environment,
    split_names,
)

_MOST_TOUCHED = 100
"""Most paths that a status is limited to; beyond them all are checked."""
_EMPTY_TREES = {
    40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
"""Ids of the tree without files, which every repository knows, by their length."""
_DEFAULT_BRANCHES = ("main", "master", "trunk", "develop")


class GitRevisions:
    """The commits of a repository as a graph; the methods raise like those of `Git`."""

    def __init__(self, git: Git) -> None:
        self._git = git

    def find_merge_base(self, one: str, other: str) -> str:
        """Return the full id of the newest commit that two commits have in common, "" if they have none."""
        if not all(map(_FULL_SHA.match, (one, other))):
            return ""
        answer = self._git.program.ask("merge-base", "--end-of-options", one, other)
        sha = answer.output.decode(errors="replace").split("\n")[0]
        return sha if _FULL_SHA.match(sha) else ""

    def find_default_branch(self, current: str) -> str:
        """Return the branch that others start from, "" if there is none or it is `current`.

        It is that of `origin/HEAD`, else `main`, `master`, `trunk` or `develop`; of the local branch and
        origin's, the one with more of HEAD's history.
        """
        answer = self._git.program.ask(
            "rev-parse", "--abbrev-ref", "--verify", "--quiet", "origin/HEAD", "--"
        )
        remote = answer.output.decode(errors="replace").split("\n")[0].strip()
        if not answer.code and remote.startswith("origin/") and remote != "origin/HEAD":
            names: tuple[str, ...] = (remote.removeprefix("origin/"),)
        else:
            names = () if current in _DEFAULT_BRANCHES else _DEFAULT_BRANCHES
        head = self._git.head()
        for name in () if current in names else names:
            found, best = "", ""
            for ref, shown in (
                (f"refs/heads/{name}", name),
                (f"refs/remotes/origin/{name}", f"origin/{name}"),
            ):
                try:
                    base = self.find_merge_base(head, self._git.resolve(ref))
                except WorkspaceError:  # there is no such branch
                    continue
                if base and (not best or self.find_merge_base(best, base) == best != base):
                    found, best = shown, base
            if found:
                return found
        return ""

    def find_newest_tag(self) -> str:
        """Return the tag nearest to HEAD in its history, except HEAD's own; "" if there is none."""
        answer = self._git.program.ask("describe", "--tags", "--abbrev=0", "HEAD^")
        tag = answer.output.decode(errors="replace").strip()
        return "" if answer.code or not tag else tag

    def find_parent(self, sha: str) -> str:
        """Return the full id of a commit's first parent; that of the empty tree if it has none."""
        if not _FULL_SHA.match(sha):
            raise WorkspaceError(safe_text(sha), "is not a full commit id")
        answer = self._git.program.ask(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{sha}^1^{{commit}}"
        )
        parent = answer.output.decode(errors="replace").strip()
        return parent if _FULL_SHA.match(parent) else _EMPTY_TREES[len(sha)]

    def find_last_holder(self, path: str) -> str:
        """Return the full id of the newest commit that has the file, HEAD or an earlier one, "" for none."""
        if self._git.show("HEAD", path) is not None:
            return self._git.head()
        answer = self._git.program.ask(
            "log", "--max-count=1", "--format=%H", "--diff-filter=D", "--no-renames", "--end-of-options",
            "HEAD", "--", f":(literal){path}",
        )  # fmt: skip
        sha = answer.output.decode(errors="replace").strip()
        return self.find_parent(sha) if _FULL_SHA.match(sha) else ""

    def list_roots(self) -> list[str]:
        """Return the ids of the first commits in the history of HEAD; [] if there are none."""
        head = self._git.head()
        answer = (
            self._git.program.ask("rev-list", "--max-parents=0", "--end-of-options", head) if head else None
        )
        if answer is None or answer.code:
            return []
        return answer.output.decode(errors="replace").split()


BULK_PATHS = 60
"""A commit that touches more files is no evidence that they belong together."""
_LOG_BYTES = 8_000_000
_BLOB_BYTES = 8_000_000
_PATCH_BYTES = 4_000_000

# Names are quoted, huge files count as binary, the index is not written.
_PATCH_SETTINGS = ("core.quotePath=true", "core.bigFileThreshold=1m", "diff.autoRefreshIndex=false")

_FULL_SHA = lazily(r"[0-9a-f]{40,64}\Z")
_COMMIT = lazily(r"\x01([0-9a-f]{40,64})\Z")


class Commit(NamedTuple):
    """A commit; `time` is the committer's, in seconds since the epoch."""

    sha: str
    time: int
    subject: str
    body: str
    paths: tuple[str, ...]
    """Files that it changed against its parent; () for a merge or if there are more than BULK_PATHS."""


class Git:
    """A repository whose working tree holds the workspace; every path is relative to the workspace.

    Each method raises WorkspaceError if git fails or does not answer in time.
    """

    files: GitFiles
    """The files of the working tree: which git tracks, ignores, or does neither."""
    revisions: GitRevisions
    """Relations between commits: parents, merge bases, the branch that others start from."""
    git_dir: Path
    """The folder of git's data about this working tree."""
    prefix: str
    """The workspace's own path in the repository, "" or with a `/` at its end."""

    def __init__(self, program: GitProgram) -> None:
        self.program = program
        self.files = GitFiles(program)
        self.revisions = GitRevisions(self)
        self.git_dir = program.git_dir
        self.prefix = program.prefix
        self.choose_visible: Callable[[Sequence[str]], Sequence[str]] = list
        """Returns the paths that `.satchelignore` does not name; changes of others stay hidden."""
        self.touched: Sequence[str] | None = None
        """Paths and folders whose stat data differ from the index; None if they were not compared."""

    @classmethod
    def open(cls, root: Path) -> Git | None:
        """Return the repository around `root`, None if there is none that can be used."""
        return open_git(root)[0]

    def head(self) -> str:
        """Return the id of the newest commit, "" before the first one."""
        answer = self.program.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}", "--")
        sha = answer.output.decode(errors="replace").split("\n")[0]
        if _FULL_SHA.match(sha):
            return sha
        if answer.code == 1 and not answer.errors:
            return ""
        raise self.program.failure("the newest commit can't be read", answer)

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

    def log_since(self, base: str, tip: str, paths: Sequence[str], limit: int) -> list[Commit]:
        """Return the newest commits of `tip` that `base` does not have and that touched paths; full ids."""
        if not paths or not all(map(_FULL_SHA.match, (base, tip))):
            return []
        options = ("log", f"--max-count={limit}", "--format=%H", "--no-merges", "--end-of-options")
        answer = self.program.ask(*options, f"{base}..{tip}", "--", *(f":(literal){path}" for path in paths))
        shas = answer.output.decode(errors="replace").split()
        return self._log("--no-walk=unsorted", revs=shas) if shas and not answer.code else []

    def _log(self, *which: str, revs: Sequence[str], paths: bool = True) -> list[Commit]:
        answer = self.program.ask(
            "log", "-z", *which, "--format=%x01%H%x00%ct%x00%s%x00%b%x00",
            *(["--name-status"] if paths else []),
            "--no-renames", "--no-diff-merges", "--no-ext-diff", "--no-textconv", "--no-notes", "--no-color",
            "--no-decorate", "--encoding=UTF-8", "--ignore-submodules=all", "--relative", "--end-of-options",
            *revs, "--", *(["."] if self.prefix else []),
            limit=_LOG_BYTES,
        )  # fmt: skip
        if answer.code and not answer.cut:
            raise self.program.failure("the history can't be read", answer)
        commits = list(_commits(answer.output.split(b"\0")))
        return commits[:-1] if answer.cut else commits

    def show(self, rev: str, path: str) -> bytes | None:
        """Return the content of a file at the commit `rev`, a full id or HEAD; None if it was not a file."""
        if rev != "HEAD" and not _FULL_SHA.match(rev):
            raise WorkspaceError(safe_text(rev), "is not a full commit id")
        if not path or "\0" in path or path.startswith("/") or ".." in path.split("/"):
            return None
        answer = self.program.ask("cat-file", "blob", f"{rev}:./{path}", limit=_BLOB_BYTES)
        if answer.cut:
            raise WorkspaceError(safe_text(path), f"has more than {_BLOB_BYTES:,} bytes at {rev}")
        return None if answer.code else answer.output

    def resolve(self, rev: str) -> str:
        """Return the full id of the commit with a name, such as a branch or a tag.

        `main...` is the merge base of HEAD and main. Raises WorkspaceError if there is none, or the name
        looks like an option.
        """
        reason = "is not a commit here; give a branch, a tag or a commit id"
        if ".." in rev.removesuffix("..."):
            reason += ", of a range the first"
        elif (self.git_dir / "shallow").exists():
            reason += ", or fetch more of this shallow clone with git fetch --unshallow"
        if other := rev.removesuffix("...") if rev.endswith("...") else "":
            if base := self.revisions.find_merge_base(self.head(), self.resolve(other)):
                return base
            raise WorkspaceError(repr(safe_text(other)), "has no commit in common with HEAD")
        if not rev.strip() or rev.startswith("-") or "\0" in rev:
            raise WorkspaceError(repr(safe_text(rev)), reason)
        answer = self.program.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}")
        sha = answer.output.decode(errors="replace").strip()
        if answer.code or not _FULL_SHA.match(sha):
            raise WorkspaceError(repr(safe_text(rev)), reason)
        return sha

    def status(self) -> patches.Status:
        """Return the branch and the tracked files that differ from HEAD or the index; no untracked ones.

        If a listing of the files has just compared their stat data, git does not check them again.
        """
        answer = self.program.ask_or_fail(
            "status", "--porcelain=v2", "--branch", "-z", "--untracked-files=no", "--ignore-submodules=all",
            "--no-renames", "--no-ahead-behind", "--", *_list_changed(self),
            settings=self.program.filters_off(),
        )  # fmt: skip
        status = patches.read_status(answer.output, self.prefix)
        changes = (*status.staged, *status.unstaged)
        visible = set(self.choose_visible([*(path for _, path in changes), *status.conflicts]))
        return status._replace(
            staged=tuple(one for one in status.staged if one[1] in visible),
            unstaged=tuple(one for one in status.unstaged if one[1] in visible),
            conflicts=tuple(path for path in status.conflicts if path in visible),
            sides={path: how for path, how in status.sides.items() if path in visible},
        )

    def diff(self, rev: str = "HEAD", *, until: str = "", deleted: bool = True) -> list[patches.FileDiff]:
        """Return the changes of the working tree, or of `until`, against a commit, a full id or HEAD.

        No filter, text conversion or external diff runs. Beyond 4 MB the last files are left out. Without
        `deleted`, deleted files have no hunks, which is faster.
        """
        for one in (rev, until or "HEAD"):
            if one != "HEAD" and not _FULL_SHA.match(one):
                raise WorkspaceError(safe_text(one), "is not a full commit id")
        answer = self.program.ask(
            "diff", "--patch", "--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/",
            "--dst-prefix=b/", "--unified=3", "--inter-hunk-context=0", "--diff-algorithm=myers",
            "--find-renames", "-l200", "--submodule=short", "--ignore-submodules=all", "--relative",
            "--ws-error-highlight=none", *([] if deleted else ["--irreversible-delete"]), rev,
            *([until] if until else []), "--", *(["."] if self.prefix else []),
            limit=_PATCH_BYTES,
            settings=(*self.program.filters_off(), *_PATCH_SETTINGS, "diff.suppressBlankEmpty=false"),
        )  # fmt: skip
        if answer.code and not answer.cut:
            raise self.program.failure(f"the changes since {rev[:12]} can't be read", answer)
        whole = answer.output.rpartition(b"\ndiff --git ")[0] if answer.cut else answer.output
        return self._drop_invisible(patches.read_patch(whole))

    def _drop_invisible(self, diffs: list[patches.FileDiff]) -> list[patches.FileDiff]:
        visible = set(
            self.choose_visible([path for one in diffs for path in (one.path, one.old_path) if path])
        )
        return [one for one in diffs if {one.path, one.old_path} - {""} <= visible]

    def changes_of(self, shas: Sequence[str]) -> dict[str, list[patches.FileDiff]]:
        """Return the changes of each commit, a full id, in each path, without lines around them.

        Beyond 4 MB of a commit's patches its last files are left out, whichever other commits are requested.
        """
        if not shas or not all(map(_FULL_SHA.match, shas)):
            return {}
        found: dict[str, list[patches.FileDiff]] = {}
        while unread := [sha for sha in shas if sha not in found]:
            answer = self._show_patches(unread)
            parted = re.split(rb"^\x01(?=[0-9a-f]{40,64}$)", answer.output, flags=re.MULTILINE)[1:]
            # The last is whole only if requested alone: the commits before it take up the room.
            whole = parted[:-1] if answer.cut and len(parted) > 1 else parted
            for text in whole:
                sha, _, patch = text.partition(b"\n")
                found[sha.decode()] = self._drop_invisible(patches.read_patch(patch))
            if not answer.cut or not whole:
                break
        return found

    def _show_patches(self, shas: Sequence[str]) -> Answer:
        answer = self.program.ask(
            "show", "--format=%x01%H", "--patch", "--no-ext-diff", "--no-textconv", "--no-color",
            "--src-prefix=a/", "--dst-prefix=b/", "--unified=0", "--inter-hunk-context=0", "--no-renames",
            "--no-diff-merges", "--no-notes", "--no-decorate", "--ignore-submodules=all", "--relative",
            "--ws-error-highlight=none", "--end-of-options", *shas, "--", *(["."] if self.prefix else []),
            limit=_PATCH_BYTES,
            settings=(*self.program.filters_off(), *_PATCH_SETTINGS, "diff.suppressBlankEmpty=false"),
        )  # fmt: skip
        if answer.code and not answer.cut:
            raise self.program.failure("the patches of past commits can't be read", answer)
        return answer

    def blame(self, path: str, lines: Sequence[tuple[int, int]], *, oldest: str = "") -> list[patches.Blamed]:
        """Return the commits that last changed runs of lines of the file at HEAD.

        With `oldest`, a full commit id, git looks no further back, and older lines are left out; so are lines
        of the oldest commits of a shallow clone.
        """
        if oldest and not _FULL_SHA.match(oldest):
            raise WorkspaceError(safe_text(oldest), "is not a full commit id")
        to_root = [] if (self.git_dir / "shallow").exists() else ["--root"]
        answer = self.program.ask(
            "blame", "--porcelain", "--no-textconv", "--ignore-revs-file=", *to_root,
            *patches.line_options(lines), f"{oldest}..HEAD" if oldest else "HEAD", "--", path,
            limit=_LOG_BYTES,
        )  # fmt: skip
        if answer.code or answer.cut:
            raise self.program.failure(f"the blame of {safe_text(path)} can't be read", answer)
        return patches.read_blame(answer.output)


def _list_changed(git: Git) -> list[str]:
    """Return arguments that limit a status to paths that may have changed; [] if there are too many."""
    everything = ["."] if git.prefix else []
    if git.touched is None or len(git.touched) > _MOST_TOUCHED:
        return everything
    staged = git.program.ask(
        "diff-index", "--cached", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--relative",
        "--ignore-submodules=all", "HEAD", "--", *everything, settings=git.program.filters_off(),
    )  # fmt: skip
    paths = sorted({*git.touched, *split_names(staged.output)})
    if staged.code or len(paths) > _MOST_TOUCHED:  # there may be no commit yet
        return everything
    return [f":(literal){path}" for path in paths] or [":(top,literal).git"]  # which git never tracks


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
        return None, (
            _problem(root, f"the git repository is not used: {refused}; treated as a plain folder"),
        )
    # Without the ceiling git would skip a damaged repository and use one further up.
    environment = harden_environment(real, os.environ) | {"GIT_CEILING_DIRECTORIES": str(holder.parent)}
    first = GitProgram(root, program, holder / ".git", "", environment)
    try:
        git, problems = _open_with(first, real)
        if git and running.borrows(holder) and not _is_own_tree(git.program):
            text = "the git repository is not used: it borrows objects from outside, and its files are others"
            return None, (*problems, _problem(root, f"{text}; treated as a plain folder"))
        return git, problems
    except WorkspaceError as error:
        return None, (_problem(root, error.reason),)


def _open_with(program: GitProgram, real: Path) -> tuple[Git | None, tuple[Problem, ...]]:
    """Return the repository at the place that git names, or the problem with it."""
    answer = program.ask("rev-parse", "--is-inside-work-tree", "--absolute-git-dir", "--show-prefix")
    if answer.code or answer.late:
        return None, (_problem(program.root, _refusal(program, answer)),)
    facts = os.fsdecode(answer.output).removesuffix("\n").split("\n")
    if len(facts) != 3 or facts[0] != "true" or not f"{real.as_posix()}/".endswith(f"/{facts[2]}"):
        return None, (
            _problem(program.root, "the repository's working tree is elsewhere; treated as a plain folder"),
        )
    settled = GitProgram(program.root, program.path, Path(facts[1]), facts[2], program.environment)
    settled.wasted = program.wasted
    git = Git(settled)
    if git.prefix and _is_only_ignored(git):
        return None, ()
    return git, ()


def _is_own_tree(program: GitProgram) -> bool:
    """Return whether at least half of the files of HEAD are unchanged in the working tree.

    A hostile repository can name somebody else's commit, but does not have its files.
    """
    kept = program.ask("ls-tree", "-r", "--name-only", "-z", "--full-tree", "HEAD")
    options = ("--name-only", "--no-renames", "--no-ext-diff", "-z")
    changed = program.ask("diff-index", *options, "HEAD", "--", ":/", settings=program.filters_off())
    if kept.code or changed.code:
        return False
    return 2 * changed.output.count(b"\0") <= kept.output.count(b"\0")


def _is_only_ignored(git: Git) -> bool:
    """Return whether the repository further up ignores the whole workspace."""
    return git.program.ask("check-ignore", "--quiet", "--", ".").code == 0 and not git.files.tracked()


def _refusal(program: GitProgram, answer: Answer) -> str:
    if "dubious ownership" in answer.errors:
        fix = f"git config --global --add safe.directory {safe_text(str(program.git_dir.parent))}"
        return f"the repository belongs to another user; treated as a plain folder; if you trust it: {fix}"
    return f"the repository can't be used, treated as a plain folder: {describe_failure(answer)}"


def _problem(root: Path, text: str) -> Problem:
    return Problem("git", "read", f"{safe_text(str(root))}: {text}")


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
        """Return the files of the index, including submodules and links; one entry for a path in conflict."""
        files = self._list_index()
        return files if all(file.stage == "0" for file in files) else merge_stages(files)

    def _list_index(self) -> list[TrackedFile]:
        """Ask git for its index with stat data, so that a clean file need not be read."""
        output = os.fsdecode(self.program.ask_or_fail("ls-files", "-s", "--debug", "-z", "--").output)
        rows = _TRACKED.findall(output)
        if len(rows) != output.count("\0"):  # the format of --debug may change
            plain = os.fsdecode(self.program.ask_or_fail("ls-files", "-s", "-z", "--").output)
            return list(map(TrackedFile._make, _TRACKED_ONLY.findall(plain)))
        return [
            TrackedFile(
                mode, blob, stage, path,
                int(changed) * _NS + int(changed_ns), int(modified) * _NS + int(modified_ns),
                int(inode), int(size),
            )
            for mode, blob, stage, path, changed, changed_ns, modified, modified_ns, inode, size in rows
        ]  # fmt: skip

    def others(self) -> Untracked:
        """Return the files that are neither tracked nor ignored, and git's warnings about them."""
        answer = self.program.ask("ls-files", "-o", "--exclude-standard", "-z", "--")
        if answer.late:  # an ignore file named in the settings may block
            nothing = (f"core.excludesFile={os.devnull}",)
            answer = self.program.ask("ls-files", "-o", "--exclude-standard", "-z", "--", settings=nothing)
        if answer.code or answer.cut:
            raise self.program.failure("git ls-files failed", answer)
        warnings = tuple(line.removeprefix("warning: ") for line in answer.errors.splitlines()[:20])
        return Untracked(split_names(answer.output), warnings)
