"""Packs for who asks for a value: the constant or field that has it comes first."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from satchel.packing.weighing.declared_values import _VALUE, _find_name, asks_for_value
from satchel.questions import read_question

from .repositories import write_files
from .test_answering import answered

USES = "".join(
    f"// Retries a brew: how many retries of a brew there are, at most and by default.\n"
    f"export function retryBrew{at}(brew) {{\n  return retry(brew, retries.of(brew));\n}}\n\n"
    for at in range(9)
)
PLAIN = {f"src/brew/retry{at}.js": USES for at in range(6)}


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        (
            "src/Brew.cs",
            "class Brew\n{\n    int _cup;\n    int _maximumRetries = 5;\n}\n",
            "_maximumRetries = 5",
        ),
        (
            "src/Brew.cs",
            "class Brew\n{\n    public int RetryLimit { get; set; } = 5;\n}\n",
            "RetryLimit { get; set; } = 5",
        ),
        (
            "src/brew.ts",
            "const cup = leaf();\nexport const maxRetries: number = 5;\n",
            "maxRetries: number = 5",
        ),
        ("src/brew.rs", "use cup::Leaf;\n\npub const MAX_RETRIES: u32 = 5;\n", "MAX_RETRIES: u32 = 5"),
        ("src/Brew.php", "<?php\nclass Brew\n{\n    protected $maxRetries = 5;\n}\n", "$maxRetries = 5"),
        ("src/brew.h", '#include "cup.h"\n#define MAX_RETRIES 5\n', "#define MAX_RETRIES 5"),
        ("lib/brew.ex", "defmodule Brew do\n  @max_retries 5\n  @cup 1\nend\n", "@max_retries 5"),
    ],
    ids=["field", "property", "constant", "const", "php", "macro", "attribute"],
)
@pytest.mark.parametrize(
    "question", ["how many retries of a brew are there?", "where is the default for retries of a brew set"]
)
def test_a_value_that_is_asked_for_comes_before_code_that_uses_it(
    tmp_path: Path, path: str, text: str, line: str, question: str
) -> None:
    write_files(tmp_path / "loom", {**PLAIN, path: text})

    shown = answered(tmp_path / "loom", question, 400)

    assert shown.items[0].path == path
    assert line in shown.text


@pytest.mark.parametrize(
    "text",
    [
        "export function brew() {\n  let maxRetries = 5;\n  return maxRetries;\n}\n",
        "let retries = 0;\n",
        "const maxCupRetries = 5;\n",
        "const maxRetries = count(brew);\n",
    ],
    ids=["of a function", "a count", "of something else", "not written out"],
)
def test_other_variables_are_no_value_that_is_asked_for(tmp_path: Path, text: str) -> None:
    files = {"src/brew.js": text, "src/limits.js": "export const MAX_RETRIES = 7;\n"}
    write_files(tmp_path / "loom", {**PLAIN, **files})

    shown = answered(tmp_path / "loom", "how many retries of a brew are there?", 400)

    assert shown.items[0].path == "src/limits.js"


def test_where_many_values_fit_alike_none_is_meant(tmp_path: Path) -> None:
    files = {f"src/brew{at}.js": f"export const maxRetries = {at + 2};\n" for at in range(5)}
    write_files(tmp_path / "loom", {**PLAIN, **files})

    shown = answered(tmp_path / "loom", "how many retries of a brew are there?", 400)

    assert shown.items[0].path not in files


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("how many retries are there", True),
        ("what is the default timeout", True),
        ("how long is the grace period", True),
        ("where is the maximum size set", True),
        ("where is the maximum size checked", False),
        ("how does the retry limit work", False),
        ("which go version is the oldest", False),
        ("how do I retry", False),
    ],
)
def test_some_questions_ask_for_a_value(question: str, asks: bool) -> None:
    assert asks_for_value(read_question(question)) is asks


def test_long_lines_are_read_in_linear_time() -> None:
    before = time.process_time()

    for text in (
        "1*" * 100_000,
        "a." * 100_000,
        "(" * 200_000,
        "a(1" * 60_000,
        "A.A" * 60_000,
        "1 " * 100_000,
    ):
        _VALUE.match(text)
        _find_name(text[:100_000])

    assert time.process_time() - before < 1


@pytest.mark.parametrize(
    "question", ["which port does the admin api listen on", "what is the default admin address"]
)
def test_an_address_with_a_port_comes_before_code_that_uses_it(tmp_path: Path, question: str) -> None:
    uses = "".join(
        f"// Listens on the default address and port.\n"
        f"func serve{at}(address string) error {{\n\treturn admin.Listen(address, port)\n}}\n\n"
        for at in range(9)
    )
    files = {f"web/serve{at}.go": f"package web\n\n{uses}" for at in range(6)}
    files["server.go"] = 'package loom\n\nvar (\n\tDefaultAdminListen = "localhost:2019"\n)\n'
    write_files(tmp_path / "loom", files)

    shown = answered(tmp_path / "loom", question, 400)

    assert shown.items[0].path == "server.go"
    assert '"localhost:2019"' in shown.text
