"""`satchel session` from outside: what is acknowledged is there, what is wrong is one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.processes import run_satchel

from satchel.cli import run
from satchel.schemas import read_schema
from satchel.shared_archive import open_archive

Satchel = Callable[..., subprocess.CompletedProcess[bytes]]
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def session(tmp_path: Path, capfd: Capture) -> Callable[..., tuple[int, str, str]]:
    """Run a subcommand on one session of one store; return the exit code, stdout and stderr."""

    def ran(sub: str, *argv: str, name: str = "s") -> tuple[int, str, str]:
        code = run(["session", sub, *argv, "--store", str(tmp_path), "--session", name])
        out, err = capfd.readouterr()
        return code, out, err

    return ran


def add(session: Any, *texts: str) -> list[str]:
    roles = ("user", "assistant")
    return [
        session("add", "--role", roles[at % 2], "--text", text)[1].strip() for at, text in enumerate(texts)
    ]


def shown(session: Any, *argv: str) -> Any:
    code, out, _ = session("show", "--format", "json", *argv)
    assert code == 0
    answer = json.loads(out)
    jsonschema.Draft202012Validator(json.loads(read_schema("session"))).validate(answer)
    return answer


def test_what_was_added_is_shown(session: Any) -> None:
    ids = add(session, "hello", "größe")

    answer = shown(session)

    assert [one["content"] for one in answer["messages"]] == ["hello", "größe"]
    assert [one["id"] for one in answer["metadata"]] == ids
    assert answer["head"] == ids[1]
    assert shown(session, "--last", "1")["count"] == 2
    assert session("show")[1] == "user: hello\nassistant: größe\n"


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "x": {"y": [1.5, None]}}]},
        {"role": "user", "content": [{"type": "text", "text": "\u202e\u0000"}], "unknown": {"b": 1, "a": 2}},
        {"type": "function_call_output", "call_id": "1", "output": "done"},
    ],
)
def test_a_message_on_stdin_comes_back_as_it_was(satchel: Satchel, tmp_path: Path, message: Any) -> None:
    where = ("--store", str(tmp_path / "new"), "--session", "s")

    added = satchel("session", "add", *where, stdin=json.dumps(message).encode())
    answer = json.loads(satchel("session", "show", *where, "--format", "json").stdout)

    assert (added.returncode, added.stderr) == (0, b"")
    assert answer["messages"] == [message]
    assert list(answer["messages"][0]) == list(message)


def test_several_messages_come_in_together(satchel: Satchel, tmp_path: Path) -> None:
    where = ("--store", str(tmp_path), "--session", "s")
    messages = [{"role": "user", "content": str(at)} for at in range(3)]

    good = satchel("session", "add", *where, "--format", "json", stdin=json.dumps(messages).encode())
    bad = satchel("session", "add", *where, stdin=json.dumps([*messages, {"role": "x"}]).encode())

    assert len(json.loads(good.stdout)["added"]) == 3
    assert bad.returncode == 2
    assert json.loads(satchel("session", "show", *where, "--format", "json").stdout)["count"] == 3


@pytest.mark.parametrize(
    ("stdin", "line"),
    [
        (b"", "stdin is empty"),
        (b"{", "is not JSON"),
        (b"[]", "empty list"),
        (b"3", "a message is a JSON object"),
        (b"{}", "needs a role"),
        (b'{"role": "pirate", "content": "x"}', "no role is called 'pirate'"),
        (b'{"role": "user"}', 'has no "content"'),
        (b'{"role": "user", "content": 1e999}', "not a number"),
        (b'{"role": "user", "content": "x", "n": NaN}', "can't be kept as JSON"),
        (b'{"role": "user", "content": "\xff"}', "is not JSON"),
        (b"[" * 100_000, "is nested too deeply"),
        (b'{"role": "user", "content": "x", "n": ' + b"9" * 9_000 + b"}", "is not JSON"),
    ],
)
def test_what_is_no_message_is_one_line(satchel: Satchel, tmp_path: Path, stdin: bytes, line: str) -> None:
    ended = satchel("session", "add", "--store", str(tmp_path), "--session", "s", stdin=stdin)

    text = ended.stderr.decode()
    assert (ended.returncode, ended.stdout, text.count("\n")) == (2, b"", 1)
    assert text.startswith("satchel: ")
    assert line in text


@pytest.mark.parametrize(
    ("argv", "code", "line"),
    [
        (["undo", "--to", "nowhere"], 1, "no checkpoint is called 'nowhere'"),
        (["switch", "nowhere"], 1, "no branch is called 'nowhere'; there are main"),
        (["redo"], 1, "nothing to redo"),
        (["restore"], 1, "has no snapshot"),
        (["restore", "--rebuild"], 2, "--rebuild makes the whole store anew"),
        (["tangent", "--back"], 1, "is not a tangent"),
        (["tangent", "x", "--back"], 2, "takes no name"),
        (["branch", "--at", "x"], 2, "--at needs the name"),
        (["undo", "--steps", "x"], 2, "expected a whole number"),
        (["show", "--last", "-1"], 2, "--last"),
        (["show", "--branch", "x"], 1, "no branch is called 'x'"),
        (["add", "--text", "x"], 2, "--text needs --role"),
        (["add", "--role", "pirate", "--text", "x"], 2, "--role: 'pirate' is not one of "),
        (["add", "--role", "user", "--text", "x", "--usage", "[]"], 2, "--usage takes a JSON object"),
        (["new"], 1, "already exists"),
        (["import", "nowhere.jsonl"], 1, "nowhere.jsonl: the conversation can't be read"),
        (["snapshot", "--keep", "0"], 2, "expected a whole number"),
        (["ad"], 2, "SUBCOMMAND: 'ad' is unknown, did you mean add?"),
        (["frobnicate"], 2, "SUBCOMMAND: 'frobnicate' is not one of new, "),
        (["undo", "--setps", "2"], 2, "did you mean --steps?"),
    ],
)
def test_what_can_not_be_done_is_one_line(session: Any, argv: list[str], code: int, line: str) -> None:
    add(session, "a")

    ended, out, err = session(*argv)

    assert (ended, out, err.count("\n")) == (code, "", 1)
    assert line in err
    assert len(shown(session)["messages"]) == 1


def test_history_on_the_command_line(session: Any) -> None:
    ids = add(session, "a", "b", "c", "d")
    assert session("checkpoint", "here")[1] == "here\n"
    taken = "  user: c\n  assistant: d\n"
    assert session("undo")[1] == f"undone, 2 messages on branch main now:\n{taken}"
    assert session("redo")[1] == f"redone, 4 messages on branch main now:\n{taken}"
    session("undo")
    assert json.loads(session("redo", "--format", "json")[1])["after"] == ids[3]
    assert session("undo", "--to", ids[0])[0] == 0
    assert session("branch", "other", "--at", "here")[1] == "now on branch other, 4 messages\n"
    assert session("branch")[1] == "  main  1 message\n* other  4 messages\n"
    assert session("switch", "main")[0] == 0
    assert session("tangent")[1] == "now on branch tangent-1, 1 message\n"
    assert session("tangent", "--back", "--keep", "last-pair")[1] == "now on branch main, 1 message\n"
    assert session("checkpoint", "--list")[1] == "here\n"
    assert len(json.loads(session("log", "--format", "json")[1])["moves"]) == 9
    assert len(shown(session, "--branch", "other")["messages"]) == 4


def test_the_log_names_what_was_left(session: Any) -> None:
    left = add(session, "a", "b", "c")[2]
    session("undo")
    add(session, "d")

    assert f"undo on main: {left} -> " in session("log")[1]


def test_snapshots_on_the_command_line(session: Any) -> None:
    add(session, "a")
    assert session("snapshot", "--reason", "why")[1].startswith("000001  1 message  ")
    add(session, "b")
    taken = json.loads(session("snapshot", "--keep", "2", "--format", "json")[1])["snapshots"][0]
    Path(taken["path"]).write_bytes(b"junk")

    code, out, err = session("restore")

    assert (code, out) == (0, "restored from snapshot 000001: 1 message\n")
    assert err == "satchel: problem: snapshot 000002.jsonl.gz: it is damaged; the one before it is used\n"
    assert "damaged" in session("snapshot", "--list")[1].splitlines()[0]


def test_events_of_snapshots_go_to_a_file(session: Any, tmp_path: Path) -> None:
    add(session, "a")
    for sub in ("snapshot", "restore"):
        assert session(sub, "--events", str(tmp_path / "events.jsonl"))[0] == 0

    lines = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text("utf-8").splitlines()]
    assert [(one["event"], one["snapshot"]) for one in lines] == [
        ("SnapshotTaken", "000001"),
        ("SnapshotRestored", "000001"),
    ]
    assert session("snapshot", "--events", str(tmp_path / "no" / "file"))[0] == 2


def test_the_number_of_snapshots_comes_from_the_configuration(session: Any, tmp_path: Path) -> None:
    (tmp_path / "satchel.toml").write_text("snapshots = 1\n", "utf-8")
    add(session, "a")
    for _ in range(3):
        session("snapshot", "--root", str(tmp_path))

    assert session("snapshot", "--list")[1].count("\n") == 1


def test_a_store_that_can_not_be_read_is_made_anew(session: Any, tmp_path: Path, capfd: Capture) -> None:
    add(session, "a", "b")
    session("snapshot")
    before = session("export")[1]
    (tmp_path / "sessions.sqlite").write_bytes(b"junk" * 4_000)

    code, out, err = session("show")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "restore --rebuild" in err
    assert run(["session", "restore", "--rebuild", "--store", str(tmp_path)]) == 0
    capfd.readouterr()

    assert session("export")[1] == before


def test_export_goes_through_a_pipe_into_another_store(satchel: Satchel, tmp_path: Path) -> None:
    where = ("--store", str(tmp_path), "--session", "s")
    for text in "ab":
        satchel("session", "add", *where, "--role", "user", "--text", text)
    lines = satchel("session", "export", *where).stdout

    came = satchel("session", "import", "--store", str(tmp_path / "there"), stdin=lines)
    cut = satchel("session", "import", "--store", str(tmp_path / "else"), stdin=lines[:-30])

    assert came.stdout == b"imported 2 nodes into session s\n"
    assert satchel("session", "export", "--store", str(tmp_path / "there")).stdout == lines
    assert cut.returncode == 1
    assert b"nothing was imported" in cut.stderr


@pytest.mark.costly
@pytest.mark.parametrize(
    ("document", "roles"),
    [
        (
            [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "yes"}],
            ["user", "assistant"],
        ),
        ({"system": "Be brief.", "messages": [{"role": "user", "content": "hello"}]}, ["system", "user"]),
        ({"instructions": "Be brief.", "input": "hello"}, ["system", "user"]),
    ],
)
def test_import_reads_messages_in_any_shape_that_compact_takes(
    satchel: Satchel, tmp_path: Path, document: object, roles: list[str]
) -> None:
    given = json.dumps(document).encode()
    store, root = ("--store", str(tmp_path / "store")), ("--root", str(tmp_path))

    came = satchel("session", "import", "--session", "talk", *store, *root, stdin=given)
    shown = satchel("session", "show", "--format", "json", *store, *root)
    window = satchel("session", "window", *store, "--format", "openai", "--budget", "4000", *root)

    assert came.returncode == 0, came.stderr
    assert [one["role"] for one in json.loads(shown.stdout)["messages"]] == roles
    assert b"hello" in window.stdout
    assert (b"Be brief." in window.stdout) == ("system" in roles)


def test_import_says_what_it_takes_where_json_holds_no_messages(satchel: Satchel, tmp_path: Path) -> None:
    came = satchel("session", "import", "--store", str(tmp_path / "store"), stdin=b'{"rows": []}')

    assert came.returncode == 1
    assert b"is not an export, an agent's session file, or messages" in came.stderr
    assert b"nothing was imported" in came.stderr


def test_nothing_damaged_is_printed(session: Any, tmp_path: Path) -> None:
    add(session, "first", "second-message")
    content = (tmp_path / "sessions.sqlite").read_bytes()
    (tmp_path / "sessions.sqlite").write_bytes(content.replace(b"second-message", b"second-massage"))

    code, out, err = session("show", "--format", "json")

    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "message 1.2." in err


@pytest.mark.weekly
def test_writers_that_race_lose_nothing(tmp_path: Path) -> None:
    def write(name: int) -> str:
        said = ["--session", "s", "--role", "user", "--text", str(name)]
        done = run_satchel(["session", "add", "--store", str(tmp_path), *said], given="", check=True)
        return str(done.stdout.strip())

    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(write, range(8)))

    show = ["session", "show", "--store", str(tmp_path), "--format", "json"]
    answer = json.loads(run_satchel(show, check=True).stdout)
    assert {
        m["content"]: one["id"] for m, one in zip(answer["messages"], answer["metadata"], strict=True)
    } == {str(name): id_ for name, id_ in enumerate(ids)}


def test_each_project_has_a_store_of_its_own(tmp_path: Path, capfd: Capture) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        where = ["--root", str(tmp_path / name), "--session", "s"]
        assert run(["session", "add", *where, "--role", "user", "--text", name]) == 0
    capfd.readouterr()

    run(["session", "list", "--root", str(tmp_path / "one")])

    assert capfd.readouterr().out == "s  1 message, on branch main\n"
    assert list((tmp_path / "one").iterdir()) == []


def test_the_only_session_needs_no_name(tmp_path: Path, capfd: Capture) -> None:
    where = ["--store", str(tmp_path)]
    assert run(["session", "show", *where]) == 2
    assert "no session yet" in capfd.readouterr().err
    assert run(["session", "new", *where, "--session", "a"]) == 0
    assert run(["session", "show", *where]) == 0
    assert run(["session", "new", *where, "--session", "b"]) == 0
    assert run(["session", "show", *where]) == 2
    assert "the store has 2 sessions; name one with --session: a, b" in capfd.readouterr().err


def test_adding_loads_nothing_heavy(tmp_path: Path) -> None:
    heavy = (
        "attrs",
        "cattrs",
        "asyncio",
        "git",
        "pluggy",
        "tiktoken",
        "toktok",
        "rich",
        "platformdirs",
        "secrets",
    )
    code = (
        "import sys; from satchel.cli import run; run(sys.argv[1:]); "
        f"sys.stderr.write(' '.join(name for name in {heavy} if name in sys.modules))"
    )
    argv = ["session", "add", "--store", str(tmp_path), "--session", "s", "--role", "user", "--text", "x"]

    ended = subprocess.run([sys.executable, "-c", code, *argv], capture_output=True, text=True, check=True)

    assert (ended.stderr, os.listdir(tmp_path) != []) == ("", True)


def test_nothing_is_pruned_where_it_is_not_known_what_sessions_need(satchel: Satchel, tmp_path: Path) -> None:
    where = ("--store", str(tmp_path))
    open_archive(tmp_path).put("a")
    (tmp_path / "sessions.sqlite").write_bytes(b"junk" * 2_000)

    pruned = satchel("archive", "prune", "--days", "0", *where)

    assert (pruned.returncode, pruned.stderr.count(b"\n")) == (1, 1)
    assert satchel("archive", "show", *where).stdout != b""


def test_what_a_session_points_to_is_not_pruned(satchel: Satchel, tmp_path: Path) -> None:
    where = ("--store", str(tmp_path))
    kept, _ = [open_archive(tmp_path).put(text) for text in "ab"]
    satchel("session", "add", *where, "--session", "s", "--role", "user", "--text", f"see blob:{kept[:12]}")

    pruned = satchel("archive", "prune", "--days", "0", "--size", "0", *where)

    assert pruned.stdout.startswith(b"removed 1 text,")
    assert satchel("archive", "show", *where).stdout.decode().split()[0] == f"blob:{kept[:12]}"


def test_the_log_speaks(satchel: Satchel, tmp_path: Path) -> None:
    where = ("--store", str(tmp_path / "new"), "--session", "s")
    call = {
        "id": "c",
        "type": "function",
        "function": {"name": "read_file", "arguments": '{"path": "src/app.py"}'},
    }
    for message in (
        {"role": "user", "content": [{"type": "text", "text": "look at this"}]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "a\nb\n"},
    ):
        satchel("session", "add", *where, stdin=json.dumps(message).encode())

    log = satchel("session", "log", *where).stdout.decode()
    undone = satchel("session", "undo", *where).stdout.decode()

    said = ["user: look at this", "assistant calls read_file src/app.py", "result, 2 lines: a b"]
    assert [line.partition("  ")[2] for line in log.splitlines()] == said
    assert [line.strip() for line in undone.splitlines()[1:]] == said
