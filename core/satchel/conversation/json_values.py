"""JSON values of conversations: what they must be, and errors that name the place of those that are not."""

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


def describe_json(value: object) -> str:
    """Return what a JSON value is, as a person says it."""
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
    """Return the text under a key, "" where there is none or null."""
    value = holder.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise wrong_shape(f"{place}.{key}", "a text", value)
    return value


def list_at(holder: Mapping[str, Any], key: str, place: str) -> list[Any]:
    """Return the list under a key, an empty one where there is none or null."""
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
