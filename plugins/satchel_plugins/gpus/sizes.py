"""Reads amounts of memory as drivers print them: "81559 MiB", "536870912", "[N/A]"."""

from __future__ import annotations

import re

from satchel import SatchelError
from satchel.patterns import lazily

_AMOUNT = lazily(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]i?B|B)?\s*\Z", re.IGNORECASE)
_BINARY = {"b": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_DECIMAL = {"b": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_LARGEST = 2**53


class FieldError(SatchelError):
    """A driver's answer lacks a field, or has something in it that is no amount of memory."""

    def __init__(self, source: str, field: str, value: object = None) -> None:
        self.source, self.field, self.value = source, field, value
        what = "is missing" if value is None else f"is {value!r:.60}, not an amount of memory"
        super().__init__(f"{source}: {field} {what}")


def size(source: str, field: str, value: object, *, unit: str = "", decimal: bool = False) -> int:
    """Return bytes of an amount; `unit` is meant where it names none.

    MB means MiB as in the tools of NVIDIA and AMD, unless `decimal`. Raises FieldError.
    """
    found = _AMOUNT.match(str(value)) if value is not None and not isinstance(value, bool) else None
    named = (found[2] or unit) if found else ""
    if found is None or not named:
        raise FieldError(source, field, value)
    powers = _DECIMAL if decimal and "i" not in named.lower() else _BINARY
    amount = (
        int(float(found[1]) * powers[named[0].lower()])
        if "." in found[1]
        else int(found[1]) * powers[named[0].lower()]
    )
    if amount > _LARGEST:
        raise FieldError(source, field, value)
    return amount


def free_of(source: str, total: int, used: int) -> int:
    """Return what is free of a total, both in bytes; raise FieldError where more is used than there is."""
    if used > total:
        raise FieldError(source, "used memory", f"{used} of {total} bytes")
    return total - used
