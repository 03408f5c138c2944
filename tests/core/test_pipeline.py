"""The steps of a pack: what is weighed, what is pinned, and what ends up where."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel import Level, Part, PointerError, Reference
from satchel.packing import find_form
from satchel.packing.pipeline import PackOutcome, PackSettings, match_pins, run_pack
from satchel.packing.reasons import UNWEIGHED
from satchel.runs import open_run

from .repositories import plain_host, write_files
from .texts import file_item

PARTS = tuple(Part("function", f"f{at}", (10 * at + 1, 10 * at + 10)) for at in range(4))


def outcome(root: Path, budget: int, *, form: str = "markdown") -> PackOutcome:
    run = open_run(root, host=plain_host())
    try:
        return run_pack(run, "fix the login password", PackSettings(find_form(form), "hybrid", budget))
    finally:
        run.workspace.close()


@pytest.mark.parametrize(
    ("pins", "parts"),
    [
        ([(0, 0)], [0, 1, 2, 3]),
        ([(1, 1)], [0]),
        ([(10, 11)], [0, 1]),
        ([(40, 99)], [3]),
        ([(1, 1), (35, 36)], [0, 3]),
        ([(1, 1), (0, 0)], [0, 1, 2, 3]),
        ([], []),
    ],
)
def test_pinned_lines_pin_the_parts_that_they_touch(pins: list[tuple[int, int]], parts: list[int]) -> None:
    references = [Reference("src/a.py", "path", "src/a.py", lines) for lines in pins]

    assert match_pins(file_item(""), PARTS, references) == parts


def test_pins_of_other_files_pin_nothing() -> None:
    assert match_pins(file_item(""), PARTS, [Reference("b.py", "path", "b.py")]) == []


def test_a_pin_after_the_last_line_is_refused() -> None:
    with pytest.raises(PointerError, match="40 lines"):
        match_pins(file_item(""), PARTS, [Reference("src/a.py:41", "path", "src/a.py", (41, 41))])


@pytest.mark.costly
@pytest.mark.parametrize("form", ["markdown", "xml"])
def test_kept_and_rejected_are_all_there_is(polyglot: Path, form: str) -> None:
    for budget in (10, 100, 400, 4_000):
        end = outcome(polyglot, budget, form=form)

        ids = [ladder.item.id for ladder, _ in end.kept] + [item.id for item, *_ in end.all_left_out]
        assert len(ids) == len(set(ids)) == 15
        assert end.tokens <= budget


def test_more_budget_shows_no_less(topics: Path) -> None:
    worths = [
        sum(ladder.options[option].worth for ladder, option in outcome(topics, budget).kept)
        for budget in (20_000, 40_000, 80_000)
    ]

    assert worths == sorted(worths)


@pytest.mark.weekly
def test_what_ranks_below_the_shortlist_is_neither_read_nor_lost(tmp_path: Path) -> None:
    files = {f"m{number:03}.py": f"def login{number}(): ...\n" * 30 for number in range(200)}
    end = outcome(write_files(tmp_path / "w", files), 100)

    below = [item for item, reason, _, _ in end.all_left_out if reason == UNWEIGHED]

    assert len(below) == 140
    assert len(end.weighed.scored) == 60


@pytest.mark.weekly
def test_a_bigger_budget_weighs_more_items(tmp_path: Path) -> None:
    files = {f"m{number:03}.py": f"def function{number}(): ...\n" * 30 for number in range(110)}
    root = write_files(tmp_path / "w", files)

    assert len(outcome(root, 40_000).weighed.scored) == 110


def test_every_ladder_begins_with_its_address_line_and_ends_whole(polyglot: Path) -> None:
    for ladder in outcome(polyglot, 400).weighed.ladders.values():
        assert ladder.options[0].level is Level.POINTER
        assert ladder.item.note or ladder.options[-1].level is Level.FULL
