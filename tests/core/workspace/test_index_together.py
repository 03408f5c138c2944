"""Processes that use the index of one workspace at a time: each answers from all files."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.core.repositories import counting, write_files
from tests.processes import run_satchel, start_satchel

from satchel.workspace import Index, IndexStore, list_files
from satchel.workspace.index.documents import BODY, NAME, PATH

FILES = 150
"""More than may be gone before an index is made anew."""
_TERMS = ("login", "logins", "user", "f7", "py")
_CACHE = "index.sqlite"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    text = "def login{0}(user):\n    return user\n"
    return write_files(tmp_path / "w", {f"d/f{n}.py": text.format(n) for n in range(FILES)})


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satchel.workspace.index.documents._FLUSH_CHARACTERS", 500)


def found_in(index: Index) -> Mapping[str, Mapping[str, int]]:
    """Return where an index finds terms, by path."""
    paths = {document.id: path for path, document in index.documents.items()}
    return {
        field + term: {
            paths[id_]: count for id_, count in index.postings(term, field).items() if id_ in paths
        }
        for field in (BODY, PATH, NAME)
        for term in _TERMS
    }


def found_alone(root: Path) -> Mapping[str, Mapping[str, int]]:
    return found_in(refreshed(root, None)[0])


def refreshed(root: Path, place: Path | None) -> tuple[Index, list[str]]:
    """Bring an index up to date as another process would; return it and the paths that were read."""
    index = Index(IndexStore.open(place))
    read, paths = counting(lambda path: (root / path).read_bytes())
    assert index.refresh(list_files(root, None).entries, read) == []
    return index, paths


def change_all(root: Path) -> None:
    """Give each file another time, so that all of them are read again."""
    for path in root.rglob("*.py"):
        os.utime(path, (1_000_000_000, 1_000_000_000))


class Beside:
    """A second process's refresh, begun when the first has written a fifth of the files.

    If the second one reads a file, the first one goes on to its end, and only then does the second one.
    """

    def __init__(self, root: Path, place: Path, *, waits_seconds: float) -> None:
        self.read: list[str] = []
        self._root, self._place, self._waits_seconds = root, place, waits_seconds
        self._thread = threading.Thread(target=self._run)
        self._reads, self._may_go_on = threading.Event(), threading.Event()
        self._done = 0

    def read_file(self, path: str) -> bytes:
        """Read a file for the first process; after a fifth of them start the second one."""
        self._done += 1
        if self._done == FILES // 5:
            self._thread.start()
            self._reads.wait(self._waits_seconds)
        return (self._root / path).read_bytes()

    def index(self) -> Index:
        """Return the index of the second process, after the first one has ended."""
        self._may_go_on.set()
        self._thread.join(60)
        return self._index

    def _run(self) -> None:
        self._index = Index(IndexStore.open(self._place))
        self._index.refresh(list_files(self._root, None).entries, self._read_late)

    def _read_late(self, path: str) -> bytes:
        self.read.append(path)
        self._reads.set()
        self._may_go_on.wait(60)
        return (self._root / path).read_bytes()


def test_two_processes_that_build_an_index_at_once_both_find_everything(root: Path, tmp_path: Path) -> None:
    beside = Beside(root, tmp_path / _CACHE, waits_seconds=0.5)
    index = Index(IndexStore.open(tmp_path / _CACHE))

    assert index.refresh(list_files(root, None).entries, beside.read_file) == []

    assert len(index.documents) == len(beside.index().documents) == FILES
    assert found_in(index) == found_in(beside.index()) == found_alone(root)


def test_a_process_waits_for_the_one_that_builds_and_reads_nothing_twice(root: Path, tmp_path: Path) -> None:
    beside = Beside(root, tmp_path / _CACHE, waits_seconds=0.5)

    Index(IndexStore.open(tmp_path / _CACHE)).refresh(list_files(root, None).entries, beside.read_file)

    assert len(beside.index().documents) == FILES
    assert beside.read == []


def test_a_process_that_hangs_is_not_waited_for(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("satchel.workspace.index.documents._PATIENCE_SECONDS", 0.1)
    beside = Beside(root, tmp_path / _CACHE, waits_seconds=60)
    index = Index(IndexStore.open(tmp_path / _CACHE))

    index.refresh(list_files(root, None).entries, beside.read_file)

    assert found_in(index) == found_in(beside.index()) == found_alone(root)
    assert refreshed(root, tmp_path / _CACHE)[1] == []


def test_what_one_process_has_in_memory_is_found_after_another_emptied_the_index(
    root: Path, tmp_path: Path
) -> None:
    index, _ = refreshed(root, tmp_path / _CACHE)
    known = index.documents

    change_all(root)
    refreshed(root, tmp_path / _CACHE)

    assert found_in(index) == found_alone(root)
    assert index.documents is known


@pytest.mark.weekly
def test_what_a_process_did_not_write_again_after_it_emptied_the_index_is_written_by_the_next(
    root: Path, tmp_path: Path
) -> None:
    index, _ = refreshed(root, tmp_path / _CACHE)
    change_all(root)
    done: list[str] = []

    def ends(path: str) -> bytes:
        done.append(path)
        if len(done) > FILES // 2:
            raise KeyboardInterrupt
        return (root / path).read_bytes()

    with pytest.raises(KeyboardInterrupt):
        Index(IndexStore.open(tmp_path / _CACHE)).refresh(list_files(root, None).entries, ends)

    assert found_in(index) == found_alone(root)


def test_an_unchanged_workspace_needs_no_lock(root: Path, tmp_path: Path) -> None:
    refreshed(root, tmp_path / _CACHE)
    for lock in tmp_path.glob("*.lock"):
        lock.unlink()

    refreshed(root, tmp_path / _CACHE)

    assert list(tmp_path.glob("*.lock")) == []


def test_files_that_are_written_again_by_two_processes_leave_no_numbers_that_nobody_has(
    root: Path, tmp_path: Path
) -> None:
    beside = Beside(root, tmp_path / _CACHE, waits_seconds=0.5)
    Index(IndexStore.open(tmp_path / _CACHE)).refresh(list_files(root, None).entries, beside.read_file)
    beside.index()

    write_files(root, {"d/f1.py": "def login1(user): ...\n"}, age_seconds=500)

    assert refreshed(root, tmp_path / _CACHE)[1] == ["d/f1.py"]


_BUILDS = """
import sys, time
from pathlib import Path
from satchel.workspace import Index, IndexStore, list_files
from satchel.workspace.index import documents
documents._FLUSH_CHARACTERS = 500
root, place, begun = map(Path, sys.argv[1:])
done = []
def read(path):
    done.append(path)
    if len(done) == 75:
        begun.touch()
        time.sleep(60)
    return (root / path).read_bytes()
Index(IndexStore.open(place)).refresh(list_files(root, None).entries, read)
"""


@pytest.mark.skipif(os.name == "nt", reason="there are no such signals")
def test_a_process_killed_while_it_builds_leaves_no_lock(root: Path, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    building = start_satchel([str(root), str(tmp_path / _CACHE), str(begun)], code=_BUILDS)
    wait_for(begun)

    building.send_signal(signal.SIGKILL)
    building.wait()
    began = time.monotonic()
    index, read = refreshed(root, tmp_path / _CACHE)

    assert time.monotonic() - began < 10
    assert 0 < len(read) < FILES
    assert found_in(index) == found_alone(root)


_PACKS = """
import sys, time
from pathlib import Path
import satchel
from satchel.workspace.index import documents
documents._FLUSH_CHARACTERS = 500
root, begun, goes_on = map(Path, sys.argv[1:4])
def progress(stage, count, total):
    if stage == "index" and total and count == int(sys.argv[4]):
        begun.touch()
        until = time.monotonic() + 3
        while not goes_on.exists() and time.monotonic() < until:
            time.sleep(0.01)
bundle = satchel.pack("how does the login work", root, options=satchel.PackOptions(progress=progress))
sys.stdout.write(bundle.text)
"""
_WATCHES = """
import sys
from pathlib import Path
import satchel
with satchel.watch(sys.argv[1]) as watch:
    first = watch.pack("how does the login work").text
    print("watching", flush=True)
    sys.stdin.readline()
    assert watch.pack("how does the login work").text == first
    text = watch.pack("where is login7 used").text
sys.stdout.write(text)
"""


def wait_for(place: Path) -> None:
    until = time.monotonic() + 60
    while not place.exists():
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.weekly
def test_two_packs_that_begin_with_a_new_cache_answer_as_one_alone(root: Path, tmp_path: Path) -> None:
    begun, ended = tmp_path / "begun", tmp_path / "ended"
    alone, shared = (os.environ | {"SATCHEL_CACHE_DIR": str(tmp_path / name)} for name in ("one", "two"))
    second_begun = str(tmp_path / "second")

    first = start_satchel(
        [str(root), str(begun), second_begun, str(FILES // 5)],
        code=_PACKS,
        env=shared,
        stdout=subprocess.PIPE,
    )
    wait_for(begun)
    second = start_satchel(
        [str(root), second_begun, str(ended), "0"], code=_PACKS, env=shared, stdout=subprocess.PIPE
    )
    answers = [first.communicate(timeout=120)[0]]
    ended.touch()
    answers.append(second.communicate(timeout=120)[0])

    expected = run_satchel([str(root), str(begun), str(ended), "0"], code=_PACKS, env=alone, check=True)
    assert answers == [expected.stdout] * 2


@pytest.mark.weekly
def test_a_pack_beside_the_command_index_with_a_new_cache_answers_as_alone(
    root: Path, tmp_path: Path
) -> None:
    begun, ended = tmp_path / "begun", tmp_path / "ended"
    alone, shared = (os.environ | {"SATCHEL_CACHE_DIR": str(tmp_path / name)} for name in ("one", "two"))
    pack = [str(root), str(begun), str(ended), str(FILES // 5)]

    first = start_satchel(pack, code=_PACKS, env=shared, stdout=subprocess.PIPE)
    wait_for(begun)
    run_satchel(["index", "--root", str(root)], env=shared, check=True)
    ended.touch()
    answer = first.communicate(timeout=120)[0]

    assert answer == run_satchel(pack, code=_PACKS, env=alone, check=True).stdout


@pytest.mark.weekly
def test_a_watch_beside_a_pack_that_makes_the_index_anew_answers_as_before(
    root: Path, tmp_path: Path
) -> None:
    env, alone = (os.environ | {"SATCHEL_CACHE_DIR": str(tmp_path / name)} for name in ("one", "two"))
    watch = start_satchel([str(root)], code=_WATCHES, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert watch.stdout is not None
    assert watch.stdout.readline() == b"watching\n"
    index = next((tmp_path / "one").rglob("*.sqlite"))
    refreshed(write_files(tmp_path / "other", {"a.py": "x = 1\n"}), index)  # the files of the watch are gone

    told = watch.communicate(b"\n", timeout=120)[0]

    assert told is not None
    words = ["pack", "where is login7 used", "--root", str(root)]
    expected = run_satchel(words, env=alone, check=True).stdout
    assert (watch.returncode, told.rstrip()) == (0, expected.rstrip())
