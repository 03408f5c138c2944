"""Pins and read-only files: what holds is what was said last, and undo takes it back."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel import PointerError, Session, UsageError
from satchel.session import add_pin, add_read_only, pins_of, read_only_of
from satchel.session.pins import remove


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a folder with one file."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src/app.py").write_text("a = 1\n")
    return tmp_path


def test_pins_are_listed_until_they_are_removed(session: Session, root: Path) -> None:
    for ref in ("src/app.py", "src/app.py:1-1", "Class.method"):
        add_pin(session, ref, root)
    remove(session, "pin", "src/app.py")

    assert [pin.ref for pin in pins_of(session)] == ["src/app.py:1-1", "Class.method"]


def test_undo_takes_a_pin_back_and_redo_puts_it_back(session: Session, root: Path) -> None:
    add_pin(session, "src/app.py", root)

    session.undo()
    gone = pins_of(session)
    session.redo()

    assert (gone, [pin.ref for pin in pins_of(session)]) == ([], ["src/app.py"])


@pytest.mark.parametrize(("ref", "said"), [("message:0", "one"), ("message:-1", "two"), ("message:1", "two")])
def test_a_message_is_pinned_by_its_place(session: Session, ref: str, said: str) -> None:
    nodes = [session.add({"role": "user", "content": text}) for text in ("one", "two")]

    pin = add_pin(session, ref)

    assert pin.message == {"role": "user", "content": said}
    assert pin.ref in [f"message:{node.id}" for node in nodes]


def test_what_can_not_be_pinned_is_said(session: Session, root: Path) -> None:
    add_pin(session, "src/app.py", root)

    for ref, error in (
        ("src/gone.py", PointerError),
        ("gone.py:3", PointerError),
        ("message:0", PointerError),
        ("message:x", UsageError),
        ("src/app.py", UsageError),
        (" ", UsageError),
    ):
        with pytest.raises(error):
            add_pin(session, ref, root)
    with pytest.raises(UsageError, match="is not pinned"):
        remove(session, "pin", "other.py")


def test_read_only_files_are_listed_as_they_were_named(session: Session) -> None:
    add_read_only(session, "src/*.py")
    add_read_only(session, "docs/")

    assert read_only_of(session) == ["src/*.py", "docs/"]


def test_read_only_files_stay_below_the_root(session: Session) -> None:
    for ref in ("../secret", "/etc/passwd", ""):
        with pytest.raises(UsageError):
            add_read_only(session, ref)
