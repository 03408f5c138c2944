"""A sieve narrows what is looked for in a conversation's text, and no secret comes through it."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.compaction.cleaning import looks, runs, split_words_of_rules
from satchel.redaction import redact

SECRETS = [
    "AKIA" + "IOSFODNN7Q3XAMPT",
    "ghp_" + "a8F3kQ0zL5mN7pR2sT9vW1xY4bC6dE0gH2jK",
    "password = 'c0rrect-Horse9'",
    "xoxb-" + "1234567890-abcdefGHIJKLmnop12",
    "sk-ant-api03-" + "Zx9Qw8Er7Ty6Ui5Op4As3Df2Gh1Jk0Lm",
    "npm_" + "q1W2e3R4t5Y6u7I8o9P0a1S2d3F4g5H6j7K8",
]
AROUND = st.text(st.sampled_from("aZ9 _-=:'\"\n\\né→/.AC"), max_size=12)


@settings(deadline=None)
@given(before=AROUND, secret=st.sampled_from(SECRETS), after=AROUND, run=st.integers(0, 700))
def test_with_its_looks_a_text_loses_the_same_secrets(before: str, secret: str, after: str, run: int) -> None:
    text = f"{'A' * run}{before}{secret}{after}\nplain words"

    assert redact(text, looks=looks(text)) == redact(text)


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_behind_a_letter_of_another_script_is_found_as_before(secret: str) -> None:
    text = f"naïveté {secret} çà"

    assert redact(text, looks=looks(text)).text == redact(text).text


def test_an_image_of_many_letters_takes_no_time() -> None:
    text = f"data:image/png;base64,{'AKx' * 400_000} end"
    begun = time.process_time()

    looks(text)

    assert time.process_time() - begun < 5


@pytest.mark.parametrize("word", sorted(split_words_of_rules()))
def test_a_word_of_a_rule_with_a_blank_inside_is_looked_for(word: str) -> None:
    found = looks(f"before {word} after")

    assert found is not None
    assert word in found.words


@given(text=st.text(st.sampled_from("aZ9_ é→—日²\n\t/."), max_size=60))
def test_runs_of_words_are_those_that_an_expression_finds(text: str) -> None:
    assert set(runs(text)) == set(re.findall(r"\w+", text))
