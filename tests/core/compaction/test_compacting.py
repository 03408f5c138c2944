"""`compact` fits a conversation into a budget and says what it did."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import attrs
import pytest

import satchel_plugins
from satchel import (
    BudgetError,
    Host,
    PluginError,
    Problem,
    UnknownNameError,
    UsageError,
    Window,
    compact,
    hookimpl,
)
from satchel.config import Config
from satchel.plugin_api import Level, Message, Task
from satchel.pointers import parse
from satchel.shared_archive import open_archive

from .talks import step, talk

HOST = Host.installed(deadline_seconds=None)


def compacted(messages: Any, budget: int, store: Path, **asked: Any) -> Window:
    return compact(messages, budget=budget, store=store, **{"host": HOST, **asked})


def test_a_conversation_that_fits_is_not_changed(tmp_path: Path) -> None:
    window = compacted(talk(2), 50_000, tmp_path)

    assert window.messages == talk(2)
    assert window.cut == ()


def test_a_long_one_is_cut_to_its_budget_and_fills_it(tmp_path: Path) -> None:
    window = compacted(talk(), 4_000, tmp_path)

    assert 3_600 < window.tokens <= 4_000
    assert window.messages[:2] == talk()[:2]
    assert window.messages[-2:] == talk()[-2:]


def test_what_the_task_names_stays(tmp_path: Path) -> None:
    window = compacted(talk(), 3_000, tmp_path)

    assert any("def load_3_7()" in str(message.get("content")) for message in window.messages)


@pytest.mark.parametrize("named", [1, 4])
def test_what_was_looked_up_by_a_name_that_was_said_last_stays(tmp_path: Path, named: int) -> None:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Please move my orders to another day."}]
    for number in range(8):
        arguments = json.dumps({"order_id": f"ORD7{number}X"})
        call = {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": "get_order", "arguments": arguments},
        }
        lines = [{"sku": f"SKU{number}0{at}", "note": "two tents " * 9} for at in range(5)]
        order = json.dumps({"order_id": f"ORD7{number}X", "lines": lines})
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": order},
        ]
    messages += [
        {"role": "assistant", "content": f"Shall I begin with ORD7{named}X?"},
        {"role": "user", "content": "Yes, please."},
    ]

    window = compacted(messages, 700, tmp_path)

    shown = "".join(str(message.get("content")) for message in window.messages)
    assert [f"SKU{named}0{at}" for at in range(5) if f"SKU{named}0{at}" not in shown] == []
    assert sum(f"SKU{number}00" in shown for number in range(8)) < 8


def test_each_cut_expands_to_the_whole_text(tmp_path: Path) -> None:
    window = compacted(talk(), 3_000, tmp_path)
    cut = next(cut for cut in window.cut if cut.role == "tool")
    pointer = parse(cut.pointer)

    assert open_archive(tmp_path).lines(pointer.blob, *pointer.lines) == talk()[cut.index]["content"] + "\n"


def test_the_pointer_of_a_window_leads_to_all_that_was_cut(tmp_path: Path) -> None:
    window = compacted(talk(), 3_000, tmp_path)
    whole = open_archive(tmp_path).get(window.pointer.removeprefix("blob:"))

    assert all(talk()[cut.index]["content"] in whole for cut in window.cut if cut.role == "tool")
    assert window.report["pointer"] == window.pointer
    assert compacted(talk(2), 50_000, tmp_path).pointer == ""


def test_marks_say_so_where_nothing_can_be_archived(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    window = compacted(talk(), 3_000, blocked)

    assert "[satchel not archived]" in str(window.messages)
    assert [problem.plugin for problem in window.problems] == ["archive"]


def test_a_pin_stays_whole_by_index_and_by_text(tmp_path: Path) -> None:
    by_index = compacted(talk(), 3_000, tmp_path, pins=[5])
    by_text = compacted(talk(), 3_000, tmp_path, pins=["load_1_39"])

    assert talk()[5] in by_index.messages
    assert talk()[5] in by_text.messages


def test_a_pin_that_names_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no message 99, the last is 41"):
        compacted(talk(), 3_000, tmp_path, pins=[99])


def test_promises_that_do_not_fit_are_named_dearest_first(tmp_path: Path) -> None:
    with pytest.raises(BudgetError, match=r"the budget is 60: message 1 \(user\)"):
        compacted(talk(2, asked="word " * 500), 60, tmp_path)


def test_what_does_not_fit_costs_more_than_the_budget_in_all(tmp_path: Path) -> None:
    said = [{"role": "user", "content": "go on"}, {"role": "assistant", "content": "It is done."}]
    refused = []
    for budget in range(1, 20):
        try:
            compacted([*said * 20, said[0]], budget, tmp_path)
        except BudgetError as error:
            refused.append((budget, sum(cost for _, cost in error.costs)))

    assert refused
    assert [(budget, costs) for budget, costs in refused if costs <= budget] == []


def test_a_newest_request_that_is_too_long_is_cut_inside(tmp_path: Path) -> None:
    long = {"role": "user", "content": "\n".join(f"line {number}" for number in range(900))}
    window = compacted([*talk(3), long], 600, tmp_path)

    said = window.messages[-1]["content"]
    assert said.startswith("line 0\n")
    assert said.endswith("line 899")
    assert "[satchel" in said


def test_a_result_that_is_longer_than_the_window_is_cut_inside(tmp_path: Path) -> None:
    window = compacted([*talk(3), *step(3, lines=3_000)], 3_000, tmp_path)

    assert window.messages[-1]["tool_call_id"] == "c3"
    assert window.tokens <= 3_000


def test_a_file_that_was_read_twice_stands_once_in_its_newest_reading(tmp_path: Path) -> None:
    first = talk(1)
    again = [
        {**first[2], "tool_calls": [{**first[2]["tool_calls"][0], "id": "x"}]},
        {**first[3], "tool_call_id": "x"},
    ]
    messages = [*first, *again, *talk(20)[4:]]
    window = compacted(messages, 3_000, tmp_path)
    lines = [
        line for m in window.messages for line in str(m.get("content")).split("\n") if "def load_0_" in line
    ]

    assert len(lines) == len(set(lines))


def test_a_compressor_masks_results_and_keeps_calls(tmp_path: Path) -> None:
    window = compacted(talk(), 3_000, tmp_path, compressor="mask")
    results = [m["content"] for m in window.messages if m["role"] == "tool"]

    assert all((said.startswith("[satchel ") and "\n" not in said) or "def " in said for said in results)
    assert any("\n" not in said for said in results)


def test_a_summary_stands_for_what_was_left_out(tmp_path: Path) -> None:
    window = compacted(talk(), 3_000, tmp_path, compressor="summarize")

    assert any("left-out steps" in str(message["content"]) for message in window.messages)


@attrs.frozen
class Loud:
    """A compressor that answers with something else than asked."""

    name: ClassVar[str] = "loud"

    def compress(self, exchanges: Any, target: int, tokenizer: Any) -> Any:
        return "no message"


@attrs.frozen
class Silent:
    name: ClassVar[str] = "silent"

    def compress(self, exchanges: Any, target: int, tokenizer: Any) -> Any:
        raise ValueError("no model")


@attrs.frozen
class Long:
    name: ClassVar[str] = "long"

    def compress(self, exchanges: Any, target: int, tokenizer: Any) -> Any:
        return Message("user", "words " * 9_000)


@attrs.frozen
class Greedy:
    name: ClassVar[str] = "greedy"

    def pack(self, candidates: Any, budget: int) -> Any:
        return "all"


@attrs.frozen
class Asked:
    """A compressor that repeats the task, to show that it was told."""

    name: ClassVar[str] = "asked"
    levels: ClassVar[frozenset[Level]] = frozenset({Level.FULL})
    share: ClassVar[float] = 0.15

    def compress(self, exchanges: Any, target: int, tokenizer: Any, task: Task) -> Message:
        return Message("user", f"[asked for: {task.text[:60]}]")


@attrs.frozen
class Older:
    """A compressor as they were before there was a task."""

    name: ClassVar[str] = "older"
    levels: ClassVar[frozenset[Level]] = frozenset({Level.FULL})
    share: ClassVar[float] = 0.15

    def compress(self, exchanges: Any, target: int, tokenizer: Any) -> Message:
        return Message("user", f"[{len(exchanges)} left out]")


@attrs.frozen
class Variadic:
    name: ClassVar[str] = "variadic"
    levels: ClassVar[frozenset[Level]] = frozenset({Level.FULL})
    share: ClassVar[float] = 0.15

    def compress(self, *args: Any) -> Message:
        return Message("user", f"[{len(args)} arguments]")


class Others:
    @hookimpl
    def satchel_compressors(self) -> list[type]:
        return [Loud, Silent, Long, Asked, Older, Variadic]

    @hookimpl
    def satchel_packers(self) -> list[type]:
        return [Greedy]


@pytest.mark.parametrize("name", ["loud", "silent", "long"])
def test_a_compressor_that_fails_is_a_problem_and_no_more(name: str, tmp_path: Path) -> None:
    host = Host.of(satchel_plugins, Others(), deadline_seconds=None)
    window = compacted(talk(), 3_000, tmp_path, host=host, compressor=name)

    assert window.tokens <= 3_000
    assert name in {problem.plugin for problem in window.problems}


@pytest.mark.weekly
def test_a_shared_host_carries_no_problem_of_before_into_an_answer(tmp_path: Path) -> None:
    host = Host.of(satchel_plugins, Others(), deadline_seconds=None)
    failed = compacted(talk(), 3_000, tmp_path, host=host, compressor="loud")
    host.problems.append(Problem("old", "score", "failed then"))

    again = compacted(talk(), 3_000, tmp_path, host=host)

    assert len(failed.problems) > 1
    assert [problem.plugin for problem in again.problems] == ["loud"]
    assert "off for the rest of the run" in again.problems[0].error


@pytest.mark.costly
@pytest.mark.parametrize("name", ["loud", "silent", "long"])
def test_where_a_compressor_fails_the_one_without_a_model_is_asked(name: str, tmp_path: Path) -> None:
    host = Host.of(satchel_plugins, Others(), deadline_seconds=None)
    window = compacted(talk(), 3_000, tmp_path, host=host, compressor=name)

    assert any("left-out steps" in str(message["content"]) for message in window.messages)


@pytest.mark.costly
@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize(
    ("name", "task", "said"),
    [
        ("asked", "find the typo", "[asked for: find the typo]"),
        ("asked", "", "[asked for: "),
        ("older", "find the typo", " left out]"),
        ("variadic", "find the typo", "[4 arguments]"),
    ],
)
def test_a_compressor_is_told_the_task_where_it_takes_one(
    name: str, task: str, said: str, tmp_path: Path, *, trusted: bool
) -> None:
    distribution = "satchel" if trusted else "satchel-others"
    others = SimpleNamespace(__name__=distribution, satchel_compressors=Others().satchel_compressors)
    host = Host.of(satchel_plugins, others, deadline_seconds=None)
    window = compacted(talk(), 3_000, tmp_path, host=host, compressor=name, task=task)

    assert window.problems == ()
    assert any(said in str(message["content"]) for message in window.messages)


@pytest.mark.parametrize("budget", [0, -1, True, 1.5, "4k"])
def test_a_budget_must_be_a_whole_number(budget: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="whole number"):
        compacted(talk(), budget, tmp_path)


def test_an_unknown_compressor_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="no compressor is called 'hybird'; did you mean 'hybrid'"):
        compacted(talk(), 3_000, tmp_path, compressor="hybird")


def test_the_configured_strategy_and_compressor_work_where_none_is_asked_for(tmp_path: Path) -> None:
    config = Config(strategy="recent", compressor="truncate")

    by_settings = compacted(talk(), 3_000, tmp_path, config=config)
    by_name = compacted(talk(), 3_000, tmp_path, strategy="recent", compressor="truncate")
    usual = compacted(talk(), 3_000, tmp_path)

    assert by_settings.messages == by_name.messages != usual.messages
    assert compacted(
        talk(), 3_000, tmp_path, config=config, strategy="hybrid", compressor="hybrid"
    ).messages == (usual.messages)


def test_reported_usage_makes_the_budget_the_providers(tmp_path: Path) -> None:
    messages = talk()
    messages[-2] = {**messages[-2], "usage": {"prompt_tokens": 20_000}}

    assert compacted(messages, 4_000, tmp_path).tokens < compacted(talk(), 4_000, tmp_path).tokens


def test_a_chosen_packer_that_breaks_its_contract_is_an_error(tmp_path: Path) -> None:
    host = Host.of(satchel_plugins, Others(), deadline_seconds=None)
    with pytest.raises(PluginError, match="greedy"):
        compacted(talk(), 3_000, tmp_path, host=host, strategy="greedy")
