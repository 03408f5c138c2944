"""`satchel compact` from outside."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from tests.core.formats import read, read_transcript
from tests.core.report.foreign_sessions import codex

from satchel import count
from satchel.schemas import read_schema

Satchel = Callable[..., subprocess.CompletedProcess[str]]
TALK = [
    {"role": "user", "content": "read all files"},
    *(
        {"role": role, "content": f"{role} {number}: " + "some words about it\n" * 30}
        for number in range(12)
        for role in ("assistant", "user")
    ),
]


@pytest.fixture
def satchel(satchel: Callable[..., subprocess.CompletedProcess[bytes]], tmp_path: Path) -> Satchel:
    """Run a command with a folder of its own."""

    def command(*words: str, given: str) -> subprocess.CompletedProcess[str]:
        store = ("--store", str(tmp_path / "kept"))
        done = satchel(*words, *store, stdin=given.encode(), cwd=tmp_path)
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
        )

    return command


def test_a_list_gives_a_list_and_a_request_gives_that_request(satchel: Satchel, tmp_path: Path) -> None:
    request = {"model": "m", "messages": TALK, "temperature": 0.5}
    done = satchel("compact", "--budget", "900", given=json.dumps(request))
    answer = json.loads(done.stdout)

    assert done.returncode == 0
    assert {**answer, "messages": TALK} == request
    assert len(answer["messages"]) < len(TALK)


def test_the_report_keeps_its_schema_and_its_pointers_expand(satchel: Satchel, tmp_path: Path) -> None:
    satchel("compact", "--budget", "900", "--report", "cut.json", given=json.dumps(TALK))
    report = json.loads((tmp_path / "cut.json").read_text())
    jsonschema.Draft202012Validator(json.loads(read_schema("compact"))).validate(report)
    cut = report["cut"][0]
    done = satchel("expand", cut["expand"], given="")

    assert done.stdout == f"{TALK[cut['index']]['content']}\n"


def test_a_report_that_can_not_be_written_is_told_before_anything_is_read(satchel: Satchel) -> None:
    done = satchel("compact", "--budget", "900", "--report", "none/cut.json", given="no messages")

    assert done.returncode == 2
    assert done.stderr.startswith("satchel: --report none/cut.json: there is no folder")


@pytest.mark.parametrize(
    ("given", "words", "code", "told"),
    [
        ("", ["--budget", "90"], 1, "stdin: empty"),
        ("{", ["--budget", "90"], 1, "stdin: not JSON"),
        ("[1]", ["--budget", "90"], 1, "messages[0]: expected an object"),
        ("[]", ["--budget", "90"], 1, "stdin has no message: it is an empty list"),
        ('{"system": "s", "messages": []}', ["--budget", "90"], 1, "has no message: it is an empty list"),
        ('{"input": ""}', ["--budget", "90"], 1, "stdin has no message: it is an empty text"),
        ("[]", ["--budget", "x"], 2, "--budget: expected"),
        ("[]", ["--budget", "9", "--low", "5"], 2, "--high and --low need --state FILE"),
        ("[]", ["--budget", "9", "--state", "s", "--high", "0.5", "--low", "0.9"], 2, "--low 0.9 is more"),
        (json.dumps(TALK), ["--budget", "9", "--state", "."], 1, ". can't be read: Is a directory; name"),
        (json.dumps(TALK), ["--budget", "1"], 1, "the budget is 1"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    satchel: Satchel, given: str, words: list[str], code: int, told: str, tmp_path: Path
) -> None:
    done = satchel("compact", *words, given=given)

    assert (done.returncode, done.stdout) == (code, "")
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


_LONG = "line src/app.py load_user 4711 KeyError\n" * 200
_USE = {"type": "tool_use", "id": "same", "name": "bash", "input": {}}
_RESULT = {"type": "tool_result", "tool_use_id": "same", "content": _LONG}
ODD = {
    "openai": [
        {"role": "user", "content": "fix it"},
        {"role": "tool", "tool_call_id": "lost", "content": _LONG},
        {"role": "assistant", "content": "\n \n", "tool_calls": [{"id": "a", "function": {"name": "f"}}]},
    ],
    "anthropic": {
        "system": [],
        "messages": [
            {"role": "assistant", "content": [_USE, _USE]},
            {"role": "user", "content": [{"type": "text", "text": "first"}, _RESULT, _RESULT]},
        ],
    },
    "responses": {
        "input": [
            {"type": "reasoning", "id": "r", "summary": [], "encrypted_content": "E" * 9_000},
            {"type": "function_call_output", "call_id": "lost", "output": _LONG},
            {"role": "user", "content": "go on"},
        ]
    },
    "ollama": {
        "messages": [
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"function": {"name": "f", "arguments": {}}}],
            },
            {"role": "tool", "tool_name": "f", "content": _LONG},
            {"role": "tool", "content": _LONG, "images": []},
        ]
    },
}
"""Histories that came in broken."""


@pytest.mark.parametrize("form", ODD)
def test_a_broken_history_of_any_format_gives_one_that_needs_no_repair(
    satchel: Satchel, form: str, tmp_path: Path
) -> None:
    words = ("compact", "--budget", "600", "--format", form)
    first = satchel(*words, given=json.dumps(ODD[form]))
    again = satchel(*words, given=first.stdout)

    assert (first.returncode, again.returncode) == (0, 0)
    assert json.loads(again.stdout) == json.loads(first.stdout)
    assert again.stderr == ""


def test_the_last_line_says_what_was_kept_and_how_to_undo_it(satchel: Satchel, tmp_path: Path) -> None:
    done = satchel("compact", "--budget", "900", given=json.dumps(TALK))
    line = done.stderr.splitlines()[-1]
    words = line.split()
    undone = satchel("expand", words[words.index("expand") + 1], given="")

    assert line.startswith("satchel: ")
    assert "25 -> " in line
    assert " of 13 of your messages whole; undo with satchel expand blob:" in line
    assert json.loads(undone.stdout) == TALK


def test_what_fits_is_said_in_no_line(satchel: Satchel, tmp_path: Path) -> None:
    assert satchel("compact", "--budget", "90k", given=json.dumps(TALK)).stderr == ""


def test_what_fits_comes_back_byte_for_byte(satchel: Satchel) -> None:
    given = '{"max_tokens":9,\n "messages":[{"role":"user", "content":"caf\\u00e9  au lait"}]}'

    assert satchel("compact", "--budget", "9k", given=given).stdout == given


def test_repairs_are_counted(satchel: Satchel, tmp_path: Path) -> None:
    lost = [{"role": "tool", "tool_call_id": f"c{number}", "content": "lost"} for number in range(40)]
    done = satchel("compact", "--budget", "90k", given=json.dumps([*TALK, *lost]))

    assert done.stderr.count("\n") == 1
    assert "repaired; the first: messages[25]" in done.stderr


def test_repairs_stand_in_the_line_of_what_was_cut(satchel: Satchel, tmp_path: Path) -> None:
    lost = [{"role": "tool", "tool_call_id": "c99", "content": "lost"}]
    done = satchel("compact", "--budget", "900", given=json.dumps([*TALK, *lost]))

    assert done.stderr.count("\n") == 1
    assert "messages whole; repaired messages[25]: " in done.stderr
    assert "; undo with satchel expand blob:" in done.stderr


def test_an_unknown_model_is_a_warning(satchel: Satchel, tmp_path: Path) -> None:
    words = ("compact", "--budget", "90k", "--model", "gtp-4o")
    done = satchel(*words, given=json.dumps(TALK))

    assert done.returncode == 0
    assert done.stderr == (
        "satchel: warning: no model is called 'gtp-4o'; did you mean 'gpt-4o'; its tokens are estimated\n"
    )


def test_a_session_file_is_written_back_and_imported(satchel: Satchel, tmp_path: Path) -> None:
    (tmp_path / "talk.jsonl").write_bytes(codex())

    ended = satchel(
        *("compact", "--budget", "400", "--transcript", "short.jsonl"),
        given=codex().decode(),
    )
    shorter = read_transcript((tmp_path / "short.jsonl").read_bytes())
    came = satchel("session", "import", "short.jsonl", given="")
    again = satchel("session", "import", "short.jsonl", given="")

    assert ended.returncode == 0, ended.stderr
    printed = read(json.loads(ended.stdout), "responses")
    assert shorter.source == "codex"
    assert [message.text for message in shorter.messages] == [message.text for message in printed.messages]
    assert shorter.model == "gpt-5-codex"
    assert came.stdout == f"imported {len(shorter.document)} nodes into session short\n"
    assert "has messages already" in again.stderr


def test_what_is_no_session_file_can_t_be_written_as_one(satchel: Satchel, tmp_path: Path) -> None:
    ended = satchel(
        *("compact", "--budget", "400", "--transcript", "short.jsonl"),
        given=json.dumps(TALK),
    )

    assert ended.returncode == 2
    assert "--transcript needs an agent's session file" in ended.stderr


def test_a_file_is_read_as_stdin_is(satchel: Satchel, tmp_path: Path) -> None:
    (tmp_path / "talk.jsonl").write_bytes(codex())

    ended = satchel("compact", "talk.jsonl", "--budget", "400", given="")
    missing = satchel("compact", "nowhere.json", "--budget", "400", given="")

    assert ended.stdout == satchel("compact", "--budget", "400", given=codex().decode()).stdout
    assert (missing.returncode, missing.stdout) == (1, "")
    assert "nowhere.json: the messages can't be read: No such file" in missing.stderr


@pytest.mark.parametrize("words", [("compact",), ("show",), ("report", "page.html")])
def test_a_mistake_in_messages_is_told_with_the_name_of_their_file(
    satchel: Satchel, tmp_path: Path, words: tuple[str, ...]
) -> None:
    (tmp_path / "talk.json").write_text("[1, 2]")

    ended = satchel(*words, "talk.json", given="")

    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == "satchel: talk.json: messages[0]: expected an object, not a number\n"


def test_a_budget_is_in_the_tokens_of_the_model(satchel: Satchel) -> None:
    named = ("--model", "claude-sonnet-4-5")
    done = satchel("compact", "--budget", "1200", *named, given=json.dumps(TALK))
    kept = json.loads(done.stdout)

    assert len(kept) < len(TALK)
    assert count(kept, model=named[1]) <= 1_200
    assert done.stderr.startswith(
        f"satchel: about {count(TALK, model=named[1]):,} -> {count(kept, model=named[1]):,} tokens"
    )


def test_a_budget_of_auto_is_that_of_the_model_that_the_messages_name(satchel: Satchel) -> None:
    for name, tokens in (("gpt-5", "272,000"), ("claude-sonnet-4-5", "136,000")):
        done = satchel("compact", "--budget", "auto", given=json.dumps({"model": name, "messages": TALK}))
        assert done.stderr == (
            f"satchel: the budget is {tokens} tokens of {name} (named by the messages), all fits\n"
        )
    file = satchel("compact", "--budget", "auto", given=codex().decode())
    assert "tokens of gpt-5-codex (named by the messages)" in file.stderr


def test_a_budget_of_auto_leaves_room_for_the_instructions_of_a_session_file(satchel: Satchel) -> None:
    first, *rest = codex().splitlines()
    meta = json.loads(first)
    meta["payload"]["instructions"] = "You are a coding agent. " * 400
    given = "\n".join([json.dumps(meta), *(line.decode() for line in rest)])
    plain = satchel("compact", "--budget", "auto", given=codex().decode()).stderr
    told = satchel("compact", "--budget", "auto", given=given).stderr

    more = re.search(r"beside them are ([\d,]+) tokens of instructions", told)
    assert more is not None
    budgets = [_find_budget(text) for text in (plain, told)]
    assert budgets[0] - budgets[1] >= 2_000
    assert int(more[1].replace(",", "")) >= budgets[0] - budgets[1]


def _find_budget(told: str) -> int:
    found = re.search(r"the budget is ([\d,]+) tokens", told)
    assert found is not None
    return int(found[1].replace(",", ""))


def test_a_budget_of_auto_needs_a_model_that_is_known(satchel: Satchel) -> None:
    nobody = satchel("compact", "--budget", "auto", given=json.dumps(TALK))
    unknown = satchel("compact", "--budget", "auto", given=json.dumps({"model": "m", "messages": TALK}))

    assert (nobody.returncode, unknown.returncode) == (2, 2)
    assert "--budget auto needs a model: add --model NAME" in nobody.stderr
    assert "the messages name 'm', which is not known: add --model NAME" in unknown.stderr


@pytest.mark.weekly
def test_a_budget_is_in_the_tokens_of_the_model_that_the_messages_name(satchel: Satchel) -> None:
    named = "claude-sonnet-4-5"
    request = {"model": named, "messages": TALK}
    done = satchel("compact", "--budget", "1200", given=json.dumps(request))
    asked = satchel("compact", "--budget", "1200", "--model", "gpt-5", given=json.dumps(request))

    assert count(json.loads(done.stdout), model=named) <= 1_200 < count(json.loads(asked.stdout), model=named)
    assert f"tokens of {named} (named by the messages), " in done.stderr
    assert "tokens of gpt-5, " in asked.stderr


def test_what_show_recommends_is_in_the_tokens_that_it_counts(satchel: Satchel, tmp_path: Path) -> None:
    file = tmp_path / "talk.json"
    file.write_text(json.dumps({"model": "claude-sonnet-4-5", "messages": TALK}))
    shown = satchel("show", "talk.json", "--window", "3000", "--format", "json", given="")
    advised = json.loads(shown.stdout)["advice"][0]
    words = shlex.split(advised["command"].partition(" < ")[0])
    done = satchel(*words[1:], given=file.read_text())

    left = count(json.loads(done.stdout), model="claude-sonnet-4-5")
    assert left <= 1_500
    assert advised["saves"] == json.loads(shown.stdout)["tokens"] - left


def test_secrets_that_are_replaced_are_counted(satchel: Satchel) -> None:
    key = "ghp_" + "Zq7RtB2mKx9LwVn4Yc6HsDf1Jg8PaTu3Ee5o"
    said = [{"role": "user", "content": f"my token is {key}, and [redacted:github-token:0000] was another"}]
    done = satchel("compact", "--budget", "900", given=json.dumps(said))

    assert key not in done.stdout
    assert done.stderr == "satchel: 1 secret redacted: github-token 1\n"


def test_messages_are_counted_as_the_request_has_them(satchel: Satchel) -> None:
    request = {"system": "Be short.", "messages": TALK, "max_tokens": 9}
    words = ("compact", "--budget", "900", "--format", "anthropic")
    done = satchel(*words, given=json.dumps(request))

    assert f" {len(TALK)} -> {len(json.loads(done.stdout)['messages'])} messages, " in done.stderr
