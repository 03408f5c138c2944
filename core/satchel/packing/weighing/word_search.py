"""Search texts and long lists of words for the words of a question, and code for a quoted message."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, pairwise

from satchel.items import ContextItem
from satchel.packing.weighing.backbone import find_code
from satchel.packing.weighing.chances import PartPlace, WeighedItems
from satchel.parts import Part, find_parts, join_lines, number_lines
from satchel.patterns import lazily
from satchel.workspace.index.terms import WORD, split_words

_FEW_WRITERS = 3
"""Most parts that may write a message: a more frequent one is written in many cases."""
_LEAST_WORDS, _LEAST_WORDS_OF_STRING = 3, 2
"""Least words of a message to look for anywhere in code, and of one that is a whole string."""
_STOPS = " \t\n.!"
_LONGEST_MESSAGE = 400
"""Characters of the longest message that is compared with strings with places for values."""
_LEAST_FIXED, _LEAST_FIXED_WORDS = 12, 2
"""Least characters and words of such a string in the message."""
_LEAST_PAIR = 8
"""Least characters of two adjacent words that find such strings: "is not" is in most texts."""
_STRING = lazily(r"\"(?:[^\"\\\n]|\\.){10,300}\"|'(?:[^'\\\n]|\\.){10,300}'|`(?:[^`\\\n]|\\.){10,300}`")
_VALUE = lazily(
    r"%[-+# 0-9.*]{0,8}(?:l{0,2}[a-zA-Z]|\([\w.]{1,40}\)[sdr])|[$#]?\{[^{}\n]{0,120}\}|\$\w{1,40}|\\."
)
"""A place for a value in a string, or the escape of a single letter."""
_SEVERITY = lazily(r"(?i)\W{0,20}(?:[\w.]{0,60}(?:error|exception|warning)|fatal|panic)\s{0,9}:\s{0,9}")
"""A severity before a message as it is shown, but not in the code that writes it."""


class Phrase:
    """Two words side by side, joined as prose or code joins them."""

    def __init__(self, one: str, other: str) -> None:
        self.one, self.other = one, other
        self._rest = rf"[a-z]{{0,4}}[\s_.-]?{re.escape(other)}"
        self._is_plain = one.isascii() and other.isascii()

    def count_in(self, text: str) -> int:
        """Return how often a text has the phrase, in upper or lower case."""
        if self._is_plain and text.isascii():
            return len(self._in_lower_case.findall(text.lower()))
        return len(self._anywhere.findall(text))

    @cached_property
    def _in_lower_case(self) -> re.Pattern[str]:
        """A pattern that begins with letters, which is several times as fast as `_anywhere`."""
        one = re.escape(self.one)
        return re.compile(rf"{one}(?<![a-z]{one}){self._rest}")

    @cached_property
    def _anywhere(self) -> re.Pattern[str]:
        return re.compile(rf"(?<![a-z]){re.escape(self.one)}{self._rest}", re.IGNORECASE)


def find_starting(words: Iterable[str], begin: Iterable[str]) -> list[str]:
    """Return the words with one of these beginnings, so that most words need no stemming.

    All words are searched as one text, several times as fast as one by one; none holds a line end.
    """
    text = "\n".join(("", *words, ""))
    found: dict[str, None] = {}
    for one in begin:
        at = text.find(f"\n{one}")
        while at >= 0:
            end = text.index("\n", at + 1)
            found[text[at + 1 : end]] = None
            at = text.find(f"\n{one}", end)
    return list(found)


def find_holding(names: Sequence[str], begin: Iterable[str]) -> list[str]:
    """Return the names that hold any of these beginnings, and all names that are not ASCII.

    All names are searched as one text, several times as fast as one by one.
    """
    lowered = [name.lower() for name in names]
    text = "\n".join(lowered)
    starts = list(accumulate((len(name) + 1 for name in lowered), initial=0))
    found = {at for at, name in enumerate(names) if not name.isascii()}
    for one in begin:
        place = text.find(one)
        while place >= 0:
            at = bisect_right(starts, place) - 1
            found.add(at)
            place = text.find(one, starts[at + 1])
    return [names[at] for at in sorted(found)]


def strip_severity(text: str) -> str:
    """Return a message without the severity before it and the stop at its end."""
    message = text.strip()
    found = _SEVERITY.match(message)
    return message[found.end() if found is not None else 0 :].rstrip(_STOPS)


def find_writers(
    items: WeighedItems, messages: Sequence[str], read: Callable[[ContextItem], str]
) -> Iterator[PartPlace]:
    """Yield the numbers of items and parts of code that write a message, each once.

    They have it word for word or, if none does, with places for values: "unsupported driver %s". A message
    of two words is a whole string: "no sessions".
    """
    seen: set[PartPlace] = set()
    code = find_code(items) if messages else ()
    for message in messages:
        words = WORD.findall(message)
        if len(words) < _LEAST_WORDS_OF_STRING:
            continue
        is_short = len(words) < _LEAST_WORDS
        written = _write_string(message) if is_short else re.compile(re.escape(message))
        terms = {parts[-1] for parts in split_words(words) if parts}
        holding = [at for at in code if terms <= items[at][1].terms.keys()]
        found = [
            (at, number)
            for at in holding
            if written.search(text := read(items[at][0].item))
            for number in _find_parts(items[at][1].parts, text.split("\n"), written)
        ]
        if not found and not is_short and len(message) <= _LONGEST_MESSAGE:
            some = [at for at in code if len(terms & items[at][1].terms.keys()) >= _LEAST_FIXED_WORDS]
            found = _find_templates(items, some, message, read)
        if len(found) <= _FEW_WRITERS:
            yield from (place for place in found if place not in seen)
            seen.update(found)


def _find_templates(
    items: WeighedItems, places: Iterable[int], message: str, read: Callable[[ContextItem], str]
) -> list[PartPlace]:
    """Return the parts whose strings match most of a message around places for its values."""
    words = [*WORD.finditer(message)]
    pairs = {message[one.start() : other.end()] for one, other in pairwise(words)}
    telling = [pair for pair in pairs if len(pair) >= _LEAST_PAIR]
    found: dict[PartPlace, int] = {}
    for at in places:
        text = read(items[at][0].item)
        for start, end in _find_lines(text, telling):
            line = text[start:end]
            fixed = max((_fit(match[0], message) for match in _STRING.finditer(line)), default=0)
            for number in find_parts(items[at][1].parts, number_lines(text, [start])) if fixed else ():
                found[at, number] = max(found.get((at, number), 0), fixed)
    most = max(found.values(), default=0)
    return sorted(place for place, fixed in found.items() if fixed == most)


def _find_lines(text: str, pairs: Iterable[str]) -> list[tuple[int, int]]:
    """Return the start and end of each line of a text with any of these pairs."""
    found: set[tuple[int, int]] = set()
    for pair in pairs:
        place = text.find(pair)
        while place >= 0:
            end = text.find("\n", place)
            end = len(text) if end < 0 else end
            found.add((text.rfind("\n", 0, place) + 1, end))
            place = text.find(pair, end)
    return sorted(found)


def _fit(written: str, message: str) -> int:
    """Return the number of a message's letters in a string with places for values, 0 if it does not fit."""
    fixed = [piece.strip() for piece in _VALUE.split(written[1:-1].rstrip(_STOPS))]
    if len(fixed) < 2 or len(WORD.findall(" ".join(fixed))) < _LEAST_FIXED_WORDS:
        return 0
    end = 0
    for piece in fixed:
        start = message.find(piece, end)
        if start < 0:
            return 0
        end = start + len(piece)
    letters = sum(map(len, fixed))
    return letters if letters >= _LEAST_FIXED else 0


def _write_string(message: str) -> re.Pattern[str]:
    """Return a pattern for a message that is a whole string, but for the end of its line and a stop."""
    return re.compile(rf"[\"'`]{re.escape(message)}(?:[.!:]|\\n){{0,3}}[\"'`]")


def _find_parts(parts: Sequence[Part], lines: Sequence[str], written: re.Pattern[str]) -> Iterator[int]:
    """Yield the numbers of the parts whose lines match a message."""
    for number, part in enumerate(parts):
        if written.search(join_lines(lines, part)):
            yield number
