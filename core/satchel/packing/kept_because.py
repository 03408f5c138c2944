"""Say in words why an item is in a pack: one sentence of what its strongest scorers tell of its best part."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

from satchel.errors import Problem
from satchel.interfaces import ExplainingScorer
from satchel.packing.scoring import Judge, Scored, can_judge
from satchel.paths import safe_text

if TYPE_CHECKING:
    from satchel.packing.pipeline import Weighed
    from satchel.parts import Part
    from satchel.runs import WorkspaceRun

_MOST, _TELLING = 4, 0.15
"""Reasons in a sentence, and the lowest score that is one."""
_LONGEST = 300


def say_why(run: WorkspaceRun, weighed: Weighed, scored: Scored, shown: Sequence[int] = ()) -> str:
    """Return a sentence on an item, "" where no scorer has anything to say.

    Args:
        run: the pack's.
        weighed: what was weighed.
        scored: the item.
        shown: the indexes of the parts that are shown, of which the best is told about; all by default.
    """
    if not scored.parts:
        return ""
    shares = weighed.shares.get(scored.item.id) or scored.saliences
    among = [at for at in shown if at < len(scored.parts)] or range(len(scored.parts))
    best = max(among, key=lambda at: (shares[at] if at < len(shares) else 0.0, -at))
    told = _ask(run, weighed, scored, best)
    if not told:
        return ""
    part = scored.parts[best]
    listed = f"{', '.join(told[:-1])}, and {told[-1]}" if told[1:] else told[0]
    if _has_subject(told[0]):
        return f"{listed[0].upper()}{listed[1:]}."
    return f"`{safe_text(part.name)}` {listed}." if part.name else f"It {listed}."


def _ask(run: WorkspaceRun, weighed: Weighed, scored: Scored, at: int) -> list[str]:
    """Return what the strongest scorers say of a part, those that speak of it itself before the others."""
    strengths: list[tuple[float, Judge]] = []
    for judge in weighed.judges:
        if judge.weight > 0 and can_judge(judge.scorer, scored.item):
            name = judge.loaded.name
            of_parts = scored.answers.get(name)
            value = scored.scores.get(name, 0.0) if of_parts is None else of_parts[at]
            if value >= _TELLING:
                strengths.append((judge.weight * value, judge))
    told: dict[str, Judge] = {}
    for _, judge in sorted(strengths, key=lambda one: (-one[0], one[1].loaded.name)):
        if len(told) == _MOST:
            break
        if text := _ask_one(run, weighed, judge, scored.parts[at]):
            told.setdefault(text, judge)
    return sorted(told, key=lambda text: (_has_subject(text), told[text].scorer.grain == "item"))


def _ask_one(run: WorkspaceRun, weighed: Weighed, judge: Judge, part: Part) -> str:
    if not isinstance(judge.scorer, ExplainingScorer):
        return ""
    parts = tuple(
        chain.from_iterable(one.parts for one in weighed.scored if can_judge(judge.scorer, one.item))
    )
    answer = run.host.calls.call(
        judge.loaded, judge.scorer.reason, part, parts, weighed.task, run.workspace, stage="explain"
    )
    if isinstance(answer, Problem) or not isinstance(answer, str):
        return ""
    return safe_text(run.workspace.redactor.show(answer).strip())[:_LONGEST]


def _has_subject(text: str) -> bool:
    """Tell whether a reason is a sentence of its own, like `3 of 5 similar commits touched its file`."""
    return text[:1].isdigit() or text.startswith(("a ", "commits "))
