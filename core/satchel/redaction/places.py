"""Values that stand apart from the name that calls them secrets: in columns, lines and elements beside it."""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import takewhile
from typing import NamedTuple

from satchel.patterns import lazily

Judge = Callable[[str], bool]
"""Tells whether a value under the name is a secret."""

_TERRAFORM = lazily(
    r"[\w-]{0,60}\"[ \t]{0,8}\{(?:[^{}\"]|\"[^\"\n]{0,500}\"){0,60}?\bdefault[ \t]{1,20}=[ \t]{1,20}"
    r"\"(?P<value>[^\"\n]{6,512})\""
)
_VALUE_FIRST = lazily(
    r"\\{0,3}[\"']?[Vv]alue\\{0,3}[\"']?\s{0,20}[:=]\s{0,20}\\{0,3}[\"'](?P<value>[^\"'\\\n]{6,512})\\{0,3}[\"'],?"
    r"\s{0,40}\\{0,3}[\"']?(?:[Nn]ame|[Kk]ey)\\{0,3}[\"']?\s{0,20}[:=]\s{0,20}\\{0,3}[\"'][\w.:/-]{0,60}\Z"
)
_NAMED = lazily(r"(?:[Nn]ame|[Kk]ey)\\{0,3}[\"']?\s{0,20}[:=]\s{0,20}\\{0,3}[\"'][\w.:/-]{0,60}\Z")
_LINE_BEGINS = lazily(r"(?:\n|\A)[A-Z0-9_]{0,60}\Z")
_NEAR, _FAR = 150, 800
"""Characters searched before a name: for what shows that it is a name, and for a value."""
_BESIDE = lazily(
    r"[\w.-]{0,60}</[\w:.-]{1,40}>\s{0,80}<(?:\w{1,12}:)?(?:string|value|val|text|data)\b[^<>]{0,80}>"
    r"\s{0,80}(?P<value>[^\s<]{6,512})\s{0,80}</"
)
_BELOW = lazily(
    r"[\w-]{0,40}[\"']?(?:[\w.-]{0,40}>|[ \t]{0,12}[:=][ \t]{0,8}\\?)[ \t]{0,8}\r?\n[ \t]{0,60}"
    r"(?P<value>[^\s:#\"'<>{}()\[\],;=-][^\s:,;(){}\[\]<>]{5,512})[ \t]{0,40}(?=\r?\n|\Z)"
)
_WORD_DIFF = lazily(
    r"[\w-]{0,40}[\"']?[ \t]{0,12}[:=]{1,2}[ \t]{0,12}[\"']?(?:\[-[\"']?(?P<old>[^\s\"']{0,300}?)[\"']?-\])?"
    r"(?:\{\+[\"']?(?P<value>[^\s\"']{6,300}?)[\"']?\+\})?"
)
_ENVIRONMENT = lazily(r"[A-Z0-9_]{0,60}[ \t]{2,60}(?P<value>\S{6,512})[ \t]{0,40}(?=\r?\n|\Z)")
_SQL = lazily(r"[^()\n]{0,1000}\)\s{0,20}VALUES\s{0,20}(?=\()", re.IGNORECASE)
_SQL_ROW = lazily(r",?\s{0,40}\(((?:[^()'\"]|'[^'\n]{0,1000}'|\"[^\"\n]{0,1000}\"){0,200})\)")
_CELL = lazily(r"[\w .#/-]{0,60}")
_BEFORE_HEADING = lazily(r"(?:[\w./-]{0,200}:\d{1,9}:|[ \t]{0,12}\d{1,9}\t|[+>] ?)?")
"""What a diff, grep and `cat -n` put before a line."""
_RULE = lazily(r"[-+=|: \t]+")
_DELIMITERS = ("|", "\t", ";", ",")
_ROW_MARKS = {delimiter: lazily(rf"[{delimiter}\"']") for delimiter in _DELIMITERS}
"""What ends a cell, and quotes."""
_LONGEST_ROW = 4_000
_MOST_COLUMNS = 8
"""Most columns of one table that are read: time grows with their number times its size."""
_MOST_WORDS = 3
"""Most words of a heading."""
_QUOTES = "\"'`"


class ValueSpan(NamedTuple):
    """Where a value stands."""

    start: int
    end: int


def find_placed_values(text: str, start: int, end: int) -> Iterator[ValueSpan]:
    """Yield the values that the name from `start` to `end` labels, except one that directly follows it.

    The caller judges whether they are secrets.
    """
    near, ahead = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    for pattern in _patterns_after(text[start:end], near, ahead):
        found = pattern.match(text, end)
        if found:
            yield from (ValueSpan(*found.span(group)) for group in found.groupdict() if found[group])
    if '"' in near or "'" in near:
        yield from _values_before(text, start, near)


def _patterns_after(name: str, near: str, ahead: str) -> Iterator[re.Pattern[str]]:
    """Yield what can match behind a name, by the text just before and after it."""
    if "\n" in ahead:
        yield _BELOW
    if "</" in ahead:
        yield _BESIDE
    if "[-" in ahead or "{+" in ahead:
        yield _WORD_DIFF
    if 'variable "' in near:
        yield _TERRAFORM
    if name.isupper() and _LINE_BEGINS.search(near):
        yield _ENVIRONMENT


def _values_before(text: str, start: int, near: str) -> Iterator[ValueSpan]:
    """Yield the value of an object whose name comes last."""
    window = text[max(0, start - _FAR) : start] if _NAMED.search(near) else ""
    found = _VALUE_FIRST.search(window) if "alue" in window else None
    if found:
        first = start - len(window)
        yield ValueSpan(first + found.start("value"), first + found.end("value"))


class Columns:
    """Finds the columns of tables under a name; each table is read once for each of its columns."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._heading, self._ended = -1, 0
        """Where the line of the last heading begins, and its table ends: its rows are not headings."""
        self._next = -1
        """Where the line after it begins."""
        self._delimiter = ""
        self._cells: list[tuple[int, int]] = []
        """Where the heading's cells begin and end, none where it is not a heading."""
        self._left = 0
        """Columns that may still be read."""
        self._inserts = "VALUES" in text or "values" in text

    def values(self, start: int, end: int) -> Iterator[ValueSpan]:
        """Yield the cells under the heading that the name stands in, where it stands in one."""
        if (
            self._inserts
            and (found := _SQL.match(self._text, end))
            and "(" in self._text[max(0, start - _FAR) : start]
        ):
            yield from self._find_inserted(start, found)
            return
        if not self._heading <= start < self._next:
            if start < self._ended:
                return
            self._read_heading(start)
        at = start - self._heading
        column = bisect.bisect_right(self._cells, (at, len(self._text))) - 1
        if column < 0 or at >= self._cells[column][1] or not self._left:
            return
        first, last = self._cells[column]
        if len(self._text[self._heading + first : self._heading + last].split()) <= _MOST_WORDS:
            self._left -= 1
            yield from self._below(column)

    def _read_heading(self, start: int) -> None:
        """Take the line around a place for a heading, if each of its cells is a name."""
        line = self._text.rfind("\n", max(0, start - _LONGEST_ROW), start) + 1
        stop = self._text.find("\n", start, start + _LONGEST_ROW)
        self._heading, self._next, self._cells, self._left = line, stop + 1, [], _MOST_COLUMNS
        if stop < 0 or (not line and start > _LONGEST_ROW):
            self._heading, self._next = start, stop + 1 or start + _LONGEST_ROW
            return
        heading = self._text[line:stop]
        before = _BEFORE_HEADING.match(heading)
        heading = " " * before.end() + heading[before.end() :] if before else heading
        self._delimiter = next((one for one in _DELIMITERS if one in heading), "")
        cells = _split_row(heading, self._delimiter) if self._delimiter else []
        named = [_strip_cell(heading, *cell) for cell in takewhile(partial(_is_heading, heading), cells)]
        self._cells = named if len(named) == len(cells) > 1 else []

    def _below(self, column: int) -> Iterator[ValueSpan]:
        place = self._next
        while place < len(self._text):
            end = self._text.find("\n", place, place + _LONGEST_ROW)
            end = end if end >= 0 else min(len(self._text), place + _LONGEST_ROW)
            row = self._text[place:end]
            found = _split_row(row, self._delimiter)
            if len(found) == len(self._cells) > 1:
                first, last = _strip_cell(row, *found[column])
                if first < last:
                    yield ValueSpan(place + first, place + last)
            elif not row.strip() or not _RULE.fullmatch(row.strip()):
                break
            place = end + 1
        self._ended = max(self._ended, place)

    def _find_inserted(self, start: int, found: re.Match[str]) -> Iterator[ValueSpan]:
        """Yield the values of a column of an INSERT statement."""
        opening = self._text.rfind("(", max(0, start - _FAR), start)
        column = self._text.count(",", opening, start)
        at = found.end()
        while row := _SQL_ROW.match(self._text, at):
            cells = _cells(row[1], ",")
            if column < len(cells):
                first, last = cells[column]
                if first < last:
                    yield ValueSpan(row.start(1) + first, row.start(1) + last)
            at = row.end()


def _is_heading(row: str, cell: tuple[int, int]) -> bool:
    """Tell whether a cell is a name as columns have them."""
    first, last = _strip_cell(row, *cell)
    return first < last and _CELL.fullmatch(row, first, last) is not None


def _cells(row: str, delimiter: str) -> list[tuple[int, int]]:
    """Return where the cells of a row begin and end, without blanks and quotes around them."""
    return [_strip_cell(row, *cell) for cell in _split_row(row, delimiter)]


def _split_row(row: str, delimiter: str) -> list[tuple[int, int]]:
    """Return where the cells of a row begin and end, with all that stands around them."""
    has_quotes = '"' in row or "'" in row
    found = _split_at_quotes(row, delimiter) if has_quotes else _split_unquoted(row, delimiter)
    edged = delimiter == "|" and row.strip().startswith("|") and row.rstrip().endswith("|")
    return found[1:-1] if edged else found


def _split_unquoted(row: str, delimiter: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    start = 0
    for cell in row.split(delimiter):
        end = start + len(cell)
        found.append((start, end))
        start = end + 1
    return found


def _split_at_quotes(row: str, delimiter: str) -> list[tuple[int, int]]:
    """Split a row where a delimiter stands that is not in quotes; a quote that nothing closes is none."""
    found: list[tuple[int, int]] = []
    start, quote = 0, ""
    for hit in _ROW_MARKS[delimiter].finditer(row):
        at, character = hit.start(), hit[0]
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'" and not row[start:at].strip():
            quote = character if row.find(character, at + 1) >= 0 else ""
        if character == delimiter and not quote:
            found.append((start, at))
            start = at + 1
    if not quote:
        found.append((start, len(row)))
    return found


def _strip_cell(row: str, start: int, end: int) -> tuple[int, int]:
    cell = row[start:end]
    bare = cell.strip()
    start += len(cell) - len(cell.lstrip())
    end = start + len(bare)
    if len(bare) > 1 and bare[0] in _QUOTES and bare[-1] == bare[0]:
        return start + 1, end - 1
    return start, end
