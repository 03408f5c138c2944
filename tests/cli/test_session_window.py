"""`satchel session window` and what happens beside messages, from outside."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import attrs
import jsonschema  # type: ignore[import-untyped]
import pytest

from satchel.schemas import read_schema

from .conftest import Satchel


@attrs.frozen
class Talk:
    """The session `s` of a store of its own, in a folder with a file."""

    folder: Path
    satchel: Satchel

    def __call__(self, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Run a subcommand of `session` on it."""
        place = ("--store", str(self.folder / "store"), "--session", "s", "--root", str(self.folder))
        return self.run("session", *words, *place, given=given)

    def run(self, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command."""
        done = self.satchel(*words, stdin=given.encode())
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
        )


@pytest.fixture
def talk(tmp_path: Path, satchel: Satchel) -> Talk:
    """Return a session in a folder with a file."""
    (tmp_path / "app.py").write_text("".join(f"def f{n}(a):\n    return a + {n}\n\n\n" for n in range(30)))
    talk = Talk(tmp_path, satchel)
    talk("add", "--role", "user", "--text", "why is f3 slow?")
    return talk


def test_a_window_is_a_list_of_messages_within_the_budget(talk: Talk) -> None:
    done = talk("window", "--budget", "1k", "--format", "openai")

    messages = json.loads(done.stdout)
    assert done.returncode == 0
    assert messages[-1] == {"role": "user", "content": "why is f3 slow?"}
    assert "app.py" in messages[0]["content"]
    assert done.stderr.startswith("satchel: ")


def test_json_tells_all_there_is(talk: Talk) -> None:
    told = json.loads(talk("window", "--budget", "900", "--format", "json").stdout)

    jsonschema.Draft202012Validator(json.loads(read_schema("window"))).validate(told)
    assert sum(told["parts"].values()) == told["window"] == 900
    assert told["tokens"] <= 900


@pytest.mark.weekly
def test_a_dialogue_that_outgrew_its_window_leaves_most_of_it_filled(talk: Talk) -> None:
    for turn in range(12):
        talk("add", "--role", "assistant", "--text", f"answer {turn}: " + "the queue waits for a lock " * 20)
        talk("add", "--role", "user", "--text", f"question {turn}")

    told = json.loads(talk("window", "--budget", "1800", "--format", "json").stdout)

    assert told["compacted"]
    assert told["tokens"] > 0.6 * 1_800


def test_edits_entries_steps_and_pins_come_into_the_window(talk: Talk) -> None:
    (talk.folder / "old.py").write_text((talk.folder / "app.py").read_text().replace("a + 3", "slow(a)"))

    edit = talk("edit", "app.py", "--old", str(talk.folder / "old.py"))
    entry = talk("entry", "--command", "pytest", "--exit-code", "1", given="1 failed\n")
    talk("step", "found it")
    pin = talk("pin", "add", "app.py:1-4")
    window = talk("window", "--budget", "4k", "--format", "markdown").stdout

    assert edit.stdout.startswith("both: edited app.py: ")
    assert entry.stdout.startswith("$ pytest   [entry 1, exit code 1, 1 line")
    assert "1 lines" not in entry.stdout + talk("log").stdout
    assert pin.returncode == 0
    assert all(words in window for words in ("edited app.py", "1 failed", "found it"))


def test_lists_can_be_asked_for(talk: Talk) -> None:
    for words in (("pin", "add", "app.py"), ("read-only", "add", "*.md"), ("pin", "remove", "app.py")):
        assert talk(*words).returncode == 0

    assert talk("pin", "list").stdout == ""
    assert json.loads(talk("read-only", "list", "--format", "json").stdout) == {
        "schema": 1,
        "read_only": ["*.md"],
    }


def test_a_pack_of_a_session_has_its_read_only_files(talk: Talk) -> None:
    talk("read-only", "add", "gone/*.md")

    told = talk.run("pack", "found", "--session", "s", "--store", str(talk.folder / "store"))

    assert "matches no file: gone/*.md" in told.stderr


def test_a_pool_is_shared_and_is_no_session(talk: Talk) -> None:
    talk("pool", "add", "--pool", "team", "--text", "mind the gap")

    window = talk("window", "--pool", "team", "--budget", "1k").stdout
    listed = talk.run("session", "list", "--store", str(talk.folder / "store"))

    assert "s: mind the gap" in window
    assert [line.split()[0] for line in listed.stdout.splitlines()] == ["s"]


def test_events_are_appended_to_a_file(talk: Talk) -> None:
    events = talk.folder.parent / f"{talk.folder.name}.jsonl"

    talk("entry", "--command", "ls", "--events", str(events), given="a\n")
    talk("window", "--budget", "1k", "--events", str(events))

    names = [json.loads(line)["event"] for line in events.read_text().splitlines()]
    assert names[0] == "OutputCompressed"
    assert {"ItemsGathered", "ItemKept"} <= set(names)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("window", "--budget", "0"), 2, "budget"),
        (("window", "--budget", "auto"), 2, "--model"),
        (("window", "--budget", "auto", "--model", "none.gguf"), 1, "none.gguf"),
        (("window", "--budget", "auto", "--model", "no-such-model"), 2, "no-such-model"),
        (("window", "--budget", "5"), 1, "the budget is 5"),
        (("window", "--pool", "none"), 1, "none"),
        (("window", "--compressor", "none"), 2, "compressor"),
        (("window", "--events", "/none/e"), 1, "events"),
        (("edit", "app.py"), 1, "not a git repository"),
        (("edit", "app.py", "--new", "x"), 2, "--old"),
        (("edit", "app.py", "--old", "none.py"), 1, "none.py"),
        (("step", " "), 2, "describe the step"),
        (("pin", "add"), 2, "name what to"),
        (("pin", "add", "none.py"), 1, "none.py"),
        (("pin", "add", "nope"), 1, "nope: no such file in the workspace; for the function write nope()"),
        (("pin", "add", "app.py:190-199"), 1, "app.py:190-199: the file has "),
        (("pin", "remove", "app.py"), 2, "not pinned"),
        (("pool", "add", "--pool", "p", "--text", ""), 2, "empty"),
    ],
)
def test_what_can_not_be_done_is_one_line(talk: Talk, words: tuple[str, ...], code: int, said: str) -> None:
    done = talk(*words)

    assert (done.returncode, done.stdout) == (code, "")
    assert len(done.stderr.splitlines()) == 1
    assert said in done.stderr


def test_an_unknown_session_and_a_missing_store_are_one_line(talk: Talk) -> None:
    for place in (
        ("--store", str(talk.folder / "store"), "--session", "t"),
        ("--store", str(talk.folder / "none"), "--session", "s"),
    ):
        done = talk.run("session", "window", *place, "--root", str(talk.folder))

        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1


def test_a_window_for_a_reader_repeats_nothing(talk: Talk) -> None:
    first = talk("window", "--budget", "8k", "--reader", "bob")
    talk("add", "--role", "user", "--text", "and f4?")
    second = talk("window", "--budget", "8k", "--reader", "bob")

    assert json.loads(first.stdout)[-1]["content"] == "why is f3 slow?"
    assert json.loads(second.stdout) == [{"role": "user", "content": "and f4?"}]
    assert "window for bob: 2 messages sent for: why is f3 slow?" in talk("log").stdout
