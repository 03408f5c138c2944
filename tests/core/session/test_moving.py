"""An export is read again as it was written, or refused with the number of a line."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest

from satchel import SatchelError, Session
from satchel.plugin_api import open_store
from satchel.session import BrokenExportError, Imported, bring

from .conftest import say, texts


def exported(session: Session) -> str:
    written = StringIO()
    session.export(written)
    return written.getvalue()


def brought(text: str, folder: Path, name: str = "") -> Imported:
    store = open_store(folder / "sessions.sqlite", create=True)
    try:
        return bring(store, text.encode("utf-8").splitlines(keepends=True), source="export", name=name)
    finally:
        store.close()


@pytest.fixture
def full(session: Session) -> Session:
    """Return a session with branches, a checkpoint, a tangent, undone nodes and odd texts."""
    say(session, "a", "größe \ud800 \u2028", "c")
    session.checkpoint("here")
    session.undo()
    session.record("compaction", {"window": [1, 2.5, None]})
    session.branch("other")
    say(session, "d")
    session.tangent()
    session.add({"role": "assistant", "content": "e"}, usage={"output_tokens": 1})
    return session


def test_an_export_that_is_read_gives_the_same_export(full: Session, tmp_path: Path) -> None:
    text = exported(full)

    came = brought(text, tmp_path / "there")

    with Session.open("s", store=tmp_path / "there") as session:
        assert exported(session) == text
        assert session.messages() == full.messages()
        assert session.branch_name == came.branch == full.branch_name
        assert session.come_back("last pair").branch == "other"


def test_a_session_can_come_in_under_another_name(full: Session, store: Path) -> None:
    assert brought(exported(full), store, "copy").session == "copy"

    with Session.open("copy", store=store) as session:
        assert session.message_nodes() == full.message_nodes()


def test_what_was_undone_is_not_exported(session: Session) -> None:
    say(session, "a")
    before = exported(session)

    say(session, "b")
    session.undo()
    session.snapshot()

    assert exported(session) == before


def test_a_session_that_is_there_is_not_overwritten(full: Session, store: Path) -> None:
    text = exported(full)

    with pytest.raises(SatchelError, match=r"is in .* already; choose another name"):
        brought(text, store)

    assert exported(full) == text


@pytest.mark.parametrize(
    ("spoil", "line"),
    [
        (lambda lines: lines[:-1], r"line \d+: the end is missing"),
        (lambda lines: lines[:3], r"line \d+: the end is missing"),
        (lambda lines: [*lines[:5], *lines[6:]], r"line \d+: the lines before it are not those"),
        (lambda lines: [*lines, lines[1]], "comes after the end"),
        (lambda lines: [lines[0].replace('"s"', '"t"'), *lines[1:]], "the lines before it are not those"),
        (lambda lines: [line.replace('"a"', '"b"') for line in lines], r"line \d+ is not as it was written"),
        (lambda lines: [*lines[:4], "{", *lines[4:]], "line 5 is not JSON"),
        (lambda lines: [*lines[:4], "[]", *lines[4:]], "line 5 is not an object"),
        (lambda lines: [*lines[:4], '{"x": 1}', *lines[4:]], "line 5 is not a line of an export"),
        (lambda lines: [*lines[:4], '{"id": "1.1.0"}', *lines[4:]], "line 5 is not a node"),
        (lambda lines: [*lines[:4], '{"run": "x"}', *lines[4:]], "line 5: 'run' is not a number"),
        (
            lambda lines: [*lines[:4], '{"run": 1, "parent": 1, "fork": 3}', *lines[4:]],
            "goes on from a run after",
        ),
        (lambda lines: [line.replace('"counts":[1', '"counts":["1"') for line in lines], "is not a node"),
        (
            lambda lines: [line.replace('"branch":"other"', '"branch":"a\\n"') for line in lines],
            "can't name a",
        ),
        (lambda lines: [*lines[:4], '{"branch": 3}', *lines[4:]], "line 5: 'branch' is not text"),
        (lambda lines: lines[1:], "is not a beginning of an export"),
        (lambda lines: [], "line 1 is not JSON"),
        (lambda lines: ["[" * 200_000], "is not JSON"),
        (lambda lines: [lines[0].replace('"schema":1', '"schema":9')], "is of schema 9"),
    ],
)
def test_a_damaged_export_is_refused_whole(
    full: Session, tmp_path: Path, spoil: Callable[[list[str]], list[str]], line: str
) -> None:
    lines = exported(full).splitlines()

    with pytest.raises(BrokenExportError, match=line) as raised:
        brought("\n".join(spoil(lines)) + "\n", tmp_path / "there")

    assert "nothing was imported" in str(raised.value)
    with Session.open("fresh", store=tmp_path / "there", create=True) as session:
        assert texts(session) == []
    with pytest.raises(SatchelError, match="is not in"):
        Session.open("s", store=tmp_path / "there")


def test_every_line_is_json_and_ascii(full: Session) -> None:
    text = exported(full)

    assert text.isascii()
    lines = [json.loads(line) for line in text.splitlines()]
    assert lines[0]["schema"] == 1
    assert lines[-1]["end"] == len(lines) - 1
