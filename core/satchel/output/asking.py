"""Tell which lines of an output share words with a question about it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

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
_FEW_WORDS = 10.0
"""Words of a question; of one with more, each counts less."""
_LONGEST = 2_000


def words_of(text: str) -> list[str]:
    """Return the stems of the words of a text, compounds in their parts, without short ones."""
    return [stem(word) for word in _split(text)]


def _split(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text[:_LONGEST]) if len(word) > 2]


def words_asked(question: str) -> frozenset[str]:
    """Return the words of a question that tell what it is about."""
    return frozenset(stem(word) for word in _split(question) if word not in _COMMON_WORDS)


def weigh_question(question: str, texts: Sequence[str]) -> dict[str, float]:
    """Return what each word of a question is worth: the rarer in the texts, the more."""
    asked = words_asked(question)
    if not asked:
        return {}
    counts = Counter(word for text in texts for word in asked.intersection(words_of(text)))
    most = math.log(1 + len(texts)) or 1.0
    many = math.sqrt(max(1.0, len(asked) / _FEW_WORDS))
    return {word: math.log((1 + len(texts)) / count) / most / many for word, count in counts.items()}


_COUNTS = lazily(r" \d+ files? changed,")
"""The last line of a commit's list of files: its words say nothing of what the commit is about."""


def weigh_answers(asked: Mapping[str, float], texts: Sequence[str], *, is_sharp: bool) -> list[float]:
    """Return for each text what the words are worth that it shares with a question.

    Where that is `is_sharp`, only the best ones count: in a history, each entry has some of the words.
    """
    if not asked:
        return [0.0] * len(texts)
    shares = [
        0.0
        if is_sharp and _COUNTS.match(text)
        else sum(asked[word] for word in asked.keys() & words_of(text))
        for text in texts
    ]
    best = max(shares, default=0.0)
    if not is_sharp or not best:
        return shares
    return [best * (share / best) ** 2 if share >= best / 2 else 0.0 for share in shares]


_LEAST, _FROM, _MORE = 0.3, 50.0, 36.0
"""Worth of words from which a line answers; what such a line is worth at least, and the best one more."""


def lift_asked(values: Sequence[float], texts: Sequence[str], question: str) -> list[float]:
    """Return the values of lines, more of those that share rare words with a question."""
    asked = weigh_question(question, texts)
    shares = [sum(asked[word] for word in asked.keys() & words_of(text)) for text in texts] if asked else []
    best = max(shares, default=0.0)
    if best < _LEAST:
        return list(values)
    return [
        max(worth, _FROM) + _MORE * (share / best) ** 2 if share >= max(_LEAST, best / 2) else worth
        for worth, share in zip(values, shares, strict=True)
    ]
