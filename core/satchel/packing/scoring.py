"""Ask every scorer about every part, and blend the answers into one salience for each part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from satchel.errors import Problem
from satchel.host import Host, Loaded
from satchel.host.answers import check_scores
from satchel.host.calling import Call
from satchel.items import ContextItem, Task
from satchel.packing.weighing.worth import promise
from satchel.parts import Part
from satchel.workspace import Workspace

if TYPE_CHECKING:
    from satchel.interfaces import Scorer

FLOOR = 0.16
"""Base evidence of every item, relative to 1 for the best: words, paths and history miss a fifth of files."""
BASE = 0.36
"""Base of every part in an item, added to its own evidence."""
UPWARD = 0.36
"""Share of the best part's evidence that counts for its item too: an item is no better than its best part."""
ITEM_POWER = 1.34
"""An item's salience grows with this power of its evidence."""
PARTS_POWER = 0.72
"""It also grows with this power of the total chance of its parts."""
LEAST = 0.001
"""Lowest salience, so that a budget without better candidates is still filled."""
BROUGHT = 0.5
"""Lowest salience of a provider's own text with relevance 1, with or without words of the task."""


class Judge(NamedTuple):
    """A scorer that takes part in a run, with its weight."""

    loaded: Loaded
    scorer: Scorer
    weight: float


Items = Sequence[tuple[ContextItem, tuple[Part, ...]]]
Answers = Sequence[tuple[Judge, Mapping[str, Sequence[float]]]]
"""Each scorer's scores of the parts of each item, by item id."""
Bests = Sequence[Mapping[str, float]]
"""Each scorer's best score of each item, by item id."""


class Scored(NamedTuple):
    """An item with its parts' saliences."""

    item: ContextItem
    parts: tuple[Part, ...]
    saliences: tuple[float, ...]
    salience: float
    """Salience of the item, 1 for the best."""
    scores: Mapping[str, float]
    """By scorer: the item's own score, or its best part's."""
    answers: Mapping[str, Sequence[float]] = MappingProxyType({})
    """By scorer of parts: its score of each part; without scorers that found nothing."""


def score(
    host: Host, judges: Sequence[Judge], task: Task, *, items: Items, workspace: Workspace
) -> list[Scored]:
    """Return the items with saliences, best first; failed scorers are ignored."""
    asked = _assign_items(judges, items)
    answers = host.calls.call_all([_call(judge, flat, task, workspace) for judge, _, flat in asked])
    answered = [
        (judge, _by_item(mine, answer))
        for (judge, mine, _), answer in zip(asked, answers, strict=True)
        if not isinstance(answer, Problem)
    ]
    return blend(items, answered)


def _assign_items(judges: Sequence[Judge], items: Items) -> list[tuple[Judge, Items, tuple[Part, ...]]]:
    """Return the scorers with weight, the items that each can judge, and all parts of these."""
    asked = []
    of_kinds: dict[frozenset[str], tuple[Items, tuple[Part, ...]]] = {}
    for judge in judges:
        kinds = frozenset(judge.scorer.kinds)
        if kinds not in of_kinds:
            fitting = [(item, parts) for item, parts in items if parts and can_judge(judge.scorer, item)]
            of_kinds[kinds] = (fitting, tuple(chain.from_iterable(parts for _, parts in fitting)))
        mine, flat = of_kinds[kinds]
        if judge.weight > 0 and flat:
            asked.append((judge, mine, flat))
    return asked


def _call(judge: Judge, parts: tuple[Part, ...], task: Task, workspace: Workspace) -> Call:
    return Call(
        judge.loaded,
        judge.scorer.score,
        (parts, task, workspace),
        "score",
        cap=len(parts) + 1,
        check=partial(check_scores, count=len(parts)),
        lend=not judge.loaded.trusted,
        here=judge.loaded.trusted,  # a thread costs more than most of them take
    )


def can_judge(scorer: Scorer, item: ContextItem) -> bool:
    """Return whether a scorer can judge items of this kind."""
    return item.kind in scorer.kinds or "*" in scorer.kinds


def _by_item(items: Items, flat: Sequence[float]) -> dict[str, list[float]]:
    scores, start = {}, 0
    for item, parts in items:
        scores[item.id] = list(flat[start : start + len(parts)])
        start += len(parts)
    return scores


def blend(
    items: Items,
    answers: Answers,
) -> list[Scored]:
    """Blend the scorers' answers.

    An item's evidence is the weighted sum of its own scores and a share of its best part's, times the
    provider's relevance, 1 for the best. A part's salience is its item's evidence (plus `FLOOR`, also
    scaled by relevance) times its own; an item's salience combines its evidence with the total chance of
    its parts. Both are divided by the largest, so the best is 1.
    """
    bests = [_bests(by_item) for _, by_item in answers]
    evidence = {item.id: _item_evidence(item, answers, bests) for item, _ in items}
    best = max(evidence.values(), default=0.0) or 1.0
    floored = {item.id: evidence[item.id] / best + FLOOR * item.relevance for item, _ in items}
    raw = {
        item.id: [floored[item.id] * (BASE + own) for own in _part_evidence(item, len(parts), answers, bests)]
        for item, parts in items
    }
    saliences = _normalize(raw, items)
    ranks = {
        item.id: floored[item.id] ** ITEM_POWER * promise(parts, saliences[item.id]) ** PARTS_POWER
        for item, parts in items
    }
    highest = max(ranks.values(), default=0.0) or 1.0
    scored = [
        Scored(
            item,
            parts,
            saliences[item.id],
            ranks[item.id] / highest,
            _best_scores(item, answers, bests),
            _part_answers(item, answers, bests),
        )
        for item, parts in items
    ]
    return sorted(scored, key=lambda one: (-one.salience, one.item.id))


def _bests(by_item: Mapping[str, Sequence[float]]) -> dict[str, float]:
    if not any(map(any, by_item.values())):  # most scorers find nothing in most packs
        return dict.fromkeys(by_item, 0.0)
    return {id_: max(scores, default=0.0) for id_, scores in by_item.items()}


def _normalize(raw: Mapping[str, Sequence[float]], items: Items) -> dict[str, tuple[float, ...]]:
    """Divide all values by the largest, with a lower limit for each item."""
    largest = max(chain.from_iterable(raw.values()), default=0.0) or 1.0
    return {item.id: _at_least(_least(item), raw[item.id], largest) for item, _ in items}


def _at_least(least: float, values: Sequence[float], largest: float) -> tuple[float, ...]:
    shares = [value / largest for value in values]
    return tuple([share if share > least else least for share in shares])


def _best_scores(item: ContextItem, answers: Answers, bests: Bests) -> dict[str, float]:
    named = zip((judge.loaded.name for judge, _ in answers), bests, strict=True)
    return {name: best[item.id] for name, best in named if item.id in best}


def _part_answers(item: ContextItem, answers: Answers, bests: Bests) -> dict[str, Sequence[float]]:
    """Return the nonzero answers of part scorers for an item's parts."""
    return {
        judge.loaded.name: by_item[item.id]
        for (judge, by_item), best in zip(answers, bests, strict=True)
        if judge.scorer.grain != "item" and best.get(item.id)
    }


def _least(item: ContextItem) -> float:
    """Return the lowest salience of an item's parts: a provider may know more than words show."""
    if item.kind in ("file", "instructions"):
        return LEAST
    return max(LEAST, BROUGHT * item.relevance**2)


def _item_evidence(item: ContextItem, answers: Answers, bests: Bests) -> float:
    total = 0.0
    for (judge, _), best in zip(answers, bests, strict=True):
        share = 1.0 if judge.scorer.grain == "item" else UPWARD
        total += share * judge.weight * best.get(item.id, 0.0)
    return total * item.relevance


def _part_evidence(item: ContextItem, count: int, answers: Answers, bests: Bests) -> list[float]:
    values = [0.0] * count
    for (judge, by_item), best in zip(answers, bests, strict=True):
        if judge.scorer.grain == "item" or not best.get(item.id):
            continue  # most scorers find nothing in most items
        weight = judge.weight
        scored = zip(values, by_item[item.id], strict=True)
        values = [value + weight * score_ for value, score_ in scored]
    return values
