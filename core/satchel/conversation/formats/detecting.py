"""Tell from a document which provider's format it is in, and refuse to guess where it shows two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from satchel.errors import ConversationError
from satchel.messages import Format


class Sign(NamedTuple):
    """Something that tells a format, and whether it alone decides."""

    format: Format
    what: str
    sure: bool = True


_REQUEST_KEYS = {
    "system": Format.ANTHROPIC,
    "anthropic_version": Format.ANTHROPIC,
    "keep_alive": Format.OLLAMA,
    "options": Format.OLLAMA,
    "instructions": Format.RESPONSES,
    "previous_response_id": Format.RESPONSES,
}
# sure or not: other servers give some of these keys too
_MESSAGE_KEYS = {
    "function_call": (Format.OPENAI, True),
    "tool_name": (Format.OLLAMA, True),
    "images": (Format.OLLAMA, True),
    "tool_call_id": (Format.OPENAI, False),
    "refusal": (Format.OPENAI, False),
    "thinking": (Format.OLLAMA, False),
}
_PARTS = {
    "tool_use": Format.ANTHROPIC,
    "tool_result": Format.ANTHROPIC,
    "redacted_thinking": Format.ANTHROPIC,
    "server_tool_use": Format.ANTHROPIC,
    "mcp_tool_use": Format.ANTHROPIC,
    "image": Format.ANTHROPIC,
    "document": Format.ANTHROPIC,
    "image_url": Format.OPENAI,
    "input_audio": Format.OPENAI,
    "input_text": Format.RESPONSES,
    "output_text": Format.RESPONSES,
    "input_image": Format.RESPONSES,
    "input_file": Format.RESPONSES,
}
_ROLES = {"developer": False, "function": True}
_PLAIN = frozenset({"role", "content"})


def detect(items: Sequence[Any] | str, request: Mapping[str, Any] | None) -> Format:
    """Return the format of messages; OpenAI's where nothing tells: all read such messages alike.

    Raises ConversationError where there are sure signs of two formats.
    """
    if isinstance(items, str) or (request is not None and "messages" not in request):
        return Format.RESPONSES
    found = _first_signs(items, request or {})
    sure = [(form, *where) for (form, is_sure), where in found.items() if is_sure]
    if len(sure) > 1:
        told = " and ".join(f"{form} ({what} in {place})" for form, what, place in sure[:2])
        raise ConversationError("", f"the messages look like {told}; say which with --format")
    return sure[0][0] if sure else next((form for form, _ in found), Format.OPENAI)


def _first_signs(
    items: Sequence[Any], request: Mapping[str, Any]
) -> dict[tuple[Format, bool], tuple[str, str]]:
    """Return the first sign of each format, sure ones and others: what it is, and where."""
    found: dict[tuple[Format, bool], tuple[str, str]] = {}
    for sign in _signs_of_request(request):
        found.setdefault((sign.format, sign.sure), (sign.what, "the request"))
    for index, item in enumerate(items):
        for sign in _signs_of(item):
            if (sign.format, sign.sure) not in found:
                found[sign.format, sign.sure] = (sign.what, f"messages[{index}]")
    return found


def _signs_of_request(request: Mapping[str, Any]) -> Iterator[Sign]:
    for key in request.keys() & _REQUEST_KEYS.keys():
        yield Sign(_REQUEST_KEYS[key], repr(key))


def _signs_of(item: Any) -> Sequence[Sign]:
    if not isinstance(item, dict):
        return ()
    content = item.get("content")
    role = item.get("role")
    if isinstance(content, str) and item.keys() <= _PLAIN and not (isinstance(role, str) and role in _ROLES):
        return ()
    if isinstance(item.get("type"), str) and ("role" not in item or item["type"] == "message"):
        return (Sign(Format.RESPONSES, repr(item["type"])),)
    return (*_signs_of_keys(item), *_signs_of_calls(item), *_signs_of_parts(content))


def _signs_of_keys(item: dict[str, Any]) -> Iterator[Sign]:
    role = item.get("role")
    if isinstance(role, str) and role in _ROLES:
        yield Sign(Format.OPENAI, f"role {role!r}", _ROLES[role])
    for key in item.keys() & _MESSAGE_KEYS.keys():
        form, sure = _MESSAGE_KEYS[key]
        if item[key] is not None:
            yield Sign(form, repr(key), sure)


def _signs_of_calls(item: dict[str, Any]) -> Iterator[Sign]:
    calls = item.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        given = function.get("arguments") if isinstance(function, dict) else None
        if isinstance(given, dict):
            yield Sign(Format.OLLAMA, "arguments that are an object")
        elif isinstance(given, str):
            yield Sign(Format.OPENAI, "arguments that are a text")


def _signs_of_parts(content: object) -> Iterator[Sign]:
    for part in content if isinstance(content, list) else ():
        kind = part.get("type") if isinstance(part, dict) else None
        form = _PARTS.get(kind) if isinstance(kind, str) else None
        if form:
            yield Sign(form, repr(kind))
