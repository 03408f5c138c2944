"""`satchel proxy` before a real llama-cpp-python server, where it is installed: `.ci/plugs` builds it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed: .ci/plugs llama builds it")
pytest.importorskip("gguf")
httpx = pytest.importorskip("httpx")
sys.path.insert(0, str(Path(__file__).parent))
from tiny_model import write_model  # noqa: E402

WINDOW = 2_048
REPLY = 64
SAID = "what does this step of the build do now"
TOLD = "the step compiles one module and links it with the others before tests run"
WORDS = sorted({*SAID.split(), *TOLD.split(), *"system user assistant tool Be brief".split()})  # noqa: SIM905


@contextlib.contextmanager
def running(words: list[str], port: str, folder: Path) -> Iterator[str]:
    """Start a server that tells its address on stderr; yield the address."""
    env = {
        **os.environ,
        "SATCHEL_CACHE_DIR": str(folder / "cache"),
        "SATCHEL_STATE_DIR": str(folder / "state"),
    }
    log = folder / f"{port}.log"
    with log.open("wb") as told, subprocess.Popen(words, stdout=told, stderr=told, env=env) as process:
        deadline, found = time.monotonic() + 300, None
        while not found and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.2)
            found = re.search(r"http://(?:127\.0\.0\.1|localhost):[1-9]\d*", log.read_text(errors="replace"))
        try:
            assert found, log.read_text(errors="replace")[-2_000:]
            yield found[0]
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Any]]:
    """Return a client of the model's server itself, and one of the proxy before it."""
    folder = tmp_path_factory.mktemp("llama")
    model = write_model(folder / "tiny.gguf", WORDS)
    python = [sys.executable, "-m"]
    of_model = [*python, "llama_cpp.server", "--model", str(model), "--n_ctx", str(WINDOW), "--port", "0"]
    of_model += ["--chat_format", "chatml", "--n_gpu_layers", "0", "--host", "127.0.0.1"]
    with running(of_model, "model", folder) as upstream:
        of_proxy = [
            *python,
            "satchel",
            "proxy",
            "--upstream",
            upstream,
            "--window",
            str(WINDOW),
            "--port",
            "0",
        ]
        with (
            running(of_proxy, "proxy", folder) as address,
            httpx.Client(base_url=upstream, timeout=300, trust_env=False) as direct,
            httpx.Client(base_url=address, timeout=300, trust_env=False) as proxied,
        ):
            yield direct, proxied


def chat(turns: int) -> list[dict[str, Any]]:
    """Return a conversation of some turns, without tools: the server's template leaves their results out."""
    made: list[dict[str, Any]] = [{"role": "system", "content": "Be brief"}]
    for _ in range(turns):
        made += [{"role": "user", "content": SAID}, {"role": "assistant", "content": " ".join([TOLD] * 3)}]
    return [*made, {"role": "user", "content": SAID}]


def ask(client: Any, turns: int, **more: Any) -> Any:
    body = {"model": "tiny", "messages": chat(turns), "max_tokens": REPLY, "temperature": 0, **more}
    return client.post("/v1/chat/completions", json=body)


def test_a_conversation_that_the_server_refuses_fits_through_the_proxy(served: tuple[Any, Any]) -> None:
    direct, proxied = served
    refused = ask(direct, 80)
    assert refused.status_code == 400
    assert "context" in refused.text
    read = []
    for turns in range(2, 90, 2):
        answer = ask(proxied, turns)
        assert answer.status_code == 200, answer.text
        read.append(answer.json()["usage"]["prompt_tokens"])

    assert max(read) <= WINDOW - REPLY
    assert max(read) >= WINDOW // 4


def test_a_short_conversation_is_read_as_it_is(served: tuple[Any, Any]) -> None:
    answers = [ask(client, 1).json() for client in served]

    assert answers[0]["usage"] == answers[1]["usage"]
    assert answers[0]["choices"][0]["message"] == answers[1]["choices"][0]["message"]


def test_a_stream_of_a_long_conversation_arrives_piece_by_piece(served: tuple[Any, Any]) -> None:
    _, proxied = served
    body = {"model": "tiny", "messages": chat(80), "max_tokens": REPLY, "temperature": 0, "stream": True}
    with proxied.stream("POST", "/v1/chat/completions", json=body) as answer:
        lines = [line.removeprefix("data: ") for line in answer.iter_lines() if line]

    assert lines[-1] == "[DONE]"
    pieces = [json.loads(line)["choices"][0]["delta"].get("content", "") for line in lines[:-1]]
    assert len(pieces) > 2
    whole = ask(proxied, 80).json()["choices"][0]["message"]["content"]
    assert [_plain(text) for text in ("".join(pieces), whole)] == [_plain(whole)] * 2
    assert _plain(whole)


def _plain(text: str) -> str:
    """Return the letters of a text that every stream has: the server leaves out halves of others there."""
    return text.encode("ascii", "ignore").decode()
