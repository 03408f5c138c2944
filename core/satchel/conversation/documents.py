"""Read a conversation from a document, and write it back in the shape that it came in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from satchel.errors import ConversationError, UnknownNameError
from satchel.messages import Conversation

if TYPE_CHECKING:
    from satchel.interfaces import FormatSign, MessageFormat, SessionFile

_SPOKEN = (
    (bool, "true or false"),
    (str, "a text"),
    (int | float, "a number"),
    (list, "a list"),
    (dict, "an object"),
)


def describe_json(value: object) -> str:
    """Return the name of a JSON value's type in plain words."""
    if value is None:
        return "null"
    return next((words for kind, words in _SPOKEN if isinstance(value, kind)), type(value).__name__)


def wrong_shape(place: str, expected: str, value: object) -> ConversationError:
    """Return the error for a value of the wrong shape."""
    return ConversationError(place, f"expected {expected}, not {describe_json(value)}")


def item_at(items: Sequence[Any], index: int, place: str) -> dict[str, Any]:
    """Return the object at `index` of a list that is called `place`."""
    item = items[index]
    if not isinstance(item, dict):
        raise wrong_shape(f"{place}[{index}]", "an object", item)
    return item


def text_at(holder: Mapping[str, Any], key: str, place: str) -> str:
    """Return the text under a key, "" if it is missing or null."""
    value = holder.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise wrong_shape(f"{place}.{key}", "a text", value)
    return value


def list_at(holder: Mapping[str, Any], key: str, place: str) -> list[Any]:
    """Return the list under a key, an empty one if it is missing or null."""
    value = holder.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise wrong_shape(f"{place}.{key}", "a list", value)
    return value


def as_json(value: object, place: str) -> str:
    """Return a value as JSON text, letters as they are."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        raise ConversationError(place, "nested too deeply") from None
    except (TypeError, ValueError) as error:
        raise ConversationError(place, f"not JSON ({error})") from None


AUTO = "auto"
"""The name for automatic detection of the format."""


def parse(given: bytes | str, *, source: str = "input") -> Any:
    """Return the JSON document in `given`; ConversationError names `source` and the broken place."""
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


class Formats:
    """The installed formats of messages.

    Args:
        found: the formats.
        default: the name of the format for messages without any sign: all formats read those alike.
        make_session_files: makes the session files of agents, which become messages of these formats; it is
            called when one is read.
    """

    def __init__(
        self,
        found: Sequence[MessageFormat],
        default: str,
        make_session_files: Callable[[], Iterable[SessionFile]] = tuple,
    ) -> None:
        self._found = {one.name: one for one in found}
        self._default = default
        self._make_session_files = make_session_files

    @cached_property
    def session_files(self) -> tuple[SessionFile, ...]:
        """Return the session files of agents; their plugins are loaded only here."""
        return tuple(self._make_session_files())

    def __iter__(self) -> Iterator[MessageFormat]:
        return iter(self._found.values())

    @property
    def names(self) -> tuple[str, ...]:
        """Return the values of `--format`."""
        return (AUTO, *self._found)

    @property
    def default(self) -> MessageFormat:
        """Return the format of messages without any sign; UnknownNameError if it is not installed."""
        return self.find(self._default)

    def find(self, name: str) -> MessageFormat:
        """Return the format of a name; UnknownNameError if there is none."""
        if name not in self._found:
            raise UnknownNameError("format", name, self.names)
        return self._found[name]

    def read(self, document: Any, form: str = AUTO) -> Conversation:
        """Read a list of messages, or the request that holds them; nothing is repaired.

        Raises ConversationError with the index and the key of a value with a wrong shape, or if `auto` sees
        two formats.
        """
        known = None if form == AUTO else self.find(form)
        request = document if isinstance(document, dict) else None
        key = "" if request is None else self._find_list_key(request)
        items: Any = document if request is None else request[key]
        self._check_list(items, key, self if known is None else (known,))
        known = known or self._detect(items, request, key)
        messages = tuple(known.read_messages(items, key or known.list_key))
        if request is not None and known.system_key:
            system = known.read_system(request.get(known.system_key))
            messages = (system, *messages) if system else messages
        return Conversation(known, messages, request, list_key=key or known.list_key)

    def list_all(self, document: Any) -> list[Any]:
        """Return the messages of a document in a list, with the request's text outside of it as the first.

        Raises ConversationError if they can't be read.
        """
        conversation = self.read(document)
        if conversation.request is None:
            return list(document)
        items = conversation.request[conversation.list_key]
        items = [{"role": "user", "content": items}] if isinstance(items, str) else list(items)
        outside = conversation.request.get(conversation.format.system_key)
        return [{"role": "system", "content": outside}, *items] if outside else items

    def refuse_empty(self, document: Any, source: str) -> None:
        """Raise ConversationError with the name of the source for an empty list of messages, or none.

        A value that is neither an object nor a list passes: reading it reports the error.
        """
        items = document
        if isinstance(document, dict):
            try:
                items = document[self._find_list_key(document)]
            except ConversationError as error:
                raise ConversationError(source, error.reason) from None
        if isinstance(items, list | str) and not items:
            what = "an empty list" if isinstance(items, list) else "an empty text"
            raise ConversationError(source, f"has no message: it is {what}")

    def have_sign(self, items: Sequence[Any]) -> bool:
        """Return whether messages show a sign of any format."""
        return any(any(one.find_signs(items, {})) for one in self)

    def _find_list_key(self, request: Mapping[str, Any]) -> str:
        keys = list(dict.fromkeys(one.list_key for one in self))
        for key in keys:
            if key in request:
                return key
        told = f"expected a list of messages, or a request with {' or '.join(map(repr, keys))}"
        if "role" in request:
            told = "this is one message; put it into a list: [{...}]"
        raise ConversationError("", told)

    def _check_list(self, items: Any, key: str, readers: Iterable[MessageFormat]) -> None:
        """Raise ConversationError unless the value is a list, or a text that one of the formats takes."""
        if isinstance(items, list | tuple):
            return
        if isinstance(items, str) and any(one.takes_text and one.list_key == key for one in readers):
            return
        if not key:
            raise ConversationError(
                "", f"expected a list of messages or a request object, not {describe_json(items)}"
            )
        raise wrong_shape(key, "a list", items)

    def _detect(
        self, items: Sequence[Any] | str, request: Mapping[str, Any] | None, key: str
    ) -> MessageFormat:
        """Return the format of messages: the only one with that key of a request, or by signs.

        Raises ConversationError if there are sure signs of two formats.
        """
        owners = [one for one in self if one.list_key == key]
        if isinstance(items, str):
            return next(one for one in owners if one.takes_text)
        if len(owners) == 1:
            return owners[0]
        found = [pair for one in self for pair in _first_signs(one, items, request or {})]
        found.sort(key=lambda pair: pair[1].message)
        sure = [(form, sign) for form, sign in found if sign.sure]
        if len(sure) > 1:
            told = " and ".join(f"{form.name} ({_describe(sign)})" for form, sign in sure[:2])
            raise ConversationError("", f"the messages look like {told}; say which with --format")
        return next((form for form, _ in sure or found), None) or self.default


def _first_signs(
    form: MessageFormat, items: Sequence[Any], request: Mapping[str, Any]
) -> list[tuple[MessageFormat, FormatSign]]:
    """Return the first sure sign of a format, and the first unsure one."""
    found: dict[bool, FormatSign] = {}
    for sign in form.find_signs(items, request):
        found.setdefault(sign.sure, sign)
        if len(found) == 2:
            break
    return [(form, sign) for sign in found.values()]


def _describe(sign: FormatSign) -> str:
    return f"{sign.what} in {'the request' if sign.message < 0 else f'messages[{sign.message}]'}"


def write(conversation: Conversation) -> Any:
    """Return the document of a conversation: a list, or the request with its messages replaced."""
    form = conversation.format
    outside = [message for message in conversation.messages if message.outside]
    inside = [message for message in conversation.messages if not message.outside]
    items = form.write_messages(inside, joined=conversation.joined)
    if conversation.request is None:
        return items
    written = {**conversation.request, conversation.list_key: items}
    if outside:
        written[form.system_key] = form.write_system(outside[0])
    return written
