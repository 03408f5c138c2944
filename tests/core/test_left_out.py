"""What is left out of a pack, counted when somebody looks."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from satchel import PackOptions, pack
from satchel.packing import Count, LeftOutCounts

ROWS: list[Count] = [("lib", "too long", 2), ("src", "too long", 1)]


def counts() -> LeftOutCounts:
    return LeftOutCounts({"too long": 3}, lambda: ROWS)


def test_nothing_is_counted_before_somebody_looks() -> None:
    asked: list[int] = []

    def count() -> list[Count]:
        asked.append(1)
        return ROWS

    waiting = LeftOutCounts({"too long": 2, "no room": 1}, count)

    assert (waiting.number, asked) == (3, [])
    assert (list(waiting), list(waiting), len(waiting), asked) == (ROWS, ROWS, 2, [1])


def test_counts_are_a_sequence_like_any_other() -> None:
    assert (counts()[0], list(counts()[1:])) == (ROWS[0], ROWS[1:])
    assert counts() == tuple(ROWS)
    assert counts() != ROWS[:1]
    assert (repr(counts()), hash(counts())) == (repr(tuple(ROWS)), hash(tuple(ROWS)))


def test_what_is_not_listed_is_counted_by_folder(tmp_path: Path) -> None:
    for number in range(260):
        folder = tmp_path / f"d{number % 2}"
        folder.mkdir(exist_ok=True)
        (folder / f"f{number}.py").write_text(f"def f{number}():\n    return 'login'\n")

    bundle = pack("fix the login", tmp_path, budget=300)
    everything = pack("fix the login", tmp_path, budget=300, options=PackOptions(left_out="all"))

    reasons = Counter(one.reason.partition(":")[0] for one in everything.left_out)
    assert bundle.count_reasons() == everything.count_reasons() == reasons
    assert len(bundle.left_out) == 200
    assert sum(number for _, _, number in bundle.left_out_counts) == len(everything.left_out) - 200
    assert [one.path for one in everything.left_out][:200] == [one.path for one in bundle.left_out]
