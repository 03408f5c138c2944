"""Hostile workspaces on the command line: nothing runs, leaks or hangs, and the rest is shown."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.hostile.asking import SATCHEL, complaints, preloaded
from tests.hostile.cases import CASES
from tests.hostile.ground import Case, Ground


@pytest.fixture(scope="module", autouse=True)
def _preloaded() -> Iterator[None]:
    with preloaded():
        yield


@pytest.fixture
def ground(tmp_path: Path) -> Iterator[Ground]:
    yield Ground(tmp_path / "case")
    # pytest's own cleaning reaches neither the bottom of a deep tree nor what has no rights.
    subprocess.run(["chmod", "-R", "u+rwx", str(tmp_path)], check=False, capture_output=True)
    subprocess.run(["rm", "-rf", str(tmp_path / "case")], check=False)


@pytest.mark.costly
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.group}-{case.name}")
def test_a_hostile_workspace_gets_nothing(case: Case, ground: Ground) -> None:
    expect = case.build(ground)

    assert complaints(SATCHEL, ground, expect) == []


def test_there_are_more_than_a_hundred_and_ten() -> None:
    assert len(CASES) > 110
    assert len({case.name for case in CASES}) == len(CASES)
