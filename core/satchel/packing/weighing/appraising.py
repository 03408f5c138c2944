"""Compute the worth of bodies, heads and stretches of all items of a pack."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType
from typing import NamedTuple

import attrs

from satchel.items import ContextItem
from satchel.packing.ladders import precedences
from satchel.packing.weighing import worth
from satchel.packing.weighing.answering import (
    OVERVIEW,
    answer_shares,
    is_inner_test,
    is_migration_aside,
    read_nothing,
    score_answers,
)
from satchel.packing.weighing.chances import Chances, CorrectedChances, PartPlace, WeighedItems, find_highest
from satchel.packing.weighing.describing import find_readme
from satchel.packing.weighing.symptoms import favour_symptoms
from satchel.packing.weighing.twins import (
    drop_twins,
    find_declaring,
    find_duplicates,
    find_made,
    find_translated,
)
from satchel.packing.weighing.using import (
    USES,
    WITHOUT,
    Uses,
    cut_around_uses,
    favour_examples,
    favour_uses,
    find_use_shares,
)
from satchel.parts import NO_LINES, Part, SplitItem, Stretch, Stretches
from satchel.pointers import is_conflict, path_of_diff, place_of_conflict
from satchel.questions import NO_QUESTION, Aim, ChangePlace, FilePlace, Question, place_of
from satchel.questions.aims import is_readme
from satchel.questions.words import stem_all
from satchel.workspace.files.kinds import language_of
from satchel.workspace.index.ranking import Bm25
from satchel.workspace.index.terms import inverse_document_frequency

_REFINED = 100
"""Number of best parts of a pack that can be shown by stretches."""
_FITTING = 0.8
"""Share of the budget up to which a part fits into it, beside its heading and path."""
_TIGHT = 2.0
"""Parts are cut only if they cost this many times the budget; otherwise most of them fit in full."""
_WITHOUT_WORDS = 0.1
"""Base weight of each line, relative to the best stretch: needed lines do not always share a word."""
_NEIGHBOURS = 0.25
"""Share of its neighbours' evidence that counts for a stretch."""
_EVIDENCE = Bm25(length=0.0)
"""A stretch's length says nothing."""
_CONTEXT, _AROUND = 0.5, 10
"""Share of a line's worth that depends on the lines around it, this many on either side."""
_WHOLE_CONTEXT = 0.2
"""The same share of a whole function: adding another beside it takes seeing where."""
_FEW, _OF_FEW = 3, 0.9
"""Most lines of a short body that defines nothing, an `alias` after a method, and the same share of it."""
_SELF_CONTAINED = frozenset(
    {"function", "method", "callback", "constructor", "property", "operator", "section"}
)
"""Kinds of parts that are changed with hardly a look around them."""
_ALIKE, _ALIKE_BELOW = 2, 4
"""Most heads of one name and size that are shown, as where twenty files have the same function. The same for
heads of one name below different owners, such as the same method of thirty classes."""
_WITH_IMPORTS, _MOST_IMPORTS, _ENOUGH = 2, 0.03, 1.3
"""Files whose imports are shown to whoever changes them, up to this share of the budget each,
and the factor of their worth above the least worth that the budget buys."""
_MOST_LISTED = 0.25
"""Share of the budget up to which the list of all uses is shown to whoever changes a name."""
_BELOW_BODIES = 0.8
"""Worth per token of a head that is an answer, relative to the least of bodies."""
_TESTING = frozenset({"function", "method", "callback", "class", "block"})
_MOST_EXAMPLE = 0.2
"""Kinds of parts that are tests, and the share of the budget up to which one is an example for others."""
_PER_TEST = 1e-6
_OPENING = 2
"""First parts of a file of tests, with its imports and preparations."""
_OF_MEMBERS = 0.33
"""Share of the budget up to which the heads of all members that a question asks for come before bodies."""
_SHORT = 5
"""A definition of at most this many lines is shown whole: its head alone saves next to nothing."""
_LONG = 0.3
"""Share of the budget up to which a definition stays whole; longer ones are cut into stretches."""
SURE, _LONG_ANSWER, _LONG_SETTINGS = 0.8, 0.4, 0.05
"""Certainty from which the sections of an answer stay whole, the share of the budget up to which they do, and
the same share for settings."""
_SETTINGS = frozenset(
    {FilePlace.MANIFEST, FilePlace.SETTINGS, FilePlace.STYLE, FilePlace.DATA, FilePlace.WORKFLOW}
)
_DOING = frozenset({Aim.CONTRIBUTING, Aim.DEVELOPING, Aim.EXTENDING, Aim.HOW_TO})
"""Aims of questions before a change to the project."""
_EXPLAINED = 0.5
"""Share of comments from which settings are a text."""
_CONCENTRATION, _CONCENTRATED = 0.25, 4_000
"""Power of a file's total chance by which its parts gain up to this budget, and less up to twice that: if
many files share few tokens, none of them is of use."""
_FILLING = 1e-3
"""Share of the best density below which a part only fills the remaining room."""
_MIGRATION = 0.1
"""Weight of a migration's chance: few commits change an existing one, however many a project has."""
_INNER_TEST = 0.4
"""Weight of a test's chance in a module of tests inside the file that it tests."""
_OTHERS = 0.6
"""Weight of an answer's score if the question names files; the rest is for being named."""
_NEW_ENTRIES = 20
"""First lines of a page of changes, where a new entry is written."""
_OF_NOTED = 0.05
"""Share of all chances that these lines have if the task wants an entry."""
_PER_COMMIT = 1e-9
"""How far a commit precedes the one before it."""
_WRITES = 1.1
"""Score of code that writes a message quoted in a question, relative to the best of all else."""
_CODE_TOO = 0.6
"""Share of answers for a question about where something is, which the formula for changes finds as well."""
_PLACE_POWER, _PLACE_HEADS, _PLACE_OPENINGS = 1.5, 0.3, 0.5
"""Power of shares and factors of heads and openings if a question asks for a place: few, but whole ones."""


class Worths(NamedTuple):
    """Inputs of an item's ladder: its parts, and the worths of their bodies and heads."""

    split: SplitItem
    bodies: Sequence[float]
    heads: Sequence[float]
    contexts: Sequence[float] = ()
    """The worth that each body lacks while neither neighbour is shown."""


def best_parts(
    splits: Sequence[SplitItem], chances: Sequence[Sequence[float]], budget: int
) -> dict[int, list[int]]:
    """Return the best parts, split index -> part indexes; if all fit, only the ones that are too long."""
    everyone = ((-chance, place, at) for place, row in enumerate(chances) for at, chance in enumerate(row))
    ranked = heapq.nsmallest(_REFINED, everyone)
    sizes = {(place, at): splits[place].parts[at].tokens for _, place, at in ranked}
    least = _FITTING * budget if sum(sizes.values()) <= _TIGHT * budget else -1
    best: dict[int, list[int]] = {}
    for place, at in (one for one, size in sizes.items() if size > least):
        best.setdefault(place, []).append(at)
    return best


def _keep_longest(
    best: Mapping[int, Sequence[int]], splits: Sequence[SplitItem], tokens: Sequence[float]
) -> dict[int, list[int]]:
    """Return the parts with more tokens than a part of their item may have."""
    long = {
        place: [at for at in parts if splits[place].parts[at].tokens > tokens[place]]
        for place, parts in best.items()
    }
    return {place: parts for place, parts in long.items() if parts}


def term_weights(
    query: Mapping[str, float], splits: Sequence[SplitItem], best: Mapping[int, Sequence[int]]
) -> dict[str, float]:
    """Weigh each term of a query by how rare it is among the best parts, by Robertson's formula."""
    count = sum(map(len, best.values()))
    holding = dict.fromkeys(query, 0)
    for place, numbers in best.items():
        among = set(numbers)
        for term in holding.keys() & splits[place].terms.keys():
            holding[term] += sum(at in among for at in splits[place].terms[term][::2])
    return {term: weight * inverse_document_frequency(count, holding[term]) for term, weight in query.items()}


def refine_worths(
    worths: Worths, stretches: Stretches, weights: Mapping[str, float], *, best: Collection[int]
) -> Worths:
    """Replace the best parts by their stretches, each with its share of the worth."""
    mine: dict[int, list[tuple[Stretch, float]]] = {}
    for stretch, terms in zip(stretches.rows, stretches.terms, strict=True):
        if stretch.part in best:
            mine.setdefault(stretch.part, []).append((stretch, _evidence(terms, weights)))
    parts: list[Part] = []
    bodies: list[float] = []
    heads: list[float] = []
    for at, part in enumerate(worths.split.parts):
        rows = mine.get(at, ())
        shares = _shares(rows) if rows else [1.0]
        parts += worth.cut_part(part, [stretch for stretch, _ in rows])
        bodies += [share * worths.bodies[at] for share in shares]
        heads += [worths.heads[at], *[0.0] * (len(shares) - 1)]
    return Worths(attrs.evolve(worths.split, parts=tuple(parts)), bodies, heads)


def _evidence(terms: str, weights: Mapping[str, float]) -> float:
    """Return how well a stretch's terms match the task, with saturating counts."""
    words = terms.split()
    held = weights.keys() & words
    evidence = 0.0
    for term in weights if held else ():
        if term in held:
            evidence += weights[term] * _EVIDENCE.saturate(words.count(term), _EVIDENCE.saturation)
    return evidence


def _shares(rows: Sequence[tuple[Stretch, float]]) -> list[float]:
    """Return each stretch's share of its part, from its evidence, its neighbours' and its lines."""
    own = [evidence for _, evidence in rows]
    sums = [
        evidence + _NEIGHBOURS * (before + after)
        for before, evidence, after in zip([0.0, *own[:-1]], own, [*own[1:], 0.0], strict=True)
    ]
    highest = max(sums) or 1.0
    weights = [
        (_WITHOUT_WORDS + evidence / highest) * (stretch.lines[1] - stretch.lines[0] + 1)
        for evidence, (stretch, _) in zip(sums, rows, strict=True)
    ]
    total = sum(weights)
    return [weight / total for weight in weights]


def keep_chances(_items: WeighedItems, chances: Chances, _query: Mapping[str, float]) -> CorrectedChances:
    """Return the chances unchanged, in place of a model of worth."""
    return CorrectedChances(chances, chances)


class AppraisalInputs(NamedTuple):
    """The inputs of a pack's worths, besides the saliences."""

    query: Mapping[str, float]
    """The task's terms and their weights."""
    budget: int
    pinned: Collection[str]
    """Paths of files with pins; their parts are never cut into stretches."""
    stretches: Callable[[SplitItem], Stretches]
    """Returns the stretches of a split's long parts."""
    question: Question = NO_QUESTION
    """The task as a question, if it is one."""
    has_rest: bool = False
    """Whether a question about a whole project asks for something more, which `question` then is."""
    rarity: Mapping[str, float] = MappingProxyType({})
    """Inverse document frequency of the task's words in the workspace."""
    named: Collection[str] = ()
    """Paths of the few files that a short task names as its subject."""
    noted: Collection[str] = ()
    """Paths of the pages of changes that the task wants an entry in."""
    about_changes: bool = False
    """Whether the task is about somebody's changes, which diffs show."""
    wants_tests: bool = False
    """Whether tests are to be written."""
    tests: Sequence[str] = ()
    """Files of tests named after the code to be tested, the surest first."""
    names: Sequence[str] = ()
    """Names whose every use the task looks for."""
    changed: Sequence[str] = ()
    """Names which the task renames, removes or wants to be replaced."""
    place: ChangePlace | None = None
    """Where the task changes these names, None if it does not tell."""
    report: str = ""
    """The text of the task without the boilerplate of a form."""
    writers: Sequence[PartPlace] = ()
    """Parts of code that write a message quoted in the task."""
    languages: Collection[str] = ()
    """Codes of the languages that the task names."""
    read: Callable[[ContextItem], str] = read_nothing
    """Returns the text of an item."""
    correct: Callable[[WeighedItems, Chances, Mapping[str, float]], CorrectedChances] = keep_chances
    """The model of worth."""


class Appraised(NamedTuple):
    """The result of weighing the items of a pack."""

    worths: list[Worths]
    """Worths of each item's bodies and heads; in a tight pack the best parts are cut into stretches."""
    openings: list[float]
    """Worth of opening each item."""
    precedences: Mapping[str, float]
    """Precedence of each item in the document, by item id."""
    shares: Mapping[str, Sequence[float]]
    """Each part's share of the task's needs, by item id; the sum over the pack is 1."""
    are_weak: bool = False
    """Whether nothing matches the question well."""
    is_review: bool = False
    """Whether the task is about changes in diffs: unconnected parts have no worth."""


def appraise(items: WeighedItems, asked: AppraisalInputs) -> Appraised:
    """Return the worth of showing each item's bodies and heads, and the order of items."""
    # Whether a question is so certain that the chances for a change have no share in the worths.
    alone = not asked.about_changes and _answers_share(asked.question) == 1
    told = (
        estimate_chances(items, asked.query)
        if asked.names or not alone
        else [[0.0] * len(split.parts) for _, split in items]
    )
    if asked.names:
        using = find_use_shares(items, told, asked.names, asked.read)
        if using is not None:
            return _appraise_uses(items, asked, *using)
    if alone:
        return _appraise_answers(items, (told, CorrectedChances(told, told)), asked)
    mended = _favour_named(items, asked.correct(items, told, asked.query), asked.named)
    if not asked.question.certainty:
        mended = favour_symptoms(items, mended, asked.report, asked.read)
        mended = favour_uses(items, mended, asked.changed, asked.read, place=asked.place)
    mended = favour_examples(items, mended)
    if not asked.question.certainty:
        mended = _keep_newest_entries(items, mended, asked)
        mended = mended if asked.about_changes else _lower_migrations(items, mended, asked)
        mended = mended if asked.wants_tests else _lower_inner_tests(items, mended, asked)
    either = mended.both()
    if asked.about_changes:
        from satchel.packing.weighing.reviewing import review_shares

        if (reviewed := review_shares(items, either, asked.query, asked.read)) is not None:
            return _appraise_review(items, reviewed, asked)
    if asked.question.certainty:
        return _appraise_answers(items, (told, mended), asked)
    scored = [one for one, _ in items]
    saliences = [
        one.salience * _salience_factor(before, after)
        for one, before, after in zip(scored, told, either, strict=True)
    ]
    shown = _favour_likely_files(items, mended, either, asked.budget)
    worths = _worths(items, _to_shares(shown.lines), _to_shares(shown.definitions), asked)
    return Appraised(
        worths=worths,
        openings=_open_worthy(worths, worth.opening_worths(saliences)),
        precedences=_put_first(
            _put_tests_second(precedences(scored, saliences, either), asked.tests),
            [*_find_examples(items), *(scored[place].item.id for place, _ in asked.writers)],
        ),
        shares={one.item.id: mine for one, mine in zip(scored, _to_shares(either), strict=True)},
    )


def _put_overview_first(items: WeighedItems, project: str) -> dict[str, float]:
    """Return the precedences of an overview and of the project's README, which comes before it."""
    first = {one.item.id: 2.0 for one, _ in items if one.item.kind == OVERVIEW}
    readme = [items[at][0].item.id for at in find_readme(items, project)] if first else []
    return first | dict.fromkeys(readme, 3.0)


def _put_tests_second(order: Mapping[str, float], tests: Sequence[str]) -> Mapping[str, float]:
    """Return precedences in which files of tests follow the first item."""
    first = max(order.values(), default=0.0)
    ids = [f"file:{path}" for path in tests if order.get(f"file:{path}", first) < first]
    return {**order, **{id_: first * (1 - (at + 1) * _PER_TEST) for at, id_ in enumerate(ids)}}


def _put_first(order: Mapping[str, float], ids: Collection[str]) -> Mapping[str, float]:
    """Return precedences in which items with these ids come first, in their present order."""
    first = max(order.values(), default=0.0)
    return {**order, **{id_: first + order[id_] for id_ in ids}}


def _find_examples(items: WeighedItems) -> list[str]:
    """Return the ids of lists of places, which name every place of a change."""
    return [one.item.id for one, _ in items if one.item.kind == USES]


def _answers_share(question: Question) -> float:
    """Return the share of answers in the worths; chances for a change have the rest."""
    return question.certainty * (_CODE_TOO if Aim.WHERE in question.aims else 1.0)


def _appraise_review(items: WeighedItems, shares: Chances, asked: AppraisalInputs) -> Appraised:
    """Return the worths for a task about changes."""
    by_item = {one.item.id: mine for (one, _), mine in zip(items, shares, strict=True)}
    totals = {id_: sum(mine) for id_, mine in by_item.items()}
    defined = [  # where a hunk goes on, it has no head, but defines no more than where it begins
        [0.0] * len(mine) if one.item.kind == "diff" else mine
        for (one, _), mine in zip(items, shares, strict=True)
    ]
    return Appraised(
        worths=_worths(items, shares, defined, asked),
        openings=worth.opening_worths([math.sqrt(total) for total in totals.values()]),
        precedences=totals | _order_commits(items) | _put_code_first(items, totals),
        shares=by_item,
        is_review=True,
    )


def _put_code_first(items: WeighedItems, totals: Mapping[str, float]) -> dict[str, float]:
    """Return precedences: lists of changes first, then messages of commits, then diffs of code.

    Diffs of deleted files do not come first.
    """
    ids = {
        kind: [one.item.id for one, _ in items if one.item.kind == kind]
        for kind in ("status", "commit", "diff")
    }
    from satchel.packing.weighing.reviewing import is_deletion

    deleted = {one.item.id for one, _ in items if is_deletion(one.item)}
    code = [
        id_ for id_ in ids["diff"] if place_of(path_of_diff(id_)) is FilePlace.CODE and id_ not in deleted
    ]
    conflicts = sorted(
        filter(is_conflict, ids["diff"]), key=lambda id_: (id_ not in code, *place_of_conflict(id_))
    )
    ordered = (code, ids["commit"], ids["status"]) if ids["diff"] else ()
    found = {id_: rank + totals[id_] for rank, mine in zip((1, 3, 4), ordered, strict=False) for id_ in mine}
    return found | {id_: 3 - at / len(conflicts) for at, id_ in enumerate(conflicts)}


def _appraise_uses(items: WeighedItems, asked: AppraisalInputs, shares: Chances, uses: Uses) -> Appraised:
    """Return the worths for a task that looks for names."""
    totals = [sum(mine) for mine in shares]
    no_heads = [[0.0] * len(mine) for mine in shares]
    worths = []
    for at, (one, found) in enumerate(zip(items, _worths(items, shares, no_heads, asked, uses), strict=True)):
        if at in uses and one[0].item.path not in asked.pinned:
            stretches = asked.stretches(one[1])
            found = Worths(*cut_around_uses(one[1], found.bodies, found.heads, stretches, uses[at]))
        worths.append(found)
    return Appraised(
        worths=worths,
        openings=worth.opening_worths(totals),
        precedences={
            one.item.id: total + (one.item.kind == USES)
            for (one, _), total in zip(items, totals, strict=True)
        },
        shares={one.item.id: mine for (one, _), mine in zip(items, shares, strict=True)},
    )


def _order_commits(items: WeighedItems) -> dict[str, float]:
    """Return precedences of commits, the newest first, below those of any item with a worth."""
    commits = sorted(
        (one.item for one, _ in items if one.item.kind == "commit"), key=lambda one: one.modified
    )
    return {commit.id: at * _PER_COMMIT for at, commit in enumerate(commits)}


def _appraise_answers(
    items: WeighedItems, changes: tuple[Chances, CorrectedChances], asked: AppraisalInputs
) -> Appraised:
    """Return the worths for a question: shares of its answer, mixed by certainty with shares for a change."""
    told, mended = changes
    certainty = _answers_share(asked.question)
    found = score_answers(
        items,
        asked.question,
        asked.rarity,
        read=asked.read,
        has_rest=asked.has_rest,
    )
    scores = drop_twins(items, _favour_named_answers(items, found.scores, asked.named), asked.read)
    highest = find_highest(scores)
    for place, at in asked.writers:
        scores[place][at] = _WRITES * highest
    if declaring := find_declaring(items, scores, asked.question):
        scores = _lower(scores, declaring)
        mended = _lower_all(mended, declaring)
    answers = answer_shares(items, scores, asked.question, asked.budget, found.explained)
    lines, either = (
        _mix(_to_shares(chances), answers, certainty) for chances in (mended.lines, mended.both())
    )
    asks_where = Aim.WHERE in asked.question.aims
    if asks_where:
        lines = _to_shares([[share**_PLACE_POWER for share in mine] for mine in lines])
    of_heads = (1 - certainty) * (_PLACE_HEADS if asks_where else 1.0)
    of_openings = (1 - certainty) * (_PLACE_OPENINGS if asks_where else 1.0)
    heads = [[of_heads * share for share in mine] for mine in _to_shares(mended.definitions)]
    densities = [
        share / max(part.tokens, 1)
        for mine, (_, split) in zip(lines, items, strict=True)
        for share, part in zip(mine, split.parts, strict=True)
        if share
    ]
    most = max(densities, default=0.0)
    least = min((density for density in densities if density > _FILLING * most), default=0.0)
    _raise_heads(heads, items, found.outlined, _BELOW_BODIES * least)
    _raise_heads(heads, items, found.members, most / _BELOW_BODIES, room=_OF_MEMBERS * asked.budget)
    scored = [one for one, _ in items]
    saliences = [
        one.salience * _salience_factor(before, after)
        for one, before, after in zip(scored, told, mended.both(), strict=True)
    ]
    worths = _worths(items, lines, heads, asked, explained=found.explained, lists=found.lists)
    openings = [of_openings * opening for opening in worth.opening_worths(saliences)]
    return Appraised(
        worths=worths,
        openings=_open_worthy(worths, openings),
        precedences=_put_first(precedences(scored, saliences, either), _find_examples(items))
        if certainty < SURE and not asks_where
        else {one.item.id: max(mine, default=0.0) for one, mine in zip(scored, scores, strict=True)}
        | _put_overview_first(items, asked.question.project),
        shares={one.item.id: mine for (one, _), mine in zip(items, either, strict=True)},
        are_weak=found.are_weak,
    )


def _open_worthy(worths: Sequence[Worths], openings: Sequence[float]) -> list[float]:
    """Return the worths of opening items, 0 for an item without a worthy part: its name has none either."""
    return [
        opening if any(mine.bodies) or any(mine.heads) else 0.0
        for opening, mine in zip(openings, worths, strict=True)
    ]


def _lower(chances: Chances, factors: Mapping[int, Sequence[float]]) -> list[list[float]]:
    """Return chances times the factors of some items' parts."""
    return [
        [one * factor for one, factor in zip(mine, factors[at], strict=True)] if at in factors else [*mine]
        for at, mine in enumerate(chances)
    ]


def _lower_all(chances: CorrectedChances, factors: Mapping[int, Sequence[float]]) -> CorrectedChances:
    """Return chances of every kind times the factors of some items' parts."""
    return CorrectedChances(*(_lower(rows, factors) for rows in chances)) if factors else chances


def _raise_heads(
    heads: list[list[float]],
    items: WeighedItems,
    outlined: Mapping[int, Sequence[int]],
    density: float,
    *,
    room: float = math.inf,
) -> None:
    """Give the heads that are an answer at least this worth per token, as long as there is room."""
    for place, numbers in outlined.items():
        for at in numbers:
            tokens = items[place][1].parts[at].head_tokens
            room -= tokens
            if room >= 0:
                heads[place][at] = max(heads[place][at], density * tokens / worth.SETTINGS.defined)


def _mix(changes: Chances, answers: Chances, certainty: float) -> list[list[float]]:
    """Return the mix of both shares by the certainty that answers are wanted."""
    return [
        [(1 - certainty) * change + certainty * answer for change, answer in zip(mine, others, strict=True)]
        for mine, others in zip(changes, answers, strict=True)
    ]


def _favour_named(items: WeighedItems, chances: CorrectedChances, named: Collection[str]) -> CorrectedChances:
    """Return chances with at least half of them for the files that a task names."""
    if not named:
        return chances
    is_named = [one.item.path in named for one, _ in items]
    favoured = []
    for rows in chances:
        sums = {True: 0.0, False: 0.0}
        for row, mine in zip(rows, is_named, strict=True):
            sums[mine] += sum(row)
        factor = min(1.0, sums[True] / sums[False]) if all(sums.values()) else 1.0
        favoured.append(
            [
                row if mine else [factor * chance for chance in row]
                for row, mine in zip(rows, is_named, strict=True)
            ]
        )
    return CorrectedChances(*favoured)


def _keep_newest_entries(
    items: WeighedItems, chances: CorrectedChances, asked: AppraisalInputs
) -> CorrectedChances:
    """Return chances with some for only the beginning of a page of changes: new entries are written there.

    A page that the task wants an entry in has a small share of all, by length, whatever words it has.
    """
    pages = {
        at: [part.tokens if part.lines[0] <= _NEW_ENTRIES else 0 for part in split.parts]
        for at, (one, split) in enumerate(items)
        if one.item.kind == "file"
        and place_of(one.item.path) is FilePlace.CHANGES
        and one.item.path not in asked.named
    }
    if not pages:
        return chances
    rows = [[list(mine) for mine in each] for each in chances]
    for each in rows:
        least = _OF_NOTED * sum(map(sum, each))
        for at, tokens in pages.items():
            mine = [chance if own else 0.0 for chance, own in zip(each[at], tokens, strict=True)]
            if items[at][0].item.path in asked.noted:
                mine = [least * own / max(sum(tokens), 1) for own in tokens]
            each[at] = mine
    return CorrectedChances(*rows)


def _lower_migrations(
    items: WeighedItems, chances: CorrectedChances, asked: AppraisalInputs
) -> CorrectedChances:
    """Return chances with less for database migrations: they have run, and stay as they are."""
    words = stem_all(" ".join(asked.query))
    aside = {
        at: [_MIGRATION] * len(split.parts)
        for at, (one, split) in enumerate(items)
        if one.item.path not in asked.named and is_migration_aside(one.item.path, words)
    }
    return _lower_all(chances, aside)


def _lower_inner_tests(
    items: WeighedItems, chances: CorrectedChances, asked: AppraisalInputs
) -> CorrectedChances:
    """Return chances with less for tests inside the file that they test, as for files of tests."""
    if "test" in stem_all(asked.report.strip().partition("\n")[0]):
        return chances
    aside = {}
    for at, (one, split) in enumerate(items):
        if one.item.kind == "file" and place_of(one.item.path) is FilePlace.CODE:
            factors = [_INNER_TEST if is_inner_test(part) else 1.0 for part in split.parts]
            if _INNER_TEST in factors:
                aside[at] = factors
    return _lower_all(chances, aside)


def _favour_named_answers(items: WeighedItems, scores: Chances, named: Collection[str]) -> list[list[float]]:
    """Return scores of answers with the files that a question names before all others."""
    if not any(one.item.path in named for one, _ in items):
        return [list(mine) for mine in scores]
    return [
        [_OTHERS * score + (1 - _OTHERS if one.item.path in named else 0.0) for score in mine]
        for (one, _), mine in zip(items, scores, strict=True)
    ]


def _favour_likely_files(
    items: WeighedItems, chances: CorrectedChances, either: Chances, budget: int
) -> CorrectedChances:
    """Return chances with more for likely files and less for others; the sum over all files stays."""
    power = _CONCENTRATION * min(1.0, max(0.0, 2 - budget / _CONCENTRATED))
    if not power:
        return chances
    sums = [
        sum(mine) if one.item.kind == "file" else 0.0 for (one, _), mine in zip(items, either, strict=True)
    ]
    raised = sum(mine ** (1 + power) for mine in sums)
    if not raised:
        return chances
    factors = [sum(sums) * mine**power / raised if mine else 1.0 for mine in sums]
    lines, definitions = (
        [[factor * chance for chance in mine] for factor, mine in zip(factors, each, strict=True)]
        for each in chances
    )
    return CorrectedChances(lines, definitions)


def _salience_factor(before: Sequence[float], after: Sequence[float]) -> float:
    """Return the factor by which correction changed an item's total chance, to apply to its salience."""
    total = sum(before)
    return sum(after) / total if total else 1.0


def _to_shares(chances: Chances) -> list[list[float]]:
    """Return each chance's share of the total."""
    total = sum(map(sum, chances)) or 1.0
    return [[chance / total for chance in mine] for mine in chances]


def _worths(
    items: WeighedItems,
    shares: Chances,
    defining: Chances,
    asked: AppraisalInputs,
    whole: Collection[int] = (),
    *,
    explained: Mapping[int, Mapping[int, Sequence[int]]] = MappingProxyType({}),
    lists: Collection[int] = (),
) -> list[Worths]:
    """Return worths from each part's share of the lines and definitions that may be needed.

    The parts of items in `whole`, by number, are not cut into stretches. Items with `explained` lines are
    cut around these, and `lists` hardly show anything else.
    """
    cuts = _choose_cuts(items, shares, asked, explained, lists)
    room = worth.instructions_room(asked.budget)
    all_worths = []
    shown: Counter[tuple[str, str, int]] = Counter()
    have_heads = any(map(any, defining))
    least = _least_worths(items, shares, asked)
    repeated = _find_repeated(items, shares, asked)
    for place, (one, split) in enumerate(items):
        bodies = worth.body_worths(split.parts, shares[place], defining[place])
        for at, floor in least.get(place, {}).items():
            bodies[at] = max(bodies[at], floor)
        if one.item.kind == "instructions" and not is_readme(one.item.path):
            least_room = worth.small_instructions_room(split.parts, asked.budget)
            own = least_room if only_wants_to_know(asked.question) else max(room, least_room)
            bodies = worth.instruction_worths(split.parts, bodies, own)
            room -= sum(part.tokens for part in split.parts)
        heads = [0.0] * len(bodies)
        if have_heads:
            heads = _drop_repeated(split.parts, worth.head_worths(split.parts, defining[place]), shown)
        if one.item.kind == "diff":  # the beginning of a change says nothing alone
            heads = [0.0] * len(heads)
        if place in repeated:
            bodies, heads = [0.0] * len(bodies), [0.0] * len(heads)
        worths = _keep_short_whole(Worths(split, bodies, heads))
        if one.item.kind == "file":
            if place in cuts.best and place not in whole and one.item.path not in asked.pinned:
                worths = _cut_into_stretches(worths, place, cuts, asked.stretches(split))
            if not asked.question.certainty:
                worths = worths._replace(contexts=_context_worths(worths))
        all_worths.append(worths)
    return all_worths


class _Cuts(NamedTuple):
    """The parts that are cut into stretches, and the words or lines that guide the cuts."""

    best: Mapping[int, Sequence[int]]
    """Long parts among the best, by item."""
    weights: Mapping[str, float]
    """Weights of the words by which stretches are compared."""
    explained: Mapping[int, Mapping[int, Sequence[int]]]
    lists: Collection[int]


def _choose_cuts(
    items: WeighedItems,
    shares: Chances,
    asked: AppraisalInputs,
    explained: Mapping[int, Mapping[int, Sequence[int]]],
    lists: Collection[int],
) -> _Cuts:
    """Return the best parts that are too long to be shown whole."""
    splits = [split for _, split in items]
    best = best_parts(splits, shares, asked.budget)
    longest = [
        asked.budget * (_LONG_SETTINGS if place in lists else _find_longest(one.item, split, asked))
        for place, (one, split) in enumerate(items)
    ]
    for place in lists:  # even if all of it had room
        best[place] = sorted({*best.get(place, ()), *explained.get(place, ())})
    best = _keep_longest(best, splits, longest)
    return _Cuts(best, term_weights(asked.query, splits, best) if best else {}, explained, lists)


def _cut_into_stretches(worths: Worths, place: int, cuts: _Cuts, rows: Stretches) -> Worths:
    """Return the worths of an item with its best parts cut into stretches, or around explaining lines."""
    mine = set(cuts.best[place])
    told = cuts.explained.get(place)
    if not told:
        return refine_worths(worths, rows, cuts.weights, best=mine)
    lines = {at: told[at] for at in mine if at in told}
    without = 0.0 if place in cuts.lists else WITHOUT
    return Worths(*cut_around_uses(worths.split, worths.bodies, worths.heads, rows, lines, without=without))


def _find_repeated(items: WeighedItems, shares: Chances, asked: AppraisalInputs) -> set[int]:
    """Return the items that repeat others or were made from them, but no item that the task names."""
    wanted = {*asked.named, *asked.pinned}
    weighty = {
        place for place, (one, _) in enumerate(items) if any(shares[place]) and one.item.path not in wanted
    }
    repeated = find_made(items, asked.read) | find_duplicates(items, weighty)
    repeated |= find_translated(items, weighty, asked.languages)
    return {place for place in repeated if items[place][0].item.path not in wanted}


def only_wants_to_know(question: Question) -> bool:
    """Return whether a question most likely precedes no change, so that orders for changes are no help."""
    return question.certainty >= SURE and _DOING.isdisjoint(question.aims)


def _least_worths(
    items: WeighedItems, shares: Chances, asked: AppraisalInputs
) -> dict[int, dict[int, float]]:
    """Return the least worths of parts that belong to a change, by item and part.

    Imports of the likeliest files are worth just enough for the budget to buy them, since a change may need
    another import. Code that writes a message quoted in the task is worth as much as the best part. If tests
    are to be written, an existing one like them has the average worth.
    """
    if asked.question.certainty or asked.about_changes:
        return {}
    sums = [
        sum(mine) if one.item.kind == "file" else 0.0 for (one, _), mine in zip(items, shares, strict=True)
    ]
    likeliest = heapq.nlargest(_WITH_IMPORTS, range(len(items)), key=sums.__getitem__)
    found = [
        (place, at)
        for place in likeliest
        for at, part in enumerate(items[place][1].parts)
        if part.kind == "imports" and part.tokens <= _MOST_IMPORTS * asked.budget
    ]
    most = find_highest(shares)
    worths: dict[int, dict[int, float]] = {}
    for place, at in asked.writers:
        worths.setdefault(place, {})[at] = most
    if found:
        density = _ENOUGH * _find_least_density([split for _, split in items], shares, asked.budget)
        for place, at in found:
            worths.setdefault(place, {})[at] = density * items[place][1].parts[at].tokens
    for place, (one, split) in enumerate(items):
        tokens = sum(part.tokens for part in split.parts)
        if asked.changed and one.item.kind == USES and tokens <= _MOST_LISTED * asked.budget:
            worths[place] = {at: part.tokens / asked.budget for at, part in enumerate(split.parts)}
    for place, at in _find_nearest_tests(items, shares, asked.tests, _MOST_EXAMPLE * asked.budget):
        worths.setdefault(place, {})[at] = items[place][1].parts[at].tokens / asked.budget
    near = items[likeliest[0]][0].item.path if likeliest else ""
    example = _find_example(items, shares, _MOST_EXAMPLE * asked.budget, near) if asked.wants_tests else None
    if example is not None:
        place, at = example
        worths.setdefault(place, {})[at] = items[place][1].parts[at].tokens / asked.budget
    return worths


def _find_nearest_tests(
    items: WeighedItems, shares: Chances, paths: Sequence[str], most: float
) -> Iterator[tuple[int, int]]:
    """Yield the first parts of the given files of tests, and then their nearest tests.

    The parts of each file have `most` tokens together, but there is at least one test.
    """
    places = {one.item.path: place for place, (one, _) in enumerate(items) if one.item.kind == "file"}
    for place in (places[path] for path in paths if path in places):
        parts, left = items[place][1].parts, most
        opening = [at for at, part in enumerate(parts[:_OPENING]) if part.kind != "licence"]
        nearest = sorted(
            (at for at, part in enumerate(parts) if part.kind in _TESTING and at not in opening),
            key=lambda at: (-shares[place][at], at),
        )
        for rank, at in enumerate([*opening, *nearest]):
            if parts[at].tokens <= left or rank == len(opening):
                left -= parts[at].tokens
                yield place, at


def _find_example(items: WeighedItems, shares: Chances, most: float, near: str) -> tuple[int, int] | None:
    """Return the item and the part of the test nearest to the ones to be written, if there is one.

    That is the likeliest test of the file that fits best and is `near` the tested code, of at most `most`
    tokens if there is one so short.
    """
    tests = [
        place
        for place, (one, split) in enumerate(items)
        if one.item.kind == "file"
        and place_of(one.item.path) is FilePlace.TEST
        and language_of(one.item.path)
    ]
    folders = near.split("/")[:-1]

    def fits(place: int) -> float:
        one = items[place][0]
        pairs = zip(folders, one.item.path.split("/"), strict=False)
        return one.salience * (1 + sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs)))

    for place in sorted(tests, key=lambda place: -fits(place)):
        parts = items[place][1].parts
        numbers = [
            at
            for at, part in enumerate(parts)
            if part.kind in _TESTING and part.lines[1] - part.lines[0] >= _SHORT
        ]
        if numbers:
            by_worth = sorted(numbers, key=lambda at: -shares[place][at])
            return place, min(by_worth, key=lambda at: (parts[at].tokens > most, not _is_test(parts[at])))
    return None


def _is_test(part: Part) -> bool:
    """Return whether a part of a file of tests is a test, and no preparation."""
    return part.kind == "block" or "test" in part.name.rpartition(".")[2].lower()


def _find_least_density(splits: Sequence[SplitItem], shares: Chances, budget: int) -> float:
    """Return the worth per token of the last body that a budget buys, best first; 0 if it buys all."""
    rows = [
        (share / max(part.tokens, 1), part.tokens)
        for split, mine in zip(splits, shares, strict=True)
        for part, share in zip(split.parts, mine, strict=True)
    ]
    spent = 0
    for density, tokens in sorted(rows, reverse=True):
        spent += tokens
        if spent > budget:
            return density
    return 0.0


def _drop_repeated(
    parts: Sequence[Part], heads: Sequence[float], shown: Counter[tuple[str, str, int]]
) -> list[float]:
    """Return the worths of heads, 0 for repetitions of enough heads before them: they say nothing new.

    `shown` counts the heads of the parts before, by kind, name and tokens; those of these parts are added.
    """
    worths, added = [], set[tuple[str, str, int]]()
    for part, head in zip(parts, heads, strict=True):
        owner, _, own = part.name.rpartition(".")
        whole, last = (part.kind, part.name, part.head_tokens), (part.kind, f".{own}", part.head_tokens)
        is_repeated = shown[whole] >= _ALIKE or (bool(owner) and shown[last] >= _ALIKE_BELOW)
        worths.append(0.0 if part.name and is_repeated else head)
        added.add(whole)
        shown[last] += bool(owner)
    shown.update(added)
    return worths


def _keep_short_whole(worths: Worths) -> Worths:
    """Add the worth of a short part's head to its body: its head is not shown alone."""
    if not any(worths.heads):
        return worths
    is_short = [part.lines[1] - part.lines[0] < _SHORT for part in worths.split.parts]
    rows = list(zip(worths.bodies, worths.heads, is_short, strict=True))
    return worths._replace(
        bodies=[body + head if short else body for body, head, short in rows],
        heads=[0.0 if short else head for _, head, short in rows],
    )


def _context_worths(worths: Worths) -> list[float]:
    """Return how much of each body's worth depends on its neighbours.

    Changing a line takes the lines around it, up to the ends of its function.
    """
    parts = worths.split.parts
    contexts = []
    for at, (part, body) in enumerate(zip(parts, worths.bodies, strict=True)):
        beside = (*parts[at - 1 : at], *parts[at + 1 : at + 2])
        is_stretch = any(part.id and part.id == near.id for near in beside)
        is_whole = part.kind in _SELF_CONTAINED and part.span == NO_LINES and not is_stretch
        lines = part.lines[1] - part.lines[0] + 1
        share = _OF_FEW if lines <= _FEW and _defines_nothing(part) else _CONTEXT
        contexts.append((_WHOLE_CONTEXT if is_whole else share) * body * min(1.0, _AROUND / lines))
    return contexts


def _defines_nothing(part: Part) -> bool:
    return part.kind != "imports" and not part.name and not part.symbols


def _find_longest(item: ContextItem, split: SplitItem, asked: AppraisalInputs) -> float:
    """Return the share of the budget up to which a part stays whole.

    A section that answers is read whole, but of settings only the lines asked for: lists of rules and files
    are long, and their lines have nothing to do with each other, if they are not explained one by one.
    """
    if asked.question.certainty >= SURE or Aim.WHERE in asked.question.aims:
        is_settings = item.kind == "file" and place_of(item.path) in _SETTINGS
        explained = sum(part.comments * part.tokens for part in split.parts)
        if is_settings and explained > _EXPLAINED * sum(part.tokens for part in split.parts):
            is_settings = False
        return _LONG_SETTINGS if is_settings else _LONG_ANSWER
    return _LONG


def estimate_chances(items: WeighedItems, query: Mapping[str, float]) -> list[list[float]]:
    """Return the chances of each item's parts by the formula, before trees correct them."""
    return [
        worth.weigh_by_terms(
            split.parts, worth.chances(split.parts, one.saliences), count_query_terms(split, query)
        )
        for one, split in items
    ]


def count_query_terms(split: SplitItem, query: Mapping[str, float]) -> list[int]:
    """Return the number of different query terms in each part of a split."""
    held = [0] * len(split.parts)
    for term in query.keys() & split.terms.keys():
        for at in split.terms[term][::2]:
            held[at] += 1
    return held
