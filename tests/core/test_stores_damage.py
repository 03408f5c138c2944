"""Whatever happens to a file that satchel keeps: an answer, or one line that says what is wrong."""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from satchel import SatchelError, Session, State, pack, why
from satchel.host import FirstUses, Named, find_entries
from satchel.packing import suggest
from satchel.plugin_api import TrustStore, cache_folder
from satchel.session import list_snapshots, rebuild, restore
from satchel.shared_archive import open_archive
from satchel.workspace import store_file, trust

from .repositories import write_files

TASK = "login fails with a wrong password"
FILES = {f"src/login{n}.py": f"def login{n}(password): return check{n}(password)\n" * 9 for n in range(8)}
SHAPES = (
    b"",
    b"[]",
    b"3",
    b"null",
    b"{}",
    b"[" * 100_000,
    b'{"trusted": [1], "announced": {"a": 1}, "form": 1, "entries": [[1]], "fingerprint": []}',
    b'{"schema": 1, "source": ["a"], "window": [], "sent": [["a", 1e999]], "outside": 0, "compactions": "x"}',
    b"9" * 10_000,
    b"\xff\xfe\x00",
    b"\0" * 5_000,
)


def _damaged(data: bytes, random_: random.Random) -> bytes:
    """Return bytes of a file after something happened to it."""
    at, length = random_.randrange(len(data) + 1), random_.choice((1, 100, 4_096))
    kind = random_.randrange(5)
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + b"\0" * len(data[at : at + length]) + data[at + length :]
    if kind == 2:
        return data[:at] + random_.randbytes(min(length, len(data) - at)) + data[at + length :]
    if kind == 3:
        return random_.choice(SHAPES)
    flipped = bytearray(data)
    for _ in range(random_.choice((1, 1, 20, 200)) if data else 0):
        flipped[random_.randrange(len(flipped))] ^= 1 << random_.randrange(8)
    return bytes(flipped)


def _other_things(path: Path, random_: random.Random) -> None:
    """Put something in the place of a file that is none."""
    path.unlink()
    thing = random_.choice((path.mkdir, lambda: os.mkfifo(path), lambda: path.symlink_to("nowhere")))
    thing()


def _hurt(path: Path, random_: random.Random) -> None:
    if path.suffix == ".sqlite" and random_.random() < 0.4:
        _change_a_cell(path, random_)
    elif random_.random() < 0.1:
        _other_things(path, random_)
    else:
        path.write_bytes(_damaged(path.read_bytes(), random_))


def _change_a_cell(path: Path, random_: random.Random) -> None:
    """Write something of another type into a column, as damage that sqlite itself does not notice."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        query = "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE TABLE%'"
        table = random_.choice([row[0] for row in connection.execute(query).fetchall()])
        columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")').fetchall()]
        value = random_.choice(
            ("x'ff'", "-1", "4611686018427387904", "''", "'['", "1.5", "CAST(x'ff' AS TEXT)")
        )
        try:
            connection.execute(f'UPDATE "{table}" SET "{random_.choice(columns)}" = {value}')
        except sqlite3.IntegrityError:
            connection.execute(f'DROP TABLE "{table}"')
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Make one of every file that satchel keeps."""
    monkeypatch.setenv("SATCHEL_CACHE_DIR", str(tmp_path / "kept/cache"))
    monkeypatch.setenv("SATCHEL_STATE_DIR", str(tmp_path / "kept/state"))
    root = write_files(tmp_path / "w", FILES | {"AGENTS.md": "Obey.\n"})
    trust(root / "AGENTS.md")
    pack(TASK, root, budget=500)
    find_entries(cache_folder())
    FirstUses(cache_folder()).is_first_use(Named("a", "a", "1", builtin=False))
    archive = open_archive()
    hash_ = archive.put("line\n" * 500)
    with Session.open("s", root=root, create=True) as session:
        for number in range(9):
            session.add({"role": "user", "content": f"message {number}"})
        session.snapshot()
    state = State.at(tmp_path / "kept/state.json")
    state.save()
    return SimpleNamespace(root=root, folder=tmp_path / "kept", hash=hash_, archive=archive)


def _answers(kept: SimpleNamespace) -> Iterator[Callable[[], object]]:
    """Yield everything that reads one of the files."""
    yield lambda: pack(TASK, kept.root, budget=500)
    yield lambda: why("src/login3.py", TASK, kept.root)
    yield lambda: suggest(kept.root)
    yield lambda: kept.archive.get(kept.hash)
    yield lambda: kept.archive.put("line\n" * 500)
    yield kept.archive.show
    yield lambda: kept.archive.prune(keep=kept.archive.find_needs())
    yield TrustStore.read
    yield lambda: State.at(kept.folder / "state.json").save()
    yield lambda: find_entries(cache_folder())
    yield lambda: FirstUses(cache_folder()).is_first_use(Named("c", "c", "1", builtin=False))
    yield lambda: _with_session(kept.root, lambda session: session.add({"role": "user", "content": "more"}))
    yield lambda: _with_session(kept.root, lambda session: session.messages())
    yield lambda: _with_session(kept.root, lambda session: list_snapshots(session.folder, "s", verified=True))
    yield lambda: _with_session(kept.root, restore)
    yield lambda: rebuild(next(kept.folder.glob("state/sessions/*")) / "sessions.sqlite")


def _with_session(root: Path, use: Callable[[Session], object]) -> None:
    with Session.open("s", root=root) as session:
        use(session)


def _try_all(kept: SimpleNamespace, seed: int, cases: int) -> None:
    random_ = random.Random(seed)
    files = sorted(path.relative_to(kept.folder) for path in kept.folder.rglob("*") if path.is_file())
    whole = kept.folder.with_name("whole")
    kept.folder.rename(whole)
    told: list[str] = []
    for _ in range(cases):
        shutil.copytree(whole, kept.folder)
        path = kept.folder / random_.choice(files)
        _hurt(path, random_)
        for answer in random_.sample(list(_answers(kept)), 6):
            try:
                answer()
            except SatchelError as error:
                told.append(str(error))
        shutil.rmtree(kept.folder)
    assert [text for text in told if "\n" in text or not text.strip()] == []


@pytest.mark.weekly
def test_damage_of_any_store_is_an_answer_or_a_satchel_error(kept: SimpleNamespace) -> None:
    _try_all(kept, seed=20, cases=12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_much_damage_of_any_store(kept: SimpleNamespace, seed: int) -> None:
    _try_all(kept, seed=seed, cases=60)


@pytest.mark.costly
@pytest.mark.parametrize("cell", ["terms", "parts"])
def test_damage_of_a_row_of_the_index_costs_an_answer_nothing(kept: SimpleNamespace, cell: str) -> None:
    before = pack(TASK, kept.root, budget=500).text
    (file,) = (cache_folder() / "index").glob("*.sqlite")
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute(f"UPDATE parts SET {cell} = substr({cell}, 2)")
    bundle = pack(TASK, kept.root, budget=500)

    assert bundle.text == before


def test_a_snapshot_whose_first_line_is_nested_too_deeply_is_told_as_damaged(kept: SimpleNamespace) -> None:
    (path,) = kept.folder.glob("state/sessions/*/snapshots/*/*.gz")
    path.write_bytes(gzip.compress(b'{"snapshot":' * 50_000))

    with Session.open("s", root=kept.root) as session:
        assert [one.damage != "" for one in list_snapshots(session.folder, "s")] == [True]


def test_a_state_folder_that_cant_be_read_as_json_says_which_file(kept: SimpleNamespace) -> None:
    store_file().write_bytes(json.dumps({"trusted": []}).encode())

    assert (
        TrustStore.read().problem == f"{store_file()} is damaged; remove it; no instruction file is trusted"
    )
