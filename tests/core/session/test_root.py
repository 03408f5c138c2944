"""What lives long means the folder that it was opened in, wherever the process goes afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from satchel import Host, Session, State, WindowOptions, Workspace, WorkspaceError, watch
from satchel.host import EventFile
from satchel.session import add_pin


@pytest.fixture
def projects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Return two projects; the process stands in the first."""
    for name in ("mine", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "cart.py").write_text(f"def {name}_cart():\n    return '{name}'\n")
    (tmp_path / "mine" / "only.py").write_text("here = 1\n")
    monkeypatch.chdir(tmp_path / "mine")
    return tmp_path / "mine", tmp_path / "other"


@pytest.fixture(scope="module")
def host() -> Host:
    return Host.installed(deadline_seconds=None)


@pytest.mark.parametrize("given", [None, WindowOptions(form="markdown")])
def test_a_session_packs_the_folder_it_was_opened_in(
    projects: tuple[Path, Path], host: Host, given: WindowOptions | None
) -> None:
    mine, other = projects
    with Session.open("s", store="kept", create=True) as session:
        os.chdir(other)
        made = session.window("change the cart", budget=4_000, options=given, host=host)
        add_pin(session, "only.py")

        assert "mine_cart" in made.text
        assert "other_cart" not in made.text
        assert session.root == mine
        assert session.folder == mine / "kept"


def test_a_relative_folder_of_a_window_is_settled_when_it_is_named(projects: tuple[Path, Path]) -> None:
    mine, other = projects
    options = WindowOptions(root=".", store="archive")
    os.chdir(other)

    assert (options.root, options.store) == (mine, mine / "archive")


def test_a_watch_and_a_workspace_stay_where_they_are(projects: tuple[Path, Path], host: Host) -> None:
    mine, other = projects
    with watch(host=host) as watched:
        workspace = Workspace.open(".", cache_dir=mine.parent / "cache")
        os.chdir(other)
        (mine / "cart.py").write_text("def mine_basket():\n    return 1\n")
        workspace.refresh()

        assert "mine_basket" in workspace.texts.read("cart.py")
        assert "mine_basket" in watched.pack("change the cart", budget=2_000).text
        assert (workspace.root, watched.root) == (mine, mine)


def test_files_that_are_written_later_are_written_where_they_were_named(projects: tuple[Path, Path]) -> None:
    mine, other = projects
    state, events = State.at("state.json"), EventFile("events.jsonl")
    os.chdir(other)
    state.save()

    assert (mine / "state.json").is_file()
    assert events.path == mine / "events.jsonl"


@pytest.mark.skipif(sys.platform == "win32", reason="a folder that is in use can't be deleted there")
def test_a_current_folder_that_was_deleted_is_one_clear_error(projects: tuple[Path, Path]) -> None:
    gone = projects[0] / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()

    with pytest.raises(WorkspaceError, match="current folder was deleted"):
        Session.open("s", create=True)
    with pytest.raises(WorkspaceError, match="current folder was deleted"):
        Workspace.open(".")
    with pytest.raises(WorkspaceError, match="current folder was deleted"):
        watch()


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.skipif(sys.platform == "win32", reason="a folder that is in use can't be deleted there")
@pytest.mark.parametrize(
    "command",
    [
        "pack cart",
        "expand a.py",
        "session add --session s --role user --text hi",
        "session list",
        "suggest",
        "index",
    ],
)
def test_a_command_in_a_deleted_folder_says_so_in_one_line(command: str, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    told = f"cd {gone} && rmdir {gone} && exec {sys.executable} -m satchel {command}"
    done = subprocess.run(["/bin/sh", "-c", told], capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode != 0
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "current folder was deleted" in done.stderr
