"""Run the page on Haystack in Haystack, with a chat generator that only remembers what it was sent."""

from __future__ import annotations

import asyncio
from typing import Any

from checking import BUDGET, Framework, Sent, converse, result_of
from haystack import component
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage, StreamingChunk, ToolCall
from haystack.tools import tool
from satchel_haystack import Compacting

SENT: list[list[ChatMessage]] = []
HISTORIES: dict[str, list[ChatMessage]] = {"ann": [], "bob": []}


@component
class Remembering:
    """Calls the tool once in a turn, then answers."""

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage], tools: Any = None, streaming_callback: Any = None) -> Any:
        SENT.append(list(messages))
        if streaming_callback:
            streaming_callback(StreamingChunk("I"))
        last = messages[-1]
        if last.is_from("user"):
            arguments = {
                "name": "ann" if "ann" in str(last.name) else "bob",
                "turn": len(HISTORIES[str(last.name)]) // 4,
            }
            return {
                "replies": [
                    ChatMessage.from_assistant(tool_calls=[ToolCall("look", arguments, f"c{len(SENT)}")])
                ]
            }
        return {"replies": [ChatMessage.from_assistant("I looked, and all is well.")]}

    @component.output_types(replies=list[ChatMessage])
    async def run_async(
        self, messages: list[ChatMessage], tools: Any = None, streaming_callback: Any = None
    ) -> Any:
        return self.run(messages, tools)


@tool
def look(name: str, turn: int) -> str:
    """Look at the shop."""
    return result_of(name, turn)


AGENT = Agent(chat_generator=Compacting(Remembering(), BUDGET), tools=[look], system_prompt="Be careful.")


def ask(name: str, turn: int, words: str) -> None:
    asked = [*HISTORIES[name], ChatMessage.from_user(words, name=name)]
    if turn % 3 == 0:
        done = AGENT.run(messages=asked)
    elif turn % 3 == 1:
        done = asyncio.run(AGENT.run_async(messages=asked))
    else:
        pieces: list[Any] = []
        done = AGENT.run(messages=asked, streaming_callback=pieces.append)
        assert pieces
    HISTORIES[name] = [one for one in done["messages"] if not one.is_from("system")]


def neutral(messages: list[ChatMessage]) -> list[Sent]:
    made = []
    for one in messages:
        result = one.tool_call_result
        calls = (result.origin.id,) if result else tuple(call.id for call in one.tool_calls)
        made.append(Sent(one.role.value, str(result.result) if result else one.text or "", calls))
    return made


def results(name: str) -> list[str]:
    return [str(one.tool_call_result.result) for one in HISTORIES[name] if one.tool_call_result]


AGENT.warm_up()
converse(Framework("Haystack", ask, SENT, neutral, results))
