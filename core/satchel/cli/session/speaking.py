"""Say in words what a node of a session is: who said what, what ran, what was pinned."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from satchel.escaping import visible
from satchel.spelling import format_count
from satchel.view.tables import clip_text

if TYPE_CHECKING:
    from satchel.session.nodes import Node

_LONGEST = 60
"""Characters of what was said."""
_LONGEST_PATH = 40
"""Characters of a path."""
_NAMED = 3
"""Nodes of one step that are named one by one."""
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})


def say_node(node: Node) -> str:
    """Return one line: `user: fix the login bug`, `assistant calls read_file app.py`, `pin app.py`."""
    body: Mapping[str, Any] = node.body if isinstance(node.body, dict) else {}
    if node.kind == "message":
        return _say_message(body)
    if "reader" in body and "sent" in body:
        return visible(f"window for {body['reader']}: {_say_window(body)}")
    title, say = _KINDS.get(node.kind, (node.kind, _say_other))
    return visible(f"{title}{say(body)}")


def say_taken(nodes: Sequence[Node]) -> str:
    """Return lines on what was taken back or put back, the oldest first: the first ones, then how many."""
    lines = [f"  {say_node(node)}\n" for node in nodes[:_NAMED]]
    rest = len(nodes) - _NAMED
    return "".join([*lines, f"  and {rest:,} more\n"] if rest > 0 else lines)


def _say_message(body: Mapping[str, Any]) -> str:
    texts, calls, results = _parts(body)
    role = str(body.get("role") or body.get("type") or "message")
    said = clip_text(" ".join(texts), _LONGEST)
    if calls:
        made = f"{role} calls {', '.join(calls[:_NAMED])}{' and more' if len(calls) > _NAMED else ''}"
        said = clip_text(" ".join(texts), _LONGEST // 2)
        return visible(f"{made}: {said}" if said else made)
    if role in ("tool", "function") or results:
        lines = sum(text.rstrip("\n").count("\n") + 1 for text in results or texts)
        first = clip_text(" ".join(results or texts), _LONGEST)
        return visible(f"result, {format_count(lines, 'line')}: {first}")
    return visible(f"{role}: {said}")


def _parts(body: Mapping[str, Any]) -> tuple[list[str], list[str], list[str]]:
    """Return what a message of any format says, the tools that it calls, and the results in it."""
    texts: list[str] = []
    calls = [_name_function(call) for call in _list_objects(body.get("tool_calls"))]
    results: list[str] = []
    content = body.get("content")
    if body.get("type") in ("function_call", "custom_tool_call"):
        calls.append(_name_call(body.get("name"), body.get("arguments", body.get("input"))))
    if body.get("type") in ("function_call_output", "custom_tool_call_output"):
        results.append(str(body.get("output", "")))
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else _list_objects(content):
        if block.get("type") == "tool_use":
            calls.append(_name_call(block.get("name"), block.get("input")))
        elif block.get("type") == "tool_result":
            results.append(" ".join(_texts_of(block.get("content"))))
        elif isinstance(block.get("text"), str):
            texts.append(block["text"])
        elif block.get("type") not in _THOUGHTS:
            texts.append(f"[{block.get('type', 'content')}]")
    return texts, calls, results


def _texts_of(content: object) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [str(block.get("text", "")) for block in _list_objects(content)]


def _list_objects(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _name_function(call: Mapping[str, Any]) -> str:
    function = call.get("function")
    made = function if isinstance(function, dict) else call
    return _name_call(made.get("name"), made.get("arguments"))


def _name_call(name: object, given: object) -> str:
    """Return a call as `Read …/shop/cart.py` or `Bash pytest -q`."""
    from satchel.showing.anatomy import describe_call

    tool = str(name or "a tool")
    if not given or given == "{}":
        return tool
    what = describe_call(tool, given if isinstance(given, str) else json.dumps(given)).what
    what = what.removeprefix(tool).strip()
    if "/" in what and " " not in what and len(what) > _LONGEST_PATH:
        what = f"…{what[-_LONGEST_PATH:]}"  # of a path, the end tells most
    return f"{tool} {clip_text(what, _LONGEST)}" if what else tool


def _say_entry(body: Mapping[str, Any]) -> str:
    code = "" if body.get("exit_code") is None else f", exit code {body['exit_code']}"
    size = format_count(body.get("lines", 0), "line")
    return f"$ {clip_text(str(body.get('command') or 'unknown command'), _LONGEST)}{code}, {size}"


def _say_edit(body: Mapping[str, Any]) -> str:
    return f"{body.get('path', 'a file')}, {clip_text(str(body.get('why', '')), _LONGEST)}"


def _say_window(body: Mapping[str, Any]) -> str:
    sent = len(_list(body.get("sent")))
    task = clip_text(str(body.get("judged", "")), _LONGEST)
    return f"{format_count(sent, 'message')} sent{f' for: {task}' if task else ''}"


def _say_compaction(body: Mapping[str, Any]) -> str:
    dialogue = body.get("dialogue")
    kept = len(_list(dialogue.get("messages"))) if isinstance(dialogue, dict) else 0
    return f"the dialogue is cut to {format_count(kept, 'message')}"


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def _say_ref(body: Mapping[str, Any]) -> str:
    return clip_text(str(body.get("ref", "")), _LONGEST)


def _say_text(body: Mapping[str, Any]) -> str:
    return clip_text(str(body.get("text", "")), _LONGEST)


def _say_other(body: Mapping[str, Any]) -> str:
    fields: Iterable[str] = (
        f"{key} {clip_text(str(value), _LONGEST)}" for key, value in list(body.items())[:_NAMED]
    )
    return ", ".join(fields)


_KINDS: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], str]]] = {
    "compaction": ("compaction: ", _say_compaction),
    "window": ("window: ", _say_window),
    "entry": ("", _say_entry),
    "edit": ("edit of ", _say_edit),
    "pin": ("pin ", _say_ref),
    "unpin": ("unpin ", _say_ref),
    "read_only": ("read-only ", _say_ref),
    "writable": ("writable again ", _say_ref),
    "step": ("step: ", _say_text),
    "note": ("note: ", _say_text),
}
"""Kind of a node -> what it is called, and what is said of it."""
