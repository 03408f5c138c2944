"""An archive at an address keeps what a folder keeps: nothing with a secret, nothing that lies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.core.fakes import Shelf

from satchel import PointerError, UsageError
from satchel.archive import Archive, ArchiveError
from satchel.shared_archive import SharedArchive, open_archive

TEXT = "one\ntwo größe\n" * 500


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def mine(shelf: Shelf, tmp_path: Path) -> SharedArchive:
    return SharedArchive(tmp_path / "mine", shelf)


@pytest.fixture
def theirs(shelf: Shelf, tmp_path: Path) -> SharedArchive:
    return SharedArchive(tmp_path / "theirs", shelf)


def test_what_one_puts_another_reads(mine: Archive, theirs: Archive) -> None:
    hash_ = mine.put(TEXT)

    assert theirs.get(hash_[:8]) == TEXT
    assert theirs.lines(hash_, 2, 2) == "two größe\n"
    assert theirs.has(hash_)
    assert [entry.hash for entry in theirs.show()] == [hash_]


def test_no_secret_leaves_the_machine(mine: Archive, shelf: Shelf, theirs: Archive) -> None:
    hash_ = mine.put("token = 'ghp_" + "a1B2" * 9 + "'\n")

    assert "redacted" in theirs.get(hash_)
    assert all(b"ghp_" not in content for content in shelf.kept.values())


def test_a_blob_that_lies_is_told_and_made_anew(mine: Archive, theirs: Archive, shelf: Shelf) -> None:
    hash_ = mine.put(TEXT)
    (key,) = shelf.kept
    shelf.kept[key] = b"junk"

    with pytest.raises(PointerError, match="is damaged in shelf; run the command again"):
        theirs.get(hash_)
    assert mine.get(hash_) == TEXT
    SharedArchive(mine.folder, shelf).put(TEXT)
    assert theirs.get(hash_) == TEXT


def test_what_is_damaged_on_this_machine_is_fetched_anew(mine: SharedArchive) -> None:
    hash_ = mine.put(TEXT)
    mine.place(hash_).write_bytes(b"junk")

    assert mine.get(hash_) == TEXT


def test_what_is_there_is_not_sent_again(mine: Archive, theirs: Archive, shelf: Shelf) -> None:
    mine.put(TEXT)
    theirs.put(TEXT)
    theirs.put(TEXT)

    assert shelf.puts == 1


def test_a_place_out_of_reach_is_one_line(mine: Archive, theirs: Archive, shelf: Shelf) -> None:
    hash_ = mine.put(TEXT)
    shelf.away = True

    with pytest.raises(ArchiveError, match="shelf does not answer; try again"):
        mine.put("another\n")
    with pytest.raises(ArchiveError, match="does not answer"):
        theirs.get(hash_)
    assert mine.get(hash_) == TEXT


def test_prune_removes_what_is_old_for_all(mine: Archive, theirs: Archive, shelf: Shelf) -> None:
    old, new = mine.put("old\n"), mine.put("new\n")
    kept = mine.put("kept\n")
    for key in shelf.times:
        shelf.times[key] -= 0 if key.endswith(new) else 99 * 86_400

    gone = theirs.prune(oldest_seconds=86_400, most_bytes=1 << 30, keep={kept})

    assert [entry.hash for entry in gone] == [old]
    assert {entry.hash for entry in mine.show()} == {new, kept}


def test_a_folder_of_the_configuration_is_the_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SATCHEL_ARCHIVE", str(tmp_path / "here"))

    assert open_archive().folder == tmp_path / "here" / "archive"
    assert open_archive(tmp_path / "there").folder == tmp_path / "there" / "archive"


def test_an_unknown_scheme_makes_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(UsageError, match="no installed plugin keeps the archive at nothere://"):
        open_archive("nothere://h/d")
    assert os.listdir(tmp_path) == []


def test_the_address_of_a_folder_is_the_folder(tmp_path: Path) -> None:
    assert open_archive(f"sqlite://{tmp_path}").folder == tmp_path / "archive"
