"""What matters is kept of an output of which very many lines could be."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from satchel import squeeze
from satchel.output import LineFolding
from satchel.output.folding import find_outlying_lines

LETTERS = "ghijklmnopqrstuvwxyz"
LEVELS = ("INFO", "INFO", "DEBUG")


@pytest.mark.weekly
def test_errors_after_very_many_warnings_are_all_kept() -> None:
    names = [a + b for a in LETTERS for b in LETTERS[:15]]
    warnings = [f"WARN {name} is slow: {nth}{' ok' * 380}" for name in names for nth in range(60)]
    errors = [f"ERROR {name}: no connection to {name}.db" for name in names[:30]]
    folding = LineFolding()

    for start in range(0, len(warnings), 2_000):
        folding.feed(warnings[start : start + 2_000])
    folding.feed(errors)
    folding.feed(["INFO served a page"] * 200)

    kept = {line.text for line in folding.finish().lines}
    assert [error for error in errors if error not in kept] == []


def test_warnings_leave_room_where_very_many_lines_are_kept() -> None:
    names = [a + b + c for a in LETTERS for b in LETTERS for c in LETTERS[:5]]
    folding = LineFolding()

    for nth in range(24):
        folding.feed([f"WARN {name} is slow: {nth}" for name in names])

    assert len(folding.finish().lines) < 30_000


def test_very_many_lines_in_another_script_are_kept_as_sparingly_as_in_latin_letters() -> None:
    names = [a + b + c for a in LETTERS for b in LETTERS for c in LETTERS[:15]]
    cyrillic = str.maketrans(LETTERS, "абвгдежзийклмнопрсту")

    def count_kept(lines: list[str]) -> int:
        folding = LineFolding()
        folding.feed(lines)
        return len(folding.finish().lines)

    latin = count_kept([f"{name} was served, {name} is next" for name in names])
    other = count_kept([f"{name} was served, {name} is next".translate(cyrillic) for name in names])

    assert other < latin * 1.2


def test_one_error_is_shown_of_very_many_lines_in_another_script(tmp_path: Path) -> None:
    names = [a + b + c for a in LETTERS for b in LETTERS for c in LETTERS[:15]]
    lines = [f"INFO [{name}] заказ обработан: {name}" for name in names]
    lines[4_321] = "ERROR [payments] ошибка: нет соединения с базой"

    assert lines[4_321] in squeeze("\n".join(lines), budget=300, store=tmp_path).text


@pytest.mark.weekly
def test_no_count_is_told_of_lines_that_share_a_family_with_others() -> None:
    names = [a + b + c for a in LETTERS for b in LETTERS for c in LETTERS[:12]]
    text = "\n".join(
        [*(f"{name} served" for name in names), "wig  served today", *(f"{n} done" for n in names)]
    )

    shown = squeeze(text, budget=2_000).text

    assert re.findall(r"\[x\d+\]", shown) == []


@pytest.mark.weekly
def test_the_frame_of_a_rare_exception_stands_below_it_in_a_log_of_very_many_kinds() -> None:
    names = [a + b + c for a in LETTERS for b in LETTERS for c in LETTERS[:12]]
    log = [f"{name} served" for name in names]
    common = ["KeyError: 'y'", *(f"\tat lib.{name}.step({name}.java:3)" for name in names[:40])]
    rare = ["ERROR job failed", "IllegalState: basket has no owner", "\tat lib.Basket.step(Basket.java:3)"]

    shown = squeeze("\n".join([*log, *common * 20, *log[:50], *rare, *common, *log[:200]]), budget=600).text

    assert "Basket.java:3" in shown


@pytest.mark.weekly
def test_rare_errors_come_before_many_that_differ_in_names_only() -> None:
    tried = [
        f"sshd: Failed password for invalid user {a}{b} from 10.0.0.1 port 5022"
        for a in LETTERS
        for b in LETTERS
    ]
    rare = "systemd: Failed to start the billing service of this machine, see its journal"

    shown = squeeze("\n".join([*tried * 5, rare, *tried * 5]), budget=120).text

    assert rare in shown


@pytest.mark.weekly
def test_plain_lines_of_a_log_of_very_many_kinds_are_not_odd() -> None:
    names = [a + b for a in LETTERS for b in LETTERS]
    kinds = [f"{level} {name} took {other}" for name in names for other in names[:9] for level in LEVELS]
    draw = random.Random(7)
    error = "ERROR the ledger is out of balance"

    log = [draw.choice(kinds) for _ in range(20_000)]
    shown = squeeze("\n".join([*log, error, *log[:300]])).text

    assert error in shown
    assert len(re.findall(r"^(?:INFO|DEBUG)", shown, re.MULTILINE)) < 30


def test_small_numbers_among_numbers_of_all_sizes_do_not_stand_apart() -> None:
    draw = random.Random(3)
    identifiers = [f"stored order {draw.randrange(10**6)}" for _ in range(2_000)]

    assert find_outlying_lines(identifiers) == []


def test_a_small_number_among_numbers_of_one_size_stands_apart() -> None:
    draw = random.Random(3)
    amounts = [f"moved {draw.randrange(700, 1_200)} rows" for _ in range(2_000)]

    assert [at for at, _ in find_outlying_lines([*amounts, "moved 3 rows"])] == [2_000]
