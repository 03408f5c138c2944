"""The line for prompts: at once, marked where it is an estimate, and counted exactly for the next time."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.processes import run_satchel
from tests.vocabularies import lend_cache

from satchel.showing.line_memo import LineCount, ask, estimate_count, format_line

Show = Callable[..., str]
COUNT = LineCount(1_000, 8_000, (("files", 600), ("dialog", 400)))


def record(number: int, text: str) -> str:
    return json.dumps(
        {
            "type": "assistant" if number % 2 else "user",
            "uuid": f"u{number}",
            "parentUuid": f"u{number - 1}" if number else None,
            "sessionId": "s",
            "cwd": "/shop",
            "message": {"role": "assistant" if number % 2 else "user", "content": text},
        }
    )


def write(file: Path, numbers: range, text: str = "the login is refused after three tries ") -> None:
    with file.open("a", encoding="utf-8") as stream:
        stream.writelines(f"{record(number, f'{number} {text * 40}')}\n" for number in numbers)


@pytest.fixture
def show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Show:
    """Run `satchel show` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("CACHE", "STATE"):
        monkeypatch.setenv(f"SATCHEL_{name}_DIR", str(tmp_path / name.lower()))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    lend_cache(tmp_path / "cache")

    def run(*words: str, given: str = "") -> str:
        ran = run_satchel(["show", *words], given=given, check=True)
        assert ran.stderr == ""
        return str(ran.stdout)

    return run


@pytest.fixture
def session(tmp_path: Path) -> Path:
    file = tmp_path / "talk.jsonl"
    write(file, range(10))
    return file


def wait_for_exact(show: Show, *words: str) -> str:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        line = show(*words)
        if "~" not in line and not line.startswith("counting"):
            return line
        time.sleep(0.1)
    raise AssertionError(f"still estimated: {line}")


@given(st.integers(1, 10**6), st.integers(1, 10**7), st.floats(0.01, 1), st.binary(), st.binary())
def test_more_bytes_are_never_fewer_tokens_and_none_are_none(
    tokens: int, size: int, share: float, first: bytes, second: bytes
) -> None:
    known = LineCount(tokens, 200_000, (("dialog", tokens),), share)

    none = estimate_count(known, size=size, appended=b"")
    some = estimate_count(known, size=size, appended=first)
    more = estimate_count(known, size=size, appended=first + second)

    assert none == known
    assert known.tokens <= some.tokens <= more.tokens


def test_what_came_before_a_compaction_does_not_make_new_bytes_cheap() -> None:
    whole = estimate_count(COUNT, size=10_000, appended=b"x " * 500)
    half = estimate_count(COUNT._replace(share=0.5), size=10_000, appended=b"x " * 500)

    assert whole.tokens - COUNT.tokens == 100
    assert half.tokens - COUNT.tokens == 200


def test_a_picture_is_not_estimated_by_its_length() -> None:
    shown = estimate_count(COUNT, size=4_000, appended=b'{"data": "' + b"iVBORw0KGgo" * 100_000 + b'"}')

    assert shown.tokens - COUNT.tokens < 2_000


def test_an_estimate_is_marked_in_both_of_its_numbers() -> None:
    assert format_line(COUNT) == "12% | files 60 dialog 40 | 7k free\n"
    assert format_line(COUNT, is_estimated=True) == "~12% | files 60 dialog 40 | ~7k free\n"


def test_a_file_that_has_grown_is_estimated_and_counted_for_the_next_time(show: Show, session: Path) -> None:
    first = show("talk.jsonl", "--line", "--window", "9k")
    write(session, range(10, 20))

    estimated = show("talk.jsonl", "--line", "--window", "9k")
    exact = wait_for_exact(show, "talk.jsonl", "--line", "--window", "9k")

    whole = json.loads(show("talk.jsonl", "--format", "json", "--window", "9k"))
    assert "~" not in first
    assert estimated.startswith("~")
    assert " | ~" in estimated
    assert exact.startswith(f"{whole['tokens'] / 9_000:.0%} | ")
    assert abs(int(estimated[1:].split("%")[0]) - int(exact.split("%")[0])) <= 3


@pytest.mark.weekly
def test_exact_counts_what_has_grown_and_waits_for_it(show: Show, session: Path) -> None:
    show("talk.jsonl", "--line", "--window", "9k")
    write(session, range(10, 20))

    exact = show("talk.jsonl", "--line", "--exact", "--window", "9k")

    whole = json.loads(show("talk.jsonl", "--format", "json", "--window", "9k"))
    assert exact.startswith(f"{whole['tokens'] / 9_000:.0%} | ")
    assert show("talk.jsonl", "--line", "--window", "9k") == exact  # and it is kept


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("change", ["shrunk", "another session", "rewritten"])
def test_a_file_that_is_not_the_one_that_was_counted_is_counted_anew(
    show: Show, session: Path, change: str
) -> None:
    show("talk.jsonl", "--line", "--window", "9k")
    if change == "shrunk":
        session.write_text("".join(session.read_text().splitlines(keepends=True)[:4]))
    elif change == "another session":
        session.write_text("")
        write(session, range(30, 60))
    else:
        session.write_text(session.read_text().replace("9 the login", "9 the logon") + record(10, "more"))

    line = show("talk.jsonl", "--line", "--window", "9k")

    whole = json.loads(show("talk.jsonl", "--format", "json", "--window", "9k"))
    assert line.startswith(f"{whole['tokens'] / 9_000:.0%} | ")


@pytest.mark.weekly
def test_one_process_at_a_time_counts_a_file_and_nobody_waits_for_it(show: Show, session: Path) -> None:
    first = show("talk.jsonl", "--line")
    place = ask("talk.jsonl").place
    write(session, range(10, 20))
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        lines = {show("talk.jsonl", "--line") for _ in range(3)}

        kept = json.loads(place.read_text())["line"]
    assert len(lines) == 1
    assert lines.pop().startswith("~")
    assert kept == first


@pytest.mark.weekly
def test_counts_in_the_background_take_a_tenth_of_the_time_at_most(show: Show, session: Path) -> None:
    show("talk.jsonl", "--line")
    place = ask("talk.jsonl").place
    kept = json.loads(place.read_text())
    place.write_text(json.dumps({**kept, "seconds": 6}))
    lock = place.with_suffix(".lock")
    lock.write_text("\n")
    write(session, range(10, 20))

    assert show("talk.jsonl", "--line").startswith("~")
    with lock.open("r+") as free:
        fcntl.flock(free, fcntl.LOCK_EX | fcntl.LOCK_NB)  # nobody counts

    os.utime(lock, (time.time() - 61, time.time() - 61))
    assert "~" not in wait_for_exact(show, "talk.jsonl", "--line")


@pytest.mark.weekly
def test_a_large_file_is_counted_in_the_background_the_first_time_too(show: Show, tmp_path: Path) -> None:
    write(tmp_path / "large.jsonl", range(300), "the login is refused after three tries " * 5)

    first = show("large.jsonl", "--line", "--window", "1M")

    assert first == "counting 2 MB, ask again\n"
    assert wait_for_exact(show, "large.jsonl", "--line", "--window", "1M").endswith(" free\n")


@pytest.mark.weekly
def test_settings_that_changed_are_never_estimated_over(show: Show, session: Path, tmp_path: Path) -> None:
    show("talk.jsonl", "--line")
    write(session, range(10, 20))
    (tmp_path / "satchel.toml").write_text("budget = 9000\n")

    assert "~" not in show("talk.jsonl", "--line")


@pytest.mark.costly
@pytest.mark.parametrize("broken", [{"states": 1}, {"count": [1]}, {"count": None}, {"seconds": "x"}])
def test_a_kept_line_that_is_damaged_is_counted_anew(
    show: Show, session: Path, broken: dict[str, object]
) -> None:
    show("talk.jsonl", "--line")
    place = ask("talk.jsonl").place
    place.write_text(json.dumps({**json.loads(place.read_text()), **broken}))
    write(session, range(10, 20))

    assert "~" not in show("talk.jsonl", "--line")


def test_the_status_line_of_claude_code_is_of_the_session_that_it_names(show: Show, session: Path) -> None:
    told = {
        "hook_event_name": "Status",
        "transcript_path": str(session),
        "model": {"id": "claude-sonnet-4-5", "display_name": "Sonnet"},
        "context_window": {"context_window_size": 10_000},
    }

    line = show("--line", given=json.dumps(told))

    named = ("--model", "claude-sonnet-4-5", "--window", "10000")
    assert line == show(str(session), "--line", "--exact", *named)
    assert show("--line", "--window", "5k", given=json.dumps(told)) != line


def test_a_session_without_a_file_yet_has_an_empty_window(show: Show, tmp_path: Path) -> None:
    told = json.dumps({"transcript_path": str(tmp_path / "none.jsonl")})

    assert show("--line", given=told) == "0% | 200k free\n"


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("size", [1, 20_000])
def test_messages_on_stdin_are_messages_whatever_they_speak_of(show: Show, size: int) -> None:
    messages = [{"role": "user", "content": '{"transcript_path": "/etc/passwd"} ' * size}]

    assert " | dialog " in show("--line", given=json.dumps(messages))
    assert " | dialog " in show("--line", given=json.dumps({"messages": messages}))
