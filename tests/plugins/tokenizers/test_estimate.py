from __future__ import annotations

import base64
import json
import random
import sysconfig
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel_plugins.tokenizers import OfflineTokenizer
from satchel_plugins.tokenizers.estimate import FEATURES, EstimateTokenizer, TextKind, features, text_kind

LIBRARY = Path(sysconfig.get_path("stdlib"))


def errors(texts: list[str]) -> list[float]:
    exact = OfflineTokenizer().count(texts)
    estimated = EstimateTokenizer().count(texts)
    return [guess / truth - 1 for guess, truth in zip(estimated, exact, strict=True)]


@given(st.text(st.characters(codec=None), min_size=1, max_size=200))
def test_a_text_never_counts_nothing_nor_more_than_its_bytes(text: str) -> None:
    (tokens,) = EstimateTokenizer().count([text])

    assert 1 <= tokens <= len(text.encode("utf-8", "replace"))


def test_an_empty_text_counts_nothing() -> None:
    assert EstimateTokenizer().count(["", "a", ""]) == [0, 1, 0]


@pytest.mark.weekly
def test_nine_of_ten_source_files_are_within_the_stated_error() -> None:
    texts = [path.read_text(encoding="utf-8") for path in sorted(LIBRARY.glob("*.py"))[:120]]

    off = sorted(abs(error) for error in errors([text for text in texts if text]))

    assert off[int(0.9 * len(off))] <= EstimateTokenizer().error
    assert sum(off) / len(off) < 0.06


@pytest.mark.parametrize("kind", ["base64", "hexadecimal", "numbers", "minified"])
def test_dense_texts_are_not_taken_for_prose(kind: str) -> None:
    chance = random.Random(5)
    noise = chance.randbytes(4000)
    text = {
        "base64": base64.b64encode(noise).decode(),
        "hexadecimal": noise.hex(),
        "numbers": " ".join(str(chance.random()) for _ in range(500)),
        "minified": json.dumps([{"id": n, "at": chance.random()} for n in range(300)], separators=(",", ":")),
    }[kind]

    assert abs(errors([text])[0]) < 0.15


def test_odd_texts_are_never_estimated_at_next_to_nothing(odd_texts: list[str]) -> None:
    long_enough = [text * 20 for text in odd_texts if len(text.strip()) > 25]

    assert all(-0.6 < error < 1.5 for error in errors(long_enough))


@pytest.mark.weekly
def test_huge_texts_take_time_in_proportion(huge_texts: list[str]) -> None:
    started = time.process_time()

    counts = EstimateTokenizer().count(huge_texts)

    assert time.process_time() - started < 10
    assert all(count > 1000 for count in counts)


def test_a_mixed_file_is_judged_piece_by_piece() -> None:
    prose, table = "The packer keeps what matters most. " * 2500, "0.123456 7.654321\n" * 5000

    apart, together = EstimateTokenizer().count([prose, table]), EstimateTokenizer().count([prose + table])

    assert abs(sum(apart) - together[0]) < 0.1 * sum(apart)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("A sentence of plain words.", TextKind.PLAIN),
        ('{"a": [{}, {}, {"b": null}]}', TextKind.MARKED),
        ("0x7f3a 1234567890", TextKind.DENSE),
        ("上下文窗口很小", TextKind.FOREIGN),
    ],
)
def test_a_text_is_of_the_kind_that_most_of_it_is(text: str, kind: TextKind) -> None:
    assert text_kind(features(text)) is kind


def test_features_count_characters_and_borders() -> None:
    counted = dict(zip(FEATURES, features("camelCase = 12\n"), strict=True))

    assert [counted[letter] for letter in "ludsnp"] == [8, 1, 2, 2, 1, 1]
    assert (counted["lu"], counted["sd"], counted["pp"]) == (1, 1, 0)


def test_it_never_claims_to_be_exact() -> None:
    tokenizer = EstimateTokenizer()

    assert not tokenizer.exact
    assert 0 < tokenizer.error < 0.2
    assert tokenizer.key not in {"o200k_base", "cl100k_base"}
