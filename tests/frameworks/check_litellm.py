"""Run the page on litellm in litellm's own proxy, before a server that remembers what it was sent."""

from __future__ import annotations

import copy
import json
import os
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
from checking import BUDGET, Framework, Sent, converse, result_of

SENT: list[list[dict[str, Any]]] = []
HISTORIES: dict[str, list[dict[str, Any]]] = {"ann": [], "bob": []}


def answer(body: dict[str, Any]) -> dict[str, Any]:
    """Call the tool once in a turn, then answer."""
    SENT.append(body["messages"])
    if body["messages"][-1]["role"] != "user":
        return {"role": "assistant", "content": "I looked, and all is well."}
    call = {"id": f"c{len(SENT)}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


class Remembering(BaseHTTPRequestHandler):
    """Speaks OpenAI's chat API."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        message, common = answer(body), {"id": "1", "created": 0, "model": "m"}
        reason = "tool_calls" if message.get("tool_calls") else "stop"
        if body.get("stream"):
            calls = [{**call, "index": 0} for call in message.get("tool_calls", ())]
            delta = {**message, **({"tool_calls": calls} if calls else {})}
            choice = {"index": 0, "delta": delta, "finish_reason": reason}
            chunk = {**common, "object": "chat.completion.chunk", "choices": [choice]}
            written, kind = f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n", "text/event-stream"
        else:
            choice = {"index": 0, "message": message, "finish_reason": reason}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            whole = {**common, "object": "chat.completion", "choices": [choice], "usage": usage}
            written, kind = json.dumps(whole), "application/json"
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(written)))
        self.end_headers()
        self.wfile.write(written.encode())

    def log_message(self, *_: Any) -> None:
        pass


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def complete(name: str, turn: int, address: str) -> dict[str, Any]:
    """Ask the proxy, streaming in every second turn."""
    body = {"model": "m", "messages": HISTORIES[name], "user": name, "stream": turn % 2 == 1}
    told = httpx.post(
        f"{address}/chat/completions", json=body, headers={"authorization": "Bearer sk-test"}, timeout=60
    )
    assert told.status_code == 200, told.text
    if not body["stream"]:
        return dict(told.json()["choices"][0]["message"])
    made: dict[str, Any] = {"role": "assistant", "content": None}
    for line in told.text.splitlines():
        if line.startswith("data: {"):
            for choice in json.loads(line[6:])["choices"]:
                made |= {key: value for key, value in choice["delta"].items() if value is not None}
    return made


def neutral(messages: list[dict[str, Any]]) -> list[Sent]:
    made = []
    for one in messages:
        calls = tuple(call["id"] for call in one.get("tool_calls") or ())
        answered = (one["tool_call_id"],) if one["role"] == "tool" else ()
        made.append(Sent(one["role"], one.get("content") or "", calls or answered))
    return made


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Remembering)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    Path("try_litellm.py").write_text(
        f"from satchel_litellm import Compacting\n\ncompacting = Compacting({BUDGET})\n"
    )
    upstream, port = f"http://127.0.0.1:{server.server_port}", free_port()
    model = {
        "model_name": "m",
        "litellm_params": {"model": "openai/m", "api_base": upstream, "api_key": "none"},
    }
    settings = {"callbacks": "try_litellm.compacting", "telemetry": False}
    config = {
        "model_list": [model],
        "litellm_settings": settings,
        "general_settings": {"master_key": "sk-test"},
    }
    Path("config.yaml").write_text(json.dumps(config))  # JSON is YAML
    program = str(Path(sys.executable).with_name("litellm"))
    command = [program, "--config", "config.yaml", "--host", "127.0.0.1", "--port", str(port)]
    log = Path("litellm.log").open("w")  # noqa: SIM115 (it is the process's)
    quiet = {
        **os.environ,
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "PYTHONPATH": f".:{os.environ.get('PYTHONPATH', '')}",
    }
    running = subprocess.Popen(command, stdout=log, stderr=log, env=quiet)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            assert running.poll() is None, Path("litellm.log").read_text()[-2_000:]
            try:
                httpx.get(f"{address}/health/liveliness", timeout=1)
                break
            except httpx.HTTPError:
                time.sleep(0.2)

        def ask(name: str, turn: int, words: str) -> None:
            HISTORIES[name].append({"role": "user", "content": words})
            before = copy.deepcopy(HISTORIES[name])
            called = complete(name, turn, address)
            HISTORIES[name] += [
                called,
                *(
                    {"role": "tool", "tool_call_id": call["id"], "content": result_of(name, turn)}
                    for call in called["tool_calls"]
                ),
            ]
            HISTORIES[name].append(complete(name, turn, address))
            assert HISTORIES[name][: len(before)] == before

        def results(name: str) -> list[str]:
            return [one["content"] for one in HISTORIES[name] if one["role"] == "tool"]

        converse(Framework("litellm's proxy", ask, SENT, neutral, results))
    finally:
        running.terminate()
        running.wait(20)


main()
