"""Each file has the words of its path once, however few steps that takes."""

from __future__ import annotations

from array import array
from collections import defaultdict
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.workspace.index.documents import PATH, PathWords
from satchel.workspace.index.terms import count_words


def noted(paths: list[str], *, closing: frozenset[int] = frozenset()) -> dict[str, list[int]]:
    """Return the documents of each word, each with how often it stands there."""
    postings: defaultdict[str, array[int]] = defaultdict(partial(array, "I"))
    words = PathWords()
    for number, path in enumerate(paths, 1):
        for word in words.add(path, number, postings):
            postings[word].append(number << 8 | 1)
        if number in closing:
            words.close(number + 1, postings)
    words.close(len(paths) + 1, postings)
    return {word: list(held) for word, held in postings.items() if held}


def expected(paths: list[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for number, path in enumerate(paths, 1):
        for word in count_words(path):
            found.setdefault(PATH + word, []).append(number << 8 | 1)
    return found


PATHS = st.lists(st.sampled_from(["ab", "cd", "ab_cd", "x", "ef"]), min_size=1, max_size=4).map("/".join)


@given(st.lists(PATHS, max_size=12), st.frozensets(st.integers(1, 12)))
def test_every_word_of_a_path_is_noted_once_for_its_file(paths: list[str], closing: frozenset[int]) -> None:
    for listed in (paths, sorted(paths)):
        assert noted(listed, closing=closing) == expected(listed)


@pytest.mark.parametrize("name", ["w" * 81, "7up", "é1", "-", "a"])
def test_odd_names_have_the_words_that_the_index_counts(name: str) -> None:
    paths = [f"{name}/file.py", f"{name}/{name}", "other"]

    assert noted(paths) == expected(paths)


def test_a_folder_that_was_noted_when_somebody_interrupted_is_not_noted_twice() -> None:
    postings: defaultdict[str, array[int]] = defaultdict(partial(array, "I"))
    words = PathWords()
    words.add("src/core/one.py", 1, postings)
    postings[f"{PATH}core"].append(1 << 8 | 1)  # all that `close` came to

    words.close(2, postings)

    assert list(postings[f"{PATH}core"]) == list(postings[f"{PATH}src"]) == [1 << 8 | 1]
