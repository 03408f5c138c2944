"""Find how commits lie to one another: parents, merge bases, roots, the branch that others start from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from satchel.errors import WorkspaceError
from satchel.paths import safe_text
from satchel.patterns import lazily

if TYPE_CHECKING:
    from satchel.workspace.git.repository import Git

_EMPTY_TREES = {
    40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
"""Ids of the tree without files, which every repository knows, by their length."""
_FULL_SHA = lazily(r"[0-9a-f]{40,64}\Z")
_DEFAULT_BRANCHES = ("main", "master", "trunk", "develop")


class GitRevisions:
    """The commits of a repository as a graph; each method raises what the methods of `Git` do."""

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

        It is that of `origin/HEAD`, else `main`, `master`, `trunk` or `develop`; of the branch here and
        that of origin the one which has more of HEAD's history.
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
        """Return the full id of the newest commit that has the file, "" for none: HEAD, or one before."""
        if self._git.show("HEAD", path) is not None:
            return self._git.head()
        answer = self._git.program.ask(
            "log", "--max-count=1", "--format=%H", "--diff-filter=D", "--no-renames", "--end-of-options",
            "HEAD", "--", f":(literal){path}",
        )  # fmt: skip
        sha = answer.output.decode(errors="replace").strip()
        return self.find_parent(sha) if _FULL_SHA.match(sha) else ""

    def list_roots(self) -> list[str]:
        """Return the ids of the commits that the history of HEAD begins with; [] where there is none."""
        head = self._git.head()
        answer = (
            self._git.program.ask("rev-list", "--max-parents=0", "--end-of-options", head) if head else None
        )
        if answer is None or answer.code:
            return []
        return answer.output.decode(errors="replace").split()
