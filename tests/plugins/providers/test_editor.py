"""Files that are open in an editor."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from satchel_plugins.providers import Editor, open_in_editor

from .opening import Files, found, gathered, workspace_of

CODE: Files = {"a.py": "x = 1\n", "b.py": "y = 1\n", "c.py": "z = 1\n"}
STATE = ".satchel-editor.json"


def paths(folder: Path, state: object) -> list[str]:
    return [item.path for item in gathered(folder, {**CODE, STATE: json.dumps(state)}, Editor())]


def test_files_of_the_command_line_are_offered(tmp_path: Path) -> None:
    with workspace_of(tmp_path, CODE) as workspace:
        items = found(Editor(), "why", workspace, opened=["b.py:1"])

    assert [(item.id, item.kind, item.relevance) for item in items] == [("file:b.py", "file", 1.0)]


def test_files_of_the_state_file_are_offered_the_active_one_first(tmp_path: Path) -> None:
    assert paths(tmp_path, {"active": "c.py", "open": ["a.py", {"path": "c.py", "line": 1}]}) == [
        "c.py",
        "a.py",
    ]


@pytest.mark.parametrize("path", ["gone.py", "../a.py", "/etc/hostname", "", None, 3, "a\0b"])
def test_what_is_no_file_of_the_workspace_is_left_out(tmp_path: Path, path: object) -> None:
    assert paths(tmp_path, {"open": [{"path": path}, "b.py"]}) == ["b.py"]


@pytest.mark.parametrize("text", ["{", "[1]", '{"open": 3}', "x" * 100_000, "[" * 100_000])
def test_a_file_that_is_no_state_is_told(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValueError, match=STATE):
        gathered(tmp_path, {**CODE, STATE: text}, Editor())


def test_a_state_file_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('{"open": ["a.py"]}')

    with pytest.raises(ValueError, match="link"):
        gathered(tmp_path, {**CODE, STATE: "-> ../other.json"}, Editor())


def test_a_state_file_in_the_persons_folder_is_read(tmp_path: Path, own_home: Path) -> None:
    (own_home / "state.json").write_text('{"open": [{"path": "b.py", "line": 7}]}')
    with workspace_of(tmp_path, CODE) as workspace:
        assert open_in_editor(workspace, "~/state.json") == [("b.py", 7)]


@pytest.mark.parametrize("line", [0, -4, "5", True, None])
def test_a_line_that_is_none_is_unknown(tmp_path: Path, line: object) -> None:
    files = {**CODE, STATE: json.dumps({"open": [{"path": "a.py", "line": line}]})}
    with workspace_of(tmp_path, files) as workspace:
        assert open_in_editor(workspace, STATE) == [("a.py", 0)]
