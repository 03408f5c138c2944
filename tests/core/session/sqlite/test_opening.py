"""A store opens, or one line says why it does not; it is never taken for another one."""

from __future__ import annotations

import contextlib
import gc
import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from satchel import SatchelError, Session
from satchel.plugin_api import DamageError, StoreError
from satchel.session.sqlite import VERSION, list_needed, open_store, read_commit_count, witness_file

FULL = """
import resource, signal, sys
from satchel import Session
with Session.open("s", store=sys.argv[1]) as session:
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
    session.add({"role": "user", "content": "x" * 1_000_000})
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the file of a store with a session of two messages."""
    with Session.open("s", store=tmp_path, create=True) as session:
        session.add({"role": "user", "content": "one"})
        session.add({"role": "user", "content": "two"})
    return tmp_path / "sessions.sqlite"


def run_sql(file: Path, statement: str) -> None:
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute(statement)
        connection.commit()


def said(folder: Path) -> list[str]:
    with Session.open("s", store=folder) as session:
        return [message["content"] for message in session.messages()]


def test_a_store_from_a_newer_version_is_refused_and_left_alone(file: Path) -> None:
    run_sql(file, f"PRAGMA user_version={VERSION + 1}")
    before = file.read_bytes()

    with pytest.raises(StoreError, match="newer satchel"):
        Session.open("s", store=file.parent, create=True)

    assert file.read_bytes() == before


@pytest.mark.parametrize("content", [b"x" * 5_000, b"SQLite format 3\0" + b"\xff" * 5_000, b"{}"])
def test_what_is_no_database_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "sessions.sqlite").write_bytes(content)

    with pytest.raises(SatchelError, match=r"sessions\.sqlite is not a store"):
        Session.open("s", store=tmp_path, create=True)

    assert (tmp_path / "sessions.sqlite").read_bytes() == content


def test_the_database_of_another_program_is_refused(tmp_path: Path) -> None:
    run_sql(tmp_path / "sessions.sqlite", "CREATE TABLE theirs (x)")
    before = (tmp_path / "sessions.sqlite").read_bytes()

    with pytest.raises(StoreError, match="is not a store of sessions"):
        Session.open("s", store=tmp_path, create=True)

    assert (tmp_path / "sessions.sqlite").read_bytes() == before


@pytest.mark.parametrize("length", [0, 1, 100, 4096, 5000, 20_000])
def test_a_store_that_was_cut_short_is_told(file: Path, length: int) -> None:
    os.truncate(file, length)

    for create in (True, False):
        with pytest.raises(SatchelError, match=r"sessions\.sqlite"):
            Session.open("s", store=file.parent, create=create).messages()


def test_a_store_that_is_gone_is_told_and_not_made_anew(file: Path) -> None:
    file.unlink()

    with pytest.raises(StoreError, match=r"is gone, but sessions\.sqlite-count beside it tells of 4 commits"):
        Session.open("s", store=file.parent, create=True)


def test_commits_that_vanish_are_told(file: Path) -> None:
    older = file.read_bytes()
    with Session.open("s", store=file.parent) as session:
        session.add({"role": "user", "content": "three"})
    file.write_bytes(older)

    with pytest.raises(StoreError, match="holds 4 of 5 commits"):
        Session.open("s", store=file.parent)


def test_a_log_that_was_cut_short_is_told(file: Path) -> None:
    log = file.with_name("sessions.sqlite-wal")
    with Session.open("s", store=file.parent) as session:
        session.add({"role": "user", "content": "three"})
        content = log.read_bytes()
        count = witness_file(file).read_bytes()
        held = file.read_bytes()
    file.write_bytes(held)
    witness_file(file).write_bytes(count)
    log.write_bytes(content[:-100])

    with pytest.raises(StoreError, match="of 5 commits"):
        Session.open("s", store=file.parent)


@pytest.mark.parametrize("content", [b"", b"junk", b"commits 900 0123456789abcdef\n", b"\xff" * 64])
def test_a_damaged_count_is_written_again(file: Path, content: bytes) -> None:
    witness_file(file).write_bytes(content)

    with Session.open("s", store=file.parent) as session:
        session.add({"role": "user", "content": "three"})

    assert read_commit_count(file) == 5


def test_a_folder_that_can_not_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", "utf-8")

    with pytest.raises(StoreError, match="can't be used: Not a directory"):
        Session.open("s", store=tmp_path / "file" / "store", create=True)


def test_a_folder_in_the_place_of_the_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "sessions.sqlite").mkdir()

    with pytest.raises(SatchelError, match=r"sessions\.sqlite is not a file"):
        Session.open("s", store=tmp_path, create=True)


def test_a_store_that_was_never_made_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no sessions here yet"):
        Session.open("s", store=tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_loses_nothing_that_was_there(file: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", FULL, str(file.parent)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert "StoreError" in ended.stderr.splitlines()[-1]
    assert said(file.parent) == ["one", "two"]


def test_what_is_read_only_is_read(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and real(path, mode))

    with Session.open("s", store=file.parent) as session:
        assert session.count() == 2
        with pytest.raises(StoreError, match="read-only"):
            session.add({"role": "user", "content": "three"})


def test_many_open_a_new_store_at_once(tmp_path: Path) -> None:
    found: list[str] = []

    def add(name: int) -> None:
        with Session.open("s", store=tmp_path, create=True) as session:
            found.append(session.add({"role": "user", "content": str(name)}).id)

    threads = [threading.Thread(target=add, args=(name,)) for name in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(set(found)) == len(said(tmp_path)) == 6


def test_what_sessions_point_to_in_the_archive_is_known(tmp_path: Path) -> None:
    with Session.open("s", store=tmp_path, create=True) as session:
        session.add(
            {"role": "user", "content": "see blob:0123456789ab and satchel://blob/fedcba9876543210?x"}
        )
        session.add({"role": "user", "content": "blob:zz, blobs:0123456789"})
        session.undo(2)

    assert list_needed(tmp_path) == {"0123456789ab", "fedcba9876543210"}


def test_a_damaged_fact_is_no_traceback(file: Path) -> None:
    run_sql(file, "DELETE FROM facts")

    with pytest.raises(DamageError):
        Session.open("s", store=file.parent)


def test_a_store_that_nobody_uses_any_more_is_closed(file: Path) -> None:
    store = open_store(file)
    with store.transaction() as connection:
        kept = connection

    del store
    gc.collect()

    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        kept.execute("SELECT 1")
