"""Scorers of messages: each says of an exchange what it is there for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.formats import OPENAI, read

from satchel import Part, Task
from satchel.compaction import Library
from satchel.conversation import Counts, exchanges_of
from satchel.plugin_api import Dialogue
from satchel_plugins.scorers import Errors, Position, References, Relevance, Role, Size
from satchel_plugins.tokenizers import OfflineTokenizer

DIALOGUE_SCORERS = (Errors, Position, References, Relevance, Role, Size)


def chat(*texts: str) -> Dialogue:
    messages = [
        {"role": "user" if at % 2 == 0 else "assistant", "content": text} for at, text in enumerate(texts)
    ]
    exchanges = exchanges_of(read(messages, "openai"))
    return Dialogue(exchanges, Library(Counts(OfflineTokenizer(), form=OPENAI)))


def scores(scorer: Any, dialogue: Dialogue, task: str = "") -> Sequence[float]:
    found: Sequence[float] = scorer.score(dialogue.parts, Task(task), dialogue)
    return found


def parts(*refs: tuple[str, ...]) -> list[Part]:
    return [Part("user", "", (at, at), refs=held, id=str(at)) for at, held in enumerate(refs)]


@pytest.mark.parametrize("scorer", DIALOGUE_SCORERS, ids=lambda scorer: scorer.name)
@given(texts=st.lists(st.text(min_size=1, max_size=40), max_size=6), task=st.text(max_size=40))
def test_each_exchange_has_a_number_from_zero_to_one(scorer: Any, texts: list[str], task: str) -> None:
    found = scores(scorer(), chat(*texts), task)

    assert len(found) == len(texts)
    assert all(math.isfinite(one) and 0 <= one <= 1 for one in found)


def test_relevance_finds_the_words_of_the_task_whatever_their_endings() -> None:
    found = scores(
        Relevance(), chat("cars", "it rained", "we painted walls", "sun", "moon"), "who is painting?"
    )

    assert max(found) == found[2] == 1


def test_relevance_gives_neighbours_a_share() -> None:
    found = scores(Relevance(feedback=0), chat("a", "b", "c", "paint it", "d", "e", "f"), "paint")

    assert found == pytest.approx([0, 0.25, 0.5, 1, 0.5, 0.25, 0])


def test_position_likes_what_is_newer() -> None:
    found = list(scores(Position(), chat("a", "b", "c")))

    assert found == sorted(found)
    assert found[-1] == 1


def test_references_count_what_later_exchanges_use() -> None:
    later = parts(("a.py", "b.py"), ("c.py",), ("a.py", "b.py"))

    assert References().score(later, Task(""), chat()) == [1, 0, 0]  # type: ignore[arg-type]


def test_errors_likes_what_failed() -> None:
    failed = [Part("error", "", (1, 1)), Part("assistant", "", (2, 2))]

    assert Errors().score(failed, Task(""), chat()) == [1, 0]  # type: ignore[arg-type]


def test_role_puts_a_person_before_a_model() -> None:
    asked, answered = scores(Role(), chat("do it", "done"))

    assert asked > answered


def test_size_likes_what_is_short() -> None:
    short, long = scores(Size(), chat("yes", "no " * 900))

    assert short > long >= 0.1
