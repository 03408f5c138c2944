"""The cache folder does not grow for ever: indexes that nobody uses are removed."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from satchel.workspace import Workspace
from satchel.workspace.index.store import KEPT_DAYS, remove_stale

from .repositories import write_files

DAY = 86_400.0


def make_index(folder: Path, name: str, *, days: float, now: float, size: int = 10) -> Path:
    path = folder / f"{name}.sqlite"
    path.write_bytes(b"x" * size)
    os.utime(path, (now - days * DAY, now - days * DAY))
    return path


def test_a_new_index_removes_those_that_were_not_used_for_long(tmp_path: Path) -> None:
    old, other = (
        write_files(tmp_path / "old", {"a.py": "A = 1\n"}),
        write_files(tmp_path / "b", {"b.py": "B\n"}),
    )
    cache = tmp_path / "cache"
    Workspace.open(old, cache_dir=cache).close()
    (first,) = (cache / "index").glob("*.sqlite")
    first.with_name(f"{first.name}-wal").touch()
    long_ago = first.stat().st_mtime - (KEPT_DAYS + 1) * DAY
    os.utime(first, (long_ago, long_ago))
    Workspace.open(other, cache_dir=cache).close()
    assert not [path for path in (cache / "index").iterdir() if path.name.startswith(first.name)]
    assert len(list((cache / "index").glob("*.sqlite"))) == 1


def test_an_index_that_is_only_read_counts_as_used(tmp_path: Path) -> None:
    root = write_files(tmp_path / "old", {"a.py": "A = 1\n"})
    cache = tmp_path / "cache"
    Workspace.open(root, cache_dir=cache).close()
    (path,) = (cache / "index").glob("*.sqlite")
    long_ago = path.stat().st_mtime - (KEPT_DAYS + 1) * DAY
    os.utime(path, (long_ago, long_ago))
    Workspace.open(root, cache_dir=cache).close()
    assert path.stat().st_mtime > long_ago + DAY


@given(
    st.lists(
        st.tuples(st.integers(0, 2_000).map(lambda tenths: tenths / 10), st.integers(0, 50)), max_size=12
    ),
    st.integers(0, 200),
)
def test_the_newest_stay_and_the_rest_fits(indexes: list[tuple[float, int]], most: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, now = Path(name), 1e9
        ages = {
            make_index(folder, str(place), days=days, now=now, size=size): days
            for place, (days, size) in enumerate(indexes)
        }
        gone = remove_stale(folder, now=now, days=90, most_bytes=most)
        left = sorted(folder.iterdir())
        assert sorted([*left, *gone]) == sorted(ages)
        assert all(ages[path] <= 90 for path in left)
        assert all(ages[path] > 1 for path in gone)
        assert sum(path.stat().st_size for path in left) <= most or any(ages[path] <= 1 for path in left)
