"""What is promised of sessions in a file holds in a database: the tests of one, run on the other."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

ROOT = Path(__file__).parents[3]
if not (ROOT / "tests/core/session/test_history.py").exists():
    pytest.skip("satchel's own tests are not beside this package", allow_module_level=True)
sys.path.insert(0, str(ROOT))

from satchel import Session  # noqa: E402
from tests.core.session.conftest import Clock  # noqa: E402
from tests.core.session.test_history import *  # noqa: E402, F403
from tests.core.session.test_model import Sessions  # noqa: E402
from tests.core.session.test_pins import *  # noqa: E402, F403
from tests.core.session.test_pools import *  # noqa: E402, F403
from tests.core.session.test_sessions import *  # noqa: E402, F403

# what is a file's alone: who may read it, one store for each project, and whether a folder was made
for _name in (
    "test_what_is_kept_is_for_its_owner_alone",
    "test_two_sessions_of_one_name_in_two_projects_are_two",
    "test_an_odd_name_is_refused",
):
    del globals()[_name]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(database: str) -> str:
    return database


@pytest.fixture
def session(store: str, clock: Clock) -> Iterator[Session]:
    with Session.open("s", store=store, create=True, clock=clock) as opened:
        yield opened


@pytest.fixture
def model(database: str) -> type[Sessions]:
    numbers = itertools.count()

    class InDatabase(Sessions):
        """Each example is a session of its own in one database."""

        def opened(self) -> Session:
            name = self.__dict__.setdefault("name", f"s{next(numbers)}")
            return Session.open(name, store=database, create=True, clock=lambda: self.now)

    return InDatabase


def test_the_model_of_a_session_holds(model: Any) -> None:
    case = model.TestCase
    case.settings = settings(max_examples=8, stateful_step_count=20, deadline=None, database=None)
    case().runTest()
