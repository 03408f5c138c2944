"""Notes as long-term memory."""

from __future__ import annotations

import json
import os
from pathlib import Path

from satchel_plugins.providers import Notes

from .opening import Files, found, gathered, texts, workspace_of

FOLDER: Files = {
    ".satchel/notes/rounding.md": "The total is rounded half up since May.\n",
    ".satchel/notes/deploy.md": "Deploy with the blue script.\n",
    ".satchel/notes/empty.md": "\n",
    "cart.py": "total = 0\n",
}


def test_a_note_that_shares_words_is_offered_and_no_other(tmp_path: Path) -> None:
    items = gathered(tmp_path, FOLDER, Notes())

    assert [(item.id, item.kind, item.title) for item in items] == [
        ("note:rounding.md", "note", "note rounding")
    ]
    assert items[0].text == "The total is rounded half up since May.\n"


def test_an_unrelated_task_gets_none(tmp_path: Path) -> None:
    assert gathered(tmp_path, FOLDER, Notes(), "upgrade webpack") == []


def test_among_equals_the_newest_stands_first(tmp_path: Path) -> None:
    with workspace_of(tmp_path, {f"n/{name}.md": "the total\n" for name in "abc"}) as workspace:
        for age, name in enumerate("bca"):
            os.utime(workspace.root / f"n/{name}.md", (1e9 - age, 1e9 - age))

        assert [item.id for item in found(Notes(path="n"), "total", workspace)] == [
            "note:b.md",
            "note:c.md",
            "note:a.md",
        ]


def test_json_lines_are_notes_and_bad_lines_are_told(tmp_path: Path) -> None:
    lines = [
        json.dumps({"title": "rounding", "text": "total is half up", "time": 1e9}),
        "{",
        '{"text": 3}',
        "",
    ]
    with workspace_of(tmp_path, {"memory.jsonl": "\n".join(lines)}) as workspace:
        (item,) = found(Notes(path="memory.jsonl"), "why is the total wrong", workspace)

        assert (item.id, item.title, item.modified) == ("note:memory.jsonl:1", "note rounding", 1e9)
        assert "2 lines are not notes, the first is line 2" in str(workspace.problems[-1])


def test_a_folder_of_the_person_is_read_and_a_link_out_of_the_root_is_not(
    tmp_path: Path, own_home: Path
) -> None:
    (own_home / "memory").mkdir()
    (own_home / "memory/a.md").write_text("the total\n")
    with workspace_of(tmp_path, {"linked": f"-> {own_home}/memory"}) as workspace:
        assert len(found(Notes(path="~/memory"), "total", workspace)) == 1
        assert found(Notes(path="linked"), "total", workspace) == []


def test_a_long_note_is_cut_and_says_so(tmp_path: Path) -> None:
    text = texts(gathered(tmp_path, {"n/a.md": "the total is wrong\n" * 500}, Notes(path="n")))

    assert len(text) < 1_300
    assert text.endswith("[the rest of this note is left out]\n")


def test_hidden_characters_are_shown(tmp_path: Path) -> None:
    assert r"total\u{200b}" in texts(gathered(tmp_path, {"n/a.md": "the total\u200b\n"}, Notes(path="n")))
