"""`satchel compact` from outside."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from satchel.schemas import published

TALK = [
    {"role": "user", "content": "read all files"},
    *(
        {"role": role, "content": f"{role} {number}: " + "some words about it\n" * 30}
        for number in range(12)
        for role in ("assistant", "user")
    ),
]


def satchel(*words: str, given: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command with a folder of its own."""
    store = ("--store", str(folder / "kept"))
    return subprocess.run(
        [sys.executable, "-m", "satchel", *words, *store],
        cwd=folder,
        input=given,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_list_gives_a_list_and_a_request_gives_that_request(tmp_path: Path) -> None:
    request = {"model": "m", "messages": TALK, "temperature": 0.5}
    done = satchel("compact", "--budget", "900", given=json.dumps(request), folder=tmp_path)
    answer = json.loads(done.stdout)

    assert done.returncode == 0
    assert {**answer, "messages": TALK} == request
    assert len(answer["messages"]) < len(TALK)


def test_the_report_keeps_its_schema_and_its_pointers_expand(tmp_path: Path) -> None:
    satchel("compact", "--budget", "900", "--report", "cut.json", given=json.dumps(TALK), folder=tmp_path)
    report = json.loads((tmp_path / "cut.json").read_text())
    jsonschema.Draft202012Validator(json.loads(published("compact"))).validate(report)
    cut = report["cut"][0]
    done = satchel("expand", cut["expand"], given="", folder=tmp_path)

    assert done.stdout == f"{TALK[cut['index']]['content']}\n"


@pytest.mark.parametrize(
    ("given", "words", "code", "told"),
    [
        ("", ["--budget", "90"], 1, "stdin: empty"),
        ("{", ["--budget", "90"], 1, "stdin: not JSON"),
        ("[1]", ["--budget", "90"], 1, "messages[0]: expected an object"),
        ("[]", ["--budget", "x"], 2, "--budget: expected"),
        ("[]", ["--budget", "9", "--low", "5"], 2, "--high and --low need --state FILE"),
        (json.dumps(TALK), ["--budget", "1"], 1, "the budget is 1"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    given: str, words: list[str], code: int, told: str, tmp_path: Path
) -> None:
    done = satchel("compact", *words, given=given, folder=tmp_path)

    assert (done.returncode, done.stdout) == (code, "")
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
