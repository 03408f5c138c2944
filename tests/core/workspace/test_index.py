"""The index after edits, failures and damage against a fresh one."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.amounts import examples
from tests.core.repositories import POLYGLOT, commit, counting, encode, make_repository, write_files
from tests.processes import run_satchel, start_satchel

from satchel.redaction import Scanners
from satchel.workspace import DamagedIndexError, Index, IndexStore, list_files, open_git, rank
from satchel.workspace.index.documents import BODY, NAME, PATH, content_hash

TERMS = ("login", "user", "ring", "mail", "password", "test", "cart", "shop", "alpha", "beta", "total", "py")
_NAMES = ("a.py", "b.py", "src/a.py", "src/mail.txt", "docs/login.md", "x/y/z.c")
_TEXTS = (
    "def login(user):\n    return user\n",
    "def alpha_beta():\n    pass\n",
    "class Cart:\n    def total(self): ...\n",
    "int ring_push(int c);\n",
    "mail mail mail password\n",
    "one\x00two\x00\x01",
    "",
    "def logon(user):\n    return user\n",
)


def refreshed(root: Path, store: IndexStore, *, git: bool = False) -> tuple[Index, list[str]]:
    """Bring an index up to date; return it and the paths that were read."""
    index = Index(store)
    read, paths = counting(
        lambda path: Path(os.fsdecode(os.fsencode(root) + b"/" + os.fsencode(path))).read_bytes()
    )
    listing = list_files(root, open_git(root)[0] if git else None)
    assert index.refresh(listing.entries, read) == []
    return index, paths


def answers(index: Index) -> dict[str, Mapping[str, float]]:
    """Return everything that can be asked of an index, by path."""
    paths = {document.id: path for path, document in index.documents.items()}
    found: dict[str, Mapping[str, float]] = {}
    for field in (BODY, PATH, NAME):
        for term in TERMS:
            counts = index.postings(term, field).items()
            found[field + term] = {paths[id_]: count for id_, count in counts if id_ in paths}
    ranking = rank(index, dict.fromkeys(TERMS, 1.0))
    return {
        **found,
        "body": ranking.body,
        "path": ranking.path,
        "name": ranking.name,
        "rarity": ranking.rarity,
    }


def assert_as_fresh(index: Index, root: Path) -> None:
    fresh, _ = refreshed(root, IndexStore.open(None))
    assert {path: doc.content for path, doc in index.documents.items()} == {
        path: doc.content for path, doc in fresh.documents.items()
    }
    mine, theirs = answers(index), answers(fresh)
    for question, answer in theirs.items():
        assert mine[question] == pytest.approx(answer), question


edits = st.lists(
    st.tuples(
        st.sampled_from(["write", "write", "delete", "rename", "same size", "mode"]),
        st.sampled_from(_NAMES),
        st.sampled_from(_TEXTS),
        st.booleans(),
    ),
    min_size=1,
    max_size=12,
)


def edit(root: Path, what: str, name: str, text: str) -> None:
    path = root / name
    if what == "write":
        write_files(root, {name: text})
    elif path.exists() and what == "delete":
        path.unlink()
    elif path.exists() and what == "rename":
        path.rename(root / f"{name}.moved")
    elif path.exists() and what == "same size":
        path.write_bytes(path.read_bytes().swapcase())
    elif path.exists():
        path.chmod(0o755)


@given(changes=edits)
@settings(max_examples=examples(25), deadline=None, suppress_health_check=list(HealthCheck))
def test_after_any_edits_the_index_answers_as_a_fresh_one(
    changes: list[tuple[str, str, str, bool]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = write_files(tmp_path_factory.mktemp("edited"), {"a.py": _TEXTS[0], "src/mail.txt": _TEXTS[4]})
    store = IndexStore.open(tmp_path_factory.mktemp("cache") / "index.sqlite")

    for what, name, text, look in changes:
        edit(root, what, name, text)
        if look:
            refreshed(root, store)

    assert_as_fresh(refreshed(root, store)[0], root)
    store.close()


def test_what_did_not_change_is_not_read_again(tmp_path: Path) -> None:
    root = write_files(tmp_path / "w", POLYGLOT)
    store = IndexStore.open(tmp_path / "index.sqlite")
    first = refreshed(root, store)[1]

    again = refreshed(root, store)[1]
    write_files(root, {"src/shop/mail.py": "def send(): ...\n"}, age_seconds=500)
    after_change = refreshed(root, store)[1]

    assert sorted(first) == sorted(POLYGLOT)
    assert again == []
    assert after_change == ["src/shop/mail.py"]


def test_in_a_repository_too_only_what_changed_is_read(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "w", POLYGLOT)
    store = IndexStore.open(tmp_path / "index.sqlite")
    refreshed(root, store, git=True)
    commit(root, "nothing", day=9)

    unchanged = refreshed(root, store, git=True)[1]
    (root / "web/cart.ts").unlink()
    index, read = refreshed(root, store, git=True)

    assert (unchanged, read) == ([], [])
    assert "web/cart.ts" not in index.documents


def test_a_file_that_changes_within_its_time_stamp_is_seen(tmp_path: Path) -> None:
    root = write_files(tmp_path / "w", {"a.py": "alpha = 1\n"}, age_seconds=0)
    store = IndexStore.open(tmp_path / "index.sqlite")
    before = (root / "a.py").stat()
    refreshed(root, store)

    with (root / "a.py").open("r+b") as file:
        file.write(b"beta_")
    os.utime(root / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))

    assert refreshed(root, store)[0].postings("beta") != {}


def test_what_was_read_before_an_interruption_is_not_read_again(tmp_path: Path) -> None:
    root = write_files(
        tmp_path / "w", {"a.py": _TEXTS[0], "b.py": _TEXTS[1], "c.py": _TEXTS[2]}, age_seconds=9
    )
    store = IndexStore.open(tmp_path / "index.sqlite")

    def killed(path: str) -> bytes:
        if path == "c.py":
            raise KeyboardInterrupt
        return (root / path).read_bytes()

    with pytest.raises(KeyboardInterrupt):
        Index(store).refresh(list_files(root, None).entries, killed)
    index, read = refreshed(root, store)

    assert read == ["c.py"]
    assert answers(index) == answers(refreshed(root, IndexStore.open(None))[0])


def test_an_interruption_while_files_are_judged_leaves_an_index_like_a_new_one(tmp_path: Path) -> None:
    large = "last = 1\n" + "padding of a file\n" * 20_000
    root = write_files(tmp_path / "w", {"a.py": _TEXTS[0], "b.py": _TEXTS[1], "c.py": large}, age_seconds=9)
    store = IndexStore.open(tmp_path / "index.sqlite")
    interrupts = iter((KeyboardInterrupt,))

    def scanner(_: str, path: str) -> list[tuple[int, int, str]]:
        for interrupt in interrupts if path == "c.py" else ():
            raise interrupt
        return []

    stopped = Index(store, Scanners((scanner,)))
    with pytest.raises(KeyboardInterrupt):
        stopped.refresh(list_files(root, None).entries, lambda path: (root / path).read_bytes())
    write_files(root, {"c.py": large, "d.py": "beta_more = alpha\n"}, age_seconds=9)
    index, _ = refreshed(root, store)

    assert answers(index) == answers(refreshed(root, IndexStore.open(None))[0])
    assert refreshed(root, store)[1] == []


def test_what_can_not_be_read_is_a_problem_and_is_tried_again(tmp_path: Path) -> None:
    root = write_files(tmp_path / "w", {"a.py": _TEXTS[0], "b.py": _TEXTS[1]})
    entries = list_files(root, None).entries
    index = Index(IndexStore.open(None))

    def failing(path: str) -> bytes:
        if path == "b.py":
            raise PermissionError(13, "Permission denied", path)
        return (root / path).read_bytes()

    problems = index.refresh(entries, failing)

    assert [(problem.plugin, problem.stage) for problem in problems] == [("b.py", "read")]
    assert list(index.documents) == ["a.py"]
    assert index.refresh(entries, lambda path: (root / path).read_bytes()) == []
    assert sorted(index.documents) == ["a.py", "b.py"]


def test_a_term_of_thousands_of_words_finds_all_its_files(tmp_path: Path) -> None:
    many = "".join(f"alpha_word{number} = 1\n" for number in range(1_500))
    root = write_files(tmp_path / "w", {"a.py": many, "z.py": "alpha_last = 1\n"})
    store = IndexStore.open(tmp_path / "index.sqlite")

    index = refreshed(root, store)[0]

    paths = {document.id: path for path, document in index.documents.items()}
    assert {paths[id_]: count for id_, count in index.postings("alpha").items()} == {"a.py": 1_500, "z.py": 1}


@pytest.mark.weekly
def test_many_small_edits_do_not_let_the_index_grow_without_end(tmp_path: Path) -> None:
    root = write_files(tmp_path / "w", {f"f{number}.py": "def login(): ...\n" for number in range(3)})
    store = IndexStore.open(tmp_path / "index.sqlite")

    for turn in range(150):
        write_files(root, {"f1.py": f"def login{turn}(): ...\n"}, age_seconds=10_000 + turn)
        index = refreshed(root, store)[0]

    assert len(index.postings("py", PATH)) <= 110
    assert_as_fresh(index, root)


def test_a_locked_index_is_read_from_memory_instead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satchel.workspace.index.store._BUSY_SECONDS", 0.05)
    root = write_files(tmp_path / "w", {"a.py": _TEXTS[0]})
    store = IndexStore.open(tmp_path / "index.sqlite")
    other = IndexStore.open(tmp_path / "index.sqlite")
    index = Index(store)

    with other.transaction():
        problems = index.refresh(list_files(root, None).entries, lambda path: (root / path).read_bytes())

    assert [problem.plugin for problem in problems] == ["index"]
    assert_as_fresh(index, root)


_REFRESH = """
import sys
from pathlib import Path
from satchel.workspace import Workspace
workspace = Workspace.open(sys.argv[1], cache_dir=Path(sys.argv[2]))
print(len(workspace.index.documents), [str(problem) for problem in workspace.problems])
"""


@pytest.mark.weekly
def test_two_processes_may_refresh_at_once(tmp_path: Path) -> None:
    root = write_files(tmp_path / "w", {f"d/f{n}.py": f"def login{n}(): ...\n" * 50 for n in range(300)})
    words = [str(root), str(tmp_path / "cache")]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}

    running = [start_satchel(words, code=_REFRESH, **pipes) for _ in range(3)]
    outcomes = [process.communicate(timeout=120) for process in running]

    assert outcomes == [(b"300 []\n", b"")] * 3
    index_file = next((tmp_path / "cache").rglob("*.sqlite"))
    assert_as_fresh(refreshed(root, IndexStore.open(index_file))[0], root)


@pytest.mark.weekly
def test_a_killed_process_leaves_an_index_that_works(tmp_path: Path) -> None:
    root = write_files(tmp_path / "w", {f"d/f{n}.py": f"def login{n}(): ...\n" * 400 for n in range(400)})
    words = [str(root), str(tmp_path / "cache")]

    process = start_satchel(words, code=_REFRESH)
    deadline = time.monotonic() + 20
    while not list((tmp_path / "cache").rglob("*-wal")) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.kill()
    process.wait()

    finished = run_satchel(words, code=_REFRESH)
    assert finished.stdout == b"400 []\n"


def test_one_change_in_a_small_folder_reads_one_file(tmp_path: Path) -> None:
    root = write_files(tmp_path / "w", {"a.py": _TEXTS[0], "b.py": _TEXTS[1]})
    store = IndexStore.open(tmp_path / "index.sqlite")
    refreshed(root, store)

    write_files(root, {"a.py": _TEXTS[2]}, age_seconds=500)

    assert refreshed(root, store)[1] == ["a.py"]


@pytest.mark.costly
@pytest.mark.parametrize("at", [0, 20, 4_096, 8_192, 12_288, 20_480])
def test_a_damaged_index_is_made_anew(tmp_path: Path, at: int) -> None:
    root = write_files(
        tmp_path / "w", {f"f{n}.py": f"def login{n}(): return 'alpha'\n" * 20 for n in range(60)}
    )
    file = tmp_path / "index.sqlite"
    store = IndexStore.open(file)
    refreshed(root, store)
    store.close()
    with file.open("r+b") as damaged:
        damaged.seek(at)
        damaged.write(b"\xa5" * 3_000)

    try:
        assert_as_fresh(refreshed_whatever(root, IndexStore.open(file)), root)
    except DamagedIndexError:
        assert_as_fresh(refreshed_whatever(root, IndexStore.open(file)), root)


def refreshed_whatever(root: Path, store: IndexStore) -> Index:
    """Refresh; problems may be told, but nothing may be wrong afterwards."""
    index = Index(store)
    index.refresh(list_files(root, None).entries, lambda path: (root / path).read_bytes())
    return index


@pytest.mark.costly
@pytest.mark.parametrize("size", [0, 10, 100, 5_000])
def test_a_cut_index_is_made_anew(tmp_path: Path, size: int) -> None:
    root = write_files(tmp_path / "w", {f"f{n}.py": f"def login{n}(): ...\n" * 20 for n in range(60)})
    file = tmp_path / "index.sqlite"
    store = IndexStore.open(file)
    refreshed(root, store)
    store.close()
    with contextlib.suppress(FileNotFoundError):
        os.truncate(file, size)

    assert_as_fresh(refreshed_whatever(root, IndexStore.open(file)), root)


def test_the_same_bytes_have_one_name_and_others_another() -> None:
    assert content_hash(b"a") == content_hash(encode("a"))
    assert content_hash(b"a") != content_hash(b"b")


def test_a_term_is_known_that_has_postings_in_a_body_a_path_or_names(tmp_path: Path) -> None:
    (tmp_path / "shelf.py").write_text("def weigh():\n    return 'alpha'\n", encoding="utf-8")
    index, _ = refreshed(tmp_path, IndexStore.open(None))
    asked = ["alpha", "shelf", "weigh", "nowhere", "alph"]

    known = index.known_terms(asked)

    assert known == {"alpha", "shelf", "weigh"}
    assert known == {term for term in asked for field in (BODY, PATH, NAME) if index.postings(term, field)}


def test_files_that_hold_a_term_in_their_bodies_are_counted(tmp_path: Path) -> None:
    for name, text in (("shelf", "alpha = beta\n"), ("board", "beta, beta\n"), ("alpha", "gamma\n")):
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    index, _ = refreshed(tmp_path, IndexStore.open(None))

    assert index.count_holding(["alpha", "beta", "board", "nowhere"]) == {"alpha": 1, "beta": 2}
