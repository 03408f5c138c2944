"""Terminal entries: numbers by counting, and texts that grow shorter with age."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from satchel import Session
from satchel.archive import ArchiveError
from satchel.session import entries_of, record_entry
from satchel.shared_archive import open_archive
from satchel.tokens import guess

BUILD = b"".join(b"building part %d of the whole thing\n" % number for number in range(3_000))


def test_the_whole_output_is_kept_and_shorter_ones_are_shown(session: Session, store: Path) -> None:
    entry = record_entry(session, [BUILD], command="make", exit_code=2, store=store)

    sizes = [guess(text) for text in entry.shown]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] <= 130
    assert open_archive(store).get(entry.pointer.removeprefix("blob:")).encode() == BUILD


def test_an_older_entry_stands_lower_on_the_ladder(session: Session, store: Path) -> None:
    entry = record_entry(session, [BUILD], store=store)

    assert [entry.level(age) for age in range(6)] == [0, 1, 2, 3, 4, 4]
    assert entry.texts[4] == f"{entry.headline}\n"


def test_entries_are_numbered_from_1_and_read_back_equal(session: Session, store: Path) -> None:
    made = [record_entry(session, [b"a\n"], command=f"c{number}", store=store) for number in range(5)]

    assert [entry.number for entry in entries_of(session)] == [1, 2, 3, 4, 5]
    assert entries_of(session, last=2) == made[3:]


@pytest.mark.weekly
def test_threads_get_different_numbers(session: Session, store: Path) -> None:
    def record() -> None:
        for _ in range(5):
            record_entry(session, [b"a\n"], store=store)

    threads = [threading.Thread(target=record) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [entry.number for entry in entries_of(session)] == list(range(1, 21))


def test_nothing_is_recorded_where_the_output_can_not_be_kept(session: Session, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")

    with pytest.raises(ArchiveError):
        record_entry(session, [BUILD], store=tmp_path / "file")

    assert session.count("entry") == 0


def test_no_secret_of_an_output_is_kept(session: Session, store: Path) -> None:
    key = b"ghp_" + b"Zq7RtB2mKx9LwVn4Yc6HsDf1Jg8PaTu3Ee5o"
    entry = record_entry(session, [b"token " + key + b"\n"], command=f"login {key.decode()}", store=store)

    assert key.decode() not in "".join(entry.texts)
    assert key.decode() not in open_archive(store).get(entry.pointer.removeprefix("blob:"))


def test_a_command_that_said_nothing_has_an_entry_too(session: Session, store: Path) -> None:
    entry = record_entry(session, [], command="true", exit_code=0, store=store)

    assert (entry.lines, entry.pointer) == (0, "")
    assert entry.headline == "$ true   [entry 1, exit code 0, 0 lines]"
