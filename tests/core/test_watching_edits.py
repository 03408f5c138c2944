"""Whatever is edited in whatever order, a watched workspace answers as a process just started does."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.amounts import is_full
from tests.core.repositories import POLYGLOT, commit, git, make_repository

import satchel
from satchel import PackOptions, Problem, Task, Watch, Workspace

TASKS = ("login with a wrong password is not logged", "the total of the cart and the mail about it")
KEY = "ghp_" + "Zq7RtB2mKx9LwVn4Yc6HsDf1Jg8PaTu3Ee5o"
WORDS = ("password", "login", "cart", "mail", "unrelated", f"'{KEY}'")


def files_of(root: Path) -> list[Path]:
    found = (Path(folder, name) for folder, _, names in os.walk(root) for name in names)
    return sorted(file for file in found if ".git" not in file.parts and file.suffix in (".py", ".md", ".go"))


def write(root: Path, rng: random.Random) -> None:
    rng.choice(files_of(root)).write_text(f"def made_{rng.randrange(9)}({rng.choice(WORDS)}): ...\n" * 3)


def append(root: Path, rng: random.Random) -> None:
    with rng.choice(files_of(root)).open("a") as file:
        file.write(f"\n# {rng.choice(WORDS)}\n")


def empty(root: Path, rng: random.Random) -> None:
    rng.choice(files_of(root)).write_text("")


def make_binary(root: Path, rng: random.Random) -> None:
    rng.choice(files_of(root)).write_bytes(b"\0\1" * 40)


def add(root: Path, rng: random.Random) -> None:
    (root / f"added_{rng.randrange(99)}.py").write_text(f"def added({rng.choice(WORDS)}): ...\n")


def remove(root: Path, rng: random.Random) -> None:
    rng.choice(files_of(root)).unlink()


def rename(root: Path, rng: random.Random) -> None:
    file = rng.choice(files_of(root))
    file.rename(file.with_name(f"renamed_{rng.randrange(99)}.py"))


def commit_all(root: Path, rng: random.Random) -> None:
    append(root, rng)
    commit(root, f"Mend the {rng.choice(WORDS[:4])}")


def put_back(root: Path, _: random.Random) -> None:
    git(root, "checkout", "-q", "--", ".")


Edit = Callable[[Path, random.Random], None]
IN_PLACE: tuple[Edit, ...] = (write, append, append, empty, make_binary)
EDITS: tuple[Edit, ...] = (*IN_PLACE, *IN_PLACE, add, remove, rename, commit_all, put_back)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", POLYGLOT)


@pytest.fixture
def watch(root: Path) -> Iterator[Watch]:
    with satchel.watch(root) as watched:
        yield watched


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("seed", range(3))
def test_after_any_edits_a_pack_is_that_of_a_new_process(
    root: Path, watch: Watch, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(seed)
    for step in range(8 if is_full() else 3):
        for _ in range(rng.randrange(1, 3)):
            rng.choice(EDITS)(root, rng)
        answers = [watch.pack(task, budget=900) for task in TASKS]
        monkeypatch.setenv("SATCHEL_CACHE_DIR", str(tmp_path / f"cache{step}"))
        assert answers == [satchel.pack(task, root, budget=900) for task in TASKS], step


def blank(root: Path, rng: random.Random) -> None:
    with rng.choice(files_of(root)).open("a") as file:
        file.write("\n")


def shift(root: Path, rng: random.Random) -> None:
    file = rng.choice(files_of(root))
    file.write_bytes(b"\n" + file.read_bytes())


def mark(root: Path, rng: random.Random) -> None:
    with rng.choice(files_of(root)).open("a") as file:
        file.write(f"\n# TODO: the {rng.choice(WORDS[:4])}\n")


def ignore(root: Path, rng: random.Random) -> None:
    with (root / ".gitignore").open("a") as file:
        file.write(rng.choice(("added_*\n", "*.md\n", "!added_1*\n", "\n")))


def declare(root: Path, rng: random.Random) -> None:
    version = rng.randrange(9)
    (root / "package.json").write_text(f'{{"name": "shop", "dependencies": {{"cart": "{version}.0.0"}}}}\n')


def fail(root: Path, rng: random.Random) -> None:
    failure = (
        f'<failure message="the {rng.choice(WORDS[:4])} failed">login.py:{rng.randrange(1, 30)}</failure>'
    )
    (root / "junit.xml").write_text(f'<testsuite><testcase name="t">{failure}</testcase></testsuite>\n')


def show(root: Path, rng: random.Random) -> None:
    state = f'{{"open": [{{"path": "README.md", "line": {rng.randrange(1, 9)}}}]}}\n'
    (root / ".satchel-editor.json").write_text(state)


QUIET: tuple[Edit, ...] = (blank, blank, append, shift)
ALL_EDITS: tuple[Edit, ...] = (*QUIET, *QUIET, *EDITS, mark, ignore, declare, fail, show)
QUESTIONS = (
    (TASKS[0], PackOptions()),
    (TASKS[1], PackOptions(form="xml", open_files=("README.md",))),
    ("which TODOs are left for the mail? why do tests fail with `failed login`", PackOptions()),
    ("bump the dependency cart, run the build", PackOptions(left_out="all")),
)


@pytest.mark.costly
@pytest.mark.parametrize("seed", range(2))
def test_what_is_kept_from_pack_to_pack_changes_no_answer(
    root: Path, watch: Watch, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, kept = random.Random(seed), str(tmp_path / "cache")
    for step in range(10 if is_full() else 3):
        rng.choice(ALL_EDITS)(root, rng)
        for task, options in rng.sample(QUESTIONS, 2):
            budget = rng.choice((300, 900, 4000))
            answer = watch.pack(task, budget=budget, options=options)
            monkeypatch.setenv("SATCHEL_CACHE_DIR", kept)
            assert answer == satchel.pack(task, root, budget=budget, options=options), (step, task)


def test_all_that_is_kept_is_forgotten_when_files_come(root: Path, watch: Watch) -> None:
    watch.pack(TASKS[0], budget=900)
    (root / "zz.py").write_text("x = 1\n")

    assert watch.workspace.memo._known == {}


def test_secrets_of_one_question_are_not_counted_for_the_next(root: Path, watch: Watch) -> None:
    (root / "vault.py").write_text(f"def open_vault():\n    return '{KEY}'\n")

    first = watch.pack("open_vault returns nothing", budget=400, pins=["vault.py"])
    second = watch.pack("the total of the cart is wrong", budget=60)

    assert first.secrets
    assert second == satchel.pack("the total of the cart is wrong", root, budget=60)


def test_an_open_workspace_counts_secrets_for_each_pack_anew(root: Path) -> None:
    (root / "vault.py").write_text(f"def open_vault():\n    return '{KEY}'\n")
    workspace = Workspace.open(root)
    options = PackOptions(workspace=workspace)

    packs = [satchel.pack("open_vault", root, budget=500, pins=["vault.py"], options=options) for _ in "ab"]

    assert packs[0] == packs[1]
    workspace.close()


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("seed", range(6))
def test_looking_at_what_was_touched_finds_what_a_whole_look_finds(
    root: Path, tmp_path: Path, seed: int
) -> None:
    rng, held = random.Random(seed), Workspace.open(root)
    for step in range(10 if is_full() else 3):
        before = {file: file.read_bytes() for file in files_of(root)}
        rng.choice(IN_PLACE)(root, rng)
        touched = {str(file.relative_to(root)) for file in before if file.read_bytes() != before[file]}
        held.refresh(touched=touched)
        fresh = Workspace.open(root, cache_dir=tmp_path / f"cache{step}")
        assert told(held) == told(fresh)
        fresh.close()
    held.close()


def told(workspace: Workspace) -> object:
    """Return all that the index tells, without the numbers that it gives to documents."""
    documents = [(path, document[1:]) for path, document in workspace.index.documents.items()]
    task = Task(" ".join(TASKS))
    return documents, workspace.ranking.files(task), workspace.files.of_paths(sorted)


def test_what_is_made_of_paths_is_made_again_when_a_file_comes(root: Path) -> None:
    workspace = Workspace.open(root)
    paths, again = workspace.files.of_paths(sorted), workspace.files.of_paths(sorted)
    (root / "zz.py").write_text("")

    workspace.refresh()

    assert again is paths
    assert workspace.files.of_paths(sorted) == [*paths, "zz.py"]
    workspace.close()


def test_what_is_made_of_paths_stays_where_only_texts_change(root: Path) -> None:
    workspace = Workspace.open(root)
    paths = workspace.files.of_paths(sorted)
    (root / "README.md").write_text("other\n")

    workspace.refresh()

    assert workspace.files.of_paths(sorted) is paths
    workspace.close()


def test_what_could_not_be_listed_stays_a_problem_after_an_edit_elsewhere(root: Path) -> None:
    held = Workspace.open(root)
    held._listed = (Problem("git", "list", "is odd"),)

    held.refresh(touched={"README.md"})

    assert [one.plugin for one in held.problems] == ["git"]
    held.close()
