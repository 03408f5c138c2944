"""What no command accepts in silence: empty, superfluous and contradictory words, and wrong places."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from satchel.cli import run
from satchel.config.files import load_lessons

Capture = pytest.CaptureFixture[str]
Session = Callable[..., tuple[int, str, str]]


@pytest.fixture
def session(shop: Path, tmp_path: Path, capfd: Capture) -> Session:
    """Run a subcommand on a session of one message; return the exit code, stdout and stderr."""

    def ran(*argv: str) -> tuple[int, str, str]:
        place = ("--store", str(tmp_path / "store"), "--session", "s", "--root", str(shop))
        code = run(["session", *argv, *place])
        out, err = capfd.readouterr()
        return code, out, err

    assert ran("add", "--role", "user", "--text", "hello")[0] == 0
    return ran


@pytest.mark.parametrize(
    "option", ["--root", "--since", "--store", "--open", "--plugin", "--no-plugin", "--events", "--set", "-o"]
)
def test_an_option_with_an_empty_value_is_refused(option: str, shop: Path, capfd: Capture) -> None:
    assert run(["pack", "fix the login", "--root", str(shop), option, ""]) == 2

    assert ": expected a value, found nothing; see satchel help pack" in capfd.readouterr().err


@pytest.mark.parametrize("words", [["squeeze", "--for", ""], ["run", "--", "printf", "%s", ""]])
def test_a_question_and_the_words_of_a_command_may_be_empty(
    words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("satchel.cli.output.squeeze.input_pieces", lambda *_: iter([b"one line\n"]))

    assert run(words) == 0


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["read-only", "add", "nope"], 1, "nope names no file or folder below "),
        (["read-only", "add", "docs/*.md"], 0, ""),
        (["read-only", "add", "src"], 0, ""),
        (["read-only", "list", "nope"], 2, "'nope' is superfluous: list takes no REF, and prints all"),
        (["pin", "list", "nope"], 2, "'nope' is superfluous: list takes no REF, and prints all"),
        (["checkpoint", "--list", "nope"], 2, "--list prints all checkpoints; leave out 'nope'"),
        (["checkpoint", ""], 2, "name: expected a value, found nothing"),
        (["entry", "--list", "--command", "make"], 2, "leave out --command and --exit-code"),
        (["show", "--last", "0"], 2, "--last: expected a whole number from 1 up, not '0'"),
        (["add", "--role", "user", "--text", " "], 2, "the message is empty; give its text with --text"),
        (["add", "--role", "assistant", "--text", ""], 0, ""),
        (["add", "--role", "user", "--text", "x", "--usage", '{"input": -5}'], 2, "'input' is -5"),
        (["add", "--role", "user", "--text", "x", "--usage", '{"input": 5, "tier": "a"}'], 0, ""),
        (["window", "--pool", "nope"], 1, "pool 'nope' is not in "),
        (
            ["window", "--budget", "2k", "--high", "3k"],
            2,
            "--high 3k is more than the budget of 2,000 tokens",
        ),
    ],
)
def test_a_subcommand_of_session_refuses_what_it_would_ignore(
    words: list[str], code: int, told: str, session: Session
) -> None:
    answer = session(*words)

    assert answer[0] == code
    assert answer[2].startswith("satchel: ") if told else not answer[2]
    assert told in answer[2]


def test_pools_are_listed_for_a_pool_and_sessions_for_a_session(
    session: Session, tmp_path: Path, capfd: Capture
) -> None:
    session("pool", "add", "--pool", "team", "--text", "a note")

    assert session("pool", "list", "--pool", "elsewhere")[2].endswith("; it has team\n")
    assert run(["session", "show", "--session", "elsewhere", "--store", str(tmp_path / "store")]) == 1
    assert capfd.readouterr().err.endswith("; it has s\n")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["session", "prune", "--days", "x"], "--days: expected a number of days from 0 up, not 'x'"),
        (["session", "prune", "--count", "-1"], "--count: expected a whole number from 0 up, not '-1'"),
        (["plugins", "new", "scorer", "class"], "'class' can't name a plugin: it is a keyword of Python"),
        (["archive", "prune", "--size", "x"], "--size 'x' is not a size; write bytes, or a size like 24GiB"),
        (["help", "session", "nope"], "'nope' is not recognized; see satchel help session"),
        (["help", "pack", "nope"], "'nope' is not recognized; see satchel help pack"),
        (["pack", "x", "--plugin", "{folder}"], "{folder}: is a folder; name a Python file in it"),
        (["compact", "{folder}", "--report", "{folder}"], "--report {folder} is a folder; name a file in it"),
        (["compact", "{folder}", "--transcript", "{folder}"], "--transcript {folder} is a folder"),
        (["report", "{folder}/none/page.html", "{folder}"], "{folder}/none/page.html: there is no folder"),
        (["pack", "x", "--events", "{folder}"], "events can't be written: Is a directory"),
        (["squeeze", "--events", "{folder}"], "events can't be written: Is a directory"),
        (["archive", "show", "--store", "{file}"], "--store {file} is a file; name a folder"),
        (["session", "list", "--store", "{file}"], "--store {file} is a file; name a folder"),
        (["proxy", "--upstream", "http://h", "--budget", "8", "--window", "4"], "--budget 8 is more than"),
    ],
)
def test_a_mistake_in_the_command_line_ends_with_2_and_names_it(
    words: list[str], told: str, tmp_path: Path, capfd: Capture
) -> None:
    file = tmp_path / "file.txt"
    file.write_text("text\n", "utf-8")
    names = {"folder": str(tmp_path), "file": str(file)}

    assert run([word.format(**names) for word in words]) == 2

    assert told.format(**names) in capfd.readouterr().err


@pytest.mark.parametrize("words", [["--nope"], ["--format", "nope"], ["--budget", "0"], []])
def test_run_ends_with_125_for_any_mistake_of_its_own(words: list[str], capfd: Capture) -> None:
    assert run(["run", *words, *(["--", "true"] if words else [])]) == 125
    assert capfd.readouterr().err.startswith("satchel: ")


def test_an_empty_store_says_so(tmp_path: Path, capfd: Capture) -> None:
    assert run(["archive", "show", "--store", str(tmp_path)]) == 0
    assert capfd.readouterr() == ("", f"satchel: nothing is archived in {tmp_path / 'archive'}\n")

    assert run(["session", "list", "--store", str(tmp_path)]) == 0
    file = tmp_path / "sessions.sqlite"
    assert capfd.readouterr().err.startswith(f"satchel: there are no sessions in {file}; ")


def test_a_budget_too_small_for_an_estimate_leaves_all_out(shop: Path, capfd: Capture) -> None:
    words = ["pack", "fix the login", "--root", str(shop), "--model", "claude-sonnet-4-5", "--budget", "1"]

    assert run(words) == 0

    out, err = capfd.readouterr()
    assert out == ""
    assert "1 token is too few to show anything" in err


def test_an_ignored_file_that_is_expanded_is_called_so(shop: Path, capfd: Capture) -> None:
    (shop / ".satchelignore").write_text("*.log\n", "utf-8")
    (shop / "build.log").write_text("done\n", "utf-8")

    assert run(["expand", "build.log", "--root", str(shop)]) == 1
    assert "build.log is ignored, by git or by .satchelignore" in capfd.readouterr().err
    assert run(["expand", "other.log", "--root", str(shop)]) == 1
    assert "other.log: no such file or definition" in capfd.readouterr().err


def test_a_file_that_can_not_be_read_is_called_so(
    shop: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shop / ".satchelignore").write_text("*.log\n", "utf-8")
    (shop / "build.log").write_text("done\n", "utf-8")
    monkeypatch.setattr("satchel.packing.expanding.os.access", lambda *_: False)

    assert run(["expand", "build.log", "--root", str(shop)]) == 1
    assert "build.log can't be read: Permission denied" in capfd.readouterr().err


def test_lessons_in_a_folder_that_can_not_be_read_stop_no_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = tmp_path / "learned.toml"
    stat = os.stat

    def refuse(path: Any, **named: Any) -> os.stat_result:
        if str(path) == str(refused):
            raise PermissionError(13, "Permission denied", str(path))
        return stat(path, **named)

    monkeypatch.setattr(os, "stat", refuse)

    assert load_lessons(refused) == []
