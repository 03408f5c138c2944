"""Windows of servers that run on this machine's loopback."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from satchel import UsageError
from satchel.cli import run
from satchel.events import PluginFailed, PressureChanged
from satchel.guarding import Guard, Reading, poll, truncation
from satchel.guarding.gauges import cells
from satchel.sizing import ServerError

Serve = Callable[[dict[str, object]], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Return a function that starts a server with these answers by path; None there is 501."""
    started: list[ThreadingHTTPServer] = []

    def start(answers: dict[str, object]) -> str:
        class Answering(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                answer = answers.get(self.path)
                body = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
                self.send_response(501 if answer is None else 200)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                return None

        server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
        started.append(server)
        Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in started:
        server.shutdown()
        server.server_close()


def test_the_fullest_slot_counts(serve: Serve) -> None:
    url = serve({"/slots": [{"n_ctx": 4096, "n_past": 100}, {"n_ctx": 4096, "n_past": 4000}]})

    assert cells(url)[:2] == (4000, 4096)


def test_newer_servers_tell_prompt_and_decoded_tokens(serve: Serve) -> None:
    slot = {"n_ctx": 8192, "n_prompt_tokens": 3000, "next_token": [{"n_decoded": 50}]}

    assert cells(serve({"/slots": [slot]}) + "/")[:2] == (3050, 8192)


def test_without_slots_the_window_is_known_and_the_cells_are_not(serve: Serve) -> None:
    url = serve({"/props": {"default_generation_settings": {"n_ctx": 2048}, "total_slots": 1}})

    assert cells(url)[:2] == (None, 2048)


@pytest.mark.parametrize("answer", ["<html>", "[" * 100_000, '{"a": 1}', "null"])
def test_an_answer_that_is_not_understood_is_one_line(serve: Serve, answer: str) -> None:
    url = serve({"/slots": answer, "/props": answer})

    with pytest.raises(ServerError) as raised:
        cells(url)
    assert "\n" not in str(raised.value)
    assert url in str(raised.value)


def test_ollama_tells_the_window_alone(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    model = {"name": "qwen3:latest", "context_length": 40960, "size_vram": 1}
    monkeypatch.setenv("OLLAMA_HOST", serve({"/api/ps": {"models": [model]}}))

    assert cells("ollama:qwen3")[:2] == (None, 40960)
    with pytest.raises(ServerError, match="not loaded"):
        cells("ollama:gemma3")


@pytest.mark.parametrize("window", ["", "file:///etc/passwd", "ollama:", "http://", "localhost:8080"])
def test_a_window_that_names_no_server_is_refused(window: str) -> None:
    with pytest.raises(UsageError, match="--window"):
        cells(window)


def test_the_command_prints_events_as_lines(serve: Serve, capfd: pytest.CaptureFixture[str]) -> None:
    url = serve({"/slots": [{"n_ctx": 1000, "n_past": 930}]})
    code = run(["guard", "--window", url, "--rounds", "2", "--every", "0.1"])

    lines = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert code == 0
    assert [line["event"] for line in lines] == ["PressureChanged", "GuardRefused"]
    assert (lines[0]["gauge"], lines[0]["after"]) == ("cells", "second")


def test_polling_survives_errors_and_tells_each_once() -> None:
    answers = iter([OSError("gone"), OSError("gone"), Reading(90, 100, None), OSError("gone")])

    def read() -> Reading:
        answer = next(answers)
        if isinstance(answer, OSError):
            raise answer
        return answer

    events = list(poll(read, Guard(), rounds=4, sleep=lambda seconds: None))

    assert isinstance(events[0], PluginFailed)
    assert sum(isinstance(event, PluginFailed) for event in events) == 2
    assert sum(isinstance(event, PressureChanged) for event in events) == 1


@pytest.mark.parametrize(
    ("sent", "evaluated", "cut"),
    [(10_000, 2_048, True), (10_000, 9_990, False), (10_000, 10_300, False), (20, 10, False)],
)
def test_fewer_evaluated_than_sent_is_a_cut(sent: int, evaluated: int, cut: bool) -> None:
    found = truncation(sent, evaluated)

    assert (found is not None) == cut
    assert found is None or found.lost == sent - evaluated


def test_cached_tokens_were_not_lost() -> None:
    assert truncation(10_000, 500, cached=9_500) is None


def test_an_estimate_needs_a_larger_difference() -> None:
    assert truncation(10_000, 8_800, error=0.15) is None
