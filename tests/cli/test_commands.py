"""Each command on a small workspace, and its JSON against the published schema."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.amounts import sized

from satchel.cli import COMMANDS, run
from satchel.schemas import read_schema
from satchel.shared_archive import open_archive

Satchel = Callable[..., subprocess.CompletedProcess[bytes]]
Capture = pytest.CaptureFixture[str]
MESSAGES = b'[{"role": "user", "content": "hi"}]'


def checked(name: str, text: str) -> Any:
    answer = json.loads(text)
    jsonschema.Draft202012Validator(json.loads(read_schema(name))).validate(answer)
    return answer


@pytest.mark.parametrize("name", ["pack", "why", "plugins", "index", "compact", "session"])
def test_published_schemas_are_schemas(name: str, capfd: Capture) -> None:
    assert run(["config", "schema", "--of", name]) == 0

    schema = json.loads(capfd.readouterr().out)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["properties"]["schema"] == {"description": "Version of this contract", "const": 1}


def test_pack_writes_the_document_and_one_line_about_it(shop: Path, capfd: Capture) -> None:
    code = run(["pack", "login does not take a name", "--root", str(shop), "--budget", "2k"])

    out, err = capfd.readouterr()
    assert code == 0
    assert "def login(name: str) -> bool:" in out
    assert err.startswith("satchel: ")
    assert err.count("\n") == 1
    assert " of 2,000 tokens, 2 files (2 whole) and " in err


def test_the_json_of_pack_keeps_its_contract(shop: Path, capfd: Capture) -> None:
    run(["pack", "mail is not sent", "--root", str(shop), "--budget", "80", "--format", "json"])

    answer = checked("pack", capfd.readouterr().out)
    assert answer["schema"] == 1
    assert answer["task"] == "mail is not sent"
    assert answer["tokens"] <= answer["budget"] == 80
    assert answer["items"][0]["path"] == "src/mail.py"


def test_a_pack_of_another_process_is_the_same(
    shop: Path, satchel: Satchel, satchel_process: Satchel
) -> None:
    argv = ["pack", "login", "--root", str(shop), "--format", "json"]

    assert satchel(*argv).stdout == satchel_process(*argv).stdout  # strings have other hashes there


@pytest.mark.costly
@pytest.mark.parametrize("task", ["größe 模型 🎒", "broken \udce9 bytes", "x" * sized(1_000_000)])
def test_any_task_comes_in_through_stdin(task: str, shop: Path, satchel: Satchel) -> None:
    bytes_in = task.encode("utf-8", "surrogateescape")

    ended = satchel("pack", "-", "--root", str(shop), "--format", "json", stdin=bytes_in)

    assert ended.returncode == 0
    assert checked("pack", ended.stdout.decode())["task"] == bytes_in.decode("utf-8", "replace")


def test_a_task_of_bytes_that_are_no_text_is_packed(shop: Path, satchel: Satchel) -> None:
    ended = satchel("pack", os.fsdecode(b"caf\xe9 login"), "--root", str(shop), "--format", "json")

    assert checked("pack", ended.stdout.decode())["task"] == "caf\ufffd login"


def test_explain_is_a_table_on_stderr(shop: Path, capfd: Capture) -> None:
    run(["pack", "login", "--root", str(shop), "--explain"])

    lines = capfd.readouterr().err.splitlines()
    assert lines[0].split() == ["item", "level", "tokens", "salience", "scores"]
    assert {"src/app.py", "src/mail.py", "README.md"} <= {line.split()[0] for line in lines[1:-1]}


def test_xml_is_another_form_of_the_same(shop: Path, capfd: Capture) -> None:
    run(["pack", "login", "--root", str(shop), "--format", "xml"])

    out = capfd.readouterr().out
    assert "def login(name: str) -> bool:" in out
    assert out.lstrip().startswith("<")


def test_what_is_packed_can_be_expanded(shop: Path, capfd: Capture) -> None:
    run(["pack", "login", "--root", str(shop), "--format", "json"])
    pointers = {item["path"]: item["pointer"] for item in json.loads(capfd.readouterr().out)["items"]}

    code = run(["expand", pointers["src/app.py"], "--root", str(shop)])

    assert (code, capfd.readouterr().out) == (0, (shop / "src/app.py").read_text())


def test_a_pointer_to_nothing_ends_with_1(shop: Path, capfd: Capture) -> None:
    assert run(["expand", "src/none.py", "--root", str(shop)]) == 1
    assert capfd.readouterr().out == ""


def test_why_tells_text_and_json(shop: Path, capfd: Capture) -> None:
    argv = ["why", "src/app.py", "login does not work", "--root", str(shop)]
    codes = run(argv), run([*argv, "--format", "json"])

    text, _, rest = capfd.readouterr().out.partition("\n{")
    answer = checked("why", "{" + rest)
    assert codes == (0, 0)
    assert answer["kept"] is True
    assert answer["pointer"] in text
    assert all(score["scorer"] in text for score in answer["scores"])


def test_plugins_lists_every_kind_and_name(shop: Path, capfd: Capture) -> None:
    assert run(["plugins", "--root", str(shop), "--format", "json"]) == 0

    answer = checked("plugins", capfd.readouterr().out)
    assert {"packer", "tokenizer", "scorer", "provider", "representer"} <= {
        p["kind"] for p in answer["plugins"]
    }
    assert all(plugin["enabled"] for plugin in answer["plugins"] if plugin["builtin"])


def test_a_plugin_that_is_off_says_so(shop: Path, capfd: Capture) -> None:
    run(["plugins", "--root", str(shop), "--no-plugin", "recent"])

    rows = [line.split(None, 4) for line in capfd.readouterr().out.splitlines()]
    assert rows[0] == ["kind", "name", "distribution", "version", "state"]
    assert [row[4].partition(":")[0] for row in rows if row[1] == "recent"] == ["off"]


def test_the_configuration_is_shown_as_toml_that_reads_back(shop: Path, capfd: Capture) -> None:
    text = 'budget = "8k"\ndisable = ["git"]\n[scorer."x:y"]\nweight = 0.5\nname = "a\\"b\\u007f"\n'
    (shop / "satchel.toml").write_text(text)

    run(["config", "show", "--root", str(shop), "--origin"])
    first = capfd.readouterr().out
    (shop / "satchel.toml").write_text(first)
    run(["config", "show", "--root", str(shop), "--origin"])
    second = capfd.readouterr().out

    assert "budget = 8000  # satchel.toml\n" in first
    assert tomllib.loads(second) == tomllib.loads(first)
    assert tomllib.loads(first)["scorer"] == {"x:y": {"weight": 0.5, "name": 'a"b\x7f'}}


def test_the_configuration_is_shown_as_json(shop: Path, capfd: Capture) -> None:
    run(["config", "show", "--root", str(shop), "--format", "json"])

    answer = json.loads(capfd.readouterr().out)
    assert answer["settings"]["budget"] == {"value": 16000, "origin": "default"}


@pytest.mark.weekly
def test_the_schema_of_the_configuration_knows_the_installed_plugins(shop: Path, capfd: Capture) -> None:
    run(["config", "schema", "--root", str(shop)])

    schema = json.loads(capfd.readouterr().out)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert "hybrid" in schema["properties"]["packer"]["properties"]


def test_the_doctor_finds_all_well(shop: Path, capfd: Capture) -> None:
    code = run(["doctor", "--root", str(shop)])

    lines = capfd.readouterr().out.splitlines()
    assert code == 0, lines
    assert lines[-1] == "everything is fine"
    assert {line.split()[0] for line in lines[:-1]} <= {"ok", "note"}


def test_the_doctor_ends_with_1_where_something_is_broken(shop: Path, capfd: Capture) -> None:
    (shop / "satchel.toml").write_text('tokenizer = "abacus"')

    code = run(["doctor", "--root", str(shop)])

    out = capfd.readouterr().out
    assert code == 1
    assert "bad" in out
    assert "no tokenizer is called 'abacus'" in out


def test_the_doctor_reads_a_broken_configuration(shop: Path, capfd: Capture) -> None:
    (shop / "satchel.toml").write_text("budget = ")

    assert run(["doctor", "--root", str(shop)]) == 1
    assert "satchel.toml:1:10: " in capfd.readouterr().out


def test_the_doctor_misses_git(shop: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(shop))

    run(["doctor", "--root", str(shop)])

    assert "is not on PATH" in capfd.readouterr().out


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("module", "cost"),
    [("ahocorasick", "takes twice as long"), ("watchdog", "every refresh scans the whole workspace")],
)
def test_the_doctor_tells_what_a_library_without_a_wheel_costs(
    module: str, cost: str, shop: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(["doctor", "--root", str(shop)])
    assert cost not in capfd.readouterr().out
    monkeypatch.setitem(sys.modules, module, None)  # as where it is not installed

    assert run(["doctor", "--root", str(shop)]) == 0
    assert cost in capfd.readouterr().out


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completion_knows_commands_and_options(shell: str, capfd: Capture) -> None:
    assert run(["completion", shell]) == 0

    script = capfd.readouterr().out
    assert all(name in script for name in COMMANDS)
    assert "budget" in script


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("pa", "pack"),
        ("pack --strategy re", "recent relevance"),
        ("pack --budget a", "auto"),
        ("expand --level sy", "symbols"),
        ("compact --format an", "anthropic"),
        ("squeeze --format j", "json"),
        ("session undo --st", "--steps --store"),
        ("install op", "opencode"),
        ("hook pre", "pre-compact"),
        ("pack --set snapshot_", "snapshot_at="),
    ],
)
def test_the_completion_of_bash_completes(typed: str, found: str, tmp_path: Path, capfd: Capture) -> None:
    run(["completion", "bash"])
    script = tmp_path / "completion"
    script.write_text(capfd.readouterr().out)
    last = len(typed.split())
    words = f'COMP_WORDS=(satchel {typed}); COMP_CWORD={last}; _shtab_satchel; echo "${{COMPREPLY[@]}}"'

    ended = subprocess.run(
        [str(shutil.which("bash")), "-c", f"complete() {{ :; }}; source {script}; {words}"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.stdout.split() == found.split()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["archive", "prune", "--days", "-1"], "--days: expected a number of days from 0 up, not '-1'"),
        (["archive", "prune", "--days", "nan"], "--days: expected a number of days from 0 up, not 'nan'"),
        (["archive"], "missing: action (show, prune);"),
        (["session", "pin"], "missing: what (add, list, remove);"),
        (["session", "show", "--follow", "-3"], "--follow: expected a number of seconds above 0, not '-3'"),
        (["diff", "a", "b", "--task", ""], "the task is empty"),
        (["pack", "login", "--store", "x"], "--store needs --session ID"),
        (["pack", "login", "--left-out", "all"], "--left-out all needs --format json"),
        (["pack", "login", "--template", "answer", "--with-task"], "leave out --with-task"),
        (["pack", "login", "--set", "pack.budget=3"], "unknown key, did you mean budget?"),
        (["pack", "login", "--set", "scorer.recency=3"], "unknown key; keys are like budget or scorer."),
        (["expand", "a.py", "--raw", "--level", "symbols"], "leave out --level and --budget"),
        (["show", "a.json", "--latest"], "FILE and --latest each name a window; give one of them"),
        (["show", "a.json", "--session", "s"], "FILE and --session each name a window; give one of them"),
        (["show", "a.json", "--line", "--format", "json"], "leave out --line or --format json"),
        (["show", "a.json", "--exact"], "--exact needs --line"),
        (["show", "a.json", "--width", "-4"], "--width: expected a whole number from 1 up, not '-4'"),
        (["archive", "show", "--days", "3"], "--days and --size say what prune removes"),
        (["config", "show", "--of", "pack"], "satchel config schema --of pack"),
        (["config", "schema", "--origin"], "satchel config show --origin"),
        (["install", "codex", "--only", "hooks"], "Codex CLI takes no hooks from satchel"),
        (["squeeze", "a.log", "--exit-code", "x"], "expected the exit code of a command, like 1, not 'x'"),
        (["session", "undo", "--steps", "2", "--to", "x"], "--steps and --to each say how far back"),
        (["plugins", "new", "scorer", "recency"], "a built-in scorer is called 'recency'"),
        (["report", "a.html", "a.json", "--task", "x"], "--task needs --compact N"),
    ],
)
def test_a_command_line_that_means_nothing_is_told_in_one_line(
    words: list[str], told: str, capfd: Capture
) -> None:
    code = run(words)

    out, err = capfd.readouterr()
    assert (code, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "stdin", "told"),
    [
        (["why", "app.py:99", "login"], b"", "app.py:99: the file has 1 line"),
        (["expand", "commit:zzz"], b"", "neither a commit nor a definition; a commit is named by 7 or more"),
        (["diff", "empty", "empty"], b"", "empty: empty; expected what satchel pack --format json prints"),
        (["compact", "--pin", "7"], MESSAGES, "pin: there is no message 7, the last is 0"),
        (["compact", "--pin", "bye"], MESSAGES, "pin: no message says 'bye'"),
        (["compact", "--pin", ""], MESSAGES, "pin: expected the position of a message or a text in it"),
        (
            ["session", "add", "--session", "s", "--role", "user"],
            b"\xff",
            "stdin is not text: not UTF-8 at byte 0",
        ),
        (["hook", "foo"], b"", "no hook is called 'foo'"),
    ],
)
def test_a_name_of_nothing_and_bytes_that_are_no_text_are_told(
    words: list[str], stdin: bytes, told: str, tmp_path: Path, satchel: Satchel
) -> None:
    (tmp_path / "app.py").write_text("def login(): ...\n", encoding="utf-8")
    (tmp_path / "empty").touch()

    ended = satchel(*words, stdin=stdin, cwd=tmp_path)

    assert ended.stdout == b""
    assert ended.returncode or words[0] == "hook"
    assert told in ended.stderr.decode()


def test_nothing_is_removed_of_an_archive_for_a_negative_age(tmp_path: Path) -> None:
    archive = open_archive(tmp_path)
    archive.put("a text that was cut")

    run(["archive", "prune", "--days", "-1", "--store", str(tmp_path)])

    assert len(list(archive.show())) == 1


def test_strategies_are_compared_with_a_task_only(capfd: Capture) -> None:
    code = run(["diff", "hybrid", "relevance"])

    assert code == 1
    assert (
        "hybrid: the pack can't be read: No such file or directory; to compare two strategies, add --task"
        in capfd.readouterr().err
    )


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["compact", "gone.json"], "the messages"),
        (["count", "gone.json"], "the input"),
        (["squeeze", "gone.json"], "the output"),
        (["show", "gone.json"], "the window"),
        (["report", "page.html", "gone.json"], "the input"),
        (["diff", "gone.json", "gone.json"], "the pack"),
    ],
)
def test_a_file_that_is_not_there_is_told_in_the_same_words(
    words: list[str], what: str, capfd: Capture
) -> None:
    code = run(words)

    said = capfd.readouterr()
    assert (code, said.out) == (1, "")
    assert said.err.startswith(f"satchel: gone.json: {what} can't be read: No such file or directory")


def test_mistakes_in_tables_of_plugins_are_told_with_the_others(tmp_path: Path, capfd: Capture) -> None:
    (tmp_path / "satchel.toml").write_text(
        "budgett = 3\n[scorer.recency]\nweight = 'much'\n[scorer.history]\nweigth = 2\n"
    )

    code = run(["config", "show", "--root", str(tmp_path)])

    assert code == 2
    assert capfd.readouterr().err.splitlines() == [
        "satchel: satchel.toml: budgett: unknown key, did you mean budget?",
        "satchel: satchel.toml: scorer.recency.weight: 'much' is a str, expected float",
        "satchel: satchel.toml: scorer.history.weigth: unknown key, did you mean weight?",
    ]


@pytest.mark.parametrize("words", [["hook"], ["hook", "session-start", "--nosuch"]])
def test_a_hook_ends_well_whatever_its_command_line_says(words: list[str], capfd: Capture) -> None:
    code = run(words)

    out, err = capfd.readouterr()
    assert (code, out) == (0, "")
    assert err.endswith("see satchel help hook\n")


@pytest.mark.parametrize("option", [["--gpu"], ["--vram", "12GiB"]])
def test_an_option_that_needs_a_local_model_says_so_by_its_name(
    option: list[str], tmp_path: Path, capfd: Capture
) -> None:
    (tmp_path / "messages.json").write_text('[{"role": "user", "content": "hello"}]')

    code = run(["show", str(tmp_path / "messages.json"), *option])

    assert code == 2
    assert f"satchel: {option[0]} needs a local model" in capfd.readouterr().err
