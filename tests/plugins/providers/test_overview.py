"""The overview of the code, for questions about all of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.amounts import examples

from satchel.plugin_api import asks_about_whole
from satchel_plugins.providers import Overview, find_purpose
from satchel_plugins.providers.purposes import find_names, find_readme_purpose

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
    "scripts/release.py": '"""Release the shop."""\n' + "x = 1\n" * 190,
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


def test_only_what_is_about_a_folder_describes_it(tmp_path: Path) -> None:
    files = {
        "src/fmt/mod.rs": "/// Designates what is written to a buffer.\npub enum Token {}\n",
        "src/fmt/input.rs": "pub fn basename() {}\n",
        "src/exec/mod.rs": "//! Runs commands for files.\n\npub struct Job {}\n",
        "modules/net/main.tf": 'resource "aws_vpc" "this" {\n}\n',
        "modules/net/README.md": "# Net\n\n[![ok](a.svg)](b)\n\nMakes a [network](a.md) of its own.\n",
    }

    text = texts(gathered(tmp_path, files, Overview(), TASK))

    assert "src/fmt/ 2 files, 3 lines\n" in text
    assert "src/exec/ 1 file, 3 lines: Runs commands for files.\n" in text
    assert "modules/net/ 1 file, 2 lines: Makes a network of its own.\n" in text


def test_prose_that_begins_like_a_definition_defines_nothing(tmp_path: Path) -> None:
    text = '"""Tools."""\n\ndef a():\n    """Follow the\ninterface of b\nclass Wrong\n"""\n'

    assert find_names(text, "util.py") == ["a"]
    assert find_names("/*\nfunction wrong\n*/\nexport const right = 1\n", "a.ts") == ["right"]


def test_folders_of_the_same_files_share_a_line(tmp_path: Path) -> None:
    files = {f"src/{name}/index.ts": "export function x() {}\n" for name in "abcdefghijklmnop"}
    files |= {f"src/{name}/test.ts": "it(1)\n" for name in "abcdefghijklmnop"}
    files |= {"src/locale/en.ts": "export const en = 1\n", "src/locale/de.ts": "export const de = 2\n"}
    files["src/index.ts"] = "import { p } from './p'\nexport { p }\n"

    text = texts(gathered(tmp_path, files, Overview(), TASK))

    assert text.startswith("19 files of code in 18 folders, beside 16 of tests and 0 of documents")
    assert "src/*/ 16 folders alike (each with index.ts): p, a, b, c, d, e, f, g, h, i, j, k, ...\n" in text
    assert "src/locale/ 2 files, 2 lines\n" in text
    assert "test.ts" not in text


def test_a_numbered_series_of_files_is_told_by_its_first_and_last(tmp_path: Path) -> None:
    files = {
        f"shop/migrations/{at:04}_step.py": f"class Migration{at}:\n    pass\n" * 20 for at in range(1, 15)
    }

    text = texts(gathered(tmp_path, {**SHOP, **files}, Overview(), TASK))

    assert "shop/migrations/ 14 files, 560 lines: 0001_step.py to 0014_step.py\n" in text
    assert "0007" not in text


def test_a_series_of_folders_is_told_by_its_first_and_last_after_the_code(tmp_path: Path) -> None:
    files = {
        f"migrations/sqlite/20{at}-01-02-000000_step/{way}.sql": "CREATE TABLE a (b);\n"
        for at in range(10, 30)
        for way in ("up", "down")
    }

    text = texts(gathered(tmp_path, {**SHOP, **files}, Overview(), TASK))

    series = "2010-01-02-000000_step to 2029-01-02-000000_step"
    assert f"migrations/sqlite/*/ 20 folders alike (each with down.sql, up.sql): {series}\n" in text
    assert text.index("shop/") < text.index("migrations/sqlite/")


def test_demos_and_templates_are_named_in_the_last_line(tmp_path: Path) -> None:
    files = {
        "shop/cart.py": "class Cart: ...\n",
        "demos/blog/blog.py": "x = 1\n" * 500,
        "demos/chat/a.js": "1\n",
    }

    text = texts(gathered(tmp_path, files, Overview(), TASK))

    assert text.endswith("\n\nExamples, demos and templates: demos/ (2 files: blog, chat)\n")
    assert "500" not in text


def test_packages_below_the_sources_of_a_program_may_be_called_samples(tmp_path: Path) -> None:
    files = {
        "src/main/java/org/pot/samples/tea/Cup.java": "public class Cup {}\n",
        "samples/src/main/java/org/pot/Jug.java": "public class Jug {}\n",
    }

    text = texts(gathered(tmp_path, files, Overview(), TASK))

    assert "  Cup.java (1 line) [Cup]\n" in text


def test_what_is_not_described_is_named(tmp_path: Path) -> None:
    files = {f"shop/m{at}.py": f"def f{at}(): ...\n" * (9 - at) for at in range(5)}

    text = texts(gathered(tmp_path, files, Overview(modules=2), TASK))

    assert "  and 3 more: m2, m3, m4\n" in text


def test_of_a_folder_of_many_of_a_kind_a_few_are_described(tmp_path: Path) -> None:
    files = {f"shop/plugins/m{at}.py": f"def f{at}(): ...\n" for at in range(60)}

    text = texts(gathered(tmp_path, files, Overview(), TASK))

    assert text.count("(1 line)") == Overview().collected
    assert "  and 52 more: " in text


def test_small_modules_that_say_nothing_share_a_line(tmp_path: Path) -> None:
    files = {
        "sizes/run.js": "export function run() { return 1 }\n",
        **{f"sizes/case{at}.js": "console.log(1)\n" * (9 - at) for at in range(3)},
        "sizes/long.js": "console.log(1)\n" * 60,
    }

    text = texts(gathered(tmp_path, files, Overview(), TASK))

    assert "  long.js (60 lines)\n  run.js (1 line) [run]\n  and 3 more: case0, case1, case2\n" in text


def test_notebooks_are_told_by_their_headings(tmp_path: Path) -> None:
    cells = [
        ("markdown", "**Chapter 1 – Fruit**"),
        ("markdown", "# Setup"),
        ("code", "# no heading"),
        ("markdown", "## Apples and pears\n### More"),
    ]
    notebook = {
        "cells": [{"cell_type": kind, "source": [text], "metadata": {}} for kind, text in cells],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }

    text = texts(gathered(tmp_path, {"01_fruit.ipynb": json.dumps(notebook)}, Overview(), TASK))

    assert text.startswith("1 file of code (1 notebook) in 1 folder, ")
    assert "): Chapter 1 – Fruit [Apples and pears]\n" in text


def test_terraform_is_told_by_its_resources(tmp_path: Path) -> None:
    main = 'resource "aws_vpc" "this" {\n}\n\nmodule "dns" {\n}\n\ndata "aws_ami" "a" {\n}\n'
    files = {"main.tf": main, "variables.tf": 'variable "a" {\n}\nvariable "b" {\n}\n'}

    text = texts(gathered(tmp_path, files, Overview(), TASK))

    assert "  main.tf (8 lines) [aws_vpc.this, module.dns]\n" in text
    assert "  variables.tf (4 lines) [2 variables]\n" in text


def test_yaml_of_kubernetes_and_ansible_is_code_where_there_is_little_else(tmp_path: Path) -> None:
    files = {
        "charts/shop/templates/web.yaml": "kind: Deployment\nmetadata:\n  name: {{ x }}-web\n---\n"
        "kind: Service\nmetadata:\n  name: web\n",
        "roles/db/tasks/main.yml": "- name: Install the database\n  apt: {}\n",
        "values.yaml": "a: 1\n",
    }

    text = texts(gathered(tmp_path, files, Overview(), TASK))

    assert "  web.yaml (7 lines) [Deployment web, Service web]\n" in text
    assert "  main.yml (2 lines) [Install the database]\n" in text


def test_yaml_of_anything_else_is_not_code(tmp_path: Path) -> None:
    assert gathered(tmp_path, {"values.yaml": "a: 1\n", "conf/a.yml": "b: 1\n"}, Overview(), TASK) == []


@pytest.mark.parametrize(
    ("readme", "purpose"),
    [
        ("# Net\n\nMakes a network. More.\n", "Makes a network."),
        ("Net\n===\n\nMakes *all* the networks of ``a``.\n", "Makes all the networks of a."),
        ("# Net\n\n- a list of things here\n\n> a quote of somebody\n", ""),
        ("# Net\n\nRun it like this:\n", ""),
    ],
)
def test_a_readme_says_what_its_folder_is_for(readme: str, purpose: str) -> None:
    assert find_readme_purpose(readme) == purpose


@pytest.mark.parametrize("task", ["why is the total wrong", "where is the cart", "fix the architecture page"])
def test_other_tasks_get_none(tmp_path: Path, task: str) -> None:
    assert gathered(tmp_path, SHOP, Overview(), task) == []


def test_a_workspace_without_code_has_none(tmp_path: Path) -> None:
    assert gathered(tmp_path, {"README.md": "# shop\n"}, Overview(), TASK) == []


@pytest.mark.costly
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
        "explain the architecture of this monorepo: how do the adapters use the core?",
        "give me an overview of how it is structured, which platforms are there",
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
        "explain the design of the parser: what is the structure of a node",
        "what is the structure of a commit message",
        "how do I start the server",
        "fix the layout",
        "add an overview page",
    ],
)
def test_and_what_is_about_a_part_of_it(task: str) -> None:
    assert not asks_about_whole(task, name="shop")


@pytest.mark.parametrize(
    ("path", "head", "purpose"),
    [
        ("a.rs", "// See (v2026.7.0): https://example.com/a/b.cs\npub struct A;\n", ""),
        ("a.js", "/* exported BASE_URL, _post, _delete */\nfunction get() {}\n", ""),
        ("a.js", "/* global BASE_URL:readable, bootstrap:readable */\nfunction get() {}\n", ""),
        ("a.py", '"""One. Two."""\n', "One."),
        ("a.go", "// Package gin is a framework. It is fast.\npackage gin\n", "Package gin is a framework."),
        ("a.rs", "//! Matches globs, e.g. `*.rs`. More.\nuse std::fs;\n", "Matches globs, e.g. `*.rs`."),
        (
            "a/b/E.java",
            "/*\n * Copyright (C) 2026\n */\npackage a.b;\n\nimport c.D;\n\n/**\n"
            " * Reads <b>JSON</b> texts.\n *\n * @author me\n */\npublic class E {}\n",
            "Reads JSON texts.",
        ),
        (
            "A.cs",
            '/// <summary>\n/// Extensions for <see cref="Shop.Basket{T}"/>\n'
            '/// and <paramref name="order" />. More.\n'
            "/// </summary>\npublic static class A {}\n",
            "Extensions for Basket and order.",
        ),
        ("a.py", "import a\n\nx = 1\n# Count the things that are there.\n", ""),
        ("a.py", "# ok\nx = 1\n", ""),
        ("a.ts", "// import { Cart, Till } from './cart';\n\nimport a from 'a'\n", ""),
        ("a.ts", "/////////////\n////   TYPES   ////\n/////////////\n\nexport type A = 1\n", ""),
        (
            "a.py",
            "# ruff: file-ignore[unsorted-imports]\n# order the members by what they do\n\nimport a\n",
            "",
        ),
        (
            "pay.py",
            "class A:\n    # TODO: replace the default error by it\n    def pay(self):\n        pass\n",
            "",
        ),
        ("a.ts", "// biome-ignore format: it is a table of many rows.\n\nexport const a = 1\n", ""),
        ("fmt/mod.rs", "use std::fs;\n\n/// Designates what is written to a buffer.\nenum Token {}\n", ""),
        (
            "fmt/token.rs",
            "use std::fs;\n\n/// Designates what is written to a buffer.\nenum Token {}\n",
            "Designates what is written to a buffer.",
        ),
        (
            "parse/index.ts",
            "import a from 'a'\n\n// Exports of internals for others to use.\nexport { b }\n",
            "",
        ),
        (
            "lib/shop.rb",
            "module A\n  # Sells what people want. Or not.\n  class A::Shop < B\n",
            "Sells what people want.",
        ),
        (
            "lib/till.ex",
            'defmodule Shop.Till do\n  defmodule Error do\n    @moduledoc "It is empty."\n  end\n\n'
            '  @moduledoc """\n  Takes the money. All of it.\n',
            "Takes the money.",
        ),
        (
            "lib/errors.ex",
            'defmodule A do\n  @moduledoc "Raised by A alone."\nend\n\ndefmodule B do\nend\n',
            "",
        ),
        ("completion.sh", "#    / __/___  / __/\n#   / /_/_  / / /_\n# /_/   /___/_/ completion.sh\n\n", ""),
        (
            "parser.c",
            '#line 1 "parser.rl"\n/* Parses what a client sends. */\n#include <a.h>\n',
            "Parses what a client sends.",
        ),
    ],
)
def test_a_purpose_is_one_sentence_about_a_whole_file(path: str, head: str, purpose: str) -> None:
    assert find_purpose(head, path) == purpose


@given(
    st.sampled_from(["a.py", "a/index.ts", "a.rb", "a.ex", "a.ipynb", "a.tf", "a.yml"]),
    st.text(alphabet="/*#\"'-; \nab.@<>", max_size=300),
)
@settings(max_examples=examples(200))
def test_no_beginning_of_a_file_breaks_it(path: str, head: str) -> None:
    find_names(head, path)

    purpose = find_purpose(head, path)

    assert len(purpose) <= 164
    assert "\n" not in purpose
