"""Numbers with the nouns and verbs that go with them."""

from __future__ import annotations

import pytest

from satchel.spelling import agree, format_count


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 files are"), (1, "1 file is"), (2, "2 files are"), (1_203, "1,203 files are")]
)
def test_a_noun_and_a_verb_agree_with_their_number(number: int, text: str) -> None:
    assert f"{format_count(number, 'file')} {agree(number, 'is', 'are')}" == text
