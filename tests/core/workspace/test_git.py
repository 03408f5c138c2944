from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from satchel import WorkspaceError
from satchel.plugin_api import Git
from satchel.workspace import BULK_PATHS, list_files, open_git

Repository = Any  # conftest.Repository, which --import-mode=importlib gives no name to import by


def opened(root: Path) -> Git:
    git, problems = open_git(root)
    assert git is not None, problems
    return git


def test_a_folder_without_a_repository_has_no_git(tmp_path: Path) -> None:
    assert open_git(tmp_path) == (None, ())
    assert Git.open(tmp_path) is None


def test_the_head_is_a_commit_id(repository: Repository) -> None:
    assert opened(repository.root).head() == ""

    sha = repository.commit()

    assert opened(repository.root).head() == sha


def test_tracked_files_have_blobs_and_modes(repository: Repository) -> None:
    repository.write("sub/run.sh").chmod(0o755)
    (repository.root / "link").symlink_to("sub")
    repository.commit(**{"a.py": "x\n"})

    files = {file.path: (file.mode, file.blob) for file in opened(repository.root).files.tracked()}

    assert files["a.py"] == ("100644", repository.git("rev-parse", "HEAD:a.py"))
    assert {path: mode for path, (mode, _) in files.items()} == {
        "a.py": "100644",
        "link": "120000",
        "sub/run.sh": "100755",
    }


@pytest.mark.parametrize("name", [b"a\nb", b"a\tb", b"caf\xe9", b"a b", b'"a"', b"\x01" + b"a" * 40])
def test_any_name_comes_through(repository: Repository, name: bytes) -> None:
    path = os.fsdecode(name)
    repository.write(path)
    git = opened(repository.root)
    assert git.files.others().paths == (path,)

    repository.commit()
    repository.write(path, "changed\n")

    assert [file.path for file in git.files.tracked()] == [path]
    assert [found for _, found in git.status().unstaged] == [path]
    assert git.log()[0].paths == (path,)
    assert git.show("HEAD", path) == b"text\n"


def test_untracked_files_are_those_that_git_does_not_ignore(repository: Repository) -> None:
    repository.commit(**{".gitignore": "*.log\n", "a.py": ""})
    repository.write("b.py")
    repository.write("sub/c.log")

    assert opened(repository.root).files.others().paths == ("b.py",)


def test_changed_files_are_those_whose_content_differs(repository: Repository) -> None:
    repository.commit(same="1\n", other="1\n", gone="1\n", touched="1\n")
    repository.write("other", "2\n")
    os.utime(repository.root / "touched", (1, 1))
    (repository.root / "gone").unlink()

    assert [path for _, path in opened(repository.root).status().unstaged] == ["gone", "other"]


def test_a_file_in_conflict_is_listed_once_without_a_blob(repository: Repository) -> None:
    repository.commit(a="1\n")
    repository.git("checkout", "-qb", "side")
    repository.commit(a="2\n")
    repository.git("checkout", "-q", "main")
    repository.commit(a="3\n")
    repository.git("merge", "side", code=1)

    assert [(file.path, file.blob) for file in opened(repository.root).files.tracked()] == [("a", "")]


def test_the_log_tells_what_each_commit_touched(repository: Repository) -> None:
    first = repository.commit("add a\n\nwhy\nand how", **{"a": "1\n", "b/c": "1\n"})
    second = repository.commit("subject only", a="2\n")

    log = opened(repository.root).log()

    assert [(commit.sha, commit.subject, commit.body, commit.paths) for commit in log] == [
        (second, "subject only", "", ("a",)),
        (first, "add a", "why\nand how", ("a", "b/c")),
    ]
    assert abs(log[0].time - time.time()) < 600


def test_the_log_has_a_limit(repository: Repository) -> None:
    for number in range(4):
        repository.commit(f"number {number}")

    assert [commit.subject for commit in opened(repository.root).log(2)] == ["number 3", "number 2"]


def test_paths_can_be_left_out_and_asked_for_later(repository: Repository) -> None:
    repository.commit("one", a="1\n", b="1\n")
    repository.commit("two", a="2\n")
    git = opened(repository.root)

    bare, whole = git.log(paths=False), git.log()

    assert bare == [commit._replace(paths=()) for commit in whole]
    assert git.paths_of([commit.sha for commit in bare]) == {one.sha: one.paths for one in whole}
    assert git.paths_of([]) == git.paths_of(["HEAD"]) == {}


def test_merges_and_bulk_commits_name_no_paths(repository: Repository) -> None:
    repository.commit("bulk", **{f"f{number}": "" for number in range(BULK_PATHS + 1)})
    repository.git("checkout", "-qb", "side")
    repository.commit("side", side="1\n")
    repository.git("checkout", "-q", "main")
    repository.commit("main", main="1\n")
    repository.git("merge", "-q", "-m", "merge", "side")

    paths = {commit.subject: commit.paths for commit in opened(repository.root).log()}

    assert paths == {"merge": (), "main": ("main",), "side": ("side",), "bulk": ()}


def test_nothing_but_the_history_of_head_counts(repository: Repository) -> None:
    old = repository.commit("old", a="1\n")
    new = repository.commit("new", a="2\n")
    before = opened(repository.root).log()

    repository.git("checkout", "-qb", "later")
    later = repository.commit("later", b="1\n")
    repository.git("checkout", "-q", "main")
    repository.git("notes", "add", "-m", "a note", new)
    repository.git("replace", new, later)
    repository.write(".git/info/grafts", f"{new}\n")
    repository.write("a", "3\n")
    repository.git("stash", "-q")

    assert opened(repository.root).log() == before
    assert [commit.sha for commit in before] == [new, old]


def test_the_users_taste_changes_nothing(repository: Repository) -> None:
    repository.commit("add\n\nbody", ä="1\n")
    repository.git("mv", "ä", "ö")
    repository.commit("move")
    before = opened(repository.root).log()

    repository.configure(
        "[log]\nshowRoot = false\nfollow = true\ndate = iso\ndecorate = full\n[diff]\nrenames = copies\n"
        "orderFile = missing\nrelative = true\n[color]\nui = always\n[core]\nquotePath = true\n"
        "[format]\npretty = oneline\n[i18n]\nlogOutputEncoding = latin1\n[notes]\ndisplayRef = refs/*\n"
    )

    assert opened(repository.root).log() == before
    assert before[0].paths == ("ä", "ö")


def test_a_message_in_another_encoding_is_decoded(repository: Repository) -> None:
    repository.configure("[i18n]\ncommitEncoding = latin1\n")
    file = repository.write("../message", "caf\u00e9".encode("latin-1"))
    repository.git("commit", "-q", "--allow-empty", "-F", str(file))

    assert opened(repository.root).log()[0].subject == "café"


def test_a_history_too_long_is_cut_at_its_old_end(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        repository.commit(f"number {number}", a=f"{number}\n")
    monkeypatch.setattr("satchel.workspace.git.repository._LOG_BYTES", 250)

    assert [commit.subject for commit in opened(repository.root).log()] == ["number 4", "number 3"]


def test_a_file_is_shown_as_it_was(repository: Repository) -> None:
    old = repository.commit(**{"sub/a": "1\n"})
    repository.commit(**{"sub/a": "2\n"})
    git = opened(repository.root)

    assert (git.show(old, "sub/a"), git.show("HEAD", "sub/a")) == (b"1\n", b"2\n")
    assert [git.show(old, path) for path in ("sub", "none", "../a", "/etc/hosts", "", "a\0")] == [None] * 6


@pytest.mark.parametrize("rev", ["main", "HEAD~1", "--output=x", "abc", "", "a" * 40 + "\n", "HEAD:"])
def test_only_full_ids_name_a_commit(repository: Repository, rev: str) -> None:
    repository.commit(a="1\n")

    with pytest.raises(WorkspaceError, match="not a full commit id"):
        opened(repository.root).show(rev, "a")


def test_a_subfolder_of_a_repository_is_a_workspace_of_its_own(repository: Repository) -> None:
    repository.commit("both", **{"sub/a": "1\n", "b": "1\n"})
    repository.commit("outside", b="2\n")
    repository.write("sub/new")
    git = opened(repository.root / "sub")

    assert [file.path for file in git.files.tracked()] == ["a"]
    assert git.files.others().paths == ("new",)
    assert [(commit.subject, commit.paths) for commit in git.log()] == [("both", ("a",))]
    assert git.show("HEAD", "a") == b"1\n"


def test_a_workspace_that_the_repository_around_it_ignores_is_a_plain_folder(repository: Repository) -> None:
    repository.commit(**{".gitignore": "/scratch/\n"})
    repository.write("scratch/app/a.py")

    assert open_git(repository.root / "scratch/app") == (None, ())


def test_a_linked_worktree_works(repository: Repository, tmp_path: Path) -> None:
    repository.commit(a="1\n")
    repository.git("worktree", "add", "-q", str(tmp_path / "tree"))

    git = opened(tmp_path / "tree")

    assert [file.path for file in git.files.tracked()] == ["a"]
    assert git.git_dir == repository.root / ".git/worktrees/tree"


def test_a_submodule_works_and_is_one_path_of_its_parent(
    repository: Repository, make_repository: Callable[[str], Repository]
) -> None:
    make_repository("library").commit(b="1\n")
    repository.git("submodule", "--quiet", "add", "../library", "lib")
    repository.commit("add")

    assert [(file.path, file.mode) for file in opened(repository.root).files.tracked()][1] == (
        "lib",
        "160000",
    )
    assert [file.path for file in opened(repository.root / "lib").files.tracked()] == ["b"]


def test_nothing_is_written(repository: Repository) -> None:
    repository.commit(a="1\n")
    os.utime(repository.root / "a", (1, 1))
    before = _state(repository.root)

    _ask_everything(repository.root)

    assert _state(repository.root) == before


def _state(root: Path) -> dict[str, tuple[int, bytes]]:
    files = [path for path in root.rglob("*") if path.is_file()]
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


def _ask_everything(root: Path) -> tuple[Git | None, str]:
    """Ask all that can be asked; return the repository, and all that was complained of."""
    git, problems = open_git(root)
    listing = list_files(root, git)
    complaints = [str(problem) for problem in (*problems, *listing.problems)]
    asks: list[Callable[[], object]] = []
    if git is not None:
        asks = [
            git.head,
            git.files.tracked,
            git.files.others,
            git.status,
            git.log,
            lambda: git.show("HEAD", "a"),
        ]
    for ask in asks:
        try:
            ask()
        except WorkspaceError as error:
            complaints.append(str(error))
    return git, "\n".join(complaints)


# Ways in: what a repository may say, and a plain git command that falls for it ("" where that needs more).
IN_CONFIG = {
    "fsmonitor": ("[core]\nfsmonitor = {program}\n", "ls-files -o"),
    "hooks": ("[core]\nhooksPath = {folder}\n", "status"),
    "external diff": ("[diff]\nexternal = {program}\n", "diff"),
    "diff driver": ('[diff "trap"]\ncommand = {program}\n', "diff"),
    "textconv": ('[diff "trap"]\ntextconv = {program}\n', "log -p"),
    "clean filter": ('[filter "trap"]\nclean = {program}\n', "diff --quiet"),
    "required filter": ('[filter "trap"]\nclean = {program}\nrequired = true\n', "diff --quiet"),
    "smudge filter": ('[filter "trap"]\nsmudge = {program}\n', "checkout -f HEAD -- a"),
    "filter process": ('[filter "trap"]\nprocess = {program}\n', "diff --quiet"),
    "signature": ("[log]\nshowSignature = true\n[gpg]\nprogram = {program}\n", "log"),
    "ssh signature": ('[log]\nshowSignature = true\n[gpg "openpgp"]\nprogram = {program}\n', "log"),
    "pager": ("[core]\npager = {program}\n[pager]\nlog = {program}\nls-files = true\n", ""),
    "alias": ("[alias]\nls-files = !{program}\nlog = !{program}\ntrap = !{program}\n", "trap"),
    "credential helper": ("[credential]\nhelper = !{program}\n", ""),
    "editor": ("[core]\neditor = {program}\n[sequence]\neditor = {program}\n", "commit --amend"),
    "askpass": ("[core]\naskPass = {program}\n", ""),
    "included": ("[include]\npath = ../trap.config\n", "ls-files -o"),
    "included on a condition": ('[includeIf "gitdir:**"]\npath = ../trap.config\n', "ls-files -o"),
}


@pytest.fixture
def trapped(repository: Repository, tmp_path: Path) -> Repository:
    """A repository with a signed commit, a touched file with attributes, and a program that leaves a mark."""
    repository.commit(**{"a": "1\n", ".gitattributes": "a filter=trap diff=trap\n"})
    signed = repository.git("cat-file", "commit", "HEAD").replace(
        "\ncommitter",
        "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\ncommitter",
    )
    lines = signed.split("\n")
    gpgsig = [line for line in lines if line.startswith(("gpgsig", " "))]
    blank = lines.index("")
    ordered = [line for line in lines[:blank] if line not in gpgsig] + gpgsig + lines[blank:]
    file = repository.write(".git/signed", "\n".join(ordered) + "\n")
    sha = repository.git("hash-object", "-t", "commit", "-w", str(file))
    repository.git("update-ref", "HEAD", sha)
    repository.write("a", "2\n")
    os.utime(repository.root / ".gitattributes", (0, 0))  # the same text, but git looks and writes its index
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("program", "post-index-change", "pre-commit", "post-checkout", "reference-transaction"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/mark\n")
        (hooks / name).chmod(0o755)
    repository.write("trap.config", f"[core]\nfsmonitor = {hooks}/program\n")
    return repository


def _set_trap(repository: Repository, text: str) -> Path:
    hooks = repository.root.parent / "hooks"
    repository.configure(text.format(program=hooks / "program", folder=hooks))
    mark: Path = repository.root.parent / "mark"
    return mark


@pytest.mark.parametrize("way", IN_CONFIG)
def test_no_program_that_the_configuration_names_is_run(trapped: Repository, way: str) -> None:
    mark = _set_trap(trapped, IN_CONFIG[way][0])

    git, complaints = _ask_everything(trapped.root)

    assert not mark.exists()
    assert git is not None
    assert complaints == ""


@pytest.mark.parametrize("way", [way for way, (_, command) in IN_CONFIG.items() if command])
def test_plain_git_falls_into_the_trap(trapped: Repository, way: str) -> None:
    mark = _set_trap(trapped, IN_CONFIG[way][0])

    trapped.git(*IN_CONFIG[way][1].split(), code=None)

    assert mark.exists()


@pytest.mark.parametrize("key", ["uploadpack", "sshCommand"])
def test_a_partial_clone_fetches_nothing(trapped: Repository, key: str) -> None:
    url = {"uploadpack": f"{trapped.root}/.git", "sshCommand": "ssh://example.invalid/x"}[key]
    mark = _set_trap(
        trapped,
        "[core]\nrepositoryFormatVersion = 1\nsshCommand = {program}\n[extensions]\npartialClone = origin\n"
        f'[remote "origin"]\nurl = {url}\npromisor = true\n'
        'uploadpack = {program}\n[protocol "ssh"]\nallow = always\n[protocol "file"]\nallow = always\n',
    )
    blob = trapped.git("rev-parse", "HEAD:a")
    (trapped.root / ".git/objects" / blob[:2] / blob[2:]).unlink()

    assert opened(trapped.root).show("HEAD", "a") is None
    assert not mark.exists()
    trapped.git("cat-file", "blob", "HEAD:a", code=None)
    assert mark.exists()


def test_hooks_of_the_repository_are_not_run(trapped: Repository) -> None:
    hooks = trapped.root.parent / "hooks"
    (trapped.root / ".git/hooks").mkdir(exist_ok=True)
    for hook in hooks.iterdir():
        (trapped.root / ".git/hooks" / hook.name).symlink_to(hook)

    _ask_everything(trapped.root)

    assert not (trapped.root.parent / "mark").exists()
    trapped.git("status")
    assert (trapped.root.parent / "mark").exists()


def test_a_gitdir_file_that_points_into_the_tree_runs_nothing(trapped: Repository) -> None:
    mark = _set_trap(trapped, IN_CONFIG["fsmonitor"][0])
    (trapped.root / ".git").rename(trapped.root / "evil")
    (trapped.root / ".git").write_text("gitdir: ./evil\n")

    git, _ = _ask_everything(trapped.root)

    assert git is not None
    assert not mark.exists()
    trapped.git("ls-files", "-o")
    assert mark.exists()


def test_an_embedded_bare_repository_is_no_repository(trapped: Repository) -> None:
    mark = _set_trap(trapped, IN_CONFIG["fsmonitor"][0] + "bare = false\nworktree = ..\n")
    inner = trapped.root / "inner"
    (trapped.root / ".git").rename(inner)

    assert _ask_everything(inner) == (None, "")
    assert _ask_everything(trapped.root) == (None, "")
    assert not mark.exists()
    subprocess.run(["git", "ls-files", "-o"], cwd=inner, check=False, capture_output=True)
    assert mark.exists()


def test_a_bare_repository_inside_a_repository_is_a_part_of_it(
    repository: Repository, make_repository: Callable[[str], Repository]
) -> None:
    other = make_repository("other")
    other.commit(secret="1\n")
    (other.root / ".git").rename(repository.root / "bare")
    repository.write("bare/a.py")
    repository.commit(top="1\n")

    git, problems = open_git(repository.root / "bare")

    assert git is None or "secret" not in [file.path for file in git.files.tracked()]
    assert git is not None or "bare repository" in str(problems[0])


def test_a_working_tree_elsewhere_is_refused(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    repository.configure(f"[core]\nworktree = {tmp_path}/elsewhere\n")

    git, problems = open_git(repository.root)

    assert git is None
    assert "working tree is elsewhere" in str(problems[0])


def test_a_git_program_in_the_workspace_is_not_run(
    trapped: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    (trapped.root / "git").symlink_to(trapped.root.parent / "hooks/program")
    monkeypatch.chdir(trapped.root)
    monkeypatch.setenv("PATH", f".:{trapped.root}::{os.environ['PATH']}")

    git, _ = _ask_everything(trapped.root)

    assert git is not None
    assert not (trapped.root.parent / "mark").exists()


def test_the_callers_git_variables_do_not_count(
    repository: Repository, make_repository: Callable[[str], Repository], monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit(a="1\n")
    other = make_repository("other")
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")

    assert [file.path for file in opened(repository.root).files.tracked()] == ["a"]


def test_the_users_own_ignore_file_counts(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("*.swp\n")
    (Path.home() / ".gitconfig").write_text(f"[core]\nexcludesFile = {tmp_path}/mine\n")
    repository.write("a.swp")
    repository.write("b")

    assert opened(repository.root).files.others().paths == ("b",)


def test_a_filter_that_cannot_be_switched_off_is_refused(trapped: Repository) -> None:
    mark = _set_trap(trapped, '[filter "a=b"]\nclean = {program}\n')
    trapped.write(".gitattributes", "a filter=a=b\n")

    with pytest.raises(WorkspaceError, match="rename it"):
        opened(trapped.root).status()
    assert not mark.exists()


@pytest.mark.parametrize("part", ["HEAD", "config", "objects"])
def test_a_damaged_repository_is_a_problem_and_no_error(repository: Repository, part: str) -> None:
    repository.commit(a="1\n")
    target = repository.root / ".git" / part
    if target.is_dir():
        target.rename(repository.root / "moved")
    else:
        target.write_bytes(b"\0junk[")

    git, problems = open_git(repository.root)

    assert git is None
    assert "treated as a plain folder" in str(problems[0])


def test_a_damaged_repository_is_not_passed_by_for_one_further_up(
    repository: Repository, make_repository: Callable[[str], Repository]
) -> None:
    repository.commit(a="1\n")
    (repository.root / "inner/.git").mkdir(parents=True)

    git, problems = open_git(repository.root / "inner")

    assert git is None
    assert len(problems) == 1


def test_a_damaged_index_is_an_error_that_says_so(repository: Repository) -> None:
    repository.commit(a="1\n")
    repository.write(".git/index", "junk")

    with pytest.raises(WorkspaceError, match=r"git ls-files failed: .*index"):
        opened(repository.root).files.tracked()


def test_a_damaged_history_is_an_error_that_says_so(repository: Repository) -> None:
    repository.commit(a="1\n")
    sha = repository.commit(a="2\n")
    parent = repository.git("rev-parse", "HEAD~1")
    (repository.root / ".git/objects" / parent[:2] / parent[2:]).unlink()

    assert opened(repository.root).head() == sha
    with pytest.raises(WorkspaceError, match="history can't be read"):
        opened(repository.root).log()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give a folder away")
def test_a_repository_of_another_user_is_a_plain_folder_and_the_fix_is_named(repository: Repository) -> None:
    repository.commit(a="1\n")
    for path in (repository.root, repository.root / ".git"):
        os.chown(path, 12345, 12345)

    git, problems = open_git(repository.root)

    assert git is None
    assert "belongs to another user" in str(problems[0])
    assert f"safe.directory {repository.root}" in str(problems[0])


def test_a_git_that_hangs_is_stopped(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit(a="1\n")
    git = opened(repository.root)
    monkeypatch.setattr("satchel.workspace.git.running._SECONDS", 1.2)
    os.mkfifo(repository.root / ".gitignore")

    with pytest.raises(WorkspaceError, match="did not answer"):
        git.files.others()
    with pytest.raises(WorkspaceError, match="not asked again"):
        git.status()


def test_no_git_program_is_a_problem_where_there_is_a_repository(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    git, problems = open_git(repository.root)

    assert git is None
    assert "no git program" in str(problems[0])


def test_a_clone_that_borrows_objects_is_asked(repository: Repository, tmp_path: Path) -> None:
    repository.write("app.py", "x = 1\n")
    repository.commit("Add the app")
    shared = tmp_path / "shared"
    subprocess.run(["git", "clone", "-q", "--shared", str(repository.root), str(shared)], check=True)

    git, problems = open_git(shared)

    assert git is not None
    assert problems == ()


def test_a_borrowed_commit_of_other_files_is_not_asked(make_repository: Callable[[str], Repository]) -> None:
    mine, other = make_repository("mine"), make_repository("other")
    mine.write("app.py", "x = 1\n")
    mine.commit("Add the app")
    other.write("diary.txt", "dear diary\n")
    head = other.commit("Write a diary")
    mine.write(".git/objects/info/alternates", f"{other.root}/.git/objects\n")
    subprocess.run(["git", "-C", str(mine.root), "update-ref", "HEAD", head or "HEAD"], check=True)

    git, problems = open_git(mine.root)

    assert git is None
    assert "borrows objects" in problems[0].error
