"""The lines that matter, by number."""

from __future__ import annotations

from satchel.plugin_api import Rank, telling

LINES = [f"10:{number:04} INFO request {number} served" for number in range(3_000)]
LINES[1_700] = "10:1700 ERROR ledger is out of balance by 3 cents"
TEXT = "\n".join(LINES)


def test_the_error_among_many_lines_is_told_by_its_number() -> None:
    told = {one.number: one.rank for one in telling(TEXT, tokens=300)}

    assert told[1_701] is Rank.ERROR


def test_lines_come_in_order_and_once() -> None:
    numbers = [one.number for one in telling(TEXT + "," * 9_000, tokens=2_000)]

    assert numbers == sorted(set(numbers))


def test_few_tokens_tell_a_part_of_what_more_tell() -> None:
    few, more = ({one.number for one in telling(TEXT, tokens=tokens)} for tokens in (60, 600))

    assert few < more


def test_nothing_is_told_of_nothing() -> None:
    assert [one.number for one in telling("", tokens=100)] in ([], [1])
