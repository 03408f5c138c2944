"""Run the page on LangChain in LangChain and LangGraph, with a model that only remembers what it was sent."""

from __future__ import annotations

import asyncio
from typing import Any

from checking import BUDGET, FIRST, LAST, Sent, check_steady, check_window, result_of
from langchain.agents import create_agent
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from satchel_langchain import Compacting

SENT: list[list[BaseMessage]] = []


class Remembering(BaseChatModel):
    """Calls the tool once in a turn, then answers."""

    @property
    def _llm_type(self) -> str:
        return "remembering"

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        SENT.append(list(messages))
        last = messages[-1]
        if isinstance(last, HumanMessage):
            name, turn = str(last.name), len(SENT)
            call = {"name": "look", "args": {"name": name, "turn": turn}, "id": f"call-{name}-{turn}"}
            return ChatResult(generations=[ChatGeneration(message=AIMessage("", tool_calls=[call]))])
        return ChatResult(generations=[ChatGeneration(message=AIMessage("I looked, and all is well."))])


@tool
def look(name: str, turn: int) -> str:
    """Look at the shop."""
    return result_of(name, turn)


def neutral(messages: list[BaseMessage]) -> list[Sent]:
    roles = {"human": "user", "ai": "assistant"}
    return [
        Sent(
            roles.get(one.type, one.type),
            str(one.content),
            (one.tool_call_id,)
            if one.type == "tool"
            else tuple(c["id"] for c in getattr(one, "tool_calls", ())),
        )
        for one in messages
    ]


def asked(name: str, turn: int) -> dict[str, list[HumanMessage]]:
    first = [HumanMessage(FIRST, name=name, id=f"first-{name}")] if turn == 0 else []
    return {"messages": [*first, HumanMessage(LAST.format(turn=turn), name=name)]}


def main() -> None:
    agent = create_agent(Remembering(), [look], middleware=[Compacting(BUDGET)], checkpointer=InMemorySaver())
    windows: dict[str, list[list[Sent]]] = {"ann": [], "bob": []}
    for turn in range(16):
        for name, other in (("ann", "bob"), ("bob", "ann")):
            settings: Any = {"configurable": {"thread_id": name}}
            before = len(SENT)
            if turn % 3 == 0:
                agent.invoke(asked(name, turn), settings)
            elif turn % 3 == 1:
                asyncio.run(agent.ainvoke(asked(name, turn), settings))
            else:
                list(agent.stream(asked(name, turn), settings))
            for sent in SENT[before:]:
                check_window(neutral(sent), name, turn, [other])
                windows[name].append(neutral(sent))
            history = agent.get_state(settings).values["messages"]
            assert len(history) == 4 * (turn + 1) + 1
            results = [one.content for one in history if one.type == "tool"]
            assert all(text.count("\n") == 59 for text in results), "the agent's own history was cut"
            if turn == 0:
                assert all(a is b or a.id == b.id for a, b in zip(SENT[-1], history, strict=False))
                assert SENT[-1][0].id == f"first-{name}"
    for steps in windows.values():
        check_steady(steps)
    print(f"LangChain: {len(SENT)} calls of the model, all within {BUDGET} tokens")


main()
