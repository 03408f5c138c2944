"""A folder, memory and an S3 of the tests' own keep the contract of blobs; errors are one line."""

from __future__ import annotations

import contextlib
import gzip
import itertools
import os
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from satchel import Session
from satchel.archive import ArchiveError
from satchel.errors import PointerError
from satchel.plugin_api import StoreError
from satchel.redaction.scanning import NO_SCANNERS
from satchel.session.places import open_place
from satchel.session.shared_snapshots import restore_shared, share_snapshot
from satchel.shared_archive import SharedArchive
from satchel.testing.contracts import BlobStoreContract

from satchel_fsspec.blobs import FileBlobs, open_blobs
from satchel_fsspec.plugins import FileSystems

NUMBERS = itertools.count()
TEXT = "one\ntwo größe\n" * 500


class TestFolder(BlobStoreContract):
    plugin = FileSystems

    @pytest.fixture
    def address(self, tmp_path: Path) -> str:
        return f"file://{tmp_path / 'blobs'}"


class TestMemory(BlobStoreContract):
    plugin = FileSystems

    @pytest.fixture
    def address(self) -> str:
        return f"memory://place{next(NUMBERS)}/prefix"


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """Start an S3 of moto's in a process of its own; return the name of a bucket."""
    pytest.importorskip("s3fs")
    pytest.importorskip("moto.server")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    before = dict(os.environ)
    os.environ.update(
        AWS_ACCESS_KEY_ID="tests",
        AWS_SECRET_ACCESS_KEY="tests",
        AWS_DEFAULT_REGION="us-east-1",
        AWS_ENDPOINT_URL=f"http://127.0.0.1:{port}",
    )
    import fsspec

    until = time.monotonic() + 60
    while True:
        try:
            fsspec.filesystem("s3", skip_instance_cache=True).mkdir("tests")
        except Exception:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)
        else:
            break
    yield "tests"
    server.kill()
    server.wait()
    os.environ.clear()
    os.environ.update(before)


@pytest.mark.filterwarnings("ignore")
class TestBucket(BlobStoreContract):
    plugin = FileSystems

    @pytest.fixture
    def address(self, bucket: str) -> str:
        return f"s3://{bucket}/team/project{next(NUMBERS)}"


def archive_at(address: str, folder: Path) -> SharedArchive:
    return SharedArchive(folder, FileSystems().open(address))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("scheme", ["file", "memory", "s3"])
def test_an_archive_is_shared_by_its_address(
    scheme: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    place = request.getfixturevalue("bucket") if scheme == "s3" else str(tmp_path / "there")
    address = f"{scheme}://{place}/shared{next(NUMBERS)}"
    mine, theirs = archive_at(address, tmp_path / "mine"), archive_at(address, tmp_path / "theirs")
    hash_ = mine.put(TEXT)

    assert theirs.get(hash_[:10]) == TEXT
    assert [entry.hash for entry in theirs.show()] == [hash_]
    other = archive_at(f"{address}-other", tmp_path / "other")
    assert not other.has(hash_)
    assert [entry.hash for entry in theirs.prune(oldest_seconds=-1, most_bytes=0)] == [hash_]
    assert mine.show() == []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("scheme", ["file", "memory", "s3"])
def test_a_snapshot_is_a_session_on_another_machine(
    scheme: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    place = request.getfixturevalue("bucket") if scheme == "s3" else str(tmp_path / "there")
    blobs = open_blobs(f"{scheme}://{place}/shared{next(NUMBERS)}", {})
    key = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    with Session.open("s", store=tmp_path / "mine", create=True) as session:
        session.add({"role": "user", "content": f"my key is {key}"})
        shared = share_snapshot(session, session.snapshot(), blobs, scanners=NO_SCANNERS, keep=5)

    (kept,) = blobs.list()
    assert key not in gzip.decompress(blobs.get(kept.key) or b"").decode()
    opened = open_place(tmp_path / "theirs", create=True)
    with contextlib.closing(opened.store) as store:
        came = restore_shared(store, blobs, "s", folder=opened.folder, now=0.0)
    assert came.withheld == shared.withheld
    with Session.open("s", store=tmp_path / "theirs") as session:
        assert "my key is [redacted:" in session.messages()[0]["content"]
        assert session.head == shared.withheld[0]


@pytest.mark.skipif(os.name == "nt", reason="rights of files are POSIX")
@pytest.mark.parametrize(("given", "folders", "files"), [(0o2770, 0o2770, 0o660), (None, 0o700, 0o600)])
def test_who_may_use_the_folder_may_use_what_is_in_it(
    tmp_path: Path, given: int | None, folders: int, files: int
) -> None:
    place = tmp_path / "there"
    if given is not None:
        place.mkdir()
        place.chmod(given)
    open_blobs(f"file://{place}", {}).put("texts/ab/abcd", b"x")

    made = [place, place / "texts", place / "texts/ab", place / "texts/ab/abcd"]
    assert [stat.S_IMODE(one.stat().st_mode) for one in made] == [folders] * 3 + [files]


def test_a_file_that_lies_is_told_and_made_anew(tmp_path: Path) -> None:
    address = f"file://{tmp_path / 'there'}"
    mine, theirs = archive_at(address, tmp_path / "mine"), archive_at(address, tmp_path / "theirs")
    hash_ = mine.put(TEXT)
    (file,) = (tmp_path / "there").glob("texts/*/*")
    file.write_bytes(file.read_bytes()[:-5])

    with pytest.raises(PointerError, match="is damaged"):
        theirs.get(hash_)
    archive_at(address, tmp_path / "mine").put(TEXT)
    assert theirs.get(hash_) == TEXT


def test_what_is_not_whole_yet_is_not_listed(tmp_path: Path) -> None:
    blobs = open_blobs(f"file://{tmp_path}", {})
    blobs.put("texts/ab/abcd", b"x")
    (tmp_path / "texts/ab/.new-1234").write_bytes(b"half")

    assert [one.key for one in blobs.list()] == ["texts/ab/abcd"]


def test_a_file_system_that_renames_leaves_no_half_of_a_file(tmp_path: Path) -> None:
    from fsspec.implementations.memory import MemoryFileSystem

    class Slow(MemoryFileSystem):  # type: ignore[misc]
        protocol = "sftp"
        store: ClassVar[dict[str, object]] = {}
        pseudo_dirs: ClassVar[list[str]] = [""]

        def pipe_file(self, path: str, value: bytes, **options: object) -> None:
            super().pipe_file(path, value[:3])
            if value == b"breaks":
                raise ConnectionResetError("gone")
            super().pipe_file(path, value)

    blobs = FileBlobs(Slow(), "/root", "sftp://host/root")
    blobs.put("a/1", b"whole")
    with pytest.raises(StoreError, match=r"can't be reached \(gone\)"):
        blobs.put("a/1", b"breaks")

    assert blobs.get("a/1") == b"whole"
    assert [one.key for one in blobs.list()] == ["a/1"]


def test_old_objects_are_made_new_by_sending_them_again(monkeypatch: pytest.MonkeyPatch) -> None:
    blobs = open_blobs(f"memory://old{next(NUMBERS)}", {})
    blobs.put("a", b"x")
    later = time.time() + 3 * 86_400
    monkeypatch.setattr("satchel_fsspec.blobs.time.time", lambda: later)
    (before,) = blobs.list()

    assert blobs.touch("a")
    (after,) = blobs.list()
    assert after.used >= before.used
    assert blobs.get("a") == b"x"


@pytest.mark.parametrize(
    ("address", "options", "says"),
    [
        ("file:///proc/nothing/here", {}, "no such bucket or folder|can't be used"),
        ("gs://bucket/x", {}, "its file system is not installed"),
        ("memory://x", {"nonsense": object()}, ""),
    ],
)
def test_what_is_wrong_is_one_line(address: str, options: dict[str, object], says: str) -> None:
    if not says:
        open_blobs(address, options)
        return
    with pytest.raises(StoreError, match=says) as raised:
        open_blobs(address, options).put("a/b", b"x")
    assert "\n" not in str(raised.value)


@pytest.mark.filterwarnings("ignore")
def test_an_s3_that_does_not_answer_is_one_line(bucket: str, tmp_path: Path) -> None:
    options = {
        "client_kwargs": {"endpoint_url": "http://127.0.0.1:1"},
        "config_kwargs": {"retries": {"max_attempts": 1}},
    }
    archive = SharedArchive(tmp_path, open_blobs("s3://tests/x", options))

    with pytest.raises(ArchiveError, match="can't be reached") as raised:
        archive.put("text\n")
    assert "\n" not in str(raised.value)


@pytest.mark.filterwarnings("ignore")
def test_a_bucket_that_is_not_there_is_one_line(bucket: str) -> None:
    with pytest.raises(StoreError, match="no such bucket or folder"):
        open_blobs("s3://no-such-bucket-here/x", {}).put("a", b"x")
