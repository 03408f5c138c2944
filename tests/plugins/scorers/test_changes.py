"""Changes count where the task is about changes."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.core.repositories import Asked, make_repository, packed, write_files

import satchel_plugins
from satchel import Host, Part, Task, Workspace, hookimpl
from satchel_plugins.providers import GitProvider
from satchel_plugins.representers import Diffs
from satchel_plugins.scorers import Changes


@pytest.mark.parametrize(
    ("task", "scores"),
    [
        ("review my changes", [1.0, 1.0]),
        ("write a commit message for this", [1.0, 1.0]),
        ("what changed in the diff?", [1.0, 1.0]),
        ("resolve the merge conflicts", [1.0, 1.0]),
        ("show the product reviews sorted by stars", [0.0, 1.0]),
        ("a diff algorithm for lists, as git has it", [0.0, 1.0]),
        ("change the colour of the button", [0.0, 1.0]),
        ("the preview of the digit is legitimate", [0.0, 1.0]),
    ],
)
def test_diffs_count_where_the_task_asks_and_in_a_review_always(
    task: str, scores: list[float], satchel_workspace: Workspace
) -> None:
    parts = [Part("hunk", "", (1, 2), item=item) for item in ("diff:a.py", "review:a.py")]

    assert Changes().score(parts, Task(task), satchel_workspace) == scores


def test_uncommitted_work_is_packed_for_a_review(tmp_path: Path) -> None:
    texts = {f"part_{n}.py": f"def reader_{n}(changes):\n    return {n}\n" * 30 for n in range(9)}
    root = make_repository(tmp_path / "repository", texts)
    write_files(root, {"part_3.py": texts["part_3.py"].replace("return 3", "return wombat")}, age_seconds=500)
    plugins = SimpleNamespace(
        satchel_providers=hookimpl(lambda: [GitProvider]),
        satchel_scorers=hookimpl(lambda: [Changes]),
        satchel_representers=hookimpl(lambda: [Diffs]),
    )

    bundle = packed(
        "review my changes", root, 1_500, Asked(host=Host.of(satchel_plugins, plugins, deadline_seconds=None))
    )

    assert "+    return wombat\n" in bundle.text
    assert "1 changed file not committed on branch main: 30 lines added, 30 removed\n" in bundle.text
    assert "part_3.py +30 -30\n" in bundle.text
