"""Rank the files of a workspace for a query: BM25 over bodies, plus the fields path and name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from satchel.workspace.index.bm25 import Bm25
from satchel.workspace.index.documents import BODY, NAME, PATH, Document, Index
from satchel.workspace.index.terms import inverse_document_frequency, normalize

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
    body, rarity = _score_bodies(index, query, known, readable or 1, average)
    return Ranking(
        body=normalize({known[id_].path: score for id_, score in body.items()}),
        path=normalize(_weigh_field(index, query, PATH, known)),
        name=normalize(_weigh_field(index, query, NAME, known)),
        rarity=rarity,
        scale=max(body.values(), default=0.0) or 1.0,
        average=average,
    )


def _score_bodies(
    index: Index, query: Mapping[str, float], known: Mapping[int, Document], documents: int, average: float
) -> tuple[dict[int, float], dict[str, float]]:
    """Return the scores of documents by number, and the rarity of the terms; `documents` have any word."""
    rarity: dict[str, float] = {}
    postings: list[tuple[float, Mapping[int, int]]] = []
    for term, weight in query.items():
        counts = index.postings(term, BODY)
        if not counts.keys() <= known.keys():
            counts = {id_: count for id_, count in counts.items() if id_ in known}
        if not counts:
            continue
        rarity[term] = inverse_document_frequency(documents, len(counts))
        if len(counts) <= _COMMON * documents or documents <= 20:
            postings.append((rarity[term] * weight, counts))
    lengths = {id_: known[id_].length for _, counts in postings for id_ in counts}
    return Bm25().score_postings(postings, lengths, average), rarity


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
