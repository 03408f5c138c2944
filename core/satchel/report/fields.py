"""Read fields of JSON that somebody hands in; what has a wrong type is named with its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from satchel.errors import SatchelError


class Fields:
    """An object of JSON and where it stands, for error messages."""

    def __init__(self, held: Any, place: str) -> None:
        if not isinstance(held, Mapping):
            raise SatchelError(f"{place}: expected an object, not {_describe(held)}")
        self.held: Mapping[str, Any] = held
        self.place = place

    def text(self, key: str, default: str = "") -> str:
        """Return a text, the default where there is none."""
        value = self.held.get(key)
        if value is None:
            return default
        if not isinstance(value, str):
            raise self._wrong(key, "a text", value)
        return value

    def tokens(self, key: str) -> int:
        """Return a whole number from 0 up, 0 where there is none."""
        value = self.held.get(key, 0)
        if value is None:
            return 0
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self._wrong(key, "a whole number from 0 up", value)
        return value

    def share(self, key: str) -> float | None:
        """Return a number put into 0..1, None where there is none."""
        value = self.held.get(key)
        if value is None:
            return None
        return as_share(value, f"{self.place}.{key}")

    def table(self, key: str) -> Mapping[str, Any]:
        """Return an object, an empty one where there is none."""
        value = self.held.get(key)
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            raise self._wrong(key, "an object", value)
        return value

    def rows(self, key: str) -> list[Fields]:
        """Return the objects of a list, none where there is no list."""
        return [Fields(one, f"{self.place}.{key}[{at}]") for at, one in enumerate(self.list(key))]

    def list(self, key: str) -> Sequence[Any]:
        """Return a list, an empty one where there is none."""
        value = self.held.get(key)
        if value is None:
            return []
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise self._wrong(key, "a list", value)
        return value

    def _wrong(self, key: str, expected: str, value: Any) -> SatchelError:
        return SatchelError(f"{self.place}.{key}: expected {expected}, not {_describe(value)}")


def as_share(value: Any, place: str) -> float:
    """Return a number put into 0..1; SatchelError where it is not one."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise SatchelError(f"{place}: expected a number, not {_describe(value)}")
    return float(min(1, max(0, value)))


def _describe(value: Any) -> str:
    if value is None:
        return "null"
    for kinds, words in (
        (bool, "a truth value"),
        (str, "a text"),
        (int, f"the number {value!s:.20}"),
        (float, f"the number {value!s:.20}"),
        (Mapping, "an object"),
    ):
        if isinstance(value, kinds):
            return words
    return "a list"
