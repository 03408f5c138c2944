"""Terms that texts hold, all of them split at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from satchel.plugin_api import WORD, split_words
from satchel.workspace.index.places import (
    TermPlaces,
    Vocabulary,
    counts_of,
    pack,
    place_terms,
    rows_of,
    words_in,
)

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

    made = place_terms(words, Vocabulary().knowing(words))

    assert made.places == places_of(held)
    assert made.lengths == tuple(counts.total() for counts in held)


@given(
    st.dictionaries(
        st.text("aß_9", max_size=4), st.lists(st.integers(0, 70_000), min_size=2, max_size=4), max_size=5
    )
)
def test_places_read_back_as_they_were_written(places: dict[str, list[int]]) -> None:
    read = TermPlaces(pack(places))

    assert read == places
    assert list(read) == list(read.keys()) == list(places)
    assert len(read) == len(places)
    asked = ["nowhere", *sorted(places), "none"]
    assert rows_of(read, asked) == rows_of(places, asked) == sorted(places.items())


@given(st.lists(st.lists(WORDS).map(" ".join), max_size=5), st.sets(st.integers(0, 5)))
def test_the_terms_of_some_texts_are_told_with_their_counts(texts: list[str], asked: set[int]) -> None:
    held = [Counter(terms) for terms in terms_in(texts)]
    places = places_of(held)

    found = list(counts_of(TermPlaces(pack(places)), asked))

    assert found == list(counts_of(places, asked))
    assert sorted(found) == sorted(
        (term, text, count) for text in asked if text < len(held) for term, count in held[text].items()
    )


def test_a_term_that_nothing_holds_has_no_place() -> None:
    read = TermPlaces(pack({"login": [0, 2]}))

    assert "login" in read
    assert "logout" not in read
    assert read.get("logout") is None


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
