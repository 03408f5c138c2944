from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from satchel.workspace import FileKind, Listing, Vendored, list_files, open_git

Repository = Any  # conftest.Repository, which --import-mode=importlib gives no name to import by


def listed(root: Path, **wanted: tuple[str, ...]) -> Listing:
    return list_files(root, open_git(root)[0], wanted=wanted.get("wanted", ()))


def paths(listing: Listing) -> list[str]:
    return [entry.path for entry in listing.entries]


def write(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("text\n")


@pytest.fixture(params=["repository", "folder"])
def root(
    request: pytest.FixtureRequest, make_repository: Callable[[str], Repository], tmp_path: Path
) -> Path:
    """A workspace, once with git and once without."""
    if request.param == "repository":
        made: Path = make_repository("workspace").root
        return made
    (tmp_path / "workspace").mkdir()
    return tmp_path / "workspace"


def test_files_are_listed_by_path_with_their_stat_data(root: Path) -> None:
    write(root, "b.py", "a/c.py", "a.py")

    entries = listed(root).entries

    assert [entry.path for entry in entries] == ["a.py", "a/c.py", "b.py"]
    facts = (root / "a.py").stat()
    assert entries[0][1:6] == (5, facts.st_mtime_ns, facts.st_ino, "", FileKind.FILE)
    assert (entries[0].ctime_ns, entries[0].tracked) == (facts.st_ctime_ns, False)


def test_git_rules_hold_with_and_without_git(root: Path) -> None:
    (root / ".gitignore").write_text("*.log\n/out/\n")
    write(root, "a.log", "out/a", "src/out/a", "src/b.log", "src/c")
    (root / "src/.gitignore").write_text("!b.log\n")

    assert paths(listed(root)) == [".gitignore", "src/.gitignore", "src/b.log", "src/c", "src/out/a"]


def test_the_users_own_rules_hold_with_and_without_git(root: Path) -> None:
    write(Path(os.environ["XDG_CONFIG_HOME"]), "git/ignore")
    Path(os.environ["XDG_CONFIG_HOME"], "git/ignore").write_text("*.swp\n")
    write(root, "a.swp", "b")

    assert paths(listed(root)) == ["b"]


def test_satchelignore_leaves_out_more(root: Path) -> None:
    (root / ".satchelignore").write_text("*.csv\n!keep.csv\n/data/\n.satchelignore\n")
    write(root, "a.csv", "keep.csv", "data/a.py", "src/a.py", "src/b.py")
    (root / "src/.satchelignore").write_text("b.py\n")

    assert paths(listed(root)) == ["keep.csv", "src/a.py"]


def test_satchelignore_brings_nothing_back(root: Path) -> None:
    (root / ".gitignore").write_text("*.log\n.satchelignore\n")
    (root / ".satchelignore").write_text("!a.log\nb\n")
    write(root, "a.log", "b", "c")

    assert paths(listed(root)) == [".gitignore", "c"]


def test_vendored_folders_are_named_and_not_listed(root: Path) -> None:
    write(
        root, "node_modules/x/node_modules/y.js", "lib/vendor/z.go", "vendor", "bin/a", "build/b", "lib/a.py"
    )

    listing = listed(root)

    assert paths(listing) == ["bin/a", "build/b", "lib/a.py", "vendor"]
    assert [folder.path for folder in listing.vendored] == ["lib/vendor", "node_modules"]


def test_wanted_paths_in_vendored_folders_are_listed(root: Path) -> None:
    write(
        root,
        "node_modules/x/a.js",
        "node_modules/x/b.js",
        "node_modules/xy/c.js",
        "vendor/d.go",
        "third_party/e.c",
    )

    listing = listed(root, wanted=("node_modules/x/", "vendor/d.go"))

    assert paths(listing) == ["node_modules/x/a.js", "node_modules/x/b.js", "vendor/d.go"]
    assert len(listing.vendored) == 3


def test_links_are_named_and_never_followed(root: Path) -> None:
    write(root.parent, "secret/key")
    write(root, "real/a")
    for name, target in {"out": "../secret", "loop": ".", "dead": "none", "near": "real"}.items():
        (root / name).symlink_to(target)

    entries = {entry.path: entry.kind for entry in listed(root).entries}

    assert entries.pop("real/a") is FileKind.FILE
    assert entries == dict.fromkeys(["out", "loop", "dead", "near"], FileKind.LINK)


def test_what_is_no_regular_file_is_never_content(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root, "a")
    os.mkfifo(root / "fifo")
    monkeypatch.chdir(root)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")

        kinds = {entry.path: entry.kind for entry in listed(root).entries}

    assert kinds.pop("a") is FileKind.FILE
    assert set(kinds.values()) <= {FileKind.SPECIAL}


@pytest.mark.parametrize(
    "name", [b"a\nb", b"caf\xe9", b" a ", b"-a", b"a\\b", "ä".encode(), b":(top)a", b"*"]
)
def test_any_name_is_listed(root: Path, name: bytes) -> None:
    write(root, os.fsdecode(name))

    assert [os.fsencode(path) for path in paths(listed(root))] == [name]


def test_an_unreadable_folder_is_a_problem_and_the_rest_is_listed(root: Path) -> None:
    write(root, "closed/a", "open/b")
    (root / "closed").chmod(0)
    if os.access(root / "closed", os.R_OK):
        (root / "closed").chmod(0o755)
        pytest.skip("nothing is unreadable for root")

    listing = listed(root)

    (root / "closed").chmod(0o755)
    assert paths(listing) == ["open/b"]
    assert "closed" in str(listing.problems[0])


@pytest.mark.weekly
def test_a_tree_deeper_than_the_system_takes_paths_is_walked(
    tmp_path: Path, dig: Callable[[Path, int], str]
) -> None:
    leaf = dig(tmp_path, 2_100)

    listing = list_files(tmp_path, None)

    assert paths(listing) == [leaf]
    assert listing.problems == ()


@pytest.mark.costly
@pytest.mark.parametrize("depth", [1_100, 2_500])
def test_a_very_deep_tree_does_not_stop_git(
    repository: Repository, dig: Callable[[Path, int], str], depth: int
) -> None:
    write(repository.root, "a")
    dig(repository.root, depth)

    listing = listed(repository.root)

    assert "a" in paths(listing)
    assert len(listing.entries) == 2 or listing.problems


def test_an_ignore_file_that_is_no_file_is_a_problem(tmp_path: Path) -> None:
    write(tmp_path, "a")
    os.mkfifo(tmp_path / ".gitignore")

    listing = list_files(tmp_path, None)

    assert paths(listing) == [".gitignore", "a"]
    assert "its ignore rules are not applied" in str(listing.problems[0])


def test_a_clean_file_has_its_blob_and_a_touched_one_none(repository: Repository) -> None:
    repository.commit(clean="1\n", dirty="1\n")
    repository.write("dirty", "2\n")
    repository.write("new")

    blobs = {entry.path: entry.blob for entry in listed(repository.root).entries}

    assert blobs == {"clean": repository.git("rev-parse", "HEAD:clean"), "dirty": "", "new": ""}


def test_a_change_that_keeps_size_and_time_is_seen(repository: Repository) -> None:
    repository.commit(a="1\n")
    facts = (repository.root / "a").stat()
    repository.write("a", "2\n")
    os.utime(repository.root / "a", ns=(facts.st_atime_ns, facts.st_mtime_ns))

    assert listed(repository.root).entries[0].blob == ""


def test_a_tracked_file_is_listed_though_it_is_ignored(repository: Repository) -> None:
    repository.commit("log", **{"a.log": "1\n"})
    repository.commit(**{".gitignore": "*.log\n"})
    repository.write("b.log")

    assert paths(listed(repository.root)) == [".gitignore", "a.log"]


def test_satchelignore_leaves_out_tracked_files_too(repository: Repository) -> None:
    repository.commit(**{"a.csv": "1\n", "b.py": "1\n"})
    repository.write(".satchelignore", "*.csv\n")

    assert paths(listed(repository.root)) == [".satchelignore", "b.py"]


def test_a_deleted_file_is_not_listed(repository: Repository) -> None:
    repository.commit(**{"a": "1\n", "b/c": "1\n"})
    (repository.root / "a").unlink()
    (repository.root / "b/c").unlink()
    (repository.root / "b").rmdir()
    repository.write("b")

    assert paths(listed(repository.root)) == ["b"]


def test_a_tracked_folder_that_became_a_link_hides_its_files(repository: Repository, tmp_path: Path) -> None:
    repository.commit(**{"a/key": "1\n", "b": "1\n", ".gitignore": "/a\n"})
    (repository.root / "a").rename(tmp_path / "outside")
    (tmp_path / "outside/key").write_text("secret\n")
    (repository.root / "a").symlink_to("../outside")

    assert paths(listed(repository.root)) == [".gitignore", "b"]


def test_repositories_within_are_named_and_not_looked_into(
    repository: Repository, make_repository: Callable[[str], Repository]
) -> None:
    make_repository("library").commit(b="1\n")
    repository.git("submodule", "--quiet", "add", "../library", "lib")
    repository.commit("add")
    repository.git("clone", "-q", "../library", "clone")

    kinds = {entry.path: entry.kind for entry in listed(repository.root).entries}

    assert kinds == {".gitmodules": FileKind.FILE, "clone": FileKind.FOLDER, "lib": FileKind.FOLDER}


def test_a_file_in_conflict_is_listed_once(repository: Repository) -> None:
    repository.commit(a="1\n")
    repository.git("checkout", "-qb", "side")
    repository.commit(a="2\n")
    repository.git("checkout", "-q", "main")
    repository.commit(a="3\n")
    repository.git("merge", "side", code=1)

    assert [(entry.path, entry.blob) for entry in listed(repository.root).entries] == [("a", "")]


def test_tracked_files_of_a_vendored_folder_are_counted(repository: Repository) -> None:
    repository.commit(**{"vendor/a": "", "vendor/b/c": "", "d": ""})

    assert listed(repository.root).vendored == (Vendored("vendor", 2),)


def test_a_damaged_index_is_a_problem_and_the_folder_is_walked(repository: Repository) -> None:
    repository.commit(**{"a": "1\n", ".gitignore": "*.log\n"})
    repository.write("b.log")
    repository.write(".git/info/exclude", "*.tmp\n")
    repository.write("c.tmp")
    repository.write(".git/index", "junk")

    listing = listed(repository.root)

    assert paths(listing) == [".gitignore", "a"]
    assert "listed without git" in str(listing.problems[0])


def test_untracked_files_are_found_without_git_where_it_hangs(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit(a="1\n")
    repository.write("sub/b")
    os.mkfifo(repository.root / "sub/.gitignore")
    git = open_git(repository.root)[0]
    monkeypatch.setattr("satchel.workspace.git.running._IDLE_SECONDS", 0.3)

    listing = list_files(repository.root, git)

    assert paths(listing) == ["a", "sub/.gitignore", "sub/b"]
    assert "looked for without git" in str(listing.problems[0])


def test_a_subfolder_is_listed_on_its_own(repository: Repository) -> None:
    repository.commit(**{"sub/a": "1\n", "b": "1\n", ".gitignore": "*.log\n"})
    repository.write("sub/c.log")
    repository.write("sub/d")

    assert paths(listed(repository.root / "sub")) == ["a", "d"]


@pytest.mark.parametrize(
    ("file", "settings"),
    [
        (".gitconfig", "[core]\nexcludesFile = {rules}\n"),
        (".gitconfig", "[CORE] ExcludesFile = {rules}\n"),
        (".config/git/config", "[core]\nexcludesfile = {rules}\n"),
        ("config/git/config", "[core]\nexcludesfile = {rules}\n"),
        (".gitconfig", "[include]\npath = {more}\n"),
    ],
)
def test_the_rules_that_the_user_named_in_git_s_settings_hold_where_no_repository_is(
    file: str, settings: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if file.startswith(".config"):
        monkeypatch.delenv("XDG_CONFIG_HOME")  # of this test's home, it is `config`
    rules, more = tmp_path / "rules", tmp_path / "more"
    rules.write_text("*.swp\n")
    more.write_text(f"[core]\nexcludesfile = {rules}\n")
    (Path.home() / ".gitconfig").unlink()  # git reads one file or the other
    place = Path.home() / file
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(settings.format(rules=rules, more=more))
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.swp").touch()
    (folder / "b").touch()

    assert paths(listed(folder)) == ["b"]


def test_git_is_not_run_where_no_repository_is_and_no_settings_name_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a").touch()

    assert paths(listed(folder)) == ["a"]
    assert not (tmp_path / "ran").exists()
