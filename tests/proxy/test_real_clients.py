"""`satchel proxy` with the clients that people have, where they are installed."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

openai = pytest.importorskip("openai", reason="openai is not installed: .ci/plugs clients installs it")
anthropic = pytest.importorskip(
    "anthropic", reason="anthropic is not installed: .ci/plugs clients installs it"
)
ollama = pytest.importorskip("ollama", reason="ollama is not installed: .ci/plugs clients installs it")
uvicorn = pytest.importorskip("uvicorn")
from starlette.applications import Starlette  # noqa: E402
from starlette.requests import Request  # noqa: E402
from starlette.responses import JSONResponse, Response, StreamingResponse  # noqa: E402
from starlette.routing import Route  # noqa: E402

KEY = "sk-" + "test-0123456789abcdef"
BUDGET = 2_000
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
TOOL = {"name": "look", "description": "Look.", "parameters": {"type": "object", "properties": {}}}


class Server:
    """A model server that speaks four APIs, keeps what it was sent, and fails when it is asked to."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.failures = 0
        self.app = Starlette(routes=[Route("/{path:path}", self.answer, methods=["GET", "POST"])])

    async def answer(self, request: Request) -> Response:
        body = json.loads(await request.body() or b"{}")
        self.bodies.append(body)
        self.headers.append(dict(request.headers))
        if self.failures:
            self.failures -= 1
            error = {"type": "error", "error": {"type": "overloaded_error", "message": "slow down"}}
            return JSONResponse(error, 529, {"retry-after-ms": "1", "request-id": "r-429"})
        path = request.url.path.removeprefix("/v1")
        whole, events = ANSWERS[path]
        if body.get("stream", path == "/api/chat"):
            kind = "application/x-ndjson" if path == "/api/chat" else "text/event-stream"
            return StreamingResponse(self.stream(events, body), media_type=kind)
        return JSONResponse(whole, headers={"x-request-id": "r-1", "request-id": "r-1"})

    async def stream(self, events: list[str], body: dict[str, Any]) -> Any:
        for at, event in enumerate(events):
            yield event
            await asyncio.sleep(0)
            if at == 1 and body.get("model") == "dies":
                raise RuntimeError("the server dies")


def sse(*events: Any, named: bool = False) -> list[str]:
    heads = [f"event: {event['type']}\n" if named else "" for event in events]
    return [f"{head}data: {json.dumps(event)}\n\n" for head, event in zip(heads, events, strict=True)]


def chunk(**delta: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    return {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]}


CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
CHAT = {
    "id": "1",
    "object": "chat.completion",
    "created": 0,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "Hello", "tool_calls": [CALL]},
        }
    ],
    "usage": {"prompt_tokens": 1_000, "completion_tokens": 1, "total_tokens": 1_001},
}
RESPONSE = {
    "id": "1",
    "object": "response",
    "created_at": 0,
    "model": "m",
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "output": [
        {
            "type": "message",
            "id": "m1",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "Hello", "annotations": []}],
        }
    ],
}
MESSAGE = {
    "id": "1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "content": [
        {"type": "text", "text": "Hello"},
        {"type": "tool_use", "id": "t1", "name": "look", "input": {}},
    ],
    "usage": {"input_tokens": 1_000, "output_tokens": 1},
}
OLLAMA = {
    "model": "m",
    "message": {"role": "assistant", "content": "Hello"},
    "done": True,
    "prompt_eval_count": 1_000,
}
ANSWERS: dict[str, tuple[Any, list[str]]] = {
    "/chat/completions": (CHAT, [*sse(*(chunk(content=one) for one in "Hello")), "data: [DONE]\n\n"]),
    "/responses": (
        RESPONSE,
        sse(
            *(
                {
                    "type": "response.output_text.delta",
                    "delta": one,
                    "item_id": "m1",
                    "output_index": 0,
                    "content_index": 0,
                    "sequence_number": at,
                    "logprobs": [],
                }
                for at, one in enumerate("Hello")
            ),
            {"type": "response.completed", "response": RESPONSE, "sequence_number": 9},
            named=True,
        ),
    ),
    "/messages": (
        MESSAGE,
        sse(
            {"type": "message_start", "message": {**MESSAGE, "content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            *(
                {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": one}}
                for one in "Hello"
            ),
            {"type": "content_block_stop", "index": 0},
            {
                "type": "message_delta",
                "delta": {"stop_reason": "end_turn", "stop_sequence": None},
                "usage": {"output_tokens": 1},
            },
            {"type": "message_stop"},
            named=True,
        ),
    ),
    "/api/chat": (
        OLLAMA,
        [
            *(
                json.dumps({"message": {"role": "assistant", "content": one}, "done": False}) + "\n"
                for one in "Hello"
            ),
            json.dumps({**OLLAMA, "message": {"role": "assistant", "content": ""}}) + "\n",
        ],
    ),
    "/models": (
        {"object": "list", "data": [{"id": "m", "object": "model", "created": 0, "owned_by": "me"}]},
        [],
    ),
}


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[Server, str]]:
    made, listening = Server(), socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    running = uvicorn.Server(uvicorn.Config(made.app, log_level="critical"))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield made, f"http://127.0.0.1:{listening.getsockname()[1]}"
    running.should_exit = True
    thread.join(10)
    listening.close()


class Proxy:
    """The real program, which may be started again."""

    def __init__(self, upstream: str, folder: Path) -> None:
        self.folder, self.upstream = folder, upstream
        self.log = folder / "log"

    def start(self) -> str:
        env = {
            **os.environ,
            "SATCHEL_CACHE_DIR": f"{self.folder}/cache",
            "SATCHEL_STATE_DIR": f"{self.folder}/state",
        }
        words = [
            "-m",
            "satchel",
            "proxy",
            "--upstream",
            self.upstream,
            "--port",
            "0",
            "--budget",
            str(BUDGET),
        ]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, *words, "--num-ctx", "8192"], stderr=log, env=env
            )
        for _ in range(600):
            if found := re.search(r"http://127\.0\.0\.1:\d+", self.log.read_text()):
                return found[0]
            time.sleep(0.05)
        raise AssertionError(self.log.read_text())

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(30)


@pytest.fixture(scope="module")
def proxy(server: tuple[Server, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    made = Proxy(server[1], tmp_path_factory.mktemp("proxy"))
    yield made
    made.stop()


@pytest.fixture(scope="module")
def address(proxy: Proxy) -> str:
    return proxy.start()


@pytest.fixture
def sent(server: tuple[Server, str]) -> Server:
    server[0].bodies.clear()
    server[0].headers.clear()
    return server[0]


def chat(turns: int, name: str = "") -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = [{"role": "system", "content": f"Be brief. {name}"}] if name != "-" else []
    for turn in range(turns):
        made.append({"role": "user", "content": f"What does step {turn} of the build do? " * 8})
        made.append({"role": "assistant", "content": f"Step {turn} compiles module {turn}. " * 8})
    return [*made, {"role": "user", "content": "And the last?"}]


def test_openai(address: str, sent: Server) -> None:
    client = openai.OpenAI(base_url=f"{address}/v1", api_key=KEY)
    picture = [
        {"type": "text", "text": "What is it?"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
    ]
    tools = [{"type": "function", "function": TOOL}]
    messages = [
        *chat(1),
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "seen"},
        {"role": "user", "content": picture},
    ]

    answer = client.chat.completions.with_raw_response.create(
        model="m", messages=messages, tools=tools, extra_headers={"x-mine": "1"}
    )
    streamed = client.chat.completions.create(model="m", messages=chat(60), stream=True)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in streamed)
    done = client.responses.create(model="m", instructions="Be brief.", input=chat(60, "-"))
    parts = [
        event.delta
        for event in client.responses.create(model="m", input="Hi", stream=True)
        if event.type.endswith("delta")
    ]

    assert answer.headers["x-request-id"] == "r-1"
    assert answer.parse().choices[0].message.tool_calls[0].function.name == "look"
    assert sent.bodies[0]["messages"] == messages
    assert sent.bodies[0]["tools"] == tools
    assert sent.headers[0]["authorization"] == f"Bearer {KEY}"
    assert sent.headers[0]["x-mine"] == "1"
    assert text == "".join(parts) == done.output_text == "Hello"
    assert len(sent.bodies[1]["messages"]) < 121
    assert sent.bodies[1]["messages"][0] == chat(60)[0]
    assert sent.bodies[1]["messages"][-1]["content"] == "And the last?"
    assert sent.bodies[2]["instructions"] == "Be brief."
    assert len(sent.bodies[2]["input"]) < 121
    assert [model.id for model in client.models.list()] == ["m"]


def test_openai_async_and_two_hundred_at_once(address: str, sent: Server) -> None:
    async def ask_all() -> list[str]:
        async with openai.AsyncOpenAI(base_url=f"{address}/v1", api_key=KEY, timeout=120) as client:
            asked = [
                client.chat.completions.create(
                    model="m", messages=[*chat(20), {"role": "user", "content": f"Whose is {at}?"}]
                )
                for at in range(200)
            ]
            return [one.choices[0].message.content or "" for one in await asyncio.gather(*asked)]

    assert asyncio.run(ask_all()) == ["Hello"] * 200
    assert sorted(body["messages"][-1]["content"] for body in sent.bodies) == sorted(
        f"Whose is {at}?" for at in range(200)
    )


def test_anthropic(address: str, sent: Server) -> None:
    client = anthropic.Anthropic(base_url=address, api_key=KEY)
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    marked = {"type": "text", "text": "What is it?", "cache_control": {"type": "ephemeral"}}
    messages = [{"role": "user", "content": [marked, image]}]
    tools = [{"name": "look", "description": "Look.", "input_schema": {"type": "object", "properties": {}}}]

    answer = client.messages.create(
        model="m", max_tokens=100, system="Be brief.", messages=messages, tools=tools
    )
    with client.messages.stream(
        model="m", max_tokens=100, system="Be brief.", messages=chat(60, "-")
    ) as stream:
        text = stream.get_final_text()

    assert [block.type for block in answer.content] == ["text", "tool_use"]
    assert sent.bodies[0]["messages"] == messages
    assert sent.bodies[0]["tools"] == tools
    assert KEY in json.dumps(sent.headers[0])
    assert text == "Hello"
    assert sent.bodies[1]["system"] == "Be brief."
    assert len(sent.bodies[1]["messages"]) < 121


def test_ollama(address: str, sent: Server) -> None:
    client = ollama.Client(host=address)
    tools = [{"type": "function", "function": TOOL}]

    answer = client.chat("m", [{"role": "user", "content": "Hi", "images": [PIXEL]}], tools=tools)
    text = "".join(part.message.content or "" for part in client.chat("m", chat(60), stream=True))
    client.chat("m", chat(1), options={"num_ctx": 4_096})

    assert answer.message.content == text == "Hello"
    assert sent.bodies[0]["messages"][0]["images"] == [PIXEL]
    assert sent.bodies[0]["options"]["num_ctx"] == 8_192
    assert len(sent.bodies[1]["messages"]) < 121
    assert sent.bodies[2]["options"]["num_ctx"] == 4_096


def test_clients_try_again_and_are_told_the_errors(
    address: str, sent: Server, server: tuple[Server, str]
) -> None:
    server[0].failures = 1
    client = anthropic.Anthropic(base_url=address, api_key=KEY)
    client.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": "Hi"}])
    assert len(sent.bodies) == 2
    server[0].failures = 1
    with pytest.raises(anthropic.APIStatusError) as caught:
        client.with_options(max_retries=0).messages.create(
            model="m", max_tokens=9, messages=[{"role": "user", "content": "Hi"}]
        )
    assert caught.value.status_code == 529
    assert caught.value.request_id == "r-429"
    with pytest.raises(openai.BadRequestError, match="budget"):
        openai.OpenAI(base_url=f"{address}/v1", api_key=KEY).chat.completions.create(
            model="m",
            messages=[{"role": "system", "content": "rule " * 9_000}, {"role": "user", "content": "Hi"}],
        )


def test_a_server_that_dies_amid_a_stream_is_an_error_of_the_client(address: str, sent: Server) -> None:
    client = openai.OpenAI(base_url=f"{address}/v1", api_key=KEY, max_retries=0)
    with pytest.raises(Exception, match=r"(?i)peer|incomplete|connection|closed") as caught:
        list(client.chat.completions.create(model="dies", messages=chat(1), stream=True))
    assert not isinstance(caught.value, AssertionError)


def test_a_restart_goes_on_with_what_was_sent_and_no_key_is_written(
    proxy: Proxy, address: str, sent: Server
) -> None:
    client = openai.OpenAI(base_url=f"{address}/v1", api_key=KEY)
    client.chat.completions.create(model="m", messages=chat(60, "restart"))
    proxy.stop()
    again = openai.OpenAI(base_url=f"{proxy.start()}/v1", api_key=KEY)
    longer = [
        *chat(60, "restart"),
        {"role": "assistant", "content": "It links."},
        {"role": "user", "content": "Thanks!"},
    ]
    again.chat.completions.create(model="m", messages=longer)
    before, after = (body["messages"] for body in sent.bodies)

    assert after[: len(before)] == before
    assert len(after) == len(before) + 2
    written = b"".join(path.read_bytes() for path in proxy.folder.rglob("*") if path.is_file())
    assert KEY.encode() not in written
