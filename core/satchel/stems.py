"""Reduce English words to stems, so that `testing` finds `tests`, and list the words of a stem."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

_ENDINGS = (
    ("ization", "iz"),
    ("isation", "iz"),
    ("ations", ""),
    ("ation", ""),
    ("ating", ""),
    ("ated", ""),
    ("ates", ""),
    ("ate", ""),
    ("ising", "iz"),
    ("ised", "iz"),
    ("ise", "iz"),
    ("ing", ""),
    ("edly", ""),
    ("ied", "y"),
    ("ies", "y"),
    ("ed", ""),
    ("ers", ""),
    ("er", ""),
    ("ment", ""),
    ("es", "e"),
    ("s", ""),
    ("ly", ""),
)
"""Endings and what replaces them; the first that fits is taken off."""
_LEAST = 3
"""Letters of a stem; shorter words stay as they are."""
_DOUBLED = frozenset("bcdfghjkmnpqrtvwxyz")
_FORMS = (
    *("", "e", "y", "ing", "ed", "er", "ion", "ate", "ated", "ating", "ation", "ment", "ly", "able"),
    *("ize", "ise", "ized", "ization"),
)


@lru_cache(maxsize=131_072)
def stem(word: str) -> str:
    """Return the stem of a word in lower case; a word that is not ASCII is its own."""
    if len(word) <= _LEAST or not word.isascii():
        return word
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST:
            word = word[: -len(ending)] + instead
            break
    if len(word) > _LEAST and word[-1] == word[-2] and word[-1] in _DOUBLED:
        word = word[:-1]
    if len(word) > _LEAST and word.endswith("e"):
        word = word[:-1]
    if len(word) > _LEAST and word.endswith("i"):
        word = word[:-1] + "y"
    return word


def beginnings(stems: Iterable[str]) -> tuple[str, ...]:
    """Return how words with one of these stems begin: a stem differs in its last letter at most."""
    return tuple(sorted({one[:-1] or one for one in stems}))


def inflect(stemmed: str) -> tuple[str, ...]:
    """Return words that may have this stem, the stem first; not all of them exist."""
    if not stemmed.isascii() or len(stemmed) < _LEAST:
        return (stemmed,)
    words = [stemmed + form for form in _FORMS]
    last = stemmed[-1]
    if last in _DOUBLED:
        words += [stemmed + last + form for form in ("ing", "ed", "er")]
    if last == "y":
        words += [stemmed[:-1] + form for form in ("ies", "ied", "ier")]
    return tuple(word for word in dict.fromkeys(words) if word == stemmed or stem(word) == stemmed)
