"""What providers and scorers may ask of a workspace."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.core.repositories import commit, make_repository, snapshot, write_files
from tests.core.texts import file_item, letter_counter

from satchel import Task, Workspace, WorkspaceError
from satchel.packing.representing import finish

TASK = Task("login with a wrong password")


def test_files_are_listed_by_path_with_what_the_index_knows(polyglot: Path) -> None:
    workspace = Workspace.open(polyglot)

    paths = [entry.path for entry in workspace.files.entries()]
    assert paths == sorted(paths)
    assert {document.kind for document in workspace.index.documents.values()} == {
        *("text", "binary", "credentials", "empty", "generated", "lockfile")
    }
    document = workspace.files.document("src/shop/login.py")
    assert document is not None
    assert document.size == (polyglot / "src/shop/login.py").stat().st_size
    assert workspace.files.document("nosuch.py") is None


def test_the_cache_may_stand_anywhere_but_nothing_is_written_into_the_root(
    polyglot: Path, tmp_path: Path
) -> None:
    before = snapshot(polyglot)

    workspace = Workspace.open(polyglot, cache_dir=tmp_path / "elsewhere")
    workspace.history.commits()
    workspace.close()

    assert snapshot(polyglot) == before
    assert len(list((tmp_path / "elsewhere").rglob("*.sqlite"))) == 1


@pytest.mark.parametrize("path", ["../outside.txt", "/etc/passwd", "link.txt", "src", "nosuch", "a\0b", ""])
def test_only_regular_files_inside_the_root_are_read(polyglot: Path, tmp_path: Path, path: str) -> None:
    (tmp_path / "outside.txt").write_text("secret")
    (polyglot / "link.txt").symlink_to(tmp_path / "outside.txt")
    workspace = Workspace.open(polyglot)

    with pytest.raises(WorkspaceError):
        workspace.texts.read(path)


def test_a_text_that_changed_since_it_was_indexed_is_not_handed_out(polyglot: Path) -> None:
    workspace = Workspace.open(polyglot)
    (polyglot / "src/shop/mail.py").write_text("changed\n")

    with pytest.raises(WorkspaceError, match="changed"):
        workspace.texts.read("src/shop/mail.py")


def test_the_ranking_knows_bodies_paths_and_names(polyglot: Path) -> None:
    ranking = Workspace.open(polyglot).ranking.files(TASK)

    assert max(ranking.body, key=ranking.body.__getitem__) == "src/shop/login.py"
    assert set(ranking.path) == {"src/shop/login.py", "tests/test_login.py"}
    assert "src/shop/login.py" in ranking.name
    assert "nosuchword" not in ranking.rarity


def test_a_word_that_file_names_write_as_two_finds_them(tmp_path: Path) -> None:
    names = ("PhpRedisConnector.php", "RedisConnector.php", "php/Redirect.php", "RedirectResponse.php")
    write_files(tmp_path, dict.fromkeys(names, "<?php\n") | {"a.md": "direct phpredis re direct\n"})
    ranking = Workspace.open(tmp_path).ranking

    assert ranking.query(Task("support phpredis"))["phpredisconnector"] < 1.7
    assert list(ranking.files(Task("support phpredis")).path) == ["PhpRedisConnector.php"]
    assert list(ranking.query(Task("redirect"))) == ["redirect"]

    write_files(tmp_path, {"phpredis/a.php": "<?php\n"})
    assert set(Workspace.open(tmp_path).ranking.query(Task("support phpredis"))) == {"support", "phpredis"}


def test_a_word_finds_names_of_definitions_that_write_it_as_two(tmp_path: Path) -> None:
    define = "package app\n\nfunc {}() {{}}\n".format
    write_files(tmp_path, {"app.go": define("RunNonInteractive"), "other.go": define("RunInteractive")})
    ranking = Workspace.open(tmp_path).ranking

    assert list(ranking.files(Task("print a line when noninteractive")).name) == ["app.go"]
    for text in ("where is NonInteractive", "print a line when interactive"):
        assert "runnoninteractive" not in ranking.query(Task(text))


def test_history_is_read_once_and_stored(polyglot: Path) -> None:
    workspace = Workspace.open(polyglot)
    commits = workspace.history.commits()

    assert [commit.subject for commit in commits][-1] == "add README.md"
    assert len(commits) == 3
    assert workspace.history.commits() is commits
    assert Workspace.open(polyglot).history.commits() == commits
    assert workspace.git is not None
    assert len(workspace.index.store.recall({"history": workspace.git.head()})["history"]) == 3


def test_a_new_commit_is_seen(polyglot: Path) -> None:
    Workspace.open(polyglot).history.commits()
    write_files(polyglot, {"web/cart.ts": "changed\n"})
    commit(polyglot, "login broken since the cart", day=30)

    workspace = Workspace.open(polyglot)

    assert len(workspace.history.commits()) == 4
    assert workspace.history.recency()["web/cart.ts"] == 1.0
    assert workspace.history.votes(TASK)["web/cart.ts"] == 1.0


def test_without_git_there_is_no_history(strange: Path) -> None:
    workspace = Workspace.open(strange)

    assert workspace.git is None
    assert (workspace.history.commits(), workspace.history.recency(), workspace.history.votes(TASK)) == (
        (),
        {},
        {},
    )


def test_terms_of_parts_are_known_once_they_are_learned(polyglot: Path) -> None:
    workspace = Workspace.open(polyglot)
    split = finish(file_item("user user login\n"), [], letter_counter()[0])

    assert workspace.terms.term_counts(split.parts, ["user"]) == [{}]
    assert workspace.terms.lengths(split.parts) == [0]
    workspace.terms.learn("file:src/a.py", split)
    assert workspace.terms.term_counts(split.parts, ["user", "login", "x"]) == [{"user": 2, "login": 1}]
    assert workspace.terms.lengths(split.parts) == [3]


def test_a_vendored_folder_is_not_looked_into_unless_it_is_wanted(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "w", {"a.py": "a\n", "vendor/lib/b.py": "b\n", "vendor/c.py": "c\n"})

    without, wanted = Workspace.open(root), Workspace.open(root, wanted=["vendor/lib"])

    assert [entry.path for entry in without.files.entries()] == ["a.py"]
    assert [vendored.path for vendored in without.files.vendored] == ["vendor"]
    assert [entry.path for entry in wanted.files.entries()] == ["a.py", "vendor/lib/b.py"]


@pytest.mark.parametrize("name", ["nosuch", "README.md", "a\0b", "x" * 5_000])
def test_a_root_that_is_no_folder_is_an_error(polyglot: Path, name: str) -> None:
    with pytest.raises(WorkspaceError):
        Workspace.open(polyglot / name)


def test_an_unwritable_cache_is_a_problem_and_no_error(polyglot: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    workspace = Workspace.open(polyglot, cache_dir=tmp_path / "file")

    assert [problem.plugin for problem in workspace.problems] == ["index"]
    assert workspace.index.documents.keys() == Workspace.open(polyglot).index.documents.keys()


def test_progress_is_told_file_by_file(polyglot: Path) -> None:
    told: list[tuple[str, int, int]] = []

    Workspace.open(polyglot, progress=lambda *step: told.append(step))

    assert told[0] == ("index", 0, 15)
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)


def test_names_that_are_no_utf8_are_kept(tmp_path: Path) -> None:
    name = os.fsdecode(b"latin-\xe9.py")
    root = make_repository(tmp_path / "w", {name: "x = 1\n"})

    for _ in range(2):
        workspace = Workspace.open(root)
        assert list(workspace.index.documents) == [name]
        assert workspace.texts.read(name) == "x = 1\n"
        workspace.close()
