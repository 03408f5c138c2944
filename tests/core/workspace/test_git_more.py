from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from satchel import WorkspaceError
from satchel.plugin_api import Git
from satchel.workspace import open_git

Repository = Any  # conftest.Repository, which --import-mode=importlib gives no name to import by


def opened(root: Path) -> Git:
    git, problems = open_git(root)
    assert git is not None, problems
    return git


def numbered(count: int, **changed: str) -> str:
    return "".join(changed.get(f"line_{n}", f"line {n}") + "\n" for n in range(1, count + 1))


def test_a_branch_a_tag_and_an_id_resolve_to_a_commit(repository: Repository) -> None:
    sha = repository.commit(a="1\n")
    repository.git("tag", "-a", "v1", "-m", "one")
    git = opened(repository.root)

    assert {git.resolve(name) for name in ("main", "v1", "HEAD", sha, sha[:8])} == {sha}


@pytest.mark.parametrize(
    "rev",
    ["", " ", "-x", "--output=x", "--git-dir", "none", "HEAD:a", "HEAD..HEAD", "^HEAD", "a\0b", "a" * 40],
)
def test_what_names_no_commit_is_refused_with_a_clear_message(repository: Repository, rev: str) -> None:
    repository.commit(a="1\n")

    with pytest.raises(WorkspaceError, match="is not a commit here; give a branch"):
        opened(repository.root).resolve(rev)


def test_a_range_and_a_shallow_clone_are_told_as_reasons(repository: Repository, tmp_path: Path) -> None:
    repository.commit(a="1\n")
    repository.commit(a="2\n")
    repository.git("clone", "-q", "--depth", "1", repository.root.as_uri(), str(tmp_path / "clone"))

    with pytest.raises(WorkspaceError, match=r"of a range the first$"):
        opened(repository.root).resolve("HEAD~1..HEAD")
    with pytest.raises(WorkspaceError, match=r"with git fetch --unshallow$"):
        opened(tmp_path / "clone").resolve("HEAD~1")


def test_the_status_tells_branch_staged_changed_and_deleted_files(repository: Repository) -> None:
    sha = repository.commit(a="1\n", b="1\n", c="1\n", same="1\n")
    repository.write("a", "2\n")
    repository.git("add", "a")
    repository.write("a", "3\n")
    repository.write("new file", "1\n")
    repository.git("add", "new file")
    (repository.root / "b").unlink()
    repository.write("untracked")

    status = opened(repository.root).status()

    assert (status.branch, status.head) == ("main", sha)
    assert status.staged == (("changed", "a"), ("new", "new file"))
    assert status.unstaged == (("changed", "a"), ("deleted", "b"))
    assert status.conflicts == ()


def test_before_the_first_commit_there_is_a_branch_and_no_head(repository: Repository) -> None:
    repository.write("a")
    repository.git("add", "a")

    status = opened(repository.root).status()

    assert (status.branch, status.head, status.staged) == ("main", "", (("new", "a"),))


def test_a_detached_head_has_no_branch(repository: Repository) -> None:
    repository.commit(a="1\n")
    repository.git("checkout", "-q", "--detach")

    assert opened(repository.root).status().branch == ""


def test_files_in_conflict_are_told_apart(repository: Repository) -> None:
    repository.commit(**{"a b": "1\n"})
    repository.git("checkout", "-qb", "side")
    repository.commit(**{"a b": "2\n"})
    repository.git("checkout", "-q", "main")
    repository.commit(**{"a b": "3\n"})
    repository.git("merge", "side", code=1)

    status = opened(repository.root).status()

    assert (status.conflicts, status.staged, status.unstaged) == (("a b",), (), ())


def test_the_diff_is_that_of_the_working_tree_against_head(repository: Repository) -> None:
    repository.commit(a=numbered(40), gone="away\n", same="1\n")
    repository.write("a", numbered(40, line_5="five", line_30="thirty"))
    repository.git("add", "a")
    (repository.root / "gone").unlink()
    repository.write("new", "1\n")
    repository.git("add", "new")

    diffs = opened(repository.root).diff()

    assert [(diff.path, diff.status) for diff in diffs] == [
        ("a", "changed"),
        ("gone", "deleted"),
        ("new", "new"),
    ]
    assert [hunk.new for hunk in diffs[0].hunks] == [(2, 8), (27, 33)]
    assert b"\n-line 5\n+five\n" in diffs[0].hunks[0].text


def test_a_renamed_and_changed_file_is_one_diff(repository: Repository) -> None:
    repository.commit(old=numbered(30))
    repository.git("mv", "old", "new")
    repository.write("new", numbered(30, line_3="three"))

    (diff,) = opened(repository.root).diff()

    assert (diff.path, diff.old_path, diff.status, len(diff.hunks)) == ("new", "old", "renamed", 1)


@pytest.mark.parametrize(
    "name", [b"a b", b"caf\xe9", b"a\nb", b"a\tb", b'q"q', b"\xc3\xa4/b", b"a b/a b", b"-x"]
)
def test_the_diff_of_any_name_comes_through(repository: Repository, name: bytes) -> None:
    path = os.fsdecode(name)
    repository.commit(**{path: "1\n"})
    repository.write(path, "2\n")
    git = opened(repository.root)

    assert [(diff.path, diff.old_path) for diff in git.diff()] == [(path, path)]
    assert git.status().unstaged == (("changed", path),)

    repository.write(path, b"\0\1\2")
    assert [(diff.path, diff.binary) for diff in git.diff()] == [(path, True)]


def test_lines_that_look_like_headers_stay_lines(repository: Repository) -> None:
    repository.commit(a="-- a/x\n++ b/y\nx\n")
    repository.write("a", "diff --git a/b b/b\n@@ -1 +1 @@\nx\n")

    (diff,) = opened(repository.root).diff()

    assert diff.path == "a"
    (hunk,) = diff.hunks
    assert hunk.text.split(b"\n", 1)[1] == (b"--- a/x\n-++ b/y\n+diff --git a/b b/b\n+@@ -1 +1 @@\n x\n")


def test_a_file_in_conflict_does_not_spoil_the_diff_before_it(repository: Repository) -> None:
    repository.commit(a="1\n", z="1\n")
    repository.git("checkout", "-qb", "side")
    repository.commit(z="2\n")
    repository.git("checkout", "-q", "main")
    repository.commit(z="3\n")
    repository.git("merge", "side", code=1)
    repository.write("a", "2\n")

    diffs = {diff.path: diff for diff in opened(repository.root).diff()}

    assert b"Unmerged" not in b"".join(hunk.text for diff in diffs.values() for hunk in diff.hunks)
    assert diffs["a"].hunks[0].text == b"@@ -1 +1 @@\n-1\n+2\n"


def test_the_diff_since_a_commit_holds_what_was_committed_after_it(repository: Repository) -> None:
    first = repository.commit(a="1\n", b="1\n")
    repository.commit(a="2\n")
    repository.write("b", "2\n")
    git = opened(repository.root)

    assert [diff.path for diff in git.diff(first)] == ["a", "b"]
    assert [diff.path for diff in git.diff()] == ["b"]
    with pytest.raises(WorkspaceError, match="not a full commit id"):
        git.diff("main")


def test_a_subfolder_sees_its_own_changes_by_its_own_paths(repository: Repository) -> None:
    repository.commit(**{"sub/a": "1\n", "sub/z/b": "1\n", "c": "1\n"})
    for path in ("sub/a", "sub/z/b", "c"):
        repository.write(path, "2\n")
    git = opened(repository.root / "sub")

    assert [diff.path for diff in git.diff()] == ["a", "z/b"]
    assert git.status().unstaged == (("changed", "a"), ("changed", "z/b"))
    assert [line.line for line in git.blame("z/b", [(1, 1)])] == [1]


def test_the_users_taste_changes_no_diff(repository: Repository) -> None:
    repository.commit(a=numbered(30), ä="1\n")
    repository.write("a", numbered(30, line_9="nine"))
    repository.write("ä", "2\n")
    git = opened(repository.root)
    before = (git.diff(), git.status(), git.blame("a", [(1, 3)]))
    repository.write("ignored", git.head() + "\n")

    repository.configure(
        "[diff]\nnoprefix = true\nmnemonicPrefix = true\ncontext = 9\ninterHunkContext = 9\n"
        "algorithm = patience\nrenames = copies\nsuppressBlankEmpty = true\nwsErrorHighlight = all\n"
        "colorMoved = zebra\nrelative = true\n"
        "[color]\nui = always\n[core]\nquotePath = false\n[status]\nshort = true\nrelativePaths = false\n"
        "showStash = true\nsubmoduleSummary = true\n[blame]\nignoreRevsFile = ignored\nshowEmail = true\n"
    )

    assert (git.diff(), git.status(), git.blame("a", [(1, 3)])) == before


def test_a_diff_too_long_loses_its_last_files(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit(**{f"f{n}": "1\n" for n in range(5)})
    for n in range(5):
        repository.write(f"f{n}", "2\n")
    monkeypatch.setattr("satchel.workspace.git.repository._PATCH_BYTES", 250)

    assert [diff.path for diff in opened(repository.root).diff()] == ["f0", "f1"]


def test_blame_names_the_commit_of_each_line(repository: Repository) -> None:
    first = repository.commit("add lines", a=numbered(6))
    second = repository.commit("say four\n\nbody", a=numbered(6, line_4="four"))
    repository.write("a", "uncommitted\n" + numbered(6))

    blamed = opened(repository.root).blame("a", [(1, 1), (4, 5)])

    assert [(line.line, line.sha, line.subject) for line in blamed] == [
        (1, first, "add lines"),
        (4, second, "say four"),
        (5, first, "add lines"),
    ]
    assert blamed[0].time > 1_600_000_000


def test_blame_looks_no_further_back_than_asked(repository: Repository) -> None:
    first = repository.commit("add", a=numbered(4))
    second = repository.commit("change", a=numbered(4, line_2="two"))

    blamed = opened(repository.root).blame("a", [(1, 4)], oldest=first)

    assert [(line.line, line.sha) for line in blamed] == [(2, second)]


@pytest.mark.parametrize(("path", "lines"), [("none", (1, 1)), ("a", (7, 9)), ("--contents=a", (1, 1))])
def test_what_cannot_be_blamed_is_an_error(repository: Repository, path: str, lines: tuple[int, int]) -> None:
    repository.commit(a="1\n")

    with pytest.raises(WorkspaceError, match=r"blame of .* can't be read"):
        opened(repository.root).blame(path, [lines])


WAYS = {
    "fsmonitor": "[core]\nfsmonitor = {program}\n",
    "hooks": "[core]\nhooksPath = {folder}\n",
    "external diff": "[diff]\nexternal = {program}\n",
    "diff driver": '[diff "trap"]\ncommand = {program}\n',
    "textconv": '[diff "trap"]\ntextconv = {program}\n',
    "cached textconv": '[diff "trap"]\ntextconv = {program}\ncachetextconv = true\n',
    "clean filter": '[filter "trap"]\nclean = {program}\nrequired = true\n',
    "filter process": '[filter "trap"]\nprocess = {program}\n',
    "signature": "[log]\nshowSignature = true\n[gpg]\nprogram = {program}\n",
    "pager": "[core]\npager = {program}\n[pager]\ndiff = {program}\nblame = {program}\nstatus = {program}\n",
    "alias": "[alias]\ndiff = !{program}\nblame = !{program}\nstatus = !{program}\nrev-parse = !{program}\n",
}


@pytest.fixture
def trapped(repository: Repository, tmp_path: Path) -> Repository:
    """A repository whose touched file has attributes, and a program beside it that leaves a mark."""
    repository.commit(**{"a": "1\n", ".gitattributes": "a filter=trap diff=trap\n"})
    repository.write("a", "2\n")
    (tmp_path / "hooks").mkdir()
    for name in ("program", "post-index-change", "reference-transaction"):
        (tmp_path / "hooks" / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/mark\n")
        (tmp_path / "hooks" / name).chmod(0o755)
    return repository


def ask_more(root: Path) -> None:
    git = opened(root)
    assert git.status().unstaged == (("changed", "a"),)
    assert [diff.path for diff in git.diff(git.resolve("main"))] == ["a"]
    assert len(git.blame("a", [(1, 1)])) == 1


@pytest.mark.parametrize("way", WAYS)
def test_no_program_that_the_configuration_names_is_run(
    trapped: Repository, tmp_path: Path, way: str
) -> None:
    hooks = tmp_path / "hooks"
    trapped.configure(WAYS[way].format(program=hooks / "program", folder=hooks))

    ask_more(trapped.root)

    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize(
    ("way", "command"), [("textconv", "blame a"), ("clean filter", "status"), ("external diff", "diff")]
)
def test_plain_git_falls_into_the_trap(trapped: Repository, tmp_path: Path, way: str, command: str) -> None:
    trapped.configure(WAYS[way].format(program=tmp_path / "hooks/program", folder=tmp_path / "hooks"))

    trapped.git(*command.split(), code=None)

    assert (tmp_path / "mark").exists()


def test_nothing_is_written(repository: Repository) -> None:
    repository.commit(a="1\n", b="1\n")
    repository.write("a", "2\n")
    os.utime(repository.root / "b", (1, 1))
    before = _state(repository.root)

    ask_more(repository.root)

    assert _state(repository.root) == before


def _state(root: Path) -> dict[str, tuple[int, bytes]]:
    files = [path for path in root.rglob("*") if path.is_file()]
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


def test_a_damaged_object_is_an_error_that_says_so(repository: Repository) -> None:
    repository.commit(a="1\n")
    repository.write("a", "2\n")
    blob = repository.git("rev-parse", "HEAD:a")
    (repository.root / ".git/objects" / blob[:2] / blob[2:]).unlink()

    with pytest.raises(WorkspaceError, match="changes since HEAD can't be read"):
        opened(repository.root).diff()


def test_a_file_that_was_only_touched_is_no_diff_and_one_with_another_mode_is(repository: Repository) -> None:
    repository.commit(a="1\n", b="1\n")
    os.utime(repository.root / "a", (1, 1))
    (repository.root / "b").chmod(0o755)

    assert [(diff.path, diff.hunks) for diff in opened(repository.root).diff()] == [("b", ())]


def test_a_shallow_clone_blames_nobody_for_what_came_before(repository: Repository, tmp_path: Path) -> None:
    repository.commit("add", a=numbered(3))
    repository.commit("change", a=numbered(3, line_2="two"))
    repository.git("clone", "-q", "--depth=1", f"file://{repository.root}", str(tmp_path / "clone"))

    assert opened(tmp_path / "clone").blame("a", [(1, 3)]) == []


def test_a_submodule_is_no_change(
    repository: Repository, make_repository: Callable[[str], Repository]
) -> None:
    make_repository("library").commit(b="1\n")
    repository.git("submodule", "--quiet", "add", "../library", "lib")
    repository.commit("add")
    (repository.root / "lib/b").write_text("2\n")
    git = opened(repository.root)

    assert (git.diff(), git.status().unstaged) == ([], ())
