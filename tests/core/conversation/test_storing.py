"""Messages go through a state file and come back as they were."""

from __future__ import annotations

import json
from typing import Any

import attrs
import pytest
from hypothesis import given, settings

from satchel import ConversationError
from satchel.conversation import read, repair, structure_messages, unstructure_messages, write

from .drawn import documents


@settings(deadline=None)
@given(documents())
def test_stored_messages_are_written_as_they_came(drawn: tuple[str, Any]) -> None:
    form, document = drawn
    found = read(document, form)

    back = structure_messages(json.loads(json.dumps(unstructure_messages(found.messages))))

    assert back == found.messages
    assert write(attrs.evolve(found, messages=back)) == document


@settings(deadline=None)
@given(documents())
def test_changed_messages_are_written_alike_after_a_state_file(drawn: tuple[str, Any]) -> None:
    found = repair(read(drawn[1], drawn[0])).conversation

    back = structure_messages(json.loads(json.dumps(unstructure_messages(found.messages))))

    assert write(attrs.evolve(found, messages=back)) == write(found)


@pytest.mark.parametrize(
    "value",
    [
        {},
        5,
        {"read": None, "role": 7, "other": 1},
        {"read": [9], "role": "user"},
        {"read": None, "blocks": "x"},
    ],
)
def test_values_of_another_kind_are_refused(value: Any) -> None:
    with pytest.raises(ConversationError, match="stored message 0"):
        structure_messages([value])
