"""Find past commits whose messages resemble a task, among thousands that the index has by term."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple
from zlib import crc32

from satchel.escaping import without_marks
from satchel.redaction.scanning import Scanners
from satchel.workspace.git.patches import FileDiff, find_changed_lines
from satchel.workspace.git.repository import Commit
from satchel.workspace.index.places import place_terms, vocabulary, words_in
from satchel.workspace.index.ranking import Bm25, mean_length
from satchel.workspace.index.store import IndexStore
from satchel.workspace.index.terms import count_terms, inverse_document_frequency

_MOST_LINES = 150
"""Lines added to a file, and lines removed from it, that are counted."""
_MOST_TERMS = 200
"""Terms of a commit that are stored: the commonest."""


def count_changed_words(commit: Commit, changes: Sequence[FileDiff], scanners: Scanners) -> dict[str, int]:
    """Return the counted terms of the lines that a commit changed in its `paths`, none of a secret.

    The key "" has the number of all terms.
    """
    wanted = set(commit.paths)
    lines = [line for one in changes if one.path in wanted for line in find_changed_lines(one, _MOST_LINES)]
    counts = count_terms(scanners.redact(without_marks("\n".join(lines))).text)
    commonest = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:_MOST_TERMS]
    return {"": counts.total(), **dict(commonest)}


SIMILAR = 20
"""Commits that are returned."""
_ROWS_OF_TERMS = 256
_COMMITS_A_ROW = 25
_ASKED_AT_ONCE = 32
"""Commits whose paths are asked for together."""

Counts = Mapping[int, int]
"""Commit number, the newest 0 -> how often its message holds a term."""
PathsOf = Callable[[Sequence[str]], Mapping[str, Sequence[str]]]
"""Returns the paths of commits by id."""


class Messages(NamedTuple):
    """The messages of past commits in the index, read only as far as they are asked for."""

    store: IndexStore
    head: str
    """The newest of the commits."""

    @classmethod
    def write(cls, store: IndexStore, head: str, commits: Sequence[Commit]) -> Messages:
        """Put messages into the index; each word is split once."""
        words = [words_in(f"{commit.subject}\n{commit.body}") for commit in commits]
        places, lengths = place_terms(words, vocabulary().knowing(words))
        rows: dict[str, Any] = {"messages": lengths}
        for term, held in places.items():
            rows.setdefault(_row_of(term), {})[term] = held
        for at in range(0, len(commits), _COMMITS_A_ROW):
            rows[f"past {at // _COMMITS_A_ROW}"] = commits[at : at + _COMMITS_A_ROW]
        store.keep(dict.fromkeys(rows, head), rows)
        return cls(store, head)

    def lengths(self) -> Sequence[int]:
        """Return how many terms each message has, that of the newest commit first."""
        return list(*self._read(["messages"]).values())

    def holding(self, terms: Collection[str]) -> Mapping[str, Counts]:
        """Return which messages hold each of the terms; terms that none holds are left out."""
        row_of = {term: _row_of(term) for term in terms}
        said = self._read(sorted(set(row_of.values())))
        places = {term: said.get(row, {}).get(term) for term, row in row_of.items()}
        return {term: _counts(found) for term, found in places.items() if found is not None}

    def commits(self, numbers: Sequence[int]) -> Mapping[int, Commit]:
        """Return commits by number; unknown ones are left out."""
        rows = self._read([f"past {row}" for row in {number // _COMMITS_A_ROW for number in numbers}])
        found: dict[int, Commit] = {}
        for number in numbers:
            row = rows.get(f"past {number // _COMMITS_A_ROW}", ())
            if number % _COMMITS_A_ROW < len(row):
                sha, time, subject, body, paths = row[number % _COMMITS_A_ROW]
                found[number] = Commit(sha, time, subject, body, tuple(paths))
        return found

    def _read(self, names: Sequence[str]) -> dict[str, Any]:
        return self.store.recall(dict.fromkeys(names, self.head))


def _row_of(term: str) -> str:
    return f"said {crc32(term.encode()) % _ROWS_OF_TERMS}"


def _counts(places: Sequence[int]) -> Counts:
    return dict(zip(places[::2], places[1::2], strict=True))


def _no_paths(_: Sequence[str]) -> Mapping[str, Sequence[str]]:
    return {}


def similar_commits(
    messages: Messages, query: Mapping[str, float], paths_of: PathsOf = _no_paths
) -> list[tuple[float, Commit]]:
    """Return the commits whose messages are most similar to a query by BM25, best first, scored 1 to 0.

    `paths_of` returns the paths of commits that were read without; a commit without any path is skipped.
    """
    lengths = messages.lengths()
    rows = range(len(lengths))
    holding = {
        term: {number: count for number, count in held.items() if number in rows}
        for term, held in messages.holding(query).items()
    }
    worths = {
        term: query[term] * inverse_document_frequency(len(lengths), len(held))
        for term, held in holding.items()
    }
    postings = [(worths[term], holding[term]) for term in query if term in holding]
    scores = Bm25().score_postings(postings, lengths, mean_length(lengths))
    ranked = sorted(scores, key=lambda number: (-scores[number], number))
    nearest = _with_paths(messages, ranked, paths_of)
    found = [(scores[number], commit) for number, commit in islice(nearest, SIMILAR)]
    best = found[0][0] if found else 1.0
    return [(score / best, commit) for score, commit in found]


def _with_paths(
    messages: Messages, numbers: Sequence[int], paths_of: PathsOf
) -> Iterator[tuple[int, Commit]]:
    """Yield the commits that have paths, in the order of the numbers."""
    for at in range(0, len(numbers), _ASKED_AT_ONCE):
        commits = messages.commits(numbers[at : at + _ASKED_AT_ONCE])
        asked = [commit.sha for commit in commits.values() if not commit.paths]
        told = paths_of(asked) if asked else {}
        for number, commit in commits.items():
            paths = commit.paths or tuple(told.get(commit.sha, ()))
            if paths:
                yield number, commit._replace(paths=paths)
