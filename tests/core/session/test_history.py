"""Undo, redo, branches and tangents move a head; what was left can be found again."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest

from satchel import Session, UsageError
from satchel.session import Moved, SessionError

from .conftest import say, texts

CALL = {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "f"}}]}
USE = {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {}}]}
RESULT = {"role": "tool", "tool_call_id": "1", "content": "done"}
RESULT_BLOCK = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "done"}]}


def exported(session: Session) -> str:
    written = StringIO()
    session.export(written)
    return written.getvalue()


def test_undo_takes_back_a_turn_and_redo_puts_it_back(session: Session) -> None:
    ids = say(session, "a", "b", "c", "d")

    assert session.undo() == Moved("undo", "main", ids[3], ids[1], 1, 2)
    assert texts(session) == ["a", "b"]
    assert session.redo() == Moved("redo", "main", ids[1], ids[3], 1, 4)
    assert texts(session) == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("call", "result"), [(CALL, RESULT), (USE, RESULT_BLOCK)], ids=["openai", "anthropic"]
)
def test_calls_and_results_belong_to_the_turn(session: Session, call: object, result: object) -> None:
    say(session, "a", "b")
    for message in ({"role": "user", "content": "c"}, call, result, {"role": "assistant", "content": "d"}):
        session.add(message)  # type: ignore[arg-type]

    session.undo()

    assert texts(session) == ["a", "b"]


def test_answers_without_a_question_are_steps_of_their_own(session: Session) -> None:
    for text in "abc":
        session.add({"role": "assistant", "content": text})

    session.undo()

    assert texts(session) == ["a", "b"]


def test_what_satchel_records_by_itself_goes_with_its_turn(session: Session) -> None:
    say(session, "a", "b")
    session.record_many([("use", {}), ("read", "x.py"), ("step", "done")])

    session.undo()

    assert session.happenings() == []


def test_a_pin_is_a_step(session: Session) -> None:
    say(session, "a", "b")
    session.record("pin", "x.py")

    session.undo()

    assert texts(session) == ["a", "b"]
    assert session.happenings("pin") == []


def test_undo_of_a_compaction_leaves_every_field_of_the_export_as_it_was(session: Session) -> None:
    say(session, "a", "b")
    session.checkpoint("here")
    before = exported(session)

    session.record_many([("compaction", {"window": ["b"], "state": {"n": 1}}), ("use", {"a.py": 1})])
    assert exported(session) != before
    session.undo()

    assert exported(session) == before
    assert session.latest("compaction") is None


def test_undo_of_an_empty_session_is_told(session: Session) -> None:
    with pytest.raises(SessionError, match="nothing to undo"):
        session.undo()
    with pytest.raises(SessionError, match="nothing to redo"):
        session.redo()


@pytest.mark.parametrize("steps", [0, -1, True, 1.5])
def test_steps_are_a_number_from_one(session: Session, steps: int) -> None:
    say(session, "a")

    with pytest.raises(UsageError, match="whole number"):
        session.undo(steps)


def test_more_steps_than_there_are_go_to_the_beginning(session: Session) -> None:
    say(session, "a", "b", "c")

    moved = session.undo(9)

    assert (moved.steps, moved.messages, session.head) == (2, 0, "")
    assert session.redo(9).messages == 3


def test_steps_that_were_undone_together_come_back_one_by_one(session: Session) -> None:
    say(session, "a", "b", "c", "d", "e")
    session.undo(3)

    assert [session.redo().messages for _ in range(3)] == [2, 4, 5]


def test_what_was_undone_stays_after_something_else_was_said(session: Session) -> None:
    left = say(session, "a", "b", "c")[2]
    session.undo()
    say(session, "other")

    assert texts(session) == ["a", "b", "other"]
    with pytest.raises(SessionError, match="nothing to redo"):
        session.redo()
    assert left in [move.before for move in session.moves()]
    session.branch("rescued", left)
    assert texts(session) == ["a", "b", "c"]


def test_undo_to_a_checkpoint_is_one_step_of_redo(session: Session) -> None:
    say(session, "a", "b")
    session.checkpoint("good")
    say(session, "c", "d", "e")

    session.undo(to="good")
    assert texts(session) == ["a", "b"]
    session.redo()

    assert texts(session) == ["a", "b", "c", "d", "e"]


def test_undo_to_where_it_stands_changes_nothing(session: Session) -> None:
    here = say(session, "a")[0]

    session.undo(to=here)

    assert texts(session) == ["a"]
    with pytest.raises(SessionError, match="nothing to redo"):
        session.redo()


def test_a_checkpoint_of_another_branch_is_not_undone_to(session: Session) -> None:
    say(session, "a")
    session.branch("b")
    say(session, "b")
    session.checkpoint("there")
    session.switch("main")

    with pytest.raises(SessionError, match="not on the way to the head of branch 'main'"):
        session.undo(to="there")
    assert session.branch("c", "there").messages == 2


def test_checkpoints_have_names(session: Session) -> None:
    assert [session.checkpoint().name, session.checkpoint().name] == ["checkpoint-1", "checkpoint-2"]
    with pytest.raises(SessionError, match="checkpoint 'checkpoint-1' already exists"):
        session.checkpoint("checkpoint-1")
    with pytest.raises(SessionError, match="no checkpoint is called 'chekpoint-1', did you mean"):
        session.undo(to="chekpoint-1")
    assert [one.name for one in session.checkpoints()] == ["checkpoint-1", "checkpoint-2"]


def test_branches_grow_apart(session: Session) -> None:
    say(session, "a", "b")
    session.branch("other")
    say(session, "c")
    session.switch("main")
    say(session, "d")

    assert texts(session) == ["a", "b", "d"]
    assert texts(session.on("other")) == ["a", "b", "c"]
    assert [(one.name, one.messages, one.current) for one in session.branches()] == [
        ("main", 3, True),
        ("other", 3, False),
    ]


def test_a_branch_that_does_not_exist_is_told_with_the_nearest(session: Session) -> None:
    session.branch("login")

    with pytest.raises(SessionError, match=r"no branch is called 'lgin', did you mean 'login'\?"):
        session.switch("lgin")
    with pytest.raises(SessionError, match="branch 'login' already exists"):
        session.branch("login")
    with pytest.raises(UsageError, match="can't name a branch"):
        session.branch("a\nb")


def test_a_tangent_comes_back_without_what_was_said(session: Session) -> None:
    say(session, "a", "b")
    session.tangent()
    say(session, "c", "d")

    assert session.come_back().messages == 2
    assert texts(session.on("tangent-1")) == ["a", "b", "c", "d"]


def test_a_tangent_brings_its_last_pair_along(session: Session) -> None:
    say(session, "a", "b")
    session.tangent("aside")
    ids = say(session, "c", "d", "e", "f")

    session.come_back("last pair")

    assert texts(session) == ["a", "b", "e", "f"]
    assert [node.meta["from"] for node in session.message_nodes(last=2)] == ids[2:]


def test_a_tangent_in_which_nothing_was_said_brings_nothing(session: Session) -> None:
    say(session, "a", "b")
    session.tangent()

    session.come_back("last pair")

    assert texts(session) == ["a", "b"]


def test_only_a_tangent_comes_back(session: Session) -> None:
    with pytest.raises(SessionError, match="is not a tangent"):
        session.come_back()
    session.tangent()
    with pytest.raises(UsageError, match="keep is"):
        session.come_back("all")


def test_history_outlives_the_process(session: Session, store: Path) -> None:
    say(session, "a", "b", "c", "d")
    session.undo()
    session.close()

    with Session.open("s", store=store) as again:
        assert again.redo().messages == 4
        again.tangent()
    with Session.open("s", store=store) as third:
        assert third.branch_name == "tangent-1"
        assert third.come_back().branch == "main"


@pytest.mark.weekly
def test_a_chain_of_many_segments_is_read(session: Session) -> None:
    for at in range(60):
        say(session, f"q{at}", f"a{at}", "lost")
        session.undo()

    assert session.count() == 120
    assert texts(session)[-2:] == ["q59", "a59"]
    assert [one["content"] for one in session.messages(last=2)] == ["q59", "a59"]
