from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest
import toktok

from satchel import SatchelError
from satchel_plugins.tokenizers import cache_folders, find_table, rebuild_table, store_table, table_name

OFFICIAL = {
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}


@pytest.mark.parametrize("encoding", sorted(OFFICIAL))
def test_the_rebuilt_table_is_the_official_one_byte_for_byte(encoding: str) -> None:
    table = rebuild_table(encoding)

    assert hashlib.sha256(table).hexdigest() == OFFICIAL[encoding]
    assert table.startswith(base64.b64encode(b"!") + b" 0\n")


def test_tables_have_the_names_that_tiktoken_looks_for() -> None:
    assert table_name("cl100k_base") == "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
    assert table_name("o200k_base") == "fb374d419588a4632f3f557e76b4b70aebbca790"


def test_a_stored_table_is_found_again_and_nothing_else_is_left_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"

    store_table("cl100k_base", rebuild_table("cl100k_base"), folder)

    assert find_table("cl100k_base", iter([tmp_path, folder])) == folder
    assert [path.name for path in folder.iterdir()] == [table_name("cl100k_base")]


def test_a_damaged_table_is_passed_over(tmp_path: Path) -> None:
    store_table("cl100k_base", rebuild_table("cl100k_base")[:-100], tmp_path)

    assert find_table("cl100k_base", iter([tmp_path])) is None


@pytest.mark.weekly
def test_a_vocabulary_that_is_not_the_official_one_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toktok, "_encoding", lambda name, real=toktok._encoding: real("qwen3.5"))

    with pytest.raises(SatchelError, match="not the official one; install toktok-rs"):
        rebuild_table("o200k_base")


def test_tiktokens_own_folders_come_before_satchels() -> None:
    own = Path("own")

    assert list(cache_folders({"TIKTOKEN_CACHE_DIR": "a", "DATA_GYM_CACHE_DIR": "b"}, own)) == [
        Path("a"),
        own,
    ]
    assert list(cache_folders({"DATA_GYM_CACHE_DIR": "b"}, own)) == [Path("b"), own]
    assert [folder.name for folder in cache_folders({}, own)] == ["own"]
