"""What the person put forward scores."""

from __future__ import annotations

import json

import pytest

from satchel import Part, Reference, Task, Workspace
from satchel_plugins.scorers import Priority

PARTS = [
    Part("block", "", lines, item="file:shop/cart.py", path="shop/cart.py") for lines in ((1, 4), (5, 9))
]
OTHER = Part("block", "", (1, 4), item="file:README.md", path="README.md")


def scores(
    workspace: Workspace, *, pin: tuple[int, int] | None = None, line: int | None = None
) -> list[float]:
    pins = (Reference("x", "path", "shop/cart.py", pin),) if pin else ()
    opened = (Reference("x", "path", "shop/cart.py", (line, line)),) if line is not None else ()
    task = Task("why", pins=pins, open_files=opened)
    return list(Priority().score([*PARTS, OTHER], task, workspace))


def test_pinned_lines_score_1(satchel_workspace: Workspace) -> None:
    assert scores(satchel_workspace, pin=(6, 7)) == [0, 1, 0]
    assert scores(satchel_workspace, pin=(0, 0)) == [1, 1, 0]


def test_the_part_under_the_cursor_scores_1_and_the_rest_of_its_file_less(
    satchel_workspace: Workspace,
) -> None:
    assert scores(satchel_workspace, line=2) == [1, 0.5, 0]
    assert scores(satchel_workspace, line=0) == [0.5, 0.5, 0]


def test_nothing_put_forward_scores_nothing(satchel_workspace: Workspace) -> None:
    assert scores(satchel_workspace) == [0, 0, 0]


@pytest.mark.parametrize(("state", "expected"), [('{"open": ["shop/cart.py:"]}', 0), ("{", 0)])
def test_a_broken_state_file_opens_nothing(satchel_workspace: Workspace, state: str, expected: int) -> None:
    (satchel_workspace.root / ".satchel-editor.json").write_text(state)

    assert sum(scores(satchel_workspace)) == expected


def test_the_editors_state_file_opens_files(satchel_workspace: Workspace) -> None:
    state = {"open": [{"path": "shop/cart.py", "line": 7}]}
    (satchel_workspace.root / ".satchel-editor.json").write_text(json.dumps(state))

    assert scores(satchel_workspace) == [0.5, 1, 0]


def test_instructions_score_a_little(satchel_workspace: Workspace) -> None:
    part = Part("block", "", (1, 4), item="instructions:AGENTS.md", path="AGENTS.md")

    assert list(Priority().score([part], Task("why"), satchel_workspace)) == [0.3]
