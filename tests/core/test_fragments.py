"""Entries of a changelog that are files of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import satchel
from satchel.packing.weighing.fragments import find_fragment_files
from satchel.questions import read_question

from .repositories import write_files

if TYPE_CHECKING:
    from pathlib import Path

_QUESTION = "how do I write a changelog entry?"


@pytest.mark.parametrize(
    ("told", "fragments"),
    [
        ("changelog/README.rst", ["changelog/14884.bugfix.rst", "changelog/990.feature.1.rst"]),
        ("doc/changes/AGENTS.md", ["doc/changes/fixed/16076.md", "doc/changes/added/15996.md"]),
        (".changeset/README.md", [".changeset/two-cups.md", ".changeset/brave-cats-jump.md"]),
    ],
)
def test_entries_that_are_files_show_how_one_is_written(
    tmp_path: Path, told: str, fragments: list[str]
) -> None:
    older = [fragments[0].replace("14884", "123").replace("16076", "123").replace("two-cups", "a-cup")]
    page = "# Changelog\n\n" + "## 1.0\n\nThe changelog has an entry on each cup, and changes.\n\n" * 20
    files = dict.fromkeys((*fragments, *older), "Tea is no longer cold.\n")
    files |= {told: "Name it after its issue.\n", "CHANGELOG.md": page, "doc/changes/3.17.0.md": page}
    write_files(tmp_path, files)

    bundle = satchel.pack(_QUESTION, tmp_path, budget=500)

    assert [item.path for item in bundle.items][:3] == [told, *fragments]


@pytest.mark.parametrize(
    "paths",
    [
        ["changes/2023.md", "changes/2024.md", "changes/2025.md"],
        ["doc/changes/3.17.0.md", "doc/changes/3.18.0.md"],
        ["changelog.d/1234.change.md"],
        ["news/README.md", "news/press.md"],
    ],
)
def test_pages_on_versions_are_no_fragments(paths: list[str]) -> None:
    assert find_fragment_files(read_question(_QUESTION), paths) == []


def test_only_who_asks_for_entries_gets_fragments() -> None:
    paths = ["changelog.d/1234.change.md", "changelog.d/1235.change.md"]

    assert find_fragment_files(read_question("how do I run the tests?"), paths) == []
