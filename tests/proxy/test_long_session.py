"""An agent that knows nothing of satchel works for hundreds of turns through `satchel proxy`."""

from __future__ import annotations

import contextlib
import json
import random
import statistics
from collections.abc import Callable, Iterator
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from tests.proxy.test_proxy import serving

import satchel
from satchel.proxy_server import ProxySettings, make_app

BUDGET = 12_000
RULES = "You are a careful engineer. Never delete a file that you have not read."
SECRET = "AKIAZ7Q4XW2PJ5T6RUNV"
QUESTION_EVERY = 12


class Model:
    """A model server that calls tools, one or two at a time, and answers a question after some of them."""

    def __init__(self, form: str) -> None:
        self.form = form
        self.bodies: list[dict[str, Any]] = []
        self.asked = 0
        self.app = Starlette(routes=[Route("/{path:path}", self.answer, methods=["POST"])])

    async def answer(self, request: Request) -> Response:
        body = await request.json()
        self.asked += 1
        if self.asked % 17 == 0:  # the agent asks again
            return JSONResponse({"error": {"type": "overloaded_error", "message": "later"}}, 529)
        self.bodies.append(body)
        turn = len(self.bodies)
        calls = [
            (f"call_{turn}_{at}", {"path": f"src/module_{turn % 40}.py"}) for at in range(1 + turn % 5 // 4)
        ]
        text = f"I look at module {turn % 40} now."
        if turn % QUESTION_EVERY == 0:
            calls, text = [], f"Module {turn % 40} is mended; {turn} steps are done."
        return JSONResponse(
            anthropic_answer(text, calls) if self.form == "anthropic" else openai_answer(text, calls)
        )


Calls = list[tuple[str, dict[str, str]]]


def openai_answer(text: str, calls: Calls) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {"id": id_, "type": "function", "function": {"name": "read", "arguments": json.dumps(given)}}
            for id_, given in calls
        ]
    return {"choices": [{"index": 0, "message": message}]}


def anthropic_answer(text: str, calls: Calls) -> dict[str, Any]:
    uses = [{"type": "tool_use", "id": id_, "name": "read", "input": given} for id_, given in calls]
    return {"role": "assistant", "content": [{"type": "text", "text": text}, *uses]}


def output(number: int) -> str:
    """Return what a tool wrote: code, a log, or an error, from 200 to 4,000 characters."""
    chance = random.Random(number)
    lines = [
        f"def step_{number}_{at}(value):  # {chance.random()}\n    return value + {at}\n"
        for at in range(chance.randint(3, 60))
    ]
    secret = f"\nexport AWS_ACCESS_KEY_ID={SECRET}\n" if number == 20 else ""
    failed = "\nFAILED tests/test_module.py::test_step - assert 1 == 2\n" if number % 9 == 0 else ""
    return "".join(lines) + secret + failed


class OpenAIAgent:
    """Sends the whole conversation each time, as agents do."""

    path = "/v1/chat/completions"

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = [{"role": "system", "content": RULES}]

    def ask(self, text: str) -> None:
        self.messages.append({"role": "user", "content": text})

    def body(self) -> dict[str, Any]:
        return {"model": "a-model", "messages": self.messages}

    def take(self, answer: dict[str, Any], number: int) -> bool:
        """Take an answer and run its tools; tell whether there were any."""
        message = answer["choices"][0]["message"]
        self.messages.append(message)
        for call in message.get("tool_calls", []):
            self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": output(number)})
        return "tool_calls" in message

    @staticmethod
    def check(body: dict[str, Any]) -> None:
        """Check that a provider takes a request: each call is followed by its results and by no others."""
        waiting: list[str] = []
        for message in body["messages"]:
            if message["role"] == "tool":
                waiting.remove(message["tool_call_id"])
                continue
            assert not waiting
            waiting = [call["id"] for call in message.get("tool_calls", [])]
        assert not waiting
        assert body["messages"][0] == {"role": "system", "content": RULES}


class AnthropicAgent:
    """Marks its two newest messages of the user for the prompt cache."""

    path = "/v1/messages"

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    def ask(self, text: str) -> None:
        self.messages.append({"role": "user", "content": text})

    def body(self) -> dict[str, Any]:
        users = [at for at, one in enumerate(self.messages) if one["role"] == "user"][-2:]
        sent = [self._mark(one) if at in users else one for at, one in enumerate(self.messages)]
        return {"model": "a-model", "max_tokens": 500, "system": RULES, "messages": sent}

    @staticmethod
    def _mark(message: dict[str, Any]) -> dict[str, Any]:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        return {**message, "content": [*blocks[:-1], {**blocks[-1], "cache_control": {"type": "ephemeral"}}]}

    def take(self, answer: dict[str, Any], number: int) -> bool:
        self.messages.append({"role": "assistant", "content": answer["content"]})
        uses = [block["id"] for block in answer["content"] if block["type"] == "tool_use"]
        if uses:
            results = [{"type": "tool_result", "tool_use_id": id_, "content": output(number)} for id_ in uses]
            self.messages.append({"role": "user", "content": results})
        return bool(uses)

    @staticmethod
    def check(body: dict[str, Any]) -> None:
        waiting: list[str] = []
        for before, message in pairwise([{"role": "assistant", "content": []}, *body["messages"]]):
            assert message["role"] != before["role"]
            blocks = message["content"] if isinstance(message["content"], list) else []
            found = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
            assert sorted(found) == sorted(waiting)
            waiting = [block["id"] for block in blocks if block["type"] == "tool_use"]
        assert not waiting
        assert body["system"] == RULES
        assert json.dumps(body).count("cache_control") <= 4  # Anthropic refuses more


@contextlib.contextmanager
def proxied(upstream: str, folder: Path, said: list[str]) -> Iterator[httpx.Client]:
    """Start a proxy that finds its states in a folder; yield a client of it."""
    settings = ProxySettings(upstream, budget=BUDGET, folder=str(folder))
    with (
        serving(make_app(settings, said.append)) as address,
        httpx.Client(base_url=address, timeout=60, trust_env=False) as client,
    ):
        yield client


def work(agent: Any, client: httpx.Client, turns: range) -> None:
    """Let an agent work; a request that fails is sent again as it is."""
    for turn in turns:
        for _ in range(3):
            answer = client.post(agent.path, json=agent.body())
            if answer.status_code == 200:
                break
        assert answer.status_code == 200, answer.text
        if not agent.take(answer.json(), turn):
            agent.ask(f"Question {turn}: now mend module {turn % 40}, and keep the others as they are.")


def share_kept(before: dict[str, Any], after: dict[str, Any]) -> float:
    """Return the share of a request's messages that stand as in the one before, by their size."""
    old, new = (list(map(plain, body["messages"])) for body in (before, after))
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    return sum(map(len, new[:same])) / sum(map(len, new))


def plain(message: dict[str, Any]) -> str:
    """Return a message as a provider's cache reads it: without marks, one text as a list of one."""
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    bare = [{key: value for key, value in block.items() if key != "cache_control"} for block in blocks]
    return json.dumps({**message, "content": bare}, sort_keys=True)


@pytest.mark.parametrize(
    ("make_agent", "form", "turns"),
    [
        pytest.param(OpenAIAgent, "openai", 72, marks=pytest.mark.slow),
        (AnthropicAgent, "anthropic", 30),
        pytest.param(AnthropicAgent, "anthropic", 72, marks=pytest.mark.slow),
        pytest.param(OpenAIAgent, "openai", 500, marks=pytest.mark.slow),
        pytest.param(AnthropicAgent, "anthropic", 500, marks=pytest.mark.slow),
    ],
)
def test_an_unchanged_agent_works_for_hours(
    make_agent: Callable[[], Any], form: str, turns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SATCHEL_STATE_DIR", str(tmp_path / "state"))
    model, agent, said = Model(form), make_agent(), list[str]()
    agent.ask("Mend the modules one by one, and never touch src/legal.py.")
    with serving(model.app) as upstream:
        with proxied(upstream, tmp_path / "states", said) as client:
            work(agent, client, range(turns // 2))
        with proxied(upstream, tmp_path / "states", said) as client:  # the proxy was started again
            work(agent, client, range(turns // 2, turns))

    assert len(model.bodies) == turns
    for body in model.bodies:
        agent.check(body)
        assert satchel.count(body) <= BUDGET
        assert "never touch src/legal.py" in json.dumps(body)
        assert SECRET not in json.dumps(body)
    asked = [f"Question {turn}:" for turn in range(turns) if (turn + 1) % QUESTION_EVERY == 0]
    assert asked[-1] in json.dumps(model.bodies[-1]) or turns % QUESTION_EVERY == 0
    shares = [share_kept(*pair) for pair in pairwise(model.bodies)]
    cuts = sum(share < 0.5 for share in shares[5:])
    assert statistics.mean(shares[5:]) > 0.8
    assert 0 < cuts < turns // 8
    assert len(list((tmp_path / "states").iterdir())) == 1
