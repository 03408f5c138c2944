"""A second clone takes what the first one has read and split, and nothing that is wrong or secret."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.core.fakes import Shelf
from tests.core.repositories import Files, commit, make_repository, write_files
from tests.vocabularies import lend_cache

from satchel import Host, pack
from satchel.config import Config
from satchel.packing import Indexed, index_all

KEY = "AKIA" + "Q7WZ3LX5R2N4V6TB"
FILES: Files = {
    **{f"src/m{n}.py": f"def login_{n}(name):\n    return check(name, {n})\n" for n in range(60)},
    "src/settings.py": f"aws_access_key_id = '{KEY}'\n\ndef credentials():\n    return aws_access_key_id\n",
    "README.md": "# Shop\n\nHow to log in.\n",
    "logo.png": b"\x89PNG\x00",
    "odd\tname.txt": "login\n",
}
TASK = "login_7 checks the wrong name"
Clone = Callable[[str], Path]


class Counted:
    """Progress that counts what was read and split."""

    def __init__(self) -> None:
        self.stages: dict[str, int] = {"index": 0, "split": 0}

    def __call__(self, stage: str, done: int, total: int) -> None:
        self.stages[stage] = self.stages.get(stage, 0) + 1


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clone:
    def make(name: str) -> Path:
        cache = lend_cache(tmp_path / f"cache-{name}")
        monkeypatch.setenv("SATCHEL_CACHE_DIR", str(cache))
        root = tmp_path / name
        return root if root.exists() else make_repository(root, FILES)

    return make


def indexed(root: Path, shelf: Shelf, progress: Counted | None = None) -> Indexed:
    return index_all(
        root, host=Host.installed(), config=Config(), flags={}, progress=progress or Counted(), shared=shelf
    )


_FILLED: dict[str, bytes] = {}
"""What the first clone puts there: the same each time."""


@pytest.fixture
def filled(clone: Clone) -> Shelf:
    """Return what a first clone leaves; it is made once."""
    shelf = Shelf()
    if not _FILLED:
        indexed(clone("first"), shelf)
        _FILLED.update(shelf.kept)
    shelf.kept, shelf.times = dict(_FILLED), dict.fromkeys(_FILLED, 0.0)
    return shelf


def test_a_second_clone_reads_and_splits_nothing(clone: Clone) -> None:
    shelf, seen = Shelf(), Counted()
    first = indexed(clone("one"), shelf)
    expected = pack(TASK, clone("one"), budget=3_000)

    second = indexed(clone("two"), shelf, seen)

    assert (first.taken, first.given) == (0, len(FILES))
    assert (second.taken, second.given, second.split) == (len(FILES), 0, 0)
    assert seen.stages == {"index": 0, "gather": 1, "split": 0}
    answer = pack(TASK, clone("two"), budget=3_000)
    assert answer.text == expected.text
    assert not second.problems


@pytest.mark.weekly
def test_a_later_commit_reads_what_has_changed(clone: Clone, filled: Shelf) -> None:
    seen = Counted()
    root = clone("two")
    write_files(root, {"src/m3.py": "def logout():\n    pass\n", "src/new.py": "def fresh():\n    pass\n"})
    commit(root, "log out", day=9)

    later = indexed(root, filled, seen)

    assert later.taken == len(FILES) - 1
    assert seen.stages["index"] == later.split == 2
    assert later.given == 2
    third = indexed(clone("three"), filled)
    assert third.taken == len(FILES)


@pytest.mark.weekly
def test_a_file_that_was_edited_is_read_here_and_not_put_there(clone: Clone, filled: Shelf) -> None:
    before, root = dict(filled.kept), clone("two")
    (root / "src/m3.py").write_text("def unseen_by_others():\n    pass\n")

    edited = indexed(root, filled)

    assert (edited.taken, edited.split) == (len(FILES) - 1, 1)
    assert filled.kept == before
    assert "unseen_by_others" in pack("unseen_by_others", root, budget=3_000).text


@pytest.mark.costly
@pytest.mark.parametrize("damage", [lambda held: held[:-9], lambda held: held + b"x", lambda held: b""])
def test_a_segment_that_lies_is_told_and_made_anew(
    clone: Clone, filled: Shelf, damage: Callable[[bytes], bytes]
) -> None:
    right = dict(filled.kept)
    filled.kept.update({key: damage(held) for key, held in right.items()})

    second = indexed(clone("two"), filled)

    assert (second.taken, second.given) == (0, len(FILES))
    assert len(second.problems) == 1
    assert "was damaged; it is rebuilt" in str(second.problems[0])
    assert filled.kept == right
    assert indexed(clone("three"), filled).taken == len(FILES)


@pytest.mark.weekly
def test_two_that_put_the_same_leave_one_segment(clone: Clone, filled: Shelf) -> None:
    other = Shelf()

    indexed(clone("two"), other)

    assert filled.kept == other.kept


def test_no_secret_and_no_text_is_put_there(filled: Shelf) -> None:
    held = b"".join(map(zlib.decompress, filled.kept.values())).lower()
    assert b"credentials" in held
    for text in (KEY, "How to log in", "return check", "src/m3.py"):
        assert text.lower().encode() not in held


@pytest.mark.weekly
def test_other_projects_and_other_scanners_have_other_prefixes(filled: Shelf, tmp_path: Path) -> None:
    other = indexed(make_repository(tmp_path / "other", {"a.py": "def a():\n    pass\n"}), filled)

    assert (other.taken, other.given) == (0, 1)
    assert len({key.rpartition("/")[0] for key in filled.kept}) == 2


@pytest.mark.weekly
def test_an_address_out_of_reach_is_a_problem_and_all_is_read_here(clone: Clone) -> None:
    shelf = Shelf()
    shelf.away = True

    alone = indexed(clone("one"), shelf)

    assert [str(one) for one in alone.problems] == ["index: share: shelf does not answer; try again"]
    assert (alone.taken, alone.given, alone.left) == (0, 0, 0)
    assert alone.split > 60


@pytest.mark.weekly
def test_a_folder_without_history_shares_nothing(clone: Clone, tmp_path: Path) -> None:
    clone("any")

    alone = indexed(write_files(tmp_path / "plain", {"a.py": "x = 1\n"}), shelf := Shelf())

    assert [str(one) for one in alone.problems] == [
        "index: share: nothing is shared: the folder is not a git repository with commits"
    ]
    assert not shelf.kept
