"""A run by hand tries a part of every test, and `.ci/weekly` all of it."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings
from tests.amounts import FEW, FULL, MOST_CASES, PROFILE, examples, sampled, sized, some, spread

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("amount", [0, 1, 6, 7, 8, 11, 100, 4_096])
def test_a_spread_has_both_ends_and_no_place_twice(amount: int) -> None:
    places = spread(amount)

    assert len(places) == min(amount, MOST_CASES)
    assert places == sorted(set(places))
    assert not amount or (places[0], places[-1]) == (0, amount - 1)
    gaps = [after - before for before, after in itertools.pairwise(places)]
    assert not gaps or max(gaps) - min(gaps) <= 1


HOOKS = ("pytest_addoption", "pytest_configure", "pytest_collection_modifyitems", "pytest_terminal_summary")
MADE = """import pytest

@pytest.mark.parametrize("at", range(20))
def test_many(at):
    assert at < 20

@pytest.mark.weekly
def test_weekly():
    pass

@pytest.mark.costly
@pytest.mark.parametrize("at", range(10))
def test_costly(at):
    assert at < 10
"""
CASES = [f"a.py::test_many[{at}]" for at in range(20)]


def test_each_function_keeps_some_of_its_cases() -> None:
    others = ["a.py::test_one", "a.py::TestA::test_many[0]", "b.py::test_many[0]"]

    keeps = sampled([*CASES, *others])

    assert sum(keeps[:20]) == MOST_CASES
    assert keeps[20:] == [True, True, True]


def test_a_costly_function_keeps_one_case() -> None:
    keeps = sampled([*CASES, "b.py::test_many[0]", "b.py::test_many[1]"], costly={"a.py::test_many"})

    assert sum(keeps[:20]) == 1
    assert keeps[20:] == [True, True]


def test_a_weekly_case_runs_where_it_is_named() -> None:
    weekly = ["b.py::test_a", "b.py::test_b[0]"]
    names = [*weekly, "b.py::test_b[1]", "b.py::test_b[2]"]

    assert sampled(names, weekly=weekly) == [False, False, True, True]
    assert sampled(names, weekly, weekly=weekly) == [True, True, True, True]


def test_every_file_has_a_test_that_is_not_weekly() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")}

    assert not [
        path.name
        for path, text in texts.items()
        if "\npytestmark = pytest.mark.weekly" in text
        or 0 < text.count("def test_") <= text.count("\n@pytest.mark.weekly")
    ]


@pytest.mark.parametrize("name", ["a.py::test_many", CASES[1]])
def test_what_is_named_runs(name: str) -> None:
    keeps = dict(zip(CASES, sampled(CASES, [name]), strict=True))

    assert all(keep for case, keep in keeps.items() if case.startswith(name))
    assert keeps[CASES[0]]
    assert keeps[CASES[-1]]


@pytest.mark.parametrize(
    ("profile", "amounts"), [("steady", (FEW, 2, MOST_CASES, 100)), ("weekly", (300, 2, 50, 500))]
)
def test_a_profile_says_how_much_is_tried(profile: str, amounts: tuple[int, ...]) -> None:
    known, before = settings.get_profile(profile), settings.get_current_profile_name()
    settings.load_profile(profile)
    try:
        drawn = (examples(300), examples(2), len(some(range(50))), sized(500))
    finally:
        settings.load_profile(before)

    assert drawn == amounts
    assert known.derandomize


@pytest.mark.costly
@pytest.mark.parametrize(
    ("words", "ran"),
    [
        ((), f"{MOST_CASES + 1} passed, {30 - MOST_CASES} deselected"),
        ((FULL,), "31 passed"),
        (("-k", "test_weekly"), "1 passed"),
        (("test_made.py::test_weekly",), "1 passed"),
        (("-k", "test_many"), "20 passed"),
        (("test_made.py::test_many",), "20 passed"),
    ],
)
def test_a_run_leaves_cases_out_unless_they_are_asked_for(
    tmp_path: Path, words: tuple[str, ...], ran: str
) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n  costly\n  weekly\n")
    (tmp_path / "conftest.py").write_text(f"from tests.conftest import {', '.join(HOOKS)}\n")
    (tmp_path / "test_made.py").write_text(MADE)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *words]

    told = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=True
    ).stdout

    assert ran in told
    assert (f"{30 - MOST_CASES} cases left out" in told) == (not words)


def test_weekly_runs_all_cases_slow_ones_too_with_all_examples() -> None:
    script = (ROOT / ".ci" / "weekly").read_text(encoding="utf-8")
    (line,) = [line for line in script.splitlines() if "pytest " in line and not line.startswith("#")]

    command = line.partition("||")[0].split()
    assert command[:2] == [f"{PROFILE}=weekly", "pytest"]
    assert FULL in command
    assert command[command.index("-m") + 1] == '""'
