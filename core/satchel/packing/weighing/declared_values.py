"""Find the constants and fields with a value that is asked for: `maxRetries = 5` for "how many retries".

Their lines have few words, and are among the fields of a type or at the top of a file, while the functions
that use them have more words of the question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from satchel.items import ContextItem
from satchel.packing.weighing.backbone import CALLED, find_code
from satchel.packing.weighing.chances import WeighedItems
from satchel.parts import Part, end_of_span
from satchel.patterns import lazily
from satchel.questions import Question, place_of
from satchel.questions.aims import Aim, FilePlace
from satchel.questions.words import EXPRESSION, stem_all, stem_parts

_NUMBER = r"-?\d[\w.]{0,30}"
_VALUE = lazily(
    rf"(?:{_NUMBER}(?:[ \t]?[*+/<-]{{1,2}}[ \t]?[\w.]{{1,30}}){{0,4}}(?:\(\))?"
    r"|\"[^\"\n]{0,80}\"|'[^'\n]{0,80}'|(?:true|false|True|False)"
    r"|[A-Z]\w{1,40}(?:(?:\.|::)[A-Z]\w{1,40}){1,3}"
    rf"|(?:\(\w{{1,10}}\)[ \t]?)?[A-Za-z][\w.:]{{1,60}}\([^()\n]{{0,60}}?{_NUMBER}\)"
    rf"|{_NUMBER}[ \t]?\*[ \t]?[\w.]{{1,40}}|[\w.]{{1,40}}[ \t]?\*[ \t]?{_NUMBER})"
    r"[ \t]{0,9}[;,)]{0,3}[ \t]{0,40}(?:(?://|#|--|/\*|\(\*|<!--)[^\n]{0,300})?$"
)
"""A value written out, to the end of its line."""
_COUNT = lazily(r"[1-9]")
_PORT = lazily(r"(?<![\w.])\d{2,5}(?![\w.])")
_MACRO = lazily(
    r"[ \t]{0,9}#[ \t]{0,3}define[ \t]{1,9}(?P<name>[A-Za-z]\w{1,60})[ \t]{1,40}(?P<value>\S.{0,200})$"
)
_ATTRIBUTE = lazily(r"[ \t]{0,20}@(?P<name>[a-z]\w{1,60})[ \t]{1,9}(?P<value>-?[\d:\"].{0,200})$")
_LEFT = lazily(r"[\s\w$@.:,<>\[\]?!*&'\"{};-]{2,160}$")
"""All before the sign of an assignment: modifiers, type and name, no call."""
_PLACEHOLDER = lazily(r"\{[^{}]{0,60}\}|\[[^\[\]]{0,60}\]|<[^<>]{0,60}>")
"""Accessors, indexes and arguments of types beside a name."""
_NAME = lazily(r"[A-Za-z_][\w-]{0,60}")
_OF_ADDRESSES = frozenset(stem_all("port address addr listen listener bind"))
"""Words of which the name of an address with a port may have any: `DefaultAdminListen`."""
_ASKED = frozenset(
    stem_all(
        "default defaults maximum max minimum min limit limits timeout interval size length depth rate port"
    )
)
"""Words that ask for a value."""
_ASKING = frozenset(stem_all("limit timeout interval frequency count depth length size duration maximum"))
"""Words that "how many", "how long" and the like stand for."""
_OF_VALUES = _ASKED | frozenset(
    stem_all("number count long many often deep large big wide high much most least age ttl duration period")
)
"""Words of a question that the name of a value may lack, and has for free."""
_UNITS = frozenset(
    stem_all("second seconds sec millis milliseconds ms minutes hours days bytes kb mb chars value")
)
"""Words of a name that only tell its unit."""
_SLIGHT = frozenset(stem_all("of per in for is the to by at on a an k m allowed"))
_STATES = frozenset(stem_all("set setting settings value define defined declare declared configured use may"))
"""Words of a question that the name of a value lacks; of those for places, the deeds that declare one."""
_AIMS = frozenset({Aim.WHERE, Aim.ANY, Aim.CONFIGURATION, Aim.API})
_LEAST = 0.25
"""Least score of a part that is read, relative to the best."""
_LONGEST = 240
"""Letters of the longest line that is read."""
_MOST = 2
"""Most lines that are shown."""
_MOST_ALIKE = 3
"""Most lines that fit equally well: with more, none of them is meant."""


def asks_for_value(question: Question) -> bool:
    """Return whether a question asks for a number or another value of the program."""
    own, terms = question.own, question.terms
    if question.fact is not None or not _AIMS.issuperset(question.aims):
        return False
    if Aim.WHERE in question.aims:
        return not own.isdisjoint(_ASKED) and not own.isdisjoint(_STATES)
    return not own.isdisjoint(_ASKED) or any(terms.get(one, 0.0) >= EXPRESSION for one in _ASKING)


def find_declared_values(
    items: WeighedItems,
    scores: Sequence[Sequence[float]],
    question: Question,
    read: Callable[[ContextItem], str],
) -> dict[int, dict[int, list[int]]]:
    """Return the lines that declare a value named by words of the question alone, by item and part.

    Only parts that match the question are read, and of these only types, fields and what is outside of
    functions. At least half of the question's other words must be in the name or in that of its file or type.
    """
    subject = {one for one in question.own if question.terms.get(one, 0.0) >= 1} - _OF_VALUES - _STATES
    said = question.own & _OF_ADDRESSES
    is_address = "port" in said or (bool(said) and "default" in question.own)
    free = _OF_VALUES | _OF_ADDRESSES if is_address else _OF_VALUES
    subject -= free
    least = _LEAST * max((score for mine in scores for score in mine), default=0.0)
    is_count = any(question.terms.get(one, 0.0) >= EXPRESSION for one in _ASKING - question.own)
    holding = _PORT if is_address else _COUNT if is_count else None
    found: list[tuple[int, int, str, int, int, int]] = []
    for at in find_code(items) if subject else ():
        (one, split), mine = items[at], scores[at]
        path = one.item.path
        near = [n for n in _find_outside(split.parts) if mine[n] >= least > 0]
        if not near or place_of(path) is not FilePlace.CODE:
            continue
        lines = read(one.item).split("\n")
        for number in near:
            part = split.parts[number]
            for line, name in _list_values(lines, part, holding):
                if (beside := _count_missing(name, part, subject, question, free)) is not None:
                    found.append((*beside, path, at, number, line))
    found.sort()
    alike = [one for one in found if one[:2] == found[0][:2]]
    known: dict[int, dict[int, list[int]]] = {}
    for *_, at, number, line in found[:_MOST] if len(alike) <= _MOST_ALIKE else ():
        known.setdefault(at, {}).setdefault(number, []).append(line)
    return known


def _find_outside(parts: Sequence[Part]) -> list[int]:
    """Return the parts that are no function and in none: variables of these come and go."""
    inner = {
        one
        for number, part in enumerate(parts)
        if part.kind in CALLED
        for one in range(number, end_of_span(parts, number))
    }
    return [number for number in range(len(parts)) if number not in inner]


def _list_values(
    lines: Sequence[str], part: Part, holding: re.Pattern[str] | None
) -> Iterator[tuple[int, str]]:
    """Yield the lines of a part that give a name a value that is written out, with that name.

    The value must hold a pattern, if there is one: a number that is asked for with "how many" is not the 0 at
    which something begins to count.
    """
    first, last = part.lines
    for number, line in enumerate(lines[first - 1 : last], first):
        if len(line) > _LONGEST:
            continue
        if macro := _MACRO.match(line) or _ATTRIBUTE.match(line):
            if _VALUE.match(macro["value"]):
                yield number, macro["name"]
            continue
        left, sign, right = line.partition("=")
        if not sign or left[-1:] in "!<>=+-*/|&%~^:" or right[:1] == "=":
            continue
        value = right.removeprefix(">").lstrip()
        is_told = _VALUE.match(value) and (holding is None or holding.search(value))
        if is_told and (name := _find_name(left)):
            yield number, name


def _find_name(left: str) -> str:
    """Return the name before the sign of an assignment, "" if there is none.

    A type may come before it, or after a colon.
    """
    if not _LEFT.match(left):
        return ""
    before = _PLACEHOLDER.sub(" ", left.replace("::", "."))
    names = _NAME.findall(before.partition(":")[0])
    return names[-1] if names and ">" not in before else ""


def _count_missing(
    name: str, part: Part, subject: AbstractSet[str], question: Question, free: AbstractSet[str]
) -> tuple[int, int] | None:
    """Return how many words of the subject the name of a value lacks with its file and type, and alone.

    A word such as "default" that both have makes up for one. None if the name has other words, but for `free`
    ones, or none of the subject, or if too many words are missing.
    """
    groups: Mapping[str, str] = question.groups
    own = {*stem_parts(name)} - _UNITS - _SLIGHT
    said = {groups.get(one, one) for one in own if question.terms.get(one, 0.0) >= EXPRESSION}
    if not free <= _OF_VALUES and own.isdisjoint(_OF_ADDRESSES):
        return None
    if any(one not in free and question.terms.get(one, 0.0) < EXPRESSION for one in own):
        return None
    around = {groups.get(one, one) for one in (*stem_parts(part.path), *stem_parts(part.name))}
    missing = len(subject - said - around)
    if subject.isdisjoint(said) or 2 * missing > len(subject):
        return None
    shared = len(own & question.own & _ASKED)
    return missing - shared, len(subject - said) - shared
