"""Remove the marks of a prompt cache from messages, and put them back.

Anthropic's clients mark the newest message (`cache_control`) and remove the mark from the one before. A
mark is not content: with it, each message would look changed in the turn after it was sent. The formats
know which keys are marks, and where the messages are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from satchel.interfaces import MessageFormat

CacheMarks = Mapping[str, frozenset[str]]
"""Keys that are marks, by the key of a request that holds the messages."""


def list_cache_marks(formats: Iterable[MessageFormat]) -> CacheMarks:
    """Return the keys that are marks in any of the formats."""
    found: dict[str, frozenset[str]] = {}
    for one in formats:
        names = frozenset({one.cache_mark} if one.cache_mark else ())
        found[one.list_key] = found.get(one.list_key, frozenset()) | names
    return found


def take_marks(document: Any, marks: CacheMarks) -> tuple[Any, list[tuple[Any, Any]]]:
    """Return messages without marks, and each marked message as it is now and as it was.

    `document` is a list of messages or a request; only messages in a list are changed. Without any mark, the
    document itself comes back.
    """
    names = _names_in(document, marks)
    marked: list[tuple[Any, Any]] = []
    plain = []
    for item in _list_of(document, marks):
        bare = _remove_marks(item, names)
        if bare is not item:
            marked.append((bare, item))
        plain.append(bare)
    return (_with_list(document, plain, marks), marked) if marked else (document, [])


def put_marks(document: Any, marked: Sequence[tuple[Any, Any]], marks: CacheMarks) -> Any:
    """Return messages with their marks; the marks of a missing message go to the last one."""
    items, names = list(_list_of(document, marks)), _names_in(document, marks)
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
    if is_lost and not any(_remove_marks(item, names) is not item for item in items[-2:]):
        items[-1] = _with_marks(items[-1], _marks_of(marked[-1][1], names))
    return _with_list(document, items, marks)


def _find_key(document: Mapping[str, Any], marks: CacheMarks) -> str:
    return next((key for key in marks if key in document), "")


def _names_in(document: Any, marks: CacheMarks) -> frozenset[str]:
    """Return the keys that are marks in a document: for a list without a request, those of all formats."""
    if isinstance(document, dict):
        return marks.get(_find_key(document, marks), frozenset())
    return frozenset().union(*marks.values())


def _list_of(document: Any, marks: CacheMarks) -> Sequence[Any]:
    held = document.get(_find_key(document, marks)) if isinstance(document, dict) else document
    return held if isinstance(held, list | tuple) else ()


def _with_list(document: Any, items: list[Any], marks: CacheMarks) -> Any:
    return {**document, _find_key(document, marks): items} if isinstance(document, dict) else items


def _remove_marks(item: Any, names: frozenset[str]) -> Any:
    """Return a message without marks, in it and in its parts; the same one if it has none."""
    if not isinstance(item, dict):
        return item
    lists = {key: parts for key, parts in item.items() if isinstance(parts, list)}
    if not _has_mark(item, names) and not any(
        _has_mark(part, names) for parts in lists.values() for part in parts
    ):
        return item
    bare = {key: value for key, value in item.items() if key not in names}
    for key in lists.keys() & bare.keys():
        bare[key] = [_drop(part, names) for part in lists[key]]
    return bare


def _has_mark(part: Any, names: frozenset[str]) -> bool:
    return isinstance(part, dict) and not names.isdisjoint(part)


def _drop(part: Any, names: frozenset[str]) -> Any:
    return {key: value for key, value in part.items() if key not in names} if _has_mark(part, names) else part


def _marks_of(item: dict[str, Any], names: frozenset[str]) -> dict[str, Any]:
    """Return the last marks of a message."""
    parts = [part for value in item.values() if isinstance(value, list) for part in value]
    held = [one for one in (item, *parts) if _has_mark(one, names)]
    return {key: value for key, value in held[-1].items() if key in names} if held else {}


def _with_marks(item: Any, told: Mapping[str, Any]) -> Any:
    """Return a message with marks on its last block; unchanged if it can't have a mark."""
    content = item.get("content") if isinstance(item, dict) else None
    if isinstance(content, str) and content:
        content = [{"type": "text", "text": content}]
    if not isinstance(content, list) or not content or not isinstance(content[-1], dict):
        return item
    if content[-1].get("type") in ("thinking", "redacted_thinking"):
        return item
    return {**item, "content": [*content[:-1], {**content[-1], **told}]}
