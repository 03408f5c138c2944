"""A call and its results are in one exchange; every message is in exactly one."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from tests.amounts import examples
from tests.core.formats import read

from satchel.conversation import exchanges_of, repair

from .drawn import documents


def roles(document: Any, form: str = "auto") -> list[list[str]]:
    return [[m.role for m in one.messages] for one in exchanges_of(read(document, form))]


def item(kind: str, id_: str = "a") -> dict[str, Any]:
    return {"type": kind, "call_id": id_, "name": "f", "arguments": "{}", "output": "r"}


CALLS = [{"id": id_, "type": "function", "function": {"name": "f", "arguments": "{}"}} for id_ in "ab"]


@settings(deadline=None, max_examples=examples(150))
@given(documents())
def test_no_exchange_parts_a_call_from_its_result(drawn: tuple[str, Any]) -> None:
    form, document = drawn
    conversation = repair(read(document, form)).conversation

    exchanges = exchanges_of(conversation)

    assert tuple(m for one in exchanges for m in one.messages) == conversation.messages
    assert len({one.id for one in exchanges}) == len(exchanges)
    for one in exchanges:
        called = sorted(block.id for m in one.messages for block in m.calls)
        assert called == sorted(block.id for m in one.messages for block in m.results)


def test_parallel_calls_and_their_results_are_one_exchange() -> None:
    results = [{"role": "tool", "tool_call_id": id_, "content": "r"} for id_ in "ba"]
    said = {"role": "assistant", "content": None, "tool_calls": CALLS}

    document = [{"role": "system", "content": "s"}, {"role": "user", "content": "q"}, said, *results]

    assert roles([*document, {"role": "user", "content": "q"}]) == [
        ["system"],
        ["user"],
        ["assistant", "tool", "tool"],
        ["user"],
    ]


def test_results_in_two_user_messages_of_anthropic_are_one_exchange() -> None:
    uses = [{"type": "tool_use", "id": id_, "name": "f", "input": {}} for id_ in "ab"]
    results = [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": id_}]} for id_ in "ab"]

    assert roles([{"role": "assistant", "content": uses}, *results]) == [["assistant", "tool", "tool"]]


def test_the_text_beside_a_result_is_an_exchange_of_its_own() -> None:
    use = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    answered = [{"type": "tool_result", "tool_use_id": "a"}, {"type": "text", "text": "and now?"}]

    found = roles([{"role": "assistant", "content": [use]}, {"role": "user", "content": answered}])

    assert found == [["assistant", "tool"], ["user"]]


def test_thoughts_calls_and_outputs_of_an_answer_in_items_are_one_exchange() -> None:
    thought = {"type": "reasoning", "summary": []}
    first = [thought, item("function_call"), item("function_call", "b")]
    outputs = [item("function_call_output"), item("function_call_output", "b")]
    second = [thought, {"type": "message", "role": "assistant", "content": "a"}]

    assert [len(one) for one in roles([*first, *outputs, *second])] == [5, 2]


def test_calls_one_after_the_other_are_exchanges_of_their_own() -> None:
    items = [item(kind, id_) for id_ in "ab" for kind in ("function_call", "function_call_output")]

    assert [len(one) for one in roles(items)] == [2, 2]


def test_ids_stay_while_messages_are_appended() -> None:
    document = [{"role": "user", "content": str(number)} for number in range(5)]

    before = [one.id for one in exchanges_of(read(document[:3]))]

    assert [one.id for one in exchanges_of(read(document))][:3] == before
