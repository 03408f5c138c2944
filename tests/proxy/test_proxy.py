"""`satchel proxy` before a server of the test's own: what arrives there, and what comes back."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import itertools
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from satchel.proxy_server import ProxySettings, find_server_count, is_silent_cut, make_app, room_of

KEY = "sk-" + "test-0123456789abcdef"
ANSWER = {
    "id": "1",
    "choices": [{"message": {"role": "assistant", "content": "ok"}}],
    "usage": {"prompt_tokens": 9},
}


class Server:
    """A model server that keeps what it was sent."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.app = Starlette(routes=[Route("/{path:path}", self.answer, methods=["GET", "POST"])])

    async def answer(self, request: Request) -> Response:
        self.bodies.append(await request.body())
        self.headers.append(dict(request.headers))
        self.paths.append(request.url.path + (f"?{request.url.query}" if request.url.query else ""))
        if request.url.path == "/v1/models":
            return JSONResponse({"data": []}, headers={"x-request-id": "r1"})
        if request.url.path == "/fails":
            return JSONResponse(
                {"error": {"message": "slow down"}}, status_code=429, headers={"retry-after": "3"}
            )
        body = json.loads(self.bodies[-1])
        return (
            StreamingResponse(self.stream(body), media_type="text/event-stream", headers=body.get("promises"))
            if body.get("stream")
            else JSONResponse(ANSWER)
        )

    async def stream(self, body: dict[str, Any]) -> AsyncIterator[str]:
        for at in range(3):
            yield f'data: {{"at": {at}}}\n\n'
            await asyncio.sleep(0)
            if body.get("model") == "dies":
                raise RuntimeError("the server dies")
        yield "data: [DONE]\n\n"


@contextlib.contextmanager
def serving(app: Any) -> Iterator[str]:
    """Serve an application on a port of loopback, in a thread."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def proxy(
    server: Server, said: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> Iterator[httpx.Client]:
    """A client of a proxy that stands before the server, with a budget of 2,000 tokens."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("SATCHEL_CACHE_DIR", str(tmp_path / "cache"))
    with (
        serving(server.app) as upstream,
        serving(make_app(ProxySettings(upstream, budget=2_000), said.append)) as address,
        httpx.Client(base_url=address, timeout=60, trust_env=False) as client,
    ):
        yield client


def chat(turns: int, **more: Any) -> dict[str, Any]:
    """Return a chat request of many turns."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": "Be brief."}]
    for turn in range(turns):
        messages.append({"role": "user", "content": f"What does step {turn} of the build do? " * 10})
        messages.append({"role": "assistant", "content": f"Step {turn} compiles module {turn}. " * 10})
    return {
        "model": "gpt-4o",
        "messages": [*messages, {"role": "user", "content": "And the last one?"}],
        **more,
    }


def test_what_fits_is_handed_on_byte_for_byte(proxy: httpx.Client, server: Server) -> None:
    content = json.dumps(chat(1, odd={"kept": [1.0, None]}), indent=3).encode()

    answer = proxy.post(
        "/v1/chat/completions?beta=1", content=content, headers={"authorization": f"Bearer {KEY}"}
    )

    assert server.bodies == [content]
    assert server.paths == ["/v1/chat/completions?beta=1"]
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert answer.json() == ANSWER


def test_no_header_is_added_to_those_of_client_and_server(proxy: httpx.Client, server: Server) -> None:
    with contextlib.closing(http.client.HTTPConnection(proxy.base_url.host, proxy.base_url.port)) as line:
        line.putrequest("GET", "/v1/models", skip_accept_encoding=True)  # as curl asks: no encoding is known
        line.putheader("x-mine", "1")
        line.endheaders()
        assert json.loads(line.getresponse().read()) == {"data": []}

    assert server.headers[0].keys() == {"host", "x-mine"}


def test_what_does_not_fit_is_compacted(proxy: httpx.Client, server: Server, said: list[str]) -> None:
    request = chat(60)

    proxy.post("/v1/chat/completions", json=request)

    sent = json.loads(server.bodies[0])
    assert len(server.bodies[0]) < len(json.dumps(request)) / 3
    assert sent["messages"][0] == request["messages"][0]
    assert sent["messages"][-1] == request["messages"][-1]
    assert re.search(r"messages cut, [\d,]+ of 2,000 tokens sent", said[0])


@pytest.mark.weekly
def test_the_beginning_stays_from_turn_to_turn(proxy: httpx.Client, server: Server) -> None:
    messages = chat(60)["messages"]
    for turn in range(20, 32):
        proxy.post("/v1/chat/completions", json={"model": "gpt-4o", "messages": messages[: 2 * turn]})

    windows = [json.loads(body)["messages"] for body in server.bodies]
    kept = [after[: len(before)] == before for before, after in itertools.pairwise(windows)]
    assert sum(kept) >= len(kept) - 3


@pytest.mark.costly
@pytest.mark.parametrize(
    ("path", "body"),
    [
        (
            "/v1/messages",
            {"model": "claude-sonnet-4-5", "max_tokens": 500, "messages": chat(60)["messages"][1:]},
        ),
        ("/v1/responses", {"model": "gpt-5", "input": chat(60)["messages"]}),
        ("/api/chat", {"model": "llama3", "messages": chat(60)["messages"]}),
    ],
)
def test_every_format_is_compacted(
    proxy: httpx.Client, server: Server, path: str, body: dict[str, Any]
) -> None:
    proxy.post(path, json=body)

    sent = json.loads(server.bodies[0])
    assert len(server.bodies[0]) < len(json.dumps(body)) / 3
    assert sent.keys() == body.keys()


def test_a_stream_arrives_whole(proxy: httpx.Client) -> None:
    with proxy.stream("POST", "/v1/chat/completions", json=chat(60, stream=True)) as answer:
        assert b"".join(answer.iter_raw()).endswith(b"data: [DONE]\n\n")


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("promises", [{}, {"content-length": "500"}])
def test_a_server_that_dies_amid_an_answer_ends_the_clients(
    promises: dict[str, str], proxy: httpx.Client, said: list[str]
) -> None:
    request = chat(1, stream=True, model="dies", promises=promises)
    with (
        pytest.raises(httpx.HTTPError),
        proxy.stream("POST", "/v1/chat/completions", json=request) as answer,
    ):
        answer.read()
    assert any("broke off" in line for line in said)
    assert proxy.get("/v1/models").status_code == 200


def test_errors_and_other_paths_are_handed_on(proxy: httpx.Client, server: Server) -> None:
    models = proxy.get("/v1/models")
    failed = proxy.post("/fails", content=b"not JSON")

    assert models.headers["x-request-id"] == "r1"
    assert (failed.status_code, failed.headers["retry-after"]) == (429, "3")
    assert server.bodies[1] == b"not JSON"


@pytest.mark.weekly
def test_what_can_never_fit_is_refused_in_the_providers_shape(proxy: httpx.Client, server: Server) -> None:
    request = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 9,
        "system": "a word " * 4_000,
        "messages": [{"role": "user", "content": "hi"}],
    }

    answer = proxy.post("/v1/messages", json=request)

    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "invalid_request_error"
    assert server.bodies == []


@pytest.mark.weekly
def test_conversations_at_once_are_not_mixed(proxy: httpx.Client, server: Server) -> None:
    def ask(number: int) -> None:
        request = chat(40)
        request["messages"][-1]["content"] = f"Whose number is {number}?"
        proxy.post("/v1/chat/completions", json=request)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    last = sorted(json.loads(body)["messages"][-1]["content"] for body in server.bodies)
    assert last == sorted(f"Whose number is {number}?" for number in range(12))


def test_no_key_is_written_or_said(proxy: httpx.Client, said: list[str], tmp_path: Any) -> None:
    proxy.post(
        "/v1/chat/completions", json=chat(60), headers={"authorization": f"Bearer {KEY}", "x-api-key": KEY}
    )

    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert KEY not in "\n".join(said)
    assert KEY.encode() not in written


@pytest.mark.weekly
def test_a_silent_cut_is_told(proxy: httpx.Client, said: list[str]) -> None:
    proxy.post("/v1/chat/completions", json=chat(60))

    assert not any("the server cut them" in line for line in said)  # 2,000 tokens say too little
    assert is_silent_cut(9_000, 4_096)
    assert not is_silent_cut(9_000, 8_000)
    assert find_server_count(b'{"usage": {"input_tokens": 10, "cache_read_input_tokens": 90}}') == 100


@pytest.mark.parametrize(
    ("body", "budget", "window", "room"),
    [
        ({"model": "gpt-4o"}, 5_000, 0, 5_000),
        ({"model": "nobody-knows"}, 0, 0, 0),
        ({"model": "nobody-knows", "max_tokens": 2_000}, 0, 10_000, 8_000),
        ({"model": "x", "options": {"num_ctx": 8_192}}, 0, 0, 8_192 - 1_024),
        ({"model": "claude-sonnet-4-5", "max_tokens": 8_000}, 0, 0, 192_000),
    ],
)
def test_the_room_is_what_the_answer_leaves(
    body: dict[str, Any], budget: int, window: int, room: int
) -> None:
    assert room_of(body, budget=budget, window=window) == room


@pytest.mark.weekly
def test_ollama_is_asked_for_a_window(server: Server) -> None:
    said: list[str] = []
    with (
        serving(server.app) as upstream,
        serving(make_app(ProxySettings(upstream, window=8_192), said.append)) as address,
    ):
        for options in ({}, {"options": {"num_ctx": 2_048}}):
            body = {"model": "llama3", "messages": [{"role": "user", "content": "hi"}], **options}
            httpx.post(f"{address}/api/chat", json=body, trust_env=False, timeout=60)

    assert [json.loads(body)["options"]["num_ctx"] for body in server.bodies] == [8_192, 2_048]


@contextlib.contextmanager
def _nobody_at() -> Iterator[str]:
    """Yield an address on which nobody listens, kept from others."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{closed.getsockname()[1]}"


_OPENAI_ERROR = {"error": {"type": "api_error", "code": None}}


@pytest.mark.costly
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/v1/chat/completions", _OPENAI_ERROR),
        ("/v1/responses", _OPENAI_ERROR),
        ("/v1/messages", {"type": "error", "error": {"type": "api_error"}}),
        ("/v1/models", _OPENAI_ERROR),
    ],
)
def test_a_server_that_is_not_there_is_named_and_no_request_is_refused(
    path: str, expected: dict[str, Any]
) -> None:
    with _nobody_at() as upstream, serving(make_app(ProxySettings(upstream), [].append)) as address:
        answer = httpx.post(f"{address}{path}", json=chat(1), trust_env=False, timeout=60)

    body = answer.json()
    assert answer.status_code == 502
    assert "does not answer" in body["error"].pop("message")
    assert body == expected


def test_ollama_names_a_server_that_is_not_there_as_its_api_does() -> None:
    with _nobody_at() as upstream, serving(make_app(ProxySettings(upstream), [].append)) as address:
        answer = httpx.post(f"{address}/api/chat", json=chat(1), trust_env=False, timeout=60)

    assert answer.status_code == 502
    assert answer.json() == {"error": f"{upstream} does not answer: ConnectError"}


def test_the_command_serves_until_it_is_ended(server: Server, tmp_path: Any) -> None:
    env = {**os.environ, "SATCHEL_CACHE_DIR": str(tmp_path)}
    with serving(server.app) as upstream:
        words = [sys.executable, "-m", "satchel", "proxy", "--upstream", upstream, "--port", "0"]
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=env) as process:
            assert process.stderr is not None
            found = re.search(r"http://127\.0\.0\.1:\d+", process.stderr.readline())
            assert found
            answer = httpx.get(f"{found[0]}/v1/models", trust_env=False, timeout=60)
            process.terminate()
            deadline = time.monotonic() + 30
            while process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.05)

    assert answer.json() == {"data": []}
    assert [name for name, _ in answer.headers.multi_items()].count("date") == 1
    assert process.returncode is not None


@pytest.mark.weekly
def test_the_window_of_a_local_model_is_that_which_fits(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("SATCHEL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("OLLAMA_MODELS", str(tmp_path / "none"))
    said: list[str] = []
    body = {"model": "none-here", "messages": [{"role": "user", "content": "Hi"}], "stream": False}
    with (
        serving(server.app) as upstream,
        serving(make_app(ProxySettings(upstream, is_sized=True), said.append)) as address,
    ):
        for _ in range(2):
            httpx.post(f"{address}/api/chat", json=body, trust_env=False, timeout=60).raise_for_status()

    assert [json.loads(one) for one in server.bodies] == [body, body]
    assert [line for line in said if "give it with --window N" in line] == said[:1]


@pytest.mark.weekly
def test_a_server_that_reads_less_than_it_was_sent_is_told_of(server: Server) -> None:
    said: list[str] = []  # the answer counts 9 tokens, whatever was sent
    with (
        serving(server.app) as upstream,
        serving(make_app(ProxySettings(upstream, budget=6_000), said.append)) as address,
    ):
        httpx.post(f"{address}/v1/chat/completions", json=chat(60), trust_env=False, timeout=60)
        httpx.post(f"{address}/v1/chat/completions", json=chat(2), trust_env=False, timeout=60)

    assert len([line for line in said if "the server read 9: it cut them" in line]) == 1


def test_what_was_cut_is_saved_for_the_user_alone(server: Server, tmp_path: Any) -> None:
    folder = tmp_path / "states"
    body = chat(60)
    token = "ghp_" + "x7Kq2mZ9" * 4 + "Ab3d"
    body["messages"][1]["content"] += f" The token is {token}"
    with (
        serving(server.app) as upstream,
        serving(make_app(ProxySettings(upstream, budget=2_000, folder=str(folder)), print)) as address,
    ):
        post = f"{address}/v1/chat/completions"
        httpx.post(post, json=chat(2), trust_env=False, timeout=60)
        assert not folder.exists()
        httpx.post(post, json=body, headers={"x-api-key": KEY}, trust_env=False, timeout=60)

    (saved,) = folder.iterdir()
    assert KEY not in saved.read_text()
    assert token not in saved.read_text()
    if os.name == "posix":
        assert saved.stat().st_mode & 0o077 == 0
        assert folder.stat().st_mode & 0o077 == 0
