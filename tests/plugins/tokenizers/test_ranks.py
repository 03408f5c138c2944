"""Ranks of a vocabulary, kept in files."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel_plugins.tokenizers.ranks import keep_ranks, ranks_of


def test_every_token_has_its_rank(ranks: Path) -> None:
    plain = ranks_of("o200k_base", plain=True, folder=ranks)
    other = ranks_of("o200k_base", plain=False, folder=ranks)

    assert plain is not None
    assert other is not None
    assert plain[" the"] == 290
    assert len(plain) + len(other) == 199_998 - 1  # one token holds a byte that stands in no text
    assert not plain.keys() & other.keys()


def test_no_file_and_no_other_content_gives_no_ranks(ranks: Path, tmp_path: Path) -> None:
    forged = (ranks / "o200k_base.ascii").read_bytes().replace(b"\xff the\xff", b"\xff eht\xff")
    (tmp_path / "o200k_base.ascii").write_bytes(forged)

    assert ranks_of("o200k_base", plain=True, folder=tmp_path) is None
    assert ranks_of("cl100k_base", plain=True, folder=tmp_path) is None


def test_where_a_file_can_not_be_written_no_unfinished_one_is_left(tmp_path: Path) -> None:
    (tmp_path / "o200k_base.ascii").mkdir()

    with pytest.raises(IsADirectoryError):
        keep_ranks("o200k_base", [b"a", b"\xff"], tmp_path)

    assert not [one for one in tmp_path.iterdir() if one.name.startswith(".")]
