"""The sieve saves time and changes nothing: whatever it leaves out could not have been found."""

from __future__ import annotations

import random
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.redaction.lookalikes import LOOKALIKES

from satchel.redaction import redact
from satchel.redaction.prefixed import NO_BODIES
from satchel.redaction.searching import _rules as rules_by_word
from satchel.redaction.searching import find, sieve

BEFORE = ("", " ", "x", "_", "\\n", "%0A", "é", "\x1b[31m", "9", "-", '"')
SECRETS = (
    "gh" + "p_" + "a8Kd93jf8sKd02mXnQ7cLw5RtYbV1zHu4gEo",
    "AKIA" + "Q3EGRIVWFN5XTJ2M",
    "password = 'hX8!kq29Zr'",
)


def runs(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def spans(text: str) -> tuple[list[object], list[object]]:
    looks = sieve().looks(text, runs(text))
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


WORDS = sorted(rules_by_word())


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


def test_a_sieve_that_was_stopped_while_it_learned_looks_at_those_words_again() -> None:
    stopped, text = sieve(), f"token: {SECRETS[0]}\n"

    with pytest.raises(TypeError):
        stopped.learn([*runs(text), 7])  # type: ignore[list-item]

    assert redact(text, looks=stopped.looks(text, runs(text))) == redact(text)
    assert redact(text).found


def test_a_sieve_that_has_seen_a_word_judges_the_next_text_by_it_too() -> None:
    seen = sieve()
    text = f"token: {SECRETS[0]}\n"

    first, second = (redact(text, looks=seen.looks(text, runs(text))) for _ in range(2))

    assert first == second == redact(text)
    assert first.found


NAMED = (
    "password",
    "api_key",
    "x-api-key",
    "cache_key",
    "key",
    "keys",
    "pass",
    "passed",
    "token",
    "tokens",
    "auth",
)
AROUND = (
    "",
    "my",
    "my_",
    "db-",
    "1",
    "é",
    "_id",
    "-hash",
    "ed",
    "s",
    "_",
    "-",
    "?",
    ".",
    "auth0_",
    "new_relic_",
)


@given(
    pieces=st.lists(
        st.tuples(
            st.sampled_from(AROUND),
            st.sampled_from(NAMED),
            st.sampled_from(AROUND),
            st.sampled_from([" = ", ": ", "=", " ", '": "', "(", ", "]),
            st.sampled_from(
                ["hX8!kq29Zr", "'Kd93jf8sKd02mXnQ7c'", "none", "f3a9c1d2e4b5968778695a4b3c2d1e0f"]
            ),
        ),
        max_size=5,
    )
)
def test_values_of_names_are_found_whatever_stands_around_the_name(pieces: list[tuple[str, ...]]) -> None:
    whole, sieved = spans("\n".join("".join(piece) for piece in pieces))

    assert sieved == whole


@given(
    bodies=st.lists(
        st.text(st.sampled_from("aB3xY9kQ7_-. "), min_size=15, max_size=90).map(lambda text: f"tok_{text}\n"),
        max_size=4,
    )
)
def test_keys_of_makers_that_nobody_has_listed_are_found(bodies: list[str]) -> None:
    whole, sieved = spans("".join(bodies))

    assert sieved == whole


def test_many_texts_learnt_at_once_are_judged_as_each_alone() -> None:
    texts, seen = [*LOOKALIKES, *(f"x {secret}\n" for secret in SECRETS)], sieve()
    seen.learn(run for text in texts for run in runs(text))

    for text in texts:
        assert seen.looks(text, runs(text)) == sieve().looks(text, runs(text))


def test_a_text_with_an_endless_run_is_searched_as_a_whole() -> None:
    text = "sk_key_" * 100 + f" {SECRETS[0]}\n"

    assert sieve().looks(text, runs(text)) is None
    assert redact(text, looks=None).found


def test_a_text_of_plain_words_is_hardly_looked_at() -> None:
    text = "def parse(path, monkeys):\n    return test_path(path) + 1  # the keyboard passed\n"

    looks = sieve().looks(text, runs(text))

    assert looks is not None
    assert (looks.words, looks.names, looks.bodies, looks.block) == (frozenset(), {}, NO_BODIES, False)


@pytest.mark.parametrize("piece", ["sk_", "key_", "password1 ", "a2B_", "Aa1" * 8 + "_", "1$", "éa"])
def test_a_megabyte_of_pieces_is_judged_in_linear_time(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    begun = time.process_time()

    redact(text, looks=sieve().looks(text, runs(text)))

    assert time.process_time() - begun < 10
