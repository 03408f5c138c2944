"""A watched workspace: packs see every change at once, and look again only where something happened."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.core.repositories import commit, git, make_repository

import satchel
from satchel import Watch
from satchel.packing.indexing import watching
from satchel.packing.indexing.watching import Hints, _has_pending_events

FILES = {
    "src/login.py": "def login(name, password):\n    return check(name, password)\n",
    "src/check.py": "def check(name, password):\n    return password == 'x'\n",
    "README.md": "# Shop\n\nHow to log in.\n",
}
TASK = "login with a wrong password"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", FILES)


@pytest.fixture
def watch(root: Path) -> Iterator[Watch]:
    with satchel.watch(root) as watched:
        yield watched


def arrives(there: Callable[[], bool]) -> bool:
    """Wait for what comes soon on a machine that is not busy."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        if there():
            return True
        time.sleep(0.01)
    return False


def fresh(root: Path) -> satchel.Bundle:
    """Pack as a process does that has just been started."""
    return satchel.pack(TASK, root, budget=2_000)


def edit(root: Path) -> None:
    (root / "src/login.py").write_text("def login(name):\n    return None\n")


def save_by_renaming(root: Path) -> None:
    (root / "src/login.py~").write_text("def login(renamed): ...\n")
    os.replace(root / "src/login.py~", root / "src/login.py")


def add(root: Path) -> None:
    (root / "src/deep/er").mkdir(parents=True)
    (root / "src/deep/er/password.py").write_text("def password(): ...\n")


def remove(root: Path) -> None:
    (root / "src/check.py").unlink()


def move_out_and_edit(root: Path) -> None:
    os.rename(root / "src/check.py", root.parent / "elsewhere.py")
    edit(root)


def ignore(root: Path) -> None:
    (root / ".gitignore").write_text("check.py\n")
    git(root, "rm", "-q", "--cached", "src/check.py")


def move_folder(root: Path) -> None:
    os.rename(root / "src", root / "lib")


def become_a_link(root: Path) -> None:
    (root / "src/login.py").unlink()
    (root / "src/login.py").symlink_to("check.py")


def become_a_folder(root: Path) -> None:
    (root / "src/login.py").unlink()
    (root / "src/login.py").mkdir()
    (root / "src/login.py/password.py").write_text("def login_password(): ...\n")


def stash(root: Path) -> None:
    edit(root)
    git(root, "stash")


def switch(root: Path) -> None:
    git(root, "checkout", "-q", "-b", "other")
    edit(root)
    commit(root, "Forget the password")


EDITS = [
    edit,
    save_by_renaming,
    add,
    remove,
    move_out_and_edit,
    ignore,
    move_folder,
    become_a_link,
    become_a_folder,
    stash,
    switch,
]


@pytest.mark.costly
@pytest.mark.parametrize("change", EDITS)
def test_a_pack_sees_what_was_done_just_before_it(root: Path, watch: Watch, change: Any) -> None:
    watch.pack(TASK, budget=2_000)

    change(root)

    assert watch.pack(TASK, budget=2_000) == fresh(root)


@pytest.mark.weekly
def test_nothing_is_looked_at_where_nothing_happened(root: Path, watch: Watch, monkeypatch: Any) -> None:
    first = watch.pack(TASK, budget=2_000)
    looks: list[object] = []
    monkeypatch.setattr(watch._workspace, "refresh", lambda **how: looks.append(how))

    again = watch.pack(TASK, budget=2_000)

    assert again == first
    assert looks == []


def test_one_edit_looks_at_one_file(root: Path, watch: Watch, monkeypatch: Any) -> None:
    looks: list[object] = []
    monkeypatch.setattr(watch._workspace, "refresh", lambda **how: looks.append(how))

    edit(root)
    _ = watch.workspace

    assert looks == [{"touched": {"src/login.py"}}]


def test_what_changed_since_a_pack_is_told(root: Path, watch: Watch) -> None:
    before = watch.pack(TASK, budget=2_000)

    edit(root)
    add(root)
    remove(root)

    assert watch.changed(before) == (
        ("src/check.py", "deleted"),
        ("src/deep/er/password.py", "new"),
        ("src/login.py", "changed"),
    )


@pytest.mark.weekly
def test_a_file_that_is_as_it_was_again_has_not_changed(root: Path, watch: Watch) -> None:
    before = watch.pack(TASK, budget=2_000)

    edit(root)
    watch.pack(TASK, budget=2_000)
    (root / "src/login.py").write_text(FILES["src/login.py"])

    assert watch.changed(before) == ()


@pytest.mark.weekly
def test_without_events_each_look_is_a_whole_one_and_it_is_said(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(28, "inotify watch limit reached")

    monkeypatch.setattr("watchdog.observers.api.BaseObserver.start", refuse)

    with satchel.watch(root) as watched:
        edit(root)
        bundle = watched.pack(TASK, budget=2_000)

    assert bundle.items == fresh(root).items
    assert ["inotify watch limit reached" in one.error for one in bundle.problems] == [True]


def test_lost_events_and_bursts_leave_everything_in_doubt(root: Path) -> None:
    hints = Hints(root)
    assert hints.take() == set()

    hints.doubt()
    assert hints.take() is None
    hints._events = watching._MOST_EVENTS + 1
    assert hints.take() is None
    assert hints.take() == set()


def test_a_warning_of_watchdog_is_a_doubt(root: Path) -> None:
    import logging

    hints = Hints(root)
    assert hints.start() == ""
    try:
        hints.take()
        logging.getLogger("watchdog.observers.inotify_c").warning("Inotify queue overflowed")
        assert hints.take() is None
    finally:
        hints.stop()


def test_reading_a_workspace_makes_no_events(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(Hints, "note", lambda self, event: told.append(event.event_type))
    hints = Hints(root)
    assert hints.start() == ""
    try:
        (root / "src/login.py").read_text()
        list((root / "src").iterdir())
        (root / "src/check.py").touch()  # events come in order: those of reading would have come before
        assert arrives(lambda: bool(told))
        assert {"opened", "closed_no_write"}.isdisjoint(told)
    finally:
        hints.stop()


def test_after_lost_events_all_folders_are_watched_anew(root: Path) -> None:
    hints = Hints(root)
    assert hints.start() == ""
    try:
        hints._observer.unschedule_all()  # as where watches went with the events
        hints._lose()

        assert hints.take() is None
        edit(root)
        assert arrives(lambda: hints.take() == {"src/login.py"})
    finally:
        hints.stop()


def test_watching_that_cannot_begin_again_stays_in_doubt_until_it_can(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hints = Hints(root)
    hints._lose()
    try:
        with monkeypatch.context() as patch:
            patch.setattr(Hints, "start", lambda self: "no more events")
            assert [hints.take(), hints.take()] == [None, None]

        assert [hints.take(), hints.take()] == [None, set()]
    finally:
        hints.stop()


@pytest.mark.weekly
def test_watching_imports_watchdog_only_when_it_starts() -> None:
    code = "import sys, satchel, satchel.packing.indexing.watching; sys.exit('watchdog' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_events_that_nobody_has_read_are_noticed_and_read_ones_are_not() -> None:
    reading, writing = os.pipe()
    group = SimpleNamespace(_inotify_fd=SimpleNamespace(_inotify_fd=reading))

    before = _has_pending_events(group)
    os.write(writing, b"event")
    unread = _has_pending_events(group)
    os.read(reading, 5)

    assert (before, unread, _has_pending_events(group)) == (False, True, False)
    os.close(reading)
    os.close(writing)
    assert not _has_pending_events(group)


def test_where_nothing_can_be_seen_of_events_nothing_is_waited_for() -> None:
    assert not _has_pending_events(None)
    assert not _has_pending_events(object())
