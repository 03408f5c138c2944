"""Instruction files of the folders above what the task is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel_plugins.providers import NearbyDocs

from .opening import Files, found, texts, workspace_of

NESTED: Files = {
    "AGENTS.md": "root\n",
    "app/AGENTS.md": "app\n",
    "app/db/CLAUDE.md": "db\n",
    "app/db/models.py": "x = 1\n",
    "app-secret/AGENTS.md": "secret\n",
    "web/AGENTS.md": "web\n",
    "web/main.js": "x\n",
}


def paths(folder: Path, task: str, *, files: Files = NESTED, best: tuple[str, ...] = ()) -> list[str]:
    with workspace_of(folder, files) as workspace:
        return [item.path for item in found(NearbyDocs(), task, workspace, best=best)]


@pytest.mark.parametrize(
    "task", ["fix app/db/models.py", "see models.py:1", "add app/db/new.py", "in app/db/ it fails"]
)
def test_each_folder_down_to_a_named_file_has_its_say_the_root_first(tmp_path: Path, task: str) -> None:
    assert paths(tmp_path, task) == ["AGENTS.md", "app/AGENTS.md", "app/db/CLAUDE.md"]


def test_a_file_in_a_folder_that_is_still_to_be_made_counts_by_the_folder_above(tmp_path: Path) -> None:
    assert paths(tmp_path, "write app/api/v2/users.py") == ["AGENTS.md", "app/AGENTS.md"]


def test_an_absolute_path_counts_below_the_root(tmp_path: Path) -> None:
    assert paths(tmp_path, f"write {tmp_path}/w/app/new.py")[-1] == "app/AGENTS.md"


def test_the_best_files_count_too(tmp_path: Path) -> None:
    assert paths(tmp_path, "anything", best=("web/main.js",)) == ["AGENTS.md", "web/AGENTS.md"]


def test_a_folder_whose_name_only_begins_alike_has_no_say(tmp_path: Path) -> None:
    assert "app-secret/AGENTS.md" not in paths(tmp_path, "fix app/db/models.py", best=("app/db/models.py",))


@pytest.mark.parametrize("task", ["write ../../etc/x.py", "either/or", "fix web/../../app/x.py"])
def test_paths_out_of_the_root_or_to_nowhere_find_nothing(tmp_path: Path, task: str) -> None:
    assert paths(tmp_path, task) == []


def test_vendored_ignored_and_linked_out_files_have_no_say(tmp_path: Path) -> None:
    (tmp_path / "out.md").write_text("outside\n")
    files = {
        ".gitignore": "gen/\n",
        "gen/AGENTS.md": "generated\n",
        "node_modules/x/AGENTS.md": "vendored\n",
        "node_modules/x/i.js": "x\n",
        "src/AGENTS.md": "-> ../../out.md",
    }

    assert paths(tmp_path, "fix gen/a.py node_modules/x/i.js src/b.py", files=files) == []


def test_a_readme_counts_only_above_a_named_file(tmp_path: Path) -> None:
    files = {"lib/README.md": "read\n", "lib/a.py": "x = 1\n"}

    assert paths(tmp_path, "fix lib/a.py", files=files) == ["lib/README.md"]
    assert paths(tmp_path, "anything", files=files, best=("lib/a.py",)) == []


def test_a_changelog_is_never_an_instruction(tmp_path: Path) -> None:
    with workspace_of(tmp_path, {"lib/CHANGELOG.md": "news\n", "lib/a.py": "x = 1\n"}) as workspace:
        assert found(NearbyDocs(names=("CHANGELOG.md",)), "fix lib/a.py", workspace) == []


def test_all_stay_within_32_kib_and_the_nearest_stays_whole(tmp_path: Path) -> None:
    files = {"AGENTS.md": "far\n" * 20_000, "a/AGENTS.md": "near\n" * 2_000, "a/b.py": "x = 1\n"}
    with workspace_of(tmp_path, files) as workspace:
        items = found(NearbyDocs(), "fix a/b.py", workspace)

    assert [item.path for item in items] == ["AGENTS.md", "a/AGENTS.md"]
    assert len(texts(items).encode()) < 33_000
    assert (items[1].text or "").count("near\n") == 2_000


def test_equal_texts_are_offered_once(tmp_path: Path) -> None:
    files = {"AGENTS.md": "same\n", "a/AGENTS.md": "same\n", "a/b.py": "x = 1\n"}

    assert len(paths(tmp_path, "fix a/b.py", files=files)) == 1
