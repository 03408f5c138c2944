"""Which files calls touch, and which readings are out of date."""

from __future__ import annotations

import json
from typing import Any

import pytest

from satchel.compaction import know_results
from satchel.compaction.files import EDITED, READ_AGAIN, find_overwritten, readings_of, touches_of
from satchel.plugin_api import Block, BlockKind, Exchange, Message


@pytest.mark.parametrize(
    ("name", "arguments", "path", "edits"),
    [
        ("Read", {"file_path": "/w/a.py"}, "/w/a.py", False),
        ("read_file", {"path": "a.py", "offset": 3, "limit": 9}, "a.py", False),
        ("mcp__fs__read_text_file", {"path": "a.py"}, "a.py", False),
        ("str_replace_editor", {"command": "view", "path": "a.py"}, "a.py", False),
        ("str_replace_editor", {"command": "str_replace", "path": "a.py"}, "a.py", True),
        ("str_replace_editor", {"path": "a.py", "start": 1}, "a.py", False),
        ("str_replace_editor", {"path": "a.py", "old_str": "x", "new_str": "y"}, "a.py", True),
        ("Edit", {"file_path": "a.py", "old_string": "x"}, "a.py", True),
        ("Write", {"file_path": "a.py", "content": "x"}, "a.py", True),
        ("apply_patch", {"input": "*** Begin Patch\n*** Update File: src/a.py\n@@\n"}, "src/a.py", True),
        ("bash", {"command": "cat src/a.py"}, "src/a.py", False),
        ("Bash", {"command": "cd w && sed -n '3,9p' src/a.py"}, "src/a.py", False),
        ("shell", {"command": ["bash", "-lc", "cat src/a.py"]}, "src/a.py", False),
        ("bash", {"command": "sed -i 's/a/b/' src/a.py"}, "src/a.py", True),
        ("bash", {"command": "cat > src/a.py <<'EOF'\nx\nEOF"}, "src/a.py", True),
    ],
)
def test_a_call_touches_a_file(name: str, arguments: Any, path: str, edits: bool) -> None:
    (touch,) = touches_of(name, json.dumps(arguments))

    assert (touch.path, touch.edits) == (path, edits)


@pytest.mark.parametrize(
    ("name", "arguments"), [("bash", '{"command": "pytest -q"}'), ("Grep", '{"path": "src"}'), ("Read", "[")]
)
def test_other_calls_touch_none(name: str, arguments: str) -> None:
    assert touches_of(name, arguments) == ()


def exchange(number: int, name: str, said: str = "text", **arguments: Any) -> Exchange:
    call = Block(BlockKind.CALL, json.dumps(arguments), name, f"c{number}")
    result = Block(BlockKind.RESULT, said, "", f"c{number}")
    messages = (Message("assistant", (call,), 2 * number), Message("tool", (result,), 2 * number + 1))
    return Exchange(f"m{number}", messages)


def fates(*exchanges: Exchange) -> list[str]:
    found = readings_of(exchanges)
    return [found[at, f"c{at}"].gone for at in range(len(exchanges)) if (at, f"c{at}") in found]


def test_a_reading_goes_with_an_edit_and_with_a_reading_of_the_same_lines() -> None:
    read = exchange(0, "Read", file_path="/w/a.py")

    assert fates(read, exchange(1, "Edit", file_path="/w/a.py")) == [EDITED]
    assert fates(read, exchange(1, "Read", file_path="/w/a.py")) == [READ_AGAIN, ""]
    assert fates(read, exchange(1, "Edit", file_path="/w/b.py")) == [""]


def test_a_reading_of_fewer_lines_covers_no_more() -> None:
    whole, part = exchange(0, "Read", file_path="a.py"), {"file_path": "a.py", "offset": 10, "limit": 5}

    assert fates(whole, exchange(1, "Read", **part)) == ["", ""]
    assert fates(exchange(0, "Read", **part), exchange(1, "Read", file_path="a.py")) == [READ_AGAIN, ""]


def test_paths_of_one_file_may_be_relative() -> None:
    assert fates(exchange(0, "Read", file_path="/w/src/a.py"), exchange(1, "Edit", path="src/a.py")) == [
        EDITED
    ]
    assert fates(exchange(0, "Read", file_path="src/a.py"), exchange(1, "Edit", path="lib/a.py")) == [""]


def test_of_what_was_edited_since_a_long_reading_is_worth_more_than_a_short_one() -> None:
    long = exchange(0, "Read", "total = add(total, price)\n" * 600, file_path="long.py")
    short = exchange(1, "Read", "total = add(total, price)\n" * 60, file_path="short.py")
    edits = [exchange(2, "Edit", file_path="long.py"), exchange(3, "Edit", file_path="short.py")]
    gone = know_results([long, short, *edits]).gone

    assert 1 > gone[0]["c0"] > 5 * gone[1]["c1"] > 0


@pytest.mark.parametrize(
    ("name", "arguments", "is_overwritten"),
    [
        ("Write", {"file_path": "/w/src/a.py", "content": "x"}, True),
        ("str_replace_editor", {"command": "create", "path": "src/a.py", "file_text": "x"}, True),
        ("apply_patch", {"input": "*** Begin Patch\n*** Delete File: src/a.py\n*** End Patch"}, True),
        ("apply_patch", {"input": "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y"}, False),
        ("Edit", {"file_path": "src/a.py", "old_string": "x", "new_string": "y"}, False),
        ("Write", {"file_path": "lib/a.py", "content": "x"}, False),
    ],
)
def test_an_edit_is_overwritten_where_its_file_was_written_anew_or_deleted(
    name: str, arguments: Any, is_overwritten: bool
) -> None:
    steps = [exchange(0, "Edit", file_path="src/a.py", new_string="y"), exchange(1, name, **arguments)]

    assert find_overwritten(steps) == ({0} if is_overwritten else set())
    assert (0 in know_results(steps).edits) is not is_overwritten
