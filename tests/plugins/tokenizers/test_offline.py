from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import attrs
import pytest
import toktok
from hypothesis import given
from hypothesis import strategies as st

from satchel import UnknownNameError
from satchel_plugins.tokenizers import OfflineTokenizer, repair_surrogates


def test_counts_are_those_of_the_vocabulary() -> None:
    assert OfflineTokenizer().count(["hello world", "", "contextualization"]) == [2, 0, 3]
    assert OfflineTokenizer("cl100k_base").count(["上下文窗口"]) == [6]


def test_a_special_token_counts_as_ordinary_text() -> None:
    (tokens,) = OfflineTokenizer().count(["<|endoftext|>"])

    assert tokens == 7


def test_a_broken_surrogate_counts_as_the_replacement_character() -> None:
    assert OfflineTokenizer().count(["a\ud800b", "plain"]) == OfflineTokenizer().count(["a\ufffdb", "plain"])


@given(st.lists(st.text(st.characters(codec=None), max_size=60), max_size=4))
def test_any_text_has_a_count_and_only_the_empty_one_has_none(texts: list[str]) -> None:
    counts = OfflineTokenizer().count(texts)

    assert len(counts) == len(texts)
    assert all((count > 0) == (text != "") for count, text in zip(counts, texts, strict=True))
    assert all(
        count <= len(repair_surrogates(text).encode()) for count, text in zip(counts, texts, strict=True)
    )


@pytest.mark.costly
@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base"])
def test_huge_texts_are_counted_exactly_and_at_once(encoding: str, huge_texts: list[str]) -> None:
    tokenizer = OfflineTokenizer(encoding)
    tokenizer.count(["load"])
    started = time.process_time()

    counts = tokenizer.count(huge_texts)

    assert time.process_time() - started < 10
    uncut = toktok.batch_count(huge_texts, encoding, threads=1)
    assert all(abs(count - exact) <= 1 for count, exact in zip(counts, uncut, strict=True))
    assert counts[-1] == uncut[-1]


def test_an_unknown_encoding_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'o200k_base'"):
        OfflineTokenizer("o200k")


def test_it_says_that_it_is_exact_and_which_vocabulary_it_counts() -> None:
    tokenizer = OfflineTokenizer("cl100k_base")

    assert (tokenizer.key, tokenizer.exact, tokenizer.error) == ("cl100k_base", True, 0.0)
    assert [field.name for field in attrs.fields(OfflineTokenizer)] == ["encoding"]


@pytest.fixture
def new_cache(cache_dir: Path) -> Path:
    """A cache without the vocabularies that every test is lent."""
    (cache_dir / "vocabularies").unlink()
    return cache_dir


@pytest.mark.costly
@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base"])
def test_a_second_run_counts_equally_without_loading_toktok(encoding: str, new_cache: Path) -> None:
    texts = ["def f():\n", "Ünïcödé naïve façade — 上下文\n"]

    first, second = (json.loads(_counted_apart(texts, encoding)) for _ in range(2))

    assert first == {"counts": OfflineTokenizer(encoding).count(texts), "toktok": True}
    assert second == {**first, "toktok": False}
    assert [file.name for file in (new_cache / "vocabularies").iterdir()] == [f"{encoding}.tokens"]


@pytest.mark.weekly
def test_kept_ranks_that_are_damaged_are_kept_anew(new_cache: Path) -> None:
    _counted_apart(["hello"])
    kept = new_cache / "vocabularies/cl100k_base.tokens"
    whole = kept.read_bytes()
    kept.write_bytes(b"damaged")

    _counted_apart(["hello"])

    assert kept.read_bytes() == whole


def test_what_is_kept_is_looked_at_once_in_a_process(new_cache: Path) -> None:
    kept = new_cache / "vocabularies/cl100k_base.tokens"
    OfflineTokenizer("cl100k_base").count(["hello"])
    assert kept.exists()
    kept.unlink()

    OfflineTokenizer("cl100k_base").count(["hello"])

    assert not kept.exists()


def _counted_apart(texts: list[str], encoding: str = "cl100k_base") -> str:
    program = (
        "import json, sys; from satchel_plugins.tokenizers.offline import OfflineTokenizer;"
        f"tokenizer = OfflineTokenizer({encoding!r});"
        "counts = tokenizer.count(json.loads(sys.argv[1]));"
        "print(json.dumps({'counts': counts, 'toktok': 'toktok' in sys.modules}))"
    )
    command = [sys.executable, "-c", program, json.dumps(texts)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
