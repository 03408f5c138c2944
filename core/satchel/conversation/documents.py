"""Read a conversation from a document, and write it back in the shape that it came in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol, cast

from satchel.conversation.formats.detecting import detect
from satchel.conversation.formats.shapes import spoken, wrong
from satchel.errors import ConversationError, UnknownNameError
from satchel.messages import Conversation, Format, Message

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


def dump(document: Any) -> str:
    """Return a document as one line of JSON: letters as they are, lone surrogates escaped."""
    try:
        text = json.dumps(document, ensure_ascii=False)
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
    items = document if request is None else _listed(request)
    known = detect(_checked(items, request), request) if form == "auto" else Format(form)
    codec = _codec(known)
    messages = codec.read_items(_checked(items, request, known), _place(request, codec))
    if request is not None and codec.OUTSIDE:
        outside = codec.read_outside(request.get(codec.OUTSIDE))
        messages = [outside, *messages] if outside else messages
    return Conversation(known, tuple(messages), request)


def _listed(request: Mapping[str, Any]) -> Any:
    for key in ("messages", "input"):
        if key in request:
            return request[key]
    raise ConversationError("", "expected a list of messages, or a request with 'messages' or 'input'")


def _place(request: Mapping[str, Any] | None, codec: _Codec) -> str:
    if request is None:
        return codec.PLACE
    return "messages" if "messages" in request else "input"


def _checked(items: Any, request: Mapping[str, Any] | None, form: Format | None = None) -> Any:
    textual = request is not None and "messages" not in request and form in (None, Format.RESPONSES)
    if isinstance(items, list | tuple) or (textual and isinstance(items, str)):
        return items
    if request is None:
        raise ConversationError("", f"expected a list of messages or a request object, not {spoken(items)}")
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
