"""Run the page on Pydantic AI in Pydantic AI, with its own model of a function."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from checking import BUDGET, FIRST, LAST, Sent, check_steady, check_window, result_of
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from satchel_pydantic_ai import Compacting, text_of

SENT: list[list[ModelMessage]] = []


def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    SENT.append(list(messages))
    if isinstance(messages[-1].parts[-1], UserPromptPart):
        return ModelResponse(
            parts=[ToolCallPart("look", {"turn": len(SENT)}, tool_call_id=f"call-{len(SENT)}")]
        )
    return ModelResponse(parts=[TextPart("I looked, and all is well.")])


async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
    part = answer(messages, info).parts[0]
    if isinstance(part, ToolCallPart):
        yield {
            0: DeltaToolCall(
                name=part.tool_name, json_args=part.args_as_json_str(), tool_call_id=part.tool_call_id
            )
        }
    else:
        yield part.content


def neutral(messages: list[ModelMessage]) -> list[Sent]:
    made = []
    for message in messages:
        if isinstance(message, ModelResponse):
            made.append(
                Sent("assistant", message.text or "", tuple(call.tool_call_id for call in message.tool_calls))
            )
            continue
        for part in message.parts:
            is_tool = part.part_kind == "tool-return"
            role = "tool" if is_tool else "system" if part.part_kind == "system-prompt" else "user"
            made.append(Sent(role, text_of(part), (part.tool_call_id,) if is_tool else ()))
    return made


async def main() -> None:
    agent = Agent(
        FunctionModel(answer, stream_function=stream),
        deps_type=str,
        system_prompt="Be careful.",
        capabilities=[Compacting(BUDGET)],
    )

    @agent.tool
    def look(ctx: RunContext[str], turn: int) -> str:
        """Look at the shop."""
        return result_of(ctx.deps, turn)

    histories: dict[str, list[ModelMessage]] = {"ann": [], "bob": []}
    windows: dict[str, list[list[Sent]]] = {"ann": [], "bob": []}
    for turn in range(16):
        for name, other in (("ann", "bob"), ("bob", "ann")):
            asked = f"{FIRST}\n{LAST.format(turn=turn)}" if turn == 0 else LAST.format(turn=turn)
            before = len(SENT)
            if turn % 2:
                async with agent.run_stream(asked, deps=name, message_history=histories[name]) as streamed:
                    await streamed.get_output()
                    histories[name] = streamed.all_messages()
            else:
                done = await agent.run(asked, deps=name, message_history=histories[name])
                histories[name] = done.all_messages()
            for sent in SENT[before:]:
                check_window(neutral(sent), name, turn, [other])
                windows[name].append(neutral(sent))
            returned = [
                text_of(part)
                for message in histories[name]
                if isinstance(message, ModelRequest)
                for part in message.parts
                if part.part_kind == "tool-return"
            ]
            assert len(returned) == turn + 1
            assert all(text.count("\n") == 59 for text in returned), "the run's own messages were cut"
            if turn == 0:
                assert SENT[-1] == histories[name][:3], "a short conversation was touched"
    for steps in windows.values():
        check_steady(steps)
    print(f"Pydantic AI: {len(SENT)} calls of the model, all within {BUDGET} tokens")


asyncio.run(main())
