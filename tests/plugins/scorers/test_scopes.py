"""The area that the first line of a task names."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.repositories import commit

from satchel_plugins.scorers import Scopes, scope_of

from .scored import by_path, scores_of


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("parser: keep the comma", {"parser"}),
        ("fix(cli): exit with 2", {"cli"}),
        ("feat(api)!: drop the old form", {"api"}),
        ("fix(server & next): assume it", {"server", "next"}),
        ("ignore/types: add a language", {"ignore", "types"}),
        ("win,pipe: close it once", {"win", "pipe"}),
        ("  [autodoc] show the base", {"autodoc"}),
        ("Runtime_Core: wait", {"runtime-core"}),
    ],
)
def test_what_stands_before_the_colon_is_the_area(line: str, words: set[str]) -> None:
    assert scope_of(line) == words


@pytest.mark.parametrize(
    "line",
    [
        "",
        "keep the comma",
        "fix: keep it",
        "docs!: say so",
        "the parser is broken: it loops",
        "a:b",
        "Error: no",
        "[BUG] no",
    ],
)
def test_a_sentence_and_a_kind_of_change_are_no_area(line: str) -> None:
    assert scope_of(line) == frozenset()


@given(st.text())
def test_any_line_is_read(line: str) -> None:
    assert all(word == word.lower() for word in scope_of(line))


def test_a_file_or_folder_of_that_name_has_one(polyglot: Path) -> None:
    (polyglot / "web" / "checkout_form.ts").write_text("export const one = 1;\n")

    by_file = by_path(scores_of(Scopes(), "Checkout-Form: show the sum", polyglot))
    by_folder = by_path(scores_of(Scopes(), "fix(web): show the sum", polyglot))

    assert by_file["web/checkout_form.ts"] == by_folder["web/cart.ts"] == 1.0
    assert by_file["web/cart.ts"] == by_folder["src/shop/mail.py"] == 0.0


def test_of_several_words_each_counts(polyglot: Path) -> None:
    scores = by_path(scores_of(Scopes(), "shop/login: wait", polyglot))

    assert scores["src/shop/login.py"] == 1.0
    assert scores["src/shop/mail.py"] == 0.5


PAST = (
    ("src/shop/mail.py", "post: add a stamp"),
    ("web/cart.ts", "post: weigh"),
    ("web/cart.ts", "cart: sum"),
)


def changed(root: Path) -> Path:
    for day, (path, message) in enumerate(PAST, start=10):
        (root / path).write_text(f"value = {day}\n")
        commit(root, message, day=day)
    return root


def test_commits_for_the_same_area_tell_its_folders_the_newest_most(polyglot: Path) -> None:
    scores = by_path(scores_of(Scopes(), "post: take parcels", changed(polyglot)))

    assert scores["web/cart.ts"] == 1.0
    assert 0.9 < scores["src/shop/mail.py"] < 1.0


def test_commits_of_many_files_tell_nothing(polyglot: Path) -> None:
    scores = by_path(scores_of(Scopes(largest=0), "post: take parcels", changed(polyglot)))

    assert set(scores.values()) == {0.0}


def test_a_task_without_an_area_scores_nothing(polyglot: Path) -> None:
    scores = by_path(scores_of(Scopes(), "the web cart takes no parcels", changed(polyglot)))

    assert set(scores.values()) == {0.0}


def test_only_the_first_line_names_an_area(polyglot: Path) -> None:
    scores = by_path(scores_of(Scopes(), "\n\npost: take parcels\nweb: not here", changed(polyglot)))

    assert scores["web/cart.ts"] == 1.0
    assert scores["src/shop/mail.py"] > 0.0
