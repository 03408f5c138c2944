"""The reasons for code: the commits of the best files, and of the lines in them that the task is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate, groupby
from typing import TYPE_CHECKING

import attrs

from satchel.plugin_api import ContextItem, Problem, WorkspaceError, lazily, read_question, safe_text

if TYPE_CHECKING:
    from satchel.plugin_api import Blamed, Commit, Task, Workspace
    from satchel_plugins.providers.git.evidence import Evidence

_WHY = lazily(
    r"\b(?:why|when|who|since|blame|history|regress\w{0,5}|introduced|used to|broke|broken"
    r"|commits?|changed|recently|lately)\b",
    re.I,
)
_CERTAIN = 1.0
"""Certainty of a question that tells of no fault: commits that it does not ask for are no answer."""
_LONGEST = 2_000
"""Most lines of a file that git is asked to blame."""
_FILES = 10
"""Most best files whose past commits are looked for."""
_NEWEST = 300
"""Commits that git looks through: a blame of all history can take seconds."""
_BEST_LINES = 8
_AROUND = 2
_RUNS = 5
"""Most runs of lines that are listed."""
_IF_ASKED = 3
"""Factor for the commits of a file if the task asks for history."""
_LETTERS = 450
"""Most letters of one file's item, about 150 tokens."""


@attrs.frozen(eq=False, repr=False)
class GitBlame:
    """Offer the last commits of the best files, and of the lines in them that hold the task's words."""

    name, wave = "git_blame", 2
    max_items: int = 3
    max_tokens: int = 500
    commits: int = 2
    """Last commits of each file, three times as many if the task asks for history."""
    blamed: int = 2
    """Files whose lines git is asked about if the task asks why, else one: each costs a run of git."""

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        """Return one item for each of the best files that a past commit touched; none for other questions."""
        asks_why, question = _WHY.search(task.text[:20_000]) is not None, read_question(task.text)
        if question.certainty >= _CERTAIN and not (asks_why or question.is_about_past):
            return []
        history = workspace.history.commits()
        if workspace.git is None or not history:
            return []
        from satchel_plugins.providers.git.evidence import find_evidence

        evidence = find_evidence(task, workspace)
        paths = [item.path for item in best if item.kind == "file" and item.path and not item.note][:_FILES]
        touched = _map_commits(paths, history)
        blamed = self.blamed if asks_why else min(self.blamed, 1)
        items = []
        for rank, path in enumerate(list(touched)[: self.max_items]):
            runs = self._runs(workspace, path, evidence, history) if rank < blamed else []
            commits = touched[path][: _IF_ASKED * self.commits if asks_why else self.commits]
            items.append(_item(path, commits, runs, 0.7 if asks_why else 0.4))
        return items

    def _runs(
        self, workspace: Workspace, path: str, evidence: Evidence, history: Sequence[Commit]
    ) -> Sequence[Blamed]:
        """Blame the best lines of a file without uncommitted changes."""
        entry = workspace.files.entry(path)
        unchanged = entry is not None and bool(entry.blob)
        lines = _best_lines(workspace.texts.read(path), evidence) if unchanged else []
        if workspace.git is None or not lines:
            return []
        oldest = history[_NEWEST - 1].sha if len(history) >= _NEWEST else ""
        try:
            return workspace.history.blame(path, lines, oldest=oldest)
        except WorkspaceError as error:
            workspace.problems.append(Problem(self.name, "gather", str(error)))
            return []


def _map_commits(paths: Sequence[str], history: Sequence[Commit]) -> dict[str, list[Commit]]:
    """Map files, in order, to the past commits that touched them; files without any are left out."""
    touched = {path: [commit for commit in history if path in commit.paths] for path in paths}
    return {path: commits for path, commits in touched.items() if commits}


def _best_lines(text: str, evidence: Evidence) -> list[tuple[int, int]]:
    """Return runs around the lines with most of the task's words; [] for a long file."""
    from satchel_plugins.providers.git.evidence import places

    lines = text.lower().split("\n")
    if len(lines) > _LONGEST or len(text) > 100 * _LONGEST:
        return []
    ends = list(accumulate(len(line) + 1 for line in lines))
    scores: dict[int, float] = {}
    for term in sorted(evidence.terms, key=lambda term: (-evidence.terms[term], term))[:20]:
        for at in set(places("\n".join(lines), term, ends)):
            scores[at] = scores.get(at, 0.0) + evidence.terms[term]
    best = sorted(scores, key=lambda at: (-scores[at], at))[:_BEST_LINES]
    last = len(lines) if lines[-1] else len(lines) - 1
    return _join_runs([(max(1, at + 1 - _AROUND), min(last, at + 1 + _AROUND)) for at in sorted(best)])


def _join_runs(runs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for first, last in runs:
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined


def _item(path: str, commits: Sequence[Commit], blamed: Sequence[Blamed], relevance: float) -> ContextItem:
    from satchel_plugins.providers.git.commits import one_line

    safe = safe_text(path)
    lines = [f"last commits of {safe[-120:]}", *(one_line(commit)[:150] for commit in commits)]
    lines += [_describe_run(run) for run in _runs_of(blamed)[:_RUNS]]
    lengths = accumulate(len(line) + 1 for line in lines)
    kept = [line for line, length in zip(lines, lengths, strict=True) if length <= _LETTERS]
    return ContextItem(
        id=f"blame:{path}",
        provider="git_blame",
        kind="blame",
        title=f"last commits of {path}",
        text="".join(f"{line}\n" for line in kept),
        relevance=relevance,
        modified=float(commits[0].time) if commits else 0.0,
    )


def _runs_of(blamed: Sequence[Blamed]) -> list[list[Blamed]]:
    """Group neighbouring lines of one commit; the longest runs first."""
    grouped = groupby(enumerate(blamed), key=lambda one: (one[1].sha, one[1].line - one[0]))
    runs = [[line for _, line in group] for _, group in grouped]
    return sorted(runs, key=lambda run: (-len(run), run[0].line))


def _describe_run(run: Sequence[Blamed]) -> str:
    from satchel_plugins.providers.git.commits import day

    first, last = run[0], run[-1]
    where = f"line {first.line} is" if first.line == last.line else f"lines {first.line}-{last.line} are"
    return f"{where} of {day(first.time)} {first.sha[:10]} {first.subject}"[:150]
