"""The overview of the code, for questions about all of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.amounts import examples

from satchel.plugin_api import asks_about_whole
from satchel_plugins.providers import Overview, find_purpose

from .opening import gathered, texts

TASK = "explain the architecture"
SHOP = {
    "README.md": "# shop\n",
    "shop/__init__.py": '"""Sell things. Or not."""\n',
    "shop/cart.py": '"""Hold what a person wants to buy."""\n\nclass Cart:\n    pass\n'
    "\ndef _hide():\n    pass\n",
    "shop/till.py": "# Copyright 2026 somebody\n\n# Takes the money of a cart.\n"
    "from shop.cart import Cart\n\ndef pay(): ...\n",
    "shop/web/server.js": "/** Serve the shop to browsers. */\nconst cart = require('../cart')\n"
    "function serve() {}\n",
    "scripts/release.py": '"""Release the shop."""\n' + "x = 1\n" * 90,
    "tests/test_cart.py": "def test_cart(): ...\n",
}


def test_packages_say_what_they_and_their_modules_are_for(tmp_path: Path) -> None:
    text = texts(gathered(tmp_path, SHOP, Overview(), TASK))

    assert text.startswith("5 files of code in 3 folders, beside 1 of tests and 1 of documents")
    assert "\nshop/ 3 files, " in text
    assert " lines: Sell things.\n" in text
    assert "  cart.py (7 lines): Hold what a person wants to buy. [Cart]\n" in text
    assert "  till.py (6 lines): Takes the money of a cart. [pay]\n" in text
    assert "  server.js (3 lines): Serve the shop to browsers. [serve]\n" in text


def test_what_others_import_comes_first_and_helpers_last(tmp_path: Path) -> None:
    text = texts(gathered(tmp_path, SHOP, Overview(), TASK))

    assert text.index("cart.py") < text.index("till.py") < text.index("scripts/ 1 file")


@pytest.mark.parametrize("task", ["why is the total wrong", "where is the cart", "fix the architecture page"])
def test_other_tasks_get_none(tmp_path: Path, task: str) -> None:
    assert gathered(tmp_path, SHOP, Overview(), task) == []


def test_a_workspace_without_code_has_none(tmp_path: Path) -> None:
    assert gathered(tmp_path, {"README.md": "# shop\n"}, Overview(), TASK) == []


@pytest.mark.parametrize("most", [30, 60, 3000])
def test_it_stays_within_its_cap(tmp_path: Path, most: int) -> None:
    files = {
        f"p{n}/m{m}.py": f'"""Do {n} and {m}."""\ndef f{n}_{m}(): ...\n' for n in range(20) for m in range(12)
    }

    text = texts(gathered(tmp_path, files, Overview(max_tokens=most), TASK))

    assert len(text.encode()) / 3 <= max(most, 50)


def test_secrets_in_a_purpose_are_replaced(tmp_path: Path) -> None:
    key = "ghp_" + "a1B2" * 9
    text = texts(
        gathered(tmp_path, {"a/b.py": f'"""Log in with {key} first."""\ndef f(): ...\n'}, Overview(), TASK)
    )

    assert key not in text
    assert "[redacted:" in text


@pytest.mark.parametrize(
    "task",
    [
        "explain the architecture",
        "how is this project structured?",
        "how does shop work?",
        "give me an overview of the codebase",
        "what are the main components?",
        "where do I start reading the code?",
        "wie ist das Projekt aufgebaut?",
        "explica la arquitectura",
        "解释一下架构",
    ],
)
def test_it_is_told_what_is_about_all_of_a_project(task: str) -> None:
    assert asks_about_whole(task, name="shop")


@pytest.mark.parametrize(
    "task",
    [
        "",
        "explain the design of the parser",
        "what is the structure of a commit message",
        "how do I start the server",
        "fix the layout",
        "add an overview page",
    ],
)
def test_and_what_is_about_a_part_of_it(task: str) -> None:
    assert not asks_about_whole(task, name="shop")


@pytest.mark.parametrize(
    ("head", "purpose"),
    [
        ('"""One. Two."""\n', "One."),
        ("// Package gin is a framework. It is fast.\npackage gin\n", "Package gin is a framework."),
        ("//! Matches globs, e.g. `*.rs`. More.\nuse std::fs;\n", "Matches globs, e.g. `*.rs`."),
        (
            "/*\n * Copyright (C) 2026\n */\npackage a.b;\n\nimport c.D;\n\n/**\n"
            " * Reads <b>JSON</b> texts.\n *\n * @author me\n */\npublic class E {}\n",
            "Reads JSON texts.",
        ),
        (
            '/// <summary>\n/// Extensions for <see cref="Shop.Basket{T}"/>\n'
            '/// and <paramref name="order" />. More.\n'
            "/// </summary>\npublic static class A {}\n",
            "Extensions for Basket and order.",
        ),
        ("import a\n\nx = 1\n# Count the things that are there.\n", ""),
        ("# ok\nx = 1\n", ""),
    ],
)
def test_a_purpose_is_one_sentence_from_the_top_of_a_file(head: str, purpose: str) -> None:
    assert find_purpose(head) == purpose


@given(st.text(alphabet="/*#\"'-; \nab.@<>", max_size=300))
@settings(max_examples=examples(200))
def test_no_beginning_of_a_file_breaks_it(head: str) -> None:
    purpose = find_purpose(head)

    assert len(purpose) <= 164
    assert "\n" not in purpose
