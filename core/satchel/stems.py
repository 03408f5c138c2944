"""Reduce English words to stems, so that `testing` finds `tests`, and list the words of a stem."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

_INFLECTED = (
    ("ies", "y"),
    ("ied", "y"),
    ("ss", "ss"),
    ("ous", "ous"),
    ("tus", "tus"),
    ("cus", "cus"),
    ("es", "e"),
    ("s", ""),
    ("setting", "setting"),
    ("creating", "create"),
    ("created", "create"),
    ("eating", "eat"),
    ("eated", "eat"),
    ("ating", "ate"),
    ("ated", "ate"),
    ("ising", "ise"),
    ("ised", "ise"),
    ("edly", ""),
    ("ing", ""),
    ("ed", ""),
)
"""Endings of plurals and forms of verbs, and their replacements; the first match is removed."""
_DERIVED = (
    ("ization", "iz"),
    ("isation", "iz"),
    ("mentation", ""),
    ("ation", ""),
    ("ate", ""),
    ("ise", "iz"),
    ("erer", ""),
    ("letter", "letter"),
    ("er", ""),
    ("comment", "comment"),
    ("statement", "statement"),
    ("ment", ""),
    ("ply", "ply"),
    ("ically", "ic"),
    ("ly", ""),
)
"""Endings of words derived from others, which have inflected forms of their own: a filter, filtering.

A comment is not derived from a word that comes.
"""
_LEAST = 3
"""Letters of a stem; shorter words stay as they are."""
_DOUBLED = frozenset("bcdfghjkmnpqrtvwxyz")
_FORMS = (
    *("", "e", "y", "ing", "ed", "er", "erer", "ered", "ering", "ate", "ated", "ating", "ation", "ately"),
    *("ment", "mented", "menting", "mentation", "ement", "emented", "ementing", "ementation"),
    *("ize", "ise", "ized", "ization", "ly", "ely", "edly", "ally"),
)


def _group_by_last_letter(endings: Iterable[tuple[str, str]]) -> Mapping[str, list[tuple[str, str]]]:
    """Return endings by their last letter, in their order: for most words none needs to be tried."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for ending, instead in endings:
        groups.setdefault(ending[-1], []).append((ending, instead))
    return groups


_INFLECTED_BY_LETTER, _DERIVED_BY_LETTER = map(_group_by_last_letter, (_INFLECTED, _DERIVED))


def _replace_ending(word: str, endings: Mapping[str, Iterable[tuple[str, str]]]) -> str:
    """Return a word with its ending replaced, if enough letters are left."""
    for ending, instead in endings.get(word[-1], ()):
        if word.endswith(ending) and len(word) - len(ending) >= (0 if ending == instead else _LEAST):
            return word[: -len(ending)] + instead
    return word


def _undouble(word: str) -> str:
    return word[:-1] if len(word) > _LEAST and word[-1] == word[-2] and word[-1] in _DOUBLED else word


@lru_cache(maxsize=131_072)
def stem(word: str) -> str:
    """Return the stem of a word in lower case; a word that is not ASCII is its own."""
    if len(word) <= _LEAST or not word.isascii():
        return word
    word = _undouble(_replace_ending(word, _INFLECTED_BY_LETTER))
    word = _replace_ending(word, _DERIVED_BY_LETTER)
    if len(word) > _LEAST and word.endswith("e"):
        word = word[:-1]
    word = _undouble(word)
    if len(word) > _LEAST and word.endswith("i"):
        word = word[:-1] + "y"
    return word


def beginnings(stems: Iterable[str]) -> tuple[str, ...]:
    """Return the beginnings of words with these stems: a stem differs in its last letter at most."""
    return tuple(sorted({one[:-1] or one for one in stems}))


def inflect(stemmed: str) -> tuple[str, ...]:
    """Return words that may have this stem, the stem first; not all of them exist."""
    if not stemmed.isascii() or len(stemmed) < _LEAST:
        return (stemmed,)
    words = [stemmed + form for form in _FORMS]
    last = stemmed[-1]
    if last in _DOUBLED:
        words += [stemmed + last + form for form in ("", "ing", "ed", "er", "ered", "ering")]
    if stemmed.endswith("iz"):
        words += [stemmed[:-1] + form for form in ("se", "sed", "sing", "sation")]
    if last == "y":
        words += [stemmed[:-1] + form for form in ("ies", "ied", "ier")]
    return tuple(word for word in dict.fromkeys(words) if word == stemmed or stem(word) == stemmed)
