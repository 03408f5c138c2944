"""Find the past commits whose messages resemble a task: thousands of them, kept in the index by term."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from sqlite3 import Connection
from typing import NamedTuple, Protocol

from satchel.workspace.git import Commit
from satchel.workspace.store import Store
from satchel.workspace.terms import count_words, inverse_document_frequency, split_words

SIMILAR = 20
"""Commits that are told of."""
_K1 = 1.2
_B = 0.75
"""Robertson's saturation and length normalisation for messages."""
_AT_ONCE = 200
"""Terms that are looked up with one question to the index."""

Counts = Mapping[int, int]
"""Commit number, the newest 0 -> how often its message holds a term."""


class Messages(Protocol):
    """The messages of past commits, as they are asked for."""

    def lengths(self) -> Sequence[int]:
        """Return how many terms each message has, that of the newest commit first."""
        ...

    def holding(self, terms: Collection[str]) -> Mapping[str, Counts]:
        """Return which messages hold each of the terms; terms that none holds are left out."""
        ...

    def commit(self, number: int) -> Commit | None:
        """Return a commit, None where it is not known any more."""
        ...


class ReadMessages(NamedTuple):
    """Messages of commits that were read just now."""

    commits: Sequence[Commit]
    counts: Sequence[int]
    terms: Mapping[str, Counts]

    @classmethod
    def of(cls, commits: Sequence[Commit]) -> ReadMessages:
        """Split the messages into terms; each word is split once."""
        counted = [count_words(f"{commit.subject}\n{commit.body}") for commit in commits]
        words = list(set().union(*counted))
        terms_of = dict(zip(words, split_words(words), strict=True))
        terms: dict[str, dict[int, int]] = {}
        said = (
            (term, number, count)
            for number, counts in enumerate(counted)
            for word, count in counts.items()
            for term in terms_of[word]
        )
        for term, number, count in said:
            held = terms.setdefault(term, {})
            held[number] = held.get(number, 0) + count
        lengths = [sum(count * len(terms_of[word]) for word, count in counts.items()) for counts in counted]
        return cls(commits, lengths, terms)

    def lengths(self) -> Sequence[int]:
        """Return how many terms each message has."""
        return self.counts

    def holding(self, terms: Collection[str]) -> Mapping[str, Counts]:
        """Return which messages hold each of the terms."""
        return {term: self.terms[term] for term in terms if term in self.terms}

    def commit(self, number: int) -> Commit | None:
        """Return a commit."""
        return self.commits[number]

    def rows(self) -> list[tuple[str, str]]:
        """Return what `StoredMessages` finds in the index, by name."""
        return [
            ("messages", json.dumps(self.counts)),
            *((f"said {term}", json.dumps([*held, *held.values()])) for term, held in self.terms.items()),
            *((f"past {number}", json.dumps(commit)) for number, commit in enumerate(self.commits)),
        ]


class StoredMessages(NamedTuple):
    """Messages that stand in the index, of which no more is read than is asked for."""

    store: Store

    def lengths(self) -> Sequence[int]:
        """Return how many terms each message has."""
        rows = self.store.rows("SELECT value FROM facts WHERE name = 'messages'")
        return list(json.loads(str(rows[0][0]))) if rows else ()

    def holding(self, terms: Collection[str]) -> Mapping[str, Counts]:
        """Return which messages hold each of the terms."""
        names = [f"said {term}" for term in terms]
        found: dict[str, Counts] = {}
        for at in range(0, len(names), _AT_ONCE):
            some = names[at : at + _AT_ONCE]
            query = f"SELECT name, value FROM facts WHERE name IN ({', '.join('?' * len(some))})"  # noqa: S608
            for name, value in self.store.rows(query, tuple(some)):
                listed = json.loads(str(value))
                half = len(listed) // 2
                found[str(name).removeprefix("said ")] = dict(zip(listed[:half], listed[half:], strict=True))
        return found

    def commit(self, number: int) -> Commit | None:
        """Return a commit."""
        rows = self.store.rows("SELECT value FROM facts WHERE name = ?", (f"past {number}",))
        if not rows:
            return None
        sha, time, subject, body, paths = json.loads(str(rows[0][0]))
        return Commit(sha, time, subject, body, tuple(paths))


def keep(connection: Connection, messages: ReadMessages) -> None:
    """Write messages into the index, in the place of those that stood there."""
    connection.execute("DELETE FROM facts WHERE name LIKE 'said %' OR name LIKE 'past %'")
    connection.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", messages.rows())


def similar_commits(messages: Messages, query: Mapping[str, float]) -> list[tuple[float, Commit]]:
    """Return the commits whose messages are nearest to a query by BM25, best first, likeness 1 to 0.

    Commits of which no path is known are passed over.
    """
    lengths = messages.lengths()
    scores = _scores(lengths, messages.holding(query), query)
    found: list[tuple[float, Commit]] = []
    for number in sorted(scores, key=lambda number: (-scores[number], number)):
        commit = messages.commit(number)
        if commit is not None and commit.paths:
            found.append((scores[number], commit))
        if len(found) == SIMILAR:
            break
    best = found[0][0] if found else 1.0
    return [(score / best, commit) for score, commit in found]


def _scores(
    lengths: Sequence[int], holding: Mapping[str, Counts], query: Mapping[str, float]
) -> dict[int, float]:
    average = sum(lengths) / max(len(lengths), 1) or 1.0
    scores: dict[int, float] = {}
    for term, weight in query.items():
        held = holding.get(term, {})
        worth = weight * inverse_document_frequency(len(lengths), len(held))
        for number, count in held.items():
            if number < len(lengths):
                damping = _K1 * (1 - _B + _B * lengths[number] / average)
                scores[number] = scores.get(number, 0.0) + worth * count / (count + damping)
    return scores
