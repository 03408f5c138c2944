"""The road that every pack walks: gather, split, score, weigh, choose."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import attrs

from satchel import selecting
from satchel.errors import BudgetError, PointerError, WorkspaceError
from satchel.host import Kind
from satchel.items import Candidate, ContextItem, Level, Option, Reference, Selection, Task
from satchel.packing.already_sent import Seen, as_changes, as_diff
from satchel.packing.appraising import Appraised, Asked, appraised
from satchel.packing.gathering import Gathered, Source, gather, merged
from satchel.packing.ladders import Appraisal, Frame, Ladder, build
from satchel.packing.pinning import settled
from satchel.packing.rendering import Form, note
from satchel.packing.representing import finish, split_all, stretches_of
from satchel.packing.scoring import Judge, Scored, score
from satchel.parts import NO_LINES, Part, Split
from satchel.ranked_files import Rest
from satchel.references.paths import Paths
from satchel.references.tasks import make_task
from satchel.runs import Run

if TYPE_CHECKING:
    from satchel.interfaces import Packer

SHORTLIST_FACTOR = 4
"""So many times the budget, in whole texts, are split and weighed; what ranks below is left out unread."""
SHORTLIST_LEAST = 60
"""Items that are split and weighed under any budget."""
BEST = 20
"""Items that providers of the second wave are handed."""
MOST_LIFTED = 40
"""Files that providers may put on the shortlist whatever their rank."""
BELOW = "ranks below what was weighed"
"""Why an item is left out that was not on the shortlist."""
Divide = Callable[["Packer", Task, Sequence[ContextItem]], "Packer"]
Rejected = tuple[ContextItem, str, int, float]
"""An item, why it is left out, the tokens of its cheapest option (0 unknown), its salience."""
_BYTES_PER_TOKEN = 4.0
"""More than in most code, so that the shortlist does not come out too short."""
_TOKENS_PER_NOTE = 100
"""One item that can't be shown is named for so many tokens of budget."""


class Road(NamedTuple):
    """How one pack is walked: the form it is rendered in, the packer, the budget in counted tokens."""

    form: Form
    strategy: str
    budget: int
    seen: Seen | None = None
    """What the reader still has from an earlier pack."""
    usage: Mapping[str, float] = {}
    """How much each item was used in the session, 0..1 by item id."""
    divide: Divide | None = None
    """Makes of the packer one that keeps to shares, where there are some."""


class Shortlist(NamedTuple):
    """What is split and weighed, and what ranks below; the task with the files that were lifted."""

    task: Task
    short: tuple[ContextItem, ...]
    below: Rest


class Weighed(NamedTuple):
    """The shortlist, scored and with a ladder for each item, before anything is chosen."""

    task: Task
    scored: tuple[Scored, ...]
    """Best first."""
    judges: tuple[Judge, ...]
    ladders: Mapping[str, Ladder]
    notes: Mapping[str, str]
    """What the address line of each item says."""
    precedences: Mapping[str, float]
    """By item id how early each one stands in the document; none of those that can only be named."""
    shares: Mapping[str, Sequence[float]]
    """By item id the share of each of its parts in all that the task may need."""
    below: Rest
    """Items that rank below the shortlist."""
    frame: int
    """Tokens of the lines that open and close the document."""


class Walk(NamedTuple):
    """Where a walk ended: what is kept, what is not, and what it costs in counted tokens."""

    road: Road
    weighed: Weighed
    kept: tuple[tuple[Ladder, int], ...]
    """Best first, each with its option."""
    not_kept: tuple[Rejected, ...]
    """Of what was weighed, best first."""
    tokens: int

    @property
    def rejected(self) -> tuple[Rejected, ...]:
        """All that is not kept, best first: what ranks below the shortlist comes last."""
        return (*self.not_kept, *map(rejected_below, self.weighed.below))

    def pointer_line(self, item: ContextItem) -> str:
        """Return an item's address line."""
        return self.road.form.pointer(item, self.weighed.notes[item.id])


def walk(
    run: Run, text: str, road: Road, *, pins: Sequence[str] = (), open_files: Sequence[str] = ()
) -> Walk:
    """Walk the road for a task.

    Raises:
        PointerError: a pin names no file, or one that can't be shown.
        BudgetError: the pins cost more than the budget.
        UnknownNameError: no packer has the strategy's name.
    """
    loaded = run.host.find(Kind.PACKER, road.strategy)
    packer: Packer = run.make(loaded)
    made = make_task(text, run.workspace.of_paths(Paths), pins=pins, open_files=open_files)
    task = settled(run, attrs.evolve(made, usage=road.usage))
    weighed = weigh(run, task, packer, road)
    room = max(road.budget - weighed.frame, 0)
    candidates = _candidates(run, weighed)
    if road.divide is not None:
        packer = road.divide(packer, task, [ladder.item for ladder in weighed.ladders.values()])

    def select() -> Selection:
        return run.host.calls.chosen(loaded, selecting.select, packer, tuple(candidates), room, stage="pack")

    try:
        if road.divide is None and loaded.builtin:
            given = (run.config, road.strategy, candidates, room)
            selection = run.workspace.kept.again("selection", given, select)
        else:
            selection = select()
    except BudgetError as error:
        costs = [(weighed.ladders[id_].item.title, run.reported(tokens)) for id_, tokens in error.costs]
        raise BudgetError(
            run.reported(road.budget), [*costs, ("document frame", run.reported(weighed.frame))]
        ) from error
    kept = tuple(
        (weighed.ladders[id_], option) for id_, option in _best_first(selection, weighed.precedences)
    )
    tokens = weighed.frame + selection.tokens if kept else 0
    return Walk(road, weighed, kept, _rejected(candidates, selection, room, weighed=weighed), tokens)


def weigh(run: Run, task: Task, packer: Packer, road: Road) -> Weighed:
    """Gather, split and score, and build every shortlisted item's ladder.

    The road's one bend: providers of the second wave are handed the best-scored items of the first,
    and what they add is scored with the rest.
    """
    providers = [Source(loaded, provider) for loaded, provider in run.all(Kind.PROVIDER)]
    offered = gather(run.host, providers, task, workspace=run.workspace)
    shortlist = _shortlist(run, _merged(run, road, task, offered), task, road.budget)
    kinds = _kinds(shortlist)
    judges = _judges(run, packer, kinds)
    splits = _splits(run, shortlist.short, road.form)
    scored = _scored(run, judges, shortlist, splits=splits)
    best = [one.item for one in scored[:BEST]]
    companions = gather(run.host, providers, task, workspace=run.workspace, best=best)
    if companions:
        shortlist = _shortlist(run, _merged(run, road, task, [*offered, *companions]), task, road.budget)
        fresh = [item for item in shortlist.short if item.id not in splits]
        splits = {**splits, **_splits(run, fresh, road.form)}
        if not _kinds(shortlist) <= kinds:
            judges = _judges(run, packer, kinds | _kinds(shortlist), judges)
        scored = _scored(run, judges, shortlist, splits=splits)
    return _with_ladders(run, scored, splits, road=road, judges=judges, shortlist=shortlist)


def _merged(run: Run, road: Road, task: Task, answers: Sequence[Sequence[ContextItem]]) -> Gathered:
    gathered = merged(answers)
    if road.seen is None:
        return gathered
    return as_changes(run, gathered, road.seen, pinned={pin.path for pin in task.pins})


def _scored(
    run: Run, judges: Sequence[Judge], shortlist: Shortlist, *, splits: Mapping[str, Split]
) -> list[Scored]:
    readable = [(item, splits[item.id].parts) for item in shortlist.short if item.id in splits]
    return score(run.host, judges, shortlist.task, items=readable, workspace=run.workspace)


def _with_ladders(
    run: Run,
    scored: Sequence[Scored],
    splits: Mapping[str, Split],
    *,
    road: Road,
    judges: Sequence[Judge],
    shortlist: Shortlist,
) -> Weighed:
    given = (run.config, run.counter.key, road, shortlist.task, scored, splits)
    ladders, notes, found = run.workspace.kept.again(
        "ladders", given, lambda: _ladders(run, scored, splits, task=shortlist.task, road=road)
    )
    noted = [item for item in shortlist.short if item.note]
    named, named_notes = run.workspace.kept.again(
        "named", (run.counter.key, road.form.name, noted), lambda: _named(run, noted, road.form)
    )
    frame = sum(run.counter.count([text for text in (road.form.prologue(), road.form.epilogue()) if text]))
    return Weighed(
        task=shortlist.task,
        scored=tuple(scored),
        judges=tuple(judges),
        ladders={ladder.item.id: ladder for ladder in (*ladders, *named)},
        notes={**notes, **named_notes},
        precedences=found.precedences,
        shares=found.shares,
        below=shortlist.below,
        frame=frame,
    )


def weigh_also(run: Run, weighed: Weighed, item: ContextItem) -> Scored | None:
    """Score one more item beside those that were weighed, None where it can't be read."""
    splits = split_all(run, [item])
    if item.id not in splits:
        return None
    items = [*((one.item, one.parts) for one in weighed.scored), (item, splits[item.id].parts)]
    scored = score(run.host, weighed.judges, weighed.task, items=items, workspace=run.workspace)
    return next(one for one in scored if one.item.id == item.id)


def _kinds(shortlist: Shortlist) -> set[str]:
    """Return the kinds of the items that may be scored."""
    return {item.kind for item in (*shortlist.short, *shortlist.below.brought())}


def _judges(run: Run, packer: Packer, kinds: Collection[str], made: Sequence[Judge] = ()) -> list[Judge]:
    """Make the scorers, each with its weight times the factor that the packer gives it.

    Those that judge items of no such kind may be missing; those that are `made` stay what they are.
    """
    factors: Mapping[str, float] = getattr(packer, "weights", {})
    default = factors.get("*", 1.0)
    before = {judge.loaded.full_name: judge for judge in made}
    return [
        before.get(loaded.full_name)
        or Judge(
            loaded,
            scorer,
            float(scorer.weight) * factors.get(loaded.name, default),
            run.config if getattr(scorer, "steady", None) is not None else None,
        )
        for loaded, scorer in run.all(Kind.SCORER, {*kinds, "file", "*"})
    ]


def _shortlist(run: Run, gathered: Gathered, task: Task, budget: int) -> Shortlist:
    """Choose what is weighed: what providers bring, pinned and lifted files, and the best of the others."""
    lifted = gathered.lifted[:MOST_LIFTED]
    drawn = _Drawn(run, task, lifted, budget)
    wanted = {*drawn.pinned, *(item.path for item in lifted)}
    for item in gathered.items.narrowing(drawn.is_full, wanted, named=drawn.most_noted):
        drawn.draw(item)
    below = gathered.items.without({item.id for item in drawn.short})
    return Shortlist(_with_lifted(task, lifted), tuple(drawn.short), below)


class _Drawn:
    """What has been put on the shortlist, offered best first."""

    def __init__(self, run: Run, task: Task, lifted: Sequence[ContextItem], budget: int) -> None:
        self.pinned = {pin.path for pin in task.pins}
        self.short: list[ContextItem] = []
        self._run = run
        self._lifted = {item.id for item in lifted}
        self._budget = budget
        self._tokens, self._files, self._noted = 0.0, 0, 0
        self.most_noted = math.ceil(budget / _TOKENS_PER_NOTE)
        """Items that can only be named of which one is put on the list."""

    def is_full(self) -> bool:
        """Tell whether no more files are weighed for their rank alone."""
        return self._files >= SHORTLIST_LEAST and self._tokens >= SHORTLIST_FACTOR * self._budget

    def draw(self, item: ContextItem) -> None:
        """Put an item on the shortlist, or pass it over."""
        is_file = item.kind == "file"
        if is_file and item.path in self.pinned:
            self.short.append(_pinnable(self._run, item))
        elif item.note:
            if self._noted < self.most_noted:
                self.short.append(item)
            self._noted += 1
        elif not is_file or item.id in self._lifted:
            self.short.append(item)
        elif not self.is_full():
            self.short.append(item)
            self._tokens += _size(self._run, item) / _BYTES_PER_TOKEN
            self._files += 1


def _with_lifted(task: Task, lifted: Sequence[ContextItem]) -> Task:
    """Return the task as if it named the files that providers found for it."""
    named = [Reference(item.provider, "path", item.path, item.lines) for item in lifted]
    return attrs.evolve(task, references=(*task.references, *named)) if named else task


def _size(run: Run, item: ContextItem) -> int:
    document = run.workspace.document(item.path) if item.path else None
    return document.size if document is not None else len(item.text or "")


def _pinnable(run: Run, item: ContextItem) -> ContextItem:
    """Return a pinned item with its text although it would only be named: a generated file, a lock file."""
    if not item.note:
        return item
    document = run.workspace.document(item.path)
    if document is None or document.kind not in ("generated", "minified", "lockfile", "empty"):
        raise PointerError(item.path, f"can't be pinned: {item.note}")
    return attrs.evolve(item, note="")


def _splits(run: Run, short: Sequence[ContextItem], form: Form) -> dict[str, Split]:
    splits = split_all(run, short)
    if not form.first_mark:
        return splits
    items = {item.id: item for item in short}
    return {id_: _escaped(run, items[id_], split, form) for id_, split in splits.items()}


def _escaped(run: Run, item: ContextItem, split: Split, form: Form) -> Split:
    """Count the parts of a text again where the form shows it otherwise than it stands."""
    if split.plain:
        return split
    try:
        shown = attrs.evolve(item, text=form.escaped(run.text(item)))
    except WorkspaceError as error:  # it vanished: whoever shows it would fail too, and choose again
        run.workspace.forget(item.path, str(error))
        return split
    return attrs.evolve(finish(shown, split.parts, run.counter), terms=split.terms, lengths=split.lengths)


def _ladders(
    run: Run, scored: Sequence[Scored], splits: Mapping[str, Split], *, task: Task, road: Road
) -> tuple[list[Ladder], dict[str, str], Appraised]:
    form = road.form
    bare = [(one, splits[one.item.id]) for one in scored]
    shown = [(one.item, split) for one, split in bare]
    notes, tokens = run.workspace.kept.again(
        "frames", (run.counter.key, form.name, shown), lambda: _frames(run, shown, form)
    )
    ladders = []
    pins = {pin.path for pin in task.pins}
    asked = Asked(run.workspace.query(task), road.budget, pins, partial(stretches_of, run))
    found = appraised(bare, asked)
    for rank, (one, worths) in enumerate(zip(scored, found.worths, strict=True)):
        pointer, opening, closing = tokens[3 * rank : 3 * rank + 3]
        appraisal = Appraisal(worths.bodies, worths.heads, found.openings[rank])
        frame = Frame(pointer, opening + closing, form.first_mark)
        pinned = pinned_parts(one.item, worths.split.parts, task.pins)
        ladders.append(as_diff(build(one.item, worths.split, appraisal, frame=frame, pinned=pinned)))
    return ladders, notes, found


def _frames(
    run: Run, shown: Sequence[tuple[ContextItem, Split]], form: Form
) -> tuple[dict[str, str], list[int]]:
    """Return notes by item id, and the tokens of each item's pointer, of what opens it and what closes it."""
    notes = {item.id: note(split) for item, split in shown}
    texts = [
        text
        for item, split in shown
        for text in (
            form.pointer(item, notes[item.id]),
            form.opening(item, split),
            form.closing(item, split),
        )
    ]
    return notes, run.counter.count(texts)


def pinned_parts(item: ContextItem, parts: Sequence[Part], pins: Sequence[Reference]) -> list[int]:
    """Return the parts of an item that pins name: all of them for a pin without lines.

    Raises:
        PointerError: the item has no such lines.
    """
    mine = [pin for pin in pins if item.kind == "file" and pin.path == item.path]
    last = parts[-1].lines[1] if parts else 0
    for pin in mine:
        if pin.lines[0] > last:
            raise PointerError(pin.text, f"the file has {last} lines")
    if any(pin.lines == NO_LINES for pin in mine):
        return list(range(len(parts)))
    return [
        at
        for at, part in enumerate(parts)
        if any(pin.lines[0] <= part.lines[1] and part.lines[0] <= pin.lines[1] for pin in mine)
    ]


def _named(run: Run, items: Sequence[ContextItem], form: Form) -> tuple[list[Ladder], dict[str, str]]:
    """Make ladders of one step for items that can only be named."""
    notes = {item.id: item.note for item in items}
    tokens = run.counter.count([form.pointer(item, item.note) for item in items])
    ladders = [
        Ladder(item, Split((), {}, ()), (), (Option(Level.POINTER, count, 0.0),))
        for item, count in zip(items, tokens, strict=True)
    ]
    return ladders, notes


def _candidates(run: Run, weighed: Weighed) -> list[Candidate]:
    recency = run.workspace.recency()
    ladders = weighed.ladders.values()
    in_time = sorted(ladders, key=lambda ladder: (recency.get(ladder.item.path, 0.0), ladder.item.id))
    positions = {ladder.item.id: position for position, ladder in enumerate(in_time)}
    scores = {one.item.id: one.scores for one in weighed.scored}
    pinned = {pin.path for pin in weighed.task.pins}
    return [
        Candidate(
            id=ladder.item.id,
            position=positions[ladder.item.id],
            kind=ladder.item.kind,
            options=ladder.options,
            scores=scores.get(ladder.item.id, {}),
            pinned=ladder.item.kind == "file" and ladder.item.path in pinned,
            floor=ladder.floor,
        )
        for ladder in ladders
    ]


def _best_first(selection: Selection, early: Mapping[str, float]) -> list[tuple[str, int]]:
    return sorted(
        selection.choices.items(),
        key=lambda chosen: (chosen[1] == 0, -early.get(chosen[0], -1.0), chosen[0]),
    )


def _rejected(
    candidates: Sequence[Candidate], selection: Selection, room: int, *, weighed: Weighed
) -> tuple[Rejected, ...]:
    salience = {one.item.id: one.salience for one in weighed.scored}
    ladders = weighed.ladders
    rejected = [
        (ladders[id_].item, reason, ladders[id_].options[0].tokens, salience.get(id_, 0.0))
        for id_, reason in selecting.left_out(candidates, selection, room)
    ]
    rejected.sort(key=lambda one: (-one[3], one[0].id))
    return tuple(rejected)


def rejected_below(item: ContextItem) -> Rejected:
    """Tell why an item is left out that was not on the shortlist."""
    return item, BELOW, 0, 0.0
