"""Files of satchel's own: whom they belong to, who may read them, and whether they are whole."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from satchel import WorkspaceError
from satchel.plugin_api import (
    StoreError,
    TrustStore,
    make_private_folder,
    open_store,
    read_private,
    read_record,
    replacing,
    write_record,
)
from satchel.private_files import ForeignFileError, expand_path, open_private, user_id, why_foreign
from satchel.session import store_file as sessions_file
from satchel.workspace import IndexStore, store_file, trust

SOMEBODY = (user_id() or 0) + 1
"""Another user: what the tests make belongs to one who isn't that one."""


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("umask", [0o000, 0o002, 0o022, 0o077, 0o277, 0o777])
def test_what_is_made_is_private_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        make_private_folder(tmp_path / "a/b/c")
        with replacing(tmp_path / "a/b/c/f") as file:
            file.write(b"x")
    finally:
        os.umask(before)

    made = [tmp_path / name for name in ("a", "a/b", "a/b/c", "a/b/c/f")]
    assert [mode(path) for path in made] == [0o700, 0o700, 0o700, 0o600]
    assert read_private(made[-1]) == b"x"


def test_a_file_of_the_user_is_believed_and_one_of_somebody_else_is_not(tmp_path: Path) -> None:
    path = tmp_path / "f"
    write_record(path, {})

    assert why_foreign(path) == why_foreign(tmp_path) == why_foreign(tmp_path / "missing") == ""
    assert "belongs to another user" in why_foreign(path, user=SOMEBODY)
    assert "belongs to another user" in why_foreign(tmp_path, user=SOMEBODY)


@pytest.mark.parametrize("bits", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_is_not_believed(tmp_path: Path, bits: int) -> None:
    path = tmp_path / "f"
    write_record(path, {"a": 1})
    path.chmod(bits)

    assert read_record(path) == {}
    with pytest.raises(ForeignFileError, match="can be written by others"):
        read_private(path)


@pytest.mark.parametrize("bits", [0o770, 0o707, 0o1777])
def test_a_file_in_a_folder_where_others_may_write_is_not_believed(tmp_path: Path, bits: int) -> None:
    folder = tmp_path / "shared"
    write_record(folder / "f", {"a": 1})
    folder.chmod(bits)

    assert read_record(folder / "f") == {}


def test_a_folder_that_is_shared_on_purpose_is_left_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)

    with pytest.raises(ForeignFileError):
        make_private_folder(tmp_path)
    assert mode(tmp_path) == 0o1777


def test_a_link_is_believed_for_what_it_leads_to(tmp_path: Path) -> None:
    write_record(tmp_path / "real/f", {"a": 1})
    (tmp_path / "link").symlink_to("real/f")
    with replacing(tmp_path / "link") as file:
        file.write(b'{"b": 2}')

    assert (tmp_path / "link").is_symlink()
    assert read_record(tmp_path / "real/f") == {"b": 2}


def test_a_link_to_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")

    assert "broken link" in why_foreign(tmp_path / "link")
    with pytest.raises(OSError, match="broken link"), replacing(tmp_path / "link"):
        pass
    with pytest.raises(OSError, match="link"):
        make_private_folder(tmp_path / "link")
    assert not (tmp_path / "nowhere").exists()


def test_what_is_no_file_is_neither_read_nor_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()

    for name in ("pipe", "folder"):
        with pytest.raises(OSError, match=r"is not a file|is a folder|directory"):
            open_private(tmp_path / name)
        with pytest.raises(OSError, match=r"is not a file|is a folder"), replacing(tmp_path / name):
            pass


def test_a_file_that_could_not_be_written_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    write_record(tmp_path / "f", {"a": 1})
    with pytest.raises(TypeError), replacing(tmp_path / "f") as file:
        file.writelines([b"half", None])  # type: ignore[list-item]

    assert [path.name for path in tmp_path.iterdir()] == ["f"]
    assert read_record(tmp_path / "f") == {"a": 1}


@pytest.mark.parametrize("record", [{}, {"a": [1, None, "\ud800ü"]}])
def test_a_record_comes_back(tmp_path: Path, record: dict[str, object]) -> None:
    assert write_record(tmp_path / "new/f", record)
    assert read_record(tmp_path / "new/f") == record


def test_a_home_that_nobody_has_is_told_in_one_line() -> None:
    with pytest.raises(Exception, match=r"SATCHEL_CACHE_DIR: ~nobody-of-that-name/x: there is no such home"):
        expand_path("~nobody-of-that-name/x", "SATCHEL_CACHE_DIR")


@pytest.mark.parametrize("where", ["file", "folder"])
def test_a_trust_store_that_others_may_write_trusts_nothing_and_says_so(tmp_path: Path, where: str) -> None:
    document = tmp_path / "AGENTS.md"
    document.write_bytes(b"Obey.\n")
    trust(document)
    (store_file() if where == "file" else store_file().parent).chmod(0o777)

    store = TrustStore.read()
    assert not store.knows(document, b"Obey.\n")
    assert str(store_file()) in store.problem


def test_a_trust_store_is_not_written_through_a_link_to_nothing(tmp_path: Path) -> None:
    document = tmp_path / "AGENTS.md"
    document.write_bytes(b"Obey.\n")
    store_file().parent.mkdir(parents=True)
    store_file().symlink_to(tmp_path / "elsewhere")

    assert "broken link" in TrustStore.read().problem
    with pytest.raises(WorkspaceError, match="broken link"):
        trust(document)
    assert not (tmp_path / "elsewhere").exists()


def test_a_store_of_sessions_behind_a_link_to_nothing_is_refused(tmp_path: Path) -> None:
    path = sessions_file(tmp_path / "store", tmp_path)
    path.parent.mkdir()
    path.symlink_to(tmp_path / "elsewhere")

    with pytest.raises(StoreError, match=r"broken link.*--store"):
        open_store(path, create=True)
    assert not (tmp_path / "elsewhere").exists()


def test_a_store_of_sessions_that_others_may_write_is_refused(tmp_path: Path) -> None:
    path = sessions_file(tmp_path / "store", tmp_path)
    open_store(path, create=True).close()
    path.chmod(0o666)

    with pytest.raises(StoreError, match="can be written by others"):
        open_store(path)


def test_a_folder_of_sessions_is_closed_to_others_and_one_with_other_things_is_not(tmp_path: Path) -> None:
    path = sessions_file(tmp_path / "store", tmp_path)
    open_store(path, create=True).close()
    path.parent.chmod(0o777)
    open_store(path).close()
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "work.txt").touch()
    shared.chmod(0o777)

    assert mode(path.parent) == 0o755
    with pytest.raises(StoreError, match="can be written by others"):
        open_store(sessions_file(shared, tmp_path), create=True)
    assert mode(shared) == 0o777


def test_an_index_that_others_may_have_written_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "index/i.sqlite"
    store = IndexStore.open(path)
    store.remember(lambda connection: connection.execute("INSERT INTO facts(name, value) VALUES ('a', 'b')"))
    store.close()
    path.chmod(0o666)
    again = IndexStore.open(path)

    assert again.rows("SELECT * FROM facts") == []
    assert mode(path) == 0o600
    again.close()


@pytest.mark.skipif(user_id() != 0, reason="only root can make files of another user")
@pytest.mark.parametrize("what", ["file", "folder", "above"])
def test_root_believes_nothing_of_another_user(tmp_path: Path, what: str) -> None:
    path = tmp_path / "home/state/trust.json"
    write_record(path, {"a": 1})
    os.chown({"file": path, "folder": path.parent, "above": path.parent.parent}[what], 65534, -1)

    assert read_record(path) == {}
    assert "another user (65534)" in why_foreign(path)
