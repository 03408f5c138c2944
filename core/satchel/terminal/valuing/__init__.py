"""Give every kept line a value, so that any budget takes the best lines of one fixed order."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from satchel.patterns import lazily
from satchel.terminal.folding import Folded, Kept
from satchel.terminal.judging import Judgement, Rank
from satchel.terminal.templates import code, shape
from satchel.terminal.valuing.fields import lift_messages, lift_rates
from satchel.terminal.valuing.neighbours import indent, lift_neighbours
from satchel.terminal.valuing.oddities import lift_odd, structure
from satchel.terminal.valuing.totals import lift_totals

_BASE = {
    Rank.VERDICT: 60.0,
    Rank.FAILURE: 68.0,
    Rank.ERROR: 58.0,
    Rank.WARNING: 49.0,
    Rank.DETAIL: 13.0,
    Rank.PLAIN: 10.0,
    Rank.NOISE: 0.0,
}
_PER_WEIGHT = 3.0
_AS_LOUD = 0.75
"""What is quieter than a line by more than this takes no room from it."""
_ENDS = (53.0, 48.0, 40.0, 24.0, 21.0, 19.0)
"""Least values of the last lines, the very last first."""
_CLOSING, _CLOSES = 3, 57.0
"""Of so many last lines one that says that all is over is worth this."""
_CLOSED = lazily(
    r"\b(?:completed?|finished|done|succeeded|success\w*|fail(?:ed|ure)|aborted|stopped|terminated)\b",
    re.IGNORECASE,
)
_BEGINNINGS = (48.0, 31.0, 24.0, 22.0)
_FEW_ERRORS = 4
_DULL_BEGINNINGS = (48.0, 46.0, 45.0, 44.0, 31.0, 31.0, 31.0, 31.0, 26.0, 26.0, 26.0, 26.0)
"""The same where nothing stands out."""
_CHANGE = lazily(r"\s*(?:E\s+)?[-+?] ")
_EXPLAINS = lazily(
    r"\s*(?:E\s{2,}[^\s+?-]|(?:expected|actual|received|got|want(?:ed)?|left|right|differ|at index"
    r"|first differ|attendu|erwartet|but was|instead)\b)",
    re.IGNORECASE,
)
_LAST = 16
_EVERYWHERE, _BAD = 12, 3.5
"""Lines of a family from which none of them, not even the last, is the sum of all."""
_FIRST_OF_ITS_KIND, _WORST_OF_ALL = 44.0, 59.0
_NEAR_END, _CLUSTER, _STATE = 60, 8, 47.5
"""Lines from the last error to the end; most between two errors of one story; value of the line before it."""
_LAST_WORD = 74.0
"""Least value of the last line where it sums up or tells of an error."""
_AGAIN = 40.0
"""Most that a line is worth which names a failure again."""
_STRUCTURED = lazily(r"[_.\[/]|[a-z][A-Z]")
_FILE_ONLY = lazily(r"\.[a-z]{1,5}$")
_RARE = 4
"""Lines of a template that are few enough to be looked at one by one."""
_HEADING, _OUTER = 46.0, 36.0
"""Values of a heading and of a line that others belong to."""
_MANY, _SUMS_NOTHING_UP = 6, 30.0
_CROWD, _FIRST_OF_A_CROWD, _LOST_IN_A_CROWD = 30, 5, 7.0
"""Lines that differ in names only, of which the first few tell what it is; and what others lose."""
_OPENING, _LONGEST_OPENING = 3, 120
"""Words at the beginning that the steps of one tool have in common."""
_DIGITS = str.maketrans("", "", "0123456789")
_APART, _PER_DOUBLING, _FARTHEST = 44.0, 1.5, 56.0
"""Of a line with a number that stands apart: what each doubling adds, and the most."""


def value(folded: Folded, templates: Sequence[str]) -> list[float]:
    """Return a value for each line, 0 to 80 or so; higher ones are shown first.

    `templates` are those of the lines.
    """
    lines = folded.lines
    values = _own(lines, templates, folded.total)
    _lift_codes(lines, values)
    _lower_repeated_names(lines, values)
    lift_neighbours(lines, values)
    lift_odd(lines, templates, values)
    _lift_apart(folded, values)
    _lift_warnings(lines, values)
    lift_messages(lines, templates, values)
    lift_rates(lines, values)
    _lift_state(lines, values)
    _lift_edges(lines, values)
    lift_totals(lines, values, folded.total)
    return values


def _own(lines: Sequence[Kept], templates: Sequence[str], total: int) -> list[float]:
    """Return what each line is worth by itself: by rank, less for each line like it."""
    alike = [
        (templated, line.family.judgement.weight) for line, templated in zip(lines, templates, strict=True)
    ]
    again = _Repetition(alike, _forms(lines, templates))
    details = _Details()
    seen: Counter[tuple[str, float]] = Counter()
    values: list[float] = []
    for at, (line, key) in enumerate(zip(lines, alike, strict=True)):
        rank, weight = line.family.judgement
        worth = _BASE[rank] + _PER_WEIGHT * weight
        seen[key] += 1
        if rank >= Rank.WARNING:
            worth -= again.loss(at, key, line.family.judgement, nth=seen[key])
        elif rank is Rank.NOISE:
            worth = min(worth, 5.0)
        else:
            fewer = min(6.0, 2.0 * math.log2(seen[key]) + 0.5 * math.log2(max(1, line.family.count)))
            told = details.worth(line.text, nth=seen[key]) if rank is Rank.DETAIL else None
            worth = worth - fewer if told is None else told
        values.append(worth)
    _lower_alike(lines, values)
    return _late_verdicts(lines, values, total)


def _forms(lines: Sequence[Kept], templates: Sequence[str]) -> list[str]:
    """Return the shape of each line that tells of how it went, of others the template."""
    return [
        shape(templated) if line.family.judgement.rank >= Rank.WARNING else templated
        for line, templated in zip(lines, templates, strict=True)
    ]


class _Details:
    """What details are worth: the first that explain or that show a change, more than others."""

    def __init__(self) -> None:
        self._explained = self._changes = 0

    def worth(self, text: str, *, nth: int) -> float | None:
        """Return the worth of a detail, the nth of its template; None for one that is like any line."""
        if _EXPLAINS.match(text):
            self._explained += nth == 1
            return (63.0 if nth == 1 else 40.0) - 2.0 * math.log2(max(1, self._explained))
        if _CHANGE.match(text):
            self._changes += 1
            return 42.0 - 3.0 * math.log2(self._changes)
        return None


class _Repetition:
    """What lines lose because others like them have been told."""

    def __init__(self, alike: Sequence[tuple[str, float]], forms: Sequence[str]) -> None:
        """Take what lines of one template and weight have in common, and their shapes."""
        self._often = Counter(alike)
        self._forms = forms
        self._crowds = Counter(forms)
        self._shapes: defaultdict[str, set[str]] = defaultdict(set)
        self._of_rank: Counter[Judgement] = Counter()

    def loss(self, at: int, key: tuple[str, float], judgement: Judgement, *, nth: int) -> float:
        """Return what the line at a place loses, the nth of its template."""
        form, rank = self._forms[at], judgement.rank
        shapes = self._shapes[form]
        self._of_rank[judgement] += not shapes
        shapes.add(key[0])
        often = self._often[key]
        if rank is Rank.VERDICT:
            nth = often - nth + 1
        kind = _as_loud(self._of_rank, judgement)
        crowded = self._crowds[form] > _CROWD and len(shapes) > _FIRST_OF_A_CROWD
        lost = _repeated(rank, nth, len(shapes), kind=kind, rare=often <= _RARE)
        return lost + _LOST_IN_A_CROWD * crowded


def _as_loud(of_rank: Counter[Judgement], judgement: Judgement) -> int:
    """Return how many families of the same rank weigh at least about as much."""
    least = judgement.weight - _AS_LOUD
    return sum(n for told, n in of_rank.items() if told.rank is judgement.rank and told.weight >= least)


def _lower_alike(lines: Sequence[Kept], values: list[float]) -> None:
    """Lower verdicts that look like many other lines: rows of a table or of a log sum nothing up."""
    alike: defaultdict[str, list[int]] = defaultdict(list)
    for at, line in enumerate(lines):
        alike[structure(line.text)].append(at)
        if line.family.judgement.rank is Rank.VERDICT:
            alike[_opening_words(line.text)].append(at)
    for at in {at for places in alike.values() if len(places) > _MANY for at in _steps(lines, places)}:
        values[at] -= _SUMS_NOTHING_UP


def _steps(lines: Sequence[Kept], places: Sequence[int]) -> Iterator[int]:
    """Yield the verdicts among lines that are alike, without the last one and those that weigh more."""
    judged = [at for at in places if lines[at].family.judgement.rank is Rank.VERDICT]
    least = min((lines[at].family.judgement.weight for at in judged), default=0.0)
    yield from (at for at in judged[:-1] if lines[at].family.judgement.weight <= least)


def _opening_words(text: str) -> str:
    """Return how a line begins, in a form that is no structure of a line."""
    return " ".join(text[:_LONGEST_OPENING].translate(_DIGITS).split()[:_OPENING])


def _repeated(rank: Rank, nth: int, variant: int, *, kind: int, rare: bool) -> float:
    """Return what a line loses as the nth of its template, which is the so-manieth of its shape."""
    if rank is Rank.FAILURE:
        return 1.2 * math.log2(nth) + 1.0 * math.log2(variant) + 8.0 * ((nth > 2 and not rare) or variant > 4)
    again = 0.0 if nth == 1 else 1.5 * nth if rare else 18.0 + 4.0 * math.log2(nth) + 12.0 * (nth > 2)
    if rank is Rank.VERDICT and nth > 1 and not rare:
        again += 12.0
    return again + 2.5 * math.log2(variant) + 2.0 * math.log2(max(1, kind)) * (rank is not Rank.VERDICT)


def _late_verdicts(lines: Sequence[Kept], values: list[float], total: int) -> list[float]:
    """Lower verdicts that do not stand near the end: they sum up a part only."""
    for at, line in enumerate(lines):
        if line.family.judgement.rank is Rank.VERDICT:
            left = total - line.number
            if left > 40 and left > total * 0.1:
                values[at] -= 8.0 + 2.0 * math.log2(max(1, line.family.count))
            elif left <= _LAST and not _recurs(line) and line.family.judgement.weight >= 2:
                values[at] += 9.0
    return values


def _lower_repeated_names(lines: Sequence[Kept], values: list[float]) -> None:
    """Lower what names a failure again: a heading of what the summary lists with its message."""
    failures = [at for at, line in enumerate(lines) if line.family.judgement.rank is Rank.FAILURE]
    names = {at: _name(lines[at].text) for at in failures}
    listed = {
        frozenset(word.rpartition("::")[2] for word in name) for name in names.values() if _is_path(name)
    }
    told: dict[frozenset[str], int] = {}
    for at, name in names.items():
        if name in listed and not _is_path(name):
            values[at] = min(values[at], _AGAIN)
        elif name in told:
            better, worse = (
                (at, told[name]) if len(lines[at].text) >= len(lines[told[name]].text) else (told[name], at)
            )
            told[name] = better
            values[worse] = min(values[worse], _AGAIN)
        else:
            told[name] = at


def _is_path(name: frozenset[str]) -> bool:
    return any("::" in word for word in name)


def _name(text: str) -> frozenset[str]:
    """Return the name in a line that names a failure, with its parameters."""
    words = [word if "[" in word else word.strip("()[]:,;.✗✘✕×❌●") for word in text.split()]
    longest = max(words, key=len, default="")
    if not _STRUCTURED.search(longest) or _FILE_ONLY.search(longest):
        return frozenset((" ".join(words),))
    return frozenset((longest, *(word for word in words if "=" in word)))


def _lift_codes(lines: Sequence[Kept], values: list[float]) -> None:
    """Show each code of a diagnostic once."""
    seen: set[str] = set()
    for at, line in enumerate(lines):
        if line.family.judgement.rank in (Rank.WARNING, Rank.ERROR):
            told = code(line.text)
            if told and told not in seen:
                seen.add(told)
                values[at] = max(values[at] + 2.0, 60.0 - 0.2 * len(seen))


def _lift_warnings(lines: Sequence[Kept], values: list[float]) -> None:
    """Where nothing worse is told, let the first warnings stand where errors would."""
    if any(line.family.judgement.rank in (Rank.ERROR, Rank.FAILURE) for line in lines):
        return
    warnings = (at for at, line in enumerate(lines) if line.family.judgement.rank is Rank.WARNING)
    for nth, at in enumerate(at for at in warnings if values[at] >= _FIRST_OF_ITS_KIND):
        values[at] = max(values[at], _WORST_OF_ALL - nth)


def _lift_apart(folded: Folded, values: list[float]) -> None:
    """Show the lines of which a number stands apart, the farther the sooner."""
    for at, line in enumerate(folded.lines):
        ratio = folded.apart.get(line[:2])
        if ratio is not None:
            values[at] = max(values[at], min(_FARTHEST, _APART + _PER_DOUBLING * math.log2(ratio)))


def _lift_state(lines: Sequence[Kept], values: list[float]) -> None:
    """Show the line above the errors at the end: the state in which it went wrong."""
    loud = [at for at, line in enumerate(lines) if line.family.judgement.weight >= 1]
    if not loud or lines[-1].number - lines[loud[-1]].number > _NEAR_END:
        return
    at = loud.pop()
    while loud and at - loud[-1] <= _CLUSTER:
        at = loud.pop()
    if at and lines[at - 1].family.judgement.rank > Rank.NOISE:
        values[at - 1] = max(values[at - 1], _STATE)


def _lift_edges(lines: Sequence[Kept], values: list[float]) -> None:
    """Show how an output begins and ends; of a very long line its first piece."""
    _lower_recurring(lines, values)
    shown = [at for at in range(len(lines)) if _is_edge(lines, at)]
    if shown and lines[shown[-1]].family.judgement.rank >= Rank.ERROR and not _recurs(lines[shown[-1]]):
        values[shown[-1]] = max(values[shown[-1]], _LAST_WORD)
    for least, at in zip(_ENDS, reversed(shown), strict=False):
        values[at] = max(values[at], _CLOSES if least > _ENDS[_CLOSING] and _closes(lines[at]) else least)
    loud = sum(line.family.judgement.rank in (Rank.ERROR, Rank.FAILURE) for line in lines)
    for least, at in zip(_BEGINNINGS if loud >= _FEW_ERRORS else _DULL_BEGINNINGS, shown, strict=False):
        values[at] = max(values[at], least)
    if loud < _FEW_ERRORS:
        _lift_headings(lines, values)


def _closes(line: Kept) -> bool:
    """Whether a line says that all is over, and lines like it do not stand everywhere."""
    return not _recurs(line) and _CLOSED.search(line.text[:_LONGEST_OPENING]) is not None


def _lower_recurring(lines: Sequence[Kept], values: list[float]) -> None:
    for at, line in enumerate(lines):
        if line.family.judgement.rank is Rank.VERDICT and _recurs(line):
            values[at] = min(values[at], _ENDS[0])


def _recurs(line: Kept) -> bool:
    """Whether lines like this stand everywhere, so that none of them sums all up."""
    return line.family.count >= _EVERYWHERE and line.family.judgement.weight < _BAD


def _is_edge(lines: Sequence[Kept], at: int) -> bool:
    """Whether a line can begin or end what is shown: no noise, and no later piece of a long line."""
    line = lines[at]
    if at == 0:
        return True
    return line.family.judgement.rank > Rank.NOISE and not (
        line.number == lines[at - 1].number and line.start
    )


def _lift_headings(lines: Sequence[Kept], values: list[float]) -> None:
    """Show the headings of an output in which nothing stands out, and what stands outermost."""
    indents = [indent(line.text) for line in lines]
    told = 0
    for at, line in enumerate(lines[:-1]):
        plain = line.family.judgement.rank in (Rank.PLAIN, Rank.DETAIL)
        if plain and indents[at] < indents[at + 1] and line.family.count <= _RARE:
            told += 1
            least = _HEADING if line.text.endswith(":") and not indents[at] else _OUTER - indents[at]
            values[at] = max(values[at], least - 0.4 * told)
