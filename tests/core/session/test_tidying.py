"""Sessions that go are gone for good, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.session.memory import MemoryStore

from satchel import Session, UsageError
from satchel.archive import Archive
from satchel.plugin_api import SessionSize, StoreError
from satchel.session import (
    RetentionLimits,
    SessionError,
    SqliteStore,
    check_limits,
    choose_stale,
    delete_sessions,
    measure_sessions,
)

DAY = 86_400.0


def size_of(name: str, days: float, weight: int = 10) -> SessionSize:
    return SessionSize(1, name, 1, weight, 1_000 * DAY - days * DAY)


@pytest.mark.parametrize(
    ("limits", "gone"),
    [
        (RetentionLimits(), []),
        (RetentionLimits(days=5), ["old"]),
        (RetentionLimits(count=2), ["old"]),
        (RetentionLimits(count=1), ["middle", "old"]),
        (RetentionLimits(bytes=25), ["old"]),
        (RetentionLimits(bytes=9), ["new", "middle", "old"]),
        (RetentionLimits(days=0.5, count=5), ["middle", "old"]),
    ],
)
def test_the_oldest_go_until_what_is_left_fits(limits: RetentionLimits, gone: list[str]) -> None:
    sizes = [size_of("middle", 2), size_of("old", 9), size_of("new", 0)]

    assert [one.name for one in choose_stale(sizes, limits, now=1_000 * DAY)] == gone


@given(
    st.lists(st.tuples(st.floats(0, 100), st.integers(0, 100)), max_size=20),
    st.integers(1, 50),
    st.integers(1, 20),
    st.integers(1, 500),
)
def test_what_is_left_fits_all_limits(
    rows: list[tuple[float, int]], days: int, count: int, most: int
) -> None:
    sizes = [size_of(f"s{at}", age, weight) for at, (age, weight) in enumerate(rows)]
    gone = choose_stale(sizes, RetentionLimits(days, count, most), now=1_000 * DAY)
    left = [one for one in sizes if one not in gone]

    assert len(left) <= count
    assert sum(one.bytes for one in left) <= most
    assert all(1_000 * DAY - one.used <= days * DAY for one in left)


def test_no_limit_is_told() -> None:
    with pytest.raises(UsageError, match="say what to keep"):
        check_limits(RetentionLimits())


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Archive:
    monkeypatch.setenv("SATCHEL_STATE_DIR", str(tmp_path / "state"))
    return Archive(tmp_path / "place" / "archive")


def keep(store: Path, name: str, *texts: str) -> None:
    with Session.open(name, store=store, create=True) as session:
        for text in texts:
            session.add({"role": "user", "content": text})


def delete(store: Path, archive: Archive, *names: str) -> list[tuple[str, int, int]]:
    with Session.open(names[0], store=store) as session:
        gone = delete_sessions(session.store, names, folder=session.folder, archive=archive)
    return [(one.session, one.snapshots, one.texts) for one in gone]


def test_a_session_goes_with_its_snapshots_and_the_texts_that_only_it_needs(
    tmp_path: Path, archive: Archive
) -> None:
    place = tmp_path / "place"
    own, shared, other = archive.put("own\n"), archive.put("shared\n"), archive.put("of nobody\n")
    keep(place, "a", f"see blob:{own[:12]}", f"see blob:{shared[:12]}", "a very private word")
    keep(place, "b", f"also blob:{shared[:12]}", "stays")
    with Session.open("a", store=place) as session:
        session.snapshot()

    assert delete(place, archive, "a") == [("a", 1, 1)]
    assert (archive.has(own), archive.has(shared), archive.has(other)) == (False, True, True)
    assert [path for path in (place / "snapshots").glob("*") if list(path.glob("*"))] == []
    with Session.open("b", store=place) as session:
        assert [message["content"] for message in session.messages()][1] == "stays"
        assert [one.name for one in measure_sessions(session.store)] == ["b"]
    files = list(place.glob("sessions.sqlite*"))
    assert all(b"very private word" not in path.read_bytes() for path in files)


def test_a_process_that_still_has_it_open_writes_to_no_other(tmp_path: Path, archive: Archive) -> None:
    keep(tmp_path, "a", "one")
    with Session.open("a", store=tmp_path) as ghost:
        delete(tmp_path, archive, "a")
        keep(tmp_path, "b", "two")
        with pytest.raises(SessionError):
            ghost.add({"role": "user", "content": "boo"})
    with Session.open("b", store=tmp_path) as session:
        assert session.count() == 1


def test_an_unknown_name_deletes_nothing(tmp_path: Path, archive: Archive) -> None:
    keep(tmp_path, "alpha", "one")

    with (
        pytest.raises(SessionError, match="did you mean 'alpha'"),
        Session.open("alpha", store=tmp_path) as one,
    ):
        delete_sessions(one.store, ["alpha", "alpah"], folder=tmp_path, archive=archive)
    with Session.open("alpha", store=tmp_path) as session:
        assert session.count() == 1


def test_a_store_that_can_not_says_so() -> None:
    with pytest.raises(StoreError, match="can't measure and delete sessions"):
        measure_sessions(MemoryStore())


def test_sizes_are_those_of_the_rows(tmp_path: Path) -> None:
    keep(tmp_path, "small", "x")
    keep(tmp_path, "large", "y" * 100_000)

    with Session.open("small", store=tmp_path) as session:
        assert isinstance(session.store, SqliteStore)
        sizes = {one.name: one.bytes for one in session.store.sizes()}
    assert sizes["large"] - sizes["small"] == pytest.approx(100_000, abs=100)
