"""What all commands have in common: help, errors, exit codes, streams."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from satchel import __version__
from satchel.cli import COMMANDS, run

Satchel = Callable[..., subprocess.CompletedProcess[bytes]]

HEAVY = (
    "attrs cattrs pluggy git tiktoken toktok pynvml watchdog rich shtab asyncio tree_sitter"
    " importlib.metadata jinja2 squarify"
)


def test_satchel_alone_is_friendly(capfd: pytest.CaptureFixture[str]) -> None:
    code = run([])

    out, err = capfd.readouterr()
    assert (code, err) == (0, "")
    assert all(f"\n  {name} " in out for name in COMMANDS)


@pytest.mark.parametrize("argv", [["--version"], ["-V"], ["--debug", "--version"]])
def test_the_version_is_printed(argv: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert run(argv) == 0
    assert capfd.readouterr().out == f"satchel {__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_the_same_both_ways_and_shows_two_examples(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    codes = run(["help", name]), run([name, "--help"])

    out, err = capfd.readouterr()
    assert (codes, err) == ((0, 0), "")
    first, second = out[: len(out) // 2], out[len(out) // 2 :]
    assert first == second
    assert first.split("examples:")[1].count("satchel ") >= 2


@pytest.mark.parametrize("argv", [["help", name] for name in COMMANDS] + [["--version"], []])
def test_help_imports_nothing_heavy(argv: list[str]) -> None:
    script = (
        "import sys; from satchel.cli import run; run(sys.argv[1:]);"
        f"sys.exit(' '.join(name for name in {HEAVY.split()} if name in sys.modules))"
    )

    ended = subprocess.run([sys.executable, "-c", script, *argv], capture_output=True, text=True, check=False)

    assert ended.stderr.strip() == ""


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["pakc"], "no command is called 'pakc', did you mean satchel pack?"),
        (["search"], "no command is called 'search', did you mean satchel pack?"),
        (["explain"], "no command is called 'explain', did you mean satchel why?"),
        (["xsize"], "no command is called 'xsize', did you mean satchel size?"),
        (["weigh"], "no command is called 'weigh'; the commands are pack, expand,"),
        (["fix the bug"], 'that is not a command; to pack for a task: satchel pack "TASK"'),
        (["help", "xyzzy"], "no command is called 'xyzzy'; the commands are pack, expand,"),
        (["--verbose"], "option '--verbose' can't come before the command"),
        (["pack"], "satchel: missing: TASK; see satchel help pack"),
        (["pack", "x", "--budgt=3"], "'--budgt=3' is not recognized, did you mean --budget?"),
        (
            ["pack", "x", "y"],
            "'y' is not recognized; put a task of several words in quotes: \"fix the login\";",
        ),
        (["why", "a.py", "fix", "it"], "'it' is not recognized; put a task of several words in quotes:"),
        (["session", "new", "work"], "'work' is not recognized, did you mean --session work?; see satchel"),
        (["session", "add", __file__], f"to keep the messages of a file: satchel session import {__file__};"),
        (["session", "add", "--file", "a"], "'--file' is not recognized; see satchel help session add"),
        (["size", "m.gguf", "--model", "x"], "'--model' is not recognized; see satchel help size"),
        (["size", "m.gguf", "--json"], "'--json' is not recognized, did you mean --format json?"),
        (
            ["pack", "-C", "src", "x"],
            "'-C' is not recognized, did you mean --root DIR?; see satchel help pack",
        ),
        (["session", "show", "--cwd=src"], "'--cwd' is not recognized, did you mean --root DIR?"),
        (
            ["squeeze", "-C", "src"],
            "'-C' is not recognized; this command takes no folder, and uses the current one",
        ),
        (["-C", "src", "pack", "x"], "put it after: satchel pack --root DIR"),
        (["--root", "src", "pack", "x"], "put it after: satchel pack --root DIR"),
        (["pack", "--task", "x"], 'give the task without an option: satchel pack "fix the login"'),
        (["why", "a.py", "--query", "x"], "'--query' is not recognized; give the task without an option"),
        (["squeeze", "--task", "x"], "'--task' is not recognized, did you mean --for QUESTION?"),
        (["diff", "--question", "x"], "'--question' is not recognized, did you mean --task TASK?"),
        (["doctor", "--task", "x"], "'--task' is not recognized; this command takes no task"),
        (["gpu", "--json"], "'--json' is not recognized, did you mean --format json?"),
        (["doctor", "x"], "'x' is not recognized; see satchel help doctor"),
        (["pack", "x", "--bud", "3"], "'--bud' is not recognized"),
        (["pack", "  "], "the task is empty"),
        (["pack", "x", "--budget", "many"], "--budget: expected a whole number of tokens"),
        (["pack", "x", "--budget", "0"], "--budget: expected at least 1 token"),
        (["expand", "a.py", "--budget", "auto"], "--budget: expected a number of tokens"),
        (["config", "shwo"], "'shwo' is unknown, did you mean show?"),
    ],
)
def test_a_wrong_command_line_ends_with_2_and_one_line(
    argv: list[str],
    message: str,
    shop: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(shop)

    code = run(argv)

    out, err = capfd.readouterr()
    assert (code, out) == (2, "")
    assert err.startswith("satchel: ")
    assert err.count("\n") == 1
    assert message in err


def test_a_root_that_is_no_folder_ends_with_1(shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["pack", "x", "--root", str(shop / "README.md")]) == 1
    assert "is not a folder" in capfd.readouterr().err


@pytest.mark.parametrize(
    "argv",
    [
        ["expand", "new\nline.py"],
        ["count", "new\nline.py"],
        ["pack", "x", "--root", "new\nline.py"],
        ["squeeze", "new\nline.py"],
    ],
)
def test_an_error_that_quotes_a_line_end_is_one_line(
    argv: list[str], shop: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop)

    code = run(argv)

    err = capfd.readouterr().err
    assert code in (1, 2)
    assert err.count("\n") == 1
    assert "new\\nline.py" in err


def test_every_error_of_the_configuration_has_a_line(shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (shop / "satchel.toml").write_text("budgt = 1\nstrict = 2\n")

    code = run(["pack", "x", "--root", str(shop)])

    assert code == 2
    assert [line.split(":")[2].strip() for line in capfd.readouterr().err.splitlines()] == ["budgt", "strict"]


def test_warnings_go_to_stderr(shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (shop / "llm_context.json").write_text('{"colours": 1}')

    run(["config", "show", "--root", str(shop)])

    out, err = capfd.readouterr()
    assert "colours" not in out
    assert err == "satchel: warning: llm_context.json: colours: ignored, satchel has no such setting\n"


def test_a_table_of_a_plugin_that_is_not_installed_is_warned_about(
    shop: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (shop / "satchel.toml").write_text("[packer.hybird]\n[packer.hybrid]\n")

    assert run(["plugins", "--root", str(shop)]) == 0
    assert capfd.readouterr().err == (
        "satchel: warning: satchel.toml: packer.hybird is not installed, did you mean hybrid?\n"
    )


def test_debug_shows_where(shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run(["config", "show", "--root", str(shop / "none"), "--debug"])

    err = capfd.readouterr().err
    assert err.startswith("Traceback")
    assert err.splitlines()[-1].startswith("satchel: ")


def test_control_characters_of_strangers_do_not_reach_the_terminal(
    shop: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run(["config", "show", "--root", f"{shop}/\x1b[2J"])

    assert "\x1b" not in capfd.readouterr().err


def test_output_is_utf8_whatever_the_locale(shop: Path, satchel_started: Satchel) -> None:
    (shop / "satchel.toml").write_text('model = "größe-模型"', encoding="utf-8")

    ended = satchel_started(
        "config", "show", "--root", str(shop), env={"PYTHONIOENCODING": "cp1252", "LC_ALL": "C"}
    )

    assert 'model = "größe-模型"' in ended.stdout.decode("utf-8")


@pytest.mark.costly
@pytest.mark.parametrize(
    "argv", [(), ("help", "pack"), ("config", "show"), ("config", "schema", "--of", "pack")]
)
def test_a_closed_pipe_ends_quietly(argv: tuple[str, ...], shop: Path) -> None:
    command = [sys.executable, "-m", "satchel", *argv]
    reading, writing = os.pipe()
    os.close(reading)

    ended = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, cwd=shop, check=False)

    os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, b"")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("words", ["config show", "--version"])
def test_closed_streams_are_no_fault(words: str, closed: str, shop: Path) -> None:
    command = f"exec {sys.executable} -m satchel {words} {closed}"

    ended = subprocess.run(["bash", "-c", command], capture_output=True, cwd=shop, check=False)

    assert (ended.returncode, ended.stderr) == (0, b"")


@pytest.mark.costly
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize(("words", "code"), [(["config", "show"], 1), (["run", "--", "echo", "hi"], 125)])
def test_a_full_disk_is_told(shop: Path, words: list[str], code: int) -> None:
    command = [sys.executable, "-m", "satchel", *words]

    with open("/dev/full", "wb") as full:
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, cwd=shop, check=False)

    assert ended.returncode == code
    assert ended.stderr == b"satchel: can't write the result: No space left on device\n"


class Interrupted:
    """A stdin at which a person types Ctrl-C."""

    buffer: Interrupted

    def read(self) -> bytes:
        raise KeyboardInterrupt


def test_ctrl_c_ends_with_130_and_nothing_half_written(
    shop: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stdin = Interrupted()
    stdin.buffer = stdin
    monkeypatch.setattr("sys.stdin", stdin)

    assert run(["pack", "-", "--root", str(shop)]) == 130
    assert capfd.readouterr() == ("", "")
