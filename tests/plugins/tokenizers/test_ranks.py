"""Ranks of a vocabulary, kept in files."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel_plugins.tokenizers import keep_ranks, read_ranks, tokens_of
from satchel_plugins.tokenizers.vocabulary import NO_RANK


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base"])
def test_every_token_has_its_rank_and_no_other(encoding: str, ranks: Path) -> None:
    tokens = [token.decode("latin-1") for token in tokens_of(encoding)]

    kept = read_ranks(encoding, ranks)

    assert kept is not None
    told = {token: f"{rank:06}" for rank, token in enumerate(tokens) if not {"\xfe", "\xff"} & {*token}}
    assert {token: kept[token] for token in tokens} == dict.fromkeys(tokens, NO_RANK) | told
    assert kept[" no such token"] == NO_RANK
    assert len(kept) == len(tokens) + 1


def test_the_ranks_are_those_that_everybody_knows(ranks: Path) -> None:
    kept = read_ranks("o200k_base", ranks)

    assert kept is not None
    assert kept[" the"] == "000290"
    assert len(tokens_of("o200k_base")) == 199_998


def test_no_file_and_no_other_content_gives_no_ranks(ranks: Path, tmp_path: Path) -> None:
    assert read_ranks("cl100k_base", tmp_path) is None

    forged = (ranks / "cl100k_base.tokens").read_bytes().replace(b" the\xff", b" eht\xff")
    (tmp_path / "cl100k_base.tokens").write_bytes(forged)

    assert read_ranks("cl100k_base", tmp_path) is None


def test_where_a_file_can_not_be_written_no_unfinished_one_is_left(tmp_path: Path) -> None:
    (tmp_path / "o200k_base.tokens").mkdir()

    with pytest.raises(IsADirectoryError):
        keep_ranks("o200k_base", tmp_path)

    assert not [one for one in tmp_path.iterdir() if one.name.startswith(".")]
