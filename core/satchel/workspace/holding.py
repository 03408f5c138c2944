"""Which terms texts hold, and where: words are split once for all texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain

from satchel.workspace.terms import LONGEST_WORD, SHORTEST_WORD, WORD, runs_of, split_words

_DIGITS = "0123456789"


def terms_in(texts: Sequence[str]) -> list[list[str]]:
    """Return the folded terms of each text, in their order; every word of them all is split once."""
    words = [_words(text) for text in texts]
    found = list(set().union(*words))
    terms = dict(zip(found, split_words(map(_counted, found)), strict=True))
    terms.update(dict.fromkeys([word for word in found if not _counted(word)], ()))
    return [list(chain.from_iterable(map(terms.__getitem__, mine))) for mine in words]


def _words(text: str) -> list[str]:
    return runs_of(text) if text.isascii() else WORD.findall(text)


def _counted(word: str) -> str:
    """Return what of a run of letters, digits and "_" is a word, "" where nothing is."""
    stripped = word.lstrip(_DIGITS)
    return stripped if SHORTEST_WORD <= len(stripped) <= LONGEST_WORD else ""


def places_of(held: Sequence[Mapping[str, int]]) -> dict[str, list[int]]:
    """Return for each term which texts hold it, by number, and how often: text, count, text, count, ..."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for number, counts in enumerate(held):
        for term, count in counts.items():
            places[term] += (number, count)
    return dict(places)
