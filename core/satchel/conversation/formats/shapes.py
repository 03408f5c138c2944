"""Shapes of JSON values in messages, and the one-line errors where a shape is wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from satchel.errors import ConversationError

_SPOKEN = (
    (bool, "true or false"),
    (str, "a text"),
    (int | float, "a number"),
    (list, "a list"),
    (dict, "an object"),
)


def spoken(value: object) -> str:
    """Return what a JSON value is, as a person says it."""
    if value is None:
        return "null"
    return next((words for kind, words in _SPOKEN if isinstance(value, kind)), type(value).__name__)


def wrong(place: str, expected: str, value: object) -> ConversationError:
    """Return the error for a value of the wrong shape."""
    return ConversationError(place, f"expected {expected}, not {spoken(value)}")


def item_at(items: Sequence[Any], index: int, place: str) -> dict[str, Any]:
    """Return the object at `index` of a list that is called `place`."""
    item = items[index]
    if not isinstance(item, dict):
        raise wrong(f"{place}[{index}]", "an object", item)
    return item


def text_at(holder: Mapping[str, Any], key: str, place: str) -> str:
    """Return the text under a key, "" where there is none or null."""
    value = holder.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise wrong(f"{place}.{key}", "a text", value)
    return value


def list_at(holder: Mapping[str, Any], key: str, place: str) -> list[Any]:
    """Return the list under a key, an empty one where there is none or null."""
    value = holder.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise wrong(f"{place}.{key}", "a list", value)
    return value


def role_at(holder: Mapping[str, Any], roles: Mapping[str, str], place: str) -> str:
    """Return satchel's word for the role of a message."""
    role = holder.get("role")
    known = roles.get(role) if isinstance(role, str) else None
    if known is None:
        asked = repr(role) if isinstance(role, str) else spoken(role)
        raise ConversationError(f"{place}.role", f"expected one of {', '.join(roles)}, not {asked}")
    return known


def as_json(value: object, place: str) -> str:
    """Return a value as JSON text, letters as they are."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        raise ConversationError(place, "nested too deeply") from None
    except (TypeError, ValueError) as error:
        raise ConversationError(place, f"not JSON ({error})") from None


def arguments_as(text: str, like: object) -> Any:
    """Return a call's arguments in the shape of `like`: an object, or their text.

    Text that is no JSON object is kept whole under the key "text".
    """
    return text if isinstance(like, str) else object_of(text)


def object_of(text: str) -> dict[str, Any]:
    """Return the JSON object that a text is; a text that is none, under the key "text"."""
    if not text.strip():
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {"text": text}
