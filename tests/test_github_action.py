"""The GitHub Action's comment: written once, replaced later, and no text of a pack gets out of its frame."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ACTION = Path(__file__).parents[1] / "contrib/github-action"


class GitHub:
    """An API of comments on loopback; `refuses` answers 403 to what writes, `broken` 500 to all."""

    def __init__(self) -> None:
        self.comments: list[dict[str, Any]] = []
        self.refuses = self.broken = False
        self.tokens: set[str | None] = set()


@pytest.fixture
def github(monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHub]:
    state = GitHub()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            if state.broken:
                self._answer(500, {})
                return
            page = int(self.path.rpartition("page=")[2])
            self._answer(200, state.comments[(page - 1) * 100 : page * 100])

        def do_POST(self) -> None:
            self._write(None)

        def do_PATCH(self) -> None:
            self._write(int(self.path.rpartition("/")[2]))

        def _write(self, at: int | None) -> None:
            told = json.loads(self.rfile.read(int(self.headers["content-length"])))
            state.tokens.add(self.headers["authorization"])
            if state.refuses:
                self._answer(403, {})
                return
            if at is None:
                at = len(state.comments)
                state.comments.append({})
            state.comments[at] = {**told, "url": f"http://{self.headers['host']}/comments/{at}"}
            self._answer(200, state.comments[at])

        def _answer(self, code: int, told: Any) -> None:
            content = json.dumps(told).encode()
            self.send_response(code)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("GITHUB_API_URL", f"http://127.0.0.1:{server.server_address[1]}")
    monkeypatch.setenv("GITHUB_REPOSITORY", "some/body")
    monkeypatch.setenv("GITHUB_TOKEN", "made-up")
    monkeypatch.setenv("PULL_REQUEST", "7")
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


def comment(pack: str, folder: Path) -> str:
    ran = run(pack, folder)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def run(pack: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "pack.md").write_text(pack, "utf-8")
    return subprocess.run(
        [sys.executable, "-P", str(ACTION / "comment.py"), str(folder / "pack.md")],
        capture_output=True,
        text=True,
        env={**os.environ, "NO_PROXY": "127.0.0.1"},
        timeout=60,
        check=False,
    )


def test_a_comment_is_replaced_by_the_next(github: GitHub, tmp_path: Path) -> None:
    github.comments += [{"body": "of somebody", "url": f"x/{at}"} for at in range(120)]

    comment("the first pack\n", tmp_path)
    comment("the second pack\n", tmp_path)

    assert len(github.comments) == 121
    assert "the second pack" in github.comments[-1]["body"]
    assert github.tokens == {"Bearer made-up"}


def test_a_pack_stays_in_its_frame_and_fits(github: GitHub, tmp_path: Path) -> None:
    comment("```text\n</details>\n`````\n@somebody\n" + "word " * 20_000, tmp_path)

    body = github.comments[0]["body"]
    fence = re.findall(r"^(`{3,})text$", body, re.MULTILINE)[0]
    inside = body.partition(f"{fence}text\n")[2].partition(f"\n{fence}")
    assert len(fence) > 5
    assert "@somebody" in inside[0]
    assert "no more room" in inside[2]
    assert len(body) < 65_536


@pytest.mark.weekly
def test_where_it_may_not_comment_the_pack_is_in_the_log(github: GitHub, tmp_path: Path) -> None:
    github.refuses = True

    assert "the only pack" in comment("the only pack\n", tmp_path)


@pytest.mark.costly
@pytest.mark.parametrize(
    ("path", "reason"), [("", "can't be reached"), ("/elsewhere", "GitHub refused the comment")]
)
def test_what_stops_a_comment_is_one_line(
    path: str, reason: str, github: GitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(
        "GITHUB_API_URL", f"{os.environ['GITHUB_API_URL']}{path}" if path else "http://127.0.0.1:9"
    )
    github.broken = True

    ran = run("a pack\n", tmp_path)

    assert (ran.returncode, ran.stderr) == (1, "")
    assert ran.stdout.startswith("::error::")
    assert reason in ran.stdout


def test_nothing_of_a_pull_request_stands_in_a_script() -> None:
    scripts = re.findall(
        r"^      run: (.*?)(?=^      \w|^    - |\Z)", (ACTION / "action.yml").read_text(), re.M | re.S
    )

    assert len(scripts) == 3
    assert all("${{" not in script for script in scripts)
