"""Run the page on smolagents in smolagents, with a model that only remembers what it was sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

from checking import BUDGET, Framework, Sent, converse, result_of
from satchel_smolagents import Compacting, number, text_of
from smolagents import ChatMessage, MessageRole, ToolCallingAgent, tool
from smolagents.models import (
    ChatMessageStreamDelta,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    ChatMessageToolCallStreamDelta,
    Model,
)

SENT: list[list[ChatMessage]] = []


class Remembering(Model):
    """Calls the tool once in a turn, then ends."""

    def generate(self, messages: list[ChatMessage], *_: Any, **__: Any) -> ChatMessage:
        SENT.append(list(messages))
        name = "ann" if "ann" in text_of(messages[0]) else "bob"
        turn = sum("is wrong" in text_of(one) for one in AGENTS[name].write_memory_to_messages()) - 1
        is_asked = messages[-1].role == MessageRole.USER
        called = (
            ("look", {"name": name, "turn": turn})
            if is_asked
            else ("final_answer", {"answer": "All is well."})
        )
        function = ChatMessageToolCallFunction(name=called[0], arguments=json.dumps(called[1]))
        call = ChatMessageToolCall(function=function, id=f"c{len(SENT)}", type="function")
        return ChatMessage(MessageRole.ASSISTANT, "", [call])

    def generate_stream(
        self, messages: list[ChatMessage], *_: Any, **__: Any
    ) -> Iterator[ChatMessageStreamDelta]:
        for call in self.generate(messages).tool_calls or ():
            delta = ChatMessageToolCallStreamDelta(0, call.id, "function", call.function)
            yield ChatMessageStreamDelta(content="", tool_calls=[delta])


@tool
def look(name: str, turn: int) -> str:
    """Look at the shop.

    Args:
        name: who asks
        turn: which turn
    """
    return result_of(name, turn)


AGENTS: dict[str, ToolCallingAgent] = {}
for who in ("ann", "bob"):
    AGENTS[who] = ToolCallingAgent([look], Compacting(Remembering(), BUDGET), verbosity_level=0)
    AGENTS[who].prompt_templates["system_prompt"] = f"Be careful, {who}."
    AGENTS[who].memory.system_prompt.system_prompt = f"Be careful, {who}."


def ask(name: str, turn: int, words: str) -> None:
    agent = AGENTS[name]
    agent.stream_outputs = turn % 3 == 2
    if turn % 3 == 1:
        asyncio.run(asyncio.to_thread(agent.run, words, reset=turn == 0))
    else:
        agent.run(words, reset=turn == 0)


def neutral(messages: list[ChatMessage]) -> list[Sent]:
    roles = {"tool-call": "assistant", "tool-response": "tool"}
    made = []
    for call, one in number(messages):
        is_call = one.role.value in roles
        made.append(
            Sent(roles.get(one.role.value, one.role.value), text_of(one), (str(call),) if is_call else ())
        )
    return made


def results(name: str) -> list[str]:
    told = [
        text_of(one)
        for one in AGENTS[name].write_memory_to_messages()
        if one.role == MessageRole.TOOL_RESPONSE
    ]
    return [text for text in told if " line " in text]


converse(Framework("smolagents", ask, SENT, neutral, results))
