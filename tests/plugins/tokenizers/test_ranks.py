"""Ranks of a vocabulary, kept in files."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel_plugins.tokenizers.ranks import are_at_hand, keep_ranks, ranks_of
from satchel_plugins.tokenizers.tables import tokens_of


@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base"])
def test_every_token_has_its_rank(encoding: str, ranks: Path) -> None:
    tokens = [token.decode("latin-1") for token in tokens_of(encoding)]
    plain = ranks_of(encoding, plain=True, folder=ranks)
    other = ranks_of(encoding, plain=False, folder=ranks)

    assert plain is not None
    assert other is not None
    assert not plain.keys() & other.keys()
    assert plain["the"] == tokens.index("the")
    with pytest.raises(KeyError):
        plain["no such token"]
    for some in (plain, other):
        some.learn()
    assert {**plain, **other} == {token: rank for rank, token in enumerate(tokens) if "\xff" not in token}


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
