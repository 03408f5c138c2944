"""Tests of `satchel hook`: what Claude Code is answered, and that nothing of satchel's ever stops it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel import Bundle, pack
from satchel.agents import EVENTS, newest_prompt, read_transcript
from satchel.agents.prompts import MOST_CHARACTERS, choose_context, content_terms, length
from satchel.agents.resident import ask, socket_of, stop_all

from .conftest import Satchel


@pytest.fixture(autouse=True)
def nothing_stays(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SATCHEL_STATE_DIR", str(home / "state"))
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    yield
    stop_all()


def hook(satchel_process: Satchel, event: str, root: Path, **told: Any) -> subprocess.CompletedProcess[bytes]:
    given = {"session_id": "one", "cwd": str(root), "hook_event_name": event, **told}
    return satchel_process("hook", event, stdin=json.dumps(given).encode())


def context(ran: subprocess.CompletedProcess[bytes], event: str) -> str:
    """Return what a hook adds."""
    assert (ran.returncode, ran.stderr) == (0, b"")
    if not ran.stdout:
        return ""
    output = json.loads(ran.stdout)["hookSpecificOutput"]
    assert output["hookEventName"] == event
    return str(output["additionalContext"])


def test_a_prompt_gets_a_pack_and_small_talk_nothing(satchel_process: Satchel, shop: Path) -> None:
    about = hook(
        satchel_process, "user-prompt-submit", shop, prompt="why does login return a bool of the name?"
    )
    again = hook(
        satchel_process, "user-prompt-submit", shop, prompt="why does login return a bool of the name?"
    )
    others = [
        hook(satchel_process, "user-prompt-submit", shop, prompt=prompt)
        for prompt in ("thanks, go on", "yes", "  ", "/compact", "what is the weather in Paris?")
    ]

    assert "def login" in context(about, "UserPromptSubmit")
    assert again.stdout == b""  # it has that already
    assert [one.stdout for one in others] == [b""] * len(others)


def test_gemini_is_answered_under_its_own_name(satchel_process: Satchel, shop: Path) -> None:
    told = {
        "session_id": "g",
        "cwd": str(shop),
        "hook_event_name": "BeforeAgent",
        "prompt": "src/app.py login",
    }

    ran = satchel_process("hook", "user-prompt-submit", stdin=json.dumps(told).encode())

    assert "def login" in context(ran, "BeforeAgent")


def test_a_prompt_that_nobody_wrote_gets_nothing(satchel_process: Satchel, shop: Path) -> None:
    ran = hook(satchel_process, "user-prompt-submit", shop, prompt="the login of src/app.py", source="system")

    assert (ran.returncode, ran.stdout) == (0, b"")


def test_the_resident_process_sees_an_edit_and_ends_when_told(satchel_process: Satchel, shop: Path) -> None:
    hook(satchel_process, "user-prompt-submit", shop, prompt="src/app.py login")
    path = socket_of(shop.resolve())
    assert path is not None
    assert path.exists()
    assert path.stat().st_mode & 0o777 == 0o600
    (shop / "src/app.py").write_text("def login_with_passkey() -> None:\n    ...\n", encoding="utf-8")

    after = hook(satchel_process, "user-prompt-submit", shop, prompt="src/app.py login")
    stop_all()

    assert "login_with_passkey" in context(after, "UserPromptSubmit")
    until = time.monotonic() + 20
    while path.exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not path.exists()


@pytest.mark.weekly
def test_a_folder_that_is_gone_has_no_resident_process(tmp_path: Path) -> None:
    assert ask(tmp_path / "gone", {"prompt": "x"}, wait_seconds=20) is None


@pytest.mark.weekly
def test_without_sockets_the_hook_packs_itself(satchel_process: Satchel, shop: Path, home: Path) -> None:
    long = home / ("cache" * 20)
    told = {"session_id": "x", "cwd": str(shop), "prompt": "src/app.py login"}

    ran = satchel_process(
        "hook",
        "user-prompt-submit",
        stdin=json.dumps(told).encode(),
        env={"SATCHEL_CACHE_DIR": str(long)},
    )

    assert "def login" in context(ran, "UserPromptSubmit")
    assert not (long / "resident").exists()


def test_a_home_folder_is_not_packed(satchel_process: Satchel, shop: Path) -> None:
    told = {"session_id": "x", "cwd": str(shop), "prompt": "src/app.py login"}

    ran = satchel_process(
        "hook", "user-prompt-submit", stdin=json.dumps(told).encode(), env={"HOME": str(shop.resolve())}
    )

    assert (ran.returncode, ran.stdout) == (0, b"")


def test_a_session_starts_with_the_uncommitted_changes(satchel_process: Satchel, shop: Path) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=shop, check=True)

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "Begin")
    clean = hook(satchel_process, "session-start", shop, source="startup")
    (shop / "src/mail.py").write_text("def send_later() -> None:\n    ...\n", encoding="utf-8")

    changed = hook(satchel_process, "session-start", shop, source="startup")

    assert clean.stdout == b""
    text = context(changed, "SessionStart")
    assert "src/mail.py" in text
    assert "send_later" in text


def test_a_large_output_is_squeezed_and_a_small_one_stays(satchel_process: Satchel, shop: Path) -> None:
    lines = [f"test_{at} passed" for at in range(3000)]
    lines[1500] = "ERROR: disk is full"
    response = {"stdout": "\n".join(lines), "stderr": "", "interrupted": False, "isImage": False}
    told = {"tool_name": "Bash", "tool_input": {"command": "make"}}

    large = hook(satchel_process, "post-tool-use", shop, **told, tool_response=response)
    small = hook(satchel_process, "post-tool-use", shop, **told, tool_response={**response, "stdout": "ok"})
    own = hook(
        satchel_process, "post-tool-use", shop, tool_name="mcp__satchel__expand", tool_response="x" * 90_000
    )

    updated = json.loads(large.stdout)["hookSpecificOutput"]["updatedToolOutput"]
    assert {**updated, "stdout": ""} == {**response, "stdout": ""}
    assert "ERROR: disk is full" in updated["stdout"]
    assert len(updated["stdout"]) < 9_000
    blob = updated["stdout"].rpartition("blob:")[2][:12]
    assert b"test_7 passed" in satchel_process("expand", f"blob:{blob}:8-8").stdout
    assert small.stdout == own.stdout == b""


@pytest.mark.weekly
def test_an_output_is_squeezed_for_what_the_person_asked_last(satchel_process: Satchel, shop: Path) -> None:
    said = {"role": "user", "content": "where is the parcel weighed?"}
    row = {"type": "user", "uuid": "1", "sessionId": "s", "message": said}
    (shop / "t.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    code = [f"def step_{at}(value):\n    return value + other_{at}(value)\n" for at in range(600)]
    code[300] = "def weigh(parcel):\n    return scale(parcel)\n"
    told = {
        "tool_name": "Bash",
        "tool_input": {"command": "cat src/steps.py"},
        "tool_response": {"stdout": "\n".join(code)},
    }

    asked = hook(satchel_process, "post-tool-use", shop, **told, transcript_path=str(shop / "t.jsonl"))
    plain = hook(satchel_process, "post-tool-use", shop, **told, transcript_path=str(shop / "gone.jsonl"))

    assert b"def weigh(parcel)" in asked.stdout
    assert b"def weigh(parcel)" not in plain.stdout
    assert plain.stdout


@pytest.mark.weekly
def test_an_output_that_claude_code_cut_is_read_whole_and_images_stay(
    satchel_process: Satchel, shop: Path
) -> None:
    whole = "\n".join([*(f"line {at}" for at in range(9_000)), "FAILED at the end"])
    (shop / "whole.txt").write_text(whole, encoding="utf-8")
    response = {"stdout": whole[:30_000], "persistedOutputPath": str(shop / "whole.txt")}
    image = {"stdout": "A" * 50_000, "isImage": True}

    cut = hook(satchel_process, "post-tool-use", shop, tool_name="Bash", tool_response=response)
    picture = hook(satchel_process, "post-tool-use", shop, tool_name="Bash", tool_response=image)

    assert "FAILED at the end" in cut.stdout.decode()
    assert picture.stdout == b""


def transcript(path: Path) -> Path:
    call = {"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "ls"}}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "app.py"}]}
    said: list[tuple[str, Any]] = [
        ("user", "fix the login"),
        ("assistant", [{"type": "text", "text": "I look."}]),
        ("assistant", [call]),
        ("user", [result]),
        ("user", "key ghp_" + "a1B2" * 9),
    ]
    rows: list[dict[str, Any]] = [
        {
            "type": role,
            "uuid": f"{at}",
            "parentUuid": f"{at - 1}",
            "message": {"role": role, "content": content},
        }
        for at, (role, content) in enumerate(said)
    ]
    rows[1:1] = [
        {"type": "summary", "summary": "not a message"},
        {"type": "user", "uuid": "9", "isSidechain": True, "message": {"role": "user", "content": "aside"}},
        rows[0],
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"half', encoding="utf-8")
    return path


def test_a_transcript_is_read_by_lines(tmp_path: Path) -> None:
    text, prompts = read_transcript(transcript(tmp_path / "t.jsonl"))

    lines = text.splitlines()
    assert [lines[at - 1] for at, _ in prompts] == ["## user", "## user"]
    assert prompts[0] == (1, "fix the login")
    assert 'calls Bash: {"command": "ls"}' in lines
    assert "app.py" in lines
    assert "aside" not in text
    assert text.count("fix the login") == 1


def test_of_a_long_transcript_the_end_is_read(tmp_path: Path) -> None:
    path = transcript(tmp_path / "t.jsonl")
    rows = (
        path.read_text(encoding="utf-8").partition("\n")[0].replace("fix the login", "x" * 1_500_000) + "\n"
    )
    path.write_text(rows * 2 + path.read_text(encoding="utf-8"), encoding="utf-8")

    assert newest_prompt(path).startswith("key ghp_")


@pytest.mark.weekly
def test_after_a_compaction_a_note_leads_to_what_was_said(satchel_process: Satchel, shop: Path) -> None:
    path = transcript(shop / "t.jsonl")

    before = hook(satchel_process, "pre-compact", shop, transcript_path=str(path), trigger="auto")
    note = context(hook(satchel_process, "session-start", shop, source="compact"), "SessionStart")
    other = hook(satchel_process, "session-start", shop, source="compact", session_id="another")

    assert before.stdout == other.stdout == b""
    assert "fix the login" in note
    assert "ghp_" not in note
    pointer = note[note.index("blob:") :].split(",")[0]
    told = satchel_process("expand", pointer).stdout.decode()
    assert "I look." in told
    assert "ghp_" not in told


@pytest.mark.parametrize("event", [*EVENTS, "nonsense"])
@pytest.mark.parametrize(
    "stdin", [b"", b"{", b"[]", b'{"cwd": 7}', b"\xff\x00", b'{"transcript_path": "/nowhere"}']
)
def test_nothing_stops_the_agent(satchel_process: Satchel, tmp_path: Path, event: str, stdin: bytes) -> None:
    ran = satchel_process("hook", event, stdin=stdin, cwd=tmp_path)

    assert (ran.returncode, ran.stdout) == (0, b"")
    assert ran.stderr.count(b"\n") <= 1


def test_a_broken_configuration_does_not_stop_the_agent(satchel_process: Satchel, shop: Path) -> None:
    (shop / "satchel.toml").write_text("budget = [", encoding="utf-8")

    ran = hook(satchel_process, "user-prompt-submit", shop, prompt="src/app.py login")

    assert (ran.returncode, ran.stdout) == (0, b"")


WORDS = st.text("a1é😀\n ", min_size=1, max_size=30)


@given(prompt=WORDS, most=st.integers(150, 3_000), repeat=st.integers(1, 400))
def test_what_is_added_is_never_longer_than_shown(
    prompt: str, most: int, repeat: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("wide")
    (root / "wide.py").write_text(f"# {'😀 wide word ' * repeat}\n" * 4, encoding="utf-8")

    def pack_here(task: str, budget: int) -> Bundle:
        return pack(task, root, budget=budget)

    text = choose_context(f"wide.py {prompt}", pack_here, most=most)

    assert length(text) <= most <= MOST_CHARACTERS


def test_terms_of_a_prompt_leave_out_small_talk() -> None:
    assert content_terms("Thanks, please go on and fix it") == set()
    assert content_terms("rename the option parsers") == {"rename", "option", "parser"}


def test_the_hook_of_an_older_satchel_would_not_stop_the_agent() -> None:
    from satchel.agents import ClientPlace, files_of

    place = ClientPlace(
        "user", Path("/nowhere"), (sys.executable, "-c", "import sys; sys.exit(2)"), ("hooks",), os.environ
    )
    settings = next(file for file in files_of("claude-code", place) if file.path.name == "settings.json")
    commands = [entry.value["hooks"][0]["command"] for entry in settings.entries]

    assert commands
    assert [subprocess.run(["sh", "-c", one], check=False).returncode for one in commands] == [0] * len(
        commands
    )


def test_a_conversation_that_is_gone_is_named_as_all_commands_name_files(
    satchel_process: Satchel, shop: Path
) -> None:
    ran = hook(satchel_process, "pre-compact", shop, transcript_path=str(shop / "gone.jsonl"), trigger="auto")

    assert (ran.returncode, ran.stdout) == (0, b"")
    assert ran.stderr.decode() == f"satchel: {shop / 'gone.jsonl'}: No such file or directory\n"
