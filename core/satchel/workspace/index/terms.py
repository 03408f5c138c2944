"""Split code and prose into terms: identifiers into words, plurals folded; and weigh a task's query."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain, pairwise
from pathlib import Path

from satchel.patterns import lazily

WORD = lazily(r"[^\W\d]\w+")
_BREAKS = "".join(chr(code) if re.match(r"\w", chr(code)) else " " for code in range(128))
"""For `str.translate` of an ASCII text: every character outside of words becomes a blank."""
_HUMPS = lazily(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_+|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")
_RUN = lazily(r"\w+")
_EAST_ASIAN = lazily(
    "[\u3041-\u3096\u30a1-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]+"
)
"""Runs of kana, Han and Hangul, in which no blank tells where a word ends."""
_COMPOUND = r"\b(\w+(?:_\w+)+|[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w+)\b"
_MARKED = lazily(rf"`([^`\n]{{2,200}})`|{_COMPOUND}|\b(\w+)\(\)")
_COMPOUND_NAME = lazily(_COMPOUND)
SHORTEST_WORD, LONGEST_WORD = 2, 80
_TITLE_FACTOR = 1.7
_MARKED_FACTOR = 1.6
_LONGEST_TASK = 200_000
"""Characters of a task that are used for its query; the rest of a pasted log adds nothing."""


_ENDS_IN_IE = frozenset({"cookie", "movie", "calorie", "zombie", "selfie", "rookie", "hoodie", "genie"})
"""Words of five and more letters whose plural ends like that of words in `y`."""


def fold(term: str) -> str:
    """Fold a plural: `parsers` -> `parser`, `entries` -> `entry`; short words and `ss` stay."""
    if len(term) < 4 or not term.endswith("s") or term.endswith(("ss", "us", "is")):
        return term
    if term.endswith("ies") and len(term) > 4 and term[:-1] not in _ENDS_IN_IE:
        return term[:-3] + "y"
    return term[:-1]


_STOP = Path(__file__).with_name("stop.txt").read_text("ascii").split()
STOP = frozenset([*_STOP, *map(fold, _STOP)])
"""Words that tell nothing about a place, as they are written and as terms."""


def split_words(words: Iterable[str]) -> list[tuple[str, ...]]:
    """Split each word into its folded terms, the whole word last where it has several parts."""
    return [_split_word(word) for word in words]


def is_east_asian(term: str) -> bool:
    """Tell whether a term is of a script that writes no blanks between words, of which terms are pairs."""
    return _EAST_ASIAN.match(term) is not None


def _pair_up(run: re.Match[str]) -> str:
    """Return each two neighbors of a run, as analyzers for Chinese, Japanese and Korean do."""
    pairs = map("".join, pairwise(run[0]))
    return f" {' '.join(pairs) or run[0]} "


def _split_word(word: str) -> tuple[str, ...]:
    whole = word.lower().strip("_")
    parted = _HUMPS.sub(" ", word)
    parted = (parted if word.isascii() else _EAST_ASIAN.sub(_pair_up, parted)).lower()
    parts = dict.fromkeys(fold(part) for part in parted.split() if len(part) > 1)
    if len(parts) > 1 or (parts and next(iter(parts)) != fold(whole)):
        return (*parts, whole)
    return tuple(parts) or (whole,)


def find_compound_names(text: str) -> list[str]:
    """Return the names of several words in a text, `maxAge` and `max_age`, without outer underscores."""
    return [name.strip("_") for name in _COMPOUND_NAME.findall(text)]


def count_words(text: str) -> Counter[str]:
    """Count the words of a text unfolded; overlong ones are left out."""
    return drop_overlong(count_all_words(text))


def count_all_words(text: str) -> Counter[str]:
    """Count the matches of `WORD`, in an order that depends only on the text."""
    return Counter(WORD.findall(text))


def runs_of(text: str) -> list[str]:
    """Return the longest runs of letters, digits and underscores; ASCII needs no regex."""
    return text.translate(_BREAKS).split() if text.isascii() else _RUN.findall(text)


def drop_overlong(counts: Counter[str]) -> Counter[str]:
    """Remove the words that are longer than any identifier, and return the rest."""
    if max(map(len, counts), default=0) > LONGEST_WORD:
        for word in [word for word in counts if len(word) > LONGEST_WORD]:
            del counts[word]
    return counts


def count_terms(text: str) -> Counter[str]:
    """Count the folded terms of a text."""
    words = count_words(text)  # in the order of the text: sums depend on it
    terms: Counter[str] = Counter()
    for split, count in zip(split_words(words), words.values(), strict=True):
        for term in split:
            terms[term] += count
    return terms


def query_terms(text: str) -> dict[str, float]:
    """Weigh the terms of a task: 1 + log of the count, more in the title and where marked as code."""
    text = text[:_LONGEST_TASK]
    title, _, _ = text.strip().partition("\n")
    marked = set(count_terms(" ".join(chain.from_iterable(_MARKED.findall(text)))))
    in_title = set(count_terms(title))
    return {
        term: (1 + math.log(count))
        * (_MARKED_FACTOR if term in marked else 1)
        * (_TITLE_FACTOR if term in in_title else 1)
        for term, count in count_terms(text).items()
        if term not in STOP and len(term) > 1
    }


def inverse_document_frequency(documents: int, holding: int) -> float:
    """Return ln(1 + (N - n + .5) / (n + .5)), Robertson's weight kept above zero."""
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5))


def normalize(scores: Mapping[str, float]) -> dict[str, float]:
    """Divide all scores by the largest."""
    largest = max(scores.values(), default=0.0)
    return (
        {key: score / largest for key, score in scores.items()} if largest > 0 else dict.fromkeys(scores, 0.0)
    )
