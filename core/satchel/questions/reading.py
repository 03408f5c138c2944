"""Read a task as a question: whether it is one, its aims, and the words that its answer may use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from satchel.patterns import lazily
from satchel.questions.aims import Aim
from satchel.questions.certainty import estimate_certainty
from satchel.questions.facts import IN_CODE, Fact, find_fact
from satchel.questions.finding_aims import asks_for_way, read_aims, refine_aims
from satchel.questions.languages import EAST_ASIAN, STOP, STOP_ELSEWHERE, find_language, is_foreign, translate
from satchel.questions.literals import find_literals
from satchel.questions.orders import find_ordered_aims, orders_with_places, strip_places
from satchel.questions.page_versions import find_named_languages
from satchel.questions.releases import OF_UPGRADES, find_product, find_versions, is_about_upgrade
from satchel.questions.upgrades import Upgrade, read_upgrade
from satchel.questions.vague_words import (
    OF_EXTENDING,
    find_vague_stems,
    is_vague,
    lower_by_aims,
    lower_vague_words,
)
from satchel.questions.whole_project import find_rest, is_about_whole, strip_asker
from satchel.questions.word_tables import read_words
from satchel.questions.words import (
    EXPRESSION,
    PARTICLES,
    SLIGHT_WEIGHT,
    TRANSLATION,
    add_tools,
    basic_forms,
    find_terms,
    find_tools,
    raise_weights,
    stem_all,
)
from satchel.stems import stem
from satchel.workspace.index.terms import WORD, split_words

_STATUS = lazily(
    r"(?<![\w.:/-])(?:20[1-6]|[345]\d\d)(?![\w.:/-]|\s+(?!(?:errors|pages|responses|status)\b)\w+s\b)"
)
"""A possible HTTP status, and no number of things."""
_PAST = lazily(
    r"(?i)(?<![-\w])(authors?|blamed?|commits?(?!-)|committed|history|introduced?|introduction"
    r"|regress(ed|ions?))\b"
    r"|\b(?:was|were|is|are|has|have|had|been|get|got|what|which|who|why|recently|last|lately|just)"
    r" chang(?:e|ed|es)\b"
    r"|\b(?:the|that|this|these|those|no|any|of|latest|recent|breaking|which|what) changes?\b"
    r"|\b(?:has|have|had|was|were)\b.{0,40}\bchanged\b|\bdid\b.{0,40}\bchange\b"
    r"|\bchanged (?:in|since|between|from|by|when)\b"
)
"""Words about the past; "how to change something" is not."""
_TOLD_OF_PAST = frozenset({Aim.CONTRIBUTING, Aim.RELEASES})
"""Aims of questions whose answers are about the past anyway."""
_PLACE = lazily(
    r"(?i)\b(which|what) (source )?(code|files?|functions?|class|classes|modules?|methods?|part)\b"
)
"""The kind of place that a question asks for: "which code wakes the tasks" is about waking tasks."""
_INTO = lazily(r"\b(?:add|adding|introduce|put)\b.{1,80}?\b(?:to|into|onto|inside|within)\b(.+)")
"""The target of an addition."""
_FOR = lazily(
    r"\b(?:write|create|make|implement|build|develop|define|author|provide|add|introduce)\b"
    r" (?:an?|my|our|another) .{2,60}?\bfor\b(.+)"
)
"""The beneficiary of a new thing: "a validator for an input"; "support for" is no thing."""
_DONE = lazily(r"(?i)\b(?:how|where|when)\b[^?.,]{0,20}?\b(?:is|are|was|were|gets?) ([^?.,]{2,60})")
"""A thing and what is done to it: "how is a request routed"."""
_OF_PLACES = frozenset({Aim.EXPLAIN, Aim.WHERE})
_OF_ARTICLES = frozenset({"the", "a", "an", "my", "our", "thi", "it"})
_PROJECT_ELSEWHERE = frozenset(map(stem, read_words("project elsewhere")))
"""Words for a project and for having, in other languages."""
_OF_ORDER = 0.5
"""Certainty of an order that asks for its places."""
_OF_FACT = 1.0
"""Certainty of a question that only names a fact, such as "minimum Go version"."""
_AIMS_OF_FACTS = MappingProxyType(
    {
        Fact.RELEASING: Aim.CONTRIBUTING,
        Fact.SETUP: Aim.DEVELOPING,
        Fact.INSTALLING: Aim.HOW_TO,
        Fact.CONVENTIONS: Aim.CONTRIBUTING,
        Fact.REPORTING: Aim.CONTRIBUTING,
    }
)
_CALLED = MappingProxyType({Fact.ENVIRONMENT: "env environ getenv setenvprefix bindenv"})
"""Words of code for a fact."""
_BESIDE = frozenset({Fact.VERSIONS, Fact.LICENCE, Fact.OWN_VERSION})
"""Facts that a question may ask for beside settings."""
_OF_COMMAND_LINE = lazily(
    r"(?i)\b(command[- ]?line|cli)\b.{0,40}\b(options?|flags?|switch(es)?|arguments?|args?|parameters?)\b"
    r"|\b(option|flag|switch|argument|arg|parameter)s? (to|on|of|for) (the|its|our) (command[- ]?line|cli)\b"
)
"""An addition to the command line: the declarations of its options count."""
_AND = lazily(r"(?i)\s*,?\s(?:and|or|und|oder|sowie|plus|et|y)\s|\s[+&]\s|[,;]\s")
_NEXT = lazily(
    r"(?i)(?:(?<![,;.?!])[,;.?!]+\s+(?:and\s+)?|(?<!\s)\s+and\s+)(?=(?:how|what|which|where|who)\b)"
)
"""The joint between two questions in one."""
_NO_FACT = frozenset({Aim.RELEASES, Aim.HISTORY, Aim.TESTS})
"""Aims of questions that are about something else though they have the words of a fact."""
_OF_ORDERS = frozenset(map(stem, "bump update upgrade add fix change chore deps improve".split()))  # noqa: SIM905
"""Verbs at the beginning of orders, which say nothing about the thing to change."""
_ADDS_ELSEWHERE = lazily(
    r"(?i)\bf(?:ü|ue)ge?n?\b.{1,80}\bhinzu\b|\bhinzu(?:zu)?f(?:ü|ue)gen\b"
    r"|\b(?:schreib|erstell|implementier|entwickl|bau)\w{0,3} (?:(?:ich|man|wir) )?eine?n? "
    r"(?:neu|eigen|weiter)"
    r"|\b(?:agreg|añad)\w{1,6} (?:una?|otr[oa]|mi|soporte)\b"
    r"|\b(?:adicion|acrescent)\w{1,6} (?:uma?|outr[oa]|meu|suporte)\b"
    r"|\b(?:cre|escrib|implement)\w{1,6} (?:una?|mi) (?:\w+ )?(?:nuev|propi)"
    r"|\b(?:cri|escrev|implement)\w{1,6} (?:uma?|meu|minha) (?:\w+ )?(?:nov|própri)"
    r"|\bajout\w{1,4} (?:une?|mon|ma|le support)\b"
    r"|\b(?:cré|écri|implément)\w{1,4} (?:une?|mon|ma) (?:\w+ )?(?:nouve|propre)"
    r"|\b(?:добавить|написать|создать|реализовать) (?:нов|сво|собственн|ещё|еще|поддержку )"
    r"|(?:如何|怎么|怎样).{0,4}(?:添加|新增|增加|编写|实现|创建|写)"
    r"|(?:追加|作成|実装)する?(?:に|方法)|どう.{0,20}(?:追加|作成|実装)"
)
"""A question about adding one more of a kind, in other languages."""
_NEW_ELSEWHERE = frozenset(map(stem, read_words("new elsewhere")))
"""Words that mean a new thing, or one's own."""
_WHICH = lazily(
    r"(?i)^\W*(?:(?:what|which)(?: \S+){1,5}"
    r"|(?:list|show|name)(?: me)?(?: all)?(?: of)?(?: the)?(?: \S+){0,5}) "
    r"(?:(?:is|are|does|do|can) (?:\S+ ){0,3})?"
    r"(?:supp?orted|supp?orts?|available|built[- ]?in|exists?|offered|provided?|included?|there|bundled)\b"
    r"|^\W*(?:list|show)(?: me)? (?:all )?(?:the )?(?:supported|available|built[- ]?in|existing|bundled) "
)
"""A question for all of a kind."""
_OF_LISTS = frozenset(map(stem, read_words("lists")))
"""Words of such a question."""
_OF_ONE = frozenset(
    {Aim.EXPLAIN, Aim.EXTENDING, Aim.WHERE, Aim.TESTS, Aim.HISTORY, Aim.RELEASES, Aim.CONTRIBUTING}
)


class Question(NamedTuple):
    """A task as a question: its aims, its words, and what else it asks for."""

    certainty: float
    """How surely it is a question, 0..1: 0 for reports and changes."""
    aims: tuple[Aim, ...] = (Aim.ANY,)
    terms: Mapping[str, float] = MappingProxyType({})
    """Stems that its answer may hold, with weights; 1 for its own words."""
    own: frozenset[str] = frozenset()
    """Stems of its own words."""
    groups: Mapping[str, str] = MappingProxyType({})
    """By stem, the word that it is a synonym of: of a word and its synonyms, only the best match counts."""
    phrases: tuple[tuple[str, str], ...] = ()
    """Stems of its own adjacent words: "line length" is one thing, `line-length` in code."""
    versions: tuple[str, ...] = ()
    """Versions that it names, such as `8.2`."""
    named_versions: tuple[str, ...] = ()
    """The same, whatever the aims of the question."""
    literals: tuple[str, ...] = ()
    """Names that it writes as code: `--budget`, `sendFile`, `SET`."""
    language: str = "en"
    """Code of its language."""
    upgrade: Upgrade | None = None
    """The versions that it asks to upgrade from and to."""
    named_languages: frozenset[str] = frozenset()
    """Codes of the languages that it names."""
    is_about_way: bool = False
    """Whether it asks for the way through the code from one place to another."""
    is_about_past: bool = False
    """Whether it asks for changes in the project, their times or authors."""
    fact: Fact | None = None
    """The fact about the project that it asks for."""
    beside: tuple[Fact, ...] = ()
    """Facts that it asks for beside something else: "the lint rules, and the lowest Python"."""
    into: frozenset[str] = frozenset()
    """Stems of the target of an addition: "a new field to Owner"."""
    wants_all: bool = False
    """Whether it asks for all of a kind: "what vector stores are supported"."""
    beneficiary: frozenset[str] = frozenset()
    """Stems of the beneficiary of a new thing: "a validator for an input"."""
    project: str = ""
    """The name of the project that it is asked in, if known."""
    agents: frozenset[str] = frozenset()
    """Possible names in code for what does the deed: `router` for "routed"."""
    deed: frozenset[str] = frozenset()
    """Stems of the deed in "how is" or "where is" questions: "built"."""


NO_QUESTION = Question(0.0)


@lru_cache(maxsize=64)
def read_question(text: str) -> Question:
    """Return a task as a question, `NO_QUESTION` for a report or a change."""
    if (asked := strip_asker(text)).strip(" ,.;:\n"):
        text = asked
    order = strip_places(text)
    orders = order != text or orders_with_places(text)
    text, ordered = order, () if orders else find_ordered_aims(text.strip())
    certainty = _OF_ORDER if orders else estimate_certainty(text.strip(), is_ordered=bool(ordered))
    if not certainty:
        return NO_QUESTION
    stop = STOP | PARTICLES | (STOP_ELSEWHERE if is_foreign(text) else frozenset())
    said = _STATUS.sub(_name_status, text)
    own = _stem_without(stop, _PLACE.sub(" ", said))
    terms, groups = find_terms(said, own, find_vague_stems(said))
    is_way = asks_for_way(text)
    lower_vague_words(terms, groups, said, is_about_way=is_way)
    aims = (Aim.EXTENDING,) if orders else read_aims(text, is_way=is_way)
    lower_by_aims(terms, groups, aims, text)
    wants_all = _WHICH.search(text) is not None and _OF_ONE.isdisjoint(aims)
    if wants_all:
        forms = [term for term in terms if groups.get(term, term) in _OF_LISTS]
        terms.update((term, SLIGHT_WEIGHT * terms[term]) for term in forms)
    aims = refine_aims(aims, ordered, text, terms)
    if Aim.CONFIGURATION in aims or Aim.CONTRIBUTING in aims:
        add_tools(terms, text)
    if ordered:
        terms.update((term, SLIGHT_WEIGHT) for term in own if term in _OF_ORDERS)
    slight = {term for term, weight in terms.items() if term in own and weight <= SLIGHT_WEIGHT}
    pairs = _find_phrases(said)
    phrases = tuple(pair for pair in pairs if not any(map(is_vague, pair)) and slight.isdisjoint(pair))
    is_upgrade = Aim.RELEASES in aims and is_about_upgrade(text)
    if is_upgrade:
        raise_weights(terms, stem_all(OF_UPGRADES), EXPRESSION)
    versions = find_versions(text, is_upgrade=is_upgrade)
    deed = {} if _OF_PLACES.isdisjoint(aims) else _find_deed(text)
    question = Question(
        certainty,
        aims,
        MappingProxyType(terms),
        frozenset(own),
        MappingProxyType(groups),
        phrases,
        versions if Aim.RELEASES in aims else (),
        versions,
        find_literals(text),
        find_language(text),
        read_upgrade(text, versions) if is_upgrade else None,
        find_named_languages(text),
        Aim.EXPLAIN in aims and is_way,
        Aim.HISTORY in aims or (_PAST.search(text) is not None and _TOLD_OF_PAST.isdisjoint(aims)),
        wants_all=wants_all,
        into=_find_target(_INTO, text) if Aim.EXTENDING in aims else frozenset(),
        beneficiary=_find_target(_FOR, text.lower()) if Aim.EXTENDING in aims else frozenset(),
        agents=_name_agents(deed),
        deed=frozenset(map(stem, deed)),
    )
    if _ADDS_ELSEWHERE.search(text) and is_foreign(text):
        question = _extend_elsewhere(question, text)
    return _ask_for_fact(question, text, question.own)


def _stem_without(stop: AbstractSet[str], text: str) -> list[str]:
    """Return the stems of the words of a text without stop words."""
    return stem_all(" ".join(word for word in WORD.findall(text) if word.lower() not in stop))


def _extend_elsewhere(question: Question, text: str) -> Question:
    """Return a question about adding one more, asked in another language, with its words translated."""
    low = text.lower()
    meant = {stems[0] for stems in translate(low) if OF_EXTENDING.isdisjoint(stems)}
    unknown = {stem(word) for word in WORD.findall(low) if word.isascii() and not any(translate(word))}
    own = meant | ((question.own & unknown) - _NEW_ELSEWHERE)
    slight = dict.fromkeys(question.own - own, SLIGHT_WEIGHT)
    terms = MappingProxyType({**question.terms, **slight, **dict.fromkeys(own, 1.0)})
    return question._replace(aims=(Aim.HOW_TO, Aim.EXTENDING), own=frozenset(own), terms=terms)


def _find_target(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    """Return the stems of the target or the beneficiary that a pattern finds in a text."""
    found = pattern.search(text)
    return frozenset(stem_all(found[1])) - _OF_ARTICLES if found is not None else frozenset()


def _find_deed(text: str) -> dict[str, set[str]]:
    """Return the words of a deed, each with its basic forms: "how is an index built"."""
    match = _DONE.search(text)
    deed: dict[str, set[str]] = {}
    for word in match[1].lower().split() if match is not None else ():
        basic = basic_forms(stem(word))
        if word.endswith("ed"):
            deed[word] = {word.removesuffix("ed"), *basic}
        elif len(basic) > 1:
            deed[word] = {*basic}
    return deed


def _name_agents(deed: Mapping[str, AbstractSet[str]]) -> frozenset[str]:
    """Return possible names in code for what does a deed: `router` for "routed", `writer` for "written"."""
    bases = {base for found in deed.values() for base in found}
    return frozenset(base + ending for base in bases for ending in ("er", "or", "ers", "ors"))


def _translate_own(question: Question) -> frozenset[str]:
    """Return the English stems of a question's words, or no stems if a word has no translation."""
    translated = {
        term
        for term, weight in question.terms.items()
        if weight == TRANSLATION and question.groups.get(term, term) == term
    }
    rest = {one for one in question.own if one not in _PROJECT_ELSEWHERE and not EAST_ASIAN.search(one)}
    is_whole = len(rest) == len(translated) or (not rest and _PROJECT_ELSEWHERE & question.own)
    return frozenset(translated if is_whole else ())


def _ask_for_fact(question: Question, text: str, said: AbstractSet[str]) -> Question:
    """Return a question with the fact that it asks for, if its words with these stems ask for no more."""
    aims = {*question.aims}
    fact = find_fact(said, aims, text, certainty=question.certainty)
    if fact is None and is_foreign(text):
        translated = _translate_own(question)
        fact = find_fact(translated, aims, f"the project {' '.join(sorted(translated))}")
    both = _find_facts_of_clauses(question, text, said)
    fact, *beside = both if both and all(both) else (fact, *both)
    facts = tuple(one for one in beside if one not in {None, fact})
    if fact is None or not _NO_FACT.isdisjoint(aims):
        return question._replace(beside=facts or tuple(_find_facts_beside(question, text)))
    question = question._replace(beside=facts)
    aim = _AIMS_OF_FACTS.get(fact, Aim.DECLARED)
    kept = question.aims if aim in aims or fact in IN_CODE else (aim,)
    terms = {**dict.fromkeys(stem_all(_CALLED.get(fact, "")), 1.0), **question.terms}
    return question._replace(certainty=_OF_FACT, aims=kept, fact=fact, terms=MappingProxyType(terms))


def _find_facts_of_clauses(question: Question, text: str, said: AbstractSet[str]) -> list[Fact | None]:
    """Return the fact or None for each of several questions in one, [] for a single question.

    Only the words of a clause that are among the stems `said` count.
    """
    clauses = _NEXT.split(text)
    if len(clauses) < 2:
        return []
    return [
        find_fact(one.own & said, {*one.aims}, clause, certainty=question.certainty)
        for clause, one in zip(clauses, map(read_question, clauses), strict=True)
    ]


def _find_facts_beside(question: Question, text: str) -> Iterator[Fact]:
    """Yield the facts that a clause on settings asks for, or that something is added to."""
    if Aim.EXTENDING in question.aims and _OF_COMMAND_LINE.search(text):
        yield Fact.COMMAND_LINE
    clauses = _AND.split(text) if Aim.CONFIGURATION in question.aims else ()
    for clause in clauses if len(clauses) > 1 else ():
        fact = find_fact({*_stem_without(STOP, clause)}, {*question.aims}, clause)
        if fact in _BESIDE:
            yield fact


def _name_status(number: re.Match[str]) -> str:
    """Return the name of an HTTP status in code: 504 is a gateway timeout."""
    from http import HTTPStatus

    try:
        return HTTPStatus(int(number[0])).name.replace("_", " ").lower()
    except ValueError:  # there is no such status
        return number[0]


def _find_phrases(text: str) -> tuple[tuple[str, str], ...]:
    """Return the pairs of adjacent stems, with nothing but blanks or a hyphen between them."""
    found: dict[tuple[str, str], None] = {}
    before, end = "", 0
    for match in WORD.finditer(text):
        parts = [part for some in split_words([match[0]]) for part in some if "_" not in part]
        stems = [stem(part) for part in parts] if match[0].lower() not in STOP else []
        if before and stems and not text[end : match.start()].strip(" -"):
            found[before, stems[0]] = None
        found.update(dict.fromkeys(pairwise(stems)))
        before, end = (stems[-1] if stems else ""), match.end()
    return tuple((one, other) for one, other in found if one != other)


def asks_about_whole(text: str, *, name: str = "") -> bool:
    """Return whether a question is about a project as a whole, like "explain the architecture".

    `name` is the project's own, which says no more than "this project". A question that names anything else,
    such as "explain the design of the parser", is not; `find_rest` returns a further question.
    """
    return bool(read_question(text.strip()).certainty) and (
        is_about_whole(text, name) or bool(find_rest(text, name=name))
    )


def relate_to_project(question: Question, text: str, name: str) -> Question:
    """Return a question adapted to the project of that name that it is asked in.

    The project's name says little: everything in it is about it. An upgrade of something else is of a
    dependency: manifests say more about that than the project's own changes.
    """
    question = question._replace(project=name)
    if question.fact in IN_CODE:  # its table says where it is
        question = question._replace(aims=(Aim.ANY,))
    own = set(stem_all(name)) & question.own
    upgraded = find_product(text) if Aim.RELEASES in question.aims else ""
    if upgraded and own.isdisjoint(stem_all(upgraded)):
        question = question._replace(aims=(Aim.CONFIGURATION, *question.aims))
    if not own or own == question.own:
        return question
    question = _ask_for_fact(question, text, question.own - own)
    tools = find_tools(own)
    terms = {
        term: min(weight, SLIGHT_WEIGHT) if term in own else weight
        for term, weight in question.terms.items()
        if term not in tools - question.own  # linting is what a linter does
    }
    return question._replace(terms=MappingProxyType(terms))
