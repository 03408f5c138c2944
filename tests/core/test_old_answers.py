"""No answer is older than the workspace: after any edit, each way to ask answers as with a new index."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.amounts import is_full
from tests.core.repositories import POLYGLOT, commit, git, make_repository
from tests.core.test_watching_edits import ALL_EDITS, QUESTIONS, TASKS, WORDS, Edit, files_of
from tests.processes import run_satchel
from tests.vocabularies import lend_cache

import satchel
from satchel import Watch
from satchel.workspace.index import documents

SETTLE_NS = 50_000_000
"""Edits wait so long here, instead of two seconds, until what was read is believed the next time."""
BUDGET = 900


def change_within_its_time_stamp(root: Path, rng: random.Random) -> None:
    file = rng.choice(files_of(root))
    facts, text = file.stat(), file.read_bytes()
    at = rng.randrange(len(text)) if text else 0
    file.write_bytes(text[:at] + rng.choice((b"x", b"q", b" ")) + text[at + 1 :] if text else b"")
    os.utime(file, ns=(facts.st_atime_ns, facts.st_mtime_ns))


def replace_within_its_time_stamp(root: Path, rng: random.Random) -> None:
    file = rng.choice(files_of(root))
    facts, text = file.stat(), file.read_bytes()
    new = file.with_name("replacement")
    new.write_bytes(text[::-1] if text.isascii() else text)
    os.utime(new, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    new.replace(file)


def recreate(root: Path, rng: random.Random) -> None:
    file = rng.choice(files_of(root))
    text = file.read_bytes()
    file.unlink()
    file.write_bytes(text + rng.choice((b"", f"# {rng.choice(WORDS[:4])}\n".encode())))


def swap(root: Path, rng: random.Random) -> None:
    one, other = rng.sample(files_of(root), 2)
    one.rename(root / "between")
    other.rename(one)
    (root / "between").rename(other)


def move_into_folder(root: Path, rng: random.Random) -> None:
    file, folder = rng.choice(files_of(root)), root / f"folder{rng.randrange(4)}"
    folder.mkdir(exist_ok=True)
    file.rename(folder / file.name)


def switch_branch(root: Path, rng: random.Random) -> None:
    commit(root, f"Save the {rng.choice(WORDS[:4])}")
    branches = git(root, "branch", "--format=%(refname:short)").split()
    name = f"branch{rng.randrange(4)}"
    git(root, "checkout", "-q", *([] if name in branches else ["-b"]), name)


def go_back(root: Path, rng: random.Random) -> None:
    commits = git(root, "rev-list", "--max-count=4", "HEAD").split()
    git(root, "reset", "-q", rng.choice(("--hard", "--soft", "--mixed")), rng.choice(commits))


def stage(root: Path, rng: random.Random) -> None:
    git(root, "add", "--", str(rng.choice(files_of(root)).relative_to(root)))


def unstage(root: Path, _: random.Random) -> None:
    git(root, "reset", "-q")


def untrack(root: Path, rng: random.Random) -> None:
    git(
        root,
        "rm",
        "-q",
        "--cached",
        "--ignore-unmatch",
        "--",
        str(rng.choice(files_of(root)).relative_to(root)),
    )


def change_settings(root: Path, rng: random.Random) -> None:
    settings = (
        "",
        'strategy = "relevance"\n',
        "budget = 700\n",
        "[scorer.lexical]\nweight = 3.0\n",
        'disable = ["lexical"]\n',
    )
    (root / "satchel.toml").write_text(rng.choice(settings))


def exclude(root: Path, rng: random.Random) -> None:
    rules = rng.choice(("", "*.md\n", "added_*\n"))
    (root / rng.choice((".satchelignore", ".git/info/exclude"))).write_text(rules)


def leave(_: Path, __: random.Random) -> None:
    """Change nothing."""


EDITS: tuple[Edit, ...] = (
    *ALL_EDITS,
    change_within_its_time_stamp,
    change_within_its_time_stamp,
    replace_within_its_time_stamp,
    recreate,
    swap,
    move_into_folder,
    switch_branch,
    go_back,
    stage,
    unstage,
    untrack,
    change_settings,
    change_settings,
    exclude,
    leave,
    leave,
)


IN_NEW_PROCESS = """
import os, sys
from satchel.cli import run
from satchel.workspace.index import documents

documents.SETTLE_NS = int(sys.argv[1])
sys.exit(run(["pack", "--budget", sys.argv[2], sys.argv[3]]))
"""


def ask_in_new_process(root: Path, cache: Path, task: str) -> str:
    env = {**os.environ, "SATCHEL_CACHE_DIR": str(lend_cache(cache))}
    words = [str(SETTLE_NS), str(BUDGET), task]
    done = run_satchel(words, code=IN_NEW_PROCESS, cwd=root, env=env, given="", check=True)
    return str(done.stdout)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", POLYGLOT)


@pytest.fixture
def watch(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watch]:
    monkeypatch.setattr(documents, "SETTLE_NS", SETTLE_NS)
    with satchel.watch(root) as watched:
        yield watched


@pytest.mark.parametrize("seed", range(10 if is_full() else 1))
def test_no_answer_is_older_than_the_workspace(
    root: Path, watch: Watch, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, history = random.Random(seed), list[str]()
    for step in range(50 if is_full() else 2):
        edit = rng.choice(EDITS)
        if len(files_of(root)) > 3 or edit in (leave, recreate):
            edit(root, rng)
            history.append(edit.__name__)
        time.sleep(2 * SETTLE_NS / 1e9)
        task = rng.choice((*TASKS, *(question for question, _ in QUESTIONS)))

        by_watch = watch.pack(task, budget=BUDGET)
        by_command = ask_in_new_process(root, tmp_path / "kept", task)
        monkeypatch.setenv("SATCHEL_CACHE_DIR", str(tmp_path / "one process"))
        in_process = satchel.pack(task, root, budget=BUDGET)
        monkeypatch.setenv("SATCHEL_CACHE_DIR", str(tmp_path / f"new{step}"))
        expected = satchel.pack(task, root, budget=BUDGET)

        assert in_process == expected, (step, task, history)
        assert by_watch == expected, (step, task, history)
        assert by_command.rstrip() == expected.text.rstrip(), (step, task, history)


@pytest.mark.weekly
def test_a_watch_follows_which_plugins_the_settings_disable(root: Path, watch: Watch) -> None:
    before = watch.pack(TASKS[1], budget=BUDGET)
    (root / "satchel.toml").write_text('disable = ["lexical"]\n')
    time.sleep(0.2)

    after = watch.pack(TASKS[1], budget=BUDGET)

    assert "lexical" in before.items[0].scores
    assert "lexical" not in after.items[0].scores
