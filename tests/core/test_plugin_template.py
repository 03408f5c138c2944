"""`satchel plugins new` writes packages that pass the contract of their kind."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from satchel import UsageError
from satchel.cli.settings.plugins import write_package
from satchel.host import PluginKind

_WITHOUT = ("xdist", "xdist.looponfail", "hypothesispytest", "anyio")
"""Plugins of pytest that such a package doesn't use, and that take long to load."""


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize(
    ("kind", "name"),
    [*((kind, "two-words") for kind in (*PluginKind, "message_scorer")), ("redaction_rule", "two_words")],
)
def test_a_new_package_passes_its_contract_at_once(kind: str, name: str, tmp_path: Path) -> None:
    root = write_package(kind, name, tmp_path)[0].parent
    env = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            *(word for name in _WITHOUT for word in ("-p", f"no:{name}")),
            "-c",
            "pyproject.toml",
        ],
        cwd=root,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


@pytest.mark.parametrize("kind", [*PluginKind, "message_scorer"])
def test_a_new_package_imports_what_the_guides_import_and_speaks_english(kind: str, tmp_path: Path) -> None:
    texts = [file.read_text() for file in write_package(kind, "two-words", tmp_path)]
    code = texts[2]

    imported = {line.split()[1] for line in code.splitlines() if line.startswith("from satchel")}
    assert imported == {"satchel.plugin_api"}
    assert not any(re.search(r"\b[Aa] [aeiou]", text) for text in texts)
    assert code.startswith(f'"""{"An" if kind[0] in "aeiou" else "A"} ')


def test_its_names_are_those_of_distribution_module_class_and_entry_point(tmp_path: Path) -> None:
    files = write_package("gpu-backend", "my-card", tmp_path)
    root = tmp_path / "satchel-my-card"

    assert [file.relative_to(root).as_posix() for file in files] == [
        "pyproject.toml",
        "README.md",
        "satchel_my_card/__init__.py",
        "satchel_my_card/py.typed",
        "tests/test_my_card.py",
    ]
    assert 'satchel_my_card = "satchel_my_card"' in files[0].read_text()
    assert "class MyCard:" in files[2].read_text()
    assert "def satchel_gpu_backends()" in files[2].read_text()


def test_a_folder_that_exists_is_left_as_it_is(tmp_path: Path) -> None:
    kept = tmp_path / "satchel-owners" / "mine.txt"
    kept.parent.mkdir()
    kept.write_text("mine")

    with pytest.raises(UsageError, match="already exists"):
        write_package("scorer", "owners", tmp_path)

    assert [file.name for file in kept.parent.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("name", ["", "Owners", "../owners", "a--b", "1st", "a b", "x" * 61, "class"])
def test_a_name_that_no_module_can_have_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="can't name a plugin"):
        write_package("scorer", name, tmp_path)

    assert not list(tmp_path.iterdir())


def test_an_unknown_kind_is_told_the_kinds(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match="no kind of plugin is called 'ranker'; the kinds are provider, scorer"
    ):
        write_package("ranker", "owners", tmp_path)
