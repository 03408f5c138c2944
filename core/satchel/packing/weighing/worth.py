"""Convert the salience of parts into the worth of showing them.

A body's worth is its share of the task's needs: its salience, sharpened and growing with its size,
divided by the sum of all. A head's worth is its share of the definitions that the task needs. Opening an
item is worth its share among the items. The formula and the constants were fitted to commits of many
repositories (which lines and definitions did the fix touch?); see `docs/explanation/worth.md`.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from satchel.parts import NO_LINES, Lines, Part, Stretch, Stretches, end_of_span
from satchel.patterns import lazily
from satchel.workspace.files.kinds import DATA_ROWS, language_of

LEAST_LINES = 24
"""A shorter part stays whole."""
_SHORTEST, _LONGEST = 6, 12
_CONTINUES = lazily(
    r"[\])}]|(else|elif|elsif|except|catch|finally|rescue|ensure|when|case|default|then|do|end|fi|done)\b"
)
_MAY_CONTINUE = frozenset("])}ecfrwdt")
"""First characters of lines that `_CONTINUES` can match."""
_NOWHERE = (False, -sys.maxsize)
_SOLID = lazily(r"[^\s/]")
_COMPACT = (",", ":")


def cut(lines: Sequence[str], part: Part) -> list[Lines]:
    """Cut a long part where statements begin; return one range if it is not long.

    Each stretch but the first begins with a line that is not blank and does not start with "/", so that
    the counts of a part's stretches add up to its own.
    """
    first, last = part.lines
    if last - first + 1 < LEAST_LINES:
        return [part.lines]
    ranges: list[Lines] = []
    begin = first
    while last - begin + 1 > _LONGEST and (after := _next_begin(lines, part, begin)):
        ranges.append((begin, after - 1))
        begin = after
    whole = [*ranges, (begin, last)]
    return whole if any(map(_SOLID.search, lines[first - 1 : whole[0][1]])) else [part.lines]


def _next_begin(lines: Sequence[str], part: Part, begin: int) -> int:
    """Return the first line of the stretch after the one that begins at `begin`, 0 if there is none.

    Prefers lines that do not continue a statement, then the least indented, where a blank line before
    counts as four columns; ties go to the last.
    """
    first, last = max(begin + _SHORTEST, part.head[1] + 1), min(begin + _LONGEST, part.lines[1])
    best, at_best = _NOWHERE, 0
    for number in range(first, last + 1):
        line = lines[number - 1]
        stripped = line.lstrip()
        if not stripped or line[0] == "/":
            continue
        out = len(stripped) - len(line) + (0 if lines[number - 2].strip() else 4)
        starts = stripped[0] not in _MAY_CONTINUE or _CONTINUES.match(stripped) is None
        if (starts, out) >= best:
            best, at_best = (starts, out), number
    return at_best


def sum_stretches(stretches: Sequence[Stretch]) -> list[Stretch]:
    """Return the counts of each part as the sums of its stretches."""
    sums: list[Stretch] = []
    for one in stretches:
        if sums and sums[-1].part == one.part:
            before, more = sums[-1], one.joined_tokens
            sums[-1] = before._replace(tokens=before.tokens + more, joined_tokens=before.joined_tokens + more)
        else:
            sums.append(one)
    return sums


def to_row(stretches: Stretches) -> tuple[str, str]:
    """Serialize stretches for the index: their rows as JSON, and the terms of each on a line."""
    return json.dumps(stretches.rows, separators=_COMPACT), "\n".join(stretches.terms)


def from_row(rows: str, terms: str) -> Stretches:
    """Return the stretches in a row of `to_row`."""
    read = tuple(Stretch(part, (lines[0], lines[1]), *counts) for part, lines, *counts in json.loads(rows))
    return Stretches(read, tuple(terms.split("\n")) if read else ())


def cut_part(part: Part, rows: Sequence[Stretch]) -> list[Part]:
    """Return a part's stretches as parts, the first with the head; the part itself if it has none."""
    if not rows:
        return [part]
    follow = [
        Part(
            part.kind,
            part.name,
            row.lines,
            id=part.id,
            item=part.item,
            path=part.path,
            tokens=row.tokens,
            joined_tokens=row.joined_tokens,
            mark_tokens=row.mark_tokens,
        )
        for row in rows
    ]
    follow[0] = follow[0]._replace(head=part.head, span=part.span, head_tokens=part.head_tokens)
    return follow


class WorthSettings(NamedTuple):
    """Numbers that shape worth, each with its reason."""

    sharpness: float = 3.05
    """Power of a part's salience: the chance of being needed falls much faster than the evidence."""
    size_power: float = 0.27
    """A body's chance grows with this power of its tokens: longer code is changed more often."""
    branch_power: float = 0.35
    """It grows with this power of 1 + its branches: logic changes more often than lists."""
    comment_loss: float = 0.6
    """It falls with exp(-this * share of comments), since comments share words with every task."""
    typical_tokens: int = 150
    least_tokens: int = 15
    most_tokens: int = 600
    kinds: Mapping[str, float] = MappingProxyType(
        {
            "imports": 1.75,
            "function": 1.3,
            "method": 1.3,
            "callback": 1.3,
            "comment": 0.75,
            "block": 0.45,
            "class": 0.65,
            "licence": 0.01,
            "decoration": 0.01,
        }
    )
    """Factor by which parts of a kind are needed more or less often than their salience suggests."""
    crowd_power: float = 0.48
    """A part's chance falls with this power of the number of parts in its file."""
    typical_parts: int = 12
    """Parts of a typical file, also assumed for items that are not files."""
    terms_power: float = 0.35
    """It grows with this power of 1 + the task's terms in it: many different words beat one repeated word."""
    usual_terms: int = 3
    """Usual number of the task's terms in a part; also assumed for items that are not files."""
    early: float = 1.4
    """Factor by which parts early in their file are needed more often."""
    early_share: float = 1 / 6
    """Share of a file's parts that count as early."""
    span_head: float = 0.5
    """Least worth of an enclosing definition's head (a class), as a share of an inner part's (a method)."""
    silent: Collection[str] = frozenset(
        {"section", "module", "namespace", "impl", "variable", "constant", "object", "key", "block"}
    )
    """Kinds whose head says nothing alone; it is shown above their parts."""
    defined: float = 0.2
    """Worth of showing all definitions by their heads, relative to 1 for all bodies: changing code takes the
    body."""
    opening: float = 0.12
    """Worth of opening all items, relative to 1 for all bodies."""
    instructions_share: float = 0.1
    """Share of the budget reserved for instruction files, which users expect."""
    small_instructions_share: float = 0.05
    """Share of any budget up to which an instruction file is shown whole."""
    instructions_from: int = 6_000
    """Budget below which nothing is reserved for longer ones, because the task needs every token."""


SETTINGS = WorthSettings()
_EXPECTED = 2.0
"""More than any body is worth."""


def chances(parts: Sequence[Part], saliences: Sequence[float]) -> list[float]:
    """Return the chance that each part is needed, up to a common factor for all parts of a pack."""
    crowd, power, kinds = _crowd_factor(parts), SETTINGS.sharpness, SETTINGS.kinds
    sizing = (SETTINGS.size_power, SETTINGS.typical_tokens, SETTINGS.least_tokens, SETTINGS.most_tokens)
    making = (SETTINGS.branch_power, SETTINGS.comment_loss)
    values = []
    for part, salience in zip(parts, saliences, strict=True):
        size, shape = _factors(part.tokens, part.branches, part.comments, sizing, making)
        values.append(crowd * salience**power * size * shape * kinds.get(part.kind, 1.0))
    return values


def drop_other_rows(path: str, scores: Sequence[float], held: Sequence[float]) -> Sequence[float]:
    """Return the scores of a file's parts; in tables of data, 0 for rows that hold nothing of a task.

    `held` is 0 for such rows. The first rows keep their score: they name the columns.
    """
    if language_of(path) not in DATA_ROWS:
        return scores
    return [score if own or not at else 0.0 for at, (score, own) in enumerate(zip(scores, held, strict=True))]


def weigh_by_terms(parts: Sequence[Part], chances: Sequence[float], held: Sequence[int]) -> list[float]:
    """Return the chances of parts, given the number of different terms of the task in each.

    Items that are not files keep their chances: providers offer them for other reasons than words. Rows of
    data without any of the terms have 0, but for the first, which name the columns.
    """
    if not parts or not parts[0].item.startswith("file:"):
        return list(chances)
    chances = drop_other_rows(parts[0].path, chances, held)
    early = SETTINGS.early_share * max(len(parts) - 1, 1)
    factors = {
        terms: ((1 + terms) / (1 + SETTINGS.usual_terms)) ** SETTINGS.terms_power for terms in set(held)
    }
    return [
        chance * factors[terms] * (SETTINGS.early if at < early else 1.0)
        for at, (chance, terms) in enumerate(zip(chances, held, strict=True))
    ]


def promise(parts: Sequence[Part], saliences: Sequence[float]) -> float:
    """Return the total chance of an item's parts."""
    return sum(chances(parts, saliences))


def body_worths(
    parts: Sequence[Part],
    shares: Sequence[float],
    defining: Sequence[float],
) -> list[float]:
    """Return the worth of each part's body: its share of all lines that may be needed.

    If a part has no head, only its body shows its definition, so it also has the worth of its share of all
    definitions (`defining`).
    """
    return [
        share if part.head != NO_LINES else share + SETTINGS.defined * definition
        for part, share, definition in zip(parts, shares, defining, strict=True)
    ]


def instruction_worths(parts: Sequence[Part], bodies: Sequence[float], room: float) -> list[float]:
    """Return the worth of an instruction file's bodies: the highest possible while `room` tokens last."""
    worths = []
    for part, body in zip(parts, bodies, strict=True):
        room -= part.tokens
        worths.append(max(body, _EXPECTED) if room >= 0 else body)
    return worths


def instructions_room(budget: int) -> float:
    """Return the tokens of a budget that are reserved for instruction files."""
    return SETTINGS.instructions_share * budget if budget >= SETTINGS.instructions_from else 0.0


def small_instructions_room(parts: Sequence[Part], budget: int) -> float:
    """Return the tokens of an instruction file that is short enough for any budget, 0 for a longer one."""
    tokens = sum(part.tokens for part in parts)
    return float(tokens) if tokens <= SETTINGS.small_instructions_share * budget else 0.0


def _crowd_factor(parts: Sequence[Part]) -> float:
    if not parts or not parts[0].item.startswith("file:"):
        return 1.0
    return float((SETTINGS.typical_parts / len(parts)) ** SETTINGS.crowd_power)


@lru_cache(maxsize=16_384)
def _factors(
    tokens: int,
    branches: int,
    comments: float,
    sizing: tuple[float, int, int, int],
    making: tuple[float, float],
) -> tuple[float, float]:
    """Return the factors of a part's chance from its size, and from its branches and comments."""
    size_power, typical, least, most = sizing
    branch_power, loss = making
    size = (min(max(tokens, least), most) / typical) ** size_power
    return float(size), float((1 + branches) ** branch_power * math.exp(-loss * comments))


def head_worths(parts: Sequence[Part], defining: Sequence[float]) -> list[float]:
    """Return the worth of each part's head, 0 without one.

    It is the part's share of all definitions that may be needed, or a share of the largest in its span.
    """
    worths = []
    for at, part in enumerate(parts):
        if part.head == NO_LINES or part.kind in SETTINGS.silent:
            worths.append(0.0)
            continue
        inner = max(defining[at + 1 : end_of_span(parts, at)], default=0.0)
        worths.append(SETTINGS.defined * max(defining[at], SETTINGS.span_head * inner))
    return worths


def opening_worths(saliences: Sequence[float]) -> list[float]:
    """Return the worth of opening each item, given the saliences of all."""
    total = sum(saliences) or 1.0
    return [SETTINGS.opening * salience / total for salience in saliences]
