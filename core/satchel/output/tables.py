"""Recognise tables: records of as many fields as their header, or columns below one."""

from __future__ import annotations

import heapq
import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from satchel.output.judging import strip_runner
from satchel.patterns import lazily

_MARKS = (",", "\t", ";", "|")
_OPENS = ("{", "[{", "<")
"""Beginnings of records of JSON and pages."""
_FEWEST_FIELDS, _NEARLY_ALL, _ROWS = 2, 0.95, 20
_COLUMNS = lazily(r"(?!([=*#~-])\1)\W*[A-Z][A-Z0-9_./%#()+-]*(?:\s+[A-Z0-9_./%#()+-]+){2,}\W*")
"""`CONTAINER ID   IMAGE   COMMAND`, but not a title between rules."""
_MANY_COLUMNS = 6
"""Columns of a header below other lines."""
_WIDE = lazily(r"\s{2,}")
_NAME = lazily(r"[\w ./%#()\[\]-]{1,40}")
"""The name of a column, in a header with blanks after its commas."""
_NO_HEADER = lazily(
    r"\W{0,2}(?:\d{4}[-/.]?\d\d[-/.]?\d\d[-T ,]+)?\d\d:\d\d[:.].*(?:\s{2,}|[,\t;|]\s*)[A-Za-z][^,\t;|]*$"
    r"|\S{1,300}\.\w{1,10}[:(]\d+|[^\t]{1,100}\t[^\t]{1,100}\t\ufeff?\d{4}-\d\d-\d\dT"
)
"""A record of a log, with its time before its message; a place in a file; a line of a job."""
_RULE_MARKS = frozenset("-=.#─═━+| \t│┌┬┐├┼┤└┴┘╭╮╰╯")
_JOINTS = lazily(r"[|+│┌┬┐├┼┤└┴┘╭╮╰╯]")
_LONG_RULE = lazily(r"([-=─━])\1{19,}\s*")
"""The rule below names of columns that are separated by wide blanks."""
_SAMPLE, _FEWEST_ROWS, _MOSTLY = 400, 10, 0.9
"""Lines that are read; fewest rows of a table, and their least share."""
_LONGEST = 400
_NUMBER, _FIRST_ROWS = lazily(r"(?<!\S)\d[\d.,]*\w{0,2}%?(?!\S)"), 6
"""A cell with a number, and rows whose numbers end below the name of their column."""
_LOOKED_AT = 12
"""Lines that are searched for a header of columns."""


def is_table(lines: Sequence[str]) -> bool:
    """Return whether nearly all of the first lines are rows below a header."""
    sample = lines[:_SAMPLE]
    header = find_header(sample)
    if header is None:
        return False
    rows = [line for line in sample[header + 1 :] if line.strip() and not _is_rule(line)]
    fields = len(sample[header].split()) / 2
    whole = sum(len(line.split()) >= fields for line in rows)
    return len(rows) >= _FEWEST_ROWS and whole >= _MOSTLY * len(rows)


def _has_records(lines: Sequence[str]) -> bool:
    """Return whether nearly all lines have as many fields as the first, at least three."""
    first = lines[0] if lines else ""
    if first.startswith(_OPENS):
        return False
    for mark in _MARKS:
        fields = first.count(mark)
        if mark == "," and ", " in first and not all(map(_NAME.fullmatch, first.split(","))):
            continue  # arguments of calls, and sentences
        if fields >= _FEWEST_FIELDS and len(lines) > _ROWS:
            alike = sum(line.count(mark) == fields for line in lines)
            if alike >= _NEARLY_ALL * len(lines):
                return True
    return False


def _has_aligned_fields(lines: Sequence[str]) -> bool:
    """Return whether nearly all lines have as many words, or groups, between wide blanks as the first."""
    if len(lines) <= _ROWS:
        return False
    fields = [len(_WIDE.split(line.strip()[:_LONGEST])) for line in (lines[0], *lines[-_ROWS:])]
    return fields[0] > _FEWEST_FIELDS and fields.count(fields[0]) >= _NEARLY_ALL * len(fields)


def find_header(lines: Sequence[str]) -> int | None:
    """Return the place of a table's header among the first lines, None if there is none."""
    told = [at for at, line in enumerate(lines[:_LOOKED_AT]) if line.strip()]
    if not told:
        return None
    rows = [line for line in lines if line.strip()]
    is_logged = any(_NO_HEADER.match(row[:_LONGEST]) for row in (rows[0], strip_runner(rows[0])))
    if not is_logged and (_has_records(rows) or _has_aligned_fields(rows)):
        return told[0]
    for at, after in zip(told, [*told[1:], told[-1]], strict=True):
        if _is_rule(lines[after]) and len(lines[at].split()) > 1 and not _is_rule(lines[at]):
            return at
        if _LONG_RULE.fullmatch(lines[after]) and len(_WIDE.split(lines[at].strip())) > _FEWEST_FIELDS:
            return at
    numbered = next((at for at in told if _has_numbers_below(lines, at)), None)
    if numbered is not None:
        return numbered
    named = (at for at in told if _COLUMNS.fullmatch(lines[at][:_LONGEST]))
    return next((at for at in named if at == told[0] or len(lines[at].split()) >= _MANY_COLUMNS), None)


def _has_numbers_below(lines: Sequence[str], at: int) -> bool:
    """Return whether numbers in the next lines end below the names in a line, in three columns at least."""
    names = [*re.finditer(r"\S+", lines[at][:_LONGEST])]
    if len(names) <= _FEWEST_FIELDS or any(map(str.isdigit, lines[at])):
        return False
    ends = {name.end() for name in names}
    for row in lines[at + 1 : at + 1 + _FIRST_ROWS]:
        ends &= {number.end() for number in _NUMBER.finditer(row[:_LONGEST])}
    return len(ends) > _FEWEST_FIELDS and len(lines) > at + _FIRST_ROWS


def _is_rule(line: str) -> bool:
    """Return whether a line is `---- | ----`, `+++-===-===` or the like: two rules at least."""
    if line[:1] not in _RULE_MARKS or not set(line) <= _RULE_MARKS:
        return False
    apart = line.replace("-", " ") if "=" in line else line
    words = _JOINTS.sub(" ", apart).split()
    return len(words) > 1 and any(len(word) > 2 for word in words)


_FIELD = lazily(
    r"(?: {0,40}(?=[A-Za-z][\w .-]{0,40} = ))?([A-Za-z][\w .-]{0,40}?) *[:=]"
    r"(?!(?<=\d:)\d\d:\d\d)(?: |(?=\S)|$)"
)
"""A field, at the beginning of its line or, as in `sqlite3 -line`, right-aligned; the time of a log's line
does not count.
"""
_MANY_RECORDS, _FEW_FIELDS = 3, 3
"""Fewest records, and fewest fields that half of them have."""


def find_records(lines: Sequence[str]) -> list[int]:
    """Return the beginnings of records that have one line per field, [] if there are none.

    They begin with the same field, as in `apt show`, `rpm -qai` and `systemctl show` for several.
    """
    if not lines or not _FIELD.match(lines[0]):
        return _find_titled_records(lines)
    found = [(at, field[1]) for at, line in enumerate(lines) if (field := _FIELD.match(line))]
    starts = [at for at, name in found if found[0] == (0, name)]
    told = sum(bool(line) and (not line[0].isspace() or " = " in line) for line in lines)
    if len(starts) < _MANY_RECORDS or 2 * len(found) < told:
        return _find_titled_records(lines)
    of_record = {(bisect_right(starts, at), name) for at, name in found}
    fields = Counter(name for _, name in of_record)
    common = sum(2 * count >= len(starts) for count in fields.values())
    return starts if common > _FEW_FIELDS else []


_TITLE, _BELOW_TITLE = lazily(r"[\w.+:/@-]{1,120}:"), lazily(r"\s+([A-Z][\w -]{0,40}): \S")


def _find_titled_records(lines: Sequence[str]) -> list[int]:
    """Return the beginnings of records with a title above the same field, as in `apt-cache policy`."""
    if not lines or not _TITLE.fullmatch(lines[0]):
        return []
    fields = {
        at: field[1]
        for at, (line, below) in enumerate(pairwise(lines))
        if _TITLE.fullmatch(line) and (field := _BELOW_TITLE.match(below))
    }
    starts = [at for at, name in fields.items() if name == fields.get(0)]
    return starts if len(starts) >= _MANY_RECORDS else []


_KIND = lazily(r"([A-Za-z][A-Za-z_-]*[+<]?)(?:[^()]{0,40}\(([a-z][a-z ]{0,20})\)$)?")
"""The word at the beginning of a cell, `Exited` of `Exited (1) 2 hours ago`, and the state after it,
`unhealthy` of `Up 3 hours (unhealthy)`.
"""
_PART_OF = lazily(r"(\d{1,9})/(\d{1,9})")
_AMOUNT = lazily(r"-?\d{1,15}(?:\.\d{1,9})?%?")
_SORTED, _LARGEST = lazily(r"(\d{1,15}(?:\.\d{1,9})?)([a-zA-Z%]{0,3})"), 10
"""A cell with a number and its unit; and the number of largest rows that come first."""
_MUCH_LARGER, _MOST_LARGE = 8, 3
"""How many times larger than in nearly all rows an odd number is; and most such numbers in a column."""
_DASHES = lazily(r"-+(?: +-+)+ *")
_SELDOM = 0.25
"""Greatest share of filled cells in a column where being filled is odd: errors of a few calls."""
_LONGEST_SUMMARY = 8
"""Lines of a paragraph that sums up a table."""
_KINDS, _MOST_RARE, _FEW = 9, 8, 0.03
"""Most different words of a column of states; most odd rows; greatest share of rare ones."""


def find_summaries(lines: Sequence[str], header: int) -> Iterator[int]:
    """Yield the lines of short paragraphs below a table that are not rows: `Upgrade  90 Packages`."""
    columns = len(_WIDE.split(lines[header].strip()))
    paragraph: list[int] = []
    is_below = False
    for at in range(header + 1, len(lines) + 1):
        if at < len(lines) and lines[at].strip():
            paragraph.append(at)
            continue
        widest = max((len(_WIDE.split(lines[one].strip())) for one in paragraph), default=0)
        if is_below and len(paragraph) <= _LONGEST_SUMMARY and 2 * widest <= columns:
            yield from paragraph
        paragraph, is_below = [], True


def find_rare_rows(rows: Sequence[int], columns: Iterable[Sequence[str]]) -> list[int]:
    """Return the rows in a rare state, the oddest first."""
    rarity: dict[int, tuple[int, int]] = {}
    for column in columns:
        for nth, rare in find_rare_cells(column).items():
            rarity[rows[nth]] = min(rarity.get(rows[nth], (len(rows), 0)), rare)
    return sorted(rarity, key=lambda at: (rarity[at], at))[:_MOST_RARE]


def find_largest_rows(rows: Sequence[int], columns: Iterable[Sequence[str]]) -> Sequence[int]:
    """Return the first rows of a table that is sorted by a decreasing number, () for another."""
    for column in columns if len(rows) > _ROWS else ():
        found = [_SORTED.fullmatch(cell) for cell in column]
        numbers = [float(number[1]) for number in found if number]
        units = {number[2] for number in found if number}
        falls = len(numbers) == len(column) and len(units) == 1 and all(a >= b for a, b in pairwise(numbers))
        if falls and len(set(numbers)) > _MANY_RECORDS:
            return rows[:_LARGEST]
    return ()


def find_first_of_states(rows: Sequence[int], columns: Iterable[Sequence[str]]) -> dict[int, int]:
    """Return the first rows in a state that some but not most rows have, each with their number."""
    firsts: Counter[int] = Counter()
    for column in columns if len(rows) > _ROWS // 2 else ():
        kinds = _read_kinds(column)
        counts = Counter(filter(None, kinds))
        firsts.update(rows[kinds.index(kind)] for kind, _ in counts.most_common()[1:])
    return dict(firsts)


def read_columns(lines: Sequence[str], header: int) -> tuple[list[int], list[tuple[str, ...]]]:
    """Return the rows below a header, and the cells of each column."""
    rows = [at for at, line in enumerate(lines) if at > header and line.strip(" #") and not _is_rule(line)]
    if not rows:
        return [], []
    below = lines[header + 1] if header + 1 < len(lines) else ""
    split = _find_splitter(lines[header], below, [lines[at] for at in rows])
    cells = [split(lines[at]) for at in rows]
    if len(cells[-1]) < min(map(len, cells[:-1]), default=0):
        rows, cells = rows[:-1], cells[:-1]  # `(354 rows)` of psql
    return rows, [*zip(*cells, strict=False)]


def find_rare_cells(column: Sequence[str]) -> dict[int, tuple[int, int]]:
    """Return the cells of a column with a rare state or size, and how rare each is.

    That is the number of cells with it, and the number of states.
    """
    if len(column) <= _ROWS // 2:
        return {}
    if all(map(_AMOUNT.fullmatch, column)):
        return dict.fromkeys(_find_large(column), (1, _KINDS // 2))
    found: dict[int, tuple[int, int]] = {}
    filled = [at for at, cell in enumerate(column) if cell]
    if len(filled) <= min(_MOST_RARE, len(column) * _SELDOM):
        return dict.fromkeys(filled, (len(filled), 2))
    kinds = _read_kinds(column)
    counts = Counter(kinds)
    if 1 < len(counts) <= len(column) // 3:
        most = max(2, int(_FEW * len(column)))
        rare = {at: counts[kind] for at, kind in enumerate(kinds) if kind and counts[kind] <= most}
        found.update((at, (count, len(counts))) for at, count in rare.items())
    return found


def _read_kinds(column: Sequence[str]) -> list[str]:
    """Return the state of each cell, [] if there are too many for states."""
    kinds: list[str] = []
    different: set[str] = set()
    for cell in column:
        kind = _read_kind(cell)
        kinds.append(kind)
        different.add(kind)
        if len(different) > _KINDS:
            return []
    return kinds


@lru_cache(maxsize=1_024)
def _read_kind(cell: str) -> str:
    """Return the state in a cell, "" for a number, a version and a cell without letters.

    Two different numbers are a state: `0/1` of `READY`.
    """
    if part := _PART_OF.fullmatch(cell):
        return "" if part[1] == part[2] else "a part"
    found = _KIND.match(cell)
    if found is not None:
        return " ".join(found.groups(""))
    is_version = cell[:1].isdigit() and "." in cell
    return cell if not is_version and any(map(str.isalpha, cell)) else ""


def _find_large(column: Sequence[str]) -> list[int]:
    """Return the rows whose amount in a column is many times that of nearly all others."""
    amounts = [float(cell.strip("-%")) for cell in column]
    largest = heapq.nlargest(_MOST_LARGE + 1, amounts)
    usual = largest[-1] if len(amounts) > _MOST_LARGE else math.inf
    return [at for at, amount in enumerate(amounts) if amount > _MUCH_LARGER * usual]


def _find_splitter(header: str, below: str, rows: Sequence[str]) -> Callable[[str], list[str]]:
    """Return the function that splits a row into cells: at a mark, below the names of columns, or at blanks.

    A rule of dashes below the header defines the columns.
    """
    ruled = [found.span() for found in re.finditer("-+", below)] if _DASHES.fullmatch(below) else []
    between = [(first[1], after[0]) for first, after in pairwise(ruled)]
    if between and all(not row[start:end].strip() for row in rows for start, end in between):
        starts = [0, *(start for start, _ in between)]
        return lambda row: [
            row[start:end].strip() for start, end in zip(starts, [*starts[1:], len(row)], strict=True)
        ]
    for mark in _MARKS:
        fields = header.count(mark)
        if fields and sum(row.count(mark) == fields for row in rows) >= _NEARLY_ALL * len(rows):
            return lambda row: [*map(str.strip, row.split(mark))]
    starts = [found.start() for found in re.finditer(r"(?:(?<=\s\s)|^)\S", header)]
    inner = [(row, start) for row in rows for start in starts if 0 < start < len(row)]
    if all(row[start - 1].isspace() for row, start in inner) and len(starts) > _FEWEST_FIELDS:
        ends = [*starts[1:], None]
        return lambda row: [row[start:end].strip() for start, end in zip(starts, ends, strict=True)]
    return lambda row: row.split(None, max(0, len(header.split()) - 1))
