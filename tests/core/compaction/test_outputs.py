"""A command's long output keeps in a conversation what squeezing would show of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from satchel import compact
from satchel.compaction import ReferenceReader
from satchel.compaction.worth import ages, worths
from satchel.plugin_api import Block, BlockKind, Exchange, Message
from satchel.shared_archive import open_archive

LINES = [f"step {number % 9} went through the usual motions of any build" for number in range(400)]
LINES[170] = "error: the widget refuses to be fitted"
OUTPUT = "\n".join(LINES)


def kept(tool: str, tmp_path: Path, output: str = OUTPUT) -> str:
    call = {"id": "c", "type": "function", "function": {"name": tool, "arguments": '{"command": "make"}'}}
    messages = [
        {"role": "user", "content": "build it"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": output},
        {"role": "assistant", "content": "I have a look."},
        {"role": "user", "content": "go on"},
    ]
    window = compact(messages, budget=600, store=tmp_path)
    return "\n".join(str(message["content"]) for message in window.messages)


def test_the_error_in_a_long_output_stays_in_the_window(tmp_path: Path) -> None:
    assert LINES[170] in kept("bash", tmp_path)


def test_of_what_a_client_writes_above_an_output_only_how_the_command_stands_stays(tmp_path: Path) -> None:
    head = ["Chunk ID: 1f2e3d", "Wall time: 30.01 seconds", "Process running with session ID 84145"]
    output = "\n".join([*head, "Original token count: 9201", "Output:", *LINES])

    window = kept("bash", tmp_path, output)

    assert head[2] in window
    assert LINES[170] in window
    assert "Chunk ID" not in window
    assert "Wall time" not in window


def test_a_line_that_matters_is_worth_more_than_one_that_does_not() -> None:
    (pieces,) = ReferenceReader().pieces([OUTPUT], [4_000])

    found = worths(OUTPUT, pieces, age=1)

    assert max(found, key=lambda number: found[number]) == 170
    assert len(found) < 40


def test_a_short_output_and_one_that_went_well_are_left_to_their_references() -> None:
    fine = OUTPUT.replace("error", "notes").replace("refuses", "likes")

    for text in ("error: no", fine):
        (pieces,) = ReferenceReader().pieces([text], [100])
        assert worths(text, pieces, age=1) == {}


def test_the_lines_of_newer_outputs_are_worth_more() -> None:
    (pieces,) = ReferenceReader().pieces([OUTPUT], [4_000])

    worth = [sum(worths(OUTPUT, pieces, age=age).values()) for age in range(7)]

    assert worth == sorted(worth, reverse=True)
    assert worth[0] > worth[1] > worth[4] == worth[6] > 0


def test_of_the_newest_output_lines_matter_though_nothing_went_wrong() -> None:
    fine = OUTPUT.replace("error: the widget refuses to be fitted", "Total: 12 widgets fitted, 3 left over")
    (pieces,) = ReferenceReader().pieces([fine], [4_000])

    assert 170 in worths(fine, pieces, age=0)
    assert worths(fine, pieces, age=1) == {}


def test_the_age_of_an_exchange_is_how_many_newer_ones_ran_commands() -> None:
    said = Exchange("a", (Message("user", (Block(BlockKind.TEXT, "go on"),), 0),))
    ran = Exchange("b", (Message("assistant", (Block(BlockKind.CALL, "{}", "bash", "c"),), 1),))

    assert ages([said, ran, said, ran, ran, said]) == [3, 2, 2, 1, 0, 0]
    assert ages([]) == []


def shortened(tool: str, arguments: dict[str, str], output: str, budget: int, tmp_path: Path) -> str:
    """Return what a window shows of a call and its output, after much that came later."""
    call = {"id": "c", "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}
    later = [
        {"role": role, "content": f"{role} {number}: " + "some other words about it\n" * 6}
        for number in range(20)
        for role in ("user", "assistant")
    ]
    messages = [
        {"role": "user", "content": "mend it"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": output},
        {"role": "assistant", "content": "It is mended."},
        *later,
    ]
    return json.dumps(compact(messages, budget=budget, store=tmp_path).messages[:4])


@pytest.mark.parametrize("last", ["PASS\nok  \texample.org/terminal\t0.088s", "142 passed in all of it"])
def test_an_output_that_is_shortened_tells_how_its_command_ended(last: str, tmp_path: Path) -> None:
    runs = [f"=== RUN   TestProgress/case_{number}_of_many_cases" for number in range(80)]
    output = "\n".join([*runs, "some other words", "more of them", last, ""])
    shown = shortened("bash", {"command": "go test ./..."}, output, 2_000, tmp_path)

    assert 0 < shown.count("_of_many_cases") < len(runs)
    assert json.dumps(last)[1:-1] in shown


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("TaskOutput", {"task_id": "b7636e2"}),
        ("pty_read", {"id": "p"}),
        ("Read", {"file_path": "/tmp/b.output"}),
    ],
)
def test_what_a_command_wrote_tells_how_it_ended_whatever_tool_shows_it(
    tool: str, arguments: dict[str, str], tmp_path: Path
) -> None:
    runs = [f"Generated part_{number}_of_many_cases app" for number in range(80)]
    output = "\n".join([*runs, "..........", "15 tests, 0 failures", ""])
    shown = shortened(tool, arguments, output, 2_000, tmp_path)

    assert 0 < shown.count("_of_many_cases") < len(runs)
    assert "15 tests, 0 failures" in shown


def test_what_the_last_edit_of_a_file_wrote_stands_before_what_was_only_printed(tmp_path: Path) -> None:
    new = "\n".join(f"    plain words of line {number} and no name" for number in range(8))
    arguments = {"file_path": "a.py", "old_string": "    pass", "new_string": new}
    shown = shortened("Edit", arguments, "The file a.py has been updated.", 1_600, tmp_path)

    assert all(f"plain words of line {number} " in shown for number in range(8))


def test_colours_of_outputs_take_no_room_in_a_window_that_is_cut(tmp_path: Path) -> None:
    coloured = "\n".join(
        f"\x1b[38;5;{number}m\x1b[1mstep\x1b[0m {number} is done" for number in range(100, 130)
    )
    call = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": '{"command": "make"}'}}
    result = {"role": "tool", "tool_call_id": "c", "content": coloured}
    said = [
        {"role": "user", "content": "build it"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        result,
        {"role": "user", "content": "go on"},
    ]
    fitting, cut = (compact(said, budget=budget, store=tmp_path) for budget in (4_000, 500))

    assert fitting.messages == said
    assert cut.messages[2]["content"] == "\n".join(f"step {number} is done" for number in range(100, 130))
    assert coloured in open_archive(tmp_path).get(cut.pointer.removeprefix("blob:"))
