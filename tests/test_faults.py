"""Whatever happens to the workspace or to the cache, a pack is the one that a fresh cache gives."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.amounts import examples, is_full
from tests.core.repositories import POLYGLOT, commit, git, make_repository
from tests.processes import Forked, start_satchel
from tests.vocabularies import lend_cache

import satchel
from satchel import Workspace

TASK = "login with a wrong password sends mail"
LOGIN = "src/shop/login.py"


def packed(root: Path, monkeypatch: pytest.MonkeyPatch, cache: Path) -> satchel.Bundle:
    monkeypatch.setenv("SATCHEL_CACHE_DIR", str(cache))
    return satchel.pack(TASK, root, budget=3_000)


def same_size_and_time(root: Path) -> None:
    """Write as many other bytes and set the time back, as rsync and some build tools do."""
    file = root / LOGIN
    facts = file.stat()
    file.write_bytes(file.read_bytes().swapcase())
    os.utime(file, ns=(facts.st_atime_ns, facts.st_mtime_ns))


def replaced(root: Path) -> None:
    facts = (root / LOGIN).stat()
    (root / "other").write_bytes((root / LOGIN).read_bytes().replace(b"user", b"resu"))
    os.utime(root / "other", ns=(facts.st_atime_ns, facts.st_mtime_ns))
    os.replace(root / "other", root / LOGIN)


def touched(root: Path) -> None:
    if (root / LOGIN).is_file():
        (root / LOGIN).touch()


def clock_goes_back(root: Path) -> None:
    (root / LOGIN).write_text("def login(): 'an hour ago'\n")
    os.utime(root / LOGIN, (time.time() - 3600, time.time() - 3600))


def clock_goes_on(root: Path) -> None:
    (root / LOGIN).write_text("def login(): 'in an hour'\n")
    os.utime(root / LOGIN, (time.time() + 3600, time.time() + 3600))


def executable(root: Path) -> None:
    (root / LOGIN).chmod(0o755)


def file_to_folder(root: Path) -> None:
    gone(root)
    (root / LOGIN).mkdir(exist_ok=True)
    (root / LOGIN / "password.py").write_text("def login_password(): ...\n")


def file_to_link(root: Path) -> None:
    gone(root)
    (root / LOGIN).symlink_to("mail.py")


def file_to_file(root: Path) -> None:
    gone(root)
    (root / LOGIN).write_text(str(POLYGLOT[LOGIN]))


def gone(root: Path) -> None:
    if (root / LOGIN).is_dir() and not (root / LOGIN).is_symlink():
        shutil.rmtree(root / LOGIN)
    (root / LOGIN).unlink(missing_ok=True)


def new_and_ignored(root: Path) -> None:
    (root / "password.py").write_text("def wrong_password(): ...\n")
    (root / ".gitignore").write_text("mail.py\n*.toml\n")


def committed(root: Path) -> None:
    commit(root, "Send mail after a wrong password", day=5)


def on_a_branch(root: Path) -> None:
    name = f"b{len(git(root, 'branch', '--list').splitlines())}"
    git(root, "checkout", "-q", "-b", name)
    (root / "branch.py").write_text("def login_of_a_branch(): ...\n")
    commit(root, "Branch off", day=6)


def back_on_main(root: Path) -> None:
    commit(root, "Before the switch", day=7)
    git(root, "checkout", "-q", "main")


def stashed(root: Path) -> None:
    (root / "src/shop/mail.py").write_text("def send_password(): ...\n")
    git(root, "stash", "-u")


def rebased(root: Path) -> None:
    commit(root, "Before the rebase", day=8)
    git(root, "commit", "--amend", "--allow-empty", "-q", "-m", "Amended", day=9)
    git(root, "rebase", "-q", "--root", "--empty=keep", "--committer-date-is-author-date")


EDITS: list[Callable[[Path], None]] = [
    *(touched, clock_goes_back, clock_goes_on, file_to_folder, file_to_link, file_to_file, gone),
    *(new_and_ignored, committed, on_a_branch, back_on_main, stashed, rebased),
]
ON_A_FILE = [same_size_and_time, replaced, executable]


@pytest.mark.costly
@pytest.mark.parametrize("edit", [*EDITS, *ON_A_FILE])
def test_after_each_edit_the_pack_is_that_of_a_fresh_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edit: Callable[[Path], None]
) -> None:
    root = make_repository(tmp_path / "shop", POLYGLOT)
    packed(root, monkeypatch, tmp_path / "used")

    edit(root)

    assert packed(root, monkeypatch, tmp_path / "used") == packed(root, monkeypatch, tmp_path / "fresh")


@pytest.mark.weekly
@settings(
    max_examples=examples(5),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(edits=st.lists(st.sampled_from(EDITS), min_size=2, max_size=6), seldom=st.integers(1, 3))
def test_after_any_edits_the_pack_is_that_of_a_fresh_cache(
    tmp_path_factory: pytest.TempPathFactory, edits: list[Callable[[Path], None]], seldom: int
) -> None:
    folder = tmp_path_factory.mktemp("edits")
    root = make_repository(folder / "shop", POLYGLOT)
    with pytest.MonkeyPatch.context() as monkeypatch:
        for number, edit in enumerate(edits):
            edit(root)
            if number % seldom == 0:
                packed(root, monkeypatch, folder / "used")

        assert packed(root, monkeypatch, folder / "used") == packed(root, monkeypatch, folder / "fresh")


def test_nothing_but_head_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_repository(tmp_path / "shop", POLYGLOT)
    before = packed(root, monkeypatch, tmp_path / "before")

    git(root, "checkout", "-q", "-b", "later")
    (root / LOGIN).write_text("def login_of_later(): 'wrong password'\n")
    commit(root, "Login with a wrong password sends mail", day=20)
    git(root, "tag", "v9")
    git(root, "notes", "add", "-m", "wrong password", "HEAD")
    git(root, "checkout", "-q", "main")
    git(root, "notes", "add", "-m", "login sends mail", "HEAD")
    (root / LOGIN).write_text("def login_stashed(): 'wrong password'\n")
    git(root, "stash")

    assert packed(root, monkeypatch, tmp_path / "after") == before
    assert packed(root, monkeypatch, tmp_path / "before") == before


def running(root: Path, cache: Path, prelude: str = "") -> subprocess.Popen[bytes] | Forked:
    """Start a process that packs and prints the document."""
    code = f"{prelude}\nimport satchel; print(satchel.pack({TASK!r}, {str(root)!r}, budget=3_000).text)"
    env = os.environ | {"SATCHEL_CACHE_DIR": str(cache if prelude else lend_cache(cache))}
    return start_satchel([], code=code, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.mark.costly
@pytest.mark.parametrize("seconds", [0.25, 0.4, 0.6])
def test_a_process_that_is_killed_leaves_a_cache_that_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    root = make_repository(tmp_path / "shop", POLYGLOT)
    process = running(root, tmp_path / "used")
    time.sleep(seconds)

    process.send_signal(signal.SIGKILL)
    process.communicate()

    assert packed(root, monkeypatch, tmp_path / "used") == packed(root, monkeypatch, tmp_path / "fresh")


@pytest.mark.weekly
def test_processes_at_once_all_get_it_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_repository(tmp_path / "shop", POLYGLOT)

    count = 3 if is_full() else 2
    answers = [process.communicate() for process in [running(root, tmp_path / "used") for _ in range(count)]]

    text = packed(root, monkeypatch, tmp_path / "fresh").text + "\n"
    assert answers == [(text.encode(), b"")] * count


@pytest.mark.weekly
def test_on_a_full_disk_the_pack_comes_from_memory_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_repository(tmp_path / "shop", POLYGLOT)
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))"

    starved, _ = running(root, tmp_path / "full", full).communicate()

    assert starved is not None
    assert starved.decode() == packed(root, monkeypatch, tmp_path / "fresh").text + "\n"


def test_a_disk_that_fills_up_is_a_problem_of_the_pack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resource = pytest.importorskip("resource")
    root = make_repository(tmp_path / "shop", POLYGLOT)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        bundle = packed(root, monkeypatch, tmp_path / "full")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    assert any("keeps its index in memory" in problem.error for problem in bundle.problems)


def test_an_interrupted_index_goes_on_where_it_stopped(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "shop", POLYGLOT)

    def interrupt(stage: str, done: int, total: int) -> None:
        if done == 9:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Workspace.open(root, cache_dir=tmp_path / "used", progress=interrupt)
    told: list[int] = []
    Workspace.open(root, cache_dir=tmp_path / "used", progress=lambda *step: told.append(step[2]))

    assert told[0] < len(POLYGLOT)
