"""How a store of sessions grows: rows, bytes and seconds at 10^4 to 10^6 nodes, in a folder or in a database.

    python docs/benchmarks/stores.py --store postgresql://localhost/empty --rows 10000 100000 1000000

The store must be empty; each number of rows is reached by adding to the one before. Prints a table and, with
`--json FILE`, the same as JSON. `--sessions N` spreads the rows over N sessions; half of the appends that are
timed go to the largest one. Times are medians of wall clock, in milliseconds.

    python docs/benchmarks/stores.py --store postgresql://localhost/other --processes 1 4 16

lets that many processes append at once instead, each to a session of its own, and prints how many
messages a second were acknowledged.
"""

# ruff: noqa: S311 (made-up messages)
from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from satchel import Session
from satchel.session.places import open_place
from satchel.session.opening import sessions_of
from satchel.session.store import Store, Tidying

_TOGETHER = 500
"""Nodes of one transaction while a store is filled."""
_TIMES = 15
_SECONDS = 10.0
_WORDS = ("the", "login", "fails", "with", "a", "500", "because", "token", "expired", "def", "return", "None")


def main() -> None:
    """Fill a store and measure it at each size."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", help="folder or address of an empty store (default: a temporary folder)")
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--processes", type=int, nargs="+", help="append in so many processes at once")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place, found = args.store or folder, []
        figures = (
            append_at_once(place, args.processes)
            if args.processes
            else measure(place, sorted(args.rows), args.sessions)
        )
        for one in figures:
            print(" | ".join(f"{name} {value}" for name, value in one.items()), flush=True)
            found.append(one)
    if args.json:
        args.json.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def measure(place: str, sizes: list[int], sessions: int) -> Iterator[dict[str, Any]]:
    """Yield the figures of each size."""
    draw = random.Random(1)
    rows = 0
    for size in sizes:
        began, cpu = time.perf_counter(), time.process_time()
        fill(place, size - rows, sessions, draw)
        filling, busy = time.perf_counter() - began, time.process_time() - cpu
        told = {
            "rows": size,
            "filled a second": round((size - rows) / filling),
            "CPU of the client, share": round(busy / filling, 2),
            "bytes a row": round(bytes_of(place) / size),
            **{name: round(1_000 * seconds, 2) for name, seconds in time_asks(place, draw)},
        }
        rows = size
        yield told


def append_at_once(place: str, counts: list[int]) -> Iterator[dict[str, Any]]:
    """Yield how many messages a second so many processes append, each to a session of its own."""
    for count in counts:
        with multiprocessing.get_context("spawn").Pool(count) as pool:
            added = pool.starmap(_append_for_seconds, [(place, f"p{count}-{at}") for at in range(count)], 1)
        yield {"processes": count, "messages a second": round(sum(added) / _SECONDS)}


def _append_for_seconds(place: str, name: str) -> int:
    draw = random.Random(name)
    with Session.open(name, store=place, create=True) as session:
        time.sleep(_SECONDS)  # until all are there
        added, until = 0, time.monotonic() + _SECONDS
        while time.monotonic() < until:
            session.add(message(draw, added))
            added += 1
    return added


def fill(place: str, rows: int, sessions: int, draw: random.Random) -> None:
    """Add messages: half of them to the first session, the others evenly."""
    shares = [rows // 2, *[rows // 2 // max(1, sessions - 1)] * (sessions - 1)]
    shares[0] += rows - sum(shares)
    for at, share in enumerate(shares):
        with Session.open(f"s{at}", store=place, create=True) as session:
            for start in range(0, share, _TOGETHER):
                count = min(_TOGETHER, share - start)
                session.record_many([("message", message(draw, start + one)) for one in range(count)])


def message(draw: random.Random, at: int) -> dict[str, str]:
    """Return a message of 30 to 300 words, mostly short."""
    words = draw.choices(_WORDS, k=int(30 + 270 * draw.random() ** 4))
    return {"role": ("user", "assistant")[at % 2], "content": f"{at} {draw.random()} {' '.join(words)}"}


def time_asks(place: str, draw: random.Random) -> Iterator[tuple[str, float]]:
    """Yield what is asked of the largest session, and of the store, with the median of its seconds."""
    with Session.open("s0", store=place) as session:
        asks: dict[str, Callable[[], object]] = {
            "append, ms": lambda: session.add(message(draw, 1)),
            "last 50, ms": lambda: session.messages(last=50),
            "count, ms": session.count,
            "undo and redo, ms": lambda: (session.undo(), session.redo()),
        }
        for name, ask in asks.items():
            yield name, median(ask)
    yield "open and append, ms", median(lambda: _open_and_add(place, draw))
    with OpenStore(place) as store:
        yield "list sessions, ms", median(lambda: sessions_of(store))
        if isinstance(store, Tidying):
            yield "sizes, ms", median(store.sizes, times=3)


def _open_and_add(place: str, draw: random.Random) -> None:
    with Session.open("s0", store=place) as session:
        session.add(message(draw, 1))


class OpenStore:
    """Open a store for the time of a block."""

    def __init__(self, place: str) -> None:
        self.store: Store = open_place(place).store

    def __enter__(self) -> Store:
        return self.store

    def __exit__(self, *error: object) -> None:
        self.store.close()


def median(ask: Callable[[], object], *, times: int = _TIMES) -> float:
    """Return the median of the seconds that something takes."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        ask()
        found.append(time.perf_counter() - began)
    return statistics.median(found)


def bytes_of(place: str) -> int:
    """Return the bytes of a store on the disk: of its files, or of its tables with their indexes."""
    if "://" not in place:
        return sum(path.stat().st_size for path in Path(place).glob("sessions.sqlite*"))
    import psycopg

    with psycopg.connect(place) as connection:
        row = connection.execute(
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class "
            "WHERE relname LIKE 'satchel_%' AND relkind = 'r'"
        ).fetchone()
    return int(row[0]) if row else 0


if __name__ == "__main__":
    os.environ.setdefault("SATCHEL_STATE_DIR", tempfile.mkdtemp())
    main()
