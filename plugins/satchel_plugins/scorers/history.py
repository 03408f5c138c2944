"""Score files by git's history: recency, change counts, files that change together."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain

import attrs

from satchel.plugin_api import (
    REVIEWED,
    STOP,
    Commit,
    Part,
    Task,
    Workspace,
    inverse_document_frequency,
    rank_parts,
)
from satchel_plugins.providers.files import role_of
from satchel_plugins.scorers.wording import name_words


@attrs.frozen(eq=False, repr=False)
class Changes:
    """Give 1 to diffs that are under review, and to every diff if the task asks about changes."""

    name, kinds, grain = "changes", frozenset({"diff", "status"}), "item"
    weight: float = 1.5

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 1 or 0 for each part."""
        from satchel_plugins.providers.git.evidence import is_about_changes

        asked = is_about_changes(task)
        return [float(asked or part.item.startswith(REVIEWED)) for part in parts]

    def reason(self, part: Part, parts: Sequence[Part], task: Task, workspace: Workspace) -> str:
        """Return that the task asks about this change."""
        return "is a change that the task asks about" if any(self.score([part], task, workspace)) else ""


_WORD_FACTORS = (1.0, 0.3, 0.3)
"""Factors of words in the file, in its path, and in its names, as in the ranking of files."""


@attrs.frozen(eq=False, repr=False)
class Cochange:
    """Score files that changed together with the best files, by cosine; large commits count less.

    A single large commit in common is chance, and a file that changes with everything means nothing.
    """

    name, kinds, grain = "cochange", frozenset({"*"}), "item"
    weight: float = 0.57
    seeds: int = 5
    """Number of files that fit the task best; files that the task names count, too."""
    largest: int = 30
    """Commits of more files are skipped."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part, all 0 without a history."""
        scores = self._together(self._seeds(task, workspace), workspace) if parts else {}
        return [scores.get(part.path, 0.0) for part in parts]

    def _seeds(self, task: Task, workspace: Workspace) -> dict[str, float]:
        ranking = workspace.ranking.files(task)
        scores: dict[str, float] = {}
        for factor, field in zip(_WORD_FACTORS, (ranking.body, ranking.path, ranking.name), strict=True):
            for path, value in field.items():
                scores[path] = scores.get(path, 0.0) + factor * value
        named = {ref.path for ref in (*task.references, *task.open_files) if ref.path}
        best = sorted(scores, key=lambda path: (-scores[path], path))[: self.seeds]
        largest = max(scores.values(), default=0.0) or 1.0
        return {path: scores[path] / largest for path in best} | dict.fromkeys(named, 1.0)

    def _together(self, seeds: Mapping[str, float], workspace: Workspace) -> dict[str, float]:
        """Return for each file the sum over seeds of seed weight times cosine, divided by the largest."""
        commits, touched = _small(self.largest, workspace.history.commits())
        shared: dict[tuple[str, str], float] = {}
        for paths in commits:
            worth = 1 / math.log2(1 + len(paths))
            for seed in seeds.keys() & set(paths):
                for path in paths:
                    if path != seed:
                        shared[seed, path] = shared.get((seed, path), 0.0) + worth
        scores: dict[str, float] = {}
        for (seed, path), weight in sorted(shared.items()):
            cosine = weight / math.sqrt((1 + touched[seed]) * (1 + touched[path]))
            scores[path] = scores.get(path, 0.0) + seeds[seed] * cosine
        largest = max(scores.values(), default=0.0) or 1.0
        return {path: score / largest for path, score in scores.items()}

    def reason(self, part: Part, parts: Sequence[Part], task: Task, workspace: Workspace) -> str:
        """Return the fitting file that commits changed together with the part's, and how often."""
        seeds = self._seeds(task, workspace).keys() - {part.path}
        commits, _ = _small(self.largest, workspace.history.commits())
        together = Counter(path for paths in commits if part.path in paths for path in paths if path in seeds)
        if not together:
            return ""
        seed, times = min(together.items(), key=lambda one: (-one[1], one[0]))
        return f"{f'{times} commits' if times > 1 else 'a commit'} changed its file together with `{seed}`"


def _small(largest: int, history: Sequence[Commit]) -> tuple[Sequence[Sequence[str]], Mapping[str, int]]:
    """Return the paths of each commit that is not too large, and how many of these touched each path."""
    commits = [commit.paths for commit in history if 0 < len(commit.paths) <= largest]
    return commits, Counter(chain.from_iterable(commits))


@attrs.frozen(eq=False, repr=False)
class HistoryScorer:
    """Let the twenty nearest commit messages vote for the files that they touched.

    Likeness is BM25; a commit that touched many files gives each of them less.
    """

    name, kinds, grain = "history", frozenset({"*"}), "item"
    weight: float = 0.68

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        votes = workspace.history.votes(task)
        return [votes.get(part.path, 0.0) for part in parts]

    def reason(self, part: Part, parts: Sequence[Part], task: Task, workspace: Workspace) -> str:
        """Return how many of the most similar commits touched its file."""
        similar = [
            commit for likeness, commit in workspace.history.similar(task)[:_NEAREST] if likeness >= _ALIKE
        ]
        touching = [commit for commit in similar if part.path and part.path in commit.paths]
        if len(touching) == 1:
            return f"a similar commit touched its file (*{touching[0].subject[:60]}*)"
        return f"{len(touching)} of {len(similar)} similar commits touched its file" if touching else ""


@attrs.frozen(eq=False, repr=False)
class Hunks:
    """Let the nearest commit messages vote for the parts that still have their commits' lines.

    Likeness is BM25; a commit that touched many files gives each part less.
    """

    name, kinds, grain = "hunks", frozenset({"file"}), "part"
    weight: float = 0.28
    commits: int = 15
    """Maximum number of commits whose lines are used."""
    enough: int = 5
    """Maximum number of lines of one commit that count in one part."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part, all 0 without a history."""
        similar = workspace.history.similar(task)[: self.commits]
        lines = workspace.history.brought_lines(
            [commit for _, commit in similar], {part.path for part in parts}
        )
        votes: dict[str, list[tuple[float, Sequence[int]]]] = {}
        for likeness, commit in similar:
            for path in commit.paths:
                if found := lines.get((commit.sha, path)):
                    votes.setdefault(path, []).append((likeness**2 / math.sqrt(len(commit.paths)), found))
        raw = [
            sum(worth * self._share(part, found) for worth, found in votes[part.path])
            if part.path in votes
            else 0.0
            for part in parts
        ]
        best = max(raw, default=0.0) or 1.0
        return [value / best for value in raw]

    def _share(self, part: Part, numbers: Sequence[int]) -> float:
        inside = bisect_right(numbers, part.lines[1]) - bisect_left(numbers, part.lines[0])
        return min(inside, self.enough) / self.enough

    def reason(self, part: Part, parts: Sequence[Part], task: Task, workspace: Workspace) -> str:
        """Return the similar commit that brought most of its lines."""
        commits = [commit for _, commit in workspace.history.similar(task)[: self.commits]]
        lines = workspace.history.brought_lines(commits, {part.path})
        best, subject = 0, ""
        for commit in commits:
            numbers = lines.get((commit.sha, part.path), ())
            inside = bisect_right(numbers, part.lines[1]) - bisect_left(numbers, part.lines[0])
            if inside > best:
                best, subject = inside, commit.subject
        noun = "a line" if best == 1 else f"{best} lines"
        return f"has {noun} from the similar commit *{subject[:60]}*" if best else ""


_LEAST_LETTERS = 3
_NEAREST, _ALIKE = 20, 0.3
"""Most similar commits in a reason, and their least likeness."""
_MOST_WEIGHED = 300
"""Most words whose rarity is looked up: the largest shares of the changes."""


@attrs.frozen(eq=False, repr=False)
class Precedents:
    """Ask with the words that similar commits added and removed, by BM25 (Robertson).

    People describe a change in other words than the code uses; a repository's history translates. A word
    counts by its share of each commit's changed lines, by the commit's likeness and by its own rarity.
    """

    name, kinds, grain = "precedents", frozenset({"file"}), "part"
    weight: float = 0.44
    commits: int = 10
    """Maximum number of commits whose words are used."""
    words: int = 40
    """Maximum number of words to ask with."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part, all 0 without a history."""
        similar = workspace.history.similar(task)[: self.commits]
        query = self._query(_shares(similar, workspace), parts, workspace)
        if not query:
            return [0.0] * len(parts)
        counted = workspace.terms.term_counts(parts, list(query))
        return rank_parts(query, counted, workspace.terms.lengths(parts), saturation=1.2, length=0.6)

    def _query(
        self, shares: Mapping[str, float], parts: Sequence[Part], workspace: Workspace
    ) -> dict[str, float]:
        """Return the words that say most about the changes, with their weights, 1 for the best."""
        largest = sorted(shares, key=lambda term: (-shares[term], term))[:_MOST_WEIGHED]
        items = {part.item for part in parts}
        weights = {
            term: shares[term] * inverse_document_frequency(len(items), held)
            for term, held in workspace.terms.holders(largest, items).items()
            if held
        }
        best = sorted(weights, key=lambda term: (-weights[term], term))[: self.words]
        return {term: weights[term] / weights[best[0]] for term in best}

    def reason(self, part: Part, parts: Sequence[Part], task: Task, workspace: Workspace) -> str:
        """Return the words in the part that similar commits changed."""
        query = self._query(
            _shares(workspace.history.similar(task)[: self.commits], workspace), parts, workspace
        )
        held = workspace.terms.term_counts([part], list(query))[0] if query else {}
        best = sorted(held, key=lambda term: (-query[term], term))
        words = name_words(part, best, task, workspace)
        return f"holds {words}, as the changes of similar commits do" if words else ""


def _shares(similar: Sequence[tuple[float, Commit]], workspace: Workspace) -> dict[str, float]:
    """Return each word's share of the changes, with each commit weighed by its likeness and size."""
    changed = workspace.history.changed_words([_code_of(commit) for _, commit in similar])
    shares: dict[str, float] = {}
    for likeness, commit in similar:
        counts = changed.get(commit.sha, {})
        worth = likeness**2 / (1 + math.log(len(commit.paths))) / max(counts.get("", 0), 1)
        for term, count in counts.items():
            if len(term) >= _LEAST_LETTERS and term not in STOP:
                shares[term] = shares.get(term, 0.0) + worth * count
    return shares


def _code_of(commit: Commit) -> Commit:
    return commit._replace(paths=tuple(path for path in commit.paths if role_of(path) == "code"))


@attrs.frozen(eq=False, repr=False)
class Recency:
    """Halve the score every 60 days of age, counted from the newest commit and not from the clock."""

    name, kinds, grain = "recency", frozenset({"*"}), "item"
    weight: float = 0.66

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        scores = workspace.history.recency()
        return [scores.get(part.path, 0.0) for part in parts]

    def reason(self, part: Part, parts: Sequence[Part], task: Task, workspace: Workspace) -> str:
        """Return the day of the newest commit that touched its file, if it is among the newest tenth."""
        newest = workspace.history.commits()[: len(workspace.history.commits()) // 10]
        times = [commit.time for commit in newest if part.path and part.path in commit.paths]
        if not times:
            return ""
        day = datetime.fromtimestamp(max(times), tz=UTC).date()
        return f"a recent commit touched its file, on {day.isoformat()}"
