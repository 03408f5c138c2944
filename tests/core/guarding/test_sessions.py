"""A guard of a session: it compacts, and saves before it clears."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from satchel import Session, WindowOptions
from satchel.cli import run
from satchel.events import GuardActed, GuardRefused, PressureChanged
from satchel.guarding import Guard, Reading
from satchel.guarding.acting import actions_for


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """Return a session with much talk."""
    with Session.open("s", store=tmp_path / "store", create=True) as opened:
        for turn in range(30):
            opened.add({"role": "user", "content": f"request {turn}: {'word ' * 60}"})
            opened.add({"role": "assistant", "content": f"answer {turn}"})
        yield opened


def guard(session: Session, folder: Path) -> Guard:
    """Return a guard that acts on the session."""
    (folder / "work").mkdir(exist_ok=True)
    options = WindowOptions(root=folder / "work", store=folder / "store")
    return Guard(actions=actions_for(session, options, task="go on"))


def test_the_first_level_compacts_the_session(session: Session, tmp_path: Path) -> None:
    changed, acted = guard(session, tmp_path).observe(Reading(1_650, 2_000))

    assert isinstance(changed, PressureChanged)
    assert isinstance(acted, GuardActed)
    assert (acted.action, acted.after <= 1_200) == ("compact", True)
    assert session.count("compaction") == 1


def test_an_emergency_saves_the_session_before_anything_goes(session: Session, tmp_path: Path) -> None:
    _, acted = guard(session, tmp_path).observe(Reading(1_950, 2_000))

    assert isinstance(acted, GuardActed)
    assert acted.action == "keep promised parts"
    (saved,) = session.snapshots()
    assert (saved.reason, saved.damage) == ("emergency", "")
    assert session.restore().snapshot.id == saved.id
    assert session.count("compaction") == 0


def test_where_it_can_not_be_saved_nothing_goes(session: Session, tmp_path: Path) -> None:
    (session.folder / "snapshots").write_text("in the way")

    _, refused = guard(session, tmp_path).observe(Reading(1_950, 2_000))

    assert isinstance(refused, GuardRefused)
    assert "nothing was cleared" in refused.reason
    assert session.count("compaction") == 0


class _Slots(BaseHTTPRequestHandler):
    """A llama-server whose only slot is nearly full."""

    def do_GET(self) -> None:
        """Answer with the slot."""
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps([{"n_ctx": 2_000, "n_past": 1_950}]).encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_the_command_guards_a_session(
    session: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Slots) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        words = ["--window", f"http://127.0.0.1:{server.server_port}", "--rounds", "1", "--session", "s"]
        code = run(["guard", *words, "--store", str(session.folder), "--root", str(tmp_path)])
        server.shutdown()

    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    acted = [one for one in told if one["event"] == "GuardActed"]
    assert code == 0
    assert [one["action"] for one in acted if one["gauge"] == "cells"] == ["keep promised parts"]
    assert session.count("compaction") == 1
    assert [one.reason for one in session.snapshots()] == ["emergency"]
