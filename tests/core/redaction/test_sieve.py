"""The sieve saves time and changes nothing: whatever it leaves out could not have been found."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.redaction.lookalikes import LOOKALIKES

from satchel.redaction import redact
from satchel.redaction.searching import _index as rules_by_word
from satchel.redaction.searching import find, sieve
from satchel.workspace.terms import WORD

BEFORE = ("", " ", "x", "_", "\\n", "%0A", "é", "\x1b[31m", "9", "-", '"')
SECRETS = (
    "gh" + "p_" + "a8Kd93jf8sKd02mXnQ7cLw5RtYbV1zHu4gEo",
    "AKIA" + "Q3EGRIVWFN5XTJ2M",
    "password = 'hX8!kq29Zr'",
)


def spans(text: str) -> tuple[list[object], list[object]]:
    looks = sieve().looks(text, Counter(WORD.findall(text)))
    return list(find(text, "", ())), list(find(text, "", (), looks))


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("secret", SECRETS)
def test_secrets_are_found_after_whatever_stands_before_them(before: str, secret: str) -> None:
    whole, sieved = spans(f"a line\n{before}{secret} and more\n")

    assert sieved == whole


@pytest.mark.parametrize("text", LOOKALIKES)
def test_look_alikes_are_judged_the_same(text: str) -> None:
    whole, sieved = spans(text)

    assert sieved == whole


WORDS = sorted(rules_by_word()[1])


@given(
    picked=st.lists(st.sampled_from(WORDS), max_size=6),
    glue=st.lists(st.sampled_from([*BEFORE, "\n", ".", "K7q"]), min_size=6, max_size=6),
    seed=st.integers(0, 1_000),
)
def test_every_word_of_a_rule_that_can_begin_a_secret_is_looked_for(
    picked: list[str], glue: list[str], seed: int
) -> None:
    rng = random.Random(seed)
    tails = ["".join(rng.choices("aZ09bQx7_-", k=36)) for _ in picked]
    text = "".join(f"{mark}{word}{tail}" for mark, word, tail in zip(glue, picked, tails, strict=False))

    whole, sieved = spans(text)

    assert sieved == whole


def test_a_sieve_that_has_seen_a_word_judges_the_next_text_by_it_too() -> None:
    seen = sieve()
    text = f"token: {SECRETS[0]}\n"
    words = Counter(WORD.findall(text))

    first, second = (redact(text, looks=seen.looks(text, words)) for _ in range(2))

    assert first == second == redact(text)
    assert first.found
