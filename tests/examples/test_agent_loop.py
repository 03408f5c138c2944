"""The example agent: its story runs, and says what it should."""

from __future__ import annotations

import json
import runpy
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from tests.processes import run_satchel

LOOP = Path(__file__).parents[2] / "examples/agent_loop.py"


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return what the example prints."""
    folder = tmp_path_factory.mktemp("agent")
    environment = {"PATH": "/usr/bin:/bin", "SATCHEL_STATE_DIR": str(folder / "state"), "HOME": str(folder)}
    code = "import runpy, sys; del sys.argv[0]; runpy.run_path(sys.argv[0], run_name='__main__')"
    done = run_satchel([str(LOOP)], code=code, given="", env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.weekly
def test_a_failing_test_is_seen_and_mended(story: str) -> None:
    assert story.index("run_tests: Traceback") < story.index("agent: Fixed: 1 passed.")


@pytest.mark.weekly
def test_a_turn_is_undone_with_its_files(story: str) -> None:
    assert "undone: the last turn, 6 messages; the files are as they were" in story


@pytest.mark.weekly
def test_the_dialogue_is_compacted(story: str) -> None:
    assert "(compacted: " in story


@pytest.mark.weekly
def test_after_a_restart_the_agent_knows_what_was_done(story: str) -> None:
    _, _, after = story.partition("(the program ends, and is started again)")

    assert "agent: From the ledger: Files edited: cart.py" in after
    assert "29 messages kept" in after


class _Endpoint(BaseHTTPRequestHandler):
    """An endpoint that says hello."""

    def do_POST(self) -> None:
        """Answer any request."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert asked["tools"]
        content = json.dumps({"choices": [{"message": {"role": "assistant", "content": asked["model"]}}]})
        self.send_response(200)
        self.end_headers()
        self.wfile.write(content.encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the name of the base class)
        """Say nothing."""


def test_any_compatible_endpoint_can_answer(capsys: pytest.CaptureFixture[str]) -> None:
    served = runpy.run_path(str(LOOP))["served"]
    with HTTPServer(("127.0.0.1", 0), _Endpoint) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        answer = served(f"http://127.0.0.1:{server.server_port}/v1", "tiny", "key")([])
        thread.join()

    assert answer == {"role": "assistant", "content": "tiny"}


def test_an_endpoint_that_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    main = runpy.run_path(str(LOOP))["main"]

    assert main(["--url", "http://127.0.0.1:9/v1"]) == 1
    assert capsys.readouterr().err.startswith("can't go on: ")
