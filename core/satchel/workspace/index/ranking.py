"""Rank the files of a workspace for a query: BM25 over bodies, plus the fields path and name."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from satchel.workspace.index.documents import BODY, NAME, PATH, Document, Index
from satchel.workspace.index.terms import inverse_document_frequency, normalize

K1 = 1.2
B = 0.75
"""Robertson's saturation and length normalisation for whole files."""
_COMMON = 0.5
"""A term in more than this share of the files says nothing; its postings are skipped in bodies."""


class Ranking(NamedTuple):
    """Scores by path, each field scaled to a maximum of 1."""

    body: Mapping[str, float]
    path: Mapping[str, float]
    name: Mapping[str, float]
    rarity: Mapping[str, float]
    """Inverse document frequency of each query term in bodies; terms that no file holds are absent."""
    scale: float = 1.0
    """The best body score before scaling."""
    average: float = 1.0
    """Words in a file on average."""


def rank(index: Index, query: Mapping[str, float]) -> Ranking:
    """Score every document that holds a term of the query in any field."""
    known, readable, words = index.numbered
    average = words / max(readable, 1) or 1.0
    body, rarity = _bm25(index, query, known, Sizes(readable or 1, average))
    return Ranking(
        body=normalize({known[id_].path: score for id_, score in body.items()}),
        path=normalize(_weigh_field(index, query, PATH, known)),
        name=normalize(_weigh_field(index, query, NAME, known)),
        rarity=rarity,
        scale=max(body.values(), default=0.0) or 1.0,
        average=average,
    )


class Sizes(NamedTuple):
    """The totals of all documents that BM25 needs."""

    documents: int
    """Documents with any word."""
    average: float
    """Mean words in one of them."""


def _bm25(
    index: Index, query: Mapping[str, float], known: Mapping[int, Document], sizes: Sizes
) -> tuple[dict[int, float], dict[str, float]]:
    damping: dict[int, float] = {}
    scores: dict[int, float] = {}
    rarity: dict[str, float] = {}
    for term, weight in query.items():
        counts = index.postings(term, BODY)
        if not counts.keys() <= known.keys():
            counts = {id_: count for id_, count in counts.items() if id_ in known}
        if not counts:
            continue
        rarity[term] = inverse_document_frequency(sizes.documents, len(counts))
        if len(counts) > _COMMON * sizes.documents and sizes.documents > 20:
            continue
        worth = rarity[term] * weight * (K1 + 1)
        damping.update(
            (id_, K1 * (1 - B + B * known[id_].length / sizes.average))
            for id_ in counts.keys() - damping.keys()
        )
        for id_, count in counts.items():
            scores[id_] = scores.get(id_, 0.0) + worth * count / (count + damping[id_])
    return scores, rarity


def _weigh_field(
    index: Index, query: Mapping[str, float], field: str, known: Mapping[int, Document]
) -> dict[str, float]:
    """Sum the weights of the query terms that a field holds, each by its rarity there."""
    scores: dict[str, float] = {}
    for term, weight in query.items():
        holding = [known[id_].path for id_ in index.postings(term, field) if id_ in known]
        worth = weight * inverse_document_frequency(len(known), len(holding)) if holding else 0.0
        for path in holding:
            scores[path] = scores.get(path, 0.0) + worth
    return {path: score / math.sqrt(1 + path.count("/") * 0.1) for path, score in scores.items()}


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
    average = sum(lengths) / max(len(lengths), 1) or 1.0
    holding = Counter(chain.from_iterable(counts))
    worths = {
        term: query[term] * inverse_document_frequency(len(counts), held) * (saturation + 1)
        for term, held in holding.items()
    }
    raw = [0.0] * len(counts)
    for at, held in enumerate(counts):
        if held:
            damping = saturation * (1 - length + length * lengths[at] / average)
            raw[at] = sum([worths[term] * count / (count + damping) for term, count in held.items()])
    return raw
