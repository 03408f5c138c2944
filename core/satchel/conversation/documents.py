"""Read a conversation from a document, and write it back in the shape that it came in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple, Protocol, cast

from satchel.conversation.formats.shared import describe_json, wrong
from satchel.errors import ConversationError, UnknownNameError
from satchel.messages import Conversation, Format, Message


class FormatSign(NamedTuple):
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
_ANSWER_PARTS = frozenset({"text", "tool_use", "thinking", "redacted_thinking", "server_tool_use"})
"""Types of the blocks of an answer of Anthropic."""
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


def _signs_of_request(request: Mapping[str, Any]) -> Iterator[FormatSign]:
    for key in request.keys() & _REQUEST_KEYS.keys():
        yield FormatSign(_REQUEST_KEYS[key], repr(key))


def _signs_of(item: Any) -> Sequence[FormatSign]:
    if not isinstance(item, dict):
        return ()
    content = item.get("content")
    role = item.get("role")
    if isinstance(content, str) and item.keys() <= _PLAIN and not (isinstance(role, str) and role in _ROLES):
        return ()
    if isinstance(item.get("type"), str) and ("role" not in item or item["type"] == "message"):
        if _is_answer_of_anthropic(item):
            return (FormatSign(Format.ANTHROPIC, "an answer of its API"),)
        return (FormatSign(Format.RESPONSES, repr(item["type"])),)
    return (*_signs_of_keys(item), *_signs_of_calls(item), *_signs_of_parts(content))


def _is_answer_of_anthropic(item: dict[str, Any]) -> bool:
    """Tell whether a message is one as Anthropic's API returns it: its texts are of another type."""
    content = item.get("content")
    if item["type"] != "message" or not isinstance(content, list):
        return False
    kinds = {part.get("type") for part in content if isinstance(part, dict)}
    return bool(kinds) and kinds <= _ANSWER_PARTS


def _signs_of_keys(item: dict[str, Any]) -> Iterator[FormatSign]:
    role = item.get("role")
    if isinstance(role, str) and role in _ROLES:
        yield FormatSign(Format.OPENAI, f"role {role!r}", _ROLES[role])
    for key in item.keys() & _MESSAGE_KEYS.keys():
        form, sure = _MESSAGE_KEYS[key]
        if item[key] is not None:
            yield FormatSign(form, repr(key), sure)


def _signs_of_calls(item: dict[str, Any]) -> Iterator[FormatSign]:
    calls = item.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        given = function.get("arguments") if isinstance(function, dict) else None
        if isinstance(given, dict):
            yield FormatSign(Format.OLLAMA, "arguments that are an object")
        elif isinstance(given, str):
            yield FormatSign(Format.OPENAI, "arguments that are a text")


def _signs_of_parts(content: object) -> Iterator[FormatSign]:
    for part in content if isinstance(content, list) else ():
        kind = part.get("type") if isinstance(part, dict) else None
        form = _PARTS.get(kind) if isinstance(kind, str) else None
        if form:
            yield FormatSign(form, repr(kind))


FORMATS = ("auto", *(form.value for form in Format))
"""What `--format` may be."""

_MODULES = {
    Format.OPENAI: "chat",
    Format.RESPONSES: "responses",
    Format.ANTHROPIC: "anthropic",
    Format.OLLAMA: "ollama",
}


class _Codec(Protocol):
    """What the module of a format has; `OUTSIDE` is the request's key for the system's text, "" for none."""

    PLACE: str
    OUTSIDE: str

    def read_items(self, items: Any, place: str) -> list[Message]: ...

    def write_items(self, messages: Sequence[Message], *, joined: bool) -> Any: ...

    def read_outside(self, value: Any) -> Message | None: ...

    def write_outside(self, message: Message) -> Any: ...


def _codec(form: Format) -> _Codec:
    return cast(_Codec, import_module(f"satchel.conversation.formats.{_MODULES[form]}"))


def parse(given: bytes | str, *, source: str = "input") -> Any:
    """Return the JSON document in `given`; ConversationError names `source` and where it is broken."""
    try:
        text = given.decode("utf-8-sig") if isinstance(given, bytes) else given.removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise ConversationError(source, f"not UTF-8 at byte {error.start}") from None
    if not text.strip():
        raise ConversationError(source, "empty; expected messages as JSON")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        broken = f"{error.msg[:1].lower()}{error.msg[1:]}"
        raise ConversationError(
            source, f"not JSON at line {error.lineno} column {error.colno}: {broken}"
        ) from None
    except RecursionError:
        raise ConversationError(source, "nested too deeply") from None
    except ValueError as error:
        raise ConversationError(source, f"not JSON that can be read: {error}") from None


_encode = json.JSONEncoder(ensure_ascii=False).encode
"""Made once: `json.dumps` makes one for each call."""


def dump(document: Any) -> str:
    """Return a document as one line of JSON: letters as they are, lone surrogates escaped."""
    try:
        text = _encode(document)
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(document)
    except RecursionError:
        raise ConversationError("", "the messages are nested too deeply") from None
    except (TypeError, ValueError) as error:
        raise ConversationError("", f"the messages can't be written as JSON: {str(error).lower()}") from None
    return text


def read(document: Any, form: str = "auto") -> Conversation:
    """Read a list of messages, or the request that holds them; nothing is repaired.

    Raises ConversationError with the index and the key of what has a wrong shape, or where `auto`
    sees two formats.
    """
    if form not in FORMATS:
        raise UnknownNameError("format", form, FORMATS)
    request = document if isinstance(document, dict) else None
    items = document if request is None else _find_list(request)
    known = detect(_check_items(items, request), request) if form == "auto" else Format(form)
    codec = _codec(known)
    messages = codec.read_items(_check_items(items, request, known), _place(request, codec))
    if request is not None and codec.OUTSIDE:
        outside = codec.read_outside(request.get(codec.OUTSIDE))
        messages = [outside, *messages] if outside else messages
    return Conversation(known, tuple(messages), request)


def list_all_messages(document: Any) -> list[Any]:
    """Return the messages of a document in a list, what its request says outside of it as the first.

    Raises ConversationError where they can't be read.
    """
    conversation = read(document)
    if conversation.request is None:
        return list(document)
    items = _find_list(conversation.request)
    items = [{"role": "user", "content": items}] if isinstance(items, str) else list(items)
    outside = conversation.request.get(_codec(conversation.format).OUTSIDE)
    return [{"role": "system", "content": outside}, *items] if outside else items


def _find_list(request: Mapping[str, Any]) -> Any:
    for key in ("messages", "input"):
        if key in request:
            return request[key]
    raise ConversationError("", "expected a list of messages, or a request with 'messages' or 'input'")


def _place(request: Mapping[str, Any] | None, codec: _Codec) -> str:
    if request is None:
        return codec.PLACE
    return "messages" if "messages" in request else "input"


def _check_items(items: Any, request: Mapping[str, Any] | None, form: Format | None = None) -> Any:
    textual = request is not None and "messages" not in request and form in (None, Format.RESPONSES)
    if isinstance(items, list | tuple) or (textual and isinstance(items, str)):
        return items
    if request is None:
        raise ConversationError(
            "", f"expected a list of messages or a request object, not {describe_json(items)}"
        )
    raise wrong("messages" if "messages" in request else "input", "a list", items)


def write(conversation: Conversation) -> Any:
    """Return the document of a conversation: a list, or the request with its messages replaced."""
    codec = _codec(conversation.format)
    outside = [message for message in conversation.messages if message.outside]
    inside = [message for message in conversation.messages if not message.outside]
    items = codec.write_items(inside, joined=conversation.joined)
    request = conversation.request
    if request is None:
        return items
    written = {**request, "messages" if "messages" in request else "input": items}
    if outside:
        written[codec.OUTSIDE] = codec.write_outside(outside[0])
    return written
