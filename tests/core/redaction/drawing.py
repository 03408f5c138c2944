"""Fill the braces of texts that hold secrets: `{w36}` is 36 letters and digits, drawn."""

from __future__ import annotations

import random
import re
import string

HEX = string.digits + "abcdef"
SETS = {
    "x": HEX,
    "X": HEX.upper(),
    "n": string.digits,
    "l": string.ascii_lowercase,
    "U": string.ascii_uppercase,
    "a": string.ascii_lowercase + string.digits,
    "A": string.ascii_uppercase + string.digits,
    "w": string.ascii_letters + string.digits,
    "m": string.ascii_letters + string.digits + "_",
    "b": string.ascii_letters + string.digits + "_-",
    "T": string.ascii_uppercase + "234567",
    "h": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}


def fill(text: str, rng: random.Random) -> str:
    return re.sub(r"\{(\w)(\d+)\}", lambda hole: "".join(rng.choices(SETS[hole[1]], k=int(hole[2]))), text)
