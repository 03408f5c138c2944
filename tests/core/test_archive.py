"""The archive gives back exactly what was put there, or says that it can't."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.amounts import examples

from satchel import PointerError
from satchel.archive import Archive, ArchiveError
from satchel.private_files import state_folder

SECRET = "export GITHUB_TOKEN=ghp_R4nd0mT0k3nVaLu3ThatIsLongEnough12345\n"


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path / "archive")


def test_a_text_comes_back_by_its_hash_and_by_the_beginning_of_it(archive: Archive) -> None:
    hash_ = archive.put("one\ntwo\n")

    assert archive.get(hash_) == archive.get(hash_[:8]) == "one\ntwo\n"


def test_equal_texts_are_kept_once(archive: Archive) -> None:
    assert archive.put("same\n") == archive.put("same\n")
    assert len(archive.show()) == 1


def test_what_is_kept_holds_no_secret(archive: Archive) -> None:
    assert "ghp_R4nd0m" not in archive.get(archive.put(SECRET))


def test_only_the_owner_can_read_it(archive: Archive) -> None:
    place = archive.place(archive.put("mine\n"))

    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert stat.S_IMODE(archive.folder.stat().st_mode) == 0o700


@settings(max_examples=examples(40), deadline=None)
@given(
    lines=st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=9),
        min_size=1,
        max_size=30,
    ),
    data=st.data(),
)
def test_lines_are_those_of_the_text(
    lines: list[str], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    archive = Archive(tmp_path_factory.mktemp("archive"))
    first = data.draw(st.integers(1, len(lines)))
    last = data.draw(st.integers(first, len(lines)))
    hash_ = archive.put_clean("".join(f"{line}\n" for line in lines))

    assert archive.lines(hash_, first, last) == "".join(f"{line}\n" for line in lines[first - 1 : last])


@pytest.mark.parametrize(("text", "lines"), [("a\nb\n", "2 lines"), ("a\nb", "2 lines"), ("a", "1 line")])
def test_lines_behind_the_end_are_told(archive: Archive, text: str, lines: str) -> None:
    hash_ = archive.put_clean(text)

    last = int(lines.split()[0])
    assert archive.lines(hash_, last, 99).strip() == text.split()[-1]
    with pytest.raises(PointerError, match=f":{last + 1}-99: the text has {lines}$"):
        archive.lines(hash_, last + 1, 99)


def test_a_damaged_text_is_refused(archive: Archive) -> None:
    hash_ = archive.put("whole\n" * 50)
    place = archive.place(hash_)
    place.write_bytes(place.read_bytes()[:-3])

    with pytest.raises(PointerError, match=r"damaged|can't be read"):
        archive.get(hash_)


def test_a_text_that_was_damaged_can_be_put_there_again(archive: Archive) -> None:
    hash_ = archive.put("whole\n" * 50)
    archive.place(hash_).write_bytes(b"x")

    assert archive.get(archive.put("whole\n" * 50)) == "whole\n" * 50


@pytest.mark.parametrize("hash_", ["", "12", "../../etc/passwd", "zzzzzzzzzz", "0123456789abcdef"])
def test_what_is_no_hash_or_not_kept_is_told(archive: Archive, hash_: str) -> None:
    with pytest.raises(PointerError):
        archive.get(hash_)


def test_old_texts_go_and_kept_ones_stay(archive: Archive) -> None:
    old, needed = archive.put("old\n"), archive.put("needed\n")
    later = Archive(archive.folder, clock=lambda: 4e9)

    assert [entry.hash for entry in later.prune(keep={needed})] == [old]
    assert archive.get(needed) == "needed\n"


def test_the_oldest_go_first_where_there_is_too_much(tmp_path: Path) -> None:
    clock = iter(range(1_000, 2_000)).__next__
    archive = Archive(tmp_path, clock=lambda: 0.0)
    hashes = [archive.put(f"text {number}\n" * 9) for number in range(3)]
    for hash_ in hashes:
        archive.place(hash_).touch()
        import os

        now = clock()
        os.utime(archive.place(hash_), (now, now))
    size = max(entry.stored_bytes for entry in archive.show())

    archive.prune(most_bytes=2 * size)

    assert {entry.hash for entry in archive.show()} == set(hashes[1:])


def test_a_folder_that_cannot_be_made_is_an_error_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")

    with pytest.raises(ArchiveError, match="file"):
        Archive(tmp_path / "file" / "archive").put("text\n")


def test_a_writer_that_is_abandoned_leaves_nothing(archive: Archive) -> None:
    writer = archive.writer()
    writer.write(b"half")
    writer.abandon()

    assert archive.show() == []
    assert list(archive.folder.glob(".new-*")) == []


def test_the_state_folder_is_the_person_s_choice(tmp_path: Path) -> None:
    assert state_folder({"SATCHEL_STATE_DIR": str(tmp_path)}) == tmp_path


def test_what_weaker_rules_have_kept_comes_out_without_its_secret(archive: Archive) -> None:
    hash_ = archive.put_clean(f"first\n{SECRET}")

    assert "ghp_R4nd0m" not in archive.get(hash_)
    assert "ghp_R4nd0m" not in archive.lines(hash_, 2, 2)
