"""Marks of a prompt cache: no content, kept where they belong."""

from __future__ import annotations

import copy
import itertools
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import satchel
from satchel.config import Config
from satchel.conversation.cache_marks import list_cache_marks, put_marks, take_marks
from satchel.installed import find_formats, find_plugins

MARK, HERE = "cache_control", {"type": "ephemeral"}
MARKS = list_cache_marks(find_formats(find_plugins(Config())))


def block(text: str, *, marked: bool = False) -> dict[str, Any]:
    return {"type": "text", "text": text, **({MARK: HERE} if marked else {})}


def turns(count: int, *, marked: bool = True) -> list[dict[str, Any]]:
    """Return a conversation whose newest message is marked, as careful clients do."""
    messages: list[dict[str, Any]] = []
    for turn in range(count):
        said = f"Question {turn}: what does step {turn} do? " * 12
        messages.append({"role": "user", "content": [block(said, marked=marked and turn == count - 1)]})
        if turn < count - 1:
            messages.append({"role": "assistant", "content": [block(f"Answer {turn}. " * 30)]})
    return messages


def bare(messages: Any) -> Any:
    return take_marks(messages, MARKS)[0]


def shared(first: Any, second: Any) -> int:
    """Return how many messages two windows begin with alike."""
    pairs = zip(bare(first), bare(second), strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(first), len(second)))


def test_a_conversation_that_fits_comes_back_as_it_is() -> None:
    request = {"model": "m", "messages": turns(3), "system": [block("Be brief.", marked=True)]}
    before = copy.deepcopy(request)

    assert satchel.compact(request, budget=90_000).messages == before
    assert request == before


def test_a_mark_that_moves_on_leaves_the_beginning_as_it_was() -> None:
    state = satchel.State()
    windows = [satchel.compact(turns(count), budget=1_800, state=state) for count in range(1, 16)]
    cuts = sum(
        shared(before.messages, after.messages) < len(before.messages)
        for before, after in itertools.pairwise(windows)
    )

    plain_state, plain_cuts, last = satchel.State(), 0, None
    for count in range(1, 16):
        made = satchel.compact(turns(count, marked=False), budget=1_800, state=plain_state).messages
        plain_cuts += last is not None and shared(last, made) < len(last)
        last = made
    assert cuts == plain_cuts < 6
    for window in windows:
        assert window.messages[-1]["content"][-1][MARK] == HERE
        assert sum(MARK in str(message) for message in window.messages) == 1


def test_the_mark_of_a_message_that_is_gone_goes_to_the_last() -> None:
    items, marked = take_marks([{"role": "user", "content": [block("a", marked=True)]}], MARKS)

    put = put_marks([{"role": "user", "content": "another"}], marked, MARKS)

    assert items == [{"role": "user", "content": [block("a")]}]
    assert put == [{"role": "user", "content": [block("another", marked=True)]}]


def test_a_mark_in_items_of_responses_leaves_the_beginning_as_it_was() -> None:
    state, last, cuts = satchel.State(), [], 0
    for count in range(1, 16):
        items = [
            {**one, "type": "message", "content": [{**part, "type": "input_text"} for part in one["content"]]}
            for one in turns(count)
            if one["role"] == "user"
        ]
        made = satchel.compact({"input": items}, budget=1_300, state=state, format="responses").messages
        plain = take_marks(made, MARKS)[0]["input"]
        cuts += bool(last) and plain[: len(last)] != last
        last = plain
        assert made["input"][-1]["content"][-1][MARK] == HERE

    assert cuts < 4


def test_only_what_a_format_names_is_a_mark() -> None:
    message = {"role": "user", "content": [{"type": "text", "text": "a", "keep_until": 9}], MARK: HERE}

    assert take_marks([message], {"turns": frozenset({"keep_until"})})[0][0] == {
        **message,
        "content": [{"type": "text", "text": "a"}],
    }
    assert take_marks({"messages": [message]}, {"turns": frozenset({"keep_until"})})[1] == []


def test_a_system_text_that_changes_is_sent_as_it_is_now() -> None:
    state = satchel.State()
    for count in range(1, 16):
        system = [block(f"Be brief. It is turn {count}.", marked=count % 2 == 0)]
        request = {"system": system, "messages": turns(count)}

        window = satchel.compact(request, budget=1_800, state=state)

        assert window.messages["system"] == system
        assert window.messages == request or window.cut or state.compactions


def test_a_system_text_that_was_mended_stays_mended_until_it_changes() -> None:
    state, mended = satchel.State(), []
    first = {"role": "user", "content": "Begin."}
    for system in ("Be brief.", "Be brief.", "Be kind."):
        request = {
            "system": [{"type": "text", "text": system}, {"type": "text", "text": " "}],
            "messages": [first],
        }
        window = satchel.compact(request, budget=900, state=state, format="anthropic")
        mended.append(window.messages["system"])

    assert mended[0] == mended[1] != mended[2]
    assert [len(one) for one in mended] == [1, 1, 1]
    assert mended[2][0]["text"] == "Be kind."


values = st.none() | st.text(max_size=5) | st.lists(st.just(block("x")) | st.just(block("y", marked=True)))
odd = st.lists(st.none() | st.fixed_dictionaries({"role": st.just("user"), "content": values}), max_size=6)


@given(
    odd
    | st.fixed_dictionaries({"messages": odd})
    | st.fixed_dictionaries({"input": odd | st.text()})
    | st.none()
)
def test_marks_taken_and_put_back_are_where_they_were(document: Any) -> None:
    before = copy.deepcopy(document)

    plain, marked = take_marks(document, MARKS)

    assert MARK not in str(plain)
    assert put_marks(plain, marked, MARKS) == before == document
