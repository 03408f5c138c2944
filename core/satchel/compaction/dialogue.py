"""The view that message scorers have of a conversation: a part for each exchange, and its words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from copy import copy
from itertools import chain

from satchel.compaction.pieces import Library
from satchel.compaction.worth import ReferenceMentions
from satchel.items import Task
from satchel.messages import Exchange
from satchel.parts import Part
from satchel.patterns import lazily
from satchel.stems import stem
from satchel.workspace.index.terms import STOP, WORD, count_words, inverse_document_frequency, split_words

KIND = "exchange"
"""The value in the `kinds` of scorers of messages."""
_BREAKS = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))
_LONGEST, _LONGEST_CALLING = 4_000, 1_500
"""Characters of an exchange whose words count, and of one with calls; for a task, as for the former."""
_SPEAKER = lazily(r"^([A-Z]\w{1,30}): ", re.MULTILINE)
_BEGINNING = 120
_BEST, _RELATED = 6, 10
"""Exchanges whose words are added to the task's, and the number of words."""


class Dialogue:
    """The words of a conversation's exchanges, queried by part like the words of a workspace.

    Args:
        exchanges: in order.
        library: where texts are read.
        mentions: the references of each exchange.
    """

    def __init__(
        self, exchanges: Sequence[Exchange], library: Library, mentions: Sequence[ReferenceMentions] = ()
    ) -> None:
        self._library = library
        refs = [tuple(one.own) + tuple(one.seen - one.own) for one in mentions] or [()] * len(exchanges)
        self.parts = tuple(_part(one, at, refs=refs[at]) for at, one in enumerate(exchanges))
        self._exchanges = {part.id: one for part, one in zip(self.parts, exchanges, strict=True)}
        self._calls = any(message.calls for one in exchanges for message in one.messages)
        self._known: dict[str, Mapping[str, int]] = {}

    def lent(self, owner: str) -> Dialogue:
        """Return a copy for a plugin of another distribution, so that nothing the plugin sets on it stays."""
        lent = copy(self)
        lent._exchanges, lent._known = dict(self._exchanges), {}
        return lent

    def text(self, part: Part) -> str:
        """Return the text of an exchange."""
        one = self._exchanges[part.id]
        return "\n".join(block.text for message in one.messages for block in message.blocks if block.text)

    def query(self, task: Task) -> Mapping[str, float]:
        """Return the terms of a task with their weights."""
        said = task.text[:_LONGEST]
        if self._calls:
            return dict.fromkeys((word for word in _split_words(said) if word not in STOP), 1.0)
        words = [word for word in count_words(said) if word.lower() not in STOP]
        return dict.fromkeys((stem(term) for terms in split_words(words) for term in terms), 1.0)

    def lengths(self, parts: Sequence[Part]) -> list[int]:
        """Return how many terms each part has."""
        return [sum(self._count_terms(part).values()) for part in parts]

    def term_counts(self, parts: Sequence[Part], terms: Sequence[str]) -> list[dict[str, int]]:
        """Return the counts of the given terms in each part, without those it lacks."""
        wanted = set(terms)
        return [{term: held[term] for term in wanted & held.keys()} for held in map(self._count_terms, parts)]

    def related(
        self, parts: Sequence[Part], scores: Sequence[float], query: Mapping[str, float]
    ) -> dict[str, float]:
        """Return the words that the best-scored exchanges share, 0..1, without those of the query."""
        best = sorted(range(len(parts)), key=lambda at: (-scores[at], at))[:_BEST]
        held = [self._count_terms(part) for part in parts]
        holding = Counter(chain.from_iterable(held))
        sums: dict[str, float] = {}
        for at in best:
            for term in held[at].keys() - query.keys() - _STOP:
                rare = inverse_document_frequency(len(parts), holding[term])
                sums[term] = sums.get(term, 0.0) + scores[at] * rare * held[at][term]
        chosen = sorted(sums, key=lambda term: (-sums[term], term))[:_RELATED]
        most = max(sums.values(), default=0.0) or 1.0
        return {term: sums[term] / most for term in chosen}

    def _count_terms(self, part: Part) -> Mapping[str, int]:
        """Return how often a part has each term: each word's stem, or where tools are called the word."""
        terms = self._known.get(part.id)
        if terms is None:
            known = self._library.words if self._calls else self._library.terms
            key = self.text(part)[: _LONGEST_CALLING if self._calls else _LONGEST]
            terms = known.get(key)
            if terms is None:
                terms = known[key] = Counter(_split_words(key)) if self._calls else self._count(key)
            self._known[part.id] = terms
        return terms

    def _count(self, text: str) -> Mapping[str, int]:
        counts: dict[str, int] = {}
        words, known = count_words(text), self._library.stems
        new = [word for word in words if word not in known]
        known.update(zip(new, (tuple(map(stem, terms)) for terms in split_words(new)), strict=True))
        for word, count in words.items():
            for root in known[word]:
                counts[root] = counts.get(root, 0) + count
        return counts


def _split_words(text: str) -> list[str]:
    """Return the words of a text in small letters, in order."""
    lower = text.lower()
    return lower.translate(_BREAKS).split() if lower.isascii() else WORD.findall(lower)


_STOP = STOP | frozenset(map(stem, STOP))


def find_speaker(exchange: Exchange) -> str:
    """Return the name at the beginning of a chat message, as in `Ann: I was in Rome.`, or ""."""
    text = exchange.messages[0].text[:_BEGINNING]
    found = _SPEAKER.search(text)
    return found[1] if found else ""


def _part(exchange: Exchange, at: int, *, refs: tuple[str, ...]) -> Part:
    failed = any(block.error for message in exchange.messages for block in message.results)
    size = sum(len(block.text) for message in exchange.messages for block in message.blocks)
    kind = "error" if failed else exchange.role
    return Part(
        kind,
        find_speaker(exchange),
        (at + 1, at + 1),
        refs=refs,
        id=exchange.id,
        item=exchange.id,
        tokens=size // 4,
    )
