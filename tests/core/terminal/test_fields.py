"""Messages that fields hold are shown once each, and so is how fast something went."""

from __future__ import annotations

from .worths import values

QUIET = [f"step {word} of the plan" for word in ("one", "two", "three", "four", "five", "six") * 4]


def test_each_message_of_a_field_is_shown_once() -> None:
    fields = ["  message: 'pattern differs',", "  message: 'no such key',", "  keyword: 'pattern',"]

    worths = values(*QUIET, *fields, *QUIET, *fields, *QUIET)

    assert min(worths[fields[0]], worths[fields[1]]) > 45 > worths[fields[2]]


def test_further_messages_are_worth_less() -> None:
    fields = [f"reason: {word * 3}" for word in "abcdefgh"]

    worths = values(*QUIET, *fields, *QUIET)

    assert worths[fields[0]] > worths[fields[-1]]


def test_how_fast_something_went_is_shown_where_nothing_failed() -> None:
    rate = "Throughput 23775.4 MB/sec 128 clients"

    assert values(*QUIET, rate, *QUIET)[rate] > 45


def test_progress_that_is_told_again_and_again_is_no_measure() -> None:
    progress = [f"{at} of 90 copied, {at * 3} MB/s" for at in range(40)]

    assert values(*QUIET, *progress, *QUIET)[progress[20]] < 30
