"""Robertson's BM25: what terms say for a text, by their counts in it and by its length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from satchel.workspace.index.terms import inverse_document_frequency


class Bm25(NamedTuple):
    """The formula with its two numbers; a term's worth is its weight times its rarity."""

    saturation: float = 1.2
    """k1: how soon more of the same term says no more."""
    length: float = 0.75
    """b: how much longer texts are held back."""

    def damping(self, length: float) -> float:
        """Return what counts compete with in a text; its length is in average texts."""
        return self.saturation * (1 - self.length + self.length * length)

    def saturate(self, count: float, damping: float) -> float:
        """Return what a count is worth, at most 1 + k1 times a term's worth."""
        return (self.saturation + 1) * count / (count + damping)

    def score(
        self,
        worths: Mapping[str, float],
        counts: Iterable[Mapping[str, int]],
        lengths: Sequence[int],
        *,
        average: float = 0.0,
    ) -> list[float]:
        """Score texts.

        Args:
            worths: of the terms.
            counts: for each text, how often it holds each of the terms.
            lengths: terms of each text.
            average: of all lengths; that of these by default.
        """
        average = average or mean_length(lengths)
        scores, most = [], self.saturation + 1
        for held, length in zip(counts, lengths, strict=True):
            if not held:  # as most texts of a pack
                scores.append(0.0)
                continue
            damping = self.damping(length / average)
            scores.append(
                sum([worths[term] * (most * count / (count + damping)) for term, count in held.items()])
            )  # as `saturate` does, without a call for each
        return scores

    def score_postings(
        self,
        postings: Iterable[tuple[float, Mapping[int, int]]],
        lengths: Mapping[int, int] | Sequence[int],
        average: float,
    ) -> dict[int, float]:
        """Score texts by number, from terms' worths and counts; texts without any term are left out."""
        dampings: dict[int, float] = {}
        scores: dict[int, float] = {}
        for worth, counts in postings:
            for number in counts.keys() - dampings.keys():
                dampings[number] = self.damping(lengths[number] / average)
            most = worth * (self.saturation + 1)
            for number, count in counts.items():
                scores[number] = scores.get(number, 0.0) + most * count / (count + dampings[number])
        return scores


def mean_length(lengths: Sequence[int]) -> float:
    """Return the mean length, 1 if there is none."""
    return sum(lengths) / max(len(lengths), 1) or 1.0


def score_parts(
    query: Mapping[str, float],
    counts: Sequence[Mapping[str, int]],
    lengths: Sequence[int],
    *,
    saturation: float,
    length: float,
) -> list[float]:
    """Score parts by Robertson's BM25; a term is rare if few parts hold it.

    Args:
        query: term -> weight.
        counts: for each part, how often it holds each term of the query.
        lengths: terms of each part.
        saturation: k1.
        length: b, how much longer parts are penalized.
    """
    worths = {
        term: query[term] * inverse_document_frequency(len(counts), held)
        for term, held in Counter(chain.from_iterable(counts)).items()
    }
    return Bm25(saturation, length).score(worths, counts, lengths)


def rank_parts(
    query: Mapping[str, float],
    counts: Sequence[Mapping[str, int]],
    lengths: Sequence[int],
    *,
    saturation: float,
    length: float,
) -> list[float]:
    """Score parts as `score_parts` does, scaled to a maximum of 1."""
    raw = score_parts(query, counts, lengths, saturation=saturation, length=length)
    best = max(raw, default=0.0) or 1.0
    return [value / best for value in raw]
