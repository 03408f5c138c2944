from __future__ import annotations

import os
from pathlib import Path

import pytest
import tiktoken
import tiktoken.registry
import toktok
from hypothesis import given
from hypothesis import strategies as st

from satchel_plugins.tokenizers import (
    OfflineTokenizer,
    TiktokenTokenizer,
    count_in_pieces,
    load_encoding,
    table_name,
)

ENCODINGS = ["cl100k_base", "o200k_base"]
SNIPPETS = [
    "foo",
    "Bar",
    "'s",
    "'LL",
    " ",
    "\n",
    "\r\n",
    "\t",
    "12345",
    "/",
    "漢",
    "é",
    "\u0301",
    "👩‍👩",
    "<|endoftext|>",
]
mixed = st.one_of(st.lists(st.sampled_from(SNIPPETS), max_size=12).map("".join), st.text(max_size=40))


@pytest.fixture(scope="module", params=ENCODINGS)
def reference(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tiktoken.Encoding:
    return load_encoding(request.param, tmp_path_factory.mktemp("tables"))


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiktoken.registry, "ENCODINGS", {})


@pytest.mark.weekly
@pytest.mark.costly
@given(text=mixed)
def test_both_exact_tokenizers_give_the_same_ids(reference: tiktoken.Encoding, text: str) -> None:
    offline = toktok._encoding(reference.name)

    assert offline.encode_ordinary(text) == reference.encode_ordinary(text)
    assert OfflineTokenizer(reference.name).count([text]) == [len(reference.encode_ordinary(text))]


@pytest.mark.weekly
def test_both_count_odd_texts_equally(reference: tiktoken.Encoding, odd_texts: list[str]) -> None:
    counts = [count_in_pieces(reference.encode_ordinary, text) for text in odd_texts]

    assert counts == OfflineTokenizer(reference.name).count(odd_texts)
    assert counts == [len(reference.encode_ordinary(text)) for text in odd_texts]


@pytest.mark.slow
def test_both_count_huge_texts_equally(reference: tiktoken.Encoding, huge_texts: list[str]) -> None:
    counts = [count_in_pieces(reference.encode_ordinary, text) for text in huge_texts]

    assert counts == OfflineTokenizer(reference.name).count(huge_texts)


def test_the_table_is_rebuilt_into_satchels_own_folder(no_tables: Path, unloaded: None) -> None:
    encoding = load_encoding("cl100k_base", no_tables)

    assert encoding.encode_ordinary("hello world") == [15339, 1917]
    assert [path.name for path in no_tables.iterdir()] == [table_name("cl100k_base")]


@pytest.mark.weekly
def test_a_folder_that_cant_be_written_is_no_obstacle(no_tables: Path, unloaded: None) -> None:
    no_tables.write_text("a file where the folder should be")

    assert load_encoding("cl100k_base", no_tables).encode_ordinary("hello world") == [15339, 1917]


@pytest.mark.weekly
def test_the_environment_is_as_it_was_afterwards(no_tables: Path, unloaded: None) -> None:
    before = dict(os.environ)

    load_encoding("cl100k_base", no_tables)

    assert dict(os.environ) == before


def test_a_panic_of_the_library_is_met_with_smaller_pieces() -> None:
    panic = type("PanicException", (BaseException,), {})

    def fragile(piece: str) -> list[int]:
        if len(piece) > 4096:
            raise panic
        return [0] * len(piece)

    assert count_in_pieces(fragile, "ab " * 5000) == 15_000


def test_an_interruption_is_no_panic() -> None:
    def interrupted(piece: str) -> list[int]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        count_in_pieces(interrupted, "text")


def test_a_tokenizer_counts_a_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    tokenizer = TiktokenTokenizer("cl100k_base")

    assert tokenizer.count(["hello world", "", "a\ud800"]) == OfflineTokenizer("cl100k_base").count(
        ["hello world", "", "a\ufffd"]
    )
    assert (tokenizer.key, tokenizer.exact, tokenizer.error) == ("cl100k_base", True, 0.0)
