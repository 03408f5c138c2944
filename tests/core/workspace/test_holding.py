"""Terms that texts hold, all of them split at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from satchel.plugin_api import WORD, split_words
from satchel.workspace.index.terms import Vocabulary, place_terms, words_in

WORDS = st.sampled_from(["parseHTTPReply", "x", "_", "12ab", "3d", "users", "naïve_ß", "a" * 81, "\n", " = "])


def terms_in(texts: Sequence[str]) -> list[list[str]]:
    """Return the folded terms of each text, in their order."""
    words = list(map(words_in, texts))
    known = Vocabulary().knowing(words)
    return [list(chain.from_iterable(map(known.__getitem__, mine))) for mine in words]


def places_of(held: Sequence[Mapping[str, int]]) -> dict[str, list[int]]:
    """Return for each term which texts hold it, by number, and how often, as plainly as can be."""
    places: dict[str, list[int]] = {}
    for number, counts in enumerate(held):
        for term, count in counts.items():
            places.setdefault(term, []).extend((number, count))
    return places


@given(st.lists(st.one_of(st.text(max_size=20), st.lists(WORDS).map("".join))))
def test_each_text_has_the_terms_of_its_words_in_their_order(texts: list[str]) -> None:
    words = [[word for word in WORD.findall(text) if len(word) <= 80] for text in texts]

    assert terms_in(texts) == [[term for split in split_words(mine) for term in split] for mine in words]


def test_a_term_is_found_where_it_stands() -> None:
    held = [Counter(terms) for terms in terms_in(["login login page", "", "page"])]

    assert places_of(held) == {"login": [0, 2], "page": [0, 1, 2, 1]}


@given(st.lists(st.lists(WORDS).map(" ".join), max_size=5))
def test_terms_are_placed_by_the_words_that_have_them(texts: list[str]) -> None:
    words = list(map(words_in, texts))
    held = [Counter(terms) for terms in terms_in(texts)]

    places, lengths = place_terms(words, Vocabulary().knowing(words))

    assert places == places_of(held)
    assert lengths == tuple(counts.total() for counts in held)


def test_a_vocabulary_that_knows_too_much_begins_anew() -> None:
    vocabulary = Vocabulary(most=2)
    first = vocabulary.knowing([["login", "users"]])

    second = vocabulary.knowing([["users", "pageSize"]])

    assert second == {"users": ("user",), "pageSize": ("page", "size", "pagesize")}
    assert first.keys() == {"login", "users"}


def test_the_terms_of_words_stand_in_a_row() -> None:
    terms = Vocabulary().knowing([["pageSize", "12", "users"]])

    assert terms.join_terms(["users", "12", "pageSize", "users"]).split() == [
        *("user", "page", "size", "pagesize", "user")
    ]
