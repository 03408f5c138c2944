"""Secrets in forms that makers publish, and under names that say what they are, are found whole."""

from __future__ import annotations

import random

import pytest

from satchel.redaction import redact
from satchel.redaction.rules import shipped_rules

from .decoys import DECOYS
from .formats import BASE64, CRYPTIC, FORMS, NAMED, PLACES, draw
from .lookalikes import LOOKALIKES

ROUNDS = 2
LEAST_RECALL = 0.98


def missed(name: str, place: str, secret: str) -> str:
    """Return the redacted text if the secret, or half of it, is still in it."""
    text = redact(PLACES[place](name, secret)).text
    half = len(secret) // 2
    return text if secret[:half] in text or secret[half:] in text else ""


@pytest.mark.parametrize("form", sorted(FORMS))
def test_a_key_is_found_by_its_form_wherever_it_stands(form: str) -> None:
    rng = random.Random(form)
    keys = [(place, FORMS[form](rng)) for place in PLACES for _ in range(ROUNDS)]

    left = [found for place, key in keys if (found := missed(CRYPTIC, place, key))]

    assert len(left) <= 1, left


def test_recall_over_all_forms_and_places_is_as_promised() -> None:
    rng = random.Random(2026)
    keys = [(place, form(rng)) for form in FORMS.values() for place in PLACES for _ in range(ROUNDS)]

    left = [found for place, key in keys if (found := missed(CRYPTIC, place, key))]

    assert 1 - len(left) / len(keys) >= LEAST_RECALL, left


# Django's keys hold & and other characters that end a value in a URL: not a form for that place.
@pytest.mark.parametrize("form", sorted(NAMED))
def test_a_secret_without_a_form_is_found_by_its_name(form: str) -> None:
    rng = random.Random(form)
    name, made = NAMED[form]
    places = [place for place in PLACES if form != "django" or place in {"code", "json", "env", "yaml"}]

    left = [found for place in places for _ in range(ROUNDS) if (found := missed(name, place, made(rng)))]

    assert len(left) <= 1, left


def test_there_are_rules_for_sixty_kinds_and_more() -> None:
    assert len({rule.kind or rule.id for rule in shipped_rules().rules}) >= 60


@pytest.mark.parametrize("text", [*LOOKALIKES, *DECOYS])
def test_what_looks_like_a_secret_and_is_none_stays(text: str) -> None:
    assert redact(text).text is text


def test_there_are_enough_look_alikes() -> None:
    assert len(set(LOOKALIKES)) >= 120
    assert len(set(DECOYS)) >= 150


@pytest.mark.parametrize("place", sorted(PLACES))
def test_the_rest_of_the_line_stays(place: str) -> None:
    secret = draw((BASE64[:62], 40))(random.Random(place))

    redacted = redact(PLACES[place]("api_key", secret)).text

    before, after = PLACES[place]("api_key", "@").split("@", 1) if place != "url" else ("GET https:", "")
    assert redacted.startswith(before)
    assert redacted.endswith(after or "&page=2\n")
