"""A bundle as JSON, in full and compact, and documents that are capped in characters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.amounts import examples

import satchel
from satchel import BudgetError, PackOptions, UnknownNameError, UsageError

TASK = "login with a wrong password"


@pytest.mark.costly
@pytest.mark.parametrize("budget", [200, 1_000, 4_000])
def test_the_compact_form_is_at_most_a_third_longer_than_the_document(budget: int, polyglot: Path) -> None:
    bundle = satchel.pack(TASK, polyglot, budget=budget)
    compact = bundle.to_dict(detail="compact")
    written = json.dumps(compact, ensure_ascii=False)

    assert len(written) <= 1.3 * len(bundle.text)
    assert compact["text"] == bundle.text
    assert (compact["tokens"], compact["budget"]) == (bundle.tokens, budget)
    listed = compact.get("items", [])
    assert [row["pointer"] for row in listed] == [item.pointer for item in bundle.items[: len(listed)]]
    if listed:
        assert len(listed) + compact.get("items_more", 0) == len(bundle.items)


@pytest.mark.weekly
def test_the_compact_form_without_text_is_the_rest(polyglot: Path) -> None:
    bundle = satchel.pack(TASK, polyglot, budget=2_000)
    whole = bundle.to_dict(detail="compact")

    assert bundle.to_dict(detail="compact", text=False) == {k: v for k, v in whole.items() if k != "text"}


@pytest.mark.weekly
def test_the_full_form_has_everything_and_no_other_detail_is_there(polyglot: Path) -> None:
    bundle = satchel.pack(TASK, polyglot, budget=2_000)

    assert len(bundle.to_dict()["items"]) == len(bundle.items)
    with pytest.raises(UnknownNameError, match="compact"):
        bundle.to_dict(detail="small")


@settings(max_examples=examples(8))
@given(most=st.integers(min_value=1, max_value=6_000))
def test_no_document_has_more_characters_than_asked_for(
    most: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("shop")
    for number in range(12):
        (root / f"login{number}.py").write_text(f"def login_{number}(password):\n    return {number}\n" * 8)
    bundle = satchel.pack(TASK, root, budget=4_000, options=PackOptions(max_chars=most))

    assert len(bundle.text) <= most
    assert bundle.tokens <= bundle.budget == 4_000


@pytest.mark.weekly
def test_a_cap_is_used_as_far_as_it_goes(polyglot: Path) -> None:
    free = satchel.pack(TASK, polyglot, budget=8_000)
    capped = satchel.pack(TASK, polyglot, budget=8_000, options=PackOptions(max_chars=len(free.text) // 2))

    assert len(free.text) // 3 <= len(capped.text) <= len(free.text) // 2
    roomy = PackOptions(max_chars=10 * len(free.text))
    assert satchel.pack(TASK, polyglot, budget=8_000, options=roomy).text == free.text


def test_pins_that_are_longer_than_the_cap_are_an_error_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "login.py").write_text("x = 'a rather long line of a program'\n" * 40)

    with pytest.raises(BudgetError, match=r"fit in 300 characters: login\.py"):
        satchel.pack(TASK, tmp_path, pins=["login.py"], options=PackOptions(max_chars=300))
    with pytest.raises(UsageError, match="max_chars"):
        satchel.pack(TASK, tmp_path, options=PackOptions(max_chars=0))
