"""Questions on upgrades: which entries and guides lie between the versions."""

from __future__ import annotations

from pathlib import Path

import pytest

import satchel
from satchel.questions import FilePlace, place_of, read_question
from satchel.questions.upgrades import Relation, Upgrade, is_guide, read_version, relate_parts

from .repositories import commit, make_repository, write_files

ENTRIES = {
    "[Unreleased]": "Polish the northern window.",
    "5.1.0 (2024-05-01)": "Paint the second door.",
    "5.0.0 (2024-01-01)": "Doors are green.",
    "4.9.1 (2023-06-01)": "Oil the hinges.",
    "4.0.0 (2022-01-01)": "Doors are round.",
    "3.2.0 (2021-01-01)": "Doors were wooden.",
}


@pytest.mark.parametrize(
    ("text", "upgrade"),
    [
        ("upgrade from 0.27 to 0.28: what breaks?", Upgrade((0, 27), (0, 28))),
        ("how do I migrate my app from express v4 to v5", Upgrade((4,), (5,))),
        ("what changed between 1.x and 2.0, upgrading", Upgrade((1,), (2, 0))),
        ("what changed in the last version", None),
        ("how do I migrate from 5 to 4", None),
    ],
)
def test_an_upgrade_is_read_from_a_question(text: str, upgrade: Upgrade | None) -> None:
    assert read_question(text).upgrade == upgrade


@pytest.mark.parametrize(
    ("text", "before", "new"),
    [("upgrade notes for 0.5", "0.4.9", "0.5.0"), ("what breaks when upgrading to 5.0", "4.99", "5.0.3")],
)
def test_an_upgrade_that_names_one_version_is_about_that_alone(text: str, before: str, new: str) -> None:
    upgrade = read_question(text).upgrade

    assert upgrade is not None
    assert upgrade.relate(read_version(before)) is Relation.OUTSIDE
    assert upgrade.relate(read_version(new)) is not Relation.OUTSIDE


@pytest.mark.parametrize(
    ("version", "relation"),
    [
        ((5, 0, 0), Relation.NAMED),
        ((5, 1), Relation.BESIDE),
        ((4, 9, 1), Relation.BETWEEN),
        ((3, 2, 4), Relation.BESIDE),
        ((3, 2), Relation.OUTSIDE),
        ((6,), Relation.OUTSIDE),
    ],
)
def test_what_lies_between_the_versions_belongs_to_the_upgrade(
    version: tuple[int, ...], relation: Relation
) -> None:
    assert Upgrade((3, 2), (5,)).relate(version) is relation


@pytest.mark.parametrize(
    "path",
    [
        "docs/Migration-Guide-V5.md",
        "Documentation/Wheels 5.0 Migration Guide.md",
        "docs/upgrading-to-5.md",
        "docs/5.0-Upgrade.md",
        "guides/upgrading/v5.md",
        "docs/upgrading/4-to-5.md",
        "doc/migration_guide_from_4.x_to_5.0.rst",
        "docs/07-v5-migration-guide.md",
        "www/migration/migrate-from-v4-to-v5.mdx",
        "API_CHANGES_V5.md",
    ],
)
def test_a_guide_is_about_the_version_in_its_name(path: str) -> None:
    parts = [satchel.Part("section", "Needs Node 22", (1, 4)), satchel.Part("section", "4.2", (5, 6))]

    assert place_of(path) is FilePlace.CHANGES
    assert is_guide(path)
    assert relate_parts(Upgrade((4,), (5,)), path, parts, [""] * 6) == [Relation.NAMED] * 2
    assert relate_parts(Upgrade((5,), (6,)), path, parts, [""] * 6) == [Relation.OUTSIDE] * 2


def test_a_page_of_a_database_is_no_guide_to_a_version() -> None:
    parts = [satchel.Part("section", "1. Write a migration", (1, 4))]

    assert relate_parts(Upgrade((0,), (1,)), "docs/migrations.md", parts, [""] * 4) == [None]


def test_what_follows_the_heading_of_a_release_is_about_it() -> None:
    names = ["Changes", "Version 5.0.0", "Python 3.14", "Removed", "[4.9.1](https://x.org/4.9.1)", "Fixed"]
    spans = [(1, 6), (2, 4), (0, 0), (0, 0), (5, 5), (0, 0)]
    parts = [
        satchel.Part("section", name, (at, at), span=span)
        for at, (name, span) in enumerate(zip(names, spans, strict=True), 1)
    ]

    found = relate_parts(Upgrade((4,), (5,)), "CHANGES.md", parts, [""] * 6)

    assert found == [None, *[Relation.NAMED] * 3, *[Relation.BESIDE] * 2]


def wheels(root: Path) -> Path:
    changes = "".join(f"## {name}\n\n### Changed\n\n- {line}\n\n" for name, line in ENTRIES.items())
    guides = {
        f"docs/Migration-Guide-V{at}.md": f"# V{at} Migration Guide\n\nReplace knob {at - 1} by knob {at}.\n"
        for at in (3, 4, 5)
    }
    code = {"wheels.py": "def upgrade(door):\n    return door.migrate(5)\n" * 30}
    return write_files(root, {"CHANGELOG.md": f"# Changelog\n\n{changes}", **guides, **code})


def test_an_upgrade_is_answered_by_its_guide_and_the_entries_in_between(tmp_path: Path) -> None:
    bundle = satchel.pack("migrate from wheels 4 to 5", wheels(tmp_path), budget=2_000)
    files = [item for item in bundle.items if item.kind == "file"]

    assert [item.path for item in files[:2]] == ["docs/Migration-Guide-V5.md", "CHANGELOG.md"]
    assert "Replace knob 4 by knob 5." in files[0].text
    entries = [line for line in ENTRIES.values() if line in files[1].text]
    assert entries == ["Paint the second door.", "Doors are green.", "Oil the hinges."]
    assert not any(f"Migration-Guide-V{at}" in item.path for item in files for at in (3, 4))


@pytest.mark.costly
@pytest.mark.parametrize(
    ("task", "is_shown"), [("what breaks in 5.0?", False), ("why does the door break?", True)]
)
def test_what_a_release_breaks_is_told_by_no_commits(task: str, is_shown: bool, tmp_path: Path) -> None:
    root = wheels(make_repository(tmp_path / "wheels", {"door.py": "def open_door():\n    return 1\n"}))
    commit(root, "Break the door of wheels for all")

    kinds = {item.kind for item in satchel.pack(task, root, budget=2_000).items}

    assert ("commit" in kinds) == is_shown


def test_an_upgrade_of_something_else_leaves_the_entries_alone(tmp_path: Path) -> None:
    bundle = satchel.pack("how do I migrate from junit 14 to 15?", wheels(tmp_path), budget=2_000)

    assert "Doors were wooden." in "".join(item.text for item in bundle.items)
