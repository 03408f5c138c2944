"""Plugins of third parties seen from the command line: printing, failing, killing the process."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Satchel = Callable[..., subprocess.CompletedProcess[bytes]]

SOURCE = """
import os, sys
from typing import ClassVar

import attrs
from satchel import hookimpl

print("printed at import")
os.write(1, b"written at import\\n")


@attrs.frozen
class Stranger:
    name: ClassVar[str] = "stranger"
    kinds: ClassVar[frozenset[str]] = frozenset({"file"})
    grain: ClassVar[str] = "item"
    weight: float = 1.0

    def score(self, parts, task, workspace):
        print("printed in score")
        os.write(1, b"written in score\\n")
        BODY


@hookimpl
def satchel_scorers():
    return [Stranger]
"""


@pytest.fixture
def with_plugin(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, str]]:
    """Install a scorer whose method ends with the given line; return the environment that has it."""

    def install(body: str) -> dict[str, str]:
        folder = tmp_path_factory.mktemp("site")
        info = folder / "satchel_stranger-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: satchel-stranger\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[satchel]\nstranger = satchel_stranger\n")
        (folder / "satchel_stranger.py").write_text(SOURCE.replace("BODY", body))
        return {"PYTHONPATH": str(folder)}

    return install


WithPlugin = Callable[[str], dict[str, str]]


def test_what_a_plugin_prints_never_reaches_stdout(
    shop: Path, satchel_process: Satchel, with_plugin: WithPlugin
) -> None:
    env = with_plugin("return [0.5] * len(parts)")

    for _ in range(2):  # under supervision, then as one that has survived
        ended = satchel_process("pack", "login", "--root", str(shop), "--format", "json", env=env)

        assert "stranger" in json.loads(ended.stdout)["items"][0]["scores"]
        assert b"printed in score" in ended.stderr
        assert b"written in score" in ended.stderr


@pytest.mark.costly
@pytest.mark.parametrize(
    "body", ["raise ValueError('no')", "return [2.0] * len(parts)", "os._exit(0)", "os.abort()"]
)
def test_a_plugin_that_fails_costs_nothing_but_itself(
    body: str, shop: Path, satchel_process: Satchel, with_plugin: WithPlugin
) -> None:
    argv = ("pack", "login", "--root", str(shop), "--format", "json")
    without = json.loads(satchel_process(*argv).stdout)

    ended = satchel_process(*argv, "--strict", env=with_plugin(body))

    answer = json.loads(ended.stdout)
    assert ended.returncode == 3
    assert answer["text"] == without["text"]
    assert [problem["distribution"] for problem in answer["problems"]] == ["satchel-stranger"]
    assert b"satchel: problem: stranger (from satchel-stranger): score: " in ended.stderr


@pytest.mark.weekly
def test_without_strict_a_problem_is_no_failure(
    shop: Path, satchel_process: Satchel, with_plugin: WithPlugin
) -> None:
    ended = satchel_process("pack", "login", "--root", str(shop), env=with_plugin("raise ValueError"))

    assert ended.returncode == 0


@pytest.mark.weekly
def test_a_task_from_stdin_outlives_a_plugin_that_ends_the_process(
    shop: Path, satchel_process: Satchel, with_plugin: WithPlugin
) -> None:
    ended = satchel_process(
        "pack", "-", "--root", str(shop), "--format", "json", stdin=b"login", env=with_plugin("os._exit(7)")
    )

    assert json.loads(ended.stdout)["task"] == "login"


@pytest.mark.weekly
def test_a_plugin_is_seen_by_why_and_left_out_by_no_plugin(
    shop: Path, satchel_process: Satchel, with_plugin: WithPlugin
) -> None:
    env = with_plugin("return [0.5] * len(parts)")
    (shop / "satchel.toml").write_text("[scorer.stranger]\nweight = 2.5\n")
    argv = ("why", "src/app.py", "login", "--root", str(shop), "--format", "json")

    scores = {
        score["scorer"]: score for score in json.loads(satchel_process(*argv, env=env).stdout)["scores"]
    }
    without = json.loads(satchel_process(*argv, "--no-plugin", "stranger", env=env).stdout)["scores"]

    assert scores["stranger"]["distribution"] == "satchel-stranger"
    assert scores["stranger"]["weight"] == 2.5
    assert "stranger" not in {score["scorer"] for score in without}
