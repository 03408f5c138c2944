"""Snapshots that others reach too: nothing unredacted goes, and what comes back says what it lacks."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.core.fakes import Shelf
from tests.core.session.conftest import say, texts

from satchel import SatchelError, Session
from satchel.plugin_api import open_store
from satchel.redaction import NO_SCANNERS
from satchel.session import delete_sessions
from satchel.session.shared_snapshots import (
    WITHHELD,
    SharedRestored,
    SharedSnapshot,
    delete_shared,
    list_shared,
    restore_shared,
    share_snapshot,
)

KEY = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def share(session: Session, shelf: Shelf, *, keep: int = 5) -> SharedSnapshot:
    return share_snapshot(session, session.snapshot(), shelf, scanners=NO_SCANNERS, keep=keep)


def restore(folder: Path, shelf: Shelf, id_: str = "") -> SharedRestored:
    with closing(open_store(folder / "sessions.sqlite", create=True)) as store:
        return restore_shared(store, shelf, "s", folder=folder, id=id_, now=2_000.0)


def lines(shelf: Shelf) -> Iterator[dict[str, Any]]:
    for content in shelf.kept.values():
        yield from map(json.loads, gzip.decompress(content).splitlines())


def test_a_session_without_secrets_is_whole_on_another_machine(
    session: Session, shelf: Shelf, tmp_path: Path
) -> None:
    say(session, "a", "b")
    session.checkpoint("here")
    session.branch("other")
    say(session, "c")
    shared = share(session, shelf)

    came = restore(tmp_path / "there", shelf)

    assert (came.is_new, came.withheld, shared.withheld) == (True, (), ())
    with Session.open("s", store=tmp_path / "there") as other:
        assert (other.head, texts(other)) == (session.head, texts(session))
        assert [one.name for one in other.branches()] == [one.name for one in session.branches()]


def test_what_holds_a_secret_goes_without_it_and_is_named(
    session: Session, shelf: Shelf, tmp_path: Path
) -> None:
    say(session, "a", f"my key is {KEY} ok")
    session.record("note", {"text": "see", "message": session.head})
    session.add({"role": "assistant", "content": "", "facts": {"db_password": "kV9x2Lq8ZtR4w"}})
    shared = share(session, shelf)

    assert KEY not in str(list(lines(shelf)))
    assert "kV9x2" not in str(list(lines(shelf)))
    came = restore(tmp_path / "there", shelf)

    assert came.withheld == shared.withheld
    with Session.open("s", store=tmp_path / "there") as other:
        first, second, third = other.message_nodes()
        assert second.body["content"].startswith("my key is [redacted:")
        assert third.body["role"] == "assistant"
        assert came.withheld == (second.id, third.id)
        assert [node.meta.get("withheld", "") for node in (first, second)] == ["", WITHHELD]
        (note,) = other.happenings("note")
        assert note.body["message"] == second.id
        say(other, "goes on")


def test_a_store_that_has_the_session_as_it_was_goes_back_whole(
    session: Session, shelf: Shelf, store: Path
) -> None:
    say(session, f"key {KEY}", "b")
    head = session.head
    shared = share(session, shelf)
    say(session, "c")

    came = restore(store, shelf)

    assert shared.withheld
    assert (came.is_new, came.withheld) == (False, ())
    with Session.open("s", store=store) as again:
        assert (again.head, texts(again)) == (head, [f"key {KEY}", "b"])


def test_what_a_store_lost_comes_back(session: Session, shelf: Shelf, store: Path) -> None:
    say(session, "a", "b")
    share(session, shelf)
    session.close()
    with closing(sqlite3.connect(store / "sessions.sqlite")) as file, file:
        file.execute("UPDATE nodes SET at = at + 1 WHERE position = 1")

    assert restore(store, shelf).mended == 1
    with Session.open("s", store=store) as again:
        assert texts(again) == ["a", "b"]


def test_a_session_that_went_on_in_another_way_is_left_alone(
    session: Session, shelf: Shelf, tmp_path: Path, clock: Any
) -> None:
    say(session, "a")
    share(session, shelf)
    there = tmp_path / "there"
    restore(there, shelf)
    with Session.open("s", store=there) as other:
        say(other, "of there")
    clock.now += 1
    say(session, "of here")
    share(session, shelf)

    with pytest.raises(SatchelError, match="has diverged here"):
        restore(there, shelf)
    with Session.open("s", store=there) as other:
        assert texts(other) == ["a", "of there"]


def test_another_session_of_that_name_is_left_alone(session: Session, shelf: Shelf, tmp_path: Path) -> None:
    say(session, "a")
    share(session, shelf)
    there = tmp_path / "there"
    with Session.open("s", store=there, create=True) as other:
        say(other, "x")
        shared = share(other, shelf)
    with pytest.raises(SatchelError, match="of several sessions called 's'; name one of"):
        restore(tmp_path / "third", shelf)
    ids = {one.snapshot.id for one in list_shared(shelf, "s", there)}
    (key,) = [key for key in shelf.kept if shared.snapshot.id in key]
    del shelf.kept[key]

    with pytest.raises(SatchelError, match="is not the one that was shared"):
        restore(there, shelf)
    assert len(ids) == 2


def test_one_that_lies_is_told_and_the_one_before_it_is_used(
    session: Session, shelf: Shelf, tmp_path: Path, clock: Any
) -> None:
    say(session, "a")
    share(session, shelf)
    clock.now += 1
    say(session, "b")
    shared = share(session, shelf)
    (key,) = [key for key in shelf.kept if shared.snapshot.id in key]
    shelf.kept[key] = shelf.kept[key][:-3]

    came = restore(tmp_path / "there", shelf)

    assert len(came.skipped) == 1
    assert "is not what was written to shelf; share one again" in came.skipped[0]
    with Session.open("s", store=tmp_path / "there") as other:
        assert texts(other) == ["a"]
    with pytest.raises(SatchelError, match="no snapshot 'nonsense'; it has"):
        restore(tmp_path / "there", shelf, "nonsense")


def test_a_name_that_is_a_secret_stays_here(session: Session, shelf: Shelf) -> None:
    say(session, "a")
    session.branch(f"for {KEY}")

    with pytest.raises(SatchelError, match="nothing was shared"):
        share(session, shelf)
    assert shelf.kept == {}


def test_the_newest_stay_and_all_go_with_the_session(session: Session, shelf: Shelf, clock: Any) -> None:
    shared = []
    for text in "abc":
        clock.now += 1
        say(session, text)
        shared.append(share(session, shelf, keep=2).snapshot.id)

    assert [one.snapshot.id for one in list_shared(shelf, "s", session.folder)] == shared[:0:-1]
    with session.store.reading() as moment:
        known = moment.session("s")
    assert known is not None
    assert delete_shared(shelf, known) == 2
    assert shelf.kept == {}


def test_a_session_stays_where_its_shared_snapshots_can_not_be_deleted(
    session: Session, shelf: Shelf, store: Path
) -> None:
    say(session, "a")
    share(session, shelf)
    session.close()
    with closing(open_store(store / "sessions.sqlite", create=False)) as held:
        shelf.away = True
        with pytest.raises(SatchelError, match="does not answer"):
            delete_sessions(held, ["s"], folder=store, archive=None, shared=shelf)
        shelf.away = False
        (gone,) = delete_sessions(held, ["s"], folder=store, archive=None, shared=shelf)

    assert gone.snapshots == 2
    assert shelf.kept == {}
