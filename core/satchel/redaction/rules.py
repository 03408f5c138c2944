"""What a rule is, and all rules of keys that show by their form what they are."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

DIGITS = "0123456789"
LETTERS_DIGITS = f"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ{DIGITS}"
Check = Callable[[str], bool]


class Rule(NamedTuple):
    """A published format: where one of `words` stands, `pattern` is tried.

    The pattern starts where the word starts, or where the run of at most `back` characters of `lead`
    before it starts; a longer run is not a match. Its group 1 is the secret, or all of it. `check` must
    hold for the secret. All repetition is bounded or possessive.
    """

    name: str
    kind: str
    words: tuple[str, ...]
    pattern: str
    back: int = 0
    lead: str = LETTERS_DIGITS
    check: Check | None = None


class Span(NamedTuple):
    """Characters `start` to `end` (not included) that hold a secret.

    `seed` is what the mark is made from, where it is more than those characters; `counted` is False
    for the second line of a block and on.
    """

    start: int
    end: int
    kind: str
    rule: str
    seed: str = ""
    counted: bool = True


@functools.cache
def compile_once(pattern: str) -> re.Pattern[str]:
    """Compile a pattern once, when a text has its word for the first time."""
    return re.compile(pattern)


def literals(words: Iterable[str]) -> str:
    """Return a pattern of all words whose common beginnings are written once: four times as fast as |."""
    tree: dict[str, list[str]] = {}
    for word in words:
        tree.setdefault(word[:1], []).append(word[1:])
    ends = "" in tree
    branches = [re.escape(first) + literals(set(rest)) for first, rest in sorted(tree.items()) if first]
    if not branches:
        return ""
    return f"(?:{'|'.join(branches)}){'?' if ends else ''}"


def by_word(rules: Sequence[Rule]) -> Mapping[str, tuple[Rule, ...]]:
    """Return for each word the rules to try where it stands: those of its beginnings too."""
    places: dict[str, set[int]] = {}
    for place, rule in enumerate(rules):
        for word in rule.words:
            places.setdefault(word, set()).add(place)
    return {
        word: tuple(
            rules[place]
            for place in sorted(set().union(*(places.get(word[:end], ()) for end in range(len(word) + 1))))
        )
        for word in places
    }
