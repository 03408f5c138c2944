"""Pack a workspace for a task: gather, score, represent, pack, render."""

from __future__ import annotations

from collections import Counter
from collections import Counter as Tally
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, overload

import attrs

from satchel.errors import BudgetError, PluginError, Problem, UsageError, WorkspaceError
from satchel.host import Kind
from satchel.items import Level
from satchel.packing.already_sent import Seen
from satchel.packing.pipeline import Divide, Rejected, Road, Walk, Weighed, rejected_below, walk
from satchel.packing.rendering import Rendered, body_of, document, find_form, stable_order
from satchel.paths import safe_text
from satchel.pointers import parse, pointer_to
from satchel.references.tasks import written_paths
from satchel.runs import Run, budget_of, open_run, reviewing
from satchel.workspace.index.store import DamagedIndexError, damage_told, keep
from satchel.workspace.workspace import Snapshot

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.events import Event
    from satchel.host import Host, Loaded
    from satchel.workspace import Workspace
    from satchel.workspace.files.listing import Look
    from satchel.workspace.index.documents import Progress


BEST_LEFT_OUT = 200
"""Left-out items that are listed one by one; the rest is counted by folder and reason."""

Count = tuple[str, str, int]
"""A folder, a reason, and how many items of the folder were left out for it."""


class LeftOut(NamedTuple):
    """An item that is not in the bundle."""

    pointer: str
    path: str
    reason: str
    tokens: int
    """Of its cheapest option, 0 where it was not counted."""
    salience: float


class Counts(Sequence[Count]):
    """Counts that are made when somebody looks: of 28,000 files that takes as long as packing them."""

    def __init__(self, number: int, count: Callable[[], Sequence[Count]]) -> None:
        self.number = number
        """Items that are counted."""
        self._count = count
        self._counted: tuple[Count, ...] | None = None

    def _rows(self) -> tuple[Count, ...]:
        if self._counted is None:
            self._counted = tuple(self._count())
        return self._counted

    @overload
    def __getitem__(self, at: int) -> Count: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Count]: ...
    def __getitem__(self, at: int | slice) -> Count | Sequence[Count]:
        """Return a count, or some of them."""
        return self._rows()[at]

    def __len__(self) -> int:
        """Return the number of counts, one for each folder and reason."""
        return len(self._rows())

    def __iter__(self) -> Iterator[Count]:
        """Yield the counts by folder and reason."""
        return iter(self._rows())

    def __eq__(self, other: object) -> bool:
        """Compare with any sequence of counts."""
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        """Return the hash of the counts."""
        return hash(tuple(self))

    def __repr__(self) -> str:
        """Show the counts as a tuple."""
        return repr(tuple(self))


def left_out(walked: Walk, *, everything: bool) -> tuple[tuple[LeftOut, ...], Sequence[Count]]:
    """Return the best items that a walk left out, or all of them, and the counts of the others."""
    if everything:
        return tuple(map(_listed, walked.rejected)), ()
    best = walked.not_kept[:BEST_LEFT_OUT]
    below = walked.weighed.below
    listed = (*best, *map(rejected_below, below[: BEST_LEFT_OUT - len(best)]))
    others, told = walked.not_kept[BEST_LEFT_OUT:], len(listed) - len(best)

    def count() -> Sequence[Count]:
        return _counted([*others, *map(rejected_below, below[told:])])

    return tuple(map(_listed, listed)), Counts(len(others) + len(below) - told, count)


def _listed(rejected: Rejected) -> LeftOut:
    item, reason, tokens, salience = rejected
    return LeftOut(pointer_to(item), item.path, safe_text(reason), tokens, round(salience, 4))


def _counted(rejected: Sequence[Rejected]) -> list[Count]:
    """Count items by the folder that they stand in and by reason."""
    counted = Counter[tuple[str, str]]()
    for reason, some in groupby(sorted(rejected, key=_reason), key=_reason):
        paths = [item.path or item.title for item, *_ in some]
        for folder, number in Counter([path.rpartition("/")[0] for path in paths]).items():
            counted[safe_text(folder) or ".", reason] += number
    return sorted((folder, reason, number) for (folder, reason), number in counted.items())


def _reason(rejected: Rejected) -> str:
    return rejected[1]


_MOST_WALKS = 6
"""Of one pack, where files vanish or change meanwhile."""
_MOST_RECOUNTS = 4
"""Times that a pack is made smaller, where a tokenizer of others counts more in all than in pieces."""


@attrs.frozen
class BundleItem:
    """One item of a bundle."""

    pointer: str
    """URI with a version: `satchel://file/src/app.py?v=1a2b3c4d`."""
    path: str
    """Of the file that it is about, "" where it is about no single one."""
    title: str
    """What its header or address line says."""
    kind: str
    provider: str
    level: str
    tokens: int
    """What it costs in the document, its frame included."""
    salience: float
    scores: dict[str, float]
    trusted: bool
    text: str
    """Its lines and mark lines, as they stand in the document."""


@attrs.frozen
class Bundle:
    """What `pack` returns: a document that costs `tokens` of `budget`, and the account of it."""

    task: str
    budget: int
    tokens: int
    text: str
    form: str
    items: tuple[BundleItem, ...]
    """Best first."""
    left_out: tuple[LeftOut, ...]
    left_out_counts: Sequence[Count]
    """Folder, reason and number of the left-out items that are not listed; counted when it is asked for."""
    problems: tuple[Problem, ...]
    secrets: dict[str, int]
    """How many secrets of each kind were taken out of what was read to be shown in it."""
    exact: bool
    """Whether the counts are those of the model's own vocabulary."""
    tokenizer: str
    snapshot: Snapshot = attrs.field(factory=lambda: Snapshot({}), repr=False, eq=False)
    """The files as they were, for `Workspace.changed`."""


@attrs.frozen
class PackOptions:
    """How a pack is made, beside its task, its root and its budget."""

    strategy: str = ""
    """A packer's name; the configured one by default."""
    since: str = ""
    """A commit or a ref: the diff from there to the working tree, its callers and its tests come first."""
    open_files: Sequence[str] = ()
    """Files that an editor shows, each perhaps with `:LINE`."""
    form: str = "markdown"
    """`markdown` or `xml`."""
    left_out: str = "best"
    """`best` lists the 200 best items of what was left out, `all` lists everything."""
    config: Config | None = None
    """Read from the root, the environment and the user's folder by default."""
    progress: Progress | None = None
    """Called with a stage, what is done and how much there is."""
    workspace: Workspace | None = None
    """An open workspace of the same root, as it stands; it stays open. One is opened by default."""
    look: Look | None = None
    """The files as somebody listed them a moment ago; they are listed by default."""
    finished: Callable[[Workspace, Bundle], object] | None = None
    """Called with the workspace as it was packed, before it is closed, and with the bundle."""
    seen: Bundle | None = None
    """An earlier pack that the reader still has: a file shown whole there is shown as what changed since."""
    usage: Mapping[str, float] = attrs.field(factory=dict)
    """How much each item was used in the session so far, 0..1 by item id."""
    divide: Divide | None = None
    """Makes of the packer one that keeps to shares of the budget, as a session's window has them."""
    observe: Callable[[Event], None] | None = None
    """Is told every event, beside the observers that are plugins."""


def pack(
    task: str,
    root: str | Path = ".",
    *,
    budget: int | str | None = None,
    model: str | None = None,
    pins: Sequence[str] = (),
    host: Host | None = None,
    options: PackOptions = PackOptions(),
) -> Bundle:
    """Choose what goes into the window for a task, and show it as one document within the budget.

    Args:
        task: what the window is for, in plain words; paths, symbols and tracebacks in it are looked up.
        root: the workspace's folder.
        budget: tokens that the document may cost, or "auto" for the model's window; configured by default.
        model: its name sets the tokenizer's factor, and the window for "auto".
        pins: files (`src/app.py`) or lines (`src/app.py:10-40`) that must go in.
        host: the plugins; all installed ones by default.
        options: everything else.

    Raises:
        UsageError: an empty task, an unknown strategy or format, a budget below 1.
        WorkspaceError: the root is no folder.
        BudgetError: the pins alone cost more than the budget.
        PointerError: a pin names nothing.
    """
    if not task.strip():
        raise UsageError('the task is empty; say what the window is for: satchel pack "fix the login bug"')
    known = len(host.problems) if host is not None else 0
    attempt = partial(_packed, task, root, budget=budget, model=model, pins=pins, host=host, options=options)
    try:
        with damage_told():
            return attempt()
    except BudgetError as error:
        from satchel.events import BudgetExceeded
        from satchel.host.observing import announce

        needed = sum(tokens for _, tokens in error.costs)
        announce(host, [BudgetExceeded(error.budget, needed)], options.observe)
        raise
    except DamagedIndexError:
        if options.workspace is not None:
            raise
    if host is not None:
        del host.problems[known:]  # what failed did because of the index, which is made anew
    bundle = attempt()
    told = Problem("index", "read", "the index was damaged; it was made anew")
    return attrs.evolve(bundle, problems=(told, *bundle.problems))


def _packed(
    task: str,
    root: str | Path,
    *,
    budget: int | str | None,
    model: str | None,
    pins: Sequence[str],
    host: Host | None,
    options: PackOptions,
) -> Bundle:
    """Pack once; a DamagedIndexError tells that the index was found damaged, even where a plugin met it."""
    run = open_run(
        root,
        config=options.config,
        host=host,
        flags={"model": model or None, "strategy": options.strategy or None},
        wanted=wanted_paths(task, pins),
        progress=options.progress,
        workspace=options.workspace,
        look=options.look,
    )
    if options.workspace is not None:
        run.workspace.begin()
    try:
        if options.since:
            run = reviewing(run, options.since)
        asked = budget_of(run, budget)
        seen = Seen.of(options.seen) if options.seen is not None else None
        road = Road(
            find_form(options.form),
            run.config.strategy,
            run.countable(asked),
            seen,
            options.usage,
            options.divide,
        )
        tour = partial(walk, run, task, pins=pins, open_files=options.open_files)
        everything = options.left_out == "all"
        walked = _walked(run, road, tour)
        bundle = _bundle(run, walked, task=task, budget=asked, everything=everything)
        for _ in range(_MOST_RECOUNTS):
            if not (over := _over(run, road, bundle)):
                break
            road = road._replace(budget=max(1, road.budget - over))
            walked = _walked(run, road, tour)
            bundle = _bundle(run, walked, task=task, budget=asked, everything=everything)
        else:
            _refuse_over(run, road, bundle)
        keep(run.workspace.index.store, _brought(walked))
        if options.observe or run.host.loaded(Kind.OBSERVER):
            from satchel.host.observing import announce

            announce(run.host, _events(bundle, walked.weighed), options.observe)
        bundle = attrs.evolve(bundle, problems=run.problems)
        if options.finished is not None:
            options.finished(run.workspace, bundle)
        return bundle
    finally:
        if options.workspace is None:
            run.workspace.close()


def _walked(run: Run, road: Road, tour: Callable[[Road], Walk]) -> Walk:
    """Walk until no chosen file vanishes or changes meanwhile."""
    walked = tour(road)
    for _ in range(_MOST_WALKS):
        if not _forgot_lost(run, walked):
            break
        walked = tour(road)
    run.workspace.index.store.raise_if_damaged()
    return walked


def _others(run: Run, road: Road) -> list[Loaded]:
    """Return the plugins of others on whose answers the count of a document depends."""
    chosen = [
        run.host.find(Kind.TOKENIZER, run.config.tokenizer),
        run.host.find(Kind.PACKER, road.strategy),
        *(one for one in run.host.known(Kind.REPRESENTER) if one.enabled),
    ]
    return [one for one in chosen if not one.builtin]


def _over(run: Run, road: Road, bundle: Bundle) -> int:
    """Return the counted tokens that a finished document has too many, where plugins of others took part."""
    if not bundle.text or not _others(run, road):
        return 0
    counted = run.counter.count([bundle.text])[0]
    return max(0, counted - run.countable(bundle.budget)) if run.reported(counted) > bundle.budget else 0


def _refuse_over(run: Run, road: Road, bundle: Bundle) -> None:
    """Raise PluginError where a document still has more tokens than its budget."""
    if over := _over(run, road, bundle):
        one = _others(run, road)[0]
        reason = f"{one.kind}: its document has {over} tokens more than the budget, however small it is made"
        raise PluginError(one.name, one.distribution, reason)


def _forgot_lost(run: Run, walked: Walk) -> bool:
    """Forget the chosen files that vanished or changed since they were listed; tell whether any did."""
    lost: dict[str, str] = {}
    for item in (ladder.item for ladder, option in walked.kept if option and ladder.item.text is None):
        try:
            run.text(item)
        except WorkspaceError as error:
            lost[item.path] = str(error)
        if run.workspace.document(item.path) is None:
            lost.setdefault(item.path, "")
    for path, reason in lost.items():
        run.workspace.forget(path, reason)
    if lost:
        run.workspace.forget_changed()
    return bool(lost)


def _events(bundle: Bundle, weighed: Weighed) -> list[Event]:
    """Say what happened, the problems last."""
    from satchel.events import ItemDropped, ItemKept, ItemsGathered, PluginFailed

    items = (*(ladder.item for ladder in weighed.ladders.values()), *weighed.below)
    gathered = Tally(item.provider for item in items)
    return [
        *(ItemsGathered(provider, count) for provider, count in sorted(gathered.items())),
        *(ItemKept(item.pointer, item.level, item.tokens) for item in bundle.items),
        *(ItemDropped(left.pointer, left.reason) for left in bundle.left_out),
        *(PluginFailed(problem) for problem in bundle.problems),
    ]


def _brought(walked: Walk) -> dict[str, str]:
    """Return the texts that providers brought along, by hash, so that their pointers can be expanded."""
    weighed = (ladder.item for ladder in walked.weighed.ladders.values())
    items = (*weighed, *walked.weighed.below.brought())
    return {item.content: item.text for item in items if item.text and item.content}


def wanted_paths(task: str, pins: Sequence[str]) -> list[str]:
    """Return the paths that are named, so that they are listed even inside vendored folders."""
    return [*written_paths(task), *(parse(pin).path for pin in pins)]


def _bundle(run: Run, walked: Walk, *, task: str, budget: int, everything: bool) -> Bundle:
    form = walked.road.form
    rendered = [
        Rendered(ladder, option, body_of(ladder, option, text=run.text(ladder.item), form=form))
        for ladder, option in walked.kept
        if option > 0
    ]
    by_path = sorted(rendered, key=lambda one: stable_order(one.ladder.item))
    bodies = {one.ladder.item.id: one.body for one in rendered}
    pointers = sorted(walked.pointer_line(ladder.item) for ladder, option in walked.kept if option == 0)
    listed, counts = left_out(walked, everything=everything)
    return Bundle(
        task=run.workspace.clean(task),
        budget=budget,
        tokens=run.reported(walked.tokens),
        text=document(form, by_path, pointers) if walked.kept else "",
        form=form.name,
        items=tuple(_items(run, walked, bodies)),
        left_out=listed,
        left_out_counts=counts,
        problems=run.problems,
        secrets=dict(sorted(run.workspace.secrets.items())),
        exact=run.exact,
        tokenizer=run.counter.key,
        snapshot=run.workspace.snapshot(),
    )


def _items(run: Run, walked: Walk, bodies: dict[str, str]) -> list[BundleItem]:
    items = []
    by_id = {one.item.id: one for one in walked.weighed.scored}
    for ladder, option in walked.kept:
        item = ladder.item
        scored = by_id.get(item.id)
        chosen = ladder.options[option]
        items.append(
            BundleItem(
                pointer=pointer_to(item),
                path=item.path,
                title=safe_text(item.title),
                kind=item.kind,
                provider=item.provider,
                level=str(chosen.level),
                tokens=run.reported(chosen.tokens),
                salience=round(scored.salience, 4) if scored else 0.0,
                scores={name: round(value, 4) for name, value in scored.scores.items()} if scored else {},
                trusted=item.trusted,
                text=bodies[item.id] if chosen.level is not Level.POINTER else walked.pointer_line(item),
            )
        )
    return items
