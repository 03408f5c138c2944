"""`satchel session list|prune|delete` and `doctor`: what is large, what goes, what is broken."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from pathlib import Path

import pytest

from satchel import Session
from satchel.cli import run
from satchel.session import Spool, make_spooled

Capture = pytest.CaptureFixture[str]
DAY = 86_400.0


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a store with an old, a large and a new session; it is the configured one."""
    place = tmp_path / "store"
    monkeypatch.setenv("SATCHEL_STORE", str(place))
    monkeypatch.setenv("SATCHEL_STATE_DIR", str(tmp_path / "state"))
    for name, days, text in (("old", 400, "x"), ("large", 10, "y" * 5_000), ("new", 0, "z")):
        at = time.time() - days * DAY
        with Session.open(name, store=place, create=True, clock=lambda at=at: at) as session:  # type: ignore[misc]
            session.add({"role": "user", "content": text})
    return place


def names(capfd: Capture) -> list[str]:
    return [line.split()[0] for line in capfd.readouterr().out.splitlines()]


def test_sessions_are_listed_by_name_age_and_size(store: Path, capfd: Capture) -> None:
    for order, expected in (
        ("name", ["large", "new", "old"]),
        ("age", ["old", "large", "new"]),
        ("size", ["large", "new", "old"]),
    ):
        assert run(["session", "list", "--sort", order]) == 0
        assert names(capfd) == expected
    assert run(["session", "list", "--sort", "size", "--format", "json"]) == 0
    first = json.loads(capfd.readouterr().out)["sessions"][0]
    assert (first["session"], first["nodes"]) == ("large", 1)
    assert first["bytes"] > 5_000


@pytest.mark.parametrize(
    ("options", "left"),
    [
        (["--days", "30"], ["large", "new"]),
        (["--count", "1"], ["new"]),
        (["--bytes", "1000"], ["new", "old"]),
        (["--days", "30", "--dry-run"], ["large", "new", "old"]),
    ],
)
def test_what_may_stay_stays(store: Path, capfd: Capture, options: list[str], left: list[str]) -> None:
    assert run(["session", "prune", *options]) == 0
    capfd.readouterr()
    assert run(["session", "list"]) == 0
    assert names(capfd) == left


def test_the_configuration_says_what_may_stay(
    store: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(["session", "prune"]) == 2
    assert "say what to keep" in capfd.readouterr().err
    monkeypatch.setenv("SATCHEL_SESSION_DAYS", "30")
    assert run(["session", "prune", "--format", "json"]) == 0
    assert [one["session"] for one in json.loads(capfd.readouterr().out)["deleted"]] == ["old"]


def test_a_session_is_deleted_by_its_name_alone(store: Path, capfd: Capture) -> None:
    assert run(["session", "delete"]) == 2
    assert run(["session", "delete", "--session", "lrage"]) == 1
    assert "did you mean 'large'" in capfd.readouterr().err
    assert run(["session", "delete", "--session", "large"]) == 0
    assert "1 session deleted" in capfd.readouterr().out
    assert run(["session", "show", "--session", "large"]) == 1


def test_the_doctor_tells_what_is_large_and_what_is_stale(
    store: Path, tmp_path: Path, capfd: Capture
) -> None:
    assert run(["doctor", "--root", str(tmp_path)]) == 0
    out = capfd.readouterr().out
    assert "the largest: large 5." in out
    assert "not been used for a year; satchel session prune --days 365" in out


def test_the_doctor_names_a_damaged_session(store: Path, tmp_path: Path, capfd: Capture) -> None:
    with contextlib.closing(sqlite3.connect(store / "sessions.sqlite")) as connection:
        connection.execute("UPDATE nodes SET at = at + 1 WHERE session = 2")
        connection.commit()

    assert run(["doctor", "--root", str(tmp_path)]) == 1
    out = capfd.readouterr().out
    assert "bad   sessions" in out or "bad  sessions" in out
    assert "session 'large': message" in out


def test_an_address_that_nobody_knows_is_one_line_and_makes_nothing(
    tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (
        ["session", "list"],
        ["session", "add", "--session", "s", "--role", "user", "--text", "x"],
        ["archive", "show"],
        ["expand", "blob:0123456789abcdef"],
    ):
        assert run([*words, "--store", "nothere://me:pw@h/d"]) == 2
        err = capfd.readouterr().err
        assert err.startswith("satchel: nothere://me@h/d: no installed plugin keeps")
        assert err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir() if "here" in path.name] == []


def test_the_configuration_is_applied_once_a_day_with_a_line(
    store: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = ["session", "add", "--session", "new", "--role", "user", "--text", "more"]
    assert run(add) == 0
    assert "deleted" not in capfd.readouterr().err
    monkeypatch.setenv("SATCHEL_SESSION_DAYS", "30")

    assert run(add) == 0

    captured = capfd.readouterr()
    assert "satchel: deleted 1 old session of " in captured.err
    assert captured.err.rstrip().endswith("as [session] says: old")
    monkeypatch.setenv("SATCHEL_SESSION_COUNT", "1")
    assert run(add) == 0
    assert "deleted" not in capfd.readouterr().err
    assert run(["session", "list"]) == 0
    assert names(capfd) == ["large", "new"]


def test_a_reader_is_shown_what_is_new_to_it(store: Path, capfd: Capture) -> None:
    show = ["session", "show", "--session", "new", "--reader", "helper"]
    assert run(show) == 0
    assert "z" in capfd.readouterr().out
    assert run(show) == 0
    assert capfd.readouterr().out == ""
    assert run([*show, "--follow", "1"]) == 2
    assert "can't be combined" in capfd.readouterr().err


def test_a_store_on_this_machine_needs_no_spool(store: Path, capfd: Capture) -> None:
    add = ["session", "add", "--session", "new", "--role", "user", "--text", "more", "--spool"]

    assert run(add) == 0

    assert not (store.parent / "state" / "spool").exists()
    assert run(["session", "replay", "--session", "new"]) == 0
    assert capfd.readouterr().out.endswith("0 messages sent\n")
    assert run(["session", "replay"]) == 2


def test_doctor_tells_what_waits_for_a_server(store: Path, capfd: Capture) -> None:
    run(["doctor"])
    assert "wait in" not in capfd.readouterr().out
    spool = Spool.of("fix", "postgresql://db.example/team")
    spool.keep(make_spooled([{"role": "user", "content": "one"}, {"role": "user", "content": "two"}], 0.0))

    run(["doctor"])

    assert f"2 messages wait in {spool.path}; satchel session replay sends them" in capfd.readouterr().out
    spool.path.write_text("nonsense\n")
    assert run(["doctor"]) != 0
    assert "is not what satchel wrote" in capfd.readouterr().out
