"""A guess of tokens needs no vocabulary and is near the count."""

from __future__ import annotations

import pytest

from satchel.tokens import guess

COUNTED = [
    ("error: cannot open file `src/settings.py`", 10),
    ("2024-05-01T12:00:00Z INFO worker 17: 1290 rows in 43 ms", 26),
    ("  0x7f5f778257fe in GetSingleton /builds/worker/ipc/glue.cpp:91:1", 28),
    ("kbrazil   ttys001                   Tue Feb 11 21:25   still logged in", 19),
]
"""Lines and their tokens in o200k_base, about."""


@pytest.mark.parametrize(("line", "tokens"), COUNTED)
def test_a_guess_is_within_a_third_of_the_count(line: str, tokens: int) -> None:
    assert 2 / 3 <= guess(line) / tokens <= 4 / 3


def test_a_rule_costs_next_to_nothing() -> None:
    assert guess("=" * 78) <= 3


def test_lines_cost_about_what_they_cost_one_by_one() -> None:
    lines = [line for line, _ in COUNTED] * 20

    assert guess("\n".join(lines)) == pytest.approx(sum(map(guess, lines)), rel=0.1)
