"""Edits in a session: recorded with both texts, shown for as long as they live."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel import Event, Session, UsageError, WorkspaceError
from satchel.events import EditRecorded
from satchel.runs import WorkspaceRun, open_run
from satchel.session import Life, edits_of, living_edits, record_edit
from satchel.shared_archive import open_archive

OLD = "".join(f"def f{number}(a):\n    return a + {number}\n\n\n" for number in range(20))
NEW = OLD.replace("a + 7", "a - 7")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a repository with one file."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.py").write_text(OLD)
    for words in (
        ("init", "-q"),
        ("add", "-A"),
        ("-c", "user.email=a@b", "-c", "user.name=a", "commit", "-qm", "1"),
    ):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return folder


@pytest.fixture
def run(root: Path) -> Iterator[WorkspaceRun]:
    """Return the open workspace."""
    opened = open_run(root)
    yield opened
    opened.workspace.close()


def test_the_working_tree_is_compared_with_head(
    session: Session, root: Path, run: WorkspaceRun, store: Path
) -> None:
    (root / "a.py").write_text(NEW)

    edit, node = record_edit(session, "a.py", run=run, store=str(store))

    assert (edit.strategy, edit.magnitude.functions) == ("both", ("f7",))
    assert open_archive(store).get(node.body["old"].removeprefix("blob:")) == OLD
    assert edits_of(session) == [edit]


def test_both_sides_the_diff_and_the_marker_can_be_shown(
    session: Session, run: WorkspaceRun, store: Path
) -> None:
    edit, _ = record_edit(session, "a.py", run=run, texts=(OLD, NEW), store=str(store))
    both, diff, marker = edit.shown

    assert "before, line" in both
    assert "-    return a + 7\n+    return a - 7\n" in diff
    assert marker.startswith("edited a.py: 1 of 80 lines; ")


def test_an_edit_is_told(store: Path, run: WorkspaceRun) -> None:
    told: list[Event] = []
    with Session.open("s", store=store, create=True, observe=told.append) as session:
        record_edit(session, "a.py", run=run, texts=(OLD, NEW), store=str(store))

    assert told == [EditRecorded("s", "a.py", "both", 0.0125, 0)]


def test_a_secret_is_neither_shown_nor_kept(session: Session, run: WorkspaceRun, store: Path) -> None:
    key = "ghp_" + "Zq7RtB2mKx9LwVn4Yc6HsDf1Jg8PaTu3Ee5o"

    edit, node = record_edit(
        session, "a.py", run=run, texts=(OLD, f"{OLD}TOKEN = '{key}'\n"), store=str(store)
    )

    assert key not in "".join(edit.shown)
    assert key not in open_archive(store).get(node.body["new"].removeprefix("blob:"))


def test_what_can_not_be_recorded_is_said(session: Session, run: WorkspaceRun) -> None:
    with pytest.raises(UsageError, match="nothing changed"):
        record_edit(session, "a.py", run=run)
    with pytest.raises(WorkspaceError, match="neither in the working tree"):
        record_edit(session, "b.py", run=run)
    with pytest.raises(WorkspaceError):
        record_edit(session, "../a.py", run=run, texts=("a", "b"))
    assert session.count("edit") == 0


@pytest.mark.costly
@pytest.mark.parametrize("factor", [1.0, 0.5, 0.0])
def test_an_edit_lives_for_so_many_messages_and_seconds(
    session: Session, run: WorkspaceRun, store: Path, factor: float
) -> None:
    run = run._replace(config=run.config._replace(edit_life=factor))
    edit, _ = record_edit(session, "a.py", run=run, texts=(OLD, NEW), store=str(store))
    messages, seconds = 40 * factor, 1_800.0 * factor

    assert edit.life == Life(int(messages), seconds)
    if factor:
        assert living_edits([edit], messages=int(messages) - 1, now=edit.at + seconds - 1) == [edit]
    assert living_edits([edit], messages=int(messages), now=edit.at) == []
    assert living_edits([edit], messages=0, now=edit.at + seconds) == []


@pytest.mark.weekly
def test_of_a_file_the_newest_ten_are_shown(session: Session, run: WorkspaceRun, store: Path) -> None:
    edits = [record_edit(session, "a.py", run=run, texts=(OLD, NEW), store=str(store))[0] for _ in range(11)]

    assert living_edits(edits, messages=0, now=edits[0].at) == edits[1:]
