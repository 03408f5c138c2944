"""A session keeps what it is given, exactly, whoever gives it and whenever."""

from __future__ import annotations

import math
import os
import stat
import threading
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings
from tests.amounts import examples

from satchel import SatchelError, Session, UsageError
from satchel.session import SessionError, store_file

from .conftest import Clock, say, texts

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(
    max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(extra=st.dictionaries(st.text().filter(lambda key: key not in ("role", "content")), JSON, max_size=3))
def test_a_message_comes_back_exactly_as_it_came_in(session: Session, extra: dict[str, Any]) -> None:
    message = {"role": "user", **extra, "content": [{"type": "text", "text": "x"}]}

    session.add(message)

    back = session.messages(last=1)[0]
    assert back == message
    assert list(back) == list(message)


def test_a_message_outlives_the_process_that_added_it(session: Session, store: Path) -> None:
    added = session.add({"role": "user", "content": "größe \ud800"}, usage={"input_tokens": 3})
    session.close()

    with Session.open("s", store=store) as again:
        assert again.message_nodes() == [added]
        assert added.meta == {"tokens": 5, "usage": {"input_tokens": 3}}


def test_nodes_stand_on_one_chain(session: Session) -> None:
    first, second = say(session, "a", "b")
    pin = session.record("pin", "x.py")

    assert session.node(first).parent == ""
    assert session.node(second).parent == first
    assert pin.parent == second
    assert session.head == pin.id


def test_messages_after_a_node_and_the_newest_ones(session: Session) -> None:
    ids = say(session, *"abcde")
    session.record("use", 1)

    assert [one["content"] for one in session.messages(after=ids[2])] == ["d", "e"]
    assert [one["content"] for one in session.messages(last=2)] == ["d", "e"]
    assert [one["content"] for one in session.messages(after=ids[2], last=9)] == ["d", "e"]
    assert session.messages(last=0) == []


def test_more_of_the_newest_messages_than_are_found_by_walking_back(session: Session) -> None:
    session.record_many([(kind, {"role": "user", "n": n}) for n in range(400) for kind in ("message", "use")])

    assert [one["n"] for one in session.messages(last=300)] == list(range(100, 400))
    assert len(session.messages(last=1_000)) == 400


def test_happenings_are_found_by_kind_in_order(session: Session) -> None:
    session.record("pin", 1)
    after = session.record("use", 2).id
    session.record_many([("pin", 3), ("use", 4), ("pin", 5)])

    assert [node.body for node in session.happenings("use", "pin")] == [1, 2, 3, 4, 5]
    assert [node.body for node in session.happenings("pin", after=after)] == [3, 5]
    assert [node.body for node in session.happenings("pin", "use", last=2)] == [4, 5]
    assert [node.body for node in session.happenings(last=1)] == [5]
    assert session.happenings("edit") == []


def test_the_newest_of_a_kind(session: Session) -> None:
    session.record("compaction", {"window": []})
    say(session, "a", "b")

    assert session.latest("edit") is None
    found = session.latest("compaction")
    assert found is not None
    assert found.body == {"window": []}
    assert (session.count(), session.count("compaction"), session.count("edit")) == (2, 1, 0)


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"content": "x"},
        {"role": ""},
        {"role": 3, "content": "x"},
        {"role": "user", "content": 7},
        {"role": "user", "content": {"a": 1}},
        {"role": "user", "content": "x", "score": math.nan},
        {"role": "user", "content": "x", "more": b"bytes"},
        ["role", "user"],
    ],
)
def test_what_is_no_message_is_refused_and_nothing_is_kept(session: Session, message: Any) -> None:
    with pytest.raises(UsageError):
        session.add(message)

    assert session.head == ""


def test_several_happenings_are_kept_together_or_not_at_all(session: Session) -> None:
    with pytest.raises(UsageError):
        session.record_many([("pin", 1), ("pin", object())])

    assert session.happenings() == []


@pytest.mark.parametrize("kind", ["", "Pin", "a b", "x" * 41, "pin\n"])
def test_a_kind_is_a_word(session: Session, kind: str) -> None:
    with pytest.raises(UsageError, match="not a kind"):
        session.record(kind, 1)


@pytest.mark.parametrize("name", ["", "  ", " a", "a\nb", "\x00", "\udc80", "x" * 201, "a\u202eb"])
def test_an_odd_name_is_refused(store: Path, name: str) -> None:
    with pytest.raises(UsageError, match="can't name a session"):
        Session.open(name, store=store, create=True)

    assert not store.exists()


@pytest.mark.parametrize("name", ["größe", "../up", "a b", "'; DROP TABLE nodes; --", "模型/1", "-x"])
def test_a_name_may_be_any_text_that_can_be_shown(store: Path, name: str) -> None:
    with Session.open(name, store=store, create=True) as session:
        say(session, name)
        assert texts(session) == [name]


def test_a_session_that_is_not_there_is_told_with_the_nearest(session: Session, store: Path) -> None:
    Session.open("fix-login", store=store, create=True).close()

    with pytest.raises(SessionError, match=r"session 'fix-logn' is not in .*, did you mean 'fix-login'\?"):
        Session.open("fix-logn", store=store)


def test_two_sessions_of_one_name_in_two_projects_are_two(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        with Session.open("s", root=tmp_path / name, create=True) as session:
            say(session, name)

    assert store_file(None, tmp_path / "one") != store_file(None, tmp_path / "two")
    with Session.open("s", root=tmp_path / "one") as session:
        assert texts(session) == ["one"]


def test_two_sessions_of_one_store_share_nothing_but_the_file(session: Session, store: Path) -> None:
    with Session.open("t", store=store, create=True) as other:
        ids = {*say(session, "a", "b"), *say(other, "a", "b")}
        session.undo(1)

        assert len(ids) == 4
        assert texts(other) == ["a", "b"]


def test_a_clock_that_goes_back_changes_no_order(session: Session, clock: Clock) -> None:
    for now in (5_000.0, 10.0, -3.0, 1e12):
        clock.now = now
        say(session, str(now))

    assert texts(session) == ["5000.0", "10.0", "-3.0", "1000000000000.0"]
    assert [node.at for node in session.message_nodes()] == [5_000.0, 10.0, -3.0, 1e12]


def test_what_is_kept_is_for_its_owner_alone(session: Session, store: Path) -> None:
    session.snapshot()

    modes = {stat.S_IMODE(path.stat().st_mode) for path in store.rglob("*") if path.is_file()}
    assert modes == {0o600}
    assert stat.S_IMODE(store.stat().st_mode) == 0o700


def test_threads_share_a_session(session: Session) -> None:
    def write(name: int) -> None:
        for at in range(5):
            session.add({"role": "user", "content": f"{name}-{at}"})

    threads = [threading.Thread(target=write, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    said = texts(session)
    assert sorted(said) == sorted(f"{name}-{at}" for name in range(8) for at in range(5))
    for name in range(8):
        assert [text for text in said if text[0] == str(name)] == [f"{name}-{at}" for at in range(5)]


def test_two_writers_take_turns_on_one_branch(session: Session, store: Path) -> None:
    with Session.open("s", store=store) as other:
        for at in range(3):
            say(session, f"a{at}")
            say(other, f"b{at}")

        assert texts(session) == texts(other) == ["a0", "b0", "a1", "b1", "a2", "b2"]


def test_who_switches_moves_nobody_else_to_another_branch(session: Session, store: Path) -> None:
    say(session, "a")
    with Session.open("s", store=store) as other:
        other.branch("elsewhere")
        say(session, "b")

        assert texts(session) == ["a", "b"]
        assert texts(other) == ["a"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_writes_to_the_same_session(session: Session) -> None:
    say(session, "parent")
    child = os.fork()
    if not child:
        say(session, "child")
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0

    say(session, "parent again")
    assert texts(session) == ["parent", "child", "parent again"]


def test_a_closed_session_says_so(session: Session) -> None:
    session.close()

    with pytest.raises(SatchelError, match="was closed"):
        session.messages()


def test_an_id_of_another_branch_or_of_nothing_is_told(session: Session) -> None:
    say(session, "a")
    session.branch("b")
    elsewhere = say(session, "b")[0]
    session.switch("main")

    with pytest.raises(SessionError, match="branch 'main' has no node"):
        session.messages(after=elsewhere)
    with pytest.raises(SessionError, match="there is no node"):
        session.node("9.9.0123456789abcdef")
    with pytest.raises(UsageError, match="is not an id"):
        session.node("x")
    assert session.node(elsewhere).body["content"] == "b"
