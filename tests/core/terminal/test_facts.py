"""The facts of 91 tools' outputs survive, at little cost, and the cost never exceeds the budget."""

from __future__ import annotations

import importlib.util
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest

from satchel.host import Host
from satchel.terminal.plugins import Plugins
from satchel.terminal.squeezing import squeeze
from satchel.tokens.guessing import guess

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


CASES = dict([*_made("make").build(), *_made("later").build()])
SMALL = 1_600
"""Tokens up to which an output is shown whole."""


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


@pytest.mark.parametrize("name", sorted(CASES))
def test_the_facts_of_an_output_survive(name: str) -> None:
    case = CASES[name]

    squeezed = squeeze(case.text, command=case.command, exit_code=case.exit_code)

    assert lost(case.must, plain(squeezed.text)) == []
    assert guess(squeezed.text) < max(0.5 * guess(case.text), SMALL)


def test_without_any_representer_hardly_a_fact_is_lost() -> None:
    alone = Plugins(Host.empty())
    kept = total = 0
    for case in CASES.values():
        text = squeeze(
            case.text, command=case.command, exit_code=case.exit_code, count=guess, plugins=alone
        ).text
        kept += len(case.must) - len(lost(case.must, plain(text)))
        total += len(case.must)

    assert kept >= 0.98 * total


def test_small_budgets_keep_most_facts() -> None:
    kept = total = 0
    for case in CASES.values():
        text = squeeze(case.text, exit_code=case.exit_code, budget=300, count=guess).text
        kept += len(case.must) - len(lost(case.must, plain(text)))
        total += len(case.must)

    assert kept >= 0.94 * total


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
