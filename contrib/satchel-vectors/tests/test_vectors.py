from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel_vectors import vectors
from satchel_vectors.likeness import likeness, smoothed, texts_of
from satchel_vectors.vectors import load

words = st.lists(st.text(max_size=12), unique=True, max_size=8)


def alike(one: str, other: str) -> float:
    first, second = load().of_words([one, other])
    return float(first @ second)


def test_words_of_like_meaning_have_like_vectors() -> None:
    assert alike("dog", "puppy") > 0.5 > alike("dog", "invoice")


@given(words)
def test_every_word_has_a_vector_of_length_one_or_none(some: list[str]) -> None:
    lengths = np.linalg.norm(load().of_words(some), axis=1)

    assert len(lengths) == len(some)
    assert all(length == pytest.approx(1, abs=1e-3) or length == 0 for length in lengths)


@settings(max_examples=50, deadline=None)
@given(st.lists(words, max_size=6), words)
def test_likeness_is_one_number_from_0_to_1_for_each_text(held: list[list[str]], asked: list[str]) -> None:
    look_up = load().of_words
    scores = smoothed(likeness(texts_of(held, look_up), dict.fromkeys(asked, 1.0), look_up), (0.5, 0.2))

    assert len(scores) == len(held)
    assert all(0 <= score <= 1 for score in scores)
    assert not any(scores) or max(scores) == 1


def test_many_texts_are_added_up_in_pieces_as_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    held = [[f"word{at}", "dog" if at % 7 else "cat", *"abc"[: at % 4]] for at in range(60)]
    look_up = load().of_words
    whole = likeness(texts_of(held, look_up), {"dog": 1.0}, look_up)
    monkeypatch.setattr("satchel_vectors.likeness._ROWS", 5)

    assert likeness(texts_of(held, look_up), {"dog": 1.0}, look_up) == pytest.approx(whole, abs=1e-5)


def test_a_missing_file_names_the_next_step(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(vectors, "_folder", lambda: tmp_path)

    with pytest.raises(FileNotFoundError, match="install satchel-vectors again"):
        load.__wrapped__()


def test_without_wordllama_the_message_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "find_spec", lambda name: None)

    with pytest.raises(FileNotFoundError, match="wordllama is not installed"):
        load.__wrapped__()


def test_a_table_of_other_numbers_is_refused(tmp_path: Path) -> None:
    header = {"embedding.weight": {"dtype": "F32", "shape": [1, 1], "data_offsets": [0, 4]}}
    text = json.dumps(header).encode()
    file = tmp_path / "table"
    file.write_bytes(len(text).to_bytes(8, "little") + text + bytes(4))

    with pytest.raises(ValueError, match="F32"):
        vectors._table(file)
