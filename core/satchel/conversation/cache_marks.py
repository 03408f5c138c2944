"""Take the marks of a prompt cache off messages, and put them back where they belong.

Anthropic's clients mark the newest message (`cache_control`) and take the mark off the one before. A mark is
no content: with it, each message would look changed in the turn after it was sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

MARK = "cache_control"


def take_marks(document: Any) -> tuple[Any, list[tuple[Any, Any]]]:
    """Return messages without marks, and each marked message as it is now and as it was.

    `document` is a list of messages or a request; only messages in a list are changed. Without any mark, the
    document itself comes back.
    """
    items = _list_of(document)
    marked: list[tuple[Any, Any]] = []
    plain = []
    for item in items:
        bare = _without_mark(item)
        if bare is not item:
            marked.append((bare, item))
        plain.append(bare)
    return (_with_list(document, plain), marked) if marked else (document, [])


def put_marks(document: Any, marked: Sequence[tuple[Any, Any]]) -> Any:
    """Return messages with their marks again; those of a message that is not there go to the last one."""
    items = list(_list_of(document))
    if not marked or not items:
        return document
    is_lost = False
    until = len(items)
    for bare, was in reversed(marked):
        at = next((at for at in range(until - 1, -1, -1) if items[at] is bare or items[at] == bare), None)
        if at is None:
            is_lost = True
        else:
            items[at], until = was, at
    if is_lost and not any(_without_mark(item) is not item for item in items[-2:]):
        items[-1] = _with_mark(items[-1], _mark_of(marked[-1][1]))
    return _with_list(document, items)


def _list_of(document: Any) -> Sequence[Any]:
    held = document.get("messages") if isinstance(document, dict) else document
    return held if isinstance(held, list | tuple) else ()


def _with_list(document: Any, items: list[Any]) -> Any:
    return {**document, "messages": items} if isinstance(document, dict) else items


def _without_mark(item: Any) -> Any:
    """Return a message without marks, the same one if it has none."""
    if not isinstance(item, dict):
        return item
    content = item.get("content")
    blocks = content if isinstance(content, list) else []
    if MARK not in item and not any(isinstance(block, dict) and MARK in block for block in blocks):
        return item
    bare = {key: value for key, value in item.items() if key != MARK}
    if isinstance(content, list):
        bare["content"] = [
            {key: value for key, value in block.items() if key != MARK} if isinstance(block, dict) else block
            for block in content
        ]
    return bare


def _mark_of(item: dict[str, Any]) -> Any:
    """Return the last mark of a message."""
    content = item.get("content")
    blocks = content if isinstance(content, list) else []
    marks = [block[MARK] for block in blocks if isinstance(block, dict) and MARK in block]
    return marks[-1] if marks else item.get(MARK)


def _with_mark(item: Any, mark: Any) -> Any:
    """Return a message with a mark on its last block; one that can't have a mark as it is."""
    content = item.get("content") if isinstance(item, dict) else None
    if isinstance(content, str) and content:
        content = [{"type": "text", "text": content}]
    if not isinstance(content, list) or not content or not isinstance(content[-1], dict):
        return item
    if content[-1].get("type") in ("thinking", "redacted_thinking"):
        return item
    return {**item, "content": [*content[:-1], {**content[-1], MARK: mark}]}
