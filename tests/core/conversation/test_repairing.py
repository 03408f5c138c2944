"""A broken history becomes one that its provider takes, and a sound one is left as it is."""

from __future__ import annotations

import copy
import time
from typing import Any

import pytest
from hypothesis import given, settings
from tests.amounts import examples, sized
from tests.core.formats import read

from satchel.conversation import Repaired, flaws_of, repair, write

from .drawn import documents


def call(id_: str, name: str = "f") -> dict[str, Any]:
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": "{}"}}


def asking(*ids: str) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": [call(id_) for id_ in ids]}


def answer(id_: str, text: str = "r") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id_, "content": text}


USER = {"role": "user", "content": "q"}
SAID = {"role": "assistant", "content": "a"}


def use(*ids: str) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": id_, "name": "f", "input": {}} for id_ in ids],
    }


def result(*ids: str) -> dict[str, Any]:
    return {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": id_, "content": "r"} for id_ in ids],
    }


def repaired(document: Any, form: str = "auto") -> tuple[Any, list[str]]:
    """Return what is written after repair, and the rules that were broken."""
    found = repair(read(document, form))
    return write(found.conversation), [flaw.rule for flaw in found.flaws]


@settings(deadline=None, max_examples=examples(200))
@given(documents())
def test_what_was_repaired_has_no_flaw_and_needs_no_repair(drawn: tuple[str, Any]) -> None:
    form, document = drawn
    before = copy.deepcopy(document)

    once = repair(read(document, form)).conversation

    assert flaws_of(once) == []
    assert repair(once) == Repaired(once, [])
    assert flaws_of(read(write(once), form)) == []
    assert document == before


@settings(deadline=None, max_examples=examples(150))
@given(documents())
def test_what_has_no_flaw_stays_the_same_object(drawn: tuple[str, Any]) -> None:
    form, document = drawn
    conversation = read(document, form)

    found = repair(conversation)

    assert bool(found.flaws) is bool(flaws_of(conversation))
    assert found.flaws or found.conversation is conversation


@settings(deadline=None, max_examples=examples(200))
@given(documents("openai"))
def test_nothing_that_a_result_says_is_lost(drawn: tuple[str, Any]) -> None:
    conversation = read(drawn[1], "openai")

    written = read(write(repair(conversation).conversation), "openai")

    said = [block.text.rstrip() for message in conversation.messages for block in message.results]
    left = "\n".join(message.text for message in written.messages)
    assert all(text in left for text in said)


@pytest.mark.parametrize(
    ("broken", "sound", "rule"),
    [
        ([USER, asking("a"), USER, answer("a")], [USER, asking("a"), answer("a"), USER], "result_order"),
        ([USER, answer("a"), asking("a")], [USER, asking("a"), answer("a")], "result_order"),
        (
            [asking("a"), answer("a"), asking("a"), answer("a", "s")],
            [asking("a"), answer("a"), asking("a_2"), answer("a_2", "s")],
            "duplicate_id",
        ),
        ([asking(""), answer("")], [asking("call_satchel_2"), answer("call_satchel_2")], "missing_id"),
        ([asking("a"), {"role": "tool", "content": "r"}], [asking("a"), answer("a")], "missing_id"),
        (
            [asking("a"), asking("b"), answer("a"), answer("b")],
            [asking("a"), answer("a"), asking("b"), answer("b")],
            "result_order",
        ),
        ([asking("a"), answer("a"), answer("a")], [asking("a"), answer("a")], "orphan_result"),
        ([use("a", "b"), result("b"), result("a")], None, "alternation"),
        ([USER, {"role": "assistant", "content": ""}, USER], [USER, USER], "empty"),
        ([USER, {**SAID, "tool_calls": []}], [USER, SAID], "empty"),
    ],
)
def test_each_break_is_repaired_and_told(broken: Any, sound: Any, rule: str) -> None:
    written, rules = repaired(broken)

    assert rule in rules
    assert sound is None or written == sound


def test_a_missing_result_is_put_in_and_says_so() -> None:
    written, rules = repaired([USER, asking("a", "b"), answer("b"), USER])

    assert rules == ["missing_result"]
    assert [m.get("tool_call_id") for m in written[2:4]] == ["b", "a"]
    assert written[3]["content"].startswith("[satchel")


def test_a_missing_result_of_anthropic_is_an_error_in_the_message_that_follows() -> None:
    written, _ = repaired([USER, use("a"), USER], "anthropic")

    assert [message["role"] for message in written] == ["user", "assistant", "user"]
    assert written[2]["content"][0]["tool_use_id"] == "a"
    assert written[2]["content"][0]["is_error"] is True
    assert written[2]["content"][1] == {"type": "text", "text": "q"}


def test_an_orphaned_result_becomes_text_of_the_user() -> None:
    written, rules = repaired([USER, answer("zz", "12 tests failed")])

    assert rules == ["orphan_result"]
    assert written[1]["role"] == "user"
    assert written[1]["content"].endswith("12 tests failed")


def test_results_of_calls_that_the_provider_keeps_stay() -> None:
    document = {
        "previous_response_id": "resp",
        "input": [{"type": "function_call_output", "call_id": "a", "output": "r"}],
    }

    assert repaired(document) == (document, [])


def test_arguments_that_are_no_json_are_kept_as_a_text() -> None:
    broken = asking("a")
    broken["tool_calls"][0]["function"]["arguments"] = '{"path": "a'

    written, rules = repaired([broken, answer("a")])

    assert rules == ["arguments"]
    assert written[0]["tool_calls"][0]["function"]["arguments"] == '{"text": "{\\"path\\": \\"a"}'


def test_roles_of_anthropic_alternate_after_repair() -> None:
    said = {"role": "assistant", "content": "a"}

    written, _ = repaired(
        [said, said, USER, {"role": "user", "content": [{"type": "text", "text": "r"}]}], "anthropic"
    )

    assert [message["role"] for message in written] == ["user", "assistant", "user"]
    assert [part["text"] for part in written[2]["content"]] == ["q", "r"]


def test_a_system_message_inside_of_anthropic_stays_where_it_is() -> None:
    told = {"role": "system", "content": "be brief"}
    request = {"system": "be kind", "messages": [USER, told, told, {"role": "assistant", "content": "yes"}]}

    written, rules = repaired(request, "anthropic")

    assert (written, rules) == (request, [])


def test_white_space_at_the_end_of_the_last_answer_goes() -> None:
    written, rules = repaired([USER, {"role": "assistant", "content": "The answer is: "}], "anthropic")

    assert rules == ["trailing_space"]
    assert written[1]["content"] == "The answer is:"


def test_thoughts_that_no_answer_follows_are_left_out() -> None:
    thought = {"type": "reasoning", "id": "rs", "summary": []}

    written, rules = repaired([{"role": "user", "content": "q"}, thought], "responses")

    assert (written, rules) == ([{"role": "user", "content": "q"}], ["dangling_thinking"])


def test_a_screenshot_that_is_missing_is_not_made_up() -> None:
    shot = {"type": "computer_call", "call_id": "a", "action": {"type": "screenshot"}}

    assert repaired([USER, shot, USER], "responses")[0] == [USER, USER]


def test_results_of_ollama_belong_to_calls_by_name_and_order() -> None:
    calls: list[Any] = [{"function": {"name": name, "arguments": {}}} for name in ("f", "g", "f")]
    results = [
        {"role": "tool", "content": str(n), "tool_name": name} for n, name in enumerate(("g", "f", "f"))
    ]
    document = [{"role": "assistant", "content": "", "tool_calls": calls}, *results]

    assert repaired(document) == (document, [])
    assert repaired(document[:3])[1] == ["missing_result"]


def test_a_flaw_is_a_problem_that_names_the_message() -> None:
    (flaw,) = repair(read([USER, answer("zz")])).flaws

    assert str(flaw.problem).startswith("conversation: repair: messages[1]: result 'zz' has no call")


BROKEN = {
    "one id for all": lambda n: [asking(*["a"] * n), *[answer("a")] * n],
    "results before calls": lambda n: [
        *(answer(f"{i}") for i in range(n)),
        *(asking(f"{i}") for i in range(n)),
    ],
    "calls, then results": lambda n: [
        *(asking(f"{i}") for i in range(n)),
        *(answer(f"{i}") for i in range(n)),
    ],
    "no ids": lambda n: [asking(*[""] * n), *[{"role": "tool", "content": "r"}] * n],
    "the same call unanswered": lambda n: [asking("a")] * n,
}


@pytest.mark.costly
@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_repair_takes_linear_time(broken: Any) -> None:
    conversation = read(broken(sized(8_000)))

    begun = time.process_time()
    repair(conversation)

    # quadratic work takes minutes here
    assert time.process_time() - begun < 8
