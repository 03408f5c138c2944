"""Read fields of JSON that somebody hands in; what has a wrong type is named with its place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from satchel.conversation.json_values import list_at, text_at, wrong_shape


class Fields:
    """An object of JSON and where it stands, for error messages."""

    def __init__(self, held: Any, place: str) -> None:
        if not isinstance(held, Mapping):
            raise wrong_shape(place, "an object", held)
        self.held: Mapping[str, Any] = held
        self.place = place

    def text(self, key: str, default: str = "") -> str:
        """Return a text, the default where there is none."""
        return text_at(self.held, key, self.place) or default

    def tokens(self, key: str) -> int:
        """Return a whole number from 0 up, 0 where there is none."""
        value = self.held.get(key, 0)
        value = 0 if value is None else value
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise wrong_shape(f"{self.place}.{key}", "a whole number from 0 up", value)
        return value

    def share(self, key: str) -> float | None:
        """Return a number put into 0..1, None where there is none."""
        value = self.held.get(key)
        return None if value is None else as_share(value, f"{self.place}.{key}")

    def table(self, key: str) -> Mapping[str, Any]:
        """Return an object, an empty one where there is none."""
        value = self.held.get(key)
        return {} if value is None else Fields(value, f"{self.place}.{key}").held

    def rows(self, key: str) -> list[Fields]:
        """Return the objects of a list, none where there is no list."""
        return [Fields(one, f"{self.place}.{key}[{at}]") for at, one in enumerate(self.list(key))]

    def list(self, key: str) -> list[Any]:
        """Return a list, an empty one where there is none."""
        return list_at(self.held, key, self.place)


def as_share(value: Any, place: str) -> float:
    """Return a number put into 0..1; ConversationError where it is not one."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise wrong_shape(place, "a number", value)
    return float(min(1, max(0, value)))
