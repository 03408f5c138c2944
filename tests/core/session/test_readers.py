"""What each reader was shown is known, and nothing is shown twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel import Session, UsageError
from satchel.session import Node


def said(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def texts(nodes: list[Node]) -> list[str]:
    return [node.body["content"] for node in nodes]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.open("s", store=tmp_path, create=True) as opened:
        yield opened


def test_each_reader_sees_each_message_once(session: Session) -> None:
    session.add(said("one"))
    assert texts(session.read_new("first")) == ["one"]
    session.add(said("two"))

    assert texts(session.read_new("second")) == ["one", "two"]
    assert texts(session.read_new("first")) == ["two"]
    assert session.read_new("first") == session.read_new("second") == []
    assert {reader.name: reader.node for reader in session.readers()} == {
        "first": session.head,
        "second": session.head,
    }


def test_a_reader_in_another_process_and_folder_goes_on(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.add(said("one"))
    session.read_new("agent")
    session.add(said("two"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")

    with Session.open("s", store=tmp_path, root=tmp_path / "elsewhere") as other:
        assert texts(other.read_new("agent")) == ["two"]


def test_after_an_undo_only_what_is_new_is_shown(session: Session) -> None:
    for text in ("one", "two", "three"):
        session.add(said(text))
    session.read_new("agent")
    session.undo(2)
    assert session.read_new("agent") == []
    session.add(said("other"))

    assert texts(session.read_new("agent")) == ["other"]


def test_on_a_branch_the_common_beginning_is_not_shown_again(session: Session) -> None:
    session.add(said("one"))
    fork = session.head
    session.add(said("two"))
    session.read_new("agent")
    session.branch("other", at=fork)
    session.add(said("three"))

    assert texts(session.read_new("agent")) == ["three"]
    assert texts(session.read_new("newcomer")) == ["one", "three"]


def test_a_name_that_is_none_is_refused(session: Session) -> None:
    with pytest.raises(UsageError, match="can't name a reader"):
        session.read_new(" ")
