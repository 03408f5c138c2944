"""Run the page on the OpenAI Agents SDK in the SDK, with a model that only remembers what it was sent."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import AsyncIterator
from typing import Any

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage, function_tool, set_tracing_disabled
from checking import BUDGET, FIRST, LAST, Sent, check_steady, check_window, result_of
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)
from satchel_agents import Compacting

SENT: list[list[Any]] = []


def find_input(given: tuple[Any, ...], named: dict[str, Any]) -> Any:
    return named["input"] if "input" in named else given[1]


class Remembering(Model):
    """Calls the tool once in a turn, then answers."""

    def _answer(self, given: Any) -> list[Any]:
        items = [given] if isinstance(given, str) else list(given)
        SENT.append(copy.deepcopy(items))
        if items[-1].get("role") == "user":
            arguments = json.dumps({"turn": len(SENT)})
            return [
                ResponseFunctionToolCall(
                    type="function_call", name="look", call_id=f"call-{len(SENT)}", arguments=arguments
                )
            ]
        text = ResponseOutputText(type="output_text", text="I looked, and all is well.", annotations=[])
        return [
            ResponseOutputMessage(
                id=f"m{len(SENT)}", type="message", role="assistant", status="completed", content=[text]
            )
        ]

    async def get_response(self, *given: Any, **named: Any) -> ModelResponse:
        return ModelResponse(output=self._answer(find_input(given, named)), usage=Usage(), response_id=None)

    async def stream_response(self, *given: Any, **named: Any) -> AsyncIterator[Any]:
        response = Response(
            id="r",
            created_at=0,
            model="remembering",
            object="response",
            output=self._answer(find_input(given, named)),
            parallel_tool_calls=False,
            tool_choice="auto",
            tools=[],
        )
        yield ResponseCompletedEvent(type="response.completed", response=response, sequence_number=0)


def neutral(items: list[Any]) -> list[Sent]:
    made = []
    for one in items:
        if one.get("type") == "function_call":
            made.append(Sent("assistant", "", (one["call_id"],)))
        elif one.get("type") == "function_call_output":
            made.append(Sent("tool", str(one["output"]), (one["call_id"],)))
        else:
            content = one["content"]
            text = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
            made.append(Sent(one["role"], text))
    return made


async def main() -> None:
    set_tracing_disabled(disabled=True)
    settings = RunConfig(call_model_input_filter=Compacting(BUDGET))
    histories: dict[str, list[Any]] = {"ann": [], "bob": []}
    windows: dict[str, list[list[Sent]]] = {"ann": [], "bob": []}
    agents: dict[str, Agent[Any]] = {}
    for name in histories:

        @function_tool
        def look(turn: int, name: str = name) -> str:
            """Look at the shop."""
            return result_of(name, turn)

        agents[name] = Agent(name="helper", instructions="Be careful.", model=Remembering(), tools=[look])
    for turn in range(16):
        for name, other in (("ann", "bob"), ("bob", "ann")):
            first = [{"role": "user", "content": FIRST}] if turn == 0 else []
            asked = [*histories[name], *first, {"role": "user", "content": LAST.format(turn=turn)}]
            before = len(SENT)
            if turn % 2:
                result: Any = Runner.run_streamed(agents[name], asked, run_config=settings)
                async for _ in result.stream_events():
                    pass
            else:
                result = await Runner.run(agents[name], asked, run_config=settings)
            histories[name] = result.to_input_list()
            for sent in SENT[before:]:
                check_window(neutral(sent), name, turn, [other])
                windows[name].append(neutral(sent))
            outputs = [
                str(one["output"]) for one in histories[name] if one.get("type") == "function_call_output"
            ]
            assert len(outputs) == turn + 1
            assert all(text.count("\n") == 59 for text in outputs), "the run's own items were cut"
            if turn == 0:
                assert len(SENT[-1]) == 4, "a short conversation was touched"
    for steps in windows.values():
        check_steady(steps)
    print(f"OpenAI Agents SDK: {len(SENT)} calls of the model, all within {BUDGET} tokens")


asyncio.run(main())
