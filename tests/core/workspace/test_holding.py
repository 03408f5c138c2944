"""Terms that texts hold, all of them split at once."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from satchel.workspace.holding import places_of, terms_in
from satchel.workspace.terms import WORD, split_words

WORDS = st.sampled_from(["parseHTTPReply", "x", "_", "12ab", "3d", "users", "naïve_ß", "a" * 81, "\n", " = "])


@given(st.lists(st.one_of(st.text(max_size=20), st.lists(WORDS).map("".join))))
def test_each_text_has_the_terms_of_its_words_in_their_order(texts: list[str]) -> None:
    words = [[word for word in WORD.findall(text) if len(word) <= 80] for text in texts]

    assert terms_in(texts) == [[term for split in split_words(mine) for term in split] for mine in words]


def test_a_term_is_found_where_it_stands() -> None:
    held = [Counter(terms) for terms in terms_in(["login login page", "", "page"])]

    assert places_of(held) == {"login": [0, 2], "page": [0, 1, 2, 1]}
