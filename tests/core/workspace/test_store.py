"""The sqlite file: made, shared, replaced, and done without."""

from __future__ import annotations

import contextlib
import gc
import sqlite3
import stat
from pathlib import Path

import pytest

from satchel.workspace import IndexStore, index_file, index_version


def add_fact(store: IndexStore, value: str = "1") -> None:
    with store.transaction() as connection:
        connection.execute("INSERT OR REPLACE INTO facts(name, value) VALUES ('fact', ?)", (value,))


def facts(store: IndexStore) -> list[tuple[object, ...]]:
    return store.rows("SELECT value FROM facts WHERE name = 'fact'")


def test_what_was_written_is_there_when_it_is_opened_again(tmp_path: Path) -> None:
    store = IndexStore.open(tmp_path / "a" / "b" / "index.sqlite")
    add_fact(store)
    store.close()

    assert facts(IndexStore.open(tmp_path / "a" / "b" / "index.sqlite")) == [("1",)]


def test_only_the_person_may_read_the_index(tmp_path: Path) -> None:
    IndexStore.open(tmp_path / "index" / "w.sqlite").close()

    assert stat.S_IMODE((tmp_path / "index" / "w.sqlite").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "index").stat().st_mode) == 0o700


def test_a_failed_transaction_leaves_nothing_behind(tmp_path: Path) -> None:
    store = IndexStore.open(tmp_path / "index.sqlite")
    add_fact(store, "old")

    failing = contextlib.suppress(KeyboardInterrupt)
    with failing, store.transaction() as connection:
        connection.execute("UPDATE facts SET value = 'new'")
        raise KeyboardInterrupt

    assert facts(store) == [("old",)]
    add_fact(store, "newer")
    assert facts(store) == [("newer",)]


@pytest.mark.parametrize("version", [index_version() - 1, index_version() + 1, 999])
def test_an_index_of_another_version_is_made_anew(tmp_path: Path, version: int) -> None:
    file = tmp_path / "index.sqlite"
    store = IndexStore.open(file)
    add_fact(store)
    store.connection.execute(f"PRAGMA user_version = {version}")
    store.connection.execute('CREATE TABLE "of another time" (x)')
    store.close()

    opened = IndexStore.open(file)

    assert opened.problems == ()
    assert facts(opened) == []
    assert opened.rows("PRAGMA user_version") == [(index_version(),)]
    add_fact(opened)


def test_a_file_that_is_no_database_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "index.sqlite"
    file.write_bytes(b"this is not a database " * 400)

    store = IndexStore.open(file)

    assert store.problems == ()
    add_fact(store)
    store.close()
    with contextlib.closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT value FROM facts").fetchall() == [("1",)]


def test_without_a_folder_to_write_in_the_index_is_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")

    store = IndexStore.open(tmp_path / "file" / "index.sqlite")

    assert [(problem.plugin, problem.stage) for problem in store.problems] == [("index", "open")]
    assert "memory" in store.problems[0].error
    add_fact(store)
    assert facts(store) == [("1",)]


def test_a_folder_in_the_place_of_the_file_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "index.sqlite").mkdir()

    store = IndexStore.open(tmp_path / "index.sqlite")

    assert len(store.problems) == 1
    add_fact(store)


def test_an_index_that_others_write_in_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satchel.workspace.index.store._BUSY_SECONDS", 0.05)
    one, two = IndexStore.open(tmp_path / "index.sqlite"), IndexStore.open(tmp_path / "index.sqlite")

    with one.transaction() as connection:
        connection.execute("INSERT INTO facts(name, value) VALUES ('fact', '1')")
        with pytest.raises(sqlite3.OperationalError):
            add_fact(two, "2")

    add_fact(two, "2")
    assert facts(one) == [("2",)]


def test_each_root_has_one_file_whatever_it_is_called_by(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "v").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "w")

    files = [index_file(tmp_path, tmp_path / name) for name in ("w", "link", "w/../w", "v")]

    assert files[0] == files[1] == files[2]
    assert files[0] != files[3]
    assert files[0].parent == tmp_path / "index"


def test_a_fact_is_made_again_when_what_it_was_made_from_changes(tmp_path: Path) -> None:
    made: list[str] = []

    def make(given: str) -> object:
        made.append(given)
        return (given,)

    for given in ("a", "a", "b", "a"):
        store = IndexStore.open(tmp_path / "index.sqlite")
        assert store.again("fact", given, lambda given=given: make(given)) == [given]
        store.close()

    assert made == ["a", "b", "a"]


def test_thousands_of_facts_are_read_at_once() -> None:
    store = IndexStore.open(None)
    numbers = {f"{number:04}": "1" for number in range(2_000)}

    store.keep(numbers, dict.fromkeys(numbers, 4))

    assert store.recall(numbers) == dict.fromkeys(numbers, 4)
    assert store.recall(dict.fromkeys(numbers, "2")) == {}


def test_a_store_that_nobody_uses_any_more_closes_its_connection(tmp_path: Path) -> None:
    store = IndexStore.open(tmp_path / "index.sqlite")
    connection = store.connection

    del store
    gc.collect()

    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")
