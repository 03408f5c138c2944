"""What a rule of redaction is, and a set of rules whose keywords are found in one pass."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

try:
    import ahocorasick as _library

    ahocorasick: Any = _library
except ImportError:  # no wheel for Windows on ARM
    ahocorasick = None


class Keywords:
    """Some words that are looked for together."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._automaton = _automaton_of(self._words) if ahocorasick is not None and self._words else None
        self._expression = (
            None if self._automaton or not self._words else re.compile(prefix_tree(self._words))
        )

    def places(self, text: str) -> list[tuple[int, str]]:
        """Return in order where a word stands, with the longest one that stands there."""
        if self._automaton is None:
            return self._places_by_expression(text)
        longest: dict[int, str] = {}
        for end, word in self._automaton.iter(text):  # of words that begin together, the longest comes last
            longest[end - len(word) + 1] = word
        return sorted(longest.items())

    def _places_by_expression(self, text: str) -> list[tuple[int, str]]:
        found: list[tuple[int, str]] = []
        at = -1
        # One step on from each hit, not past its word: words overlap ("fc-" and "-us").
        while self._expression and (hit := self._expression.search(text, at + 1)):
            at = hit.start()
            found.append((at, hit[0]))
        return found


def _automaton_of(words: Iterable[str]) -> Any:
    automaton = ahocorasick.Automaton()
    for word in words:
        automaton.add_word(word, word)
    automaton.make_automaton()
    return automaton


def prefix_tree(words: Iterable[str]) -> str:
    """Return a pattern of all words whose common beginnings are written once: four times as fast as |."""
    tree: dict[str, list[str]] = {}
    for word in words:
        tree.setdefault(word[:1], []).append(word[1:])
    ends = "" in tree
    branches = [re.escape(first) + prefix_tree(set(rest)) for first, rest in sorted(tree.items()) if first]
    if not branches:
        return ""
    return f"(?:{'|'.join(branches)}){'?' if ends else ''}"


class Allowance(NamedTuple):
    """What a rule finds and leaves: secrets, matches or lines that an expression finds, words, paths."""

    regexes: tuple[str, ...] = ()
    target: str = "secret"
    """What the expressions are searched in: "secret", "match" or "line"."""
    stopwords: tuple[str, ...] = ()
    """In small letters; a secret that holds one, in any case, stays."""
    paths: tuple[str, ...] = ()


class RedactionRule(NamedTuple):
    """A form of secrets: where one of `keywords` stands, `regex` is tried.

    The regex's group `secret_group` is the secret; for 0 its first group, or all of it where there is none.
    All repetition should be bounded or possessive, so that no text makes it slow.
    """

    id: str
    regex: str
    keywords: tuple[str, ...] = ()
    kind: str = ""
    """What the mark says, `[redacted:kind:4hex]`; "" for the id."""
    description: str = ""
    check: str = ""
    """The name of a check in `values.py` that must hold for the secret; "" says that it is not a filler."""
    secret_group: int = 0
    entropy: float = 0.0
    """Shannon's, in bits a character, that the secret has at least."""
    path: str = ""
    """An expression that the file's path must match somewhere; "" for all texts."""
    allowances: tuple[Allowance, ...] = ()
    anchored: bool = False
    """Whether a match begins at the keyword, which then counts in its own case, or with the run before it;
    else it can be anywhere in a text that holds a keyword in any case, or in any text without keywords."""
    lead: int = 0
    """An anchored match begins up to so many characters before the keyword, where a run of `lead_characters`
    begins that ends at it; a longer run is not a match."""
    lead_characters: str = "[A-Za-z0-9]"


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


@functools.cache
def characters_of(one: str) -> str:
    """Return the characters of ASCII that an expression for one character matches."""
    return "".join(filter(re.compile(one).fullmatch, map(chr, range(128))))


class RuleSet:
    """Some rules, arranged by their keywords."""

    def __init__(self, rules: Sequence[RedactionRule]) -> None:
        self.rules = tuple(rules)
        self.anchored = _by_word([rule for rule in rules if rule.anchored])
        """For each keyword the rules to try where it stands: those of its beginnings too."""
        self.loose = tuple(rule for rule in rules if not rule.anchored)

    @functools.cached_property
    def keywords(self) -> Keywords:
        """What finds the keywords of anchored rules."""
        return Keywords(self.anchored)


def _by_word(rules: Sequence[RedactionRule]) -> Mapping[str, tuple[RedactionRule, ...]]:
    places: dict[str, set[int]] = {}
    for place, rule in enumerate(rules):
        for word in rule.keywords:
            places.setdefault(word, set()).add(place)
    return {
        word: tuple(
            rules[place]
            for place in sorted(set().union(*(places.get(word[:end], ()) for end in range(len(word) + 1))))
        )
        for word in places
    }
