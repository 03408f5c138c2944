"""Ranks of a vocabulary, kept in files."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel_plugins.tokenizers.vocabulary import are_at_hand, keep_ranks, ranks_of, tokens_of


@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base"])
def test_every_token_has_its_rank_and_no_other(encoding: str, ranks: Path) -> None:
    tokens = [token.decode("latin-1") for token in tokens_of(encoding)]
    expected = {token: rank for rank, token in enumerate(tokens) if "\xff" not in token}
    plain = ranks_of(encoding, plain=True, folder=ranks)
    other = ranks_of(encoding, plain=False, folder=ranks)

    assert plain is not None
    assert other is not None
    assert plain.rank("no such token", -1) == other.rank("no such token", -1) == -1
    for some in (list(expected)[::25], list(expected)):  # a few are looked up otherwise than all are
        for token in some:
            mine, its = (plain, other) if token.isascii() else (other, plain)
            assert (mine.rank(token, -1), its.rank(token, -1)) == (expected[token], -1)


def test_the_ranks_are_those_that_everybody_knows(ranks: Path) -> None:
    plain = ranks_of("o200k_base", plain=True, folder=ranks)

    assert plain is not None
    assert plain.rank(" the", -1) == 290
    assert len(list(tokens_of("o200k_base"))) == 199_998


def test_the_ranks_that_are_installed_need_no_folder(tmp_path: Path) -> None:
    assert are_at_hand("o200k_base", tmp_path)
    assert not are_at_hand("cl100k_base", tmp_path)


def test_no_file_and_no_other_content_gives_no_ranks(ranks: Path, tmp_path: Path) -> None:
    assert ranks_of("cl100k_base", plain=True, folder=tmp_path) is None

    forged = (ranks / "cl100k_base.ascii").read_bytes().replace(b"\xff the\xff", b"\xff eht\xff")
    (tmp_path / "cl100k_base.ascii").write_bytes(forged)

    assert ranks_of("cl100k_base", plain=True, folder=tmp_path) is None


def test_where_a_file_can_not_be_written_no_unfinished_one_is_left(tmp_path: Path) -> None:
    (tmp_path / "o200k_base.ascii").mkdir()

    with pytest.raises(IsADirectoryError):
        keep_ranks("o200k_base", [b"a", b"\xff"], tmp_path)

    assert not [one for one in tmp_path.iterdir() if one.name.startswith(".")]
