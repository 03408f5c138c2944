"""`show` and `report` say the same of a window."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.core.report.foreign_sessions import claude, codex, pi
from tests.processes import run_satchel

import satchel_plugins
from satchel import Host
from satchel.config import Config
from satchel.report import ReportRequest, open_page

CALLS = [
    {"role": "system", "content": "You are an agent."},
    {"role": "user", "content": "Fix the login"},
]
for at, (name, arguments) in enumerate(
    [
        ("read", {"path": "shop/login.py"}),
        ("str_replace_editor", {"command": "view", "path": "shop/login.py"}),
        ("str_replace_editor", {"command": "str_replace", "path": "shop/login.py"}),
        ("bash", {"command": "make test"}),
    ]
):
    told = {
        "id": f"c{at}",
        "type": "function",
        "function": {"name": name, "arguments": json.dumps(arguments)},
    }
    CALLS += [
        {"role": "assistant", "content": "I look." if at % 2 else None, "tool_calls": [told]},  # type: ignore[dict-item]
        {"role": "tool", "tool_call_id": f"c{at}", "content": f"line {at}\n" * (90 * at + 40)},
    ]
TOOLS = [
    {"type": "function", "function": {"name": one, "description": "what it does " * 40, "parameters": {}}}
    for one in ("read", "bash", "web")
]


def shown(data: bytes, tmp_path: Path) -> dict[str, Any]:
    env = {**os.environ, "SATCHEL_STATE_DIR": f"{tmp_path}/state"}
    done = run_satchel(["show", "-", "--format", "json"], given=data, env=env, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.costly
@pytest.mark.parametrize(
    "data",
    [claude(), codex(), pi(), json.dumps({"messages": CALLS, "tools": TOOLS}).encode()],
    ids=["claude", "codex", "pi", "openai"],
)
def test_a_page_has_the_sections_and_the_window_that_show_has(data: bytes, tmp_path: Path) -> None:
    told = shown(data, tmp_path)

    page = open_page(
        data, ReportRequest(), host=Host.of(satchel_plugins, deadline_seconds=None), config=Config()
    )

    assert page.used == told["tokens"] == sum(told["sections"].values())
    assert page.sections == told["sections"]
    if page.window_name == "window":
        assert page.window == told["window"]


def test_what_a_compaction_took_away_is_not_in_the_window(tmp_path: Path) -> None:
    told = shown(claude(), tmp_path)

    assert [piece["what"] for piece in told["pieces"] if piece["section"] == "dialog"] == [
        "user: This session goes on: the login was fixed. and now the logout",
        "assistant: looking",
    ]
    assert [turn["compacted"] for turn in told["turns"]] == [False, False, True]
