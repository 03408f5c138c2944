"""The protocol of a store is enough for another one: the same session, in a dictionary."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from tests.core.session.conftest import say, texts
from tests.core.session.memory import MemoryStore

from satchel import Session, UsageError
from satchel.plugin_api import DamageError, NodePlace, Store
from satchel.session import SessionError, bring


@pytest.fixture
def elsewhere(tmp_path: Path) -> Session:
    """Return a session of a store that is not a sqlite file."""
    store: Store = MemoryStore()
    return Session.of_store(store, "s", folder=tmp_path, create=True)


def test_history_works_in_any_store(elsewhere: Session) -> None:
    say(elsewhere, "a", "b", "c")
    elsewhere.record("pin", "x.py")
    elsewhere.undo(2)
    elsewhere.tangent()
    say(elsewhere, "d", "e")
    elsewhere.come_back("last pair")

    assert texts(elsewhere) == ["a", "b", "d", "e"]
    assert [one.name for one in elsewhere.branches()] == ["main", "tangent-1"]


def test_snapshots_work_in_any_store(elsewhere: Session) -> None:
    say(elsewhere, "a", "b")
    elsewhere.snapshot()
    say(elsewhere, "c")

    assert elsewhere.restore().snapshot.messages == 2
    assert texts(elsewhere) == ["a", "b"]


def test_a_session_moves_from_one_store_to_another(elsewhere: Session, session: Session) -> None:
    say(elsewhere, "a", "b")
    written = StringIO()
    elsewhere.export(written)

    bring(session.store, written.getvalue().encode().splitlines(True), source="memory", name="t")

    with Session.of_store(session.store, "t", folder=session.folder) as other:
        assert other.message_nodes() == elsewhere.message_nodes()


@pytest.mark.parametrize("changes", [{"prior": 1}, {"prior": 3}, {"nth": 1}, {"other": 9}])
def test_a_store_that_mixes_up_its_rows_serves_none_of_them(
    elsewhere: Session, changes: dict[str, int]
) -> None:
    say(elsewhere, "a")
    elsewhere.record_many([("pin", 1), ("use", 2), ("pin", 3)])
    say(elsewhere, "b")
    with elsewhere.store.writing() as moment:
        known = moment.sessions()[0]
        row = moment.row(known, NodePlace(1, 5 if "other" in changes else 4), content=True)
        assert row is not None
        mixed = row._replace(**changes).seal(known.origin)  # type: ignore[arg-type]
        moment.put_row(known, mixed)
        if "other" in changes:
            head = moment.heads(1, "branch")[0]
            moment.put_head(1, head._replace(node=mixed.id))

    with pytest.raises(DamageError):
        elsewhere.happenings("pin")


def test_what_fails_leaves_any_store_as_it_was(elsewhere: Session) -> None:
    say(elsewhere, "a")

    with pytest.raises(UsageError):
        elsewhere.record_many([("pin", 1), ("pin", object())])
    with pytest.raises(SessionError):
        elsewhere.undo(to="nowhere")

    assert texts(elsewhere) == ["a"]
