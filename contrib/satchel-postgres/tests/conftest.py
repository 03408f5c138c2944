"""A server for all tests, a database for each."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from servers import Server, find_programs


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Return a server that the tests started; skip where there is none to start."""
    programs = find_programs()
    if programs is None:
        pytest.skip("no PostgreSQL server is installed here; apt-get install postgresql")
    started = Server(programs)
    yield started
    started.remove()


@pytest.fixture(scope="module")
def crashing() -> Iterator[Server]:
    """Return a server of a module's own, to be stopped and killed."""
    programs = find_programs()
    if programs is None:
        pytest.skip("no PostgreSQL server is installed here; apt-get install postgresql")
    started = Server(programs)
    yield started
    started.remove()


@pytest.fixture
def database(request: pytest.FixtureRequest) -> str:
    """Return the address of an empty database; SATCHEL_TEST_POSTGRES names one that may be emptied."""
    given = os.environ.get("SATCHEL_TEST_POSTGRES", "")
    if not given:
        server: Server = request.getfixturevalue("server")
        return server.new_database()
    with psycopg.connect(given, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    return given


@pytest.fixture
def ask(database: str) -> Callable[..., list[tuple[object, ...]]]:
    """Return a function that runs a statement of SQL beside the store."""

    def run(statement: str, *values: object) -> list[tuple[object, ...]]:
        with psycopg.connect(database, autocommit=True) as connection:
            cursor = connection.execute(statement.encode(), values or None)
            return cursor.fetchall() if cursor.description else []

    return run


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what is kept on this machine in a folder of the test."""
    for name in ("CACHE", "STATE"):
        monkeypatch.setenv(f"SATCHEL_{name}_DIR", str(tmp_path / name.lower()))
    monkeypatch.setenv("HOME", str(tmp_path))
