"""The steps of one pack up to the choice of options: gather, split, score, weigh, choose."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import attrs

from satchel import selecting
from satchel.config import Config
from satchel.errors import BudgetError, PointerError, WorkspaceError
from satchel.host import PluginKind
from satchel.host.answers import check_chances
from satchel.interfaces import MeaningScorer
from satchel.items import Candidate, ContextItem, Level, Option, Reference, Selection, Task
from satchel.packing.earlier_pack import EarlierPack, as_changes, as_diff
from satchel.packing.gathering import ActiveProvider, Gathered, gather, merge_answers
from satchel.packing.hints import find_instead
from satchel.packing.ladders import Appraisal, ItemFrame, ItemLadder, build
from satchel.packing.reasons import UNTOLD, USELESS, LeftOutItem, leave_out_unweighed
from satchel.packing.rendering import DocumentForm, note, recount
from satchel.packing.representing import split_all, stretches_of
from satchel.packing.resolving import resolve_pins
from satchel.packing.scoring import Judge, Scored, score
from satchel.packing.weighing.answering import FAILING
from satchel.packing.weighing.appraising import (
    SURE,
    AppraisalInputs,
    Appraised,
    appraise,
    keep_chances,
    only_wants_to_know,
)
from satchel.packing.weighing.backbone import is_starting_file
from satchel.packing.weighing.chances import Chances, CorrectedChances, WeighedItems
from satchel.packing.weighing.declarations import find_declaring_files, find_scripts
from satchel.packing.weighing.describing import (
    find_central_files,
    find_files_on_the_whole,
    find_modules,
)
from satchel.packing.weighing.fragments import find_fragment_files
from satchel.packing.weighing.includes import find_included_files
from satchel.packing.weighing.named_settings import find_settings_files
from satchel.packing.weighing.namesakes import find_model, find_tests_of
from satchel.packing.weighing.word_search import find_writers, strip_severity
from satchel.parts import NO_LINES, Part, SplitItem
from satchel.pointers import REVIEWED, path_of_diff
from satchel.questions import (
    Aim,
    FilePlace,
    Question,
    asks_about_changes,
    asks_about_whole,
    asks_for_message,
    asks_for_tests,
    find_change_place,
    find_names_to_change,
    find_replaced_names,
    find_rest,
    is_plain_word,
    looks_for_uses,
    place_of,
    read_question,
    relate_to_project,
)
from satchel.questions.aims import is_readme
from satchel.questions.facts import Fact
from satchel.questions.page_versions import find_named_languages, find_older_pages
from satchel.questions.words import stem_all
from satchel.ranked_files import RemainingOffers
from satchel.references.paths import KnownPaths
from satchel.references.tasks import make_task, strip_boilerplate
from satchel.runs import WorkspaceRun
from satchel.spelling import format_count
from satchel.workspace.files.contents import describe_special

if TYPE_CHECKING:
    from satchel.interfaces import Packer, WorthModel

SHORTLIST_FACTOR = 4
"""Texts of this many times the budget are split and weighed; lower ranks are left out unread."""
SHORTLIST_LEAST = 60
"""Items that are split and weighed with any budget."""
_ANSWERS_LEAST = 120
"""The same for a question: its words are often not those of the answer."""
BEST = 20
"""Number of files that providers of the second wave get."""
MOST_LIFTED = 40
"""Most files that providers may add to the shortlist regardless of rank."""
Divide = Callable[["Packer", Task, Sequence[ContextItem]], "Packer"]
_WORDS_OF_SHORT, _MOST_SUBJECTS = 40, 3
"""Words of a short task, and the most files that it is about if it names them."""
_BYTES_PER_TOKEN = 4.0
"""More than in most code, so that the shortlist does not become too short."""
_TOKENS_PER_NOTE = 100
"""One item that can't be shown is listed for each of this many tokens of budget."""


class PackSettings(NamedTuple):
    """Settings of one pack: the document's form, the packer, the budget in counted tokens."""

    form: DocumentForm
    strategy: str
    budget: int
    seen: EarlierPack | None = None
    """The files that the reader still has from an earlier pack."""
    usage: Mapping[str, float] = {}
    """Use of each item in the session, 0..1 by item id."""
    divide: Divide | None = None
    """Wraps the packer so that it keeps shares, if there are any."""
    map_lines: int = 0
    """At most this many lines of the map; their tokens are already off the budget."""


class Shortlist(NamedTuple):
    """The items to split and weigh, those that rank below, and the task with the lifted files."""

    task: Task
    short: tuple[ContextItem, ...]
    unweighed: RemainingOffers


class Weighed(NamedTuple):
    """The shortlist, scored and with a ladder for each item, before the choice."""

    task: Task
    scored: tuple[Scored, ...]
    """Best first."""
    judges: tuple[Judge, ...]
    ladders: Mapping[str, ItemLadder]
    notes: Mapping[str, str]
    """The note on each item's address line."""
    precedences: Mapping[str, float]
    """Precedence of each item in the document, by item id; without items that can only be named."""
    shares: Mapping[str, Sequence[float]]
    """Each part's share of everything that the task may need, by item id."""
    unweighed: RemainingOffers
    """Items that rank below the shortlist."""
    frame: int
    """Tokens of the document's opening and closing lines."""
    is_weak: bool = False
    """Whether nothing matches the question well."""
    is_review: bool = False
    """Whether items unconnected with somebody's changes are left out."""


class PackOutcome(NamedTuple):
    """The result of the steps of a pack: the items kept and left out, and the cost in counted tokens."""

    settings: PackSettings
    weighed: Weighed
    kept: tuple[tuple[ItemLadder, int], ...]
    """Best first, with their options."""
    left_out: tuple[LeftOutItem, ...]
    """Weighed items that are left out, best first."""
    tokens: int

    @property
    def all_left_out(self) -> tuple[LeftOutItem, ...]:
        """All items left out, best first, unweighed ones last."""
        return (*self.left_out, *map(leave_out_unweighed, self.weighed.unweighed))

    @property
    def is_complete(self) -> bool:
        """Return whether all items are shown in full, apart from those that can only be named."""
        shown = (
            ladder.item.note or ladder.options[option].level is Level.FULL for ladder, option in self.kept
        )
        return not self.all_left_out and all(shown)

    def pointer_line(self, item: ContextItem) -> str:
        """Return an item's address line."""
        return self.settings.form.pointer(item, self.weighed.notes[item.id])


def run_pack(
    run: WorkspaceRun,
    text: str,
    settings: PackSettings,
    *,
    pins: Sequence[str] = (),
    open_files: Sequence[str] = (),
    is_review: bool = False,
) -> PackOutcome:
    """Run all steps of a pack for a task; a review finds the changes, whatever its words are.

    Raises:
        PointerError: a pin matches no file, or one that can't be shown.
        BudgetError: the pins cost more than the budget.
        UnknownNameError: no packer has the strategy's name.
    """
    loaded = run.host.find(PluginKind.PACKER, settings.strategy)
    packer: Packer = run.make(loaded)
    made = make_task(text, run.workspace.files.of_paths(KnownPaths), pins=pins, open_files=open_files)
    task = resolve_pins(run, attrs.evolve(made, usage=settings.usage))
    instead = "" if is_review else find_instead(task, run.workspace, settings.budget)
    if instead and not _reads_meaning(run):
        task = attrs.evolve(task, text=instead)
    weighed = weigh(run, task, packer, settings)
    room = max(settings.budget - weighed.frame, 0)
    candidates, useless = _part_useless(_make_candidates(run, weighed), weighed)
    whole = packer.whole
    if settings.divide is not None:
        packer = settings.divide(packer, task, [ladder.item for ladder in weighed.ladders.values()])
    try:
        selection: Selection = run.host.calls.call_or_raise(
            loaded, selecting.select, packer, tuple(candidates), room, stage="pack"
        )
    except BudgetError as error:
        costs = [
            (weighed.ladders[id_].item.title, run.to_model_tokens(tokens)) for id_, tokens in error.costs
        ]
        raise BudgetError(
            run.to_model_tokens(settings.budget),
            [*costs, ("document frame", run.to_model_tokens(weighed.frame))],
        ) from error
    kept = tuple(
        (weighed.ladders[id_], option) for id_, option in _best_first(selection, weighed.precedences)
    )
    tokens = weighed.frame + selection.tokens if kept else 0
    reasons = selecting.explain_left_out(candidates, selection, room, whole=whole)
    lost = _list_lost(reasons, weighed)
    idle = [LeftOutItem(weighed.ladders[one.id].item, USELESS, one.options[0].tokens) for one in useless]
    if kept and settings.divide is None:
        kept, gone, added = trim(kept, settings.budget - tokens)
        tokens += added
        idle += [LeftOutItem(ladder.item, UNTOLD, ladder.options[0].tokens) for ladder in gone]
    return PackOutcome(settings, weighed, kept, (*lost, *idle), tokens)


ASIDE = frozenset({"blame", "commit", "dependency", "environment", "status", "tasks", "tree"})
"""Kinds of items beside the files: the name of one says nothing, and nobody opens it."""
_SHARE = 8
"""Each of them may take the free tokens divided by this."""

Kept = tuple[ItemLadder, int]
"""An item and its shown option."""


def trim(kept: Sequence[Kept], free: int) -> tuple[tuple[Kept, ...], tuple[ItemLadder, ...], int]:
    """Show each item beside the files whole instead of naming it, or leave it out for want of room.

    Returns the items that the pack keeps and leaves out after that, and the tokens that this adds, below 0
    if it removes more.
    """
    settled: list[Kept] = []
    gone: list[ItemLadder] = []
    tokens = 0
    for ladder, option in kept:
        cost, chosen = ladder.options[option].tokens, option
        if option == 0 and ladder.item.kind in ASIDE and not ladder.item.note:
            chosen = len(ladder.options) - 1
            if not chosen or _SHARE * (ladder.options[chosen].tokens - cost) > free - tokens:
                chosen = -1
        tokens += (ladder.options[chosen].tokens if chosen >= 0 else 0) - cost
        if chosen < 0:
            gone.append(ladder)
        else:
            settled.append((ladder, chosen))
    return tuple(settled), tuple(gone), tokens


def _reads_meaning(run: WorkspaceRun) -> bool:
    """Return whether a scorer may find parts without any of the task's words."""
    scorers = [scorer for _, scorer in run.all(PluginKind.SCORER, {"file", "*"})]
    return any(isinstance(one, MeaningScorer) and one.reads_meaning and one.weight > 0 for one in scorers)


def weigh(run: WorkspaceRun, task: Task, packer: Packer, settings: PackSettings) -> Weighed:
    """Gather, split and score, and build the ladder of every shortlisted item.

    Providers of the second wave get the first files of the first wave's shortlist.
    """
    read_question(task.text)  # once, and not in each thread that asks a provider
    providers = [ActiveProvider(loaded, provider) for loaded, provider in run.all(PluginKind.PROVIDER)]
    offered = gather(run.host, providers, task, workspace=run.workspace)
    shortlist = _draw_shortlist(run, _merge_answers(run, settings, task, offered), task, settings.budget)
    best = [item for item in shortlist.short if item.kind == "file" and not item.note][:BEST]
    companions = gather(run.host, providers, task, workspace=run.workspace, best=best)
    led_to = _find_led_to(run, task, best)
    if any(companions) or led_to:
        gathered = _merge_answers(run, settings, task, [*offered, *companions])
        shortlist = _draw_shortlist(run, gathered, task, settings.budget, led_to)
    splits = _split_items(run, shortlist.short, settings.form)
    judges = _make_judges(run, packer, _item_kinds(shortlist))
    readable = [(item, splits[item.id].parts) for item in shortlist.short if item.id in splits]
    scored = score(run.host, judges, shortlist.task, items=readable, workspace=run.workspace)
    return _add_ladders(
        run, scored, splits, settings=settings, judges=judges, shortlist=shortlist, whole=packer.whole
    )


def _merge_answers(
    run: WorkspaceRun, settings: PackSettings, task: Task, answers: Sequence[Sequence[ContextItem]]
) -> Gathered:
    gathered = merge_answers(answers)
    if settings.seen is None:
        return gathered
    return as_changes(run, gathered, settings.seen, pinned={pin.path for pin in task.pins})


def _add_ladders(
    run: WorkspaceRun,
    scored: Sequence[Scored],
    splits: Mapping[str, SplitItem],
    *,
    settings: PackSettings,
    judges: Sequence[Judge],
    shortlist: Shortlist,
    whole: bool,
) -> Weighed:
    ladders, notes, found = _build_ladders(
        run, scored, splits, task=shortlist.task, settings=settings, whole=whole
    )
    noted = [item for item in shortlist.short if item.note]
    named, named_notes = _build_pointer_ladders(run, noted, settings.form)
    frame = sum(
        run.counter.count([text for text in (settings.form.prologue(), settings.form.epilogue()) if text])
    )
    return Weighed(
        task=shortlist.task,
        scored=tuple(scored),
        judges=tuple(judges),
        ladders={ladder.item.id: ladder for ladder in (*ladders, *named)},
        notes={**notes, **named_notes},
        precedences=found.precedences,
        shares=found.shares,
        unweighed=shortlist.unweighed,
        frame=frame,
        is_weak=found.are_weak,
        is_review=found.is_review,
    )


def weigh_also(run: WorkspaceRun, weighed: Weighed, item: ContextItem) -> Scored | None:
    """Score one more item together with the weighed ones; return None if it can't be read."""
    splits = split_all(run, [item])
    if item.id not in splits:
        return None
    items = [*((one.item, one.parts) for one in weighed.scored), (item, splits[item.id].parts)]
    scored = score(run.host, weighed.judges, weighed.task, items=items, workspace=run.workspace)
    return next(one for one in scored if one.item.id == item.id)


def _item_kinds(shortlist: Shortlist) -> set[str]:
    """Return the kinds of the items that may be scored."""
    return {item.kind for item in (*shortlist.short, *shortlist.unweighed.items_with_text())}


def _make_judges(run: WorkspaceRun, packer: Packer, kinds: Collection[str]) -> list[Judge]:
    """Make the scorers that can judge some kinds of items, each with its weight times the packer's factor."""
    factors = packer.weights
    default = factors.get("*", 1.0)
    return [
        Judge(loaded, scorer, float(scorer.weight) * factors.get(loaded.name, default))
        for loaded, scorer in run.all(PluginKind.SCORER, {*kinds, "file", "*"})
    ]


def _find_led_to(run: WorkspaceRun, task: Task, best: Sequence[ContextItem]) -> list[str]:
    """Return the files that the best ones lead to: those that their pages include.

    If a question asks how a program starts, also the modules named in its starting files.
    """
    question = read_question(task.text)
    if not question.certainty:
        return []
    read, known = partial(_read_text, run), run.workspace.files.of_paths(KnownPaths)
    starting = (
        [item for item in best if is_starting_file(item.path)] if question.fact is Fact.STARTING else []
    )
    paths = run.workspace.index.documents
    named = find_modules(map(read, starting), paths) if starting else []
    return [*named, *find_included_files(best, read, known)]


def _draw_shortlist(
    run: WorkspaceRun, gathered: Gathered, task: Task, budget: int, wanted_too: Sequence[str] = ()
) -> Shortlist:
    """Choose the items to weigh: providers' own texts, pinned and lifted files, and the best other files."""
    lifted = gathered.lifted[:MOST_LIFTED]
    drawn = _ShortlistBuilder(run, task, lifted, budget)
    drawn.starts |= frozenset(wanted_too)
    wanted = {*drawn.pinned, *(item.path for item in lifted), *drawn.starts}
    doubled = _new_in_diffs(gathered) - drawn.pinned
    for item in gathered.items.narrowing(drawn.is_full, wanted, named=drawn.most_noted):
        if item.kind != "file" or item.path not in doubled:
            drawn.draw(item)
    below = gathered.items.exclude({item.id for item in drawn.short})
    return Shortlist(_add_references(task, lifted), tuple(drawn.short), below)


def _find_older_pages(run: WorkspaceRun, question: Question) -> AbstractSet[str]:
    """Return the pages that a newer version replaces, or the version that a question names."""
    if not question.certainty:
        return frozenset()
    if question.named_versions:
        return find_older_pages(run.workspace.index.documents, question.named_versions)
    return run.workspace.files.of_paths(find_older_pages)


def _new_in_diffs(gathered: Gathered) -> set[str]:
    """Return the new files whose whole text is offered as a diff."""
    return {
        path_of_diff(item.id)
        for item in gathered.items.existing_items()
        if item.kind == "diff" and (item.text or "").startswith("--- /dev/null\n")
    }


class _ShortlistBuilder:
    """Builds the shortlist from items offered best first."""

    def __init__(self, run: WorkspaceRun, task: Task, lifted: Sequence[ContextItem], budget: int) -> None:
        self.pinned = {pin.path for pin in task.pins}
        self.short: list[ContextItem] = []
        self._run = run
        self._lifted = {item.id for item in lifted}
        is_whole = asks_about_whole(task.text, name=run.workspace.root.name)
        paths, name = run.workspace.index.documents, run.workspace.root.name
        question = read_question(task.text)
        self._is_question = bool(question.certainty)
        """Whether unshowable items without any of the task's words stay out: they answer nothing."""
        self._older = _find_older_pages(run, question)
        """Pages of documentation with a newer version."""
        self.starts = frozenset(
            [
                *(find_files_on_the_whole(paths, name) if is_whole else ()),
                *(find_central_files(paths, run.workspace.index.count_holding) if is_whole else ()),
                *(find_tests_of(task, paths) if asks_for_tests(task.text) else ()),
                *find_declaring_files(question, run.workspace.index),
                *find_scripts(question, paths),
                *find_fragment_files(question, paths),
                *find_settings_files(task.text, run.workspace.index),
                *filter(None, [find_model(task, paths)]),
            ]
        ).difference(self._older)
        """Files on the project as a whole and most used files, if the task is about that, and namesakes."""
        self._budget = budget
        self._tokens, self._files, self._noted = 0.0, 0, 0
        self._least = _ANSWERS_LEAST if self._is_question else SHORTLIST_LEAST
        self.most_noted = math.ceil(budget / _TOKENS_PER_NOTE)
        """Most items on the list that can only be named."""

    def is_full(self) -> bool:
        """Return whether no more files are added for their rank alone."""
        return self._files >= self._least and self._tokens >= SHORTLIST_FACTOR * self._budget

    def draw(self, item: ContextItem) -> None:
        """Put an item on the shortlist, or skip it."""
        is_file = item.kind == "file"
        if is_file and item.path in self.pinned:
            self.short.append(_pinnable(self._run, item))
        elif item.note:
            if item.relevance or not self._is_question:
                if self._noted < self.most_noted:
                    self.short.append(item)
                self._noted += 1
        elif not is_file or item.id in self._lifted or item.path in self.starts:
            self.short.append(item)
        elif not self.is_full() and item.path not in self._older:
            self.short.append(item)
            self._tokens += _size(self._run, item) / _BYTES_PER_TOKEN
            self._files += 1


def _add_references(task: Task, lifted: Sequence[ContextItem]) -> Task:
    """Return the task with references to the files that providers found for it."""
    named = [Reference(item.provider, "path", item.path, item.lines) for item in lifted]
    return attrs.evolve(task, references=(*task.references, *named)) if named else task


def _size(run: WorkspaceRun, item: ContextItem) -> int:
    document = run.workspace.files.document(item.path) if item.path else None
    return document.size if document is not None else len(item.text or "")


def _pinnable(run: WorkspaceRun, item: ContextItem) -> ContextItem:
    """Return a pinned item with its text even if only named by default: a generated file, a lock file."""
    if not item.note:
        return item
    document = run.workspace.files.document(item.path)
    if document is None or document.kind not in ("generated", "minified", "lockfile", "empty"):
        raise PointerError(item.path, f"can't be pinned: {item.note}")
    return attrs.evolve(item, note="")


def _split_items(run: WorkspaceRun, short: Sequence[ContextItem], form: DocumentForm) -> dict[str, SplitItem]:
    splits = split_all(run, short)
    items = {item.id: item for item in short}
    return {id_: recount(run, items[id_], split, form) for id_, split in splits.items()}


def _build_ladders(
    run: WorkspaceRun,
    scored: Sequence[Scored],
    splits: Mapping[str, SplitItem],
    *,
    task: Task,
    settings: PackSettings,
    whole: bool,
) -> tuple[list[ItemLadder], dict[str, str], Appraised]:
    form = settings.form
    bare = [(one, splits[one.item.id]) for one in scored]
    notes, tokens = _count_frames(run, [(one.item, split) for one, split in bare], form)
    ladders = []
    pins = {pin.path for pin in task.pins}
    text, name = run.workspace.ranking.mend(task), run.workspace.root.name
    question, rest = read_question(text), find_rest(text, name=name)
    if rest and read_question(rest).certainty:
        question = read_question(rest)._replace(certainty=question.certainty)
    question = relate_to_project(question, text, name)
    wants_tests, paths = asks_for_tests(task.text), run.workspace.index.documents
    model = find_model(task, paths)
    named, noted = _find_subjects(task)
    quoted, read = [one.text for one in task.references if one.kind == "string"], partial(_read_text, run)
    messages = [strip_severity(text), *quoted]
    names = _keep_listed_names(task.text, scored)
    only_looks = bool(question.certainty) or looks_for_uses(task.text)
    asked = AppraisalInputs(
        run.workspace.ranking.query(task),
        settings.budget,
        pins,
        partial(stretches_of, run),
        question=question,
        has_rest=bool(rest),
        rarity=run.workspace.ranking.files(task).rarity if question.certainty else {},
        named=set() if question.is_about_past else named | ({model} - {""}),
        noted=noted,
        about_changes=asks_about_changes(task.text) or any(_is_reviewed(one.item) for one in scored),
        wants_tests=wants_tests,
        tests=find_tests_of(task, paths) if wants_tests else (),
        names=names if only_looks else (),
        changed=() if only_looks else [*names, *find_replaced_names(task.text)],
        place=find_change_place(task.text) if names else None,
        read=read,
        report=strip_boilerplate(task.text),
        writers=list(find_writers(bare, messages, read)),
        languages=find_named_languages(task.text),
        correct=_find_correction(run),
    )
    found = appraise(bare, asked)
    for rank, (one, worths) in enumerate(zip(scored, found.worths, strict=True)):
        pointer, opening, closing, ending = tokens[4 * rank : 4 * rank + 4]
        appraisal = Appraisal(worths.bodies, worths.heads, found.openings[rank], worths.contexts)
        frame = ItemFrame(pointer, opening + closing, form.first_mark, ending)
        pinned = match_pins(one.item, worths.split.parts, task.pins)
        ladder = build(
            one.item,
            worths.split,
            appraisal,
            frame=frame,
            pinned=pinned,
            whole=whole or one.item.kind in ASIDE,
        )
        ladders.append(as_diff(ladder))
    return ladders, notes, found


def _find_subjects(task: Task) -> tuple[set[str], set[str]]:
    """Return the paths of the few files that a task is about, and of changelogs that only need an entry.

    A short task is about the files that it names without lines, if these are few. "Fix X" is not about the
    changelog, unless its title names that.
    """
    title = task.text.strip().partition("\n")[0]
    written: dict[str, set[str]] = {}
    noted = set[str]()
    for reference in task.references:
        if reference.kind != "path" or not reference.path or reference.lines != NO_LINES:
            continue
        if place_of(reference.path) is FilePlace.CHANGES and reference.text not in title:
            noted.add(reference.path)
        else:
            written.setdefault(reference.text, set()).add(reference.path)
    found = {path for paths in written.values() if len(paths) == 1 for path in paths}
    is_short = len(task.text.split()) <= _WORDS_OF_SHORT and len(found) <= _MOST_SUBJECTS
    return found if is_short else set(), noted


def _read_text(run: WorkspaceRun, item: ContextItem) -> str:
    """Return an item's text as a document shows it, "" if it can no longer be read."""
    try:
        return run.text(item)
    except WorkspaceError:
        return ""


def _keep_listed_names(text: str, scored: Sequence[Scored]) -> tuple[str, ...]:
    """Return the names whose every use a task is about; plain words only if their places are listed."""
    listed = {one.item.id for one in scored}
    names = find_names_to_change(text)
    return tuple(name for name in names if not is_plain_word(name, text) or f"uses:{name}" in listed)


def _find_correction(
    run: WorkspaceRun,
) -> Callable[[WeighedItems, Chances, Mapping[str, float]], CorrectedChances]:
    """Return the configured model of worth; if none is chosen and the usual one is off, chances stay."""
    name = run.config.worth_model
    is_usual = name == Config._field_defaults["worth_model"]
    known = run.host.known(PluginKind.WORTH_MODEL)
    if not name or (is_usual and not any(one.name == name and one.enabled for one in known)):
        return keep_chances
    loaded = run.host.find(PluginKind.WORTH_MODEL, name)
    model: WorthModel = run.make(loaded)

    def correct(items: WeighedItems, chances: Chances, query: Mapping[str, float]) -> CorrectedChances:
        answer = run.host.calls.call_or_raise(loaded, model.correct, items, chances, query, stage="correct")
        lines, definitions = answer
        counts = [len(mine) for mine in chances]
        return CorrectedChances(check_chances(lines, counts), check_chances(definitions, counts))

    return correct


def _is_reviewed(item: ContextItem) -> bool:
    return item.kind == "diff" and item.id.startswith(REVIEWED)


def _count_frames(
    run: WorkspaceRun, shown: Sequence[tuple[ContextItem, SplitItem]], form: DocumentForm
) -> tuple[dict[str, str], list[int]]:
    """Return notes by item id, and the tokens of each item's pointer, opening, closing and end lines."""
    notes = {item.id: note(split) for item, split in shown}
    texts = [
        text
        for item, split in shown
        for text in (
            form.pointer(item, notes[item.id]),
            form.opening(item, split),
            form.closing(item, split),
            form.end(item, split),
        )
    ]
    return notes, run.counter.count(texts)


def match_pins(item: ContextItem, parts: Sequence[Part], pins: Sequence[Reference]) -> list[int]:
    """Return the indexes of an item's pinned parts: all of them for a pin without lines.

    Raises:
        PointerError: the item has no such lines.
    """
    mine = [pin for pin in pins if item.kind == "file" and pin.path == item.path]
    if not mine:
        return []
    last = parts[-1].lines[1] if parts else 0
    for pin in mine:
        if pin.lines[0] > last:
            raise PointerError(pin.text, f"the file has {format_count(last, 'line')}")
    if any(pin.lines == NO_LINES for pin in mine):
        return list(range(len(parts)))
    return [
        at
        for at, part in enumerate(parts)
        if any(pin.lines[0] <= part.lines[1] and part.lines[0] <= pin.lines[1] for pin in mine)
    ]


def _build_pointer_ladders(
    run: WorkspaceRun, items: Sequence[ContextItem], form: DocumentForm
) -> tuple[list[ItemLadder], dict[str, str]]:
    """Make ladders with only a pointer for items that can only be named."""
    notes = {item.id: describe_special(run.workspace, item.path) or item.note for item in items}
    tokens = run.counter.count([form.pointer(item, notes[item.id]) for item in items])
    ladders = [
        ItemLadder(item, SplitItem((), {}, ()), (), (Option(Level.POINTER, count, 0.0),))
        for item, count in zip(items, tokens, strict=True)
    ]
    return ladders, notes


def _make_candidates(run: WorkspaceRun, weighed: Weighed) -> list[Candidate]:
    recency = run.workspace.history.recency()
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


_FOR_CHANGES = frozenset({"commit", "blame", "environment", "tree"})
"""Kinds of items that help to change code: they stay out of other answers."""
_BESIDE_FACTS = frozenset({"tasks", "folder"})
"""Kinds of items that stay out if a question asks for a project's own facts."""
_OF_CODE = frozenset({Aim.EXPLAIN, Aim.WHERE, Aim.EXTENDING, Aim.DEVELOPING, Aim.CONTRIBUTING})
"""Aims of questions about code and work on it, which packages and open tasks do not answer."""
_TO_DO = frozenset(stem_all("todo todos fixme task tasks open"))
_NAMED = 0.9
"""Relevance of packages that a question names or asks about."""
_OF_HISTORY = frozenset({"blame", "tree"})
"""Kinds of items that do not help a question about why something fails."""
_OF_CHANGES = frozenset({"diff", "status", "instructions"})
"""Kinds of items in every pack for a task about somebody's changes."""


def _part_useless(
    candidates: Sequence[Candidate], weighed: Weighed
) -> tuple[list[Candidate], list[Candidate]]:
    """Return the useful candidates, and those that answer no part of a question, even though there is room.

    In a review the latter are all that are unconnected with the changes, and for the message of a commit all
    but the named ones.
    """
    question, wants_message = read_question(weighed.task.text), asks_for_message(weighed.task.text)
    is_about_changes = weighed.is_review or wants_message
    # "What breaks in 2.0" is no failure.
    named_apart = set(stem_all(" ".join(question.literals)))  # `onError` is no failure
    asks_for_failure = question.fact is None and Aim.RELEASES not in question.aims
    fails = asks_for_failure and not FAILING.isdisjoint(question.own - named_apart)
    of_failures = _OF_HISTORY if fails else _FOR_CHANGES
    stays_out = frozenset[str]() if question.is_about_past else of_failures
    if only_wants_to_know(question):
        stays_out |= {"instructions"}
    if question.fact is not None:
        stays_out |= _BESIDE_FACTS if question.fact is Fact.DEPENDENCIES else _BESIDE_FACTS | {"dependency"}
    elif not _OF_CODE.isdisjoint(question.aims):
        stays_out |= {"dependency", "tasks"} if _TO_DO.isdisjoint(question.own) else {"dependency"}
    if not is_about_changes and question.certainty < SURE:
        return list(candidates), []
    named = {ref.path for ref in weighed.task.open_files}
    if not is_about_changes:
        named.update(ref.path for ref in weighed.task.references if ref.path)
    useful: list[Candidate] = []
    useless: list[Candidate] = []
    for one in candidates:
        item = weighed.ladders[one.id].item
        path = item.path
        if is_about_changes:
            helps = one.kind in _OF_CHANGES and not is_readme(path)
            answers = one.options[-1].worth > 0 and not (wants_message or one.kind in _OF_CHANGES)
        else:
            is_aside = Aim.WHERE in question.aims or (one.kind == "dependency" and item.relevance < _NAMED)
            is_found = not is_aside or one.kind not in stays_out
            answers = one.options[-1].worth > 0 and is_found
            helps = one.kind != "file" and one.kind not in stays_out
        (useful if helps or one.pinned or answers or path in named else useless).append(one)
    return useful, useless


def _best_first(selection: Selection, early: Mapping[str, float]) -> list[tuple[str, int]]:
    return sorted(
        selection.choices.items(),
        key=lambda chosen: (chosen[1] == 0, -early.get(chosen[0], -1.0), chosen[0]),
    )


def _list_lost(reasons: Sequence[tuple[str, str]], weighed: Weighed) -> tuple[LeftOutItem, ...]:
    salience = {one.item.id: one.salience for one in weighed.scored}
    ladders = weighed.ladders
    lost = [
        LeftOutItem(ladders[id_].item, reason, ladders[id_].options[0].tokens, salience.get(id_, 0.0))
        for id_, reason in reasons
    ]
    lost.sort(key=lambda one: (-one.salience, one.item.id))
    return tuple(lost)
