"""A model on loopback for agent programs: it records what it is sent, and answers what a test says."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Block = dict[str, Any]
Answer = Callable[[dict[str, Any]], list[Block]]


class Model:
    """What was sent, in order; `url` is where to send it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.requests: list[dict[str, Any]] = []

    def sent(self) -> str:
        """Return the messages of the last request, as JSON."""
        return json.dumps(self.requests[-1]["messages"], ensure_ascii=False)


class _Handler(BaseHTTPRequestHandler):
    """What both APIs share."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self._send(b"", "text/plain")

    def do_GET(self) -> None:
        self._send(b"{}", "application/json")

    def _asked(self) -> dict[str, Any]:
        asked: dict[str, Any] = json.loads(
            self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}"
        )
        return asked

    def _send(self, content: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def _serving(server: ThreadingHTTPServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def gemini_model() -> Iterator[Model]:
    """Serve the Gemini API; every answer is `Done.`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    model = Model(f"http://127.0.0.1:{server.server_address[1]}")
    done = {"content": {"role": "model", "parts": [{"text": "Done."}]}, "finishReason": "STOP", "index": 0}

    class Handler(_Handler):
        def do_POST(self) -> None:
            asked = self._asked()
            told = json.dumps({"candidates": [done], "usageMetadata": {"totalTokenCount": 12}})
            if "countTokens" in self.path:
                self._send(b'{"totalTokens": 10}', "application/json")
            elif "stream" in self.path:
                model.requests.append({**asked, "messages": asked.get("contents")})
                self._send(f"data: {told}\n\n".encode(), "text/event-stream")
            else:
                self._send(told.encode(), "application/json")

    server.RequestHandlerClass = Handler
    with _serving(server):
        yield model


@contextmanager
def anthropic_model(answer: Answer) -> Iterator[Model]:
    """Serve the Anthropic API; `answer` returns the blocks for a request."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    model = Model(f"http://127.0.0.1:{server.server_address[1]}")

    class Handler(_Handler):
        def do_POST(self) -> None:
            asked = self._asked()
            if "messages" not in asked or "count_tokens" in self.path:
                self._send(b'{"input_tokens": 100}', "application/json")
                return
            model.requests.append(asked)
            blocks = answer(asked)
            body = {**_message(asked), "content": blocks, "stop_reason": _stop_of(blocks)}
            if asked.get("stream"):
                self._send(_events(asked, blocks).encode(), "text/event-stream")
            else:
                self._send(json.dumps(body).encode(), "application/json")

    server.RequestHandlerClass = Handler
    with _serving(server):
        yield model


def _message(asked: dict[str, Any]) -> dict[str, Any]:
    usage = {"input_tokens": 10, "output_tokens": 1}
    named = {"id": "msg_1", "type": "message", "role": "assistant", "model": asked.get("model")}
    return {**named, "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}


def _stop_of(blocks: list[Block]) -> str:
    return "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"


def _events(asked: dict[str, Any], blocks: list[Block]) -> str:
    events: list[tuple[str, dict[str, Any]]] = [("message_start", {"message": _message(asked)})]
    for at, block in enumerate(blocks):
        if block["type"] == "text":
            start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            written = json.dumps(block["input"])
            start, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": written}
        events.append(("content_block_start", {"index": at, "content_block": start}))
        events.append(("content_block_delta", {"index": at, "delta": delta}))
        events.append(("content_block_stop", {"index": at}))
    end = {"stop_reason": _stop_of(blocks), "stop_sequence": None}
    events += [("message_delta", {"delta": end, "usage": {"output_tokens": 5}}), ("message_stop", {})]
    return "".join(f"event: {name}\ndata: {json.dumps({'type': name, **told})}\n\n" for name, told in events)
