"""The task's words in whole files, their paths and their names."""

from __future__ import annotations

from pathlib import Path

from satchel_plugins.scorers import Lexical

from .scored import by_path, scores_of


def test_the_file_that_speaks_of_the_task_has_one(topics: Path) -> None:
    scores = by_path(scores_of(Lexical(), "bishop gambit", topics))

    assert {path for path, score in scores.items() if score > 0.2} == {
        path for path in scores if "chess/" in path
    }
    assert max(scores.values()) == 1.0


def test_fields_can_be_turned_off(polyglot: Path) -> None:
    only_paths = by_path(scores_of(Lexical(body=0, names=0), "login", polyglot))

    assert {path for path, score in only_paths.items() if score} == {
        "src/shop/login.py",
        "tests/test_login.py",
    }


def test_a_task_that_no_file_speaks_of_scores_nothing(polyglot: Path) -> None:
    assert set(by_path(scores_of(Lexical(), "quetzalcoatl", polyglot)).values()) == {0.0}
