"""Settings of a window: what is chosen keeps the shares, the margin stays empty."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from satchel import ConfigError, Host, compact
from satchel.compaction import allocate, contributor_shares, division_of
from satchel.config import Config, load

HOST = Host.installed(deadline_seconds=None)
BUDGET = 6_000


def work(steps: int) -> list[dict[str, Any]]:
    """Return what an agent did: it reads a file in each step and says something."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "find the bug in the parser"}]
    for step in range(steps):
        given = json.dumps({"path": f"src/part_{step}.py"})
        call = {"id": f"c{step}", "type": "function", "function": {"name": "read", "arguments": given}}
        text = "\n".join(f"def name_{step}_{line}(value_{line}): return {line}" for line in range(40))
        said = f"Part {step} parses field_{step}; next is part {step + 1}. " * 6
        messages.append({"role": "assistant", "content": said, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{step}", "content": text})
    return messages


def spent(config: Config) -> tuple[dict[str, int], dict[str, int], int]:
    window = compact(work(30), budget=BUDGET, host=HOST, config=config)
    told = window.report["allocation"]
    assert window.tokens <= BUDGET
    return told["used"], told["caps"], told["margin"]


@pytest.mark.weekly
def test_what_is_chosen_keeps_the_shares_that_are_set() -> None:
    free, _, _ = spent(Config())
    few, caps, _ = spent(Config(window_shares={"results": 0.2, "dialog": 0.6}))
    many, _, _ = spent(Config(window_shares={"results": 0.8, "dialog": 0.1, "context": 0.0}))

    assert few["results"] <= caps["results"] < free["results"]
    assert few["results"] < many["results"]
    assert many["dialog"] < few["dialog"]


def test_the_margin_stays_empty() -> None:
    used, caps, margin = spent(Config(window_margin=0.25))

    assert margin == BUDGET // 4
    assert sum(used.values()) <= BUDGET - margin == sum(caps.values())


def test_settings_change_floors_and_contributors() -> None:
    config = Config(window_floors={"system": 3_000}, window_contributors={"map": 0.9})
    made = allocate(10_000, {}, division=division_of(config))

    assert made.caps["system"] > allocate(10_000, {}).caps["system"]
    shares = contributor_shares(0, 1_000, division_of(config).contributors)
    assert sum(shares.values()) == pytest.approx(1)
    assert max(shares, key=lambda name: shares[name]) == "map"


def test_a_workspace_may_set_them_and_mistakes_are_named(tmp_path: Path) -> None:
    path = tmp_path / "satchel.toml"
    path.write_text("[window]\nshares = {results = 0.4}\nmargin = 0.1\nhalf_life = 60\n")
    read = load(tmp_path, env={"SATCHEL_WINDOW_FLOORS": "dialog=9"}, user_file=tmp_path / "none")

    assert (dict(read.window_shares), read.window_margin, read.half_life) == ({"results": 0.4}, 0.1, 60.0)
    assert dict(read.window_floors) == {"dialog": 9.0}
    path.write_text("[window]\nshares = {resluts = 0.4}\nmargin = 2\n")
    with pytest.raises(ConfigError, match="did you mean results"):
        load(tmp_path, env={}, user_file=tmp_path / "none")
