"""Messages for a store that is away wait on this machine, and arrive once and in order."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.core.session.memory import MemoryStore, Moment

from satchel import Session
from satchel.plugin_api import StoreError
from satchel.session import Spool, add_spooled, make_spooled


class FarStore(MemoryStore):
    """A store behind a network: it may be away, or lose the answer after it has kept what it was sent."""

    away = False
    loses_answers = False

    @contextlib.contextmanager
    def writing(self) -> Iterator[Moment]:
        if self.away:
            raise StoreError(self.place, "no server listens there")
        with super().writing() as moment:
            yield moment
        if self.loses_answers:
            raise StoreError(self.place, "the connection was lost")


def said(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


@pytest.fixture
def store() -> FarStore:
    return FarStore()


@pytest.fixture
def session(store: FarStore, tmp_path: Path) -> Session:
    return Session.of_store(store, "s", folder=tmp_path / "snapshots", create=True)


@pytest.fixture
def spool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Spool:
    monkeypatch.setenv("SATCHEL_STATE_DIR", str(tmp_path / "state"))
    return Spool.of("s", "postgresql://somebody:password@db.example/team")


def test_what_waits_arrives_in_order_with_its_own_times(session: Session, spool: Spool) -> None:
    assert spool.keep(make_spooled([said("one"), said("two")], 1_000.0)) == 2
    assert spool.keep(make_spooled([said("three")], 2_000.0, {"input_tokens": 9})) == 3

    sent = spool.replay(session)

    assert [message["content"] for message in session.messages()] == ["one", "two", "three"]
    assert [node.at for node in sent] == [1_000.0, 1_000.0, 2_000.0]
    assert sent[-1].meta["usage"] == {"input_tokens": 9}
    assert spool.waiting() == []
    assert spool.replay(session) == []


def test_a_store_that_is_still_away_leaves_all_waiting(
    session: Session, store: FarStore, spool: Spool
) -> None:
    spool.keep(make_spooled([said("one"), said("two")], 1_000.0))
    store.away = True

    with pytest.raises(StoreError, match="no server listens there"):
        spool.replay(session)

    assert [one.body["content"] for one in spool.waiting()] == ["one", "two"]


def test_what_arrived_though_the_answer_was_lost_is_there_once(
    session: Session, store: FarStore, spool: Spool
) -> None:
    given = make_spooled([said("one")], session.now())
    store.loses_answers = True
    with pytest.raises(StoreError):
        add_spooled(session, given)
    spool.keep([*given, *make_spooled([said("two")], session.now())])
    with pytest.raises(StoreError):
        spool.replay(session)
    store.loses_answers = False

    assert spool.replay(session) == []

    assert [message["content"] for message in session.messages()] == ["one", "two"]


@pytest.mark.weekly
def test_an_arrived_message_is_found_far_back(session: Session, spool: Spool) -> None:
    given = make_spooled([said("one")], session.now())
    add_spooled(session, given)
    for number in range(200):
        session.add(said(f"of another machine {number}"))
    spool.keep(given)

    assert spool.replay(session) == []

    assert session.count() == 201


def test_a_line_cut_short_by_a_crash_was_never_acknowledged(session: Session, spool: Spool) -> None:
    spool.keep(make_spooled([said("one")], 1_000.0))
    with open(spool.path, "ab") as file:
        file.write(b'["0011", {"role": "us')

    assert len(spool.waiting()) == 1


def test_a_spool_that_is_not_one_is_told(session: Session, spool: Spool) -> None:
    spool.keep(make_spooled([said("one")], 1_000.0))
    spool.path.write_text("nonsense\n")

    with pytest.raises(StoreError, match="is not what satchel wrote"):
        spool.replay(session)


def test_each_session_of_each_store_has_its_own(spool: Spool) -> None:
    address = "postgresql://somebody:other@db.example/team"

    assert Spool.of("s", address).path == spool.path  # the password is no part of it
    assert Spool.of("t", address).path != spool.path
    assert Spool.of("s", f"{address}2").path.parent != spool.path.parent
