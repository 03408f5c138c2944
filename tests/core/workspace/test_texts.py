"""Texts of files, and what is made of them once for each content."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel import Workspace, WorkspaceError, pack

SECRET = "key = 'AKIA" + "Z7QK3VXW5RTYUIOP'\n"


class Counting:
    """Counts the lines of a text, and how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, text: str) -> list[int]:
        self.asked += 1
        return [text.count("\n")]


def opened(root: Path) -> Workspace:
    return Workspace.open(root, cache_dir=root.parent / "cache")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "a.log").write_text("one\ntwo\n")
    return folder


def test_what_is_made_of_a_text_is_found_by_the_next_process(root: Path) -> None:
    lines = Counting()

    first, second = (
        opened(root).texts.derived("a.log", "lines 1", lines),
        opened(root).texts.derived("a.log", "lines 1", lines),
    )

    assert (first, second, lines.asked) == ([2], [2], 1)


def test_the_same_content_under_another_path_is_known_already(root: Path) -> None:
    lines = Counting()
    (root / "b.log").write_text("one\ntwo\n")
    workspace = opened(root)

    assert [workspace.texts.derived(path, "lines 1", lines) for path in ("a.log", "b.log")] == [[2], [2]]
    assert lines.asked == 1


def test_what_is_made_of_an_old_text_is_made_again_of_the_new_one(root: Path) -> None:
    lines = Counting()
    opened(root).texts.derived("a.log", "lines 1", lines)

    (root / "a.log").write_text("one\ntwo\nthree\n")

    assert opened(root).texts.derived("a.log", "lines 1", lines) == [3]


def test_two_things_made_of_one_text_are_kept_apart(root: Path) -> None:
    workspace = opened(root)

    assert workspace.texts.derived("a.log", "lines 1", Counting()) == [2]
    assert workspace.texts.derived("a.log", "letters 1", len) == 8


def test_a_text_with_secrets_is_read_each_time_so_that_they_are_counted(root: Path) -> None:
    (root / "a.log").write_text(SECRET)
    opened(root).texts.derived("a.log", "lines 1", Counting())

    workspace = opened(root)

    assert workspace.texts.derived("a.log", "lines 1", Counting()) == [1]
    assert sum(workspace.redactor.secrets.values()) == 1


def test_a_file_that_went_away_can_not_be_made_anything_of(root: Path) -> None:
    workspace = opened(root)
    (root / "a.log").unlink()

    with pytest.raises(WorkspaceError):
        workspace.texts.derived("a.log", "lines 1", Counting())


def test_a_secret_counts_once_its_text_is_shown(root: Path) -> None:
    (root / "a.log").write_text(SECRET)
    workspace = opened(root)

    workspace.texts.read_ahead("a.log")
    ahead = sum(workspace.redactor.secrets.values())
    texts = [workspace.texts.read("a.log"), workspace.texts.read("a.log")]

    assert texts == [workspace.texts.read_ahead("a.log")] * 2
    assert (ahead, sum(workspace.redactor.secrets.values())) == (0, 1)


def test_a_pack_tells_the_same_secrets_of_a_new_index_and_of_an_old_one(root: Path) -> None:
    for number in range(12):
        (root / f"f{number}.py").write_text(f"def login{number}():\n    {SECRET}" + "    x = 1\n" * 40)

    new, old = (pack("fix login3", root, budget=150) for _ in range(2))

    assert new.secrets == old.secrets
    assert new == old
