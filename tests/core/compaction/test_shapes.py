"""However odd a conversation is, a window that its provider takes comes of it, or an error of one line."""

from __future__ import annotations

import contextlib
import json
import time
from pathlib import Path
from typing import Any

import pytest
from tests.core.formats import read

from satchel import BudgetError, ConversationError, Host, SatchelError, State, Window, compact
from satchel.conversation import flaws_of

from .shapes.blocks import BLOCKS
from .shapes.chat import CHAT
from .shapes.items import ITEMS
from .shapes.local import LOCAL

_OF_FORMAT: dict[str, dict[str, Any]] = {
    "openai": CHAT,
    "anthropic": BLOCKS,
    "responses": ITEMS,
    "ollama": LOCAL,
}
UNREADABLE = {
    ("openai", "ids that are numbers"): "messages[2].tool_calls[0].id: expected a text, not a number",
    ("openai", "arguments as an object"): "messages[2].tool_calls[0].function: not JSON",
    ("openai", "no function"): "messages[2].tool_calls[0].function: expected an object, not null",
    ("openai", "calls that are a word"): "messages[2].tool_calls: expected a list, not a text",
    ("openai", "calls that are an object"): "messages[2].tool_calls: expected a list, not an object",
    ("openai", "calls that are junk"): "messages[2].tool_calls[0]: expected an object, not null",
    ("openai", "a custom tool without input"): "messages[2].tool_calls[0].function: expected an object",
    ("openai", "contents that are not texts"): "messages[2].content: expected a text, a list or null",
    ("openai", "a content that is an object"): "messages[2].content: expected a text, a list or null",
    ("openai", "contents in contents"): "messages[2].content[0]: expected an object, not a list",
    ("openai", "deep contents"): "messages[2].content[0]: expected an object, not a list",
    ("openai", "no role"): "messages[2].role: expected one of system, developer, user, assistant",
    ("openai", "words"): "messages[0]: expected an object, not a text",
    ("openai", "a word"): "expected a list of messages or a request object, not a text",
    ("openai", "a number"): "expected a list of messages or a request object, not a number",
    ("openai", "nothing"): "expected a list of messages or a request object, not null",
    ("openai", "an empty request"): "expected a list of messages, or a request with 'messages' or 'input'",
    ("openai", "a request without a list"): "messages: expected a list, not null",
    ("openai", "a request with an object"): "messages: expected a list, not an object",
    ("anthropic", "an unknown block, nested deeply"): "new: nested too deeply",
    ("anthropic", "system is an object"): "system: expected a text, a list or null, not an object",
    ("responses", "an unknown item, nested deeply"): "new: nested too deeply",
    ("responses", "junk"): "input[1]: expected an object, not null",
    ("responses", "nothing"): "input: expected a list, not null",
    ("ollama", "arguments that are not objects"): "messages[2].tool_calls[2].function: nested too deeply",
    ("ollama", "calls that are junk"): "messages[2].tool_calls[0].function: expected an object, not null",
    ("ollama", "images that are junk"): "messages[2].images: expected a list, not a text",
    ("ollama", "a content of parts"): "messages[2].content: expected a text, not a list",
}
"""Conversations that can't be read, and what is said of them."""
READABLE = [
    pytest.param(form, document, id=f"{form}: {name}")
    for form, shapes in _OF_FORMAT.items()
    for name, document in shapes.items()
    if (form, name) not in UNREADABLE
]
BUDGETS = (1, 60, 500, 3_000)
MOST_SECONDS = 10


@pytest.fixture(scope="module")
def host() -> Host:
    return Host.installed()


def check(window: Window, budget: int, form: str) -> None:
    """Check what holds of every window."""
    assert window.tokens <= budget
    assert flaws_of(read(window.messages, form)) == []
    json.dumps(dict(window.report))


@pytest.mark.parametrize(("form", "document"), READABLE)
def test_a_window_is_valid_and_within_its_budget_or_the_promises_cost_more(
    form: str, document: Any, host: Host, tmp_path: Path
) -> None:
    begun = time.process_time()
    for budget in BUDGETS:
        window, too_dear = None, ""
        try:
            window = compact(document, budget=budget, format=form, host=host, store=tmp_path)
        except BudgetError as error:
            too_dear = str(error)
        if window is not None:
            check(window, budget, form)
        assert "\n" not in too_dear
        assert len(too_dear) < 600

    assert time.process_time() - begun < MOST_SECONDS


@pytest.mark.parametrize(("form", "document"), READABLE)
def test_where_there_is_room_for_all_nothing_is_cut(
    form: str, document: Any, host: Host, tmp_path: Path
) -> None:
    window = compact(document, budget=2**70, format=form, host=host, store=tmp_path)

    check(window, 2**70, form)
    assert window.cut == ()


@pytest.mark.parametrize(("form", "document"), READABLE)
def test_windows_are_valid_with_a_state_too(form: str, document: Any, host: Host, tmp_path: Path) -> None:
    state = State()
    for budget in (500, 900):
        with contextlib.suppress(BudgetError, ConversationError):
            window = compact(document, budget=budget, format=form, state=state, host=host, store=tmp_path)
            check(window, budget, form)


@pytest.mark.parametrize(("form", "name"), UNREADABLE)
def test_what_can_not_be_read_is_an_error_of_one_line_that_names_the_place(
    form: str, name: str, host: Host, tmp_path: Path
) -> None:
    with pytest.raises(ConversationError) as raised:
        compact(_OF_FORMAT[form][name], budget=500, format=form, host=host, store=tmp_path)

    assert str(raised.value).startswith(UNREADABLE[form, name])
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 600


@pytest.mark.parametrize("form", _OF_FORMAT)
def test_what_comes_in_is_not_changed(form: str, host: Host, tmp_path: Path) -> None:
    document = next(iter(_OF_FORMAT[form].values()))
    before = json.dumps(document)

    compact(document, budget=500, format=form, host=host, store=tmp_path)

    assert json.dumps(document) == before


def test_messages_that_hold_themselves_are_an_error_of_one_line(host: Host, tmp_path: Path) -> None:
    message: dict[str, Any] = {"role": "assistant", "content": "x\n" * 2_000}
    message["self"] = message
    talk = [{"role": "user", "content": "hi"}, message, {"role": "user", "content": "go on"}]

    with pytest.raises(SatchelError, match="can't be written as JSON"):
        compact(talk, budget=400, state=State(), host=host, store=tmp_path)
