"""Run the page on LlamaIndex in LlamaIndex, with its own model of a function."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from checking import BUDGET, Framework, Sent, converse, result_of
from llama_index.core.agent.workflow import AgentStream
from llama_index.core.base.llms.types import ChatMessage, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from satchel_llamaindex import CompactingAgent
from satchel_llamaindex import neutral as as_openai
from try_llamaindex import make_memory

SENT: list[list[ChatMessage]] = []
MEMORIES = {"ann": make_memory(), "bob": make_memory()}
TURN = {"ann": 0, "bob": 0}


def answer(messages: Sequence[ChatMessage], **_: Any) -> ChatMessage:
    """Call the tool once in a turn, then answer."""
    SENT.append(list(messages))
    name = "ann" if "ann" in str(messages[0].content) else "bob"
    if messages[-1].role != "user":
        return ChatMessage(role="assistant", content="I looked, and all is well.")
    arguments = {"name": name, "turn": TURN[name]}
    call = ToolCallBlock(tool_call_id=f"c{len(SENT)}", tool_name="look", tool_kwargs=arguments)
    return ChatMessage(role="assistant", blocks=[call])


def look(name: str, turn: int) -> str:
    """Look at the shop."""
    return result_of(name, turn)


def make_agent(name: str) -> CompactingAgent:
    model = MockFunctionCallingLLM(response_generator=answer, is_chat_model=True)
    return CompactingAgent(llm=model, tools=[look], system_prompt=f"Help {name}.", budget=BUDGET)


AGENTS = {name: make_agent(name) for name in MEMORIES}


async def run(name: str, words: str, *, streaming: bool) -> None:
    AGENTS[name].streaming = streaming
    handler = AGENTS[name].run(words, memory=MEMORIES[name])
    events = [event async for event in handler.stream_events()]
    await handler
    assert any(isinstance(event, AgentStream) for event in events) == streaming


def ask(name: str, turn: int, words: str) -> None:
    TURN[name] = turn
    asyncio.run(run(name, words, streaming=turn % 2 == 1))


def neutral(messages: list[ChatMessage]) -> list[Sent]:
    made = []
    for one in map(as_openai, messages):
        calls = tuple(call["id"] for call in one.get("tool_calls", ()))
        made.append(
            Sent(one["role"], one["content"], calls or tuple(filter(None, [one.get("tool_call_id")])))
        )
    return made


def results(name: str) -> list[str]:
    return [str(one.content) for one in MEMORIES[name].get_all() if one.role == "tool"]


converse(Framework("LlamaIndex", ask, SENT, neutral, results))
