"""Amounts of memory as people write and read them: 24GiB, 512 MiB, 8589934592."""

from __future__ import annotations

import re

from satchel.errors import UsageError
from satchel.patterns import lazily

_AMOUNT = lazily(r"\s*([0-9]{1,18}(?:\.[0-9]{1,6})?)\s*([KMGT]i?B?|B)?\s*\Z", re.IGNORECASE)
_POWERS = {"": 0, "b": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_LARGEST = 2**60


def parsed_bytes(text: str, *, what: str) -> int:
    """Return bytes of an amount: GB is 10**9, GiB and G are 2**30, a bare number is bytes.

    Raises UsageError naming `what` where the text is no amount.
    """
    found = _AMOUNT.match(text)
    if found is None:
        raise UsageError(f"{what} {text!r:.40} is no amount of memory, write bytes or 24GiB, 512MiB")
    unit = (found[2] or "").lower()
    base = 1000 if unit.endswith("b") and "i" not in unit else 1024
    scale: int = base ** _POWERS[unit[:1]]
    amount = int(found[1]) * scale if "." not in found[1] else round(float(found[1]) * scale)
    if amount > _LARGEST:
        raise UsageError(f"{what} {text!r:.40} is more memory than any device has")
    return amount


def shown_bytes(size: int) -> str:
    """Return `23.5 GiB`, `512 MiB` or `100 bytes`."""
    for power, unit in ((40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")):
        if abs(size) >= 1 << power:
            amount = size / (1 << power)
            return f"{amount:.0f} {unit}" if amount == int(amount) else f"{amount:.1f} {unit}"
    return f"{size} bytes"
