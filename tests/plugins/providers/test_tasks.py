"""Task lists and comments that concern a task."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel_plugins.providers import Tasks

from .opening import Files, gathered, texts

LIST = """# Shop

## Cart
- [x] count the names
- [ ] round the total of the cart
  - [ ] also for coupons
- [X] empty it

## Login
1. [ ] renew the session
"""
FILES: Files = {
    "TODO.md": LIST,
    "docs/guide.md": "Use - [ ] boxes.\n\n- [ ] total one\n",
    "shop/cart.py": "def total():\n    # TODO round the total half up\n    return context.TODO()\n",
    "shop/login.py": "# FIXME: session expires too early\nx = 'TODO'\n",
}


def test_open_items_stand_under_their_headings_and_done_ones_are_counted(tmp_path: Path) -> None:
    text = next(i.text or "" for i in gathered(tmp_path, FILES, Tasks()) if i.id == "tasks:TODO.md")

    assert text.startswith("3 open, 2 done in TODO.md\n## Cart\n- [ ] round the total of the cart\n")
    assert "[x]" not in text.lower()


def test_comments_of_the_task_are_told_with_their_place(tmp_path: Path) -> None:
    text = next(i.text for i in gathered(tmp_path, FILES, Tasks()) if i.id == "tasks:comments")

    assert text == "shop/cart.py:2 # TODO round the total half up\n"


def test_comments_in_copies_of_other_projects_are_told_too(tmp_path: Path) -> None:
    files = {**FILES, "bundled/total.py": "# TODO round the total to cents\n"}

    text = next(i.text or "" for i in gathered(tmp_path, files, Tasks()) if i.id == "tasks:comments")

    assert text.splitlines() == [
        "bundled/total.py:1 # TODO round the total to cents",
        "shop/cart.py:2 # TODO round the total half up",
    ]


def test_an_unrelated_task_gets_none_of_it(tmp_path: Path) -> None:
    assert gathered(tmp_path, FILES, Tasks(), "upgrade the webpack bundler") == []


@pytest.mark.parametrize("task", ["what is left to do?", "work through the open tasks", "list all todos"])
def test_who_asks_what_to_do_gets_everything(tmp_path: Path, task: str) -> None:
    text = texts(gathered(tmp_path, FILES, Tasks(), task))

    assert "renew the session" in text
    assert "shop/login.py:1 # FIXME: session expires too early" in text


@pytest.mark.parametrize("page", [".github/PULL_REQUEST_TEMPLATE.md", "CONTRIBUTING.md"])
def test_what_everybody_ticks_for_a_change_is_not_left_to_do(tmp_path: Path, page: str) -> None:
    boxes = {page: "# Before\n- [ ] round the total\n- [ ] test the total\n- [ ] see docs/total.md\n"}

    assert gathered(tmp_path, boxes, Tasks(), "typo in docs/total.md") == []
    assert "round the total" in texts(gathered(tmp_path, boxes, Tasks(), "list the checklists of the total"))


def test_a_list_whose_items_are_all_done_is_left_out(tmp_path: Path) -> None:
    done = {"TODO.md": "- [x] round the total\n- [x] total two\n- [x] total three\n"}

    assert gathered(tmp_path, done, Tasks()) == []


def test_boxes_in_code_are_no_tasks(tmp_path: Path) -> None:
    code = {"TODO.md": "```\n- [ ] round the total\n- [ ] total two\n- [ ] three\n```\n"}

    assert gathered(tmp_path, code, Tasks()) == []


def test_of_a_long_list_the_items_of_the_task_stay(tmp_path: Path) -> None:
    lines = [f"- [ ] something else {n}\n" for n in range(90)]
    lines[70] = "- [ ] the total is wrong\n"
    text = texts(gathered(tmp_path, {"tasks/all.md": "".join(lines)}, Tasks(open_items=5)))

    assert "the total is wrong" in text
    assert "85 more open items are left out\n" in text


def test_a_minified_line_is_shown_in_part(tmp_path: Path) -> None:
    files = {"shop/a.py": "x = 1;" * 3_000 + "# TODO fix the total\n"}

    assert all(len(line) < 400 for line in texts(gathered(tmp_path, files, Tasks())).split("\n"))


def test_an_empty_workspace_has_no_tasks(tmp_path: Path) -> None:
    assert gathered(tmp_path, {}, Tasks()) == []
