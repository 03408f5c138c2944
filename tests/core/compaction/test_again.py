"""A conversation that was compacted before has one note, one archive, and marks that stay right."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.core.formats import read

from satchel import Host, compact, expand
from satchel.conversation import flaws_of
from satchel.pointers import parse
from satchel.shared_archive import open_archive

from .properties import _ANSWERS
from .talks import step, talk

HOST = Host.installed(deadline_seconds=None)
NOTE = re.compile(r"\[satchel: (\d+) of (\d+) messages cut; .*?line N of blob:(\w+);")


def texts(messages: Any) -> list[str]:
    """Return all that is said, one text for each block."""
    items = messages["messages"] if isinstance(messages, dict) else messages
    found: list[str] = []
    for item in items:
        content = item.get("content")
        blocks = content if isinstance(content, list) else [{"text": content}]
        found += [str(block.get("text") or block.get("content") or "") for block in blocks]
    return found


def notes(messages: Any) -> list[re.Match[str]]:
    return [found for text in texts(messages) for found in NOTE.finditer(text)]


def marks(messages: Any) -> list[int]:
    return [int(number) for text in texts(messages) for number in re.findall(r"\[satchel (\d+)\]", text)]


def twice(store: Path, second: int = 2_000) -> tuple[list[dict[str, Any]], Any]:
    source = talk(20)
    first = compact(source, budget=3_500, store=store, host=HOST).messages
    more = [message for number in range(20, 26) for message in step(number)]
    window = compact([*first, *more], budget=second, store=store, host=HOST)
    return [*source, *more], window


def test_marks_of_a_second_compaction_are_lines_of_one_archive(tmp_path: Path) -> None:
    source, window = twice(tmp_path)
    (note,) = notes(window.messages)
    archived = open_archive(tmp_path).get(note[3])
    lines = archived.split("\n")
    said = {str(message["content"]).split("\n")[0] for message in source}

    assert "[satchel" not in archived
    assert len(marks(window.messages)) > 2
    assert all(lines[number - 1] in said for number in marks(window.messages))


def test_the_note_counts_the_messages_of_both(tmp_path: Path) -> None:
    source, window = twice(tmp_path)
    (note,) = notes(window.messages)
    whole = sum(message in source for message in window.messages)

    assert int(note[2]) == len(source)
    assert int(note[1]) == len(source) - whole


def test_what_was_cut_twice_expands_to_what_was_said_first(tmp_path: Path) -> None:
    source, window = twice(tmp_path)
    cut = [cut for cut in window.cut if cut.pointer and cut.role == "tool"]
    given = {str(message["content"]) for message in source}
    archive = open_archive(tmp_path)
    pointers = [parse(one.pointer) for one in cut]
    assert all(archive.lines(one.blob, *one.lines).removesuffix("\n") in given for one in pointers)


def test_a_cut_result_keeps_one_mark(tmp_path: Path) -> None:
    _, window = twice(tmp_path)

    assert all(text.count("[satchel ") <= 1 for text in texts(window.messages) if not NOTE.match(text))


def test_where_the_first_archive_is_gone_its_marks_name_it(tmp_path: Path) -> None:
    first = compact(talk(20), budget=3_500, store=tmp_path / "a", host=HOST).messages
    (note,) = notes(first)
    window = compact([*first, *step(21)], budget=2_500, store=tmp_path / "b", host=HOST)

    assert f"[satchel blob:{note[3]}:" in json.dumps(window.messages)


@pytest.mark.parametrize("form", ["anthropic"])
def test_a_note_that_is_joined_with_a_request_is_no_request(form: str, tmp_path: Path) -> None:
    said: list[Any] = [{"role": "user", "content": "begin the work"}]
    for number in range(12):
        result = "\n".join(f"def part_{number}_{line}(): return {line}" for line in range(40))
        said += _ANSWERS[form]("", [(f"c{number}", "run", {"path": f"src/{number}.py"}, result)])
        said += [{"role": "assistant", "content": "done"}, {"role": "user", "content": f"now do {number}"}]
    first = compact({"messages": said}, budget=2_000, format=form, store=tmp_path, host=HOST).messages
    window = compact(first, budget=1_200, format=form, store=tmp_path, host=HOST)

    assert len(notes(window.messages)) == 1
    assert flaws_of(read(window.messages, form)) == []
    assert all(any(f"now do {n}" in text.split("\n") for text in texts(window.messages)) for n in range(12))


def _side_by_side(number: int) -> list[dict[str, Any]]:
    """Return three calls in one answer of Anthropic's format, two with long results, one with a short one."""
    names = [f"c{number}-{at}" for at in range(3)]
    texts = ["\n".join(f"def part_{name}_{line}(): ..." for line in range(40)) for name in names[:2]]
    return [
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": name, "name": "run", "input": {}} for name in names],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": name, "content": [{"type": "text", "text": text}]}
                for name, text in zip(names, [*texts, "(no output)"], strict=True)
            ],
        },
    ]


def test_each_result_of_a_message_has_the_mark_of_its_own_line(tmp_path: Path) -> None:
    source = [{"role": "user", "content": "fix it"}]
    source += [message for number in range(8) for message in _side_by_side(number)]
    window = compact(source, budget=1_800, store=tmp_path, host=HOST, format="anthropic")
    (note,) = notes(window.messages)
    lines = open_archive(tmp_path).get(note[3]).split("\n")
    results = [
        (block["tool_use_id"], block["content"][0]["text"])
        for message in window.messages
        for block in message["content"]
        if block["type"] == "tool_result"
    ]
    cut = [(name, found) for name, text in results if (found := re.match(r"\[satchel (\d+)\]", text))]

    assert len({name[-1] for name, _ in cut}) == 2
    assert all(lines[int(found[1]) - 1].startswith(f"def part_{name}_0(") for name, found in cut)
    assert {text for name, text in results if name.endswith("-2")} == {"(no output)"}


@pytest.mark.weekly
def test_a_note_stays_where_what_is_left_fits_without_it(tmp_path: Path) -> None:
    said = [{"role": "user", "content": "Plan a garden."}]
    for turn in range(12):
        said += [
            {"role": "assistant", "content": f"Answer {turn}. " + "The roses need sun and water. " * 8},
            {"role": "user", "content": f"And what of bed {turn}?"},
        ]
    window = compact(said, budget=500, store=tmp_path, host=HOST)
    tokens = window.tokens
    for budget in range(tokens - 40, tokens):
        again = compact(window.messages, budget=budget, store=tmp_path, host=HOST)
        assert "[satchel: " in str(again.messages)
        assert "Answer 0. " in expand(again.pointer, store=tmp_path, host=HOST)


def test_arguments_that_were_cut_before_are_no_new_messages(tmp_path: Path) -> None:
    said: list[dict[str, Any]] = []
    for at in range(30):
        name, call = f"cart{at}.py", f"call{at}"
        wrote = {"path": name, "content": "".join(f"total_{line} = {at}\n" for line in range(60))}
        use = {"type": "tool_use", "id": call, "name": "write", "input": wrote}
        result = {"type": "tool_result", "tool_use_id": call, "content": f"wrote {name}"}
        said += [
            {"role": "user", "content": f"Write {name}, the sums of cart {at}."},
            {"role": "assistant", "content": [{"type": "text", "text": f"I write {name}."}, use]},
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": f"I wrote {name}."},
        ]
    more = [{"role": "user", "content": "Go on."}, {"role": "assistant", "content": "I go on."}]
    told = {"format": "anthropic", "store": tmp_path, "host": HOST}

    first = compact(said, budget=6_000, **told).messages
    second = compact([*first, *more], budget=5_000, **told).messages

    counts = [re.findall(r"\[satchel: \d+ of (\d+) messages", json.dumps(one)) for one in (first, second)]
    assert counts == [["120"], ["122"]]
