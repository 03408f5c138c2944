"""Explain a pack: why something is in it or not, with every scorer's number."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from satchel.errors import PointerError
from satchel.items import ContextItem
from satchel.packing.ladders import Ladder
from satchel.packing.pipeline import BELOW, Road, Walk, walk, weigh_also
from satchel.packing.rendering import find_form
from satchel.packing.representing import split_all
from satchel.packing.scoring import Scored, can_judge
from satchel.parts import Lines, Part
from satchel.pointers import parse, pointer_to
from satchel.references.tasks import Paths, written_paths
from satchel.runs import Run, budget_of, open_run
from satchel.workspace.index.store import damage_told
from satchel.workspace.index.terms import count_terms

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.host import Host

_MOST_READ = 100
"""Items below the shortlist that are read to find a name."""


@attrs.frozen
class Explanation:
    """What decided about one item of a pack."""

    pointer: str
    kept: bool
    level: str
    """How it is shown, "" where it is left out."""
    tokens: int
    rank: int
    """Its place among all items that were weighed, from 1; 0 where it only can be named."""
    reason: str
    scores: tuple[tuple[str, str, float, float], ...]
    """Scorer, its distribution, its weight in this pack, its score for the item's best part."""
    parts: tuple[tuple[str, Lines, float, float, str], ...]
    """Name, lines, salience, share of all that the task may need (0 where it was not weighed for this pack),
    and how it is shown: `body`, `lines` (some of it), `head` or ""."""


@damage_told()
def why(
    ref: str,
    task: str,
    root: str | Path = ".",
    *,
    host: Host | None = None,
    config: Config | None = None,
) -> Explanation:
    """Pack as `pack` would and tell what became of `ref`, a path, a pointer or a symbol's name.

    Raises:
        PointerError: nothing in the workspace is called so.
    """
    run = open_run(root, config=config, host=host, wanted=[*written_paths(task), ref])
    try:
        road = Road(find_form("markdown"), run.config.strategy, run.countable(budget_of(run, None)))
        walked = walk(run, task, road)
        return _explained(run, walked, _meant(run, walked, ref))
    finally:
        run.workspace.close()


def _meant(run: Run, walked: Walk, ref: str) -> str:
    """Return the id of the item that a reference means."""
    paths = Paths(run.workspace.index.documents)
    found = paths.find(ref) or paths.find(parse(ref).path)
    if found:
        return _about_path(walked, found[0])
    named = [one.item.id for one in walked.weighed.scored if _defines(one.parts, ref)]
    named = named or _below_named(run, walked, ref)
    if not named:
        near = paths.nearest(ref)
        hint = f"; did you mean {near}?" if near else ""
        raise PointerError(ref, f"no file or symbol in the workspace is called that{hint}")
    return named[0]


def _about_path(walked: Walk, path: str) -> str:
    """Return the id of the item that stands for a file: the file itself, or its text as instructions."""
    instructions = [
        item.id
        for item in (*(ladder.item for ladder in walked.weighed.ladders.values()), *walked.weighed.below)
        if item.path == path and item.kind == "instructions"
    ]
    return instructions[0] if instructions else f"file:{path}"


def _below_named(run: Run, walked: Walk, ref: str) -> list[str]:
    """Return the items below the shortlist that define a name; only those that hold the word are read."""
    terms = list(count_terms(ref.rpartition(".")[2]))
    holding = run.workspace.index.postings(terms[-1]) if terms else {}
    items = [item for item in walked.weighed.below if _document_id(run, item) in holding][:_MOST_READ]
    return [id_ for id_, split in split_all(run, items).items() if _defines(split.parts, ref)]


def _document_id(run: Run, item: ContextItem) -> int:
    document = run.workspace.document(item.path)
    return document.id if document is not None else 0


def _defines(parts: Sequence[Part], ref: str) -> bool:
    names = (name for part in parts for name in (part.name, *(symbol.name for symbol in part.symbols)))
    return any(name == ref or name.endswith(f".{ref}") for name in names if name)


def _explained(run: Run, walked: Walk, id_: str) -> Explanation:
    ranks = {one.item.id: rank for rank, one in enumerate(walked.weighed.scored, start=1)}
    scored = {one.item.id: one for one in walked.weighed.scored}
    for ladder, option in walked.kept:
        if ladder.item.id == id_:
            explained = _about(walked, ladder.item, scored.get(id_), shown=_shown_lines(ladder, option))
            chosen = ladder.options[option]
            tokens = run.reported(chosen.tokens)
            return attrs.evolve(
                explained, kept=True, level=str(chosen.level), tokens=tokens, rank=ranks.get(id_, 0)
            )
    left_out = [(item, reason) for item, reason, _, _ in walked.rejected if item.id == id_]
    if not left_out:
        raise PointerError(id_.removeprefix("file:"), "no provider offered it, so it was not weighed")
    item, reason = left_out[0]
    mine = scored.get(id_) or _weighed_late(run, walked, (item, reason))
    return attrs.evolve(_about(walked, item, mine, shown=()), reason=reason, rank=ranks.get(id_, 0))


def _shown_lines(ladder: Ladder, option: int) -> list[tuple[Lines, bool]]:
    """Return the lines that an option shows of an item, each time with whether they are a body."""
    parts = ladder.split.parts
    return [(parts[at].lines, is_body) for at, is_body in ladder.shown(option).items()]


def _about(
    walked: Walk, item: ContextItem, scored: Scored | None, *, shown: Sequence[tuple[Lines, bool]]
) -> Explanation:
    return Explanation(
        pointer=pointer_to(item),
        kept=False,
        level="",
        tokens=0,
        rank=0,
        reason=_reason(walked, item),
        scores=_scores(walked, scored),
        parts=_parts(walked, scored, shown),
    )


def _weighed_late(run: Run, walked: Walk, left_out: tuple[ContextItem, str]) -> Scored | None:
    """Score an item that ranked below the shortlist, so that its numbers can be told."""
    if left_out[1] != BELOW or left_out[0].note:
        return None
    return weigh_also(run, walked.weighed, left_out[0])


def _reason(walked: Walk, item: ContextItem) -> str:
    if item.path and item.path in {pin.path for pin in walked.weighed.task.pins}:
        return "it is pinned"
    if item.note:
        return f"only named: {item.note}"
    return "what it shows is worth its tokens"


def _scores(walked: Walk, scored: Scored | None) -> tuple[tuple[str, str, float, float], ...]:
    if scored is None:
        return ()
    return tuple(
        (
            judge.loaded.name,
            judge.loaded.distribution,
            judge.weight,
            round(scored.scores.get(judge.loaded.name, 0.0), 4),
        )
        for judge in walked.weighed.judges
        if judge.weight > 0 and can_judge(judge.scorer, scored.item)
    )


def _parts(
    walked: Walk, scored: Scored | None, shown: Sequence[tuple[Lines, bool]]
) -> tuple[tuple[str, Lines, float, float, str], ...]:
    if scored is None:
        return ()
    shares = walked.weighed.shares.get(scored.item.id, [0.0] * len(scored.parts))
    return tuple(
        (part.name or part.kind, part.lines, round(salience, 4), round(share, 6), _how(part, shown))
        for part, salience, share in zip(scored.parts, scored.saliences, shares, strict=True)
    )


def _how(part: Part, shown: Sequence[tuple[Lines, bool]]) -> str:
    """Say how a part is shown: its body, some of its lines, or its head."""
    low = bisect_left(shown, part.lines[0], key=lambda one: one[0][0])
    high = bisect_right(shown, part.lines[1], key=lambda one: one[0][0])
    bodies = sum(last - first + 1 for (first, last), is_body in shown[low:high] if is_body)
    if bodies:
        return "body" if bodies == part.lines[1] - part.lines[0] + 1 else "lines"
    return "head" if low < high else ""
