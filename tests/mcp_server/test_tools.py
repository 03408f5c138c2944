"""What a model passes to a tool is taken if its meaning is clear, and else refused with how to mend it."""

from __future__ import annotations

from typing import Any

import pytest

from satchel import UsageError
from satchel.mcp_server.answers import TOOLS, check_arguments, find_tool


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ({"task": "x", "budget": "8k"}, {"task": "x", "budget": 8_000}),
        ({"task": "x", "budget": 500.0}, {"task": "x", "budget": 500}),
        ({"task": "x", "budget": "1,500", "since": None}, {"task": "x", "budget": 1_500}),
        ({"task": "x", "pins": "a.py"}, {"task": "x", "pins": ["a.py"]}),
        ({"task": "x", "pins": ["a.py", "b.py:1-2"]}, {"task": "x", "pins": ["a.py", "b.py:1-2"]}),
    ],
)
def test_what_is_clear_is_taken(given: dict[str, Any], taken: dict[str, Any]) -> None:
    assert check_arguments(find_tool("pack"), given) == taken


@pytest.mark.parametrize(
    ("tool", "given", "says"),
    [
        ("pack", {}, "'task' is missing"),
        ("pack", {"task": "  "}, "'task' is empty"),
        ("pack", {"tasks": "x"}, "did you mean 'task'"),
        ("pack", {"task": "x", "zzz": 1}, "It takes task, budget, pins"),
        ("pack", {"task": ["x"]}, "must be a string"),
        ("pack", {"task": "x", "budget": 0}, "whole number from 1 up, not 0"),
        ("pack", {"task": "x", "budget": True}, "whole number"),
        ("pack", {"task": "x", "budget": "many"}, "whole number"),
        ("pack", {"task": "x", "pins": [1]}, "list of strings"),
        ("expand", {"pointer": "a.py", "level": "ful"}, "Did you mean 'full'"),
        ("search", {"query": "x", "limit": 1_000}, "from 1 to 100"),
        ("count", {"messages": "hello"}, "list of objects"),
    ],
)
def test_what_is_wrong_is_refused_with_how_to_mend_it(tool: str, given: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError) as raised:
        check_arguments(find_tool(tool), given)

    assert says in str(raised.value)
    assert str(raised.value).startswith(tool)
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize(
    ("tool", "given", "taken"),
    [
        ("search", {"words": "x"}, {"query": "x"}),
        ("expand", {"path": "a.py"}, {"pointer": "a.py"}),
        ("why", {"path": "a.py", "task": "x"}, {"ref": "a.py", "task": "x"}),
        ("squeeze", {"output": "x"}, {"text": "x"}),
        ("count", {"path": "a.py"}, {"pointer": "a.py"}),
    ],
)
def test_a_well_known_other_name_is_understood(
    tool: str, given: dict[str, Any], taken: dict[str, Any]
) -> None:
    assert check_arguments(find_tool(tool), given) == taken


def test_a_tool_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(UsageError, match="did you mean search") as raised:
        find_tool("serch")

    assert all(tool.name in str(raised.value) for tool in TOOLS)


def test_every_required_argument_is_described() -> None:
    assert [
        (tool.name, name)
        for tool in TOOLS
        for name in tool.required
        if "description" not in tool.properties[name]
    ] == []
