"""Learn the weights of scorers from the commits of a person's own repositories.

A commit's message is a task, and a pack for it should show the lines that it changed. Each commit's parent is
checked out in a folder of its own, never in the repository. Weights are fitted on two thirds of the commits
by a search along one weight after the other, and judged by whole packs of the other third.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import attrs

from satchel.errors import UsageError, WorkspaceError
from satchel.packing.pipeline import PackSettings, run_pack
from satchel.packing.rendering import find_form
from satchel.packing.scoring import Answers, Judge, Scored, blend
from satchel.patterns import lazily
from satchel.runs import WorkspaceRun, open_run
from satchel.spelling import format_count
from satchel.workspace.git.repository import Git
from satchel.workspace.git.running import SETTINGS, find_git, harden_environment
from satchel.workspace.git.running import run as run_program

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.host import Host
    from satchel.parts import Part
    from satchel.workspace.git.patches import Hunk
    from satchel.workspace.git.repository import Commit
    from satchel.workspace.index.documents import ReportProgress

_LOOKED_AT = 2_000
"""Most newest commits that are read."""
_MOST_FILES = 8
"""Most files of a commit that is about one thing."""
_LEAST_WORDS, _MOST_CHARS = 5, 4_000
"""Least words of a telling message, and the most characters of it that are read."""
FEWEST = 12
"""Commits without which nothing can be learned: four of them judge."""
_HELD_OUT = 3
"""Every third commit, by lot, judges the weights learned from the others."""
_STEPS = (1.5, 1 / 1.5)
"""Factors by which a weight is tried."""
_ROUNDS = 2
"""Times that every weight is tried."""
_LEAST_GAIN = 0.004
"""Gain in the share of changed lines below which a weight stays as it is: less is chance."""
_LEAST_LEAD = 2
"""Least lead of the commits that gain over those that lose, lest one commit decide for all."""
_LIMITS = (0.4, 2.5)
"""Smallest and largest factor of a weight over both rounds."""
_SHARES = (0.25, 0.5, 1.0)
"""Shares of the budget at which an order of parts is judged: early places count more."""
_CHECKOUT_SECONDS = 60.0

_ROUTINE = lazily(r"(?i)(merge|release|bump|version|revert|update (dependenc|changelog))\b|\w+\(deps")
_TRAILER = lazily(
    r"(?im)^\s*(?:[\w-]+-by|change-id|cc|fixes|closes|bug|git-svn-id|\(cherry picked from)\b.*$"
)
_REQUEST = lazily(r"\s*\(#\d+\)\s*$")
_HUNK = lazily(rb"@@ -(\d+)(?:,(\d+))? ")


class CommitTask(NamedTuple):
    """A commit as a task: its message asks, the lines that it changed are the answer."""

    repository: Path
    sha: str
    text: str
    changed: Mapping[str, frozenset[int]]
    """Lines, from 1, by path: removed or changed lines, and the two lines around an insertion."""


class HeldOut(NamedTuple):
    """Packs of commits that nothing was learned from, before and after."""

    before: float
    """Mean share of the changed lines that the pack shows, 0..1."""
    after: float
    better: int
    """Commits with more of their changed lines in the pack than before."""
    worse: int


class Learned(NamedTuple):
    """The learned weights, and their results on commits that they were not learned from."""

    learned_from: int
    judged_by: int
    budget: int
    weights: Mapping[str, tuple[float, float]]
    """By scorer: the weight before and after; only weights that change."""
    held_out: HeldOut

    @property
    def is_better(self) -> bool:
        """Whether the weights are worth keeping: commits held out gain, and more of them win than lose."""
        return (
            bool(self.weights)
            and self.held_out.after > self.held_out.before
            and (self.held_out.better > self.held_out.worse)
        )


def learn(
    roots: Sequence[Path],
    *,
    host: Host,
    config: Config,
    commits: int,
    budget: int,
    progress: ReportProgress | None = None,
) -> Learned:
    """Fit the weights of scorers to the commits of repositories.

    Args:
        roots: folders of git repositories; nothing is written into them.
        host: the plugins.
        config: its weights are the start of the search.
        commits: most commits used, of all repositories together.
        budget: tokens of the packs that judge.
        progress: called with a stage, the number of commits done and their total.

    Raises:
        WorkspaceError: a folder is not a git repository, or git fails.
        UsageError: there are too few commits to learn from.
    """
    # git runs in folders of its own, where a relative path would lead elsewhere
    tasks = [task for root in roots for task in find_tasks(root.resolve(), -(-commits // len(roots)))]
    if len(tasks) < FEWEST:
        raise UsageError(
            f"{format_count(len(tasks), 'commit')} to learn from, {FEWEST} are needed: commits with a "
            f"message of {_LEAST_WORDS} words or more that change up to {_MOST_FILES} files"
        )
    drawn = random.Random(0).sample(range(len(tasks)), len(tasks))  # noqa: S311 - nothing secret
    held = set(drawn[::_HELD_OUT])
    lessons: list[Lesson] = []
    judging: list[tuple[CommitTask, float]] = []
    work = len(tasks) + len(held)
    tell = progress or (lambda _stage, _done, _total: None)
    for at, (run, task) in enumerate(_visit(tasks, host, config)):
        tell("reading commits", at, work)
        if at in held:
            judging.append((task, _measure_pack(run, task, budget)))
        else:
            lessons.append(_take_lesson(run, task, budget))
    factors = fit_weights(lessons)
    weights = {
        judge.loaded.name: (judge.weight, round(judge.weight * factors[judge.loaded.name], 3))
        for judge in (lessons[0].judges if lessons else ())
        if factors.get(judge.loaded.name, 1.0) != 1.0
    }
    after = [share for _, share in judging]
    if weights:
        learned = with_weights(config, {name: new for name, (_, new) in weights.items()})
        after = []
        for at, (run, task) in enumerate(_visit([task for task, _ in judging], host, learned)):
            tell("judging", len(tasks) + at, work)
            after.append(_measure_pack(run, task, budget))
    pairs = list(zip((share for _, share in judging), after, strict=True))
    return Learned(
        learned_from=len(lessons),
        judged_by=len(judging),
        budget=budget,
        weights=weights,
        held_out=HeldOut(
            before=statistics.fmean(old for old, _ in pairs),
            after=statistics.fmean(new for _, new in pairs),
            better=sum(new > old for old, new in pairs),
            worse=sum(new < old for old, new in pairs),
        ),
    )


def with_weights(config: Config, weights: Mapping[str, float]) -> Config:
    """Return a configuration with these weights of scorers."""
    scorers = dict(config.plugins.get("scorer", {}))
    for name, weight in weights.items():
        scorers[name] = {**scorers.get(name, {}), "weight": weight}
    return config._replace(plugins={**config.plugins, "scorer": scorers})


def find_tasks(root: Path, most: int) -> list[CommitTask]:
    """Return the newest commits that are tasks, oldest first, at most `most`.

    Raises:
        WorkspaceError: the folder is not a git repository, or git fails.
    """
    git = Git.open(root)
    if git is None:
        raise WorkspaceError(str(root), "is not a git repository, so there are no commits to learn from")
    found: list[CommitTask] = []
    candidates = [commit for commit in git.log(_LOOKED_AT) if _is_task(commit)]
    for first in range(0, len(candidates), 20):
        some = candidates[first : first + 20]
        changes = git.changes_of([commit.sha for commit in some])
        for commit in some:
            changed = {
                one.old_path: _old_lines(one.hunks)
                for one in changes.get(commit.sha, ())
                if one.status == "changed" and not one.binary
            }
            if 0 < len(changed) <= _MOST_FILES and any(changed.values()):
                found.append(CommitTask(root, commit.sha, _read_message(commit), changed))
        if len(found) >= most:
            break
    return found[:most][::-1]


def _is_task(commit: Commit) -> bool:
    """Return whether a commit's message asks for a change and does not name its place."""
    text = _read_message(commit)
    named = any(path.rpartition("/")[2].lower() in text.lower() for path in commit.paths)
    return (
        0 < len(commit.paths) <= 2 * _MOST_FILES
        and len(text.split()) >= _LEAST_WORDS
        and not _ROUTINE.match(text)
        and not named
    )


def _read_message(commit: Commit) -> str:
    """Return a commit's message without trailers and the number of a pull request."""
    text = f"{_REQUEST.sub('', commit.subject)}\n\n{_TRAILER.sub('', commit.body)}"
    return re.sub(r"\n{3,}", "\n\n", text).strip()[:_MOST_CHARS]


def _old_lines(hunks: Sequence[Hunk]) -> frozenset[int]:
    lines: set[int] = set()
    for hunk in hunks:
        found = _HUNK.match(hunk.text)
        if found:
            first, size = int(found[1]), int(found[2] or 1)
            lines.update(range(first, first + size) if size else (max(first, 1), first + 1))
    return frozenset(lines)


@contextmanager
def _check_out(repository: Path) -> Iterator[Callable[[str], Path]]:
    """Yield a function that checks a commit's parent out in a folder of its own and returns that folder.

    The folder borrows the repository's objects. Its `.git` has one branch there and no name for anything
    later, no hook, no filter, and nobody's settings.
    """
    program = find_git(repository, os.environ)
    if program is None:
        raise WorkspaceError(str(repository), "no git program is installed")
    folder = Path(tempfile.mkdtemp(prefix="satchel-learn-"))
    environment = {
        **harden_environment(repository, os.environ),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    options = [text for setting in (*SETTINGS, "safe.directory=*") for text in ("-c", setting)]

    def ask(where: Path, *arguments: str) -> str:
        command = [program, *options, "-C", str(where), *arguments]
        answer = run_program(
            command, folder=where, environment=environment, seconds=_CHECKOUT_SECONDS, limit=1 << 20
        )
        if answer.code or answer.late:
            reason = answer.errors.strip().rpartition("\n")[2] or "it did not answer in time"
            raise WorkspaceError(str(repository), f"a commit can't be checked out: {reason}")
        return answer.output.decode(errors="replace").strip()

    def move_to(sha: str) -> Path:
        ask(tree, "update-ref", "refs/heads/main", f"{sha}^1")
        ask(tree, "reset", "-q", "--hard")
        ask(tree, "clean", "-ffdxq")
        (tree / ".git" / "ORIG_HEAD").unlink(missing_ok=True)
        return tree

    try:
        tree = folder / repository.resolve().name
        tree.mkdir()
        ask(tree, "init", "-q", "--template=", "-b", "main")
        objects = ask(repository, "rev-parse", "--path-format=absolute", "--git-path", "objects")
        info = tree / ".git" / "objects" / "info"
        info.mkdir(exist_ok=True)
        (info / "alternates").write_text(f"{objects}\n", encoding="utf-8")
        yield move_to
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _visit(
    tasks: Sequence[CommitTask], host: Host, config: Config
) -> Iterator[tuple[WorkspaceRun, CommitTask]]:
    """Yield a run on the parent of each commit; its index is in a temporary folder."""
    from satchel.installed import make_scanners
    from satchel.workspace import Workspace

    cache = Path(tempfile.mkdtemp(prefix="satchel-learn-"))
    try:
        for repository in dict.fromkeys(task.repository for task in tasks):
            with _check_out(repository) as move_to:
                for task in tasks:
                    if task.repository != repository:
                        continue
                    workspace = Workspace.open(
                        move_to(task.sha), cache_dir=cache, scanners=make_scanners(host, config)
                    )
                    try:
                        yield open_run(workspace.root, config=config, host=host, workspace=workspace), task
                    finally:
                        workspace.close()
    finally:
        shutil.rmtree(cache, ignore_errors=True)


def _measure_pack(run: WorkspaceRun, task: CommitTask, budget: int) -> float:
    """Return the share of the changed lines that a pack shows, 0..1."""
    outcome = run_pack(run, task.text, PackSettings(find_form("markdown"), run.config.strategy, budget))
    shown = 0
    for ladder, option in outcome.kept:
        wanted = (
            task.changed.get(ladder.item.path, frozenset()) if ladder.item.kind == "file" else frozenset()
        )
        if wanted:
            parts = ladder.split.parts
            runs = [
                parts[at].lines if is_body else parts[at].head
                for at, is_body in ladder.parts_in(option).items()
            ]
            shown += sum(any(first <= line <= last for first, last in runs) for line in wanted)
    return shown / sum(map(len, task.changed.values()))


class Lesson(NamedTuple):
    """The scores of the parts of one commit's shortlist, and the place of the answer."""

    judges: Sequence[Judge]
    scored: Sequence[Scored]
    answers: Answers
    wanted: Mapping[str, Sequence[float]]
    """By item id: the share of the changed lines in each part."""
    budget: int


def _take_lesson(run: WorkspaceRun, task: CommitTask, budget: int) -> Lesson:
    weighed = run_pack(
        run, task.text, PackSettings(find_form("markdown"), run.config.strategy, budget)
    ).weighed
    scored = [_without_text(one) for one in weighed.scored]
    answers = [
        (
            judge,
            {
                one.item.id: one.answers.get(judge.loaded.name, (one.scores[judge.loaded.name],))
                for one in scored
                if judge.loaded.name in one.scores
            },
        )
        for judge in weighed.judges
    ]
    all_lines = sum(map(len, task.changed.values()))
    wanted = {
        one.item.id: [
            sum(part.lines[0] <= line <= part.lines[1] for line in task.changed[one.item.path]) / all_lines
            for part in one.parts
        ]
        for one in scored
        if one.item.kind == "file" and one.item.path in task.changed
    }
    return Lesson(weighed.judges, scored, answers, wanted, budget)


def _without_text(one: Scored) -> Scored:
    """Return a scored item without its text: the texts of a hundred commits would fill the memory."""
    return one._replace(item=attrs.evolve(one.item, text=None)) if one.item.text else one


def fit_weights(lessons: Sequence[Lesson]) -> dict[str, float]:
    """Return a factor for each scorer's weight: a search along one weight after the other.

    A factor is taken if its order of the parts puts more of the changed lines within the budget, by more than
    chance, and for more commits than it costs others.
    """
    factors = {judge.loaded.name: 1.0 for lesson in lessons for judge in lesson.judges}
    best = _judge_order(lessons, factors)
    lead = min(_LEAST_LEAD, len(lessons))
    for _ in range(_ROUNDS):
        before = best
        for name in sorted(factors):
            for step in _STEPS:
                tried = {**factors, name: round(factors[name] * step, 3)}
                if not _LIMITS[0] <= tried[name] <= _LIMITS[1]:
                    continue
                shares = _judge_order(lessons, tried)
                signs = [(new > old) - (new < old) for new, old in zip(shares, best, strict=True)]
                if statistics.fmean(shares) > statistics.fmean(best) + _LEAST_GAIN and sum(signs) >= lead:
                    factors, best = tried, shares
                    break
        if best == before:
            break
    return factors


def _judge_order(lessons: Sequence[Lesson], factors: Mapping[str, float]) -> list[float]:
    """Return for each lesson the share of changed lines in the parts of highest salience, by budget."""
    return [_judge_lesson(lesson, factors) for lesson in lessons]


def _judge_lesson(lesson: Lesson, factors: Mapping[str, float]) -> float:
    if not lesson.wanted:
        return 0.0
    answers = [
        (judge._replace(weight=judge.weight * factors[judge.loaded.name]), by_item)
        for judge, by_item in lesson.answers
    ]
    ranked: list[tuple[float, Part, float]] = []
    for one in blend([(one.item, one.parts) for one in lesson.scored], answers):
        wanted = lesson.wanted.get(one.item.id) or [0.0] * len(one.parts)
        ranked += zip(one.saliences, one.parts, wanted, strict=True)
    ranked.sort(key=lambda row: -row[0])
    total = 0.0
    for share in _SHARES:
        room = lesson.budget * share
        for _, part, gain in ranked:
            room -= part.tokens
            if room < 0:
                break
            total += gain
    return total / len(_SHARES)
