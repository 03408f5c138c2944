"""Recognise tables: records of as many fields as their header, or columns below one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from satchel.patterns import lazily

_MARKS = (",", "\t", ";", "|")
_FEWEST_FIELDS, _NEARLY_ALL, _ROWS = 2, 0.95, 20
_COLUMNS = lazily(r"\W*[A-Z][A-Z0-9_./%#()-]*(?:\s+[A-Z0-9_./%#()-]+){2,}\W*")
"""`CONTAINER ID   IMAGE   COMMAND`."""
_WIDE = lazily(r"\s{2,}")
_RULE_MARKS = frozenset("-=─═┼+| \t")
_LONGEST = 400
_LOOKED_AT = 12
"""Lines in which a header of columns is looked for."""


def has_records(lines: Sequence[str]) -> bool:
    """Whether nearly all lines have as many fields as the first, three at least."""
    first = lines[0] if lines else ""
    for mark in _MARKS[:3]:
        fields = first.count(mark)
        if fields >= _FEWEST_FIELDS and len(lines) > _ROWS:
            alike = sum(line.count(mark) == fields for line in lines)
            if alike >= _NEARLY_ALL * len(lines):
                return True
    return False


def has_columns(lines: Sequence[str]) -> bool:
    """Whether nearly all lines are rows between bars below a header and a rule, as databases print them."""
    rows = [line for line in lines if not _is_rule(line)]
    if len(rows) == len(lines) or len(rows) <= _ROWS:
        return False
    bars = rows[0].count("|")
    return bars > 0 and sum(line.count("|") == bars for line in rows) >= _NEARLY_ALL * len(rows)


def _has_aligned_fields(lines: Sequence[str]) -> bool:
    """Whether nearly all lines have as many words, or groups of words, between wide blanks as the first."""
    if len(lines) <= _ROWS:
        return False
    fields = [len(_WIDE.split(line.strip()[:_LONGEST])) for line in (lines[0], *lines[-_ROWS:])]
    return fields[0] > _FEWEST_FIELDS and fields.count(fields[0]) >= _NEARLY_ALL * len(fields)


def find_header(lines: Sequence[str]) -> int | None:
    """Return the place of a table's header among the first lines, None where there is none."""
    told = [at for at, line in enumerate(lines[:_LOOKED_AT]) if line.strip()]
    if not told:
        return None
    rows = [line for line in lines if line.strip()]
    if has_records(rows) or _has_aligned_fields(rows):
        return told[0]
    for at, after in zip(told, [*told[1:], told[-1]], strict=True):
        if _is_rule(lines[after]) and len(lines[at].split()) > 1 and not _is_rule(lines[at]):
            return at
    return told[0] if _COLUMNS.fullmatch(lines[told[0]][:_LONGEST]) else None


def _is_rule(line: str) -> bool:
    """Whether a line is `---- | ----`, `+++-===-===` or the like: two rules at least."""
    if not set(line) <= _RULE_MARKS:
        return False
    apart = line.replace("-", " ") if "=" in line else line
    words = apart.replace("|", " ").replace("+", " ").replace("┼", " ").split()
    return len(words) > 1 and any(len(word) > 2 for word in words)


_KIND = lazily(r"[A-Za-z][A-Za-z_-]*[+<]?")
"""The word with which a cell begins: `Exited` of `Exited (1) 2 hours ago`."""
_KINDS, _MOST_RARE, _FEW = 9, 8, 0.03
"""Different words of a column that are states; rows that are odd for one; the share of rare ones."""


def find_rare_rows(lines: Sequence[str], header: int) -> list[int]:
    """Return the rows that are in a state in which hardly any other is, the oddest first."""
    rows = [at for at, line in enumerate(lines) if at > header and line.strip() and not _is_rule(line)]
    if len(rows) <= _ROWS // 2:
        return []
    split = _find_splitter(lines[header], [lines[at] for at in rows])
    cells = [split(lines[at]) for at in rows]
    most = max(2, int(_FEW * len(rows)))
    rarity: dict[int, tuple[int, int]] = {}
    for column in zip(*cells, strict=False):
        kinds = [found[0] if (found := _KIND.match(cell)) else "" for cell in column]
        counts = Counter(kinds)
        if not 1 < len(counts) <= min(_KINDS, len(rows) // 3):
            continue
        for at, kind in zip(rows, kinds, strict=False):
            if kind and counts[kind] <= most:
                rarity[at] = min(rarity.get(at, (len(rows), 0)), (counts[kind], len(counts)))
    return sorted(rarity, key=lambda at: (rarity[at], at))[:_MOST_RARE]


def _find_splitter(header: str, rows: Sequence[str]) -> Callable[[str], list[str]]:
    """Return what splits a row into its cells: at a mark, where the names of columns begin, or at blanks."""
    for mark in _MARKS:
        fields = header.count(mark)
        if fields and sum(row.count(mark) == fields for row in rows) >= _NEARLY_ALL * len(rows):
            return lambda row: [cell.strip() for cell in row.split(mark)]
    starts = [found.start() for found in re.finditer(r"(?:(?<=\s\s)|^)\S", header)]
    inner = [(row, start) for row in rows for start in starts if 0 < start < len(row)]
    if all(row[start - 1].isspace() for row, start in inner) and len(starts) > _FEWEST_FIELDS:
        ends = [*starts[1:], None]
        return lambda row: [row[start:end].strip() for start, end in zip(starts, ends, strict=True)]
    return lambda row: row.split(None, max(0, len(header.split()) - 1))
