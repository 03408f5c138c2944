"""Find the lines of an output that answer a question: those that share names and rare words with it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from satchel.output.tables import find_header
from satchel.patterns import lazily
from satchel.stems import stem

_WORD = lazily(r"[A-Z]?[a-z]+[-_]\d+|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d{3,}")
_COMMON_WORDS = frozenset(
    """
    about add all also and any are because been but can could did does don each for from get give had has have
    her him his how into its just let like make may more most much must not now off one only other our out
    please same see she should some such than that the their them then there these they this those too use
    very want was way were what when where which while who why will with would you your
    """.split()  # noqa: SIM905
)
_SHORT_WORDS = frozenset(
    "a am an as at be by do go he i if in is it me my no of oh ok on or our so to up us vs we".split()  # noqa: SIM905
)
_ABOUT_OUTPUTS = frozenset(
    map(
        stem,
        """
        answer call called change changed class code commit contain define defined definition entry explain
        file find found function handle handling happen happened implemented line made mean method name output
        print row said say show tell version work wrote written
        """.split(),  # noqa: SIM905
    )
)
"""Stems of words that many questions use, about outputs or in general."""
_TOKEN = lazily(r"[\w@$](?:[\w@$.:/\\-]*\w)?|\w+")
_NAME = lazily(r"(?=.*\d)|.*\w_|.*_\w|.*[a-z][A-Z]|.*\w[.:/\\-]\w|[A-Z]{2,}$")
"""A word that names one thing: an identifier, a number, a path, a time, a word in capitals."""
_BEFORE_NAME = frozenset("def class func fn function method struct enum trait interface".split())  # noqa: SIM905
_QUOTED = lazily(r"[`\"']([^`\"'\n]{2,80})[`\"'](?!\w)")
_COUNTS = lazily(r" \d+ files? changed,")
"""The last line of a commit's list of files: its words do not describe the commit."""
_FEW_WORDS = 10.0
"""Words of a question; in a longer one, each counts less."""
_LONGEST = 2_000
_OF_NAME, _OF_SHORT, _OF_COMMON = 3.0, 1.5, 0.1
"""Weights against that of a word: a name, a name of two characters, a word that many questions use."""
_SHORT = 2


def words_of(text: str) -> list[str]:
    """Return the stems of the words of a text, compounds split into parts, without short ones."""
    return [stem(word) for word in _split(text)]


def _split(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text[:_LONGEST]) if len(word) > _SHORT]


class Shared(NamedTuple):
    """The number of texts, and the number that have each word or name of a question."""

    texts: int
    counts: Mapping[str, int]


class Question:
    """The content of a question: words, by their stems, and names as they are written."""

    def __init__(self, text: str) -> None:
        """Take a question, "" if there is none."""
        tokens = [found[0] for found in _TOKEN.finditer(text[:_LONGEST])]
        self.words = frozenset(stem(word) for word in _split(text) if word not in _COMMON_WORDS)
        self.names = frozenset(_iter_names(text, tokens))
        parts = (part.strip("_").lower() for token in tokens for part in re.split(r"\W+", token))
        named = {name.strip("_").lower() for name in self.names}
        self.tokens = named | frozenset(filter(None, parts)) - (_COMMON_WORDS | _SHORT_WORDS)
        """Words that may be the name of a definition."""
        plain = [token.lower() for token in tokens if token.isalpha()]
        self.joined = frozenset(stem(first + second) for first, second in pairwise(plain)) | self.words
        """Stems, also of neighbouring words written as one."""

    def __bool__(self) -> bool:
        """Return whether there is a question."""
        return bool(self.words or self.names)

    @cached_property
    def _finder(self) -> re.Pattern[str]:
        long = sorted((name for name in self.names if len(name) > _SHORT), key=len, reverse=True)
        short = sorted(name for name in self.names if len(name) <= _SHORT)
        parts = [f"(?i:{'|'.join(map(re.escape, long))})"] if long else []
        parts += map(re.escape, short)
        return re.compile(rf"(?<!\w)(?:{'|'.join(parts)})(?!\w)" if parts else r"(?!)")

    @cached_property
    def _spellings(self) -> dict[str, str]:
        return {name.lower() if len(name) > _SHORT else name: name for name in self.names}

    def find(self, text: str) -> frozenset[str]:
        """Return the words and the names that a text has; names are marked."""
        if _COUNTS.match(text):
            return frozenset()
        found = self.words.intersection(words_of(text))
        names = {
            name.lower() if len(name) > _SHORT else name for name in self._finder.findall(text[:_LONGEST])
        }
        return found | {f"={self._spellings[name]}" for name in names if name in self._spellings}

    def weigh(self, texts: Sequence[str], among: Shared | None = None) -> list[float]:
        """Return how well each text answers: the weights of the words and names it shares with the question.

        A word weighs more the rarer it is among the texts, or `among` a larger number; a name more still.
        """
        shared = [self.find(text) for text in texts] if self else []
        total, counts = among or Shared(len(texts), Counter(one for found in shared for one in found))
        most = math.log(1 + total) or 1.0
        many = math.sqrt(max(1.0, len(self.words) / _FEW_WORDS))
        worths = {
            one: self._weigh_kind(one) * math.log((1 + total) / min(count, total)) / most / many
            for one, count in counts.items()
        }
        return [sum(worths[one] for one in found) for found in shared] or [0.0] * len(texts)

    def _weigh_kind(self, one: str) -> float:
        if one.startswith("="):
            return _OF_NAME if len(one) > _SHORT + 1 else _OF_SHORT
        return _OF_COMMON if one in _ABOUT_OUTPUTS else 1.0


def _iter_names(text: str, tokens: Sequence[str]) -> Iterator[str]:
    """Yield the names in a question, as they are written in a text."""
    for before, token in pairwise(["", *tokens]):
        if before.lower() in _BEFORE_NAME and token.lower() not in _COMMON_WORDS:
            yield token
        elif len(token) > 1 and token.lower() not in _SHORT_WORDS:
            if _NAME.match(token) or len(token) == _SHORT:
                yield token
        elif token.isdigit() or (token.isupper() and token not in {"A", "I"}):
            yield token
    yield from (quoted[1] for quoted in _QUOTED.finditer(text))


ANSWERS_FROM = 0.12
"""Least weight of the names and words in a line that answers."""
_FROM, _MORE = 50.0, 62.0
"""Least value of a line that answers, and how much more the best answer gets."""


def lift_asked(
    values: Sequence[float], texts: Sequence[str], question: Question, among: Shared | None = None
) -> list[float]:
    """Return the values of lines, raised for those that answer a question; a table's header never does."""
    if not question:
        return list(values)
    header = find_header(texts)
    shares = question.weigh(["" if at == header else text for at, text in enumerate(texts)], among)
    best = max(shares, default=0.0)
    if best < ANSWERS_FROM:
        return list(values)
    return [
        max(worth, _FROM) + _MORE * (share / best) ** 2 if share >= max(ANSWERS_FROM, best / 2) else worth
        for worth, share in zip(values, shares, strict=True)
    ]
