"""Explain why something is in a pack or not, with every scorer's number."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from satchel.errors import PointerError, UsageError
from satchel.items import ContextItem
from satchel.packing.bundle import count_room, map_lines
from satchel.packing.expanding import find_commit
from satchel.packing.ladders import ItemLadder
from satchel.packing.pipeline import PackOutcome, PackSettings, run_pack, weigh_also
from satchel.packing.reasons import UNWEIGHED, describe_left_out, say_why
from satchel.packing.rendering import find_form
from satchel.packing.representing import split_all
from satchel.packing.resolving import check_lines
from satchel.packing.scoring import Scored, can_judge
from satchel.parts import Lines, Part
from satchel.patterns import lazily
from satchel.pointers import parse, pointer_to
from satchel.references.mentions import find_paths
from satchel.references.paths import KnownPaths
from satchel.runs import RunLender, WorkspaceRun, budget_of, run_of
from satchel.selecting import find_best_density
from satchel.workspace.files.kinds import language_of
from satchel.workspace.index.store import report_damage
from satchel.workspace.index.terms import count_terms

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.host import Host

_COMMIT = lazily(r"(?=[a-f]*[0-9])[0-9a-f]{7,64}")
_MOST_READ = 100
"""Most items below the shortlist that are read to find a name."""


@attrs.frozen
class Explanation:
    """The reasons for a pack's decision about one item."""

    pointer: str
    kept: bool
    level: str
    """The level at which it is shown, "" if it is left out."""
    tokens: int
    rank: int
    """Its rank among all weighed items by its highest worth per token, from 1; 0 without any worth."""
    reason: str
    scores: tuple[tuple[str, str, float, float], ...]
    """Scorer, its distribution, its weight in this pack, its score for the item's best part."""
    parts: tuple[tuple[str, Lines, float, float, str], ...]
    """Name, lines, salience, share of everything that the task may need (0 if not weighed for this pack),
    and how it is shown: `body`, `lines` (part of it), `head` or ""."""
    words: str = ""
    """The reasons of the strongest scorers for its best part, as a sentence; "" without any."""
    failures: tuple[tuple[str, str], ...] = ()
    """Scorers that failed in this pack, each with its error; their scores count as 0."""


@report_damage()
def why(
    ref: str,
    task: str,
    root: str | Path | RunLender = ".",
    *,
    budget: int | str | None = None,
    host: Host | None = None,
    config: Config | None = None,
) -> Explanation:
    """Pack as `pack` would and explain the decision about `ref`, a path, a pointer or a symbol's name.

    Args:
        ref: the thing to explain: `src/app.py`, `Class.method`, a commit's id, a pointer of a pack, or the
            id or title of a provider's item.
        task: the task of the pack.
        root: the workspace's folder, or a `Watch` of it.
        budget: tokens of the pack, or "auto"; configured by default.
        host: the plugins; all installed ones by default.
        config: the configuration; by default read as `pack` does.

    Raises:
        PointerError: nothing in the workspace has that name.
        UsageError: an empty task, or a budget below 1.
    """
    if not task.strip():
        raise UsageError("the task is empty; give the task that the pack was made for")
    with run_of(root, config=config, host=host, wanted=[*find_paths(task), ref]) as run:
        asked = budget_of(run, budget)
        lines = map_lines(asked)
        room = count_room(run, asked, map_lines=lines)
        settings = PackSettings(find_form("markdown"), run.config.strategy, room, map_lines=lines)
        outcome = run_pack(run, task, settings)
        explained = _explain(run, outcome, _resolve_item(run, outcome, ref), ref)
        failures = [(one.plugin, one.error) for one in run.problems if one.stage == "score"]
        return attrs.evolve(explained, failures=tuple(failures))


def _resolve_item(run: WorkspaceRun, outcome: PackOutcome, ref: str) -> str:
    """Return the id of the item that a reference names."""
    for ladder in outcome.weighed.ladders.values():  # items that are no files: a diff, a commit, a note
        item = ladder.item
        if item.text is not None and ref in (item.id, item.title, pointer_to(item)):
            return item.id
    paths = KnownPaths(run.workspace.index.documents)
    found = paths.find(ref) or paths.find(parse(ref).path)
    if found:
        check_lines(run, found[0], parse(ref).lines, written=ref)
        return _find_item_id(outcome, found[0])
    commit = parse(ref).commit or (ref if _COMMIT.fullmatch(ref) else "")
    if commit:
        return f"commit:{find_commit(run, commit, ref).sha}"
    named = [one.item.id for one in outcome.weighed.scored if _defines(one.parts, ref)]
    named = named or _search_below(run, outcome, ref)
    if not named:
        is_symbol = "." in ref and "/" not in ref and not language_of(ref)
        near = "" if is_symbol else paths.nearest(ref)
        hint = f"; did you mean {near}?" if near else ""
        raise PointerError(ref, f"no file or symbol in the workspace is called that{hint}")
    return named[0]


def _find_item_id(outcome: PackOutcome, path: str) -> str:
    """Return the id of a file's item: the file itself, or its text as instructions."""
    instructions = [
        item.id
        for item in (
            *(ladder.item for ladder in outcome.weighed.ladders.values()),
            *outcome.weighed.unweighed,
        )
        if item.path == path and item.kind == "instructions"
    ]
    return instructions[0] if instructions else f"file:{path}"


def _search_below(run: WorkspaceRun, outcome: PackOutcome, ref: str) -> list[str]:
    """Return the items below the shortlist that define a name; only those with the word are read."""
    terms = list(count_terms(ref.rpartition(".")[2]))
    holding = run.workspace.index.postings(terms[-1]) if terms else {}
    items = [item for item in outcome.weighed.unweighed if _document_id(run, item) in holding][:_MOST_READ]
    return [id_ for id_, split in split_all(run, items).items() if _defines(split.parts, ref)]


def _document_id(run: WorkspaceRun, item: ContextItem) -> int:
    document = run.workspace.files.document(item.path)
    return document.id if document is not None else 0


def _defines(parts: Sequence[Part], ref: str) -> bool:
    names = (name for part in parts for name in (part.name, *(symbol.name for symbol in part.symbols)))
    return any(name == ref or name.endswith(f".{ref}") for name in names if name)


def _explain(run: WorkspaceRun, outcome: PackOutcome, id_: str, ref: str) -> Explanation:
    ranks = _rank_items(outcome)
    scored = {one.item.id: one for one in outcome.weighed.scored}
    for ladder, option in outcome.kept:
        if ladder.item.id == id_:
            mine = scored.get(id_)
            explained = _make_explanation(outcome, ladder.item, mine, shown=_list_lines(ladder, option))
            explained = attrs.evolve(explained, words=_say_why(run, outcome, mine, explained, ref))
            chosen = ladder.options[option]
            tokens = run.to_model_tokens(chosen.tokens)
            return attrs.evolve(
                explained, kept=True, level=str(chosen.level), tokens=tokens, rank=ranks.get(id_, 0)
            )
    left_out = [(item, reason) for item, reason, _, _ in outcome.all_left_out if item.id == id_]
    if not left_out:
        if id_.startswith("commit:"):
            raise PointerError(ref, "the task is not about that commit, so no provider offered it")
        raise PointerError(id_.removeprefix("file:"), "no provider offered it, so it was not weighed")
    item, reason = left_out[0]
    mine = scored.get(id_) or _weigh_late(run, outcome, (item, reason))
    explained = _make_explanation(outcome, item, mine, shown=())
    words = _say_why(run, outcome, mine, explained, ref)
    return attrs.evolve(
        explained, reason=describe_left_out(item, reason), rank=ranks.get(id_, 0), words=words
    )


def _rank_items(outcome: PackOutcome) -> Mapping[str, int]:
    """Return the ranks of items that have worth as the packer sees it, by their ids."""
    densities = {id_: find_best_density(ladder.options) for id_, ladder in outcome.weighed.ladders.items()}
    best_first = sorted(densities, key=lambda id_: (-densities[id_], id_))
    return {id_: rank for rank, id_ in enumerate(best_first, start=1) if densities[id_]}


def _say_why(
    run: WorkspaceRun, outcome: PackOutcome, scored: Scored | None, explained: Explanation, ref: str
) -> str:
    """Return the reasons for the parts that a reference names, or else for the shown parts."""
    if scored is None:
        return ""
    asked = parse(ref).lines
    named = [
        at
        for at, part in enumerate(scored.parts)
        if _defines([part], ref) or (part.lines[0] <= asked[1] and asked[0] <= part.lines[1])
    ]
    if named:
        return say_why(run, outcome.weighed, scored, named)
    shown = [at for at, (*_, how) in enumerate(explained.parts) if how]
    return say_why(run, outcome.weighed, scored, shown)


def _list_lines(ladder: ItemLadder, option: int) -> list[tuple[Lines, bool]]:
    """Return the line ranges that an option shows of an item, each with whether it is a body."""
    parts = ladder.split.parts
    return [(parts[at].lines, is_body) for at, is_body in ladder.parts_in(option).items()]


def _make_explanation(
    outcome: PackOutcome, item: ContextItem, scored: Scored | None, *, shown: Sequence[tuple[Lines, bool]]
) -> Explanation:
    return Explanation(
        pointer=pointer_to(item),
        kept=False,
        level="",
        tokens=0,
        rank=0,
        reason=_reason(outcome, item),
        scores=_scores(outcome, scored),
        parts=_parts(outcome, scored, shown),
    )


def _weigh_late(run: WorkspaceRun, outcome: PackOutcome, left_out: tuple[ContextItem, str]) -> Scored | None:
    """Score an item that ranked below the shortlist, so that its numbers can be shown."""
    if left_out[1] != UNWEIGHED or left_out[0].note:
        return None
    return weigh_also(run, outcome.weighed, left_out[0])


def _reason(outcome: PackOutcome, item: ContextItem) -> str:
    if item.path and item.path in {pin.path for pin in outcome.weighed.task.pins}:
        return "it is pinned"
    if item.note:
        return f"only named: {item.note}"
    return "what it shows is worth its tokens"


def _scores(outcome: PackOutcome, scored: Scored | None) -> tuple[tuple[str, str, float, float], ...]:
    if scored is None:
        return ()
    return tuple(
        (
            judge.loaded.name,
            judge.loaded.distribution,
            judge.weight,
            round(scored.scores.get(judge.loaded.name, 0.0), 4),
        )
        for judge in outcome.weighed.judges
        if judge.weight > 0 and can_judge(judge.scorer, scored.item)
    )


def _parts(
    outcome: PackOutcome, scored: Scored | None, shown: Sequence[tuple[Lines, bool]]
) -> tuple[tuple[str, Lines, float, float, str], ...]:
    if scored is None:
        return ()
    shares = outcome.weighed.shares.get(scored.item.id, [0.0] * len(scored.parts))
    return tuple(
        (part.name or part.kind, part.lines, round(salience, 4), round(share, 6), _describe_part(part, shown))
        for part, salience, share in zip(scored.parts, scored.saliences, shares, strict=True)
    )


def _describe_part(part: Part, shown: Sequence[tuple[Lines, bool]]) -> str:
    """Return how a part is shown: `body`, `lines` (some of them), `head`, or ""."""
    low = bisect_left(shown, part.lines[0], key=lambda one: one[0][0])
    high = bisect_right(shown, part.lines[1], key=lambda one: one[0][0])
    bodies = sum(last - first + 1 for (first, last), is_body in shown[low:high] if is_body)
    if bodies:
        return "body" if bodies == part.lines[1] - part.lines[0] + 1 else "lines"
    return "head" if low < high else ""
