"""`satchel report` as a process: pages of packs, messages, sessions and outputs, and what it refuses."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from .conftest import Satchel

MESSAGES = [
    {"role": "user", "content": "fix the login <script>alert(1)</script>"},
    {"role": "assistant", "content": "done"},
]


def test_a_pack_becomes_a_page(satchel: Satchel, shop: Path, tmp_path: Path) -> None:
    page = tmp_path / "window.html"
    pack = satchel("pack", "fix the login", "--root", str(shop), "--format", "json")

    done = satchel("report", str(page), "--root", str(shop), stdin=pack.stdout)

    text = page.read_text(encoding="utf-8")
    assert (done.returncode, done.stdout) == (0, b"")
    assert f"{json.loads(pack.stdout)['tokens']:,} of 16,000 tokens".encode() in done.stderr
    assert "src/app.py" in text
    assert text.startswith("<!doctype html>")
    assert stat.S_IMODE(page.stat().st_mode) == 0o600


def test_messages_and_a_squeezed_output_become_pages(satchel: Satchel, tmp_path: Path) -> None:
    (tmp_path / "chat.json").write_text(json.dumps(MESSAGES), encoding="utf-8")
    squeezed = satchel(
        "squeeze", "--format", "json", "--budget", "60", stdin=b"line\n" * 200 + b"error: it broke\n"
    )

    first = satchel("report", "a.html", "chat.json", "--window", "8k", cwd=tmp_path)
    second = satchel("report", "b.html", "-", stdin=squeezed.stdout, cwd=tmp_path)

    assert (first.returncode, second.returncode) == (0, 0)
    assert "<script>" not in (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "it broke" in (tmp_path / "b.html").read_text(encoding="utf-8")


def test_a_session_becomes_a_page(satchel: Satchel, tmp_path: Path) -> None:
    place = ("--store", str(tmp_path / "store"), "--root", str(tmp_path))
    satchel("session", "new", "--session", "fix", *place)
    satchel("session", "add", "--session", "fix", "--role", "user", "--text", "fix the login", *place)

    done = satchel("report", str(tmp_path / "s.html"), "fix", *place)

    assert done.returncode == 0
    assert "Session fix" in (tmp_path / "s.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        (("chat.json",), 2, b"name the page to write first, like satchel report window.html chat.json"),
        (("a.html", "gone.json"), 1, b"gone.json: the input can't be read: No such file or directory"),
        (("a.html", "gone"), 1, b"satchel: gone: no such file or session: "),
        (("a.html", "chat.json", "--window", "much"), 2, b"--window: expected a number of tokens"),
        (("gone/a.html", "other.json"), 2, b"gone/a.html: there is no folder gone"),
        (("a.html", "other.json"), 1, b"other.json: expected the JSON of a pack"),
    ],
)
def test_what_can_t_be_done_is_one_line(
    satchel: Satchel, tmp_path: Path, argv: tuple[str, ...], code: int, said: bytes
) -> None:
    (tmp_path / "chat.json").write_text(json.dumps(MESSAGES), encoding="utf-8")
    (tmp_path / "other.json").write_text('{"a": 1}', encoding="utf-8")

    done = satchel("report", *argv, cwd=tmp_path)

    assert done.returncode == code
    assert said in done.stderr
    assert done.stderr.count(b"\n") == 1
    assert not (tmp_path / "a.html").exists()
    assert json.loads((tmp_path / "chat.json").read_text(encoding="utf-8")) == MESSAGES
