"""A provider's format that satchel has never heard of is read and written like the built-in ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.docs.pages import blocks, read

from .conftest import Satchel

Ask = Callable[..., str]

TURNS = [
    {"speaker": "human", "says": "What does the shop sell?", "mood": "curious"},
    {"speaker": "bot", "says": "", "calls": [{"id": "1", "tool": "read", "with": {"path": "shop.py"}}]},
    {"speaker": "tool", "says": "PRICES = {'tea': 3}\n" * 400, "answers": "1", "took": 0.2},
    {"speaker": "bot", "says": "Tea, for 3."},
    {"speaker": "human", "says": "And coffee?"},
]
TALK = json.dumps({"turns": TURNS, "model": "parley-1"})


@pytest.fixture
def plugin(tmp_path: Path) -> str:
    """The plugin of the guide, as a file."""
    path = tmp_path / "satchel_parley.py"
    (code,) = (
        one.code for one in blocks(read("how-to/add-a-message-format"), "python") if one.file == path.name
    )
    path.write_text(code, "utf-8")
    return str(path)


@pytest.fixture
def ask(satchel: Satchel, tmp_path: Path) -> Ask:
    """Return a function that gives what a command prints that goes well."""

    def run(*words: str, given: str = TALK) -> str:
        done = satchel(*words, stdin=given.encode(), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout.decode()

    return run


def keep_only(kept: list[dict[str, Any]]) -> None:
    """Assert that all turns but the long result stand as they came, and that it is shorter."""
    own = [turn for turn in kept if "[satchel: " not in turn["says"]]
    (result,) = (turn for turn in own if turn["speaker"] == "tool")
    assert [turn for turn in own if turn is not result] == [*TURNS[:2], *TURNS[3:]]
    assert (result["answers"], result["took"]) == ("1", 0.2)
    assert len(result["says"]) < len(TURNS[2]["says"])


def test_compact_reads_and_writes_it(ask: Ask, plugin: str, tmp_path: Path) -> None:
    answer = json.loads(
        ask("compact", "--budget", "600", "--plugin", plugin, "--store", str(tmp_path / "kept"))
    )

    assert answer["model"] == "parley-1"
    keep_only(answer["turns"])


@pytest.mark.weekly
def test_a_request_that_grows_keeps_its_beginning(ask: Ask, plugin: str, tmp_path: Path) -> None:
    words = ("compact", "--budget", "900", "--plugin", plugin, "--store", str(tmp_path / "kept"))
    first = json.loads(ask(*words, "--state", "talk.state"))
    grown = {**json.loads(TALK), "turns": [*TURNS, {"speaker": "bot", "says": "No coffee."}]}

    second = json.loads(ask(*words, "--state", "talk.state", given=json.dumps(grown)))

    assert second["turns"] == [*first["turns"], grown["turns"][-1]]


def test_count_and_show_take_it_apart(ask: Ask, plugin: str) -> None:
    counted = json.loads(ask("count", "-", "--format", "json", "--plugin", plugin))
    shown = json.loads(ask("show", "-", "--format", "json", "--plugin", plugin))

    assert (counted["kind"], counted["messages"]) == ("parley", len(TURNS))
    assert shown["source"] == "parley"
    assert shown["tokens"] == counted["tokens"]


def test_a_session_takes_it_and_its_window_is_written_for_any_provider(
    ask: Ask, plugin: str, tmp_path: Path
) -> None:
    place = ("--session", "talk", "--store", str(tmp_path / "sessions"))
    ask("session", "import", *place, "--plugin", plugin)
    window = ("session", "window", *place, "--budget", "9000", "--plugin", plugin)

    own = json.loads(ask(*window, given=""))
    other = json.loads(ask(*window, "--format", "anthropic", given=""))

    turns = own["turns"] if isinstance(own, dict) else own
    assert [turn for turn in turns if "mood" in turn or "took" in turn] == [TURNS[0], TURNS[2]]
    assert [block["type"] for block in other["messages"][1]["content"]] == ["tool_use"]
    assert other["messages"][2]["content"][0]["tool_use_id"] == "1"


def test_without_the_plugin_the_error_says_what_is_missing(satchel: Satchel, tmp_path: Path) -> None:
    done = satchel("compact", "--budget", "600", "--format", "parley", stdin=TALK.encode(), cwd=tmp_path)

    assert done.returncode == 2
    assert "no format is called 'parley'" in done.stderr.decode()
    assert "known: anthropic, auto, ollama, openai, responses" in done.stderr.decode()
