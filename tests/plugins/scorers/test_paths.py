"""Files that the task or an editor names, and their neighbours."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel_plugins.scorers import Paths

from .scored import by_path, scores_of

LOGIN, MAIL = "src/shop/login.py", "src/shop/mail.py"


def test_a_file_that_is_named_has_one_and_its_neighbours_a_little(polyglot: Path) -> None:
    scores = by_path(scores_of(Paths(), f"see {LOGIN}", polyglot))

    assert scores[LOGIN] == 1.0
    assert 0 < scores[MAIL] < 0.5
    assert scores["web/cart.ts"] == 0.0


@pytest.mark.costly
@pytest.mark.parametrize("where", ["pins", "open_files"])
def test_pins_and_open_files_are_named_too(polyglot: Path, where: str) -> None:
    named = [f"{LOGIN}:3"]
    scored = scores_of(
        Paths(),
        "x",
        polyglot,
        pins=named if where == "pins" else (),
        open_files=named if where != "pins" else (),
    )

    assert by_path(scored)[LOGIN] == 1.0


TRACE = (
    "Traceback (most recent call last):\n"
    f'  File "{MAIL}", line 1, in main\n    go()\n  File "{LOGIN}", line 2, in go\n    raise ValueError\n'
)


def test_of_a_traceback_the_file_nearest_to_the_error_counts_most(polyglot: Path) -> None:
    scores = by_path(scores_of(Paths(), TRACE, polyglot))

    assert scores[LOGIN] == 1.0
    assert scores[MAIL] == 0.5


def test_a_caller_that_the_task_names_elsewhere_counts_whole(polyglot: Path) -> None:
    scores = by_path(scores_of(Paths(), f"{MAIL} is to blame\n{TRACE}", polyglot))

    assert scores[LOGIN] == scores[MAIL] == 1.0


def test_a_task_without_a_path_scores_nothing(polyglot: Path) -> None:
    assert set(by_path(scores_of(Paths(), "the login fails", polyglot)).values()) == {0.0}
