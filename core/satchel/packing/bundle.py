"""`pack`: open a workspace, run the steps until the document fits, and account for the items left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from satchel.errors import BudgetError, PluginError, Problem, UnknownNameError, UsageError, WorkspaceError
from satchel.host import PluginKind
from satchel.items import Level
from satchel.packing.earlier_pack import EarlierPack
from satchel.packing.hints import NEWEST_COMMIT, find_hints, find_least_budget
from satchel.packing.ladders import ItemLadder
from satchel.packing.pipeline import Divide, PackOutcome, PackSettings, Weighed, run_pack
from satchel.packing.reasons import Count, LeftOut, LeftOutCounts, list_left_out, say_why
from satchel.packing.rendering import (
    DocumentForm,
    Rendered,
    address,
    body_of,
    document,
    find_form,
    shorten_name,
    stable_order,
)
from satchel.packing.resolving import find_review_start
from satchel.packing.templating import DocumentFrame, fill_template
from satchel.paths import safe_text
from satchel.patterns import lazily
from satchel.pointers import CHANGED_FILES, REVIEWED, parse, pointer_to
from satchel.questions import asks_about_changes
from satchel.references.mentions import find_paths
from satchel.runs import ReadingOptions, WorkspaceRun, budget_of, open_run, with_read_only, with_review
from satchel.spelling import agree, format_count
from satchel.workspace.index.store import DamagedIndexError, keep_blobs, key_of_name, report_damage
from satchel.workspace.workspace import Snapshot

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.events import Event
    from satchel.host import Host, Loaded
    from satchel.parts import Part
    from satchel.workspace import Workspace
    from satchel.workspace.index.documents import ReportProgress


_ORDER_OF_CHANGES = {"status": 0, "commit": 1, "diff": 2}
_FIRST_OF_CHANGES = (CHANGED_FILES, f"{REVIEWED}conflicts")
"""The lists of changes or conflicts, before the lists of breakages."""
"""Items that come first if a task is about changes, by kind."""
ORDERS = ("best", "path")
"""Orders of the items of a document."""
_MAP_LINE = 18
"""Tokens set aside for each line of the map."""
_MOST_MAP_LINES, _TOKENS_PER_MAP_LINE, _LEAST_WITH_MAP = 12, 1_000, 2_000
_LEAST_MAPPED = 2
"""Least items for which a map helps."""
_MAPPED = frozenset({"file", "instructions", "document", "diff"})
_NAMES_MAPPED, _LONGEST_NAME = 3, 32
_NEW_START = lazily(r"@@ -[\d,]{1,20} \+(\d{1,9})")
DETAILS = ("full", "compact")
"""Forms of a bundle as JSON."""
_MOST_REPEATS = 6
"""Attempts at one pack, when files vanish or change meanwhile."""
_TOKEN_CHARS = 4
"""Characters of a token, about."""
_MOST_RECOUNTS = 4
"""Times that a pack is reduced when a third-party tokenizer counts more for the whole than for its pieces."""


@attrs.frozen
class BundleItem:
    """One item of a bundle."""

    pointer: str
    """URI with a version: `satchel://file/src/app.py?v=1a2b3c4d`."""
    path: str
    """Path of its file, "" if it is not about a single file."""
    title: str
    """Text of its header or address line."""
    kind: str
    provider: str
    level: str
    tokens: int
    """Cost in the document, including its frame."""
    salience: float
    scores: dict[str, float]
    trusted: bool
    text: str
    """Its lines and mark lines, as in the document."""
    reason: str = ""
    """Why it is there, in words, if `PackOptions.reasons` asks for it."""


@attrs.frozen
class Bundle:
    """The result of `pack`: a document of `tokens` within `budget`, and how it was made."""

    task: str
    budget: int
    tokens: int
    text: str
    form: str
    items: tuple[BundleItem, ...]
    """Best first."""
    left_out: tuple[LeftOut, ...]
    left_out_counts: Sequence[Count]
    """Folder, reason and count of the left-out items that are not listed; counted on first use."""
    problems: tuple[Problem, ...]
    secrets: dict[str, int]
    """Number of redacted secrets of each kind in the document."""
    hints: tuple[str, ...] = attrs.field(default=(), kw_only=True)
    """Hints if the task says too little for a good pack, or if the budget holds nothing."""
    exact: bool
    """Whether the counts are those of the model's own vocabulary."""
    tokenizer: str
    snapshot: Snapshot = attrs.field(factory=lambda: Snapshot({}), repr=False, eq=False)
    """The state of the files, for `Workspace.changed`."""

    def count_reasons(self) -> dict[str, int]:
        """Return how many items were left out for each reason, without the figures that some reasons have."""
        counts = self.left_out_counts
        if isinstance(counts, LeftOutCounts):
            rows = list(counts.reasons.items())
        else:
            rows = [(reason, number) for _, reason, number in counts]
        reasons = Counter(item.reason.partition(":")[0] for item in self.left_out)
        for reason, number in rows:
            reasons[reason.partition(":")[0]] += number
        return dict(reasons.most_common())

    def to_dict(self, *, detail: str = "full", text: bool = True) -> dict[str, Any]:
        """Return the bundle as values for JSON.

        Args:
            detail: `full` is the output of `satchel pack --format json`; `compact` has the document once and
                so many items, best first, that its JSON has at most 1.3 times the document's characters.
            text: `False` leaves the document out of the compact form, for readers who have it already.

        Raises:
            UnknownNameError: there is no such detail.
        """
        from satchel.packing.bundle_json import to_compact, to_full

        if detail not in DETAILS:
            raise UnknownNameError("detail", detail, DETAILS)
        return to_full(self) if detail == "full" else to_compact(self, text=text)


@attrs.frozen
class PackOptions:
    """Options of a pack besides task, root and budget."""

    strategy: str = ""
    """A packer's name; the configured one by default."""
    since: str = ""
    """A commit or a ref: the diff from it to the working tree, with callers and tests, comes first."""
    open_files: Sequence[str] = ()
    """Files open in an editor, optionally with `:LINE`."""
    read_only: Sequence[str] = ()
    """Paths and globs of files to be read and not changed, beside those that the configuration lists."""
    max_chars: int | None = None
    """Maximum characters of the document, besides its budget in tokens; None for any number."""
    form: str = "markdown"
    """`markdown` or `xml`."""
    line_numbers: bool = False
    """Put its number before each line of a file."""
    left_out: str = "best"
    """`best` lists the 200 best items left out, `all` lists all of them."""
    config: Config | None = None
    """Read from the root, the environment and the user's folder by default."""
    progress: ReportProgress | None = None
    """Called with a stage, the number done and the total."""
    workspace: Workspace | None = None
    """An open workspace of the same root, used as it is and left open. By default one is opened."""
    seen: Bundle | None = None
    """An earlier pack that the reader still has: files shown in full there are shown as diffs."""
    usage: Mapping[str, float] = attrs.field(factory=dict)
    """Use of each item in the session so far, 0..1 by item id."""
    divide: Divide | None = None
    """Wraps the packer so that it keeps shares of the budget, as a session's window needs."""
    reasons: bool = False
    """Say in words why each item is there."""
    order: str = "best"
    """`best` puts the best items first, below a map of them; `path` keeps the same items in the same places
    for other tasks, so that a provider's prompt cache can be used."""
    with_task: bool = False
    """Put the task on top of the document."""
    template: str = ""
    """Text around the document, with `{{context}}` in its place, and `{{task}}` and `{{workspace}}`."""
    observe: Callable[[Event], None] | None = None
    """Receives every event, in addition to observer plugins."""


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
    """Choose the content of the window for a task and render it as one document within the budget.

    Args:
        task: the purpose of the window; paths, symbols and tracebacks in it are resolved.
        root: the workspace's folder.
        budget: most tokens of the document, or "auto" for the model's window; configured by default.
        model: sets the tokenizer's factor, and the window for "auto".
        pins: files (`src/app.py`) or lines (`src/app.py:10-40`) that must go in.
        host: the plugins; all installed ones by default.
        options: all other options.

    Raises:
        UsageError: an empty task, an unknown strategy or format, a budget or `max_chars` below 1.
        WorkspaceError: the root is not a folder.
        BudgetError: the pins alone cost more than the budget.
        PointerError: a pin matches nothing.
    """
    if not task.strip():
        raise UsageError('the task is empty; say what to do: satchel pack "fix the login bug"')
    if options.max_chars is not None and options.max_chars < 1:
        raise UsageError(f"max_chars must be a whole number from 1 up, not {options.max_chars}")
    known = len(host.problems) if host is not None else 0
    attempt = partial(
        _pack_once, task, root, budget=budget, model=model, pins=pins, host=host, options=options
    )
    try:
        with report_damage():
            return attempt()
    except BudgetError as error:
        from satchel.events import BudgetExceeded
        from satchel.host.observing import announce

        needed = sum(tokens for _, tokens in error.costs)
        announce(host, [BudgetExceeded(error.budget, needed)], options.observe, config=options.config)
        raise
    except DamagedIndexError:
        if options.workspace is not None:
            raise
    if host is not None:
        del host.problems[known:]  # those failures came from the damaged index, which is rebuilt
    bundle = attempt()
    told = Problem("index", "read", "the index was damaged; it was rebuilt")
    return attrs.evolve(bundle, problems=(told, *bundle.problems))


def _pack_once(
    task: str,
    root: str | Path,
    *,
    budget: int | str | None,
    model: str | None,
    pins: Sequence[str],
    host: Host | None,
    options: PackOptions,
) -> Bundle:
    """Pack once; raise DamagedIndexError if the index is damaged, even if a plugin hit the damage."""
    run = open_run(
        root,
        config=options.config,
        host=host,
        flags={"model": model or None, "strategy": options.strategy or None},
        workspace=options.workspace,
        options=ReadingOptions(find_task_paths(task, pins), options.progress),
    )
    if options.workspace is not None:
        run.workspace.begin()
    try:
        since = options.since or find_review_start(run.workspace, task)
        if since:
            run = with_review(run, since)
        if options.read_only:
            run = with_read_only(run, options.read_only)
        asked = budget_of(run, budget)
        seen = EarlierPack.of(options.seen) if options.seen is not None else None
        lines = _find_map_lines(options, asked)
        frame, frame_tokens = _make_frame(run, task, options, budget=asked)
        countable = count_room(run, asked, map_lines=lines, frame=frame_tokens)
        settings = PackSettings(
            _form_of(options),
            run.config.strategy,
            min(countable, options.max_chars or countable),
            seen,
            options.usage,
            options.divide,
            lines,
        )
        pack_once = partial(
            run_pack, run, task, pins=pins, open_files=options.open_files, is_review=bool(since)
        )
        lay_out = partial(_lay_out, run, task=task, options=options, frame=frame)
        make = partial(_make_bundle, run, task=task, budget=asked, options=options, lay_out=lay_out)
        go = partial(_pack_within, run, pack_once=pack_once, most=options.max_chars, lay_out=lay_out)
        without_map = count_room(run, asked, frame=frame_tokens)
        outcome, bundle = _pack_to_size(run, settings, go=go, make=make, without_map=without_map)
        keep_blobs(run.workspace.index.store, {**_collect_texts(outcome), **_collect_names(outcome)})
        if options.observe or run.host.loaded(PluginKind.OBSERVER):
            from satchel.host.observing import announce

            events = _list_events(bundle, outcome.weighed)
            announce(run.host, events, options.observe, config=run.config)
        return attrs.evolve(bundle, problems=run.problems)
    finally:
        if options.workspace is None:
            run.workspace.close()


def _pack_to_size(
    run: WorkspaceRun,
    settings: PackSettings,
    *,
    go: Callable[[PackSettings], tuple[PackSettings, PackOutcome]],
    make: Callable[[PackOutcome], Bundle],
    without_map: int,
) -> tuple[PackOutcome, Bundle]:
    """Pack until the whole document fits; pins that need the room of the map get it: `without_map` tokens."""
    try:
        settings, outcome = go(settings)
    except BudgetError:
        if not settings.map_lines:
            raise
        settings, outcome = go(settings._replace(budget=without_map, map_lines=0))
    bundle = make(outcome)
    for _ in range(_MOST_RECOUNTS):
        if not (over := _count_excess_tokens(run, settings, bundle)):
            return outcome, bundle
        settings, outcome = go(settings._replace(budget=max(1, settings.budget - over)))
        bundle = make(outcome)
    _refuse_excess(run, settings, bundle)
    return outcome, bundle


def _pack_until_stable(
    run: WorkspaceRun, settings: PackSettings, pack_once: Callable[[PackSettings], PackOutcome]
) -> PackOutcome:
    """Repeat the pack until no chosen file vanishes or changes during it."""
    outcome = pack_once(settings)
    for _ in range(_MOST_REPEATS):
        if not _drop_lost_files(run, outcome):
            break
        outcome = pack_once(settings)
    run.workspace.index.store.raise_if_damaged()
    return outcome


def _pack_within(
    run: WorkspaceRun,
    settings: PackSettings,
    *,
    pack_once: Callable[[PackSettings], PackOutcome],
    most: int | None,
    lay_out: Callable[[PackOutcome], _DocumentLayout],
) -> tuple[PackSettings, PackOutcome]:
    """Repeat the pack with fewer tokens until its document has at most `most` characters.

    Raises:
        BudgetError: the pinned text has more.
    """
    if most is None:
        return settings, _pack_until_stable(run, settings, pack_once)
    try:
        outcome = _pack_until_stable(run, settings, pack_once)
        while (length := len(lay_out(outcome).text)) > most:
            tokens = min(outcome.tokens * most // length, outcome.tokens * 99 // 100)
            settings = settings._replace(budget=tokens)
            outcome = _pack_until_stable(run, settings, pack_once)
    except BudgetError as error:
        raise BudgetError(error.budget, error.costs, max_chars=most) from error
    return settings, outcome


class _DocumentLayout(NamedTuple):
    """A document with its layout."""

    rendered: list[Rendered]
    text: str
    tokens: int
    """Counted tokens of the text."""


def _lay_out(
    run: WorkspaceRun, outcome: PackOutcome, *, task: str, options: PackOptions, frame: DocumentFrame
) -> _DocumentLayout:
    """Lay out the document of a pack in its frame."""
    form = outcome.settings.form
    rendered = [
        Rendered(ladder, option, body_of(ladder, option, text=run.text(ladder.item), form=form))
        for ladder, option in outcome.kept
        if option > 0
    ]
    if not outcome.kept:
        return _DocumentLayout(rendered, "", 0)
    ordered = (
        sorted(rendered, key=lambda one: stable_order(one.ladder.item))
        if _is_stable(options)
        else _put_diffs_first(task, rendered)
    )
    map_, map_tokens = _make_map(run, outcome, ordered) if outcome.settings.map_lines else ("", 0)
    pointers = sorted(outcome.pointer_line(ladder.item) for ladder, option in outcome.kept if option == 0)
    text = document(form, ordered, pointers, map_)
    around = frame.count_above(run.counter, form.prologue()) + frame.count_below(run.counter, text)
    return _DocumentLayout(
        rendered, f"{frame.above}{text}{frame.below}", outcome.tokens + map_tokens + around
    )


def _third_party_plugins(run: WorkspaceRun, settings: PackSettings) -> list[Loaded]:
    """Return the third-party plugins that affect the token count of a document."""
    chosen = [
        run.host.find(PluginKind.TOKENIZER, run.config.tokenizer),
        run.host.find(PluginKind.PACKER, settings.strategy),
        *(one for one in run.host.known(PluginKind.REPRESENTER) if one.enabled),
    ]
    return [one for one in chosen if not one.trusted]


def _count_excess_tokens(run: WorkspaceRun, settings: PackSettings, bundle: Bundle) -> int:
    """Return by how many counted tokens a document exceeds its budget, when third-party plugins took part."""
    if not bundle.text or not _third_party_plugins(run, settings):
        return 0
    counted = run.counter.count([bundle.text])[0]
    return (
        max(0, counted - run.countable(bundle.budget)) if run.to_model_tokens(counted) > bundle.budget else 0
    )


def _refuse_excess(run: WorkspaceRun, settings: PackSettings, bundle: Bundle) -> None:
    """Raise PluginError when a document still exceeds its budget."""
    if over := _count_excess_tokens(run, settings, bundle):
        one = _third_party_plugins(run, settings)[0]
        reason = f"{one.kind}: its document has {over} tokens more than the budget, however small it is made"
        raise PluginError(one.name, one.distribution, reason)


def _drop_lost_files(run: WorkspaceRun, outcome: PackOutcome) -> bool:
    """Remove the chosen files that vanished or changed since they were listed; return whether any did."""
    lost: dict[str, str] = {}
    for item in (ladder.item for ladder, option in outcome.kept if option and ladder.item.text is None):
        try:
            run.text(item)
        except WorkspaceError as error:
            lost[item.path] = str(error)
        if run.workspace.files.document(item.path) is None:
            lost.setdefault(item.path, "")
    for path, reason in lost.items():
        run.workspace.forget(path, reason)
    if lost:
        run.workspace.forget_changed()
    return bool(lost)


def _list_events(bundle: Bundle, weighed: Weighed) -> list[Event]:
    """Return the events of a pack, the problems last."""
    from satchel.events import ItemDropped, ItemKept, ItemsGathered, PluginFailed

    items = (*(ladder.item for ladder in weighed.ladders.values()), *weighed.unweighed)
    gathered = Counter(item.provider for item in items)
    return [
        *(ItemsGathered(provider, count) for provider, count in sorted(gathered.items())),
        *(ItemKept(item.pointer, item.level, item.tokens) for item in bundle.items),
        *(ItemDropped(left.pointer, left.reason) for left in bundle.left_out),
        *(PluginFailed(problem) for problem in bundle.problems),
    ]


def _collect_texts(outcome: PackOutcome) -> dict[str, str]:
    """Return the texts supplied by providers, by hash, so that their pointers can be expanded."""
    weighed = (ladder.item for ladder in outcome.weighed.ladders.values())
    items = (*weighed, *outcome.weighed.unweighed.items_with_text())
    return {item.content: item.text for item in items if item.text and item.content}


def _collect_names(outcome: PackOutcome) -> dict[str, str]:
    """Return the hashes of kept texts by their names in the document."""
    items = [ladder.item for ladder, _ in outcome.kept]
    return {key_of_name(address(item)): item.content for item in items if item.text and item.content}


def find_task_paths(task: str, pins: Sequence[str]) -> list[str]:
    """Return the paths named in the task and pins; they are listed even inside vendored folders."""
    return [*find_paths(task), *(parse(pin).path for pin in pins)]


def _count_secrets(document: str) -> dict[str, int]:
    """Return how many secrets of each kind are redacted in a document."""
    if "[redacted:" not in document:
        return {}
    from satchel.redaction import count_marks

    return count_marks(document)


def _make_bundle(
    run: WorkspaceRun,
    outcome: PackOutcome,
    *,
    task: str,
    budget: int,
    options: PackOptions,
    lay_out: Callable[[PackOutcome], _DocumentLayout],
) -> Bundle:
    laid = lay_out(outcome)
    bodies = {one.ladder.item.id: one.body for one in laid.rendered}
    listed, counts = list_left_out(
        outcome.left_out, outcome.weighed.unweighed, everything=options.left_out == "all"
    )
    return Bundle(
        task=run.workspace.redactor.show(task),
        budget=budget,
        tokens=run.to_model_tokens(laid.tokens),
        text=laid.text,
        form=outcome.settings.form.name,
        items=tuple(_list_items(run, outcome, bodies, reasons=options.reasons)),
        left_out=listed,
        left_out_counts=counts,
        problems=run.problems,
        secrets=_count_secrets(laid.text),
        hints=_list_hints(run, outcome, task, budget, options),
        exact=run.exact,
        tokenizer=run.counter.key,
        snapshot=run.workspace.snapshot(),
    )


def _list_hints(
    run: WorkspaceRun, outcome: PackOutcome, text: str, budget: int, options: PackOptions
) -> tuple[str, ...]:
    """Return hints about a task or a budget that is too small."""
    least = run.to_model_tokens(find_least_budget(outcome))
    few = f"{format_count(budget, 'token')} {agree(budget, 'is', 'are')} too few to show anything"
    small = f"{few}; the first text needs about {least:,}"
    if options.max_chars is not None and least <= budget:
        chars = f"a limit of {options.max_chars:,} character{'s' if options.max_chars > 1 else ''}"
        small = f"{chars} is too little to show anything; the first text needs about {least * _TOKEN_CHARS:,}"
    task, instead = outcome.weighed.task, ""
    if task.text != text:  # nothing that it names is there
        task, instead = attrs.evolve(task, text=text, references=()), task.text
    is_unchanged = bool(options.since or outcome.weighed.is_review) and not _has_diffs(outcome)
    asked = (
        []
        if options.seen or (options.since and not is_unchanged)
        else find_hints(
            task,
            run.workspace,
            instead=instead,
            is_weak=outcome.weighed.is_weak,
            is_complete=outcome.is_complete,
            unchanged_since=(options.since or NEWEST_COMMIT) if is_unchanged else "",
        )
    )
    return (*([small] if least > 0 else []), *asked)


def _find_map_lines(options: PackOptions, budget: int) -> int:
    """Return the most lines of the map.

    Raises:
        UsageError: there is no such order.
    """
    if options.order not in ORDERS:
        raise UnknownNameError("order", options.order, ORDERS)
    return 0 if _is_stable(options) else map_lines(budget)


def _is_stable(options: PackOptions) -> bool:
    """Whether the items keep their places: in a session's window, or if asked for."""
    return options.divide is not None or options.order == "path"


def _form_of(options: PackOptions) -> DocumentForm:
    return find_form(options.form, line_numbers=options.line_numbers)


def _make_frame(
    run: WorkspaceRun, task: str, options: PackOptions, *, budget: int
) -> tuple[DocumentFrame, int]:
    """Return the frame of the document, and the most tokens that it may add.

    Raises:
        UsageError: the template has an unknown placeholder, or none for the document.
        BudgetError: nothing of the budget is left for the document.
    """
    form, clean = _form_of(options), run.workspace.redactor.show(task)
    if options.template and options.with_task:
        raise UsageError("a template places the task itself; leave out either the template or with_task")
    if options.template:
        folder = run.workspace.root.resolve().name
        template = run.workspace.redactor.show(options.template)
        frame = fill_template(template, task=form.escape(clean), workspace=safe_text(folder))
    else:
        frame = DocumentFrame(form.lead(clean) if options.with_task else "")
    tokens = frame.reserve(run.counter, form.prologue())
    if tokens and tokens >= run.countable(budget):
        raise BudgetError(budget, [("the task and what is around the document", run.to_model_tokens(tokens))])
    return frame, tokens


def count_room(run: WorkspaceRun, budget: int, *, map_lines: int = 0, frame: int = 0) -> int:
    """Return the tokens that items may take of a budget, without the lines of the map and the frame."""
    return max(1, run.countable(budget) - map_lines * _MAP_LINE - frame)


def map_lines(budget: int) -> int:
    """Return how many lines the map of a budget has at most, with its heading."""
    return min(_MOST_MAP_LINES, budget // _TOKENS_PER_MAP_LINE) if budget >= _LEAST_WITH_MAP else 0


def _has_diffs(outcome: PackOutcome) -> bool:
    """Return whether there is a diff; the diff of a lock file is only named."""
    return any(ladder.item.kind == "diff" for ladder in outcome.weighed.ladders.values())


def _put_diffs_first(task: str, rendered: Sequence[Rendered]) -> list[Rendered]:
    """Return the items best first; if the task is about changes, their list and the diffs come first."""
    is_review = asks_about_changes(task) or any(one.ladder.item.id.startswith(REVIEWED) for one in rendered)

    def order(one: Rendered) -> int:
        if is_review and one.ladder.item.id in _FIRST_OF_CHANGES:
            return -1
        return _ORDER_OF_CHANGES.get(one.ladder.item.kind if is_review else "", len(_ORDER_OF_CHANGES))

    return sorted(rendered, key=order)


def _make_map(run: WorkspaceRun, outcome: PackOutcome, ordered: Sequence[Rendered]) -> tuple[str, int]:
    """Return the map of the first items and its tokens, at most those set aside for it."""
    settings = outcome.settings
    shown = [one for one in ordered if one.ladder.item.kind in _MAPPED]
    if len(shown) < _LEAST_MAPPED:
        return "", 0
    lines = [_describe_shown(one, outcome.weighed) for one in shown[: settings.map_lines - 1]]
    while lines:
        text = settings.form.map(lines)
        tokens = run.counter.count([text])[0]
        if tokens <= settings.map_lines * _MAP_LINE:
            return text, tokens
        lines.pop()
    return "", 0


def _describe_shown(one: Rendered, weighed: Weighed) -> str:
    """Return an item's address, and the names of its best shown parts, each with its first line."""
    ladder = one.ladder
    parts, shares = ladder.split.parts, weighed.shares.get(ladder.item.id, ())
    shown = ladder.parts_in(one.option)
    bodies = [at for at, is_body in shown.items() if is_body] or list(shown)
    best = sorted(bodies, key=lambda at: (-(shares[at] if at < len(shares) else 0.0), at))
    begins = {at: parts[at].lines[0] if shown[at] else parts[at].head[0] or parts[at].lines[0] for at in best}
    if ladder.item.kind == "diff":
        begins = {at: _find_new_line(ladder.item.text or "", parts[at]) for at in best}
    named: dict[str, int] = {}
    for at in best:
        if parts[at].name and (name := shorten_name(parts[at], _LONGEST_NAME)):
            named[name] = min(begins[at], named.get(name, begins[at]))
    places = [f"{name} {line or ''}".rstrip() for name, line in [*named.items()][:_NAMES_MAPPED]]
    if not places and best and begins[best[0]] > 1:
        places = [f"line {begins[best[0]]}"]
    return f"{address(ladder.item)}{': ' if places else ''}{', '.join(places)}"


def _find_new_line(text: str, part: Part) -> int:
    """Return the line of the new file where a part of its diff begins, 0 if there is none."""
    lines = text.split("\n")
    first = part.head[0] or part.lines[0]
    for at in range(first, 0, -1):
        if hunk := _NEW_START.match(lines[at - 1]):
            return int(hunk[1]) + sum(line[:1] in ("+", " ") for line in lines[at : first - 1])
    return 0


def _list_items(
    run: WorkspaceRun, outcome: PackOutcome, bodies: dict[str, str], *, reasons: bool
) -> list[BundleItem]:
    items = []
    by_id = {one.item.id: one for one in outcome.weighed.scored}
    for ladder, option in outcome.kept:
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
                tokens=run.to_model_tokens(chosen.tokens),
                salience=round(scored.salience, 4) if scored else 0.0,
                scores={name: round(value, 4) for name, value in scored.scores.items()} if scored else {},
                trusted=item.trusted,
                text=bodies[item.id] if chosen.level is not Level.POINTER else outcome.pointer_line(item),
                reason=_say_why(run, outcome, ladder, option) if reasons and scored else "",
            )
        )
    return items


def _say_why(run: WorkspaceRun, outcome: PackOutcome, ladder: ItemLadder, option: int) -> str:
    """Return the reasons why an item is there, for the best of its shown parts."""
    scored = next(one for one in outcome.weighed.scored if one.item.id == ladder.item.id)
    runs = [ladder.split.parts[at].lines for at in ladder.parts_in(option)]
    shown = [
        at
        for at, part in enumerate(scored.parts)
        if any(first <= part.lines[1] and part.lines[0] <= last for first, last in runs)
    ]
    return say_why(run, outcome.weighed, scored, shown)
