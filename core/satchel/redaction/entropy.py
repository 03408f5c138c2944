"""Tell random characters from words: the log-odds of a text under both, and its Shannon entropy."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from operator import add

_SYMBOLS = "abcdefghijklmnopqrstuvwxyz0_"
_SCALE = "0123456789abcdefghijklmnopqrstuvwxyz"
# Row: a character, column: the next one, both folded to a letter, 0 (a digit) or _ (all else). The
# figure is 4 * ln(P(pair | random) / P(pair | identifiers and words)) + 13, counted over 241,005
# words of Python, Go, JavaScript, C and prose.
_PAIRS = (
    "ncabrkdteuj8a9wbt7a6gilhgpqd",
    "8jej8lmpadq7llajpcci8mprcsl8",
    "9nfk8kr8ewabjm5jucf8eprsjzoa",
    "9fgd4hln7ooejkbhsfcedmmnivl6",
    "dkbahegoksrad9lfh689khhbjtq8",
    "anjkcbjo6frbki8iwcfebtrmezj5",
    "dlgk4kfc9wneecdhv9ageoooknr6",
    "7mik5mqp8vkhhl8kref9bqnwgyo8",
    "ffacdgcvqumac59eqd98lfxhzfwh",
    "bmli6nqtgpjojn9foq8sbnrsjs9a",
    "ckgg4igl8sqfhfhhjgahcoeskuq6",
    "8jjd59no7woamk9iwmdcbjpuevs9",
    "6ekh5mqsazkdbja8nmchfirnhyr9",
    "9ma89d8ndqfikhbfsl97fepsltt9",
    "ffcanhergnhb95ebx7ccafelrryd",
    "7nii6lohczm9mi9br8daeoqubps9",
    "qopnqostpwt8hmtmoggl1lqotst8",
    "8mef5jdp8xhhef9jtcabfhnwezs8",
    "eoci6kmdaughklddkkb5dnkuhvt6",
    "9mei6jna8wshimaft9cdenlnbrq7",
    "dbdg9fgxbxu9a6kaz898sryooqki",
    "5mhn3oko8xwjbjgmxnjkpklgnzjc",
    "7jfhalkc6togib9jr8cinngpuup7",
    "ekbj8jrlcywlekh7slg6ofofhue7",
    "gjfkcefogxrddeh4shaaolhqeiq5",
    "bpln2koobupjjickpnjjgprqhgda",
    "fffbedpqodonoqrjynknrnqnxr86",
    "bd9bcbdfbmicbcdanb9afefloola",
)
_ODDS = {
    first + second: (_SCALE.index(mark) - 13) / 4
    for first, row in zip(_SYMBOLS, _PAIRS, strict=True)
    for second, mark in zip(_SYMBOLS, row, strict=True)
}
# The same for the case of a letter after a lower-case letter, an upper-case one, a digit, all else.
_CASES = {"ll": -0.66, "lu": 2.71, "ul": 0.15, "uu": -0.13, "ol": -0.51, "ou": 1.11}
_ODDS_OF_CASES = {first + second: _CASES.get(first + second, 0.0) for first in "dulo" for second in "dulo"}
LONGEST = 256
"""Characters that are judged: what comes after them changes no verdict."""


def shannon(text: str) -> float:
    """Return the entropy of the characters' frequencies, in bits a character (Shannon 1948)."""
    size = len(text)
    return -sum(n / size * math.log2(n / size) for n in Counter(text).values()) if size else 0.0


def surprise(text: str) -> float:
    """Return ln(P(text | random) / P(text | words)), summed over pairs: above 0 random is likelier."""
    folded = text[:LONGEST].translate(_FOLDED)
    cases = text[:LONGEST].translate(_CASE_OF)
    pairs = sum(map(_ODDS.__getitem__, map(add, folded, folded[1:])))
    return pairs + sum(map(_ODDS_OF_CASES.__getitem__, map(add, cases, cases[1:])))


class _Table(dict[int, str]):
    """A table for `str.translate` that asks a function once for each character."""

    def __init__(self, ask: Callable[[str], str]) -> None:
        super().__init__()
        self._ask = ask

    def __missing__(self, code: int) -> str:
        self[code] = found = self._ask(chr(code))
        return found


def _folded(character: str) -> str:
    if character.isascii() and character.isalpha():
        return character.lower()
    return "0" if character.isdecimal() else "_"


def _case(character: str) -> str:
    if character.isdecimal():
        return "d"
    return "u" if character.isupper() else "l" if character.islower() else "o"


_FOLDED, _CASE_OF = _Table(_folded), _Table(_case)
