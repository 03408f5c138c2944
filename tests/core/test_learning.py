"""Weights learned from the commits of a repository."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path

import pytest

from satchel import ContextItem, Host, Part, SatchelError, UsageError, WorkspaceError
from satchel.cli import run as run_command
from satchel.cli.packing.learn import tell_time_left
from satchel.config import Config, load
from satchel.host import Loaded, PluginKind
from satchel.packing import Judge
from satchel.packing.learning import FEWEST, Lesson, find_tasks, fit_weights, learn
from satchel.plugin_api import Scored

from .repositories import commit, git, make_repository, snapshot, write_files

VERBS = ("total", "discount", "refund", "receipt", "delivery", "voucher", "parcel", "invoice")


def _body(name: str, number: int) -> str:
    return (
        f'def {name}(cart):\n    """Return the {name} of a cart."""\n    return cart.{name} + {10**number}\n'
    )


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository in which each commit changes what its message speaks of."""
    root = tmp_path_factory.mktemp("learn") / "shop"
    make_repository(root, {f"shop/{name}.py": _body(name, 0) for name in VERBS})
    for number in range(1, 19):
        name = VERBS[number % len(VERBS)]
        write_files(root, {f"shop/{name}.py": _body(name, number)})
        commit(root, f"Count the {name} of a cart with the right amount of {number}", day=number)
    write_files(root, {"README.md": "# shop\n"})
    commit(root, "Merge all of the things that are there", day=20)
    return root


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "satchel"


def test_a_task_is_a_message_and_the_lines_that_its_commit_changed(shop: Path) -> None:
    tasks = find_tasks(shop, 100)

    assert len(tasks) == 18
    assert tasks[0].text == "Count the discount of a cart with the right amount of 1"
    assert tasks[0].changed == {"shop/discount.py": frozenset({3})}


def test_the_newest_are_taken_oldest_first(shop: Path) -> None:
    assert [task.text.rpartition(" ")[2] for task in find_tasks(shop, 2)] == ["17", "18"]


def test_messages_that_name_a_file_or_say_little_are_no_tasks(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "r", {"a.py": "x = 1\n"})
    for number, message in enumerate(
        ("Fix", "Correct the value that a.py has", "Bump the version of all of it")
    ):
        write_files(root, {"a.py": f"x = {number + 2}\n"})
        commit(root, message, day=number + 1)

    assert find_tasks(root, 10) == []


@pytest.fixture(scope="module")
def booby_trapped(shop: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A clone with a hook and a filter that leave a file if they run, and that file."""
    folder = tmp_path_factory.mktemp("trapped")
    copy, ran = folder / "copy", folder / "ran"
    git(shop, "clone", "-q", str(shop), str(copy))
    write_files(copy, {".gitattributes": "*.py filter=evil\n"})
    git(copy, "config", "filter.evil.smudge", f"touch {ran}; cat")
    hook = copy / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
    hook.chmod(0o755)
    return copy, ran


@pytest.mark.weekly
def test_learning_reports_packs_of_other_commits_and_leaves_the_repository_alone(
    booby_trapped: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, ran = booby_trapped
    before, refs = snapshot(root), git(root, "for-each-ref")
    monkeypatch.chdir(root.parent)  # it may be named by a relative path

    learned = learn([Path(root.name)], host=Host.installed(), config=Config(), commits=FEWEST, budget=300)

    assert (learned.learned_from, learned.judged_by) == (8, 4)
    assert 0 < learned.held_out.before <= 1
    assert 0 < learned.held_out.after <= 1
    assert learned.held_out.better + learned.held_out.worse <= 4
    assert snapshot(root) == before
    assert git(root, "for-each-ref") == refs
    assert not ran.exists()


@pytest.mark.slow  # how the command takes a path is that of every command, and `learn` is above
@pytest.mark.parametrize("words", [["learn"], ["learn", "--root"]])
def test_a_repository_may_be_named_by_a_relative_path(
    words: list[str], shop: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(shop.parents[1])
    named = str(shop.relative_to(shop.parents[1]))

    code = run_command([*words, named, "--dry-run", "--commits", str(FEWEST), "--budget", "300"])

    said = capfd.readouterr()
    assert (code, said.err) == (0, "")
    assert said.out.startswith("learned from 8 commits, judged by packs of 4 others\n")


def test_a_scorer_that_drowns_one_that_is_right_loses_weight() -> None:
    class Told:
        grain = "part"

    def judge(name: str, weight: float) -> Judge:
        return Judge(Loaded(PluginKind.SCORER, name, Told, "test", "1", False), Told(), weight)  # type: ignore[arg-type]

    parts = tuple(Part("function", f"f{n}", (n, n), tokens=100) for n in range(1, 11))
    item = ContextItem("file:a.py", "files", "file", "a.py", path="a.py", relevance=1.0)
    right, loud = [0.0] * 9 + [1.0], [1.0] * 9 + [0.0]
    lesson = Lesson(
        judges=[judge("loud", 1.0), judge("right", 0.8)],
        scored=[Scored(item, parts, (1.0,) * 10, 1.0, {"loud": 1.0, "right": 1.0})],
        answers=[(judge("loud", 1.0), {item.id: loud}), (judge("right", 0.8), {item.id: right})],
        wanted={item.id: [0.0] * 9 + [1.0]},
        budget=100,
    )

    factors = fit_weights([lesson])

    assert factors["right"] * 0.8 > factors["loud"]


def test_too_few_commits_are_an_error(shop: Path) -> None:
    with pytest.raises(UsageError, match=f"5 commits to learn from, {FEWEST} are needed"):
        learn([shop], host=Host.installed(), config=Config(), commits=5, budget=600)


def test_a_folder_without_a_repository_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="not a git repository"):
        find_tasks(tmp_path, 10)


def test_what_was_learned_stands_below_a_persons_own_file(home: Path) -> None:
    home.mkdir(parents=True)
    (home / "learned.toml").write_text("[scorer.churn]\nweight = 0.5\n[scorer.lexical]\nweight = 2.0\n")
    (home / "satchel.toml").write_text("[scorer.lexical]\nweight = 3.0\n")

    config = load(None, env=os.environ)

    assert config.table("scorer", "churn")["weight"] == 0.5
    assert config.table("scorer", "lexical")["weight"] == 3.0


@pytest.mark.weekly
def test_the_command_keeps_what_does_better_and_takes_it_back(
    shop: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["learn", str(shop), "--commits", "12", "--budget", "300", "--format", "json"]) == 0

    told = json.loads(capsys.readouterr().out)
    assert (home / "learned.toml").exists() == bool(told["written"])
    assert run_command(["learn", "--reset"]) == 0
    assert not (home / "learned.toml").exists()
    assert capsys.readouterr().out.startswith("removed" if told["written"] else "nothing was learned")


def test_written_weights_are_read_and_kept_beside_new_ones(home: Path) -> None:
    from satchel.cli.packing.learn import _keep
    from satchel.packing import HeldOut, Learned

    def learned(name: str, weight: float) -> Learned:
        return Learned(8, 4, 8_000, {name: (1.0, weight)}, HeldOut(0.5, 0.6, 2, 0))

    _keep(learned("lexical", 1.4), home / "learned.toml")
    _keep(learned("churn", 0.5), home / "learned.toml")

    config = load(None, env=os.environ)
    assert config.table("scorer", "lexical") == {"weight": 1.4}
    assert config.table("scorer", "churn") == {"weight": 0.5}


def test_reset_takes_nothing_else(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["learn", str(shop), "--reset"]) == 2
    assert "takes nothing else" in capsys.readouterr().err


def test_an_error_of_git_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["learn", str(tmp_path)]) == SatchelError.exit_code
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(("seconds", "told"), [(0.1, ""), (2.0, "another 3 min; --commits N")])
def test_how_long_learning_takes_is_told_once_where_nothing_is_drawn(
    seconds: float, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tell_time_left((at * seconds for at in itertools.count(step=6)).__next__)

    for done in range(80):
        report("reading commits", done, 80)

    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == bool(told)
