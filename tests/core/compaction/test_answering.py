"""In a chat, who speaks and what is told make a message likelier to answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel import Part
from satchel.compaction.worth import QUESTION, SPEAKER, TIME, answering

ANN, BOB = Part("user", "Ann", (1, 1)), Part("assistant", "Bob", (2, 2))


def factor(task: str, text: str, part: Part = ANN) -> float:
    return answering([part], [text], task)[0]


def test_the_one_speaker_whom_the_task_names_counts_more() -> None:
    assert answering([ANN, BOB], ["I ran.", "I ran."], "Where did Ann run?") == [SPEAKER, 1]


def test_nobody_counts_more_where_the_task_names_two() -> None:
    assert answering([ANN, BOB], ["I ran.", "I ran."], "Did Ann meet Bob?") == [1, 1]


def test_a_name_inside_of_a_word_names_nobody() -> None:
    assert factor("Annual leave?", "I ran.") == 1


@pytest.mark.parametrize("task", ["When did she run?", "Hi. How long was it?", "In which year was it?"])
def test_a_message_that_tells_a_time_counts_more_where_one_is_asked_for(task: str) -> None:
    assert factor(task, "I ran last week.", BOB) == TIME
    assert factor(task, "I ran far.", BOB) == 1


def test_a_time_is_not_asked_for_in_the_middle_of_a_sentence() -> None:
    assert factor("What happens when it runs?", "I ran last week.", BOB) == 1


def test_a_question_counts_less() -> None:
    assert factor("Tell me", "Did you run?", BOB) == QUESTION


@given(texts=st.lists(st.text(), max_size=5), task=st.text())
def test_every_message_has_a_factor_above_zero(texts: list[str], task: str) -> None:
    found = answering([ANN] * len(texts), texts, task)

    assert len(found) == len(texts)
    assert all(one > 0 for one in found)
