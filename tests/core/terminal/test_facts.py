"""The facts of 91 tools' outputs survive, at little cost, and the cost never exceeds the budget."""

from __future__ import annotations

import functools
import importlib.util
import random
import re
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.amounts import some

from satchel import Host, squeeze
from satchel.output import LineFolding, OutputCut, Plugins
from satchel.output.families import REPORT, recognise
from satchel.output.values import value
from satchel.tokens import guess

FOLDER = Path(__file__).parents[2] / "data" / "outputs"
NEAR = 3_000


def _made(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"satchel_outputs_{name}", FOLDER / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


MAKES: dict[str, Any] = {**_made("make").CASES, **_made("later").CASES}
NAMES = sorted(MAKES)
SMALL = 1_900
"""Tokens up to which an output is shown whole."""


@functools.cache
def case_of(name: str) -> Any:
    """Return the output of that name; to make all of them takes longer than to collect a folder."""
    return MAKES[name](random.Random(name))


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_STATE_DIR", str(tmp_path))


def plain(text: str) -> str:
    return " ".join(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).replace("\r", "\n").split())


def lost(facts: list[str | list[str]], text: str) -> list[str | list[str]]:
    """Return the facts that a text does not hold; the parts of one must stand near each other."""
    return [
        fact
        for fact in facts
        if not all(plain(part) in text for part in ([fact] if isinstance(fact, str) else fact))
    ]


BUDGETS = (60, 90, 120, 121, 150, 200, 300, 303, 450, 600, 605, 1_000, 3_000)


@functools.cache
def cut(name: str) -> OutputCut:
    case = case_of(name)
    folding = LineFolding()
    folding.feed(case.text.removesuffix("\n").split("\n"))
    folded = folding.finish()
    templates = folded.templates()
    values = value(folded, templates)
    return OutputCut(folded, templates, values, tokens=guess(case.text), count=guess)


def said(text: str) -> list[str]:
    """Return the pieces of an output's lines that stand in a shortened text."""
    marks = ("[…", "[satchel", "[also")
    lines = [line.partition(" [x")[0] for line in text.splitlines() if not line.startswith(marks)]
    lines = [piece for line in lines for piece in re.split(r" ?\[\d+ characters\] ", line)]
    return [piece for line in lines for piece in line.split("…")]


@pytest.mark.costly
@pytest.mark.parametrize("name", NAMES)
def test_the_facts_of_an_output_survive(name: str) -> None:
    case = case_of(name)

    squeezed = squeeze(case.text, command=case.command, exit_code=case.exit_code)

    assert lost(case.must, plain(squeezed.text)) == []
    is_report = recognise(case.command, case.text.split("\n")) is REPORT
    assert (not is_report and not squeezed.gaps) or guess(squeezed.text) < max(0.5 * guess(case.text), SMALL)


@pytest.mark.weekly
def test_without_any_representer_hardly_a_fact_is_lost() -> None:
    alone = Plugins(Host.empty())
    kept = total = 0
    for case in map(case_of, some(NAMES, 8)):
        text = squeeze(
            case.text, command=case.command, exit_code=case.exit_code, count=guess, plugins=alone
        ).text
        kept += len(case.must) - len(lost(case.must, plain(text)))
        total += len(case.must)

    assert kept >= 0.98 * total


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize(("budget", "least"), [(300, 0.97), (120, 0.68)])
def test_small_budgets_keep_most_facts(budget: int, least: float) -> None:
    kept = total = 0
    for name in some(NAMES, 8):
        case = case_of(name)
        text = cut(name).within(budget, exit_code=case.exit_code, hash_="a1" * 20).text
        kept += len(case.must) - len(lost(case.must, plain(text)))
        total += len(case.must)

    assert kept >= least * total


@pytest.mark.costly
@pytest.mark.parametrize("name", ["gtest", "terraform", "pylint", "journal", "java_chain"])
def test_what_a_small_budget_shows_a_larger_one_shows_too(name: str) -> None:
    made = cut(name)
    shown = [made.within(budget, exit_code=1, hash_="a1" * 20).text for budget in BUDGETS]

    for less, more in pairwise(shown):
        assert [piece for piece in said(less) if piece not in more] == []


def test_no_fact_is_lost_by_a_larger_budget_and_no_budget_exceeded() -> None:
    for name in some(NAMES, 3):
        case = case_of(name)
        made, missing = cut(name), list(case.must)
        for budget in BUDGETS:
            text = made.within(budget, exit_code=case.exit_code, hash_="a1" * 20).text
            now = lost(case.must, plain(text))
            assert guess(text) <= budget
            assert [fact for fact in now if fact not in missing] == []
            missing = now


def test_every_number_of_a_short_result_stands_in_the_output() -> None:
    for name in some(NAMES, 3):
        case = case_of(name)
        text = cut(name).within(120, exit_code=None, hash_="").text

        numbers = re.findall(r"\d+", " ".join(said(text)))
        assert [number for number in numbers if number not in case.text] == []
