"""Twenty-three hostile plugins at once: the run goes on, and each is known by name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HOSTILE = Path(__file__).parents[1] / "data" / "hostile"
HARMLESS = {"prints", "writes", "impostor"}  # contained, and not reported from the first run on


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, HOSTILE / "install.py", folder], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def driven(site: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(site)}
    command = [sys.executable, str(HOSTILE / "drive.py"), str(site / "cache")]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="module")
def facts(driven: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert driven.returncode == 0, driven.stderr
    answer: dict[str, Any] = json.loads(driven.stdout)
    return answer


def traps() -> list[str]:
    return sorted(path.stem.removeprefix("hostile_") for path in HOSTILE.glob("hostile_*.py"))


def test_there_are_23_traps() -> None:
    assert len(traps()) == 23


@pytest.mark.costly
@pytest.mark.parametrize("trap", sorted(set(traps()) - HARMLESS))
def test_it_stands_in_the_problems_with_its_distribution(trap: str, facts: dict[str, Any]) -> None:
    named = {(plugin, distribution) for plugin, distribution, _, _ in facts["problems"]}

    assert (trap, f"hostile-{trap.replace('_', '-')}") in named


def test_nothing_that_plugins_print_reaches_stdout(driven: subprocess.CompletedProcess[str]) -> None:
    assert "printed by a plugin" not in driven.stdout
    assert "printed by a plugin" in driven.stderr
    assert "written by a plugin" in driven.stderr


def test_plugins_that_answer_well_still_count(facts: dict[str, Any]) -> None:
    assert facts["answered"]["prints"] == facts["answered"]["writes"] == facts["answered"]["mutates"] == 2


def test_an_endless_answer_is_cut(facts: dict[str, Any]) -> None:
    assert facts["answered"]["endless"] == 100


def test_a_changed_argument_is_not_seen_by_others(facts: dict[str, Any]) -> None:
    assert facts["task"] == "the task"


def test_a_plugin_that_ends_the_process_is_left_out_by_name(facts: dict[str, Any]) -> None:
    reasons = [error for plugin, _, _, error in facts["problems"] if plugin == "kills"]

    assert reasons == ["ended the process: exit 7 in score; left out of this run"]


def test_a_built_in_keeps_its_name_and_the_other_is_reachable_in_full(facts: dict[str, Any]) -> None:
    taken = [error for plugin, owner, _, error in facts["problems"] if owner == "hostile-impostor"]

    assert "hybrid" in facts["packers"]
    assert taken == ["its name is taken by a built-in; use its full name, hostile-impostor:hybrid"]
    assert "the impostor was called" in facts["answered"]["impostor"]


def test_each_distribution_is_announced_before_it_is_first_called(
    driven: subprocess.CompletedProcess[str],
) -> None:
    announced = [line for line in driven.stderr.splitlines() if line.startswith("satchel: first use of ")]

    assert sorted(announced) == sorted(
        f"satchel: first use of hostile-{trap.replace('_', '-')} 1.0" for trap in traps()
    )
