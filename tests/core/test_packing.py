"""The check of a packer's answer, the worth of a selection, and the reasons of what was left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import attrs
import pytest

from satchel import BudgetError, Candidate, Level, Option, PluginError, SatchelError, Selection
from satchel.selecting import explain_left_out, select


@attrs.frozen
class Answer:
    """A packer that always says the same."""

    name: ClassVar[str] = "answer"
    selection: Selection

    def pack(self, candidates: Sequence[Candidate], budget: int) -> Selection:
        return self.selection


@attrs.frozen
class Broke:
    name: ClassVar[str] = "broke"

    def pack(self, candidates: Sequence[Candidate], budget: int) -> Selection:
        raise BudgetError(budget, [("pin", 9)])


def offer(name: str, *options: tuple[int, float], pinned: bool = False, floor: int = 0) -> Candidate:
    ladder = [Option(Level.EXCERPT, tokens, worth) for tokens, worth in options]
    return Candidate(name, 0, "file", tuple(ladder), {}, pinned, floor)


A, B = offer("a", (10, 1.0), (30, 2.0)), offer("b", (5, 4.0))
PIN = offer("pin", (10, 1.0), (30, 2.0), pinned=True, floor=1)


def test_a_right_answer_is_returned_as_it_is() -> None:
    selection = Selection({"a": 1, "b": 0}, 35, 6.0)

    assert select(Answer(selection), [A, B], 35) is selection


@pytest.mark.parametrize(
    ("choices", "tokens", "worth", "reason"),
    [
        ({"x": 0}, 10, 1.0, "chose 'x', which is not a candidate"),
        ({"a": 2}, 10, 1.0, "chose option 2 of 'a', which allows 0 to 1"),
        ({"a": -1}, 30, 2.0, "chose option -1 of 'a', which allows 0 to 1"),
        ({"a": 0}, 11, 1.0, "said 11 tokens, its choices have 10"),
        ({"a": 0}, 10, 3.0, "said a worth of 3, its choices have 1"),
        ({"a": 0}, 10, float("nan"), "said a worth of nan, its choices have 1"),
        ({"a": 1, "b": 0}, 35, 6.0, "chose 35 tokens, the budget is 34"),
    ],
)
def test_a_wrong_answer_is_the_packers_fault(
    choices: dict[str, int], tokens: int, worth: float, reason: str
) -> None:
    with pytest.raises(PluginError) as caught:
        select(Answer(Selection(choices, tokens, worth)), [A, B], 34)

    assert (caught.value.plugin, caught.value.reason) == ("answer", reason)


@pytest.mark.parametrize(
    ("choices", "reason"),
    [({}, "left out 'pin', which is pinned"), ({"pin": 0}, "chose option 0 of 'pin', which allows 1 to 1")],
)
def test_a_pin_left_out_or_below_its_floor_is_the_packers_fault(choices: dict[str, int], reason: str) -> None:
    with pytest.raises(PluginError) as caught:
        select(Answer(Selection(choices, 10 * len(choices), len(choices))), [PIN], 100)

    assert caught.value.reason == reason


def test_pins_that_cost_too_much_pass_through() -> None:
    with pytest.raises(BudgetError):
        select(Broke(), [PIN], 5)


def test_a_pin_without_an_allowed_option_is_refused_before_packing() -> None:
    with pytest.raises(SatchelError, match="lower the floor"):
        select(Broke(), [offer("pin", (1, 1.0), pinned=True, floor=1)], 5)


def test_what_fits_until_the_end_is_left_out_by_choice() -> None:
    small, large = offer("small", (35, 90.0)), offer("large", (36, 90.0))

    reasons = explain_left_out([small, large, B], Selection({"b": 0}, 5, 4.0), 40)

    assert reasons == [
        ("large", "did not fit: it needs 36 tokens, and more valuable items left fewer"),
        ("small", "not chosen by the packer, although it fits"),
    ]


def test_left_out_gives_reasons_the_most_worthy_first() -> None:
    poor, big, empty = offer("poor", (40, 0.1)), offer("big", (500, 900.0)), Candidate("empty", 0, "file", ())

    reasons = explain_left_out([poor, B, empty, big], Selection({"b": 0}, 5, 4.0), 40)

    assert reasons == [
        ("big", "did not fit: it needs 500 tokens, and more valuable items left fewer"),
        ("poor", "worth less per token than what was kept"),
        ("empty", "has nothing to show"),
    ]


def test_of_a_packer_of_whole_items_the_reason_is_the_size_of_all_of_it() -> None:
    ladder = Candidate("poor", 0, "file", (Option(Level.POINTER, 5, 0.1), Option(Level.FULL, 40, 0.2)))

    (reason,) = explain_left_out([ladder, B], Selection({"b": 0}, 5, 4.0), 40, whole=True)

    assert reason == ("poor", "did not fit: all of it is 40 tokens")
