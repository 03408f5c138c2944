"""Run the page on Google's ADK in the ADK, with a model that only remembers what it was sent."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncGenerator
from typing import Any

from checking import BUDGET, Framework, Sent, converse, result_of
from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps.app import App
from google.adk.models import BaseLlm, LlmResponse
from google.adk.models.llm_request import LlmRequest
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types
from satchel_adk import Compacting, number, text_of, words_of

SENT: list[list[types.Content]] = []
TURN = {"ann": 0, "bob": 0}


class Remembering(BaseLlm):
    """Calls the tool once in a turn, then answers."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        SENT.append(list(llm_request.contents))
        name = "ann" if "ann" in str(llm_request.config.system_instruction) else "bob"
        last = llm_request.contents[-1].parts or []
        part = types.Part(text="I looked, and all is well.")
        if not any(one.function_response for one in last):
            part = types.Part.from_function_call(name="look", args={"name": name, "turn": TURN[name]})
        if stream and part.text:
            yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text="I")]), partial=True)
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def look(name: str, turn: int) -> dict[str, Any]:
    """Look at the shop."""
    return {"result": result_of(name, turn)}


SESSIONS = InMemorySessionService()
PLUGIN = Compacting(BUDGET)
RUNNERS = {}
for who in TURN:
    agent = LlmAgent(name="helper", model=Remembering(model="none"), instruction=f"Help {who}.", tools=[look])
    RUNNERS[who] = Runner(app=App(name="shop", root_agent=agent, plugins=[PLUGIN]), session_service=SESSIONS)
    asyncio.run(SESSIONS.create_session(app_name="shop", user_id="u", session_id=who))


async def run(name: str, words: types.Content, mode: StreamingMode) -> None:
    settings = RunConfig(streaming_mode=mode)
    told = RUNNERS[name].run_async(user_id="u", session_id=name, new_message=words, run_config=settings)
    events = [event async for event in told]
    assert any(event.partial for event in events) == (mode == StreamingMode.SSE)


def ask(name: str, turn: int, words: str) -> None:
    TURN[name] = turn
    asked = types.Content(role="user", parts=[types.Part(text=words)])
    if turn % 3 == 0:
        list(RUNNERS[name].run(user_id="u", session_id=name, new_message=asked))
    else:
        asyncio.run(run(name, asked, StreamingMode.NONE if turn % 3 == 1 else StreamingMode.SSE))


def neutral(contents: list[types.Content]) -> list[Sent]:
    made = []
    for content, ids in number(contents):
        calls, parts = iter(ids), content.parts or []
        results = [part.function_response for part in parts if part.function_response]
        made += [Sent("tool", text_of(one), (next(calls),)) for one in results]
        text, rest = words_of(content), tuple(calls)
        if text or rest:
            made.append(Sent("assistant" if content.role == "model" else "user", text, rest))
    return made


def results(name: str) -> list[str]:
    session = asyncio.run(SESSIONS.get_session(app_name="shop", user_id="u", session_id=name))
    assert session is not None
    parts = [part for event in session.events for part in event.content.parts or ()]
    return [text_of(part.function_response) for part in parts if part.function_response]


warnings.simplefilter("ignore")
converse(Framework("Google ADK", ask, SENT, neutral, results))
