"""`satchel count`: tokens of texts, of conversations by part, of session files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.core.report.foreign_sessions import claude

from satchel import count
from satchel.schemas import published

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
    jsonschema.validate(answer, json.loads(published("count")))
    return answer


@pytest.mark.parametrize("model", ["", "claude-sonnet-4-5"])
def test_the_parts_of_a_request_add_up_to_what_the_library_counts(satchel: Satchel, model: str) -> None:
    words = ("--model", model) if model else ()
    answer = counted(satchel, "-", *words, given=json.dumps(REQUEST).encode())

    assert answer["tokens"] == sum(answer["parts"].values()) == count(REQUEST, model=model)
    assert {"system", "tools", "files", "calls", "dialog"} <= answer["parts"].keys()
    assert answer["exact"] is not bool(model)


def test_a_session_file_is_counted_as_what_the_agent_said(satchel: Satchel, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(claude())

    answer = counted(satchel, str(path))

    assert (answer["kind"], answer["messages"]) == ("claude-code", 6)
    assert 0 < answer["sent_next"]["tokens"] < answer["tokens"]
    assert b"sent next: " in satchel("count", str(path)).stdout
    assert answer["tokens"] < counted(satchel, str(path), "--text")["tokens"]


def test_any_other_text_is_a_text(satchel: Satchel) -> None:
    for text in ("hello there", '{"a": 1}', "[1, 2"):
        answer = counted(satchel, "-", given=text.encode())
        assert (answer["kind"], answer["parts"], answer["tokens"]) == ("text", {}, count(text))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"a": 1}', "expected a list of messages"),
        ("[]", "an empty list, and no message"),
        ('{"a": 1}\n{"b": 2}\n', "2 records, none is a message"),
        ('{"role": "user", "content": "hi"}', "this is one message; put it into a list: [{...}]"),
        ('{"role": "user", "content": "hi"}\n' * 2, "2 messages one after another; expected a list"),
    ],
)
def test_json_without_messages_is_a_text_and_that_is_told(satchel: Satchel, text: str, told: str) -> None:
    ended = satchel("count", "-", stdin=text.encode())
    compacted = satchel("compact", "--budget", "100", stdin=text.encode())

    assert re.fullmatch(rb"(1 token|\d+ tokens) of o200k_base\n", ended.stdout)
    assert b"counted as text, no messages were found: " in ended.stderr
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
