"""A worker process of `acompact`: compacts the conversations named on stdin and answers on stdout.

It is started as `python -P -m satchel.compaction.compacting_child`. Both directions use JSON Lines.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from satchel.compaction.compacting import compact, list_messages
from satchel.compaction.state import State, Water
from satchel.errors import SatchelError, pack_error

_MOST_KNOWN = 16
"""Conversations whose plugins and counts are kept for the next call."""
REMEMBERED = ("source", "window", "outside", "sent", "compactions", "origins")
"""Fields of a state that are sent between processes."""


def main() -> int:
    """Answer one request after the other until stdin ends."""
    # the plugins' prints must not reach the answers
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    gc.freeze()
    known: OrderedDict[str, State] = OrderedDict()
    for line in sys.stdin.buffer:
        answer = json.dumps(_answer(json.loads(line), known), default=str)
        answers.write(answer.encode("ascii") + b"\n")
        answers.flush()
    return 0


def _answer(asked: dict[str, Any], known: OrderedDict[str, State]) -> dict[str, Any]:
    state = _find_state(asked, known)
    document = asked["messages"]
    try:
        window = compact(document, budget=asked["budget"], state=state, **asked["options"])
    except (SatchelError, TypeError) as error:
        return pack_error(error)
    given = list_messages(document, window.list_key)
    sent = asked["state"]["window"] if asked["state"] is not None else []
    places = {id(item): -1 - at for at, item in enumerate(sent)}
    places |= {id(item): at for at, item in enumerate(given)} if isinstance(given, list) else {}
    return {
        "window": _point(window.messages, window.list_key, places),
        "list_key": window.list_key,
        "tokens": window.tokens,
        "cut": [[one.index, one.role, one.tokens, one.kept, one.reason, one.pointer] for one in window.cut],
        "problems": [list(problem) for problem in window.problems],
        "report": dict(window.report),
        "pointer": window.pointer,
        "origins": window.origins,
        "state": {name: getattr(state, name) for name in REMEMBERED if name != "window"} if state else None,
    }


def _find_state(asked: Mapping[str, Any], known: OrderedDict[str, State]) -> State | None:
    """Return the state of the request, with the data that this process keeps for that conversation."""
    held = asked["state"]
    if held is None:
        return None
    state = known.pop(asked["token"], None) or State()
    known[asked["token"]] = state
    while len(known) > _MOST_KNOWN:
        known.popitem(last=False)
    state.water = Water(**asked["water"])
    take_over(state, {name: held[name] for name in REMEMBERED})
    return state


def take_over(state: State, held: Mapping[str, Any]) -> None:
    """Copy into a state its fields from another process."""
    for name, value in held.items():
        setattr(state, name, value)
    state.sent = [(digest, tokens) for digest, tokens in held["sent"]]
    state.origins = [(index, blocks) for index, blocks in held["origins"]]


def _point(document: Any, list_key: str, places: Mapping[int, int]) -> Any:
    """Return a document with a number in place of each message that the caller already has.

    From 0 up it is a message of the conversation, from -1 down one of the window that was sent last.
    """
    items = list_messages(document, list_key)
    if not isinstance(items, list):
        return {"whole": document}
    pointed = [places.get(id(item), item) for item in items]
    if not isinstance(document, dict):
        return {"items": pointed}
    rest = {key: value for key, value in document.items() if key != list_key}
    return {"items": pointed, "key": list_key, "rest": rest}


if __name__ == "__main__":
    sys.exit(main())
