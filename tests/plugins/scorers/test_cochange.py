"""Files that changed together with the best ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.core.repositories import commit, git, write_files

from satchel_plugins.scorers import Cochange

from .scored import by_path, scores_of


@pytest.fixture
def ship(tmp_path: Path) -> Path:
    """Return a repository where the anchor changes with its chain, and the log with everything."""
    root = tmp_path / "ship"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    names = ("anchor", "chain", "sail", "mast")
    write_files(root, {f"{name}.py": f"{name} = 0\n" for name in (*names, "galley")})
    commit(root, "build")
    for day, pair in enumerate((("anchor", "chain"), ("sail", "mast")) * 4, 1):
        write_files(root, {f"{name}.py": f"{name} = {day * 1000}\n" for name in pair} | {"log": f"{day}\n"})
        commit(root, f"day {day}", day=day)
    return root


def test_what_changed_with_the_best_file_scores_most(ship: Path) -> None:
    scores = by_path(scores_of(Cochange(seeds=1), "drop the anchor", ship))

    assert scores["chain.py"] == 1.0
    assert scores["chain.py"] > scores["log"] > scores["sail.py"]


@pytest.mark.weekly
def test_another_task_has_other_companions(ship: Path) -> None:
    scores = by_path(scores_of(Cochange(seeds=1), "hoist the sail", ship))

    assert (scores["mast.py"], scores["mast.py"] > scores["chain.py"]) == (1.0, True)


@pytest.mark.weekly
def test_a_file_that_the_task_names_counts_as_best(ship: Path) -> None:
    scores = by_path(scores_of(Cochange(seeds=0), "what belongs to sail.py", ship))

    assert scores["mast.py"] == 1.0


def test_a_commit_of_very_many_files_says_nothing(ship: Path) -> None:
    write_files(ship, {f"bulk_{n}.py": "x = 1\n" for n in range(40)} | {"anchor.py": "anchor = 'x'\n"})
    commit(ship, "bulk", day=30)

    scores = by_path(scores_of(Cochange(), "drop the anchor", ship))

    assert {score for path, score in scores.items() if path.startswith("bulk")} == {0.0}


def test_without_a_history_every_score_is_nought(tmp_path: Path) -> None:
    root = write_files(tmp_path / "plain", {"anchor.py": "anchor = 1\n", "chain.py": "x = 1\n"})

    assert {score for _, score in scores_of(Cochange(), "drop the anchor", root)} == {0.0}
