"""Compact while an event loop goes on: in a thread, or in another process if that takes long."""

from __future__ import annotations

import atexit
import itertools
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import IO, TYPE_CHECKING, Any, Unpack, cast

import attrs

from satchel.compaction.compacting import CompactOptions, compact, list_messages
from satchel.compaction.compacting_child import REMEMBERED, take_over
from satchel.compaction.state import State
from satchel.compaction.windows import Cut, Window
from satchel.errors import Problem, SatchelError, unpack_error

if TYPE_CHECKING:
    from satchel.events import Event

LARGE = 300_000
"""Characters from which a conversation is compacted in a process of its own: a thread would hold the others
up, because Python runs one at a time."""
_COMMAND = (sys.executable, "-P", "-m", "satchel.compaction.compacting_child")
_OF_THIS_PROCESS = frozenset({"host", "config", "observe"})
"""Options that can't be handed to another process."""
_MOST_WORKERS = 4


async def acompact(
    messages: Any,
    *,
    budget: int,
    task: str = "",
    state: State | None = None,
    pins: Iterable[int | str] = (),
    observe: Callable[[Event], None] | None = None,
    **options: Unpack[CompactOptions],
) -> Window:
    """Compact as `compact` does, with the same arguments and answer, while the event loop goes on.

    A conversation of more than 300,000 characters is compacted in a process of its own, unless `host`,
    `config` or `observe` is given. Do not use one state in two calls at once.

    Raises:
        SatchelError: as `compact` does.
    """
    import asyncio

    given: dict[str, Any] = {"task": task, "pins": pins, **options}
    if observe is not None:
        given["observe"] = observe
    work: Callable[..., Window] = compact_elsewhere if goes_elsewhere(messages, given) else compact
    return await asyncio.to_thread(work, messages, budget=budget, state=state, **given)


def goes_elsewhere(messages: Any, options: Mapping[str, Any]) -> bool:
    """Return whether a conversation with these options is compacted in a process of its own."""
    is_named = isinstance(options.get("model", ""), str)
    return is_named and _OF_THIS_PROCESS.isdisjoint(options) and is_large(messages)


def is_large(value: Any) -> bool:
    """Return whether a document has more than 300,000 characters."""
    room, todo = LARGE, [value]
    while todo:
        one = todo.pop()
        if isinstance(one, str):
            room -= len(one)
        elif isinstance(one, Mapping):
            todo.extend(one.values())
        elif isinstance(one, list | tuple):
            todo.extend(one)
        if room < 0:
            return True
    return False


class _Worker:
    """A process that compacts, one conversation at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, request: bytes) -> dict[str, Any]:
        """Return the answer to a request; start the process if there is none."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._process = subprocess.Popen(_COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603
            told, answers = cast("IO[bytes]", self._process.stdin), cast("IO[bytes]", self._process.stdout)
            try:
                told.write(request)
                told.flush()
                line = answers.readline()
            except OSError:
                line = b""
            if not line.endswith(b"\n"):
                self._process.kill()
                self._process.wait()
                self._process = None
                raise SatchelError("the process that compacts ended before it answered; try again")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """End the process."""
        with self._lock:
            if self._process is not None:
                self._process.kill()
                self._process.communicate()
                self._process = None


_workers = [_Worker() for _ in range(min(_MOST_WORKERS, os.cpu_count() or 1))]
_turns = itertools.count()


@atexit.register
def close_workers() -> None:
    """End the processes that `acompact` started; the next one that is needed is started again."""
    for worker in _workers:
        worker.close()


def compact_elsewhere(messages: Any, *, budget: int, state: State | None = None, **options: Any) -> Window:
    """Compact in another process; a conversation always has the same one, which keeps its counts."""
    turn = int(state.id, 16) if state is not None else next(_turns)
    given = {name: _plain(value) for name, value in options.items()}
    asked = {
        "messages": messages,
        "budget": budget,
        "options": given,
        "token": state.id if state is not None else "",
        "water": attrs.asdict(state.water) if state is not None else {},
        "state": {name: getattr(state, name) for name in REMEMBERED} if state is not None else None,
    }
    try:
        request = json.dumps(asked).encode("ascii") + b"\n"
    except (TypeError, ValueError, RecursionError):  # `compact` says what can't be written
        return compact(messages, budget=budget, state=state, **options)
    answer = _workers[turn % len(_workers)].ask(request)
    if "error" in answer:
        raise TypeError(answer["text"]) if answer["error"] == "TypeError" else unpack_error(answer)
    window = Window(
        _follow(
            answer["window"],
            list_messages(messages, answer["list_key"]),
            state.window if state is not None else [],
        ),
        answer["tokens"],
        tuple(Cut(*one) for one in answer["cut"]),
        tuple(Problem(*one) for one in answer["problems"]),
        lambda: answer["report"],
        answer["list_key"],
        answer["pointer"],
        lambda: answer["origins"],
    )
    if state is not None:
        _remember(state, answer["state"], window)
    return window


def _plain(value: Any) -> Any:
    """Return an option as JSON takes it."""
    if isinstance(value, str | int | float | None):
        return value
    return str(value) if isinstance(value, os.PathLike) else list(value)


def _follow(pointed: Mapping[str, Any], given: Any, sent: list[Any]) -> Any:
    """Return the document of an answer; unchanged messages are the very objects of the caller."""
    if "whole" in pointed:
        return pointed["whole"]
    items = [
        item if not isinstance(item, int) else given[item] if item >= 0 else sent[-1 - item]
        for item in pointed["items"]
    ]
    if "key" not in pointed:
        return items
    return {**pointed["rest"], pointed["key"]: items}


def _remember(state: State, held: Mapping[str, Any], window: Window) -> None:
    """Copy the state that the worker remembered, and save it."""
    items = list_messages(window.messages, window.list_key)
    take_over(state, held)
    if isinstance(items, list):
        state.window = list(items)
    state.save()
