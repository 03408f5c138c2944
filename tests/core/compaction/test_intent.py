"""What people said, final answers and the plan stand whole; old results give way, stale ones first."""

from __future__ import annotations

import json
import re
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from tests.core.formats import read

from satchel import Host, Window, compact
from satchel.compaction import Library, find_intent, know_results, tells_failure
from satchel.compaction.exchanges import mentions
from satchel.conversation import Counts, exchanges_of
from satchel.pointers import parse
from satchel.shared_archive import open_archive
from satchel_plugins.tokenizers import OfflineTokenizer

HOST = Host.installed(deadline_seconds=None)


def compacted(messages: Any, budget: int, store: Path, **asked: Any) -> Window:
    return compact(messages, budget=budget, store=store, host=HOST, **asked)


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def answer(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def call(id_: str, name: str, result: str, **arguments: Any) -> list[dict[str, Any]]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    made = [{"id": id_, "type": "function", "function": function}]
    return [
        {"role": "assistant", "content": None, "tool_calls": made},
        {"role": "tool", "tool_call_id": id_, "content": result},
    ]


def code(name: str, lines: int = 60) -> str:
    return "\n".join(f"def {name}_{line}(value): return value + {line}" for line in range(lines))


def turns(count: int = 10, words: int = 12) -> list[dict[str, Any]]:
    """Return turns of a person who asks, and an agent that reads a file and answers."""
    said = []
    for number in range(count):
        said += [user(f"request {number}:" + " please" * words)]
        said += call(f"r{number}", "Read", code(f"part{number}"), file_path=f"src/part{number}.py")
        said += [answer(f"answer {number}:" + " done" * words)]
    return said


def texts(window: Window) -> list[str]:
    return [str(message.get("content")) for message in window.messages]


def test_people_and_answers_stand_word_for_word(tmp_path: Path) -> None:
    window = compacted(turns(), 2_200, tmp_path)

    said = [one["content"] for one in turns() if one["role"] == "user" or "answer" in str(one["content"])]
    assert set(said) <= set(texts(window))
    assert window.report["people"] == {"messages": 10, "whole": 10}


def test_a_notice_of_a_task_is_none_of_your_messages(tmp_path: Path) -> None:
    notice = "<task-notification>\nThe tests ran.\n</task-notification>\nRead the output file: /tmp/b7.output"
    window = compacted([*turns(), user(notice)], 2_200, tmp_path)

    assert window.report["people"] == {"messages": 10, "whole": 10}


def test_an_answer_in_several_messages_stands_with_all_of_them(tmp_path: Path) -> None:
    said = [answer("The lock is taken twice." + " See the log." * 30), answer("No response requested.")]
    window = compacted([*turns(1), user("why does it hang?"), *said, *turns(9)], 2_600, tmp_path)

    assert {one["content"] for one in said} <= set(texts(window))


def test_of_people_the_newest_stand_in_half_of_the_budget_and_the_others_say_so(tmp_path: Path) -> None:
    window = compacted(turns(10, words=200), 2_400, tmp_path)
    whole = [number for number in range(1, 10) if f"request {number}:" + " please" * 200 in texts(window)]
    cut = [text for text in texts(window) if text.startswith("request") and "[satchel " in text]

    assert whole == list(range(10 - len(whole), 10))
    assert len(whole) >= 4
    assert cut


def test_a_long_text_that_was_pasted_last_leaves_room_for_short_messages(tmp_path: Path) -> None:
    pasted = user("what is wrong here?\n" + code("trace", 160))
    window = compacted([*turns(10, words=60), pasted, *turns(1)[1:]], 4_200, tmp_path)
    said = texts(window)

    assert pasted["content"] in said
    assert [number for number in range(10) if f"request {number}:" + " please" * 60 not in said] == []


def test_wrappers_are_neither_the_request_nor_the_task(tmp_path: Path) -> None:
    reminder = "<system-reminder>\n" + "remember the todo list\n" * 40 + "</system-reminder>"
    messages = [user(reminder), *turns(3), user(reminder), *call("x", "Read", code("x"), file_path="x.py")]
    intent = find_intent(exchanges_of(read(messages)))

    assert len(intent.people) == 3
    assert "request 0:" in "".join(texts(compacted(messages, 900, tmp_path)))


def test_thoughts_of_earlier_turns_give_way_before_anything_that_was_said(tmp_path: Path) -> None:
    def turn(number: int) -> list[dict[str, Any]]:
        thought = {"type": "thinking", "thinking": f"thought {number} " + "hm " * 300, "signature": "s"}
        said = [thought, {"type": "text", "text": f"answer {number}"}]
        return [user(f"request {number}"), {"role": "assistant", "content": said}]

    messages = [message for number in range(6) for message in turn(number)]
    window = compacted(messages, 1_000, tmp_path, format="anthropic")
    shown = json.dumps(window.messages)

    assert all(f"answer {number}" in shown for number in range(6))
    assert [number for number in range(6) if f"thought {number} " in shown] == [5]
    assert [cut.index for cut in window.cut] == [1, 3, 5, 7, 9]
    pointer = parse(window.cut[0].pointer)
    assert "thought 0" in open_archive(tmp_path).lines(pointer.blob, *pointer.lines)


TODOS = [{"content": f"step {n}", "status": "pending" if n else "in_progress"} for n in range(6)]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("TodoWrite", {"todos": TODOS}),
        ("update_plan", {"plan": [{"step": one["content"], "status": one["status"]} for one in TODOS]}),
        ("ExitPlanMode", {"plan": "\n".join(f"{n}. change the part {n} of it all" for n in range(40))}),
    ],
)
def test_the_newest_plan_stands_as_it_is(name: str, arguments: Any, tmp_path: Path) -> None:
    plan = call("plan", name, "ok", **arguments)
    window = compacted([*turns(2), *plan, *turns(8)[1:]], 2_300, tmp_path)

    assert plan[0] in window.messages


def test_tasks_that_are_open_stand_with_what_they_came_to(tmp_path: Path) -> None:
    made = [*call("t1", "TaskCreate", "Task #1 created", subject="old work"), *turns(1)]
    made += call("t2", "TaskCreate", "Task #2 created", subject="new work")
    made += call("u1", "TaskUpdate", "ok", taskId="1", status="completed")
    made += call("u2", "TaskUpdate", "ok", taskId="2", status="in_progress")
    intent = find_intent(exchanges_of(read([user("go"), *made, *turns(4)])))

    assert len(intent.plan) == 2


@pytest.mark.costly
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("AskUserQuestion", 'User has answered your questions: "Which store?"="Redis, never SQLite"'),
        ("request_user_input", '{"answers": {"store": "Redis, never SQLite"}}'),
        (
            "Edit",
            "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how "
            "to proceed, the user said:\nRedis, never SQLite",
        ),
        (
            "write_to_file",
            "The user denied this operation and provided the following feedback:\nRedis, never SQLite",
        ),
    ],
)
def test_what_a_person_replied_to_a_call_stands_without_the_rest_of_the_step(
    name: str, said: str, tmp_path: Path
) -> None:
    more = {} if "question" in name.lower() or "input" in name else {"content": code("wrong")}
    made = [*call("q", name, said, question="Which store?", **more), *turns(12)]
    window = compacted(
        [user("go"), *call("d", "Read", said + code("x"), file_path="doc.md"), *made], 2_300, tmp_path
    )

    assert said in texts(window)
    assert "wrong_40" not in json.dumps(window.messages)
    assert find_intent(exchanges_of(read([user("go"), *made]))).replies == (1,)


def test_an_agent_that_has_not_presented_its_plan_is_still_planning() -> None:
    enters = call("p", "EnterPlanMode", "Entered plan mode. Do not edit files yet." * 3)
    leaves = call("x", "ExitPlanMode", "approved", plan="1. change it")

    assert find_intent(exchanges_of(read([user("go"), *enters, *turns(2)]))).plan == (1,)
    assert find_intent(exchanges_of(read([user("go"), *enters, *leaves, *turns(2)]))).plan == (2,)


def test_a_task_that_was_done_is_not_shown_in_progress(tmp_path: Path) -> None:
    made = call("t1", "TaskCreate", "Task #1 created", subject="first work")
    made += call("u1", "TaskUpdate", "ok", taskId="1", status="in_progress")
    made += call("l1", "TodoWrite", "ok", todos=[{"content": "some old step", "status": "in_progress"}])
    made += [*turns(3), *call("l2", "TodoWrite", "ok", todos=TODOS)]
    made += [*turns(3), *call("u2", "TaskUpdate", "ok", taskId="1", status="completed"), *turns(8)]
    shown = json.dumps(compacted([user("go"), *made], 3_000, tmp_path).messages)

    assert "step 5" in shown
    assert "old step" not in shown
    assert "TaskUpdate" not in shown


def test_a_result_that_gives_way_always_says_what_it_was() -> None:
    wrote = "Successfully wrote 1092 bytes to packages/tui/test/test-themes.ts"
    told = know_results(
        exchanges_of(read([user("go"), *call("w", "write", wrote, path="a.ts", content="x")]))
    ).told

    assert list(told.values()) == ["done"]


def test_an_old_result_is_one_honest_line(tmp_path: Path) -> None:
    window = compacted(turns(9), 4_000, tmp_path)

    assert any(re.fullmatch(r"\[satchel \d+\] Read part\d\.py, 60 lines", text) for text in texts(window))


def test_the_line_says_what_became_of_the_result() -> None:
    edit = call("e", "Edit", "The file has been updated.", file_path="src/part1.py", old_string="a")
    broken = call("b", "Bash", f"{code('x')}\n2 failed", command="make")
    errors = call("g", "Bash", f"a.md:39 error MD036\n{code('z')}", command="lint | sort")
    listing = [one for number in range(2) for one in call(f"l{number}", "Bash", code("y"), command="ls")]
    told = know_results(exchanges_of(read([*turns(2), *edit, *broken, *errors, *listing]))).told

    assert sorted(told.values()) == [
        "60 lines",
        "60 lines; the same again later",
        "61 lines; failed",
        "61 lines; tells of a failure",
        "Read part0.py, 60 lines",
        "Read part1.py, 60 lines; edited since",
    ]


def test_a_command_that_ran_again_says_so_whatever_is_said_beside_it() -> None:
    runs = [*call("a", "Bash", f"{code('x')}\n2 failed", command="make", description="first")]
    runs += call("b", "Bash", code("y"), command="make", description="after the fix")
    told = know_results(exchanges_of(read([user("go"), *runs]))).told

    assert sorted(told.values()) == ["60 lines", "61 lines; failed; run again since"]


def test_output_that_codex_wrapped_in_json_is_cut_line_by_line(tmp_path: Path) -> None:
    output = f"{code('passing', 200)}\n[err]: fuzzing in tests/unit/bitops.tcl\n"
    said = json.dumps({"output": output, "metadata": {"exit_code": 1, "duration_seconds": 0.4}})
    messages = [user("go"), *call("c", "shell", said, command="./runtest"), *turns(8)]
    window = compacted(messages, 2_300, tmp_path)
    shown = next(text for text in texts(window) if "201 lines" in text or "202 lines" in text)

    assert "; failed\n" in shown
    assert "Exit code: 1\n" in shown
    assert "\n[err]: fuzzing in tests/unit/bitops.tcl" in shown
    line = int(re.findall(r"satchel (\d+)", shown)[0])
    archive = next(text for text in texts(window) if "messages cut" in text)
    blob = re.findall(r"blob:(\w+)", archive)[0]
    assert open_archive(tmp_path).lines(blob, line, line + 1).startswith("Exit code: 1\ndef passing_0(")


def test_a_newest_result_that_codex_wrapped_stands_as_it_came(tmp_path: Path) -> None:
    said = json.dumps({"output": code("new", 8), "metadata": {"exit_code": 0, "duration_seconds": 0.4}})
    window = compacted([*turns(9), user("on"), *call("c", "shell", said, command="ls")], 2_300, tmp_path)

    assert texts(window)[-1] == said


def test_a_patch_in_free_text_is_cut_inside() -> None:
    lines = "\n".join(f"+    made_{line}(value)" for line in range(80))
    patch = f"*** Begin Patch\n*** Update File: src/a.c\n@@\n-old()\n{lines}\n*** End Patch"
    item = {"type": "custom_tool_call", "name": "apply_patch", "input": patch, "call_id": "c"}
    done = {
        "type": "custom_tool_call_output",
        "call_id": "c",
        "output": "Success. Updated the files:\nM src/a.c",
    }
    (place, _), *_ = Library(Counts(OfflineTokenizer(), form=None)).places(
        exchanges_of(read([item, done], "responses"))[0]
    )

    assert place.path == ()


def test_an_edit_that_succeeded_says_so_where_its_result_is_cut() -> None:
    told = "The file src/part0.py has been updated successfully. " * 3
    edits = [
        *call("e", "Edit", told, file_path="src/part0.py", old_string="a"),
        *call("f", "Edit", f"Error: string not found. {told}", file_path="src/part0.py", old_string="b"),
        *call("p", "apply_patch", told, input="*** Begin Patch\n*** Update File: a.py\n@@\n-a\n+b\n"),
    ]
    said = know_results(exchanges_of(read([user("go"), *edits]))).told

    assert sorted(said.values())[-2:] == ["done", "done"]
    assert sorted(said.values())[0].endswith(" characters; failed")


def test_a_call_that_is_cut_shows_the_first_line_that_it_changes(tmp_path: Path) -> None:
    before = code("part", 90)
    after = before.replace("return value + 20", "return value + 21")
    lines = "".join(f" {line}\n" for line in before.split("\n")[:20])
    patch = f"*** Begin Patch\n*** Update File: src/b.py\n@@\n{lines}-old = 1\n+\n+new = 2\n"
    patch += f"*** Update File: src/c.py\n@@\n{lines}-old = 3\n+new = 4\n*** End Patch\n"
    edits = [
        *call("e", "Edit", "ok", file_path="src/a.py", old_string=before, new_string=after),
        *call("p", "apply_patch", "ok", input=patch),
    ]
    asked = user("look at src/a.py and src/b.py again")
    window = compacted([user("go"), *edits, *turns(8), asked], 1_700, tmp_path)
    shown = [one["tool_calls"][0]["function"] for one in window.messages if one.get("tool_calls")]
    cut = {one["name"]: json.loads(one["arguments"]) for one in shown}

    assert "return value + 21" in cut["Edit"]["new_string"]
    assert "return value + 20" in cut["Edit"]["old_string"]
    assert len(cut["Edit"]["new_string"]) < len(after)
    assert "*** Update File: src/b.py" in cut["apply_patch"]["input"]
    assert "*** Update File: src/c.py" in cut["apply_patch"]["input"]
    assert "-old = 1" in cut["apply_patch"]["input"]
    assert "+new = 2" in cut["apply_patch"]["input"]
    assert len(cut["apply_patch"]["input"]) < len(patch)


def test_a_stale_reading_gives_way_before_one_that_holds(tmp_path: Path) -> None:
    edits = [
        one
        for number in range(0, 10, 2)
        for one in call(f"e{number}", "Edit", "ok", file_path=f"src/part{number}.py", old_string="a")
    ]
    window = compacted([*turns(), *edits, *turns(1)], 5_000, tmp_path)
    said = "\n".join(texts(window))
    shown = [len(re.findall(rf"def part{number}_\d+\(", said)) for number in range(1, 10)]

    assert sum(shown[0::2]) > 2 * sum(shown[1::2])


def test_what_failed_stays_where_what_passed_goes(tmp_path: Path) -> None:
    passed = "\n".join(f"tests/test_part.py::test_{line} PASSED  [ {line}%]" for line in range(60))
    failed = f"{passed}\nE   AssertionError: the cart total is wrong\n1 failed, 59 passed"
    runs = [call(f"b{n}", "Bash", failed if n in (1, 4) else passed, command="pytest") for n in range(9)]
    messages = [user("make it pass"), *(one for run in runs for one in run), *turns(3)]
    window = compacted(messages, 1_500, tmp_path)

    assert any("the cart total is wrong" in text for text in texts(window))
    assert passed not in texts(window)


def test_fragments_are_runs_of_three_lines(tmp_path: Path) -> None:
    window = compacted(turns(12), 4_000, tmp_path)
    lines = code("part3").split("\n")
    for text in texts(window):
        runs = [
            run.split("\n") for run in re.split(r"\n?…\n?|^\[satchel [^\n]*\n", text) if "def part" in run
        ]
        assert all(len(run) >= 3 for run in runs if run != lines)


def test_a_repeated_result_stands_once(tmp_path: Path) -> None:
    listing = code("listing", 40)
    repeats = [one for n in range(6) for one in call(f"l{n}", "Bash", listing, command=f"ls src/dir_{n}")]
    window = compacted([user("look"), *repeats, *turns(4)], 5_000, tmp_path)

    assert "\n".join(texts(window)).count("def listing_7(") <= 1
    assert "; the same again later" in "\n".join(texts(window))


def test_the_newest_failure_is_worth_more_than_older_ones() -> None:
    runs = [call(f"b{n}", "Bash", f"{code('x')}\n{n} failed", command=f"pytest {n}") for n in (1, 2, 3)]
    failed = know_results(exchanges_of(read([user("go"), *(one for run in runs for one in run)]))).failed

    newest, *older = failed.values()
    assert len(older) == 2
    assert newest > max(older) > 0


@pytest.mark.parametrize(
    "text",
    [
        "E   assert 1 == 2",
        "2 failed, 3 passed",
        "panic: nil map",
        "Exit code 1",
        "make: *** [all] Error 1",
        "ssh: connect to host h9 port 22: No route to host",
        '{"status": "error", "code": 4}',
        '{"data": null, "error": {"code": "LOCKED"}}',
    ],
)
def test_a_failure_is_told(text: str) -> None:
    assert tells_failure(f"some lines\n{text}\nmore")


@pytest.mark.parametrize(
    "text",
    ["0 errors, 0 warnings", "all passed", "def error_handler(): pass", '{"error": null, "status": "ok"}'],
)
def test_what_went_well_is_none(text: str) -> None:
    assert not tells_failure(text)


def edit(id_: str, result: str, *, path: str, line: str) -> list[dict[str, Any]]:
    new = "\n".join([line, *(f"    step_{at}_of_{id_}()" for at in range(20))])
    return call(id_, "Edit", result, file_path=path, old_string="def nothing():\n    pass", new_string=new)


def test_of_every_file_that_was_changed_the_last_change_stands(tmp_path: Path) -> None:
    edits = [
        edit(f"e{at}", "The file was updated", path=f"src/made{at}.py", line=f"def made_{at}():")
        for at in range(8)
    ]
    window = compacted([user("go on"), *chain.from_iterable(edits), *turns(16)], 2_600, tmp_path)
    shown = json.dumps(window.messages)

    assert [at for at in range(8) if f"def made_{at}()" not in shown] == []


@pytest.mark.parametrize(
    "said",
    [
        "ERROR:\nNo replacement was performed",
        "[satchel: the history has no result of this call]",
        "The user doesn't want to proceed with this tool use.",
    ],
)
def test_an_edit_that_was_refused_changed_nothing(said: str) -> None:
    failed = edit("e1", said, path="a.py", line="def wrong():")
    done = edit("e2", "The file was updated", path="a.py", line="def right():")
    results = know_results(exchanges_of(read([user("go"), *done, *failed])))

    assert list(results.edits) == [1]
    assert {"failed", "refused"} >= {told.rpartition("; ")[2] for told in results.told.values()}


def test_the_last_edit_of_a_file_is_worth_most() -> None:
    edits = [edit(f"e{at}", "ok, done", path="a.py", line=f"def made_{at}():") for at in range(3)]
    worth = know_results(exchanges_of(read([user("go"), *chain.from_iterable(edits)]))).edits

    assert worth[3] > worth[2] == worth[1] > 0


def test_a_step_that_writes_several_files_is_worth_as_much_as_one_for_each(tmp_path: Path) -> None:
    calls, results = [], []
    for at in range(8):
        asked, told = edit(f"e{at}", "ok, done", path=f"src/made{at}.py", line=f"def made_{at}():")
        calls += asked["tool_calls"]
        results.append(told)
    step = [{"role": "assistant", "content": None, "tool_calls": calls}, *results]
    shown = json.dumps(compacted([user("go on"), *step, *turns(16)], 2_600, tmp_path).messages)

    assert [at for at in range(8) if f"def made_{at}()" not in shown] == []


def test_an_edit_is_done_though_its_result_says_what_there_is_no_need_for() -> None:
    said = "The file src/a.py has been updated successfully. (The state is current: no need to read it.)"
    (told,) = know_results(
        exchanges_of(read([user("go"), *edit("e", said, path="src/a.py", line="x")]))
    ).told.values()

    assert told == "done"


def test_what_a_patch_put_in_stands_before_what_it_took_out(tmp_path: Path) -> None:
    lines = [f"-    taken_{at}_out(value)" for at in range(60)] + [
        f"+    put_{at}_in(value)" for at in range(60)
    ]
    patch = "\n".join(["*** Begin Patch", "*** Update File: src/a.c", "@@", *lines, "*** End Patch"])
    step = call("p", "apply_patch", "Success. Updated the following files:\nM src/a.c", input=patch)
    shown = json.dumps(compacted([user("go"), *step, *turns(8)], 2_600, tmp_path).messages)

    assert shown.count("+    put_") > 2 * shown.count("-    taken_") > 0


def test_an_attached_file_that_is_cut_says_which_it_is_and_where_it_stands(tmp_path: Path) -> None:
    def attach(name: str, lines: int) -> dict[str, Any]:
        said = f"<system-reminder>\n<path>/src/{name}.py</path>\n<content>\n{code(name, lines)}\n</content>"
        return {"type": "text", "text": f"{said}\n</system-reminder>"}

    asked = {"role": "user", "content": [attach("first", 4), attach("second", 120)]}
    later = [message for number in range(6) for message in (answer("yes " * 90), user(f"and {number}"))]
    begun = [user("go"), *call("r", "Read", "nothing to see", file_path="none.py"), answer("Which files?")]
    window = compacted([*begun, asked, *later], 1_900, tmp_path)
    said = [
        text for one in window.messages for text in re.findall(r"\[satchel \d+\][^[]*", str(one["content"]))
    ]
    lines = open_archive(tmp_path).get(window.pointer.removeprefix("blob:")).split("\n")
    place = lines.index("<path>/src/second.py</path>")

    assert any(
        text.startswith(f"[satchel {place}]") and "<path>/src/second.py" in text and "def second_" in text
        for text in said
    )


def test_names_in_what_an_agents_program_put_there_are_none_of_a_persons() -> None:
    library = Library(Counts(OfflineTokenizer(), form=None))
    reminder = "<system-reminder>\nsrc/listed_file.py\n</system-reminder>"
    exchanges = exchanges_of(read([user("mend src/asked_for.py"), user(reminder)], "openai"))
    asked, put = mentions(exchanges, library)

    assert ("src/asked_for.py" in asked.own, asked.seen) == (True, set())
    assert ("src/listed_file.py" in put.seen, put.own) == (True, set())
