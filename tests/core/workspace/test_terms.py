"""Words of code, folded into terms."""

from __future__ import annotations

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.plugin_api import STOP, count_terms, inverse_document_frequency, split_words
from satchel.workspace import count_words, query_terms
from satchel.workspace.index.terms import fold, normalize


@pytest.mark.parametrize(
    ("word", "terms"),
    [
        ("login", ("login",)),
        ("check_password", ("check", "password", "check_password")),
        ("checkPassword", ("check", "password", "checkpassword")),
        ("HTTPServer", ("http", "server", "httpserver")),
        ("sha256sum", ("sha", "256", "sum", "sha256sum")),
        ("parsers", ("parser", "parsers")),
        ("MAX_SIZE", ("max", "size", "max_size")),
        ("__init__", ("init",)),
        ("接口限流", ("接口", "口限", "限流", "接口限流")),
        ("限流", ("限流",)),
        ("ユーザー名", ("ユー", "ーザ", "ザー", "ー名", "ユーザー名")),
        ("설정을", ("설정", "정을", "설정을")),
        ("JWT令牌过期", ("jwt", "令牌", "牌过", "过期", "jwt令牌过期")),
    ],
)
def test_identifiers_are_split_into_folded_terms(word: str, terms: tuple[str, ...]) -> None:
    found = split_words([word])[0]

    assert set(terms[:-1]) <= set(found)
    assert found[0] == terms[0]


@given(
    st.lists(
        st.text(max_size=12) | st.sampled_from(["maxAge", "max_age", "HTTPReply2", "parsers"]), max_size=8
    )
)
def test_words_that_are_split_together_are_split_alike(words: list[str]) -> None:
    assert split_words(words) == [split_words([word])[0] for word in words]


def test_pairs_of_a_script_without_blanks_are_its_terms_and_the_run_is_the_last() -> None:
    assert split_words(["JWT令牌过期", "限", "héros"]) == [
        ("jwt", "令牌", "牌过", "过期", "jwt令牌过期"),
        ("限",),
        ("héro",),
    ]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("x-api.keyName", ("x-api.key", "name", "x-api.keyname")),
        ("a b", ("a b",)),
        ("two words", ("two", "word", "two words")),
        ("", ("",)),
        ("12ab", ("12", "ab", "12ab")),
    ],
)
def test_what_is_no_word_is_split_as_a_word_would_be(text: str, terms: tuple[str, ...]) -> None:
    assert split_words([text, "plain"]) == [terms, ("plain",)]


@pytest.mark.parametrize(
    ("plural", "singular"),
    [
        ("parsers", "parser"),
        ("entries", "entry"),
        ("class", "class"),
        ("status", "status"),
        ("is", "is"),
        ("ties", "tie"),
        ("cookies", "cookie"),
    ],
)
def test_plurals_are_folded_and_nothing_else(plural: str, singular: str) -> None:
    assert fold(plural) == singular


@given(words=st.lists(st.from_regex(r"[A-Za-z_]\w{1,20}", fullmatch=True), max_size=8))
def test_splitting_many_words_is_splitting_each(words: list[str]) -> None:
    assert split_words(words) == [split_words([word])[0] for word in words]
    assert all(terms and all(term == term.lower() for term in terms) for terms in split_words(words))


@given(text=st.text(max_size=200))
def test_every_word_has_terms(text: str) -> None:
    words, terms = count_words(text), count_terms(text)

    assert terms.total() >= words.total()
    assert all(any(term in terms for term in split_words([word])[0]) for word in words)


def test_words_longer_than_any_identifier_are_left_out() -> None:
    assert count_words("a" * 81 + " " + "b" * 80) == {"b" * 80: 1}


def test_a_query_weighs_the_title_and_what_is_marked_as_code() -> None:
    weights = query_terms("login breaks\n\nSee the mail and `password` of it, mail again\n")

    assert weights["login"] > weights["again"] if "again" in weights else weights["login"] > 0
    assert weights["password"] > 1
    assert weights["mail"] > 1
    assert STOP.isdisjoint(weights)


def test_a_query_weighs_a_name_that_begins_with_capitals_as_other_names_of_several_words() -> None:
    weights = query_terms("the TLSOption, the ClientAuth and the CLI break")

    assert weights["tlsoption"] == weights["clientauth"] > weights["cli"]


@pytest.mark.parametrize(
    ("word", "joined"),
    [
        ("Http2Connection", {"http2"}),
        ("OAuth2Client", {"oauth", "oauth2"}),
        ("IPv6Address", {"ipv6"}),
        ("decode_utf_8", {"utf8"}),
        ("gRPCServer", {"grpc"}),
        ("IServiceProvider", set()),
        ("x_axis", set()),
        ("a1b2c3d4", set()),
    ],
)
def test_a_name_with_its_number_or_first_letter_is_a_term(word: str, joined: set[str]) -> None:
    terms = set(split_words([word])[0])

    assert terms & {"http2", "oauth", "oauth2", "ipv6", "utf8", "grpc", "iservice", "xaxis", "b2"} == joined


def test_no_term_of_a_word_counts_twice() -> None:
    assert split_words(["http2", "OAuth"]) == [("http", "http2"), ("auth", "oauth")]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("HTTP/2 streams", "http2"),
        ("decode UTF-8", "utf8"),
        ("log in by OAuth 2.0", "oauth2"),
        ("dates of RFC 3339", "rfc3339"),
    ],
)
def test_a_query_has_names_with_numbers_as_code_writes_them(text: str, name: str) -> None:
    assert query_terms(text)[name] > 1


@pytest.mark.parametrize("text", ["on line 10", "src/part-2/main.c", "2-3 days", "a GPT-4o model"])
def test_a_number_beside_a_plain_word_is_no_part_of_a_name(text: str) -> None:
    assert not any(term[-1].isdigit() for term in query_terms(text))


@pytest.mark.parametrize("pasted", ["```\ncart guest\n```", "    cart guest", "> cart guest"])
def test_a_query_weighs_pasted_code_less_than_prose_and_prose_less_than_the_title(pasted: str) -> None:
    weights = query_terms(f"login breaks\n\nIt shows the cart to nobody\n\n{pasted}\n")

    assert weights["login"] > 2 * weights["nobody"]
    assert weights["nobody"] == pytest.approx(2 * weights["guest"])
    assert weights["cart"] > weights["nobody"]
    assert query_terms("login breaks")["login"] == weights["login"]


@pytest.mark.parametrize("text", ["", "?!", "the of", "\ud800", "\x00"])
def test_a_task_without_words_has_no_terms(text: str) -> None:
    assert query_terms(text) == {}


@pytest.mark.parametrize("piece", ["a_", "aB", "a" * 50 + " ", "`", "()", "__", "A", "1"])
def test_a_megabyte_is_split_in_seconds(piece: str) -> None:
    started = time.process_time()
    query_terms(piece * (1_000_000 // len(piece)))
    count_terms(piece * (1_000_000 // len(piece)))

    assert time.process_time() - started < 5


@given(documents=st.integers(0, 10**6), holding=st.integers(0, 10**6))
def test_rarity_is_above_zero_and_falls_with_the_files_that_hold_a_term(documents: int, holding: int) -> None:
    holding = min(holding, documents)

    rarity = inverse_document_frequency(documents, holding)

    assert 0 < rarity < math.inf
    assert holding == 0 or rarity < inverse_document_frequency(documents, holding - 1)


@given(scores=st.dictionaries(st.text(max_size=3), st.floats(0, 1e6)))
def test_normalised_scores_have_one_as_the_largest(scores: dict[str, float]) -> None:
    answer = normalize(scores)

    assert answer.keys() == scores.keys()
    assert max(answer.values(), default=1.0) in (0.0, 1.0)
