"""The contracts of stores: of sessions, and of blobs.

class TestPostgres(SessionStoreContract):
    plugin = Postgres

    @pytest.fixture
    def address(self, server):
        return server.new_database()
"""

# ruff: noqa: S101 - these are tests, though they ship with satchel

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from satchel.host import PluginKind
from satchel.interfaces import Blob, Blobs
from satchel.session.nodes import START, DamageError, NodePlace, Row, digest
from satchel.session.session import Session
from satchel.session.store import BRANCH, CHECKPOINT, Head, Known, Move, NoStoreError, Segment, Store, Tidying
from satchel.session.transfer import bring
from satchel.testing.bases import PluginContract

_ODD = "gr\u00f6\u00dfe \ud800 \u2028 \x00 \U0001f600"


class _StopError(Exception):
    """Raised by a test in the middle of a transaction."""


def _row(known: Known, position: int, kind: str = "message", content: bytes = b"{}", meta: str = "") -> Row:
    """Return a sealed node of segment 1."""
    numbers = (1, position, position - 1, 0)
    return Row(1, position, "", kind, 1.5, digest(content), meta, *numbers, "", content=content).seal(
        known.origin
    )


def _begin(store: Store, name: str = "s") -> Known:
    """Make a session with one segment."""
    with store.writing() as moment:
        known = moment.put_session(Known(0, name, f"origin of {name}", 2.25, "main"))
        moment.put_segment(known.number, Segment(1, 0, 0))
        moment.put_head(known.number, Head(BRANCH, "main", "", 2.5))
    return known


def _rows(store: Store, known: Known, content: str = "*", *, newest: bool = False) -> list[Row]:
    with store.reading() as moment:
        return list(moment.rows(known, NodePlace(1, 1), 1 << 40, content=content, newest=newest))


def _run_at_once(function: Callable[[Any], None], given: Sequence[Any]) -> None:
    """Call a function in a thread for each given value, and wait for all."""
    with ThreadPoolExecutor(len(given)) as threads:
        list(threads.map(function, given))


class _OpenStores(PluginContract):
    """Opens the store of a plugin as often as a test asks, and closes all of them."""

    kind = PluginKind.SESSION_STORE

    @pytest.fixture
    def address(self, tmp_path: Path) -> str:
        """Return the address of an empty place; a folder, unless you say otherwise."""
        return f"{min(self.plugin.schemes)}://{tmp_path / 'store'}"

    @pytest.fixture
    def open_store(self, address: str) -> Iterator[Callable[[], Store]]:
        """Return a function that opens the store once more."""
        held: list[Store] = []

        def _open() -> Store:
            held.append(self.plugin().open(address, create=True))
            return held[-1]

        yield _open
        for store in held:
            store.close()

    @pytest.fixture
    def store(self, open_store: Callable[[], Store]) -> Store:
        """Return the open store, empty."""
        return open_store()


class SessionStoreContract(_OpenStores):
    """A store keeps its rows, whole or not at all, and reports damage.

    Give `address`, a fixture: the address of a place where nothing was kept yet.
    """

    def test_a_store_that_was_never_made_is_told(self, address: str) -> None:
        """It is made on request only."""
        with pytest.raises(NoStoreError) as raised:
            self.plugin().open(address, create=False)

        assert "\n" not in str(raised.value)
        self.plugin().open(address, create=True).close()
        with closing(self.plugin().open(address, create=False)) as store, store.reading() as moment:
            assert moment.sessions() == []

    def test_what_was_put_is_there_after_it_is_opened_anew(self, open_store: Callable[[], Store]) -> None:
        """Every field of every kind of row comes back."""
        store = open_store()
        known = _begin(store)
        head = Head(CHECKPOINT, "here", "1.1.x", -3.5, home="main", since="1.1.x", redo=("", "1.1.x"))
        row = _row(known, 1, content=b"\x00\xff", meta='{"tokens":1}')
        with store.writing() as moment:
            moment.put_head(known.number, head)
            moment.put_row(known, row)
            moment.put_segment(known.number, Segment(3, 1, 1))
            moment.put_move(known.number, Move(0, 1.5, "undo", "main", "a", "b"))
            moment.put_move(known.number, Move(0, 1.0, "redo", "main", "b", "a"))
        store.close()

        with open_store().reading() as moment:
            assert moment.sessions() == [known]
            assert moment.session("s") == known
            assert moment.session("t") is None
            assert moment.head(known.number, CHECKPOINT, "here") == head
            assert moment.head(known.number, BRANCH, "here") is None
            assert moment.segment(known.number, 3) == Segment(3, 1, 1)
            assert moment.last_segment(known.number) == 3
            assert moment.row(known, NodePlace(1, 1), content=True) == row
            assert moment.row(known, NodePlace(1, 2)) is None
            assert [move[1:] for move in moment.moves(known.number, 5)] == [
                (1.5, "undo", "main", "a", "b"),
                (1.0, "redo", "main", "b", "a"),
            ]
            assert [move.what for move in moment.moves(known.number, 1)] == ["redo"]

    def test_rows_come_in_order_with_the_bodies_that_are_asked_for(self, store: Store) -> None:
        """Forward, backward, of a part, with the bodies of one kind, of all, or of none."""
        known = _begin(store)
        kinds = ("message", "pin", "message", "use")
        with store.writing() as moment:
            for at, kind in enumerate(kinds, start=1):
                moment.put_row(known, _row(known, at, kind, b"%d" % at))

        assert [row.position for row in _rows(store, known)] == [1, 2, 3, 4]
        assert [row.position for row in _rows(store, known, newest=True)] == [4, 3, 2, 1]
        assert [row.content for row in _rows(store, known, "message")] == [b"1", None, b"3", None]
        assert [row.content for row in _rows(store, known, "")] == [None] * 4
        with store.reading() as moment:
            found = moment.rows(known, NodePlace(1, 2), 3, content="", newest=False)
            assert [row.position for row in found] == [2, 3]
            assert list(moment.rows(known, NodePlace(2, 1), 9, content="", newest=False)) == []

    def test_heads_come_oldest_first_and_are_replaced_by_name(self, store: Store) -> None:
        """A branch moves; a checkpoint of the same name is another head."""
        known = _begin(store)
        with store.writing() as moment:
            moment.put_head(known.number, Head(BRANCH, "b", "", 1.0))
            moment.put_head(known.number, Head(CHECKPOINT, "b", "", 9.0))
            moment.put_head(known.number, Head(BRANCH, "main", "1.1.y", 2.5))
        with store.reading() as moment:
            assert [head.name for head in moment.heads(known.number, BRANCH)] == ["b", "main"]
            assert [head.node for head in moment.heads(known.number, BRANCH)] == ["", "1.1.y"]
            assert [head.at for head in moment.heads(known.number, CHECKPOINT)] == [9.0]

    def test_what_fails_leaves_nothing(self, store: Store) -> None:
        """A transaction that ends with an error was never there."""
        known = _begin(store)

        def _fail() -> None:
            with store.writing() as moment:
                moment.put_row(known, _row(known, 1))
                moment.put_session(Known(0, "t", "o", 1.0, "main"))
                raise _StopError

        with pytest.raises(_StopError):
            _fail()

        assert _rows(store, known) == []
        with store.reading() as moment:
            assert [one.name for one in moment.sessions()] == ["s"]
        _begin(store, "u")

    def test_a_reading_is_one_moment(self, open_store: Callable[[], Store]) -> None:
        """Others' later writes are not seen; the store's own earlier ones are."""
        store, other = open_store(), open_store()
        known = _begin(store)
        with other.reading() as moment:
            assert moment.last_segment(known.number) == 1
            with store.writing() as writing:
                writing.put_segment(known.number, Segment(2, 1, 0))
            assert moment.last_segment(known.number) == 1
        with other.reading() as moment:
            assert moment.last_segment(known.number) == 2

    def test_one_writes_at_a_time(self, open_store: Callable[[], Store]) -> None:
        """Writers wait for each other: none overwrites another's rows."""
        known = _begin(open_store())

        def _write(store: Store) -> None:
            for _ in range(5):
                with store.writing() as moment:
                    last = moment.last_segment(known.number)
                    moment.put_segment(known.number, Segment(last + 1, last, 0))

        _run_at_once(_write, [open_store() for _ in range(4)])

        with open_store().reading() as moment:
            assert moment.last_segment(known.number) == 21
            assert [moment.segment(known.number, at).parent for at in range(2, 22)] == list(range(1, 21))

    def test_a_row_that_is_not_as_it_was_sealed_is_damage(self, store: Store) -> None:
        """It is named and never served; the right one can replace it."""
        known = _begin(store)
        row = _row(known, 1)
        with store.writing() as moment:
            moment.put_row(known, row._replace(at=9.0))
        with pytest.raises(DamageError, match="message"):
            _rows(store, known)
        with store.reading() as moment, pytest.raises(DamageError):
            moment.row(known, NodePlace(1, 1))
        with store.writing() as moment:
            moment.put_row(known, row, mend=True)

        assert _rows(store, known) == [row]

    def test_a_body_that_is_not_as_it_was_sealed_is_damage(self, store: Store) -> None:
        """The digest of a body is compared if the body is requested."""
        known = _begin(store)
        row = _row(known, 1, content=b'"right"')
        with store.writing() as moment:
            moment.put_row(known, row._replace(content=b'"wrong"'))

        with pytest.raises(DamageError):
            _rows(store, known)

    def test_a_missing_segment_is_damage(self, store: Store) -> None:
        """A run of nodes that another one continues must exist."""
        known = _begin(store)
        with store.reading() as moment, pytest.raises(DamageError):
            moment.segment(known.number, 7)

    def test_a_closed_store_says_so(self, store: Store) -> None:
        """Closing twice does no harm."""
        store.close()
        store.close()
        with pytest.raises(Exception, match="closed"), store.reading() as moment:
            moment.sessions()

    def test_a_conversation_lives_in_it(self, open_store: Callable[[], Store], tmp_path: Path) -> None:
        """Messages, undo, redo, branches, tangents and snapshots work, with odd texts, and can be moved."""
        folder = tmp_path / "snapshots"
        with Session.of_store(open_store(), "s", folder=folder, create=True) as session:
            for text in ("a", _ODD, "c" * 100_000, "d"):
                session.add({"role": "user", "content": text})
            session.record("pin", {"path": _ODD}, meta={"why": "odd"})
            session.checkpoint("here")
            session.undo(2)
            session.redo()
            session.tangent()
            session.add({"role": "assistant", "content": "e"}, usage={"output_tokens": 1})
            session.come_back("last pair")
            taken = session.snapshot()
            session.add({"role": "user", "content": "f"})
            assert session.restore().snapshot.id == taken.id
            nodes, written = session.message_nodes(), io.StringIO()
            session.export(written)

        with Session.of_store(open_store(), "s", folder=folder) as session:
            assert session.message_nodes() == nodes
            assert session.messages()[1]["content"] == _ODD
        lines = written.getvalue().encode("ascii").splitlines(keepends=True)
        with closing(open_store()) as store:
            bring(store, lines, source="export", name="copy")
        with Session.of_store(open_store(), "copy", folder=folder) as session:
            assert session.message_nodes() == nodes

    def test_what_is_deleted_is_gone_and_its_number_stays_taken(self, store: Store) -> None:
        """A store that can measure and delete leaves the other sessions as they are."""
        if not isinstance(store, Tidying):
            pytest.skip("it can't delete")
        shared = b'"see blob:0123456789abcdef"'
        first, second = _begin(store, "a"), _begin(store, "b")
        with store.writing() as moment:
            moment.put_row(first, _row(first, 1, content=shared))
            moment.put_row(first, _row(first, 2, content=b'"blob:aaaaaaaaaaaaaaaa"'))
        with store.writing() as moment:
            moment.put_row(second, _row(second, 1, content=shared))

        assert [(one.name, one.nodes, one.used) for one in store.sizes()] == [("a", 2, 1.5), ("b", 1, 1.5)]
        assert all(one.bytes > len(shared) for one in store.sizes())
        assert store.list_needed() == {"0123456789abcdef", "aaaaaaaaaaaaaaaa"}
        store.delete(first)
        assert [one.name for one in store.sizes()] == ["b"]
        assert store.list_needed() == {"0123456789abcdef"}
        assert _rows(store, second)[0].content == shared
        store.delete(second)
        assert store.sizes() == []
        assert store.list_needed() == set()
        assert _begin(store, "c").number not in (first.number, second.number)

    def test_its_place_is_a_line(self, store: Store) -> None:
        """It is used in messages."""
        assert store.place
        assert store.place.isprintable()
        assert START == (0, 0)


class BlobStoreContract(PluginContract):
    """A place of blobs returns the stored bytes, whole or not at all.

    Give `address`, a fixture: the address of a place where nothing was kept yet.
    """

    kind = PluginKind.BLOB_STORE

    @pytest.fixture
    def address(self, tmp_path: Path) -> str:
        """Return the address of an empty place; a folder, unless you say otherwise."""
        return f"{min(self.plugin.schemes)}://{tmp_path / 'blobs'}"

    @pytest.fixture
    def blobs(self, address: str) -> Iterator[Blobs]:
        """Return the open place."""
        with closing(self.plugin().open(address)) as opened:
            yield opened

    def test_nothing_is_there_at_first(self, blobs: Any) -> None:
        """A place that was never used is empty, not broken."""
        assert blobs.get("ab/none") is None
        assert list(blobs.list()) == []
        assert not blobs.touch("ab/none")
        blobs.delete("ab/none")

    @pytest.mark.parametrize("content", [b"", b"\x00\xff", b"x" * 3_000_000], ids=["empty", "odd", "large"])
    def test_what_was_put_comes_back(self, blobs: Any, address: str, content: bytes) -> None:
        """Also after opening the place anew; a repeated `put` keeps one blob."""
        blobs.put("ab/cdef", b"before")
        blobs.put("ab/cdef", content)

        with closing(self.plugin().open(address)) as again:
            assert again.get("ab/cdef") == content
            assert [(one.key, one.bytes) for one in again.list()] == [("ab/cdef", len(content))]
            assert again.touch("ab/cdef")

    def test_keys_are_listed_by_their_beginning_and_deleted_one_by_one(self, blobs: Any) -> None:
        """A listing has the size and the time of each."""
        for key in ("ab/1", "ab/2", "b/1"):
            blobs.put(key, key.encode())

        found = list(blobs.list("ab/"))
        assert sorted(one.key for one in found) == ["ab/1", "ab/2"]
        assert all(isinstance(one, Blob) and one.bytes == 4 and one.used > 1e9 for one in found)
        blobs.delete("ab/1")
        assert blobs.get("ab/1") is None
        assert sorted(one.key for one in blobs.list()) == ["ab/2", "b/1"]

    def test_writers_of_one_blob_leave_one_whole(self, blobs: Any, address: str) -> None:
        """Two that put the same key at once do not mix."""
        contents = [bytes([at]) * 200_000 for at in range(4)]

        def _put(content: bytes) -> None:
            with closing(self.plugin().open(address)) as own:
                for _ in range(3):
                    own.put("k/one", content)

        _run_at_once(_put, contents)

        assert blobs.get("k/one") in contents
        assert [one.key for one in blobs.list()] == ["k/one"]

    def test_its_place_is_a_line(self, blobs: Any) -> None:
        """It is used in messages."""
        assert blobs.place.isprintable()
