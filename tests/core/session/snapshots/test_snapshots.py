"""A snapshot gives back what was saved; a damaged one is named and the one before it is used."""

from __future__ import annotations

import os
import random
import resource
from io import StringIO
from pathlib import Path

import pytest
from tests.core.session.conftest import say, texts

from satchel import Event, SatchelError, Session
from satchel.events import SnapshotRestored, SnapshotTaken
from satchel.guarding import Actions, Guard, Reading
from satchel.session import before_emergency, list_snapshots, rebuild, take_at_threshold


def exported(session: Session) -> str:
    written = StringIO()
    session.export(written)
    return written.getvalue()


def spoil(path: str) -> None:
    """Flip a byte in the middle of a file."""
    content = bytearray(Path(path).read_bytes())
    content[len(content) // 2] ^= 0x20
    Path(path).write_bytes(content)


def test_a_restore_equals_what_was_saved_in_every_field(session: Session) -> None:
    say(session, "a", "größe \ud800")
    session.record("pin", "x.py", meta={"tokens": 3})
    session.checkpoint("here")
    before = exported(session)
    taken = session.snapshot("by a test")
    say(session, "c")
    session.undo(to="here")
    say(session, "d")

    restored = session.restore()

    assert exported(session) == before
    assert restored.snapshot == taken
    assert (taken.reason, taken.messages, taken.damage) == ("by a test", 2, "")
    assert session.redo().messages == 3


def test_redo_goes_back_to_an_empty_branch_that_a_restore_left(session: Session) -> None:
    say(session, "a")
    session.snapshot()
    session.undo()
    session.restore()

    assert session.redo().messages == 0
    assert session.redo().messages == 1


def test_snapshots_roll(session: Session) -> None:
    for text in "abcdefg":
        say(session, text)
        session.snapshot(keep=3)

    assert [(one.id, one.messages) for one in session.snapshots()] == [
        ("000007", 7),
        ("000006", 6),
        ("000005", 5),
    ]


def test_a_damaged_snapshot_is_named_and_the_one_before_it_is_used(session: Session) -> None:
    say(session, "a")
    session.snapshot()
    say(session, "b")
    spoil(session.snapshot().path)

    restored = session.restore()

    assert restored.snapshot.id == "000001"
    assert len(restored.skipped) == 1
    assert restored.skipped[0].startswith("000002.jsonl.gz")
    assert texts(session) == ["a"]


def test_where_no_snapshot_is_whole_nothing_changes(session: Session) -> None:
    say(session, "a")
    spoil(session.snapshot().path)
    head = session.head

    with pytest.raises(SatchelError, match=r"no snapshot is intact: 000001\.jsonl\.gz"):
        session.restore()

    assert session.head == head
    assert list_snapshots(session.folder, "s", verified=True)[0].damage


@pytest.mark.parametrize("seed", range(25))
def test_damage_anywhere_in_a_snapshot_is_noticed(session: Session, seed: int) -> None:
    say(session, "a", "b", "c")
    path = Path(session.snapshot().path)
    draw, content = random.Random(seed), bytearray(path.read_bytes())
    at = draw.randrange(len(content))
    if seed % 3:
        content[at] ^= 1 << draw.randrange(8)
    else:
        del content[at:]
    path.write_bytes(content)

    found = list_snapshots(session.folder, "s", verified=True)[0]
    assert found.damage or found.messages == 3  # a bit of gzip's own header means nothing


@pytest.mark.parametrize("content", [b"", b"junk", b"\x1f\x8b\x08\x00", b"\x1f\x8b" + bytes(50)])
def test_junk_in_the_place_of_a_snapshot_is_named(session: Session, content: bytes) -> None:
    say(session, "a")
    good = session.snapshot()
    Path(good.path).with_name("000009.jsonl.gz").write_bytes(content)

    assert session.snapshots()[0].damage
    assert session.restore().snapshot == good


def test_a_snapshot_that_can_not_be_written_removes_nothing(session: Session) -> None:
    say(session, "a")
    session.snapshot(keep=1)
    session.add({"role": "user", "content": os.urandom(300_000).hex()})
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        with pytest.raises(SatchelError, match="the snapshot can't be written: File too large"):
            session.snapshot(keep=1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert [one.id for one in session.snapshots()] == ["000001"]
    assert len(list(Path(session.snapshots()[0].path).parent.iterdir())) == 1


def test_a_snapshot_that_does_not_exist_is_told(session: Session) -> None:
    with pytest.raises(SatchelError, match="has no snapshot"):
        session.restore()
    session.snapshot()
    with pytest.raises(SatchelError, match="no snapshot is called '7'; there are 000001"):
        session.restore("7")
    assert session.restore("1").snapshot.messages == 0


def test_a_snapshot_of_another_session_of_that_name_is_not_mixed_in(session: Session, tmp_path: Path) -> None:
    say(session, "a")
    session.snapshot()
    (tmp_path / "new").mkdir()
    (session.folder / "snapshots").rename(tmp_path / "new" / "snapshots")

    with (
        Session.open("s", store=tmp_path / "new", create=True) as other,
        pytest.raises(SatchelError, match="is not the one of snapshot 000001"),
    ):
        other.restore()


def test_a_snapshot_is_taken_at_the_threshold_and_not_twice(session: Session) -> None:
    say(session, "a")

    assert take_at_threshold(session, used=799, window=1000) is None
    assert take_at_threshold(session, used=800, window=1000) is not None
    assert take_at_threshold(session, used=900, window=1000) is None
    say(session, "b")
    assert take_at_threshold(session, used=815, window=1000) is None
    assert take_at_threshold(session, used=830, window=1000) is not None
    say(session, "c")
    assert take_at_threshold(session, used=990, window=1000, threshold=0) is None


def test_a_guard_clears_nothing_before_its_snapshot_was_verified(session: Session) -> None:
    say(session, "a")
    done: list[str] = []

    def clear() -> int:
        done.append("cleared")
        return 100

    actions = Actions(keep_promised=clear, snapshot=before_emergency(session))
    Guard(actions).observe(Reading(used=980, window=1000))

    assert done == ["cleared"]
    assert [one.reason for one in session.snapshots()] == ["emergency"]
    assert before_emergency(session)()
    assert len(session.snapshots()) == 1


def test_an_emergency_saves_what_came_since_the_last_snapshot(session: Session) -> None:
    session.snapshot()
    say(session, "a")

    assert before_emergency(session)()

    assert [one.messages for one in session.snapshots()] == [1, 0]


def test_an_emergency_does_not_lean_on_a_damaged_snapshot(session: Session) -> None:
    say(session, "a")
    spoil(session.snapshot().path)

    assert before_emergency(session)()

    assert [bool(one.damage) for one in list_snapshots(session.folder, "s", verified=True)] == [False, True]


def test_a_store_is_made_anew_of_snapshots(session: Session, store: Path) -> None:
    with Session.open("t", store=store, create=True) as other:
        say(other, "x")
        other.snapshot()
    say(session, "a", "b")
    before = exported(session)
    session.snapshot()
    session.close()
    (store / "sessions.sqlite").write_bytes(b"junk")

    made = rebuild(store / "sessions.sqlite")

    assert sorted((name, snapshot and snapshot.messages) for name, snapshot in made) == [("s", 2), ("t", 1)]
    with Session.open("s", store=store) as again:
        assert exported(again) == before
    assert (store / "sessions.sqlite.damaged-1").read_bytes() == b"junk"


def test_a_store_that_can_be_read_is_never_made_anew(session: Session, store: Path) -> None:
    say(session, "a")
    session.snapshot()
    say(session, "b")

    with pytest.raises(SatchelError, match="can be read, so it was left as it is"):
        rebuild(store / "sessions.sqlite")

    assert texts(session) == ["a", "b"]


def test_without_snapshots_a_store_is_left_as_it_is(session: Session, store: Path) -> None:
    with pytest.raises(SatchelError, match="there are no snapshots"):
        rebuild(store / "sessions.sqlite")
    spoil(session.snapshot().path)
    with pytest.raises(SatchelError, match="no snapshot is intact, the store was left"):
        rebuild(store / "sessions.sqlite")

    assert texts(session) == []


def test_an_observer_is_told(store: Path) -> None:
    told: list[Event] = []
    with Session.open("s", store=store, create=True, observe=told.append) as session:
        say(session, "a")
        session.snapshot("why")
        session.restore()

    assert told == [SnapshotTaken("s", "000001", "why", 1), SnapshotRestored("s", "000001", ())]
