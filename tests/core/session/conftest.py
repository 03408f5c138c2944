"""A session in a store of its own, with a clock that moves by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel import Session


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    """Return the clock of the session."""
    return Clock()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Return the folder of the store."""
    return tmp_path / "store"


@pytest.fixture
def session(store: Path, clock: Clock) -> Iterator[Session]:
    """Return an empty session."""
    with Session.open("s", store=store, create=True, clock=clock) as opened:
        yield opened


def say(session: Session, *texts: str) -> list[str]:
    """Add messages, the user and the assistant in turn; return their ids."""
    roles = ("user", "assistant")
    return [session.add({"role": roles[at % 2], "content": text}).id for at, text in enumerate(texts)]


def texts(session: Session) -> list[str]:
    """Return what the messages say."""
    return [message["content"] for message in session.messages()]
