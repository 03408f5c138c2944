"""The files of a workspace as items, those that fit the task first."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.core.repositories import make_repository, write_files

from satchel import ContextItem, Workspace
from satchel.references import make_task
from satchel_plugins.providers import Files, role_of


def gathered(root: Path, task: str, provider: Files | None = None) -> list[ContextItem]:
    workspace = Workspace.open(root)
    made = make_task(task, workspace.index.documents)
    items = list((provider or Files()).gather(made, workspace, ()))
    workspace.close()
    return items


def test_every_file_is_one_item(polyglot: Path) -> None:
    items = gathered(polyglot, "login")

    assert len({item.id for item in items}) == len(items) == 15
    assert all(item.id == f"file:{item.path}" and item.kind == "file" for item in items)
    assert all(item.text is None and 0 <= item.relevance <= 1 for item in items)


def test_the_file_that_fits_the_task_comes_first(polyglot: Path) -> None:
    assert gathered(polyglot, "login with a wrong password")[0].path == "src/shop/login.py"
    assert gathered(polyglot, "pop from the ring buffer")[0].path == "native/buffer.c"


@pytest.mark.parametrize("path", ["engine/lib.rs", "config/app.toml", "tests/test_login.py"])
def test_a_file_that_is_named_comes_first_and_counts_whole(polyglot: Path, path: str) -> None:
    first = gathered(polyglot, f"something else in {path}")[0]

    assert (first.path, first.relevance) == (path, 1.0)


def test_what_can_not_be_shown_says_why(polyglot: Path) -> None:
    notes = {item.path: item.note for item in gathered(polyglot, "login") if item.note}

    assert notes["logo.png"] == "binary, 272 bytes"
    assert {path: note.split(",")[0] for path, note in notes.items()} == {
        "logo.png": "binary",
        ".env": "credentials",
        "package-lock.json": "lockfile",
        "gen/api_pb2.py": "generated",
        "src/shop/__init__.py": "empty",
    }


def test_tests_count_more_where_the_title_speaks_of_them(polyglot: Path) -> None:
    relevances = [
        {item.path: item.relevance for item in gathered(polyglot, task)}["tests/test_login.py"]
        for task in ("login fails", "login fails\n\nI ran a test of it", "the test of login is flaky")
    ]

    assert relevances[0] == relevances[1] < relevances[2] < 1.0


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("src/app.py", "code"),
        ("tests/app.py", "test"),
        ("src/test_app.py", "test"),
        ("Tests/Fixtures/command.md", "test"),
        ("web/cart.spec.ts", "test"),
        ("src/main/java/AppTest.java", "test"),
        ("src/main/java/org/samples/pot/Cup.java", "code"),
        ("samples/src/main/java/Cup.java", "document"),
        ("README.md", "document"),
        ("docs/conf.py", "document"),
        ("CHANGELOG.md", "changes"),
        ("docs/NEWS", "changes"),
        ("docs/content/2014-news.md", "changes"),
        ("shop/history.py", "code"),
        ("src/HistoryService.cs", "code"),
        ("data/cities.json", "data"),
        ("src/latest.py", "code"),
        ("src/contest/run.py", "code"),
        ("src/protest.py", "code"),
        ("attestation.go", "code"),
        ("src/UnitTests/Bug/Cart.cs", "test"),
        ("Shop.Api.Tests/Cart.cs", "test"),
        ("app/src/androidTest/kotlin/Cart.kt", "test"),
        ("unit-tests/cart.js", "test"),
        ("releases/latest/cart.js", "code"),
        ("pkg/testutil/cart.go", "test"),
        ("fuzz/cart.c", "test"),
        ("t/lib/Cart.pm", "test"),
        ("stats/regression/linear.py", "code"),
        ("scripts/test.py", "code"),
        ("bin/test", "code"),
        ("include/log/fmt/bundled/format.h", "bundled"),
        ("thirdparty/zlib/inflate.c", "bundled"),
        ("src/bundle/format.h", "code"),
    ],
)
def test_a_path_tells_the_role_of_a_file(path: str, role: str) -> None:
    assert role_of(path) == role


def test_a_vendored_folder_is_one_item_that_is_only_named(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "w", {"a.py": "a = 1\n", "vendor/b.py": "b\n", "vendor/c.py": "c\n"})

    folder = next(item for item in gathered(root, "a") if item.kind == "folder")

    assert (folder.title, folder.note) == ("vendor/", "vendored folder, 2 files")


def test_an_empty_folder_has_no_items(tmp_path: Path) -> None:
    assert gathered(write_files(tmp_path / "empty", {}), "login") == []
