"""Score parts as answers to a question: BM25 over bodies, headings and paths, by place and neighbourhood.

The formula for changes (`worth`) knows which code is changed for a report. A question is answered by
documents, configuration and code alike, so here words decide, those of headings and paths more, and where
the part is.
"""

from __future__ import annotations

import heapq
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import accumulate
from types import MappingProxyType
from typing import NamedTuple

from satchel.items import ContextItem
from satchel.packing.scoring import Scored
from satchel.packing.weighing.answer_settings import SETTINGS
from satchel.packing.weighing.backbone import (
    CALLED,
    DESCRIBING,
    HOLDING,
    find_code,
    find_functions,
    find_members,
    find_starts,
    find_types,
    folder_of,
    is_declaration,
    module_of,
    score_backbone,
)
from satchel.packing.weighing.chances import PartPlace, WeighedItems, find_highest, raise_lines, scale_items
from satchel.packing.weighing.declarations import (
    TRANSLATED,
    asks_beside_commands,
    asks_for_checks,
    find_checks,
    find_commands,
    find_declarations,
    find_declaring_lines,
    find_inner_manifests,
    find_job_lines,
)
from satchel.packing.weighing.declared_values import asks_for_value, find_declared_values
from satchel.packing.weighing.describing import (
    OF_DESIGN,
    choose_headings,
    count_headings,
    find_opening,
    find_readme,
    lower_packages,
)
from satchel.packing.weighing.extending import (
    find_alike_pages,
    find_test_example,
    find_test_rules,
    raise_precedent,
)
from satchel.packing.weighing.following import drop_shadowed, follow_calls
from satchel.packing.weighing.fragments import find_fragments
from satchel.packing.weighing.includes import follow_includes
from satchel.packing.weighing.matching import (
    AnswerRow,
    compile_literals,
    compile_versions,
    count_literals,
    count_phrases,
    count_stems,
    count_versions,
    find_common,
    find_stems,
    ignore_keywords,
    make_rows,
    raise_headings,
    score_names,
    score_rows,
    spread,
    stem_path,
    weigh_literals,
    weigh_terms,
)
from satchel.packing.weighing.named_settings import find_named_settings
from satchel.packing.weighing.precedents import find_lists, find_subject_stems
from satchel.packing.weighing.word_search import Phrase, find_starting
from satchel.packing.weighing.worth import drop_other_rows
from satchel.parts import Part, SplitItem, end_of_span
from satchel.patterns import lazily
from satchel.questions import Question, place_factor
from satchel.questions.aims import Aim, FilePlace, given_score, is_proposal, place_of
from satchel.questions.facts import Fact
from satchel.questions.page_versions import find_older_pages, group_translations
from satchel.questions.upgrades import Upgrade, is_guide, relate_parts
from satchel.questions.words import names_tools, stem_all, stem_parts
from satchel.stems import beginnings, stem
from satchel.workspace.files.kinds import language_of
from satchel.workspace.index.terms import inverse_document_frequency


def read_nothing(_item: ContextItem) -> str:
    """Return no text, for callers that search none."""
    return ""


_ANSWERING = frozenset({"file", "instructions", "document"})
"""Kinds of items that can answer; others are left to the formula for changes."""
_ANSWERING_FAILURES = _ANSWERING | {"diff", "error"}
"""The same if a question asks why something fails: a change is the first suspect."""
_ANSWERING_HISTORY = frozenset({"commit", "blame"})
"""Kinds of items that answer, too, if a question asks for changes, their time or their authors."""
FAILING = frozenset(stem_all("fail failure error exception crash panic broken break wrong bug hang"))
OVERVIEW = "overview"
"""Kind of items offered only for questions about a project as a whole, which they answer alone."""
_BESIDE_OVERVIEW = frozenset({FilePlace.DOCUMENT, FilePlace.CONTRIBUTING})
"""Files that count beside an overview of the code, if a heading or the path fits: prose."""
_DESIGN = 0.5
"""Weight of the words of design that a question does not have."""
_OF_WAYS = frozenset({Aim.EXPLAIN, Aim.WHERE, Aim.EXTENDING})
"""Aims of questions that mere declarations do not answer."""
CERTAIN = 0.9
"""Certainty from which a task is surely a question."""
_DEFINED = CALLED | {"callback", "class", "struct", "interface", "enum", "trait", "type", "macro"}
"""Kinds of parts that define a name, and don't only declare it."""
_CONTENTS = lazily(r"(?i)(?:table of )?contents|toc|inhalt(?:sverzeichnis)?|sommaire|índice|目录|目次")
_MIGRATION = lazily(
    r"(?i)(?:^|/)(?:migrations?|migrate|alembic/versions)/(?:[^/]{1,200}/)?v?\d{2,}[^/]*(?:/[^/]+)?$"
)
_LICENCE = lazily(r"(?i)(?:^|/)(?:(?:un)?licen[cs]es?(?:[.-][^/]*)?|copying|notice)(?:\.\w+)?$")
_PARENTHESES = r"\((?:[^()]|\([^()]*\))*\)"
_TYPE_NAME = lazily(r"\b[A-Z]\w+")
_ASIDE = lazily(r"(?i)(?:^|/)(integrations?|contrib|third[-_]?party|external[-_]\w{1,40}|bindings|skills)/")
"""Folders around a program: they say and do much that the program does itself."""
_OF_MAINTAINERS = lazily(
    r"(?i)^(?:(?:dev)?scripts?|hack|maint(?:enance)?|docs?|website)/(?=.*\.\w+$)"
    r"|^contrib/.*\.(?:sh|bash|bat|ps1)$"
)
"""Folders with maintainers' scripts, and not with code of the program."""
_OF_MAINTENANCE = frozenset(
    stem_all("script release publish build deploy docs website generate ci benchmark update version")
)
_TYPES = _DEFINED - CALLED | {"prototype"}
"""Kinds of definitions that do nothing."""
_OF_ROLES = frozenset(stem_all("model manager service handler helper impl base controller client engine"))
"""Words in a type's name for its role, not its subject: `LdaModel`."""
_OF_DEFINING = frozenset(stem_all("define declare defined declared"))
_ON_TESTS = frozenset({Aim.CONTRIBUTING, Aim.TESTS})
"""Aims of a question about how tests are written."""
_POST = lazily(
    r"(?i)(?:(?:^|/)(?:_posts|blog)/(?:[^/]+/){0,5}[^/]+"
    r"|^(?!.*\b(?:adrs?|rfcs?|decisions|designs?|proposals)/).*\b\d{4}-\d\d-(?:\d\d-)?[^/]+)"
    r"\.(?:mdx?|rst|html?|adoc)$"
)
_OF_PROPOSALS = frozenset(stem_all("adr rfc rfd decision design proposal enhancement kep"))
_OF_DEFAULTS = frozenset(stem_all("default defaults"))
"""Words of a question about the program's defaults, and not about how its own code is checked."""
_OF_STATES = frozenset(
    stem_all("default defaults enable enabled disable disabled value set setting settings")
)
"""Words that ask about a setting, beside its name."""
_OF_DOING = frozenset({Aim.HOW_TO, Aim.CONFIGURATION, Aim.DEVELOPING})
_NAME_OF_SETTING = lazily(r"\b[A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){1,8}\b")
_WORD = lazily(r"[A-Z]?[a-z]+")
_PACKAGE = lazily(r"(?m)^package (\w+)")
_COMPLETIONS = lazily(
    r"(?i)(?:^|/)(?:(?:shell[-_])?completions?|(?:bash|zsh|fish)[-_]completions?(?:\.d)?)/[^/]+(?<!\.(?:rs|go|py|rb|md))$"
)
_OF_COMPLETIONS = frozenset(stem_all("completion complete autocomplete shell bash zsh fish powershell tab"))
"""Words of a question that shell completions answer; for others, these only repeat all options."""
_DEPRECATED = lazily(
    r"(?i)\s*[#/*\"\s]{0,9}(?:@deprecated\b|deprecated:|#\[deprecated|\[\[?(?:obsolete|deprecated)\b"
    r"|@available\(\*, deprecated|@(?:\w{1,40}\.)?deprecated\b)"
)
"""A mark that something else took the place of the definition below it."""
_OLD_CODE = lazily(r"(?i)(^|[/_.-])(deprecat(ed|ions?)|obsolete)(?=[/_.-])")
_OF_DEPRECATION = frozenset(stem_all("deprecated deprecation legacy old obsolete"))
"""Words of a question that such a definition answers."""
_OF_LICENCES = frozenset(stem_all("licence license licensed legal copyright copying notice"))
"""Words of a question that a licence answers; not "permission", which is in all licences."""
_OF_MIGRATIONS = frozenset(
    stem_all("migration migrate schema table column database sql index foreign constraint alter")
)
_INNER_TESTS = frozenset({"test", "tests"})
"""Modules of tests inside the file that they test."""
_EMPTY_LINES = 2
"""Lines of the longest part that may be empty of words, without its heading."""
_SAYS = lazily(r"^(?!\s*(</[\w:-]+>\s*|end\s*)+;?\s*$).*\w")
"""A line with a word that is no closing line."""
_TOLD = frozenset({"section", "comment", "file"})
"""Kinds of parts that are prose."""
_LINK = lazily(r"\s*(?:[-*+]|\d+\.)\s+(?:\*\*|`)?(?:\[|:(?:doc|ref):)")
"""A row of a list that begins with a link."""
_LOOKED_AT = 10
"""Number of best parts, at least one of which must match well."""
_OF_MEMBERS = frozenset({Aim.ANY, Aim.HOW_TO})
_OF_VARIABLES = {
    "cfg": "config",
    "cmd": "command",
    "ctx": "context",
    "db": "database",
    "msg": "message",
    "srv": "server",
}
"""Types of variables with short names."""
_OF_NAMED_SETTINGS = frozenset({Aim.HOW_TO, Aim.ANY, Aim.CONFIGURATION, Aim.API})
"""Aims of questions that may name a setting."""
_SUBJECT = 1.1
"""Score of the definition that a question is about, against the best of all others."""


class ScoredAnswers(NamedTuple):
    """The parts that answer a question, and how well."""

    scores: list[list[float]]
    """A score for each part of each item, 0..1, the best 1; 0 if it is no answer."""
    are_weak: bool = False
    """Whether nothing matches the question well; only the parts that come closest have a score then."""
    outlined: Mapping[int, Sequence[int]] = MappingProxyType({})
    """Parts of items whose heads are an answer if there is room: members of types."""
    members: Mapping[int, Sequence[int]] = MappingProxyType({})
    """Parts of items whose heads are the answer: members of the types that a question names."""
    explained: Mapping[int, Mapping[int, Sequence[int]]] = MappingProxyType({})
    """Lines of parts of items that explain a name in the question, or register a precedent."""
    lists: Collection[int] = ()
    """Items with no other wanted lines."""


class _AskedItems(NamedTuple):
    """A question about weighed items."""

    items: WeighedItems
    question: Question
    read: Callable[[ContextItem], str]
    readme: Sequence[int]
    """Items that are the project's own README, if it is about the project as a whole."""
    is_whole: bool
    """Whether it is about the project as a whole, with an overview of it."""
    is_all: bool
    """Whether it is about nothing else."""


class _AnswerMatches(NamedTuple):
    """How the parts of the items that may answer match a question."""

    answering: Sequence[int]
    """The items that may answer."""
    raw: list[float]
    """A score for each of their parts, one after the other."""
    terms: Mapping[str, float]
    stems_of: Mapping[str, Sequence[str]]
    """The words of the question in the name of each part."""
    telling: Sequence[str]
    """Names that the question writes as code, without those that many files define."""
    explained: dict[int, dict[int, list[int]]]
    """Lines of parts of items that explain these names."""
    are_weak: bool
    """Whether nothing matches well."""


def score_answers(
    items: WeighedItems,
    question: Question,
    rarity: Mapping[str, float],
    read: Callable[[ContextItem], str] = read_nothing,
    *,
    has_rest: bool = False,
) -> ScoredAnswers:
    """Return a score for each part of each item, and whether the best of them is a weak match.

    Beside an overview of the project, only pages on it count, unless the question asks for more (`has_rest`).

    `rarity` is the inverse document frequency of words in the whole workspace, since the items were chosen
    by these words.
    """
    is_whole = any(one.item.kind == OVERVIEW for one, _ in items)
    readme = find_readme(items, question.project) if is_whole else []
    asked = _AskedItems(items, question, read, readme, is_whole, is_whole and not has_rest)
    matches = _match_parts(asked, rarity)
    scores = _score_parts(asked, matches)
    of_bases: dict[int, Sequence[int]] = {}
    lists = None if is_whole else _raise_meant(asked, matches, scores, members=of_bases)
    highest = find_highest(scores) or 1.0
    for at in readme:
        for number in find_opening(items[at], read):
            scores[at][number] = SETTINGS.opening * highest
    if matches.are_weak:
        scores = _keep_closest(scores, SETTINGS.weak_parts)
    is_shown = Aim.EXTENDING in question.aims and lists is not None
    least = (SETTINGS.least_beside_precedent if is_shown else SETTINGS.least) * highest
    backbone, long = score_backbone(items, read, question.project) if is_whole else ({}, {})
    above = SETTINGS.backbone_and_rest if has_rest else SETTINGS.backbone
    for at, shares in backbone.items():  # without a rest, after pages
        for part, share in shares.items():
            scores[at][part] = max(scores[at][part], least * (1 + above * share))
    found = _drop_below(items, scores, least, highest, question)
    _complete(found, backbone)
    _drop_empty(items, found, read)
    types = find_types(items, question.literals if Aim.API in question.aims else ())
    ranked = {at: types[at] for at in sorted(types, key=lambda at: -max(found[at], default=0.0))}
    return ScoredAnswers(
        found,
        matches.are_weak,
        find_members(items, backbone),
        {**find_members(items, ranked), **of_bases, **long},
        matches.explained,
        lists or (),
    )


def _match_parts(asked: _AskedItems, rarity: Mapping[str, float]) -> _AnswerMatches:
    """Look for the words, phrases, versions and code of a question in the items that may answer it."""
    items, question, read, is_all = asked.items, asked.question, asked.read, asked.is_all
    kinds = _find_answering_kinds(question)
    answering = [at for at, (one, _) in enumerate(items) if one.item.kind in kinds]
    splits = [items[at][1] for at in answering]
    every = set[str]().union(*(split.terms.keys() for split in splits))
    terms = _find_terms(question, is_all=is_all)
    stems_begin = beginnings(terms)
    stemmed = {term: one for term in find_starting(every, stems_begin) if (one := stem(term)) in terms}
    held, rarity = _hold_stems([items[at] for at in answering], {} if is_all else stemmed, rarity, read)
    phrases = {f"{one} {other}": Phrase(one, other) for one, other in question.phrases}
    versions = compile_versions(question)
    common = find_common(items, question.literals, SETTINGS.few)
    telling = [name for name in question.literals if name not in common]
    literals = compile_literals(telling)
    terms |= weigh_literals(literals, question)
    terms |= dict.fromkeys(versions, SETTINGS.version)
    terms |= dict.fromkeys(phrases, SETTINGS.phrase)
    names = {part.name for split in splits for part in split.parts}
    headings = count_headings(items) if is_all else None
    listed = choose_headings(names, items, asked.readme) if is_all else names
    stems_of = find_stems(listed, terms, stems_begin)
    explained: dict[int, dict[int, list[int]]] = {}
    rows: list[AnswerRow] = []
    for at, stems in zip(answering, held, strict=True):
        item, split = items[at][0].item, items[at][1]
        told = explained.setdefault(at, {})
        counts: dict[str, Mapping[int, float]] = {
            **stems,
            **count_phrases(item, split, stems, phrases, read),
            **count_literals(item, split, stems, literals, read, explained=told),
        }
        if versions and place_of(item.path) is FilePlace.CHANGES:
            counts |= count_versions(split, read(item).split("\n"), versions)
        in_names = [stems_of.get(part.name, ()) for part in split.parts]
        rows += make_rows(at, split, counts, terms, in_names=in_names, titled=headings)
    weights = weigh_terms(rows, terms, rarity, question.groups)
    code = set() if Aim.CONFIGURATION in question.aims else {*find_code(items)}
    raw = score_rows(rows, weights, question.groups, code)
    _lower_deeds_alone(items, rows, raw, question)
    raise_headings(splits if not asked.is_whole else (), raw, question, weights)
    may_be_weak = question.certainty >= CERTAIN and not asked.is_whole
    are_weak = may_be_weak and _is_weak(rows, raw, weights, question)
    return _AnswerMatches(answering, raw, terms, stems_of, telling, explained, are_weak)


def _score_parts(asked: _AskedItems, matches: _AnswerMatches) -> list[list[float]]:
    """Return a score for each part of each item by how well the part, its file and its place match."""
    items, question, is_all = asked.items, asked.question, asked.is_all
    answering, raw = matches.answering, matches.raw
    named = score_names([items[at][1] for at in answering], matches.terms, question.own)
    scores: list[list[float]] = [[0.0] * len(split.parts) for _, split in items]
    best = max(raw, default=0.0)
    start = 0
    for at, of_name in zip(answering, named, strict=True):
        mine = raw[start : start + len(items[at][1].parts)]
        start += len(mine)
        scores[at] = _score_file(items[at], mine, question, best=best, of_name=of_name)
        if is_all:
            scores[at] = [score if own else 0.0 for own, score in zip(mine, scores[at], strict=True)]
    pages = [(at, items[at][0].item.path) for at in answering]
    _drop_older_pages(pages, scores, question.named_versions)
    _prefer_language(pages, scores, question)
    lower_packages(pages, scores, asked.readme if is_all else [])
    highest = find_highest(scores) or 1.0
    for at in answering:
        scores[at] = _mix_saliences(items[at][0], scores[at], highest, is_all=is_all)
    _score_upgrade(items, scores, question.upgrade, asked.read)
    return scores


def _raise_meant(
    asked: _AskedItems,
    matches: _AnswerMatches,
    scores: list[list[float]],
    *,
    members: dict[int, Sequence[int]],
) -> Collection[int] | None:
    """Raise the parts that a question means by its subjects and aims; return the items that list them."""
    items, question = asked.items, asked.question
    subjects = dict(_find_subjects(matches.stems_of, question))
    getters = find_common(items, {name.rpartition(".")[2] for name in subjects}, SETTINGS.few)
    subjects = {name: rest for name, rest in subjects.items() if not _is_getter(name, getters)}
    meant = {**subjects, **dict.fromkeys(drop_shadowed(items, matches.telling), frozenset[str]())}
    lists = _raise_by_aims(
        items, scores, question, meant, asked.read, explained=matches.explained, members=members
    )
    follow_includes(items, scores, asked.read)
    return lists


def _hold_stems(
    items: WeighedItems,
    stemmed: Mapping[str, str],
    rarity: Mapping[str, float],
    read: Callable[[ContextItem], str],
) -> tuple[list[dict[str, dict[int, int]]], Mapping[str, float]]:
    """Return how often the parts of each item hold each stem, keywords aside, and the rarity of words.

    The number of files with a word that begins lines in their language does not show how rare it is.
    """
    held = [count_stems(split, stemmed) for _, split in items]
    said = [
        ignore_keywords(one.item, split, mine, read) for (one, split), mine in zip(items, held, strict=True)
    ]
    keywords = frozenset[str]().union(*said)
    if not keywords:
        return held, rarity
    return held, {word: value for word, value in rarity.items() if stem(word) not in keywords}


def _find_terms(question: Question, *, is_all: bool) -> dict[str, float]:
    """Return the terms to look for and their weights; for a question about a whole project, words of design.

    "The design of the router" is about the router.
    """
    if is_all:
        return {one: max(question.terms.get(one, 0.0), _DESIGN) for one in sorted(OF_DESIGN)}
    if Aim.EXPLAIN not in question.aims or find_subject_stems(question) <= OF_DESIGN:
        return dict(question.terms)
    groups = {term: question.groups.get(term, term) for term in question.terms}
    return {
        term: weight * (SETTINGS.designed if groups[term] in OF_DESIGN else 1)
        for term, weight in question.terms.items()
    }


def _mix_saliences(one: Scored, scores: Sequence[float], highest: float, *, is_all: bool) -> list[float]:
    """Return scores relative to the highest, with the scorers' saliences beside them.

    If a question is about all of a project (`is_all`), only parts of documents about it have a score.
    """
    if is_all and place_of(one.item.path) not in _BESIDE_OVERVIEW:
        return [0.0] * len(scores)
    return [
        (1 - SETTINGS.scorers) * score / highest + SETTINGS.scorers * salience if score or not is_all else 0.0
        for score, salience in zip(scores, one.saliences, strict=True)
    ]


def _drop_below(
    items: WeighedItems,
    scores: Sequence[Sequence[float]],
    least: float,
    highest: float,
    question: Question,
) -> list[list[float]]:
    """Return scores relative to the highest, 0 below the least.

    An item that its provider calls the answer has 1 whatever it scores, and an overview has its own scores.
    Beside such an answer, like messages of commits, code has 0.
    """
    is_answered = Aim.CONFIGURATION not in question.aims and any(one.item.is_answer for one, _ in items)
    code = set(find_code(items)) if is_answered else ()
    return [
        [0.0] * len(mine)
        if at in code
        else _score_overview(split.parts)
        if one.item.kind == OVERVIEW
        else [1.0] * len(mine)
        if one.item.is_answer
        else [score / highest if score >= least else 0.0 for score in mine]
        for at, ((one, split), mine) in enumerate(zip(items, scores, strict=True))
    ]


def _score_overview(parts: Sequence[Part]) -> list[float]:
    """Return the scores of an overview's parts: the packages that others use most come first.

    After `overview_tokens`, they come behind the most used definitions.
    """
    first, last = SETTINGS.overview
    ends = accumulate(part.tokens for part in parts)
    return [
        first - (first - last) * at / len(parts) if end <= SETTINGS.overview_tokens else SETTINGS.least
        for at, end in enumerate(ends)
    ]


def _drop_empty(
    items: WeighedItems, scores: Sequence[list[float]], read: Callable[[ContextItem], str]
) -> None:
    """Leave no score to the parts of files with nothing but a heading or closing lines.

    The headings above shown parts are written anyway.
    """
    for (one, split), mine in zip(items, scores, strict=True):
        short = [
            at
            for at, (part, score) in enumerate(zip(split.parts, mine, strict=True))
            if score and part.lines[1] - max(part.head[1], part.lines[0] - 1) <= _EMPTY_LINES
        ]
        if one.item.kind != "file" or len(short) == len(mine) == 1 or not short:
            continue
        lines = read(one.item).split("\n")
        for at in short:
            part = split.parts[at]
            first = max(part.head[1] + 1 if part.kind == "section" else 0, part.lines[0])
            if not any(map(_SAYS.search, lines[first - 1 : part.lines[1]])):
                mine[at] = 0.0


def _complete(scores: list[list[float]], places: Iterable[int]) -> None:
    """Give all parts of some files a score, so that the rest of the budget completes them."""
    for at in places:
        scores[at] = [score or SETTINGS.filling for score in scores[at]]


def _find_answering_kinds(question: Question) -> frozenset[str]:
    """Return the kinds of items that can answer a question."""
    is_failure = question.fact is None and not question.own.isdisjoint(FAILING)
    kinds = _ANSWERING_FAILURES if is_failure else _ANSWERING
    return kinds | _ANSWERING_HISTORY if question.is_about_past else kinds


def _score_file(
    item: tuple[Scored, SplitItem],
    mine: Sequence[float],
    question: Question,
    *,
    best: float,
    of_name: float,
) -> list[float]:
    """Return the scores of an item's parts by the item's purpose; `best` is the best of all scores."""
    (one, split), path = item, item[0].item.path
    is_literal = Aim.RELEASES in question.aims and bool(question.literals)  # only entries that name it answer
    given = SETTINGS.named * of_name + (0.0 if is_literal else best * given_score(question.aims, path))
    is_history = one.item.kind in _ANSWERING_HISTORY
    if is_history:
        given += (best or 1.0) * SETTINGS.commit * one.item.relevance
    factor = 1.0 if is_history else _find_factor(path, question)
    scores = [factor * score for score in spread(mine, split, given=given)]
    inner = [at for at, part in enumerate(split.parts) if is_inner_test(part)]
    if inner and factor:
        of_tests = min(1.0, place_factor(question.aims, f"tests/{path}") / factor)
        for at in inner:
            scores[at] *= of_tests
    for at in _find_announcements(split):
        scores[at] = 0.0
    scores = list(drop_other_rows(path, scores, mine))
    if question.versions or place_of(path) is not FilePlace.CHANGES:
        return scores
    newest = sum(part.lines[0] <= SETTINGS.newest_lines for part in split.parts)
    return [score if n < newest else SETTINGS.older * score for n, score in enumerate(scores)]


def _find_factor(path: str, question: Question) -> float:
    """Return the factor of a file's parts by its purpose, and whether a question asks for that."""
    if question.fact is Fact.JOBS and path.startswith(".github/"):  # its jobs are of another kind
        return 0.0
    if _LICENCE.search(path) and question.own.isdisjoint(_OF_LICENCES):
        return 0.0
    if _COMPLETIONS.search(path) and question.own.isdisjoint(_OF_COMPLETIONS):
        return 0.0
    if question.language != "en" and question.fact is not Fact.TRANSLATIONS and TRANSLATED.search(f"/{path}"):
        return 0.0  # the only files with the words of a question in another language
    factor = place_factor(question.aims, path)
    if not question.own.isdisjoint(_OF_DEFAULTS) and place_of(path) is FilePlace.STYLE:
        factor *= 1.0 if names_tools(question.own) else SETTINGS.tooling
    if is_migration_aside(path, question.own):
        factor *= SETTINGS.migration
    if is_declaration(path) and not _OF_WAYS.isdisjoint(question.aims):
        factor *= SETTINGS.declaring
    if Aim.EXPLAIN in question.aims and DESCRIBING.search(path):
        factor *= SETTINGS.describing
    if _OF_MAINTENANCE.isdisjoint(question.own) and not _OF_WAYS.isdisjoint(question.aims):
        factor *= SETTINGS.maintaining if _is_for_maintainers(path) else 1.0
    factor *= _count_aside(path, question) * _count_proposal(path, question)
    return factor * SETTINGS.post if _POST.search(path) else factor


def _is_for_maintainers(path: str) -> bool:
    """Return whether a path is that of a maintainers' script."""
    return _OF_MAINTAINERS.match(path) is not None and place_of(path) is FilePlace.CODE


def _count_aside(path: str, question: Question) -> float:
    """Return the factor of a file beside a program, 1 for any other and if a question names its folder."""
    aside = _ASIDE.search(path)
    return SETTINGS.aside if aside is not None and question.own.isdisjoint(stem_all(aside[1])) else 1.0


def _count_proposal(path: str, question: Question) -> float:
    """Return the factor of a proposal if a question asks how something is done, 1 for all else."""
    is_aside = is_proposal(path) and _OF_PROPOSALS.isdisjoint(question.own)
    return SETTINGS.proposal if is_aside and not _OF_DOING.isdisjoint(question.aims) else 1.0


def is_inner_test(part: Part) -> bool:
    """Return whether a part is in a module of tests inside the file that it tests."""
    return part.name.partition(".")[0] in _INNER_TESTS


def is_migration_aside(path: str, words: Collection[str]) -> bool:
    """Return whether a file is a database migration that no stem of a task asks for."""
    return bool(_MIGRATION.search(path)) and _OF_MIGRATIONS.isdisjoint(words)


def _find_announcements(split: SplitItem) -> list[int]:
    """Return the parts that answer nothing: tables of contents, forward declarations, badges and logos.

    Overloads in other languages than C, and members of classes, show what a definition takes.
    """
    defined = set[str]()
    if split.parts and language_of(split.parts[0].path) == "c":
        defined = {one.name for part in split.parts for one in part.symbols if one.kind != "prototype"}
    return [
        at
        for at, part in enumerate(split.parts)
        if part.kind == "decoration"
        or _CONTENTS.fullmatch(part.name)
        or (
            part.symbols
            and part.comments < SETTINGS.declared
            and all(
                one.kind == "prototype" and one.name in defined and "." not in one.name
                for one in part.symbols
            )
        )
    ]


def _find_subjects(
    stems_of: Mapping[str, Sequence[str]], question: Question
) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the names that consist of several words of a question's subject and no others.

    With each comes the rest of the subject, which the path of its file must hold: "how is the DPO loss
    computed" asks about `compute_loss` in `dpo_trainer.py`, or in `DPOTrainer`.
    """
    subject = find_subject_stems(question)
    forms = {
        term: word
        for term, word in question.groups.items()
        if word in subject and question.terms.get(term, 0.0) >= 1
    }
    for name, stems in stems_of.items() if len(subject) >= 2 else ():
        said = {forms.get(one, one) for one in stems}
        if len(subject & said) >= 2 and _say_only(name, subject | forms.keys()):
            yield name, frozenset(subject - said)


def _is_getter(name: str, getters: Collection[str]) -> bool:
    """Return whether a method only gets a value that many types have; a single word is no such name."""
    own = name.rpartition(".")[2]
    return own in getters and len({*stem_parts(own)}) > 1


def _say_only(name: str, subject: AbstractSet[str]) -> bool:
    """Return whether a name has several words, all of the subject; a short method's type counts, too."""
    *types, own = name.split(".")
    words = {*stem_parts(own)}
    if types and len(words) == 1:
        of_type = {*stem_parts(types[-1])}
        words |= (of_type - _OF_ROLES) or of_type
    return len(words) >= 2 and words <= subject


def _raise_by_aims(
    items: WeighedItems,
    scores: list[list[float]],
    question: Question,
    meant: Mapping[str, AbstractSet[str]],
    read: Callable[[ContextItem], str],
    *,
    explained: dict[int, dict[int, list[int]]],
    members: dict[int, Sequence[int]],
) -> Collection[int] | None:
    """Raise the scores of parts that show how something works, or how one more is added.

    `meant` are the names that the question is about, each with the words that the path of its file must
    hold. Lines that register a precedent are added to those `explained`, methods of its bases to the
    `members`, and the items with such lines are returned, None if nothing shows what is asked for.
    """
    _raise_agents(items, scores, question)
    if _OF_NAMED_SETTINGS.issuperset(question.aims):
        settings = find_named_settings(items, question, read)
        raise_lines(scores, settings, _SUBJECT * find_highest(scores), explained=explained)
    if not _OF_MEMBERS.isdisjoint(question.aims):
        named = _find_members(items, question.literals, read)
        _raise_spans(items, scores, named, explained=explained)
    if Aim.EXPLAIN in question.aims:
        _lower_lists(items, scores, question, read)
        asked = {one for one in question.own if question.terms.get(one, 0.0) >= 1}
        alike = [at for at in find_alike_pages(items) if asked.isdisjoint(stem_path(items[at][0].item.path))]
        scale_items(scores, alike, SETTINGS.alike)
        _raise_code(items, scores, meant, question)
        if question.is_about_way or question.literals:
            follow_calls(items, scores, question.literals, only_named=not question.is_about_way)
    elif Aim.WHERE in question.aims:
        if _asks_for_agent(question):
            _lower_types(items, scores)
        highest = find_highest(scores)
        _raise_named(items, scores, meant, question, score=_SUBJECT * highest)
    elif Aim.API in question.aims:
        _raise_interface(items, scores, question, meant, read)
    if asks_for_value(question):
        values = find_declared_values(items, scores, question, read)
        raise_lines(scores, values, _SUBJECT * find_highest(scores), explained=explained)
    _lower_deprecated(items, scores, question, read)
    declaring = _raise_declarations(items, scores, question, read, explained=explained)
    if Aim.EXTENDING in question.aims:
        return raise_precedent(items, scores, question, read, explained=explained, members=members)
    return declaring


def _raise_interface(
    items: WeighedItems,
    scores: list[list[float]],
    question: Question,
    meant: Iterable[str],
    read: Callable[[ContextItem], str],
) -> None:
    """Raise the scores of the functions and types that a question names, and of their parameters' types."""
    highest = find_highest(scores)
    named = _find_members(items, question.literals, read)
    _raise_spans(items, scores, named, explained={})
    types = find_types(items, question.literals)
    places = [(at, number) for at, numbers in types.items() for number in numbers]
    functions = find_functions(items)
    for name in {*question.literals} - find_common(items, question.literals, SETTINGS.few):
        places += functions.get(name, ())
    for at, number in places:
        scores[at][number] = max(scores[at][number], _SUBJECT * highest)
    called = sorted(place for name in meant for place in functions.get(name, ()))
    for at, number in _find_parameter_types(items, named or called, read):
        scores[at][number] = max(scores[at][number], SETTINGS.taken * highest)


def _raise_spans(
    items: WeighedItems,
    scores: Sequence[list[float]],
    places: Iterable[PartPlace],
    *,
    explained: dict[int, dict[int, list[int]]],
) -> None:
    """Give parts, with those inside them, the score of a question's subject, and add them to `explained`."""
    subject = _SUBJECT * find_highest(scores)
    for at, number in places:
        end = end_of_span(items[at][1].parts, number)
        scores[at][number:end] = [subject] * (end - number)
        first, last = items[at][1].parts[number].lines
        explained.setdefault(at, {}).setdefault(number, []).extend(range(first, last + 1))


def _raise_agents(items: WeighedItems, scores: list[list[float]], question: Question) -> None:
    """Raise the scores of code named after what does the deed in a question: `router.py` for "routed".

    A parser without a word of what is parsed is a parser of something else.
    """
    done_to = question.own - question.deed
    agents = [
        at
        for at in find_code(items)
        if _is_of_agent(items[at][0].item.path, question)
        and (not done_to or any(stem(term) in done_to for term in items[at][1].terms))
    ]
    scale_items(scores, agents, SETTINGS.agent)


def _is_of_agent(path: str, question: Question) -> bool:
    """Return whether a file or its folder is named after the agent of a deed, alone or with its object.

    For beans that are resolved, `bean_resolver.py` and `bean/resolve.py` count, `version_resolver.py` not.
    """
    done_to = question.own - question.deed
    deed = module_of(path).lower()
    if f"{deed.removesuffix('e')}er" in question.agents and {*stem_parts(folder_of(path))} <= done_to:
        return True
    return bool(question.agents) and any(
        not question.agents.isdisjoint(words) and (len(words) == 1 or not done_to.isdisjoint(stem_path(path)))
        for name in (module_of(path), folder_of(path))
        for words in [{one.lower() for one in _WORD.findall(name)}]
    )


def _raise_declarations(
    items: WeighedItems,
    scores: list[list[float]],
    question: Question,
    read: Callable[[ContextItem], str],
    *,
    explained: dict[int, dict[int, list[int]]],
) -> Collection[int] | None:
    """Raise the scores of declarations of a fact, commands, rules for tests, or lists of all of a kind.

    Lines that declare a fact are added to those `explained`; items with no other wanted lines are returned,
    if there are any.
    """
    highest = find_highest(scores)
    beside = [place for fact in question.beside for place in _find_fact_beside(items, question, fact, read)]
    for at, part in beside:
        scores[at][part] = max(scores[at][part], _SUBJECT * highest)
    if question.fact is not None:
        places = _find_fact(items, question, question.fact, read)
        _raise_first(scores, list(dict.fromkeys([*places, *beside])), SETTINGS.beside_fact)
        declaring = find_declaring_lines(items, places, question.fact, read)
        explained.update(declaring)
        return declaring.keys() if question.fact is Fact.VERSIONS else None
    if Aim.CI in question.aims and asks_for_checks(question):
        _raise_first(scores, [*find_checks(items, read), *beside], SETTINGS.beside_commands)
    elif Aim.DEVELOPING in question.aims or asks_for_checks(question):
        scale_items(scores, find_inner_manifests(items), SETTINGS.alike)
        told, asks_more = find_commands(items, question, read), asks_beside_commands(question)
        _raise_first(scores, [*told, *beside], 1.0 if asks_more else SETTINGS.beside_commands)
        if not asks_more:
            jobs = find_job_lines(items, told, question, read)
            explained.update(jobs)
            return jobs.keys() or None
    elif Aim.ENTRIES in question.aims:
        _raise_first(scores, find_fragments(items, question), 1.0)
    elif _ON_TESTS.issubset(question.aims):
        _raise_first(scores, [*find_test_rules(items), *find_test_example(items)], SETTINGS.beside_commands)
    elif question.wants_all:
        _raise_first(scores, find_lists(items, question, read), SETTINGS.beside_lists)
    return None


def _find_fact(
    items: WeighedItems, question: Question, fact: Fact, read: Callable[[ContextItem], str]
) -> list[PartPlace]:
    """Return the parts that declare a fact that a question asks for, the best first."""
    places = find_declarations(items, fact, read, own=question.own)
    if fact is Fact.STARTING:
        places = _find_first_deeds(items, places, read, question.project)
    told = find_commands(items, question, read) if fact is Fact.SETUP else []
    return list(dict.fromkeys([*places, *told]))


def _find_fact_beside(
    items: WeighedItems, question: Question, fact: Fact, read: Callable[[ContextItem], str]
) -> list[PartPlace]:
    """Return the parts that declare a fact asked for beside something else.

    For whoever adds to it, they are those of code, the parts with most declarations first.
    """
    if Aim.EXTENDING not in question.aims:
        return _find_fact(items, question, fact, read)[: SETTINGS.facts_beside]
    places = find_declarations(items, fact, read, among={*find_code(items)})
    own = [place for place in places if place[0] == places[0][0]]
    lines = find_declaring_lines(items, own, fact, read)
    own.sort(key=lambda place: -len(lines.get(place[0], {}).get(place[1], ())))
    return own[: SETTINGS.facts_beside]


def _find_members(
    items: WeighedItems, literals: Iterable[str], read: Callable[[ContextItem], str]
) -> list[PartPlace]:
    """Return the functions that a question names with their module, package, type or a variable of that type.

    `cup.New` is a function of a package, `flow.kill()` is `Flow.kill`, or else `TeaFlow.kill`.
    """
    dotted = [one.split(".")[-2:] for one in literals if "." in one]
    found: list[tuple[int, int, int]] = []
    for at in find_code(items) if dotted else ():
        path, parts = items[at][0].item.path, items[at][1].parts
        for owner, name in dotted:
            called = [
                n
                for n, part in enumerate(parts)
                if part.kind in CALLED and part.name.rpartition(".")[2] == name
            ]
            numbers = [n for n in called if parts[n].name == name]
            if numbers and owner in (module_of(path), folder_of(path), *_find_packages(items[at], read)):
                found += [(0, at, number) for number in numbers]
            for number in called or _find_short_types(items[at], name, read):
                holder = parts[number].name.lower().removesuffix(f".{name.lower()}").rpartition(".")[2]
                rank = rank_type(holder, owner.replace("_", "").lower())
                if rank == 0 or (called and rank is not None):
                    found.append((rank, at, number))
    exact = [one for one in found if one[0] == 0]
    return [(at, number) for _, at, number in exact or sorted(found)[: SETTINGS.few]]


def rank_type(type_: str, variable: str) -> int | None:
    """Return how likely a variable is of a type, 0 the most, None if it is hardly; both in lower case."""
    if type_ == variable or type_ == _OF_VARIABLES.get(variable):
        return 0
    if type_.endswith(variable):
        return 1
    return 2 if len(variable) > 2 and type_.startswith(variable) else None


def _find_short_types(
    item: tuple[Scored, SplitItem], method: str, read: Callable[[ContextItem], str]
) -> list[int]:
    """Return the types of a file whose methods are no parts of their own, and that have one of this name."""
    lines = read(item[0].item).split("\n")
    types = [n for n, part in enumerate(item[1].parts) if part.kind in HOLDING]
    return [n for n in types if any(f" {method}(" in one for one in lines[slice(*item[1].parts[n].lines)])]


def _find_parameter_types(
    items: WeighedItems, functions: Iterable[PartPlace], read: Callable[[ContextItem], str]
) -> list[PartPlace]:
    """Return the types of the parameters of some functions, whose fields are a caller's options.

    If several types have one name, the one in the function's folder is meant.
    """
    taken: dict[str, str] = {}
    for at, number in functions:
        part = items[at][1].parts[number]
        head = read(items[at][0].item).split("\n")[part.head[0] - 1 : part.head[1]] if part.head[0] else ()
        own = re.escape(part.name.rpartition(".")[2])
        parameters = re.search(rf"\b{own}\b[^()]{{0,80}}{_PARENTHESES}", "\n".join(head))
        names = _TYPE_NAME.findall(parameters[0]) if parameters else []
        taken |= dict.fromkeys(names, part.path.rpartition("/")[0])
    defined: defaultdict[str, list[PartPlace]] = defaultdict(list)
    for at in find_code(items) if taken else ():
        for number, part in enumerate(items[at][1].parts):
            if part.kind in HOLDING and part.name in taken:
                defined[part.name].append((at, number))
    found: list[PartPlace] = []
    for name, places in sorted(defined.items()):
        near = [one for one in places if items[one[0]][0].item.path.rpartition("/")[0] == taken[name]]
        found += near[:1] or (places if len(places) == 1 else [])
    return found


def _find_packages(item: tuple[Scored, SplitItem], read: Callable[[ContextItem], str]) -> list[str]:
    """Return the package clause of a file in Go."""
    return _PACKAGE.findall(read(item[0].item)) if item[0].item.path.endswith(".go") else []


def _find_first_deeds(
    items: WeighedItems, declared: Sequence[PartPlace], read: Callable[[ContextItem], str], project: str
) -> list[PartPlace]:
    """Return the parts that a program runs first: its start, the functions called there, declared starts.

    If it starts with a function, declared starts in other folders are of other programs.
    """
    starts, long = find_starts(items, read, project)
    found = list(starts)
    folders = {items[at][0].item.path.rpartition("/")[0] for at, _ in found}
    if any(items[at][1].parts[part].kind in CALLED for at, part in found[:1]):
        declared = [one for one in declared if items[one[0]][0].item.path.rpartition("/")[0] in folders]
    return [*found, *long, *declared]


def _raise_first(scores: list[list[float]], places: Sequence[PartPlace], beside: float) -> None:
    """Let these parts come first, in this order; lower the others by a factor."""
    highest = find_highest(scores) or 1.0
    if places:
        scores[:] = [[beside * score for score in mine] for mine in scores]
    for rank, (at, part) in enumerate(places):
        scores[at][part] = highest * (1 + SETTINGS.first * (1 - rank / len(places)))


def _lower_lists(
    items: WeighedItems,
    scores: list[list[float]],
    question: Question,
    read: Callable[[ContextItem], str],
) -> None:
    """Lower the scores of parts that are lists of links or tables: they explain nothing themselves.

    Not of those named after the question, like "Exit codes" above a table. A section named after a setting
    explains only that.
    """
    for (one, split), mine in zip(items, scores, strict=True):
        for at, part in enumerate(split.parts):
            names = _NAME_OF_SETTING.findall(part.name) if mine[at] and part.kind == "section" else ()
            if names and not {*names} & {*question.literals}:
                mine[at] *= SETTINGS.alike
        told = [
            at
            for at, part in enumerate(split.parts)
            if mine[at] and part.kind in _TOLD and question.own.isdisjoint(stem_all(part.name))
        ]
        lines = read(one.item).split("\n") if told else []
        for at in told:
            first, last = split.parts[at].lines
            if _is_list(lines[first - 1 : last]):
                mine[at] *= SETTINGS.alike


def _is_list(lines: Iterable[str]) -> bool:
    """Return whether most lines with words are rows of a table or belong to a list of links."""
    listed = others = 0
    is_link = False
    for line in filter(_SAYS.search, lines):
        is_link = _LINK.match(line) is not None or (is_link and line[0].isspace())
        if is_link or " | " in line:
            listed += 1
        else:
            others += 1
    return listed >= SETTINGS.listed * (listed + others) > 0


def _lower_deeds_alone(
    items: WeighedItems, rows: Sequence[AnswerRow], scores: list[float], question: Question
) -> None:
    """Lower parts that have a question's verb but not its object: "how is an index built".

    "Default" and "enabled" count as verbs in questions about settings. A file named after the agent may have
    other words for the object.
    """
    deed = question.deed | (_OF_STATES if Aim.CONFIGURATION in question.aims else frozenset())
    if question.own <= deed or question.own.isdisjoint(deed):
        return
    for number, row in enumerate(rows):
        said = {word for term in row.counts for word in question.groups.get(term, term).split()}
        is_alone = bool(said) and said <= deed
        if is_alone and not _is_of_agent(items[row.item][0].item.path, question):
            scores[number] *= SETTINGS.deed


def _lower_deprecated(
    items: WeighedItems,
    scores: list[list[float]],
    question: Question,
    read: Callable[[ContextItem], str],
) -> None:
    """Lower the scores of definitions marked as deprecated: their replacements answer."""
    least = SETTINGS.least * find_highest(scores)
    for at in find_code(items) if question.own.isdisjoint(_OF_DEPRECATION) else ():
        if _OLD_CODE.search(items[at][0].item.path):
            scale_items(scores, [at], SETTINGS.alike)
            continue
        parts = items[at][1].parts
        near = [n for n, score in enumerate(scores[at]) if score >= least > 0 and parts[n].head[0]]
        lines = read(items[at][0].item).split("\n") if near else []
        lowered = {
            inner
            for number in near
            if any(map(_DEPRECATED.match, lines[parts[number].lines[0] - 1 : parts[number].head[1]]))
            for inner in range(number, end_of_span(parts, number))
        }
        for number in lowered:
            scores[at][number] *= SETTINGS.alike


def _asks_for_agent(question: Question) -> bool:
    """Return whether a question asks where something is done, and not where it is defined."""
    return bool(question.agents) and Aim.WHERE in question.aims and question.own.isdisjoint(_OF_DEFINING)


def _lower_types(items: WeighedItems, scores: list[list[float]]) -> None:
    """Lower the scores of types, and of little code under a long comment: the work is done elsewhere."""
    for at in find_code(items):
        for number, part in enumerate(items[at][1].parts):
            is_told = part.comments > 0.5 and part.tokens * (1 - part.comments) < SETTINGS.done_tokens
            if is_told or part.kind in _TYPES:
                scores[at][number] *= SETTINGS.not_done


def _raise_code(
    items: WeighedItems,
    scores: list[list[float]],
    meant: Mapping[str, AbstractSet[str]],
    question: Question,
) -> None:
    """Raise the scores of code that explains something: pages use more words, but are no more exact.

    The definition of a name that is `meant` comes before the best of all others.
    """
    code = find_code(items)
    highest = find_highest(scores)
    before = find_highest([scores[at] for at in code])
    for at in code:
        pairs = zip(items[at][1].parts, scores[at], strict=True)
        scores[at] = [score * (1 + SETTINGS.commented * part.comments) for part, score in pairs]
    best = find_highest([scores[at] for at in code])
    wanted = max(before, min(highest, SETTINGS.code_raised * before))
    for at in code if best else ():
        scores[at] = [score * wanted / best for score in scores[at]]
    if best:
        _raise_named(items, scores, meant, question, score=_SUBJECT * highest)


def _raise_named(
    items: WeighedItems,
    scores: list[list[float]],
    meant: Mapping[str, AbstractSet[str]],
    question: Question,
    *,
    score: float,
) -> None:
    """Let the definitions of some names in code have this score, if the path has the words given with them.

    The further parts of a long function come only halfway: it would fill the window. Code beside the program
    comes after it. A question about where something is done means no type.
    """
    kinds = CALLED if _asks_for_agent(question) else _DEFINED
    for at in find_code(items):
        own_score = score * _count_aside(items[at][0].item.path, question)
        parts = items[at][1].parts
        for number, part in enumerate(parts):
            rest = meant.get(part.name.rpartition(".")[2], meant.get(part.name))
            if part.kind in kinds and rest is not None and rest <= {*stem_path(part.path)}:
                end = end_of_span(parts, number) if part.kind in CALLED else number + 1
                is_long = sum(one.tokens for one in parts[number:end]) > SETTINGS.long_tokens
                rest_of_it = scores[at][number + 1 : end]
                scores[at][number:end] = [
                    own_score,
                    *((own_score + one) / 2 if is_long else own_score for one in rest_of_it),
                ]


def _drop_older_pages(
    pages: Sequence[tuple[int, str]], scores: list[list[float]], versions: Collection[str]
) -> None:
    """Keep the newest version of a page, or the one that a question names."""
    older = find_older_pages([path for _, path in pages], versions)
    for at, path in pages:
        if path in older:
            scores[at] = [0.0] * len(scores[at])


def _score_upgrade(
    items: WeighedItems,
    scores: list[list[float]],
    upgrade: Upgrade | None,
    read: Callable[[ContextItem], str],
) -> None:
    """Score entries of pages on changes by their versions, guides to the new one first, and drop the others.

    Nothing changes if no entry is of a version in between: something else is upgraded.
    """
    if upgrade is None:
        return
    highest = find_highest(scores) or 1.0
    related = {
        at: relate_parts(upgrade, one.item.path, split.parts, read(one.item).split("\n"))
        for at, (one, split) in enumerate(items)
        if one.item.kind == "file" and place_of(one.item.path) is FilePlace.CHANGES
    }
    if not any(found in SETTINGS.upgrades for mine in related.values() for found in mine):
        return
    for at, relations in related.items():
        factor = SETTINGS.guide if is_guide(items[at][0].item.path) else 1.0
        for part, found in enumerate(relations):
            if found is not None:
                base, own = SETTINGS.upgrades.get(found, (0.0, 0.0))
                scores[at][part] = factor * (base * highest + own * scores[at][part])


def _prefer_language(pages: Sequence[tuple[int, str]], scores: list[list[float]], question: Question) -> None:
    """Keep the scores of one translation of each page: in the question's language, or the original.

    A page in a language that the question names is as good as the best of them: "the german message".

    `pages` are indexes of items and paths. A question in another language than English may match the English
    page alone, since its words are translated: then the page in its language takes over the scores if it has
    as many parts, and otherwise both stay.
    """
    places, language = {path: at for at, path in pages}, question.language
    groups = group_translations(places)
    known = {code for group in groups if len(group) > 1 for code in group.values()} - {"", language}
    for group in groups:
        if named := [places[path] for path, code in group.items() if code in question.named_languages]:
            best = max((max(scores[places[path]], default=0.0) for path in group), default=0.0)
            for path in group:
                at = places[path]
                factor = best / max(scores[at], default=0.0) if at in named and any(scores[at]) else 0.0
                scores[at] = [score * factor for score in scores[at]]
            continue
        if known.issuperset(group.values()):
            for path in group:
                scores[places[path]] = [SETTINGS.foreign * score for score in scores[places[path]]]
        family = {places[path]: language for path, language in group.items()}
        languages = set(family.values())
        original = "en" if "en" in languages and (language == "en" or "" not in languages) else ""
        wanted = language if language in languages else original
        chosen = next((at for at in family if family[at] == wanted), -1)
        for other in family:
            if chosen < 0 or other == chosen:
                continue
            if language != "en" and len(scores[other]) == len(scores[chosen]):
                scores[chosen] = list(map(max, scores[chosen], scores[other]))
            elif language != "en" and max(scores[other], default=0.0) > max(scores[chosen], default=0.0):
                continue
            scores[other] = [0.0] * len(scores[other])


def _keep_closest(scores: Sequence[Sequence[float]], count: int) -> list[list[float]]:
    """Return the scores with 0 for all but the best parts."""
    parts = [(score, -at, -part) for at, mine in enumerate(scores) for part, score in enumerate(mine)]
    closest = set(heapq.nlargest(count, parts))
    return [
        [score if (score, -at, -part) in closest else 0.0 for part, score in enumerate(mine)]
        for at, mine in enumerate(scores)
    ]


def _is_weak(
    rows: Sequence[AnswerRow],
    raw: Sequence[float],
    weights: Mapping[str, float],
    question: Question,
) -> bool:
    """Return whether no part has much of what a short question in English asks for.

    A part without any of its words and their synonyms is a weak match for any question. Code seldom uses
    the words of a question about what it does or how it works.
    """
    if not any(raw):
        return bool(raw)
    if (
        question.language != "en"
        or question.literals
        or not {Aim.WHERE, Aim.EXPLAIN, Aim.HISTORY, Aim.RELEASES}.isdisjoint(question.aims)
    ):
        return False
    if len(question.own) > SETTINGS.weak_words:
        return False
    if question.own.isdisjoint(weights) and all(question.terms.get(term, 0.0) < 1 for term in weights):
        return True  # only synonyms of its words occur
    unknown = inverse_document_frequency(len(rows), 0)
    telling = [term for term in question.own if question.terms[term] >= 1] or question.own
    asked = {term: weights.get(term, unknown * question.terms[term]) for term in telling}
    best = heapq.nlargest(_LOOKED_AT, range(len(rows)), key=raw.__getitem__)
    held = [{question.groups.get(term, term) for term in rows[at].counts} for at in best]
    covered = max(sum(asked[one] for one in mine & asked.keys()) for mine in held)
    if covered < SETTINGS.weak * sum(asked.values()):
        return True
    is_setting = Aim.CONFIGURATION in question.aims and question.terms.keys() <= question.groups.keys()
    phrases = set(map(" ".join, question.phrases))
    return is_setting and bool(phrases) and not any(phrases & mine for mine in held)


def answer_shares(
    items: WeighedItems,
    scores: Sequence[Sequence[float]],
    question: Question,
    budget: int,
    told: Mapping[int, Collection[int]] = MappingProxyType({}),
) -> list[list[float]]:
    """Return each part's share of the answer; equal scores make equal shares per token.

    Of parts with `told` lines, by item, one with few tokens counts as a longer one: it is worth its header.

    Settings are spread over several files: the more is shown of one, the less the rest of it counts. How
    something works is explained by code and by pages: the more is shown of pages, the less the rest counts.
    """
    worths = [
        [score**SETTINGS.power * max(part.tokens, 1) for score, part in zip(mine, split.parts, strict=True)]
        for mine, (_, split) in zip(scores, items, strict=True)
    ]
    for at, numbers in told.items():
        for number in numbers:
            worths[at][number] *= max(SETTINGS.told_tokens / max(items[at][1].parts[number].tokens, 1), 1.0)
    for crowd in _find_crowds(items, question):
        before, places = -crowd.free * budget, crowd.places
        parts = [(at, part) for at in places for part in range(len(scores[at]))]
        for at, part in sorted(parts, key=lambda place: -scores[place[0]][place[1]]):
            worths[at][part] /= 1 + max(before, 0) / (SETTINGS.much * budget)
            before += items[at][1].parts[part].tokens if scores[at][part] else 0
    total = sum(map(sum, worths)) or 1.0
    return [[worth / total for worth in mine] for mine in worths]


class _Crowd(NamedTuple):
    """Items that must not crowd out others."""

    places: Sequence[int]
    free: float
    """Share of the budget after which more of them counts less."""


def _find_crowds(items: WeighedItems, question: Question) -> list[_Crowd]:
    """Return the items that must not crowd out others."""
    crowds: list[_Crowd] = []
    if Aim.CONFIGURATION in question.aims:
        crowds += [_Crowd([at], 0.0) for at in range(len(items))]
    if Aim.ENTRIES in question.aims:  # the newest entries show how the others are written
        changes = [at for at, (one, _) in enumerate(items) if place_of(one.item.path) is FilePlace.CHANGES]
        crowds.append(_Crowd(changes, SETTINGS.much))
    if Aim.EXPLAIN in question.aims and not any(one.item.kind == OVERVIEW for one, _ in items):
        code = set(find_code(items))
        pages = [at for at in range(len(items)) if at not in code]
        crowds.append(_Crowd(pages, SETTINGS.free_on_way if question.is_about_way else SETTINGS.free_pages))
    return crowds
