"""Random characters and words are told apart."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.redaction import redact
from satchel.redaction.values import shannon, surprise

from .formats import ALNUM, draw


@given(st.text())
def test_entropy_is_between_zero_and_the_bits_of_the_length(text: str) -> None:
    assert 0 <= shannon(text) <= max(0, len(text)).bit_length() + 1e-9


def test_entropy_of_equal_shares_is_the_bits_of_their_number() -> None:
    assert shannon("abcd" * 5) == pytest.approx(2)


@given(st.text())
def test_any_text_has_a_finite_surprise(text: str) -> None:
    assert abs(surprise(text)) < 10_000


@pytest.mark.parametrize(
    "text", ["authentication", "user_service_token", "getElementById", "MAX_RETRIES", "src/app/models.py"]
)
def test_words_are_likelier_than_chance(text: str) -> None:
    assert surprise(text) < -5


def test_chance_is_likelier_than_words() -> None:
    rng = random.Random(4)

    odds = [surprise(draw((ALNUM, 20))(rng)) for _ in range(500)]

    assert sum(value > 2 for value in odds) >= 495


@pytest.mark.parametrize("password", ["uinsIcirHETpnWpiutom", "XPJPelLNPWALrvecoPti", "fFOdiMPLPtjonmOwRTro"])
def test_letters_whose_capitals_divide_them_into_no_words_are_a_secret(password: str) -> None:
    for name in ("password", "token"):
        assert password not in redact(f'{name} = "{password}"\n').text
        assert password not in redact(f"user,{name}\nanna,{password}\n").text


@pytest.mark.parametrize(
    "name",
    [
        "DatabasePasswordResolver",
        "ManyToManyBlogPage",
        "ScrollToBottomInPaneId",
        "dropViewIfExists",
        "menuCanBeFullyShown",
        "myPasswordProvider",
        "usernamePasswordAuthenticationToken",
    ],
)
def test_names_of_words_are_not_a_secret(name: str) -> None:
    text = f'password = "{name}"\ntoken = "{name}"\n'

    assert redact(text).text == text
