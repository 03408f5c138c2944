"""How like a task each text is, by the vectors of the words in both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import attrs
import numpy as np

from satchel_vectors.vectors import unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SHARPNESS = 3
"""Power of a cosine: many words are a little alike, and that says nothing."""
_ROWS = 4_096
"""Vectors that are added up at a time, so that memory stays small."""

Vectorise = Callable[[Sequence[str]], "NDArray[np.float32]"]


@attrs.frozen
class Texts:
    """The words of many texts as numbers."""

    words: Mapping[str, int]
    """Each word's number."""
    vectors: NDArray[np.float32]
    """By word, of length 1."""
    rarity: NDArray[np.float32]
    """By word: Robertson's inverse document frequency."""
    held: NDArray[np.intp]
    """The words of all texts, one text after the other, each word once a text."""
    sizes: NDArray[np.intp]
    """Words in each text."""

    @property
    def filled(self) -> NDArray[np.intp]:
        """Return the numbers of the texts that have words."""
        return np.flatnonzero(self.sizes)

    @property
    def starts(self) -> NDArray[np.intp]:
        """Return where in `held` each filled text starts."""
        sizes = self.sizes[self.filled]
        return np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.intp)

    @property
    def unseen(self) -> float:
        """Return the rarity of a word that no text has."""
        return _rarity(np.zeros(1), len(self.sizes)).item()


def texts_of(held: Sequence[Sequence[str]], vectorise: Vectorise) -> Texts:
    """Number the words of texts; `held` has each word once a text."""
    words = {word: at for at, word in enumerate(dict.fromkeys(chain.from_iterable(held)))}
    numbers = np.fromiter((words[word] for word in chain.from_iterable(held)), dtype=np.intp)
    holding = np.bincount(numbers, minlength=len(words)).astype(np.float64)
    sizes = np.array([len(one) for one in held], dtype=np.intp)
    return Texts(words, vectorise(list(words)), _rarity(holding, len(held)), numbers, sizes)


def likeness(texts: Texts, asked: Mapping[str, float], vectorise: Vectorise) -> NDArray[np.float32]:
    """Return 0..1 for each text, 1 for the one most like the words asked for.

    Half is what each asked word finds in the text, the likest word there; half is how near the text
    as a whole is to the words together. Words count by their rarity.
    """
    if not asked or not texts.held.size:
        return np.zeros(len(texts.sizes), dtype=np.float32)
    vectors = vectorise(list(asked))
    known = [texts.words.get(word, -1) for word in asked]
    rarity = np.array([texts.rarity[at] if at >= 0 else texts.unseen for at in known])
    weights = (rarity * np.array(list(asked.values()))).astype(np.float32)
    found = _divided(_matches(texts, vectors, known, weights=weights))
    near = _divided(_nearness(texts, weights @ vectors))
    return _divided(found + near)


def smoothed(scores: NDArray[np.float32], shares: Sequence[float]) -> NDArray[np.float32]:
    """Add to each score these shares of those one place away, two places away and so on."""
    total = scores.copy()
    for distance, share in enumerate(shares, 1):
        total[distance:] += np.float32(share) * scores[:-distance]
        total[:-distance] += np.float32(share) * scores[distance:]
    return _divided(total)


def _matches(
    texts: Texts, vectors: NDArray[np.float32], known: Sequence[int], *, weights: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Sum over the asked words: weight times the likeness of the likest word in each text."""
    total = np.zeros(len(texts.sizes), dtype=np.float32)
    filled, starts = texts.filled, texts.starts
    for vector, at, weight in zip(vectors, known, weights, strict=True):
        like = np.maximum(texts.vectors @ vector, 0) ** _SHARPNESS
        if at >= 0:
            like[at] = 1
        total[filled] += weight * np.maximum.reduceat(like[texts.held], starts)
    return total


def _nearness(texts: Texts, asked: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the cosine of each text's words and the asked ones, both without what all texts share."""
    whole = np.zeros((len(texts.sizes), texts.vectors.shape[1]), dtype=np.float32)
    weighted = texts.vectors * texts.rarity[:, None]
    ends = np.cumsum(texts.sizes)
    at = 0
    while at < len(ends):
        begin = ends[at] - texts.sizes[at]
        after = max(at + 1, int(np.searchsorted(ends, begin + _ROWS, side="right")))
        whole[at:after] = _sums(weighted[texts.held[begin : ends[after - 1]]], texts.sizes[at:after])
        at = after
    whole = unit(whole)
    shared = whole.mean(axis=0)
    cosines: NDArray[np.float32] = unit(whole - shared) @ unit(unit(asked) - shared)
    return np.where(texts.sizes > 0, np.maximum(cosines, 0), np.float32(0))


def _sums(rows: NDArray[np.float32], sizes: NDArray[np.intp]) -> NDArray[np.float32]:
    """Add up as many rows as each size says, one run after the other."""
    sums = np.zeros((len(sizes), rows.shape[1]), dtype=np.float32)
    filled = np.flatnonzero(sizes)
    if filled.size:
        starts = np.concatenate(([0], np.cumsum(sizes[filled])[:-1])).astype(np.intp)
        sums[filled] = np.add.reduceat(rows, starts, axis=0)
    return sums


def _rarity(holding: NDArray[np.float64], texts: int) -> NDArray[np.float32]:
    return np.log1p((texts - holding + 0.5) / (holding + 0.5)).astype(np.float32)


def _divided(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    largest = scores.max(initial=0)
    return scores / largest if largest > 0 else np.zeros_like(scores)
