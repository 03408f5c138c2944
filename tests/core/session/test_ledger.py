"""The ledger: what tool calls of any provider did, kept small."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.formats import read

from satchel.plugin_api import Block, BlockKind, Message
from satchel.session import Ledger, list_paths_used


def called(name: str, **given: Any) -> Message:
    """Return a message that calls a tool."""
    return Message("assistant", [Block(BlockKind.CALL, json.dumps(given), name, "c")])


@pytest.mark.parametrize(
    ("message", "kind", "what"),
    [
        (called("read_file", path="a.py"), "read", "a.py"),
        (called("view", file_path="./a.py"), "read", "a.py"),
        (called("str_replace_editor", path="a.py", old="x"), "edited", "a.py"),
        (called("writeFile", filePath="a.py"), "edited", "a.py"),
        (called("Bash", command="pytest  -q"), "ran", "pytest -q"),
        (called("run_tests", cmd="make test"), "ran", "make test"),
    ],
)
def test_what_a_tool_does_is_told_by_its_name(message: Message, kind: str, what: str) -> None:
    assert Ledger().after([message]).as_json()[kind] == {what: 1}


@pytest.mark.parametrize(
    "message",
    [called("think", path="a.py"), called("read_file", path=3), called("read_file"), Message("user", "hi")],
)
def test_what_is_not_recognised_is_not_recorded(message: Message) -> None:
    assert Ledger().after([message]) == Ledger()


def test_calls_of_other_providers_are_recognised() -> None:
    block = {"type": "tool_use", "id": "t", "name": "read_file", "input": {"path": "a.py"}}
    anthropic = read([{"role": "assistant", "content": [block]}])
    function = {"name": "read_file", "arguments": {"path": "a.py"}}
    ollama = read([{"role": "assistant", "content": "", "tool_calls": [{"function": function}]}])

    assert [list_paths_used(one.messages) for one in (anthropic, ollama)] == [["a.py"], ["a.py"]]


def test_times_are_counted_and_the_newest_stand_last() -> None:
    names = ["a.py", "b.py", "a.py"]

    ledger = Ledger().after([called("read_file", path=name) for name in names])

    assert dict(ledger.read) == {"b.py": 1, "a.py": 2}
    assert ledger.texts()[0] == "Files read: b.py, a.py (2 times)\n"


def test_a_long_ledger_is_cut_to_its_newest() -> None:
    ledger = Ledger().after([called("read_file", path=f"f{number}.py") for number in range(500)])

    assert (len(ledger.read), list(ledger.read)[-1]) == (120, "f499.py")
    assert [text.count(".py") for text in ledger.texts()] == [40, 10, 3]


def test_arguments_that_are_no_json_are_passed_over() -> None:
    message = Message("assistant", [Block(BlockKind.CALL, "[" * 100_000, "read_file", "c")])

    assert Ledger().after([message]) == Ledger()


@given(
    st.dictionaries(st.text(max_size=9), st.integers(1, 9), max_size=5),
    st.lists(st.text(max_size=9), max_size=5),
)
def test_a_ledger_comes_back_from_json_as_it_was(names: dict[str, int], steps: list[str]) -> None:
    ledger = Ledger(names, names, names, tuple(steps))

    assert Ledger.from_json(json.loads(json.dumps(ledger.as_json()))) == ledger
