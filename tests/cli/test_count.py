"""`satchel count`: tokens of texts, of conversations by part, of session files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.core.report.foreign_sessions import claude, codex
from tests.core.sizing.headers import measured, saved, tensors_of, values_of

from satchel import count
from satchel.schemas import read_schema
from satchel.tokens import find_model

Satchel = Callable[..., Any]
CALL = {"type": "tool_use", "id": "t", "name": "Read", "input": {"path": "a.py"}}
RESULT = {"type": "tool_result", "tool_use_id": "t", "content": "x = 1\n" * 40}
REQUEST = {
    "system": "Be brief.",
    "tools": [{"name": "Read", "input_schema": {"type": "object"}}],
    "messages": [
        {"role": "user", "content": "read a.py"},
        {"role": "assistant", "content": [CALL]},
        {"role": "user", "content": [RESULT]},
    ],
}


def counted(satchel: Satchel, *words: str, given: bytes = b"") -> dict[str, Any]:
    """Return the JSON of a count, checked."""
    ended = satchel("count", *words, "--format", "json", stdin=given)
    assert ended.returncode == 0, ended.stderr
    answer: dict[str, Any] = json.loads(ended.stdout)
    jsonschema.validate(answer, json.loads(read_schema("count")))
    return answer


@pytest.mark.parametrize("model", ["", "claude-sonnet-4-5"])
def test_the_parts_of_a_request_add_up_to_what_the_library_counts(satchel: Satchel, model: str) -> None:
    words = ("--model", model) if model else ()
    answer = counted(satchel, "-", *words, given=json.dumps(REQUEST).encode())

    assert answer["tokens"] == sum(answer["parts"].values()) == count(REQUEST, model=model)
    assert {"system", "tools", "files", "calls", "dialog"} <= answer["parts"].keys()
    assert answer["exact"] is not bool(model)


def test_the_note_in_a_window_and_the_last_line_count_messages_as_count_does(
    satchel: Satchel, tmp_path: Path
) -> None:
    steps = [
        step
        for number in range(9)
        for step in (
            {"role": "assistant", "content": [{**CALL, "id": f"t{number}"}]},
            {
                "role": "user",
                "content": [
                    {**RESULT, "tool_use_id": f"t{number}"},
                    {"type": "text", "text": f"then number {number}"},
                ],
            },
        )
    ]
    given = json.dumps({**REQUEST, "messages": [{"role": "user", "content": "go"}, *steps]}).encode()

    done = satchel("compact", "--budget", "900", "--store", str(tmp_path), stdin=given)
    note = re.search(r"(\d+) of (\d+) messages cut", done.stdout.decode())

    assert counted(satchel, "-", given=given)["messages"] == 19
    assert f" 19 -> {len(json.loads(done.stdout)['messages'])} messages" in done.stderr.decode()
    assert note is not None
    assert int(note[2]) == 19
    assert 0 < int(note[1]) < 19


def test_a_session_file_is_counted_as_what_the_agent_said(satchel: Satchel, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(claude())

    answer = counted(satchel, str(path))

    assert (answer["kind"], answer["messages"]) == ("claude-code", 6)
    assert 0 < answer["sent_next"]["tokens"] < answer["tokens"]
    assert b"sent next: " in satchel("count", str(path)).stdout
    assert answer["tokens"] < counted(satchel, str(path), "--text")["tokens"]


@pytest.mark.costly
@pytest.mark.parametrize("words", [(), ("--model", "claude-opus-4-1"), ("--model", "nobody-9")])
@pytest.mark.parametrize("named", ["claude-sonnet-4-5", "gpt-4", "nobody-8", ""])
def test_all_commands_tell_one_number_of_a_request(
    satchel: Satchel, tmp_path: Path, named: str, words: tuple[str, ...]
) -> None:
    request = {**REQUEST, "model": named, "max_tokens": 100}
    file, cut = tmp_path / "request.json", tmp_path / "cut.json"
    file.write_text(json.dumps(request))

    answer = counted(satchel, str(file), *words)
    shown = json.loads(satchel("show", str(file), *words, "--format", "json").stdout)
    told = satchel("report", str(tmp_path / "page.html"), str(file), *words).stderr.decode()
    satchel("compact", str(file), "--budget", "90k", "--report", str(cut), *words)

    assert {shown["tokens"], json.loads(cut.read_text())["before"]["tokens"]} == {answer["tokens"]}
    assert re.search(rf": {answer['tokens']:,} (of [\d,]+ )?tokens", told)
    known = named if named.startswith(("claude", "gpt")) else "o200k_base"
    assert answer["vocabulary"] == (words[1] if words else known)


def test_a_session_file_is_shown_as_it_is_counted(satchel: Satchel, tmp_path: Path) -> None:
    for name, data in (("claude.jsonl", claude()), ("codex.jsonl", codex())):
        path = tmp_path / name
        path.write_bytes(data)
        answer = counted(satchel, str(path))
        shown = json.loads(satchel("show", str(path), "--format", "json").stdout)

        assert shown["tokens"] == answer.get("sent_next", answer)["tokens"]


def test_an_estimate_tells_its_factor(satchel: Satchel) -> None:
    ended = satchel("count", "-", "--model", "claude-sonnet-4-5", stdin=b"hello there")

    assert ended.stdout == b"about 3 tokens of claude-sonnet-4-5, estimated as 1.33 for each of o200k_base\n"


def test_a_local_model_is_counted_by_its_family(satchel: Satchel, tmp_path: Path) -> None:
    known = measured()["qwen2moe"]
    path = saved(tmp_path / "weights.gguf", values_of(known), list(tensors_of(known)))
    answer = counted(satchel, "-", "--model", str(path), given=b"hello there " * 100)

    assert answer["vocabulary"] == str(path)
    assert (answer["counted_in"], answer["factor"]) == ("o200k_base", find_model("qwen-2.5").factor)


def test_no_name_of_a_model_is_refused(satchel: Satchel) -> None:
    for command in ("count", "show", "compact", "report", "pack", "why"):
        ended = satchel(command, "x.html", "y", "--model", "")
        assert ended.returncode == 2
        assert b"--model: expected the name of a model, found nothing" in ended.stderr


def test_any_other_text_is_a_text(satchel: Satchel) -> None:
    for text in ("hello there", '{"a": 1}', "[1, 2"):
        answer = counted(satchel, "-", given=text.encode())
        assert (answer["kind"], answer["parts"], answer["tokens"]) == ("text", {}, count(text))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"a": 1}', "expected a list of messages"),
        ("[]", "has no message: it is an empty list"),
        ('{"a": 1}\n{"b": 2}\n', "2 records, none is a message"),
        ('{"role": "user", "content": "hi"}', "this is one message; put it into a list: [{...}]"),
        ('{"role": "user", "content": "hi"}\n' * 2, "2 messages one after another; expected a list"),
    ],
)
def test_json_without_messages_is_a_text_and_that_is_told(satchel: Satchel, text: str, told: str) -> None:
    ended = satchel("count", "-", stdin=text.encode())
    compacted = satchel("compact", "--budget", "100", stdin=text.encode())

    assert re.fullmatch(rb"(1 token|\d+ tokens) of o200k_base\n", ended.stdout)
    assert b"counted as text, no messages were found: stdin" in ended.stderr
    assert told.encode() in ended.stderr
    assert told.encode() in compacted.stderr
    assert compacted.returncode == 1


def test_a_model_that_is_not_known_is_estimated_with_a_warning(satchel: Satchel) -> None:
    ended = satchel("count", "-", "--model", "nobody-9", stdin=b"hello there")

    assert ended.returncode == 0
    assert ended.stdout.startswith(b"about ")
    assert b"no model is called 'nobody-9'" in ended.stderr
    assert ended.stderr.count(b"nobody-9") == 1


def test_bytes_that_are_no_text_are_refused(satchel: Satchel) -> None:
    ended = satchel("count", "-", stdin=b"\xff\xfe\x00\x01")

    assert ended.returncode == 1
    assert b"stdin: not UTF-8 at byte 0" in ended.stderr
