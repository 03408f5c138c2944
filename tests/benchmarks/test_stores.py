"""What measures a store fills it and names what it measured."""

from __future__ import annotations

import random
from pathlib import Path

import stores

from satchel import Session


def test_a_store_is_filled_and_measured_at_each_size(tmp_path: Path) -> None:
    found = list(stores.measure(str(tmp_path), [40, 100], 4))

    assert [one["rows"] for one in found] == [40, 100]
    assert all(value >= 0 for one in found for value in one.values())
    assert {"append, ms", "last 50, ms", "sizes, ms", "bytes a row"} <= set(found[0])


def test_half_of_the_messages_are_in_one_session(tmp_path: Path) -> None:
    stores.fill(str(tmp_path), 60, 3, random.Random(1))

    counts = []
    for name in ("s0", "s1", "s2"):
        with Session.open(name, store=tmp_path) as session:
            counts.append(session.count())
    assert counts == [30, 15, 15]
