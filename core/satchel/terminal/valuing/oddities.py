"""The odd one among lines that are alike: a word that hardly any of them has."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from satchel.patterns import lazily
from satchel.terminal.folding import Family, Kept
from satchel.terminal.judging import Rank
from satchel.terminal.templates import template
from satchel.terminal.valuing.neighbours import opening_piece

_WORDS = lazily(r"\w+")
_NUMBER = lazily(r"\d+")
_UNIT = lazily(r"0(?:[kKMGTP]i?[bB]?|[numµ]?s|m)")
_KEY = lazily(r"\s*[\"']?[\w.-]{1,60}[\"']?\s*[:=]")
_ODD, _PER_TENTH, _ODDEST = 38.0, 4.0, 52.0
"""Of a line with a word that all others lack: by how many they are; and the most."""
_STATES, _OTHER_STATE = 4, 5.0
"""Different words in one place that are states of a thing; what the rare one of them gains."""
_LONE = 57.0
"""Of a line whose structure no other has, among very many that have one."""
_GIANT, _LONGER = 2, 3
"""Lines of a table that may have a number with so many more digits than all others in its place."""
_SOME_ODD, _PER_ODD, _PER_KIND = 6, 1.0, 2.0
"""What each further odd line loses, and each further one that has the same words."""
_RARE = 53.0
"""Of a line whose template stands once or twice, where nearly all others stand often."""
_UNTOLD = (Rank.PLAIN, Rank.DETAIL, Rank.VERDICT)
_OFTEN, _TWICE, _MANY_LINES = 12, 2, 120
_ODD_ABOVE = 6
_FEW = 12
"""Different words in one place of a repeated line that make it a choice of a few, not a name."""


def lift_odd(lines: Sequence[Kept], templates: Sequence[str], values: list[float]) -> None:
    """Show lines with an odd word, and what stands before them in the same record."""
    odd = _ranked(oddities(lines) | _rarities(lines, templates), lines)
    for at, line in enumerate(lines):
        if line.family not in odd:
            continue
        worth = odd.pop(line.family)
        values[at] = max(values[at], worth)
        opening = opening_piece(lines, at) if line.start else -1
        if opening >= 0:
            values[opening] = max(values[opening], worth - 4.0)
        own = structure(line.text)
        for place in range(at - 1, max(at - _ODD_ABOVE, -1), -1):
            text = lines[place].text
            if place < opening or _is_apart(lines[place], line) or structure(text) == own:
                break
            if lines[place].family.judgement.rank <= Rank.DETAIL and template(text) != template(line.text):
                values[place] = max(values[place], worth - 3.0 - 2.0 * (at - place))


def _is_apart(above: Kept, line: Kept) -> bool:
    """Tell whether a line is no part of what a line below it stands in."""
    return above.number < line.number - _ODD_ABOVE or not _WORDS.search(above.text)


def _ranked(odd: dict[Family, float], lines: Sequence[Kept]) -> dict[Family, float]:
    """Lower what is less odd than much else, and what is odd in the same way as something before it."""
    kinds: Counter[frozenset[str]] = Counter()
    worths: dict[Family, float] = {}
    for line in lines:
        if line.family in odd and line.family not in worths:
            kind = frozenset(filter(str.isalpha, _WORDS.findall(line.text[:400])))
            worths[line.family] = odd[line.family] - _PER_KIND * min(kinds[kind], _SOME_ODD)
            kinds[kind] += 1
    ranking = sorted(worths, key=lambda family: -worths[family])
    return {family: worths[family] - _PER_ODD * max(0, at - _SOME_ODD) for at, family in enumerate(ranking)}


def _rarities(lines: Sequence[Kept], templates: Sequence[str]) -> dict[Family, float]:
    """Return the families of a template that stands once or twice where nearly all lines stand often."""
    families: defaultdict[str, dict[Family, None]] = defaultdict(dict)
    for line, templated in zip(lines, templates, strict=True):
        families[templated][line.family] = None
    counts = {templated: sum(family.count for family in group) for templated, group in families.items()}
    often = sum(count for count in counts.values() if count >= _OFTEN)
    rare = [templated for templated, count in counts.items() if count <= _TWICE]
    if often < _MANY_LINES or len(rare) > _FEW or len(rare) * _OFTEN > often:
        return {}
    plain = (family for templated in rare for family in families[templated])
    return {family: _RARE for family in plain if family.judgement.rank in _UNTOLD}


def structure(text: str) -> str:
    """Return a line's marks, with the name of the field where it is one."""
    key = _KEY.match(text)
    return (key[0] if key else "") + " ".join(_WORDS.sub("w", text[:400]).split())


def oddities(lines: Sequence[Kept]) -> dict[Family, float]:
    """Return families with a word that hardly any line of the same structure has, and their worth."""
    groups: defaultdict[str, dict[Family, list[str]]] = defaultdict(dict)
    for line in lines:
        if line.family.judgement.rank <= Rank.WARNING:
            groups[structure(line.text)].setdefault(line.family, _WORDS.findall(line.text[:400]))
    totals = {form: sum(family.count for family in group) for form, group in groups.items()}
    regular = sum(total for total in totals.values() if total >= _FEW)
    odd: dict[Family, float] = {}
    lone: dict[Family, float] = {}
    for form, group in groups.items():
        if totals[form] >= _FEW and len(group) > 1:
            odd.update(_odd_of(group, totals[form]))
        elif totals[form] <= 2 and regular > 60 and regular > 0.8 * sum(totals.values()):
            lone.update(dict.fromkeys(group, _LONE))
    return odd | lone


def _odd_of(group: dict[Family, list[str]], total: int) -> dict[Family, float]:
    found: dict[Family, float] = {}
    for column in zip(*group.values(), strict=True):
        if total >= 2 * _FEW and all(map(str.isdecimal, column)):
            found.update(dict.fromkeys(_giants(column, group), _ODDEST))
            continue
        counts: Counter[str] = Counter()
        for word, family in zip(column, group, strict=True):
            counts[_digitless(word)] += family.count
        if len(counts) > max(_FEW, total // 200) or len(counts) == 1:
            continue
        for word, family in zip(column, group, strict=True):
            count = counts[_digitless(word)]
            if (count <= 2 and total >= 2 * _FEW) or count / total <= min(0.01, 0.25 / len(counts)):
                found[family] = max(found.get(family, 0.0), _oddity(count / total, len(counts)))
    return found


def _giants(column: Sequence[str], group: Iterable[Family]) -> list[Family]:
    """Return those of which a number is a thousand times all others, or more, where they are one or two."""
    most = max(map(len, column))
    rest = [len(word) for word in column if len(word) < most]
    giants = [family for word, family in zip(column, group, strict=True) if len(word) == most]
    return giants if len(giants) <= _GIANT and rest and most >= max(rest) + _LONGER else []


def _oddity(share: float, choices: int) -> float:
    """Return the worth of a line with a word that this share of lines has, one of so many in its place."""
    return min(_ODDEST, _ODD - _PER_TENTH * math.log10(share)) + _OTHER_STATE * (choices <= _STATES)


def _digitless(word: str) -> str:
    """Return a word with its numbers masked; `212G` and `212K` differ, `3f9c` and `97e2` do not."""
    if word.isalpha():
        return word
    masked = _NUMBER.sub("0", word)
    return masked if _UNIT.fullmatch(masked) else "0"
