"""What would only be named is shown or left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel import ContextItem, Level, Option, Part, pack
from satchel.packing import ItemLadder, Step
from satchel.packing.pipeline import ASIDE, trim
from satchel.plugin_api import SplitItem

from .repositories import commit, make_repository

KINDS = (*sorted(ASIDE), "file", "note", "diff")


def ladder(name: str, kind: str, *costs: int, note: str = "", part: str = "function") -> ItemLadder:
    parts = (Part(part, name, (1, 1), (1, 1)), Part("function", "rest", (2, 90), (2, 2)))
    item = ContextItem(name, "test", kind, name, path=name if kind == "file" else "", note=note)
    options = [Option(Level.POINTER if not at else Level.EXCERPT, cost, 0.0) for at, cost in enumerate(costs)]
    steps = tuple(Step(at, body=False) for at in range(len(costs) - 1))
    return ItemLadder(item, SplitItem(parts, {}, ()), steps, tuple(options))


def test_a_name_becomes_a_text_where_there_is_room() -> None:
    one = ladder("commit 1a2b", "commit", 10, 60)

    assert trim([(one, 0)], 400) == (((one, 1),), (), 50)


def test_a_name_is_left_out_where_there_is_none() -> None:
    one, other = ladder("map", "tree", 10, 60), ladder("commit 1a2b", "commit", 12)

    assert trim([(one, 0), (other, 0)], 399) == ((), (one, other), -22)


@pytest.mark.parametrize("kind", ["file", "note", "diff"])
def test_names_of_what_can_be_opened_stay(kind: str) -> None:
    one = ladder("a", kind, 10, 60)

    assert trim([(one, 0)], 9000) == (((one, 0),), (), 0)


def test_what_has_no_text_stays_named() -> None:
    one = ladder("a", "tree", 10, note="vendored folder")

    assert trim([(one, 0)], 9000)[0] == ((one, 0),)


@given(
    st.lists(st.tuples(st.sampled_from(KINDS), st.lists(st.integers(1, 300), min_size=1, max_size=3))),
    st.integers(0, 2000),
)
def test_what_is_added_fits_and_is_counted(rows: list[tuple[str, list[int]]], free: int) -> None:
    kept = [(ladder(str(at), kind, *sorted(costs)), 0) for at, (kind, costs) in enumerate(rows)]

    settled, gone, tokens = trim(kept, free)

    assert tokens <= free
    before, after = (sum(one.options[option].tokens for one, option in some) for some in (kept, settled))
    assert after - before == tokens
    assert len(settled) + len(gone) == len(kept)


@pytest.mark.costly
@pytest.mark.parametrize("budget", [1_000, 2_000, 20_000])
def test_no_pack_names_a_commit_without_its_text(tmp_path: Path, budget: int) -> None:
    root = make_repository(tmp_path / "w", {"shop/till.py": "def pay(total):\n    return total\n" * 9})
    for number in range(5):
        (root / "shop" / "till.py").write_text(f"def pay(total):\n    return total + {number}\n", "utf-8")
        commit(root, f"Round the total {number}", day=number + 1)

    bundle = pack("the till rounds a total", root, budget=budget)

    assert not [item.title for item in bundle.items if item.level == "pointer" and item.kind in ASIDE]
    if budget == 20_000:
        assert "commit" in {item.kind for item in bundle.items}
