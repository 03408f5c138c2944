"""What is not as it was written is named and never served."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from satchel import SatchelError, Session
from satchel.plugin_api import DamageError

NODES = {
    "parent": "'1.1.0123456789abcdef'",
    "kind": "'use'",
    "at": "5.0",
    "digest": "x'00'",
    "meta": "'{}'",
    "flags": "0",
    "nth": "7",
    "prior": "1",
    "other": "1",
    "tally": "'{}'",
    "seal": "'0123456789abcdef'",
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the file of a store with two messages, a pin, and a message."""
    with Session.open("s", store=tmp_path, create=True) as session:
        session.add({"role": "user", "content": "one"})
        session.add({"role": "assistant", "content": "two"})
        session.record("pin", "a.py")
        session.add({"role": "user", "content": "three"})
        session.checkpoint("here")
    return tmp_path / "sessions.sqlite"


def spoil(file: Path, statement: str) -> None:
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute(statement)
        connection.commit()


def read_all(file: Path) -> None:
    with Session.open("s", store=file.parent) as session:
        session.messages()
        session.happenings("pin")
        session.checkpoints()


@pytest.mark.parametrize("column", NODES)
@pytest.mark.parametrize("position", [1, 3])
def test_a_field_of_a_node_that_changed_is_damage(file: Path, column: str, position: int) -> None:
    spoil(file, f"UPDATE nodes SET {column} = {NODES[column]} WHERE position = {position}")

    with pytest.raises(DamageError, match=r"1\.\d"):
        read_all(file)


@pytest.mark.parametrize("position", [1, 2, 3, 4])
def test_a_node_that_is_gone_is_damage(file: Path, position: int) -> None:
    spoil(file, f"DELETE FROM nodes WHERE position = {position}")

    with pytest.raises(DamageError, match="missing or damaged"):
        read_all(file)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE bodies SET content = x'7b7d' WHERE id = 1",
        "UPDATE bodies SET content = 'text' WHERE id = 1",
        "DELETE FROM bodies WHERE id = 1",
        "UPDATE nodes SET body = 2 WHERE position = 1",
    ],
)
def test_a_damaged_body_is_named(file: Path, statement: str) -> None:
    spoil(file, statement)

    with pytest.raises(
        DamageError, match=r"session 's': message 1\.1\.[0-9a-f]{16} is not as it was written"
    ):
        read_all(file)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE heads SET node = ''",
        "UPDATE heads SET redo = '1.1.0123456789abcdef'",
        "UPDATE sessions SET branch = 'other'",
        "UPDATE sessions SET origin = 'other'",
        "UPDATE segments SET fork = 1",
        "DELETE FROM segments",
        "UPDATE heads SET name = 'other' WHERE role = 'branch'",
        "UPDATE heads SET at = 'x'",
    ],
)
def test_other_rows_are_sealed_too(file: Path, statement: str) -> None:
    spoil(file, statement)

    with pytest.raises(SatchelError):
        read_all(file)


def test_the_newest_messages_need_no_damaged_old_one(file: Path) -> None:
    spoil(file, "UPDATE bodies SET content = x'7b7d' WHERE id = 1")

    with Session.open("s", store=file.parent) as session:
        assert [message["content"] for message in session.messages(last=2)] == ["two", "three"]
        with pytest.raises(DamageError):
            session.messages(last=3)


@pytest.mark.parametrize("position", [2, 3, 4])
def test_a_gap_among_the_newest_is_damage(file: Path, position: int) -> None:
    spoil(file, f"DELETE FROM nodes WHERE position = {position}")

    with (
        Session.open("s", store=file.parent) as session,
        pytest.raises(DamageError, match="missing or damaged"),
    ):
        session.messages(last=3)


def test_a_session_whose_name_is_damaged_is_not_begun_anew(file: Path) -> None:
    spoil(file, "UPDATE sessions SET name = 't'")

    with pytest.raises(DamageError, match="session 't' is not as it was written"):
        Session.open("s", store=file.parent, create=True)


def test_an_equal_message_mends_a_damaged_body(file: Path) -> None:
    spoil(file, "UPDATE bodies SET content = x'7b7d' WHERE id = 1")

    with Session.open("s", store=file.parent) as session:
        session.add({"role": "user", "content": "one"})
        assert [message["content"] for message in session.messages()] == ["one", "two", "three", "one"]


def test_a_snapshot_mends_what_is_damaged(file: Path) -> None:
    with Session.open("s", store=file.parent) as session:
        session.snapshot()
        spoil(file, "UPDATE bodies SET content = x'7b7d' WHERE id = 1")
        spoil(file, "DELETE FROM nodes WHERE position = 3")
        spoil(file, "UPDATE nodes SET at = 5 WHERE position = 2")
        spoil(file, "DELETE FROM segments")

        assert session.restore().mended == 3
        assert [message["content"] for message in session.messages()] == ["one", "two", "three"]
        assert [node.body for node in session.happenings("pin")] == ["a.py"]


@pytest.mark.parametrize("page", range(2, 12))
def test_a_zeroed_page_is_told_or_not_needed(file: Path, page: int) -> None:
    with Session.open("s", store=file.parent) as session:
        expected = session.messages()
    with file.open("r+b") as opened:
        opened.seek((page - 1) * 4096)
        opened.write(bytes(4096))

    with contextlib.suppress(SatchelError), Session.open("s", store=file.parent) as session:
        assert session.messages() == expected
