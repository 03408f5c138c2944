"""Cut a text that is not a log into passages of neighbouring lines, each with the lines it needs."""

from __future__ import annotations

import bisect
import heapq
import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import NamedTuple

from satchel.output.asking import ANSWERS_FROM, Question
from satchel.output.choosing import CountAll, ShownLines, nothing
from satchel.output.cleaning import clean_lines
from satchel.output.families import (
    DATA,
    DIFF,
    FILE,
    LISTING,
    STATUS,
    OutputFamily,
    is_document,
    reports_beside,
)
from satchel.output.folding import Place as LinePlace
from satchel.output.judging import matters
from satchel.output.marks import BARE, RANGED, STYLES, Gap, Marks
from satchel.output.naming import names_in, without_known
from satchel.output.sections import Section, beginning_of, find_asked_sections, find_changed_file, find_files
from satchel.output.shapes import MOST_NAMED, OutputShape, describe_groups, has_groups
from satchel.output.structure import (
    OF_ODD,
    TABLE_RULE,
    OutputPlace,
    find_asked_records,
    find_odd_places,
    find_outer_places,
    find_places,
    thin,
)
from satchel.patterns import lazily
from satchel.selecting import LazyGreedy

_MOST_CHARS, _MOST_LINES = 400_000, 8_000
"""Longer texts are read like logs, except diffs and histories, of which only a part is read."""
_MOST_OF_LINE = 1_000
"""Characters of a line, on average, beyond which such a text is read in pieces as logs are."""
_MOST_ANSWERS = 600
"""Lines of a longer text that are read because they answer a question."""
_LONG_LINE, _CELL = 320, 90
"""Lines of more characters are cut into cells of about this many."""
_CELL_END = lazily(
    r".{1,120}?(?:[,;}>)\]](?=\s|[\"{\[<(]|$)|\.(?=\s)|(?<=.{80})\s|$)|.{120}\w{0,60}", re.DOTALL
)


class TextCell(NamedTuple):
    """A line, or a piece of a long one."""

    line: int
    """From 0."""
    start: int
    """Where it begins in its line."""
    text: str


def split_cells(lines: Sequence[str], kept: Sequence[int], places: Sequence[OutputPlace]) -> list[TextCell]:
    """Return the kept lines as cells, with the dull parts of a line apart from the rest of it."""
    cells: list[TextCell] = []
    for at in kept:
        line = lines[at]
        edges = sorted({0, *itertools.chain.from_iterable(places[at].dull), len(line)})
        if len(edges) > 2:
            for start, end in itertools.pairwise(edges):
                cells += _split_line(at, line, start, end)
        elif len(line) <= _LONG_LINE:
            cells.append(TextCell(at, 0, line))
        else:
            cells += _split_line(at, line, 0, len(line))
    return cells


def _split_line(at: int, line: str, start: int, last: int) -> Iterator[TextCell]:
    for found in _CELL_END.finditer(line, start, last):
        end = found.end()
        if end - start >= _CELL:
            yield TextCell(at, start, line[start:end])
            start = end
    if start < last:
        yield TextCell(at, start, line[start:last])


_FIRST_RECORD = lazily(r"(?:\{.{0,200}?)?\[\s*(\{\s*\"[\w.-]+\":)")
"""The beginning of a line of JSON with a list of records."""
_SAID = 0.05
"""Worth of a line without names."""
_OF_BEGINNING = 20.0
"""Worth of the beginning of a text whose first line is long: it identifies the text."""
_OF_DULL = -10.0
"""Worth of dull text: passages with it are not shown."""
_VALUED, _PER_VALUE = 48.0, 3.0
"""Value of a line, as in logs, above which it is worth more; and the difference for a worth of 1."""
_REPORTED, _MOST_REPORTED = 57.5, 24
"""Value from which a line reports an error or a result, and is not only odd or at an end; and the most
lines that are raised for it beside the output of another command.
"""
_ASKED, _ANSWERS = 1.5, 40.0
"""Extra worth of a line that shares something with a question, times the share; and of the best
answer.
"""
_OF_ASKED_FILE = 8.0
"""Worth of a changed line of a file that a question names."""
_CHANGED = lazily(r"[-+] *\S|@@ ")
_OF_SAME_FILE = 0.5
"""Loss of an answer for each shown one of the same file of a diff."""
_ANSWERING = 0.85
"""The part of a budget for sections that a question names."""
_ALONE = 2.0
"""Structural worth of a line that is understood without the lines around it."""
_BRACKETS = lazily(r"[\s{}\[\](),;]*")
_REACH = 3
"""Most lines by which a passage grows at once."""
_NEAR_END = 2
"""Lines before the last one that get a part of its worth."""
_SHORT_MARK, _MARK = 5, 7
"""Tokens of a gap's mark, without and with the numbers of its lines."""
_SMALL = 400
"""Budgets up to here have short marks."""
_STEPS = (120, 300, 600, 1_000, 3_000)
"""Budgets that are filled to the end, with lines of less gain if the next best does not fit."""
_FRAME = 14
"""Tokens of the line at the end of a cut text."""
_TIGHT = 200.0
"""Tokens left in a budget, from which passages that cost more are skipped together."""

_PART_OF_SHAPE, _MUCH_LONGER = 4, 4
"""The part of a budget for the shape of the left-out text; and how many times longer than the budget a list,
or matches, must be to get it.
"""

_LONG_TEXT, _MORE_OF_LONG = 50_000, 2.0
"""Tokens of a text from which more of it is shown than suffices for a shorter one; the highest factor."""

_TOO_MUCH = 2.5
"""Factor on the budget above which guesses are not counted."""

Move = Sequence[int]
"""Cells to show next, in order."""


class TextPassages:
    """The cost and the names of each cell of a text, and the order in which passages are shown.

    The order does not depend on the budget, so a larger budget shows everything that a small one shows.
    """

    def __init__(
        self,
        cells: Sequence[TextCell],
        family: OutputFamily,
        places: Sequence[OutputPlace],
        *,
        count_all: CountAll,
        command: str,
        tokens: int,
    ) -> None:
        """Take the cells, their family, the needs of each line, and a guess of the tokens of the text."""
        self._cells, self._family = cells, family
        self._size = len(cells)
        self._tokens = tokens
        last = [at + 1 == self._size or cells[at + 1].line != cells[at].line for at in range(self._size)]
        self.costs = count_all(
            [f"{cell.text}\n" if ends else cell.text for cell, ends in zip(cells, last, strict=True)]
        )
        self._names = [
            {name: places[cell.line].share * min(worth, family.named) for name, worth in names.items()}
            for cell, names in ((cell, without_known(names_in(cell.text), command)) for cell in cells)
        ]
        self._worths = [_SAID if cell.text.strip() else 0.0 for cell in cells]
        told = [at if cell.text.strip() else -1 for at, cell in enumerate(cells)]
        self._told_before = [*itertools.accumulate(told, max, initial=-1)]
        """The last cell before each that is not blank, -1 if there is none."""
        after = itertools.accumulate((at if at >= 0 else self._size for at in reversed(told)), min)
        self._told_after = [*reversed([*after]), self._size]
        """The first cell that is not blank from each on, and the end of the cells."""
        self._needed = self._read_structure(places)
        self._forget_dull(places)
        self._raise_ends()
        self._shown = bytearray(self._size)
        self._answers: dict[int, tuple[float, str]] = {}
        self._shown_of: Counter[str] = Counter()
        self._asked_first: Sequence[Move] = ()
        self._cells_of: dict[str, list[int]] = {}
        self._are_needy, self._costs_before = bytearray(), [0]
        self._mark, self._per_cost = _SHORT_MARK, family.per_cost
        self._queue = LazyGreedy[tuple[int, int]](self._gain)

    def raise_valued(self, values: Mapping[LinePlace, float]) -> None:
        """Raise errors, results and outliers; lines count from 1.

        In a family without errors and results, these are from another command of the line.
        """
        least, judged = _VALUED, self._family.judged
        if not judged:
            judged, least = 1.0, max(_REPORTED, *heapq.nlargest(_MOST_REPORTED, values.values())[-1:])
        starts = [(cell.line + 1, cell.start) for cell in self._cells]
        heads = dict(_iter_record_heads(self._cells)) if self._family is DATA else {}
        for place, value in values.items():
            at = bisect.bisect_right(starts, place) - 1
            if value >= least and self._worths[at] != _OF_DULL:
                worth = judged * (value - _VALUED) / _PER_VALUE
                self._worths[at] = max(self._worths[at], worth)
                if worth >= _ALONE:
                    self._alone.append(at)
                if at in heads:
                    self._needed[at] = tuple(sorted({*self._needed[at], heads[at]}))

    def raise_odd(self) -> None:
        """Raise the pieces of long lines of JSON in which a record differs from nearly all others.

        Each brings along its record up to there, or the enclosing objects if records have names.
        """
        heads = dict(_iter_record_heads(self._cells))
        for _, group in itertools.groupby(range(self._size), lambda at: self._cells[at].line):
            cells = [*group]
            first = self._cells[cells[0]].start
            starts = [self._cells[at].start - first for at in cells]
            text = "".join(self._cells[at].text for at in cells)
            for place, outer in find_outer_places(text, {*find_odd_places(text)}):
                at = cells[bisect.bisect_right(starts, place) - 1]
                if at in heads and self._worths[at] != _OF_DULL:
                    self._worths[at] += OF_ODD
                    self._alone.append(at)
                    is_listed = heads[at] > cells[0]
                    around = {cells[bisect.bisect_right(starts, one) - 1] for one in outer} - {at}
                    above = range(heads[at], at) if is_listed else around
                    self._needed[at] = tuple(sorted({*self._needed[at], *above}))

    def raise_answers(self, question: Question, lines: Sequence[str]) -> None:
        """Raise the answers to a question, and show first the sections that it names."""
        shares = question.weigh(_read_rows(self._cells, self._needed, question, lines))
        best = max(shares, default=0.0)
        files = find_files(self._family, lines)
        for at, share in enumerate(shares):
            self._worths[at] += _ASKED * share
            if share >= max(ANSWERS_FROM, best / 2):
                self._answers[at] = (_ANSWERS * (share / best) ** 2, files[self._cells[at].line])
        headers = {
            files[self._cells[at].line] for at in self._answers if find_changed_file(self._cells[at].text)
        }
        for at, cell in enumerate(self._cells):
            if files[cell.line] in headers and _CHANGED.match(cell.text):
                self._worths[at] += _OF_ASKED_FILE
        sections = find_asked_sections(self._family, lines, question)
        if self._family is DATA or (self._family is FILE and is_document(lines)):
            sections = find_asked_records(lines, question)
        self._asked_first = [
            move for section in sections for move in _iter_section_moves(self._cells, section)
        ]

    def _raise_ends(self) -> None:
        told = [
            at for at, cell in enumerate(self._cells) if cell.text.strip() and self._worths[at] != _OF_DULL
        ]
        if not told:
            return
        goes_on = [cell.line for cell in self._cells].count(self._cells[told[0]].line) > 1
        self._worths[told[0]] += self._family.first + _OF_BEGINNING * goes_on
        for nth, at in enumerate(reversed(told[-_NEAR_END - 1 :])):
            self._worths[at] += self._family.last / (nth + 1)

    def _read_structure(self, places: Sequence[OutputPlace]) -> list[tuple[int, ...]]:
        """Raise structural lines; return the cells that must be shown with each cell."""
        first: dict[int, int] = {}
        for at, cell in enumerate(self._cells):
            first.setdefault(cell.line, at)
        for line, at in first.items():
            self._worths[at] += places[line].worth
        self._alone = [at for line, at in first.items() if places[line].worth >= _ALONE]
        own = first if self._family.headed else {}
        return [
            tuple(first[line] for line in places[cell.line].needed if line in first)
            + ((own[cell.line],) if own.get(cell.line, at) != at else ())
            for at, cell in enumerate(self._cells)
        ]

    def _forget_dull(self, places: Sequence[OutputPlace]) -> None:
        """Take the names from cells in dull parts of lines, and leave these out."""
        for at, cell in enumerate(self._cells):
            middle = cell.start + len(cell.text) // 2
            if any(first <= middle < end for first, end in places[cell.line].dull):
                self._names[at] = {}
                self._worths[at] = _OF_DULL

    def order(self) -> Iterator[tuple[Move, float]]:
        """Yield the moves, the best first, with a guess of the total cost so far; call once."""
        self._are_needy = bytearray(map(bool, self._needed))
        self._costs_before = list(itertools.accumulate(self.costs, initial=0))
        for at, names in enumerate(self._names):
            for name in names:
                self._cells_of.setdefault(name, []).append(at)
        self._seed(self._family.run)
        spent = float(_FRAME + self._mark)
        first = 0
        waiting: list[tuple[int, int]] = []
        for step in (*_STEPS, math.inf):
            limit = _find_limit(self._family, self._tokens, step)
            if step > _SMALL and self._mark != _MARK:
                spent += (_MARK - _SHORT_MARK) * sum(not shown for shown, _ in itertools.groupby(self._shown))
                self._mark, self._per_cost = _MARK, 1.0
                self._seed(self._family.long_run)
            elif waiting:
                self._queue = LazyGreedy(self._gain, waiting)
            while first < len(self._asked_first):
                move, cost = self._complete(self._asked_first[first])
                if spent + cost > _ANSWERING * limit:
                    break
                first += 1
                if move:
                    spent += cost
                    yield move, spent
                    self._show(move)
            waiting, tight = [], _TIGHT
            for passage in self._queue:
                move, cost = self._complete(range(*passage))
                if spent + cost > limit:
                    waiting.append(passage)
                else:
                    spent += cost
                    yield move, spent
                    self._show(move)
                if limit - spent < tight:
                    tight = (limit - spent) / 2
                    waiting += self._queue.split_off(partial(self._is_dear, limit - spent))

    def _is_dear(self, tokens: float, passage: tuple[int, int]) -> bool:
        """Return whether a passage costs more than these tokens, whatever gaps it closes."""
        first, end = passage
        cost = self._costs_before[end] - self._costs_before[first]
        return cost - 2 * self._mark > tokens and self._shown.find(1, first, end) < 0

    def _seed(self, run: int) -> None:
        """Begin anew with passages of `run` lines, and with the neighbours of shown cells."""
        starts = range(max(1, self._size - run + 1))
        alone = self._alone if run > 1 else ()
        spans = [(at, min(self._size, at + run)) for at in starts]
        if self._family is DATA:
            spans = [_trim_brackets(self._cells, *span) for span in spans]
        passages = [*spans, *((at, at + 1) for at in alone)]
        self._queue = LazyGreedy(self._gain, passages)
        shown = (at for at in range(self._size) if self._shown[at])
        for first, end in _runs(tuple(shown)):
            self._grow(first, end)

    def _show(self, move: Move) -> None:
        for at in move:
            self._shown[at] = 1
            for name in [*self._names[at]]:  # a shown name is no longer new
                for one in self._cells_of.pop(name):
                    del self._names[one][name]
            if at in self._answers:
                self._shown_of[self._answers[at][1]] += 1
        for first, end in _runs(move):
            low, high = first, end
            while low and self._shown[low - 1]:
                low -= 1
            while high < self._size and self._shown[high]:
                high += 1
            self._grow(low, high)

    def _grow(self, first: int, end: int) -> None:
        """Enter the lines beside a passage as the next candidates."""
        for reach in range(1, _REACH + 1):
            if first - reach >= 0:
                self._queue.enter((first - reach, first))
            if end + reach <= self._size:
                self._queue.enter((end, end + reach))

    def _complete(self, cells: Sequence[int]) -> tuple[Move, int]:
        """Return the cells, and those they need, that are not shown yet; and their cost."""
        if isinstance(cells, range):
            first, end = cells.start, cells.stop
            if self._shown.find(1, first, end) < 0 and self._are_needy.find(1, first, end) < 0:
                cost = self._costs_before[end] - self._costs_before[first]
                return cells, cost + self._mark * self._new_gaps(cells)
        move = tuple([at for at in cells if not self._shown[at]])
        if not move:
            return (), 0
        if any(map(self._needed.__getitem__, move)):
            wanted = set(move)
            for at in move:
                wanted.update(one for one in self._needed[at] if not self._shown[one])
            move = tuple(sorted(wanted))
        return move, sum([self.costs[at] for at in move]) + self._mark * self._new_gaps(move)

    def _new_gaps(self, move: Move) -> int:
        """Return how many more gaps there are with these cells, less than 0 if they close some.

        A gap of blank cells has no mark.
        """
        more = 0
        is_one_run = move[-1] - move[0] + 1 == len(move)
        for first, end in ((move[0], move[-1] + 1),) if is_one_run else _runs(move):
            low, high = self._told_before[first], self._told_after[end]
            before = low < 0 or self._shown.find(1, low, first) >= 0
            after = high == self._size or self._shown.find(1, end, high + 1) >= 0
            if self._told_after[first] < end or not before or not after:
                more += 1 - before - after
        return more

    def _gain(self, passage: tuple[int, int]) -> float | None:
        move, cost = self._complete(range(*passage))
        if not move:
            return None
        new, worths, names = set[str](), self._worths, self._names
        gain = 0.0
        for at in move:
            gain += worths[at]
            if at in self._answers:
                worth, file = self._answers[at]
                gain += worth / (1 + _OF_SAME_FILE * self._shown_of[file] * (file != ""))
            for name, worth in names[at].items():
                if name not in new:
                    gain += worth
                    new.add(name)
        return gain / math.pow(max(1, cost), self._per_cost) if gain >= 0 else None


def _read_rows(
    cells: Sequence[TextCell], needed: Sequence[Sequence[int]], question: Question, lines: Sequence[str]
) -> list[str]:
    """Return the texts of cells; rows that share a word with the question come below their heads.

    These are the header of their table and the heading of its section.
    """
    texts = [cell.text for cell in cells]
    for at, text in enumerate(texts):
        heads = sorted({cells[one].line for one in needed[at]})
        below = lines[heads[-1] + 1 : heads[-1] + 2] if heads else []
        if any(map(TABLE_RULE.fullmatch, below)) and question.find(text):
            texts[at] = "\n".join([*(lines[head] for head in heads), text])
    return texts


def _trim_brackets(cells: Sequence[TextCell], first: int, end: int) -> tuple[int, int]:
    """Return a passage of data without lines of brackets alone at its ends."""
    while first + 1 < end and _BRACKETS.fullmatch(cells[end - 1].text):
        end -= 1
    while first + 1 < end and _BRACKETS.fullmatch(cells[first].text):
        first += 1
    return first, end


def _find_limit(family: OutputFamily, tokens: int, step: float) -> float:
    """Return the tokens of a budget for passages, without those for the shape of the rest."""
    is_shaped = has_groups(family) and tokens >= _MUCH_LONGER * step
    return step * (1 - 1 / _PART_OF_SHAPE) if is_shaped else step


def _iter_section_moves(cells: Sequence[TextCell], section: Section) -> Iterator[Move]:
    """Yield the cells of a section, line by line, the first with the heads of its parents."""
    starts = [cell.line for cell in cells]

    def cells_of(line: int) -> range:
        return range(bisect.bisect_left(starts, line), bisect.bisect_right(starts, line))

    parents = [at for line in section.parents for at in cells_of(line)]
    for line in beginning_of(section):
        yield (*parents, *cells_of(line))
        parents = []


def _iter_record_heads(cells: Sequence[TextCell]) -> Iterator[tuple[int, int]]:
    """Yield the pieces of long lines, each with the piece in which its record, or the line, begins."""
    line = head = -1
    opens = ""
    for at, cell in enumerate(cells):
        if cell.line != line:
            first = _FIRST_RECORD.match(cell.text)
            line, head, opens = cell.line, at, first[1] if first else ""
        else:
            yield at, head
        if opens and opens in cell.text:
            head = at


def _runs(move: Move) -> Iterator[tuple[int, int]]:
    """Yield the runs of neighbouring cells, as their first and the one after their last."""
    first = previous = -2
    for at in move:
        if at != previous + 1:
            if first >= 0:
                yield first, previous + 1
            first = at
        previous = at
    if first >= 0:
        yield first, previous + 1


class Omission(NamedTuple):
    """Lines that were left out of a text because it is too long to hold."""

    at: int
    """The line, from 0, before which they are missing."""
    amount: int

    def number(self, line: int) -> int:
        """Return the number of one of the held lines in the whole text, both from 0."""
        return line + self.amount if line >= self.at else line

    def within(self, first: int, end: int) -> int:
        """Return how many of them are between two lines."""
        return self.amount if first < self.at <= end else 0


NO_OMISSION = Omission(0, 0)


class CleanedText(NamedTuple):
    """A text that is not a log: its cleaned lines, those that may be shown, and a guess of its tokens."""

    lines: Sequence[str]
    kept: Sequence[int]
    tokens: int
    ends_with_newline: bool
    altered: Collection[int] = ()
    """Long lines, from 0, that lost characters in cleaning."""
    left_out: Omission = NO_OMISSION


class PassageCut:
    """A text that is not a log, and the cost of showing more or less of it."""

    def __init__(
        self,
        text: CleanedText,
        family: OutputFamily,
        *,
        command: str,
        question: Question,
        count_all: CountAll,
        values: Callable[[], Mapping[LinePlace, float]],
    ) -> None:
        """Take the text, its family, its command, a question, and the counter of tokens.

        `values` returns the worth of lines that matter in logs too; it is called if something is cut.
        """
        self._values = values
        self._lines, self._kept, self._tokens = text.lines, text.kept, text.tokens
        self._altered, self._left_out = text.altered, text.left_out
        self._text = "\n".join(self._lines) + ("\n" if text.ends_with_newline else "")
        self._family, self._command, self._question = family, command, question
        self._count_all = count_all
        self._cells: Sequence[TextCell] = ()
        self._moves: Iterator[tuple[Move, float]] = iter(())
        self._known: list[Move] = []
        self._spent: list[float] = []
        """The guessed total cost up to each move."""

    def _count(self, text: str) -> int:
        return self._count_all([text])[0]

    def everything(self) -> str:
        """Return the text as a terminal shows it."""
        return self._text

    def has_gaps(self) -> bool:
        """Return False: a large enough budget shows everything."""
        return False

    def _find_sufficient(self, budget: int) -> int:
        """Return the tokens that suffice unless the budget is to be filled."""
        family = self._family
        if self._question or self._tokens < family.times * budget:
            return budget
        most = family.most * max(1.0, min(_MORE_OF_LONG, self._tokens / _LONG_TEXT))
        return int(min(budget, max(most, family.share * self._tokens)))

    def within(self, budget: int, *, exit_code: int | None, hash_: str, spends: bool = False) -> ShownLines:
        """Return the most that fits; with `spends`, fill the budget as far as the text has content.

        `hash_` is the archived output's, "" if there is none.
        """
        is_long = self._left_out.amount or self._tokens > _TOO_MUCH * budget
        tokens = math.inf if is_long else self._count(self._text)
        if tokens <= (budget if spends else min(budget, self._family.whole)):
            return ShownLines(self._text, int(tokens), (), "")
        if self._family.always or not spends:
            budget = self._find_sufficient(budget)
        told = tuple(itertools.accumulate((bool(line.strip()) for line in self._lines), initial=0))
        show = _PassageShowing(
            self._find_cells(),
            self._lines,
            told,
            self._count,
            exit_code,
            hash_,
            self._altered,
            self._left_out,
        )
        least = self._most_moves(show, budget)
        also = self._describe_rest(show, least, budget)
        while also != show.also:  # the lines removed to make room must be counted too
            show = show._replace(also=also)
            least = min(least, self._most_moves(show, budget))
            also = self._describe_rest(show, least, budget)
        for marks in STYLES:
            shown = show(self._first(least), marks)
            if shown.tokens <= budget:
                return shown
        return nothing(self._left_out.number(len(self._lines)), hash_)

    def _most_moves(self, show: _PassageShowing, budget: int) -> int:
        """Return how many moves fit: at least as many as in a small budget with its short marks."""
        most = self._fitting(show, budget, RANGED) if budget > _SMALL else 0
        return max(most, self._fitting(show, min(budget, _SMALL), BARE))

    def _describe_rest(self, show: _PassageShowing, moves: int, budget: int) -> str:
        """Return the mark with the shape of the left-out text, in a part of the budget."""
        is_told = self._family in (DIFF, STATUS) or (self._family is LISTING and budget > _SMALL)
        if not is_told and self._tokens < _MUCH_LONGER * budget:
            return ""
        shown = {show.cells[at].line for at in self._first(moves)}
        groups = self._shape.find_groups(shown)
        told = min(len(groups), MOST_NAMED)
        while (also := describe_groups(groups, told, self._family)) and told:
            if self._count(also) <= budget // _PART_OF_SHAPE:
                break
            told = told * 3 // 4
        return also

    @cached_property
    def _shape(self) -> OutputShape:
        return OutputShape(self._family, self._lines)

    def _find_cells(self) -> Sequence[TextCell]:
        if not self._cells:
            places = find_places(self._family, self._lines, self._kept)
            kept = sorted({one for at in self._kept for one in (at, *places[at].needed)})
            self._cells = cells = split_cells(self._lines, kept, places)
            passages = TextPassages(
                cells,
                self._family,
                places,
                count_all=self._count_all,
                command=self._command,
                tokens=self._tokens,
            )
            if self._question:
                passages.raise_answers(self._question, self._lines)
            if self._family.judged or reports_beside(self._command, self._family):
                passages.raise_valued(self._values())
            if self._family is DATA:
                passages.raise_odd()
            self._moves = passages.order()
        return self._cells

    def _first(self, moves: int) -> list[int]:
        """Return the cells of the first moves, in the order of the text."""
        while len(self._known) < moves and self._find_next():
            pass
        return sorted(set(itertools.chain.from_iterable(self._known[:moves])))

    def _find_next(self) -> bool:
        """Find one more move; return whether there is one."""
        found = next(self._moves, None)
        if found is None:
            return False
        self._known.append(found[0])
        self._spent.append(found[1])
        return True

    def _guess_fitting(self, budget: int) -> int:
        """Return how many moves should fit by the guess of their cost."""
        while (not self._spent or self._spent[-1] <= budget) and self._find_next():
            pass
        return next((at for at, spent in enumerate(self._spent) if spent > budget), len(self._spent))

    def _fitting(self, show: _PassageShowing, budget: int, marks: Marks) -> int:
        """Return how many of the first moves fit: each further one lengthens the text."""

        def fits(moves: int) -> bool:
            return show(self._first(moves), marks).tokens <= budget

        low, step = self._guess_fitting(budget), 1
        while low and not fits(low):
            low, step = max(0, low - step), step * 2
        step = 1
        while len(self._first(low + step)) and low + step <= len(self._known) and fits(low + step):
            low, step = low + step, step * 2
        high = min(low + step, len(self._known) + 1)
        while high - low > 1:
            middle = (low + high) // 2
            if fits(middle):
                low = middle
            else:
                high = middle
        return low


class _PassageShowing(NamedTuple):
    """The constant arguments while more or less of a text is shown."""

    cells: Sequence[TextCell]
    lines: Sequence[str]
    told: Sequence[int]
    """How many lines before each have content."""
    tokens_of: Callable[[str], int]
    exit_code: int | None
    hash_: str
    altered: Collection[int] = ()
    """Lines whose characters can't be addressed."""
    left_out: Omission = NO_OMISSION
    also: str = ""
    """The shape of the left-out text."""

    def __call__(self, chosen: Sequence[int], marks: Marks) -> ShownLines:
        """Return these cells with marks for missing ones, and their cost."""
        gaps = list(self._find_gaps(chosen))
        text = "".join(self._render(chosen, gaps, marks))
        if gaps:
            text += self.also + marks.last(self.exit_code, self._number(len(self.lines)) - 1, self.hash_)
        return ShownLines(text, self.tokens_of(text), tuple(gaps), marks.pointer(self.hash_) if gaps else "")

    def _find_gaps(self, chosen: Sequence[int]) -> Iterator[Gap]:
        """Yield the lines that are not shown, and each line that is shown in part."""
        shown: dict[int, int] = {}
        for at in chosen:
            cell = self.cells[at]
            shown[cell.line] = shown.get(cell.line, 0) + len(cell.text)
        previous = -1
        for line in (*shown, len(self.lines)):
            if line > previous + 1:
                yield self._gap(previous + 1, line)
            if line < len(self.lines) and shown[line] < len(self.lines[line]):
                yield Gap(self._number(line), self._number(line), 1)
            previous = line

    def _gap(self, first: int, end: int) -> Gap:
        told = self.told[end] - self.told[first] + self.left_out.within(first, end)
        return Gap(self._number(first), self._number(end) - 1, told)

    def _number(self, line: int) -> int:
        """Return the number of a line in the whole text, from 1."""
        return self.left_out.number(line) + 1

    def _render(self, chosen: Sequence[int], gaps: Sequence[Gap], marks: Marks) -> Iterator[str]:
        """Yield the pieces of the text."""
        whole = {gap.first: gap for gap in gaps}
        line, end = -1, 0
        for at in chosen:
            cell = self.cells[at]
            if cell.line != line:
                yield from self._end_line(line, end, marks)
                gap = whole.get(self._number(line + 1)) if cell.line > line + 1 else None
                yield f"{gap.mark(marks)}\n" if gap and gap.lines else ""
                line, end = cell.line, 0
            yield f" {self._mark_part(line, end, cell.start, marks)} " if cell.start > end else ""
            yield cell.text
            end = cell.start + len(cell.text)
        yield from self._end_line(line, end, marks)
        gap = whole.get(self._number(line + 1)) if line + 1 < len(self.lines) else None
        yield f"{gap.mark(marks)}\n" if gap and gap.lines else ""

    def _end_line(self, line: int, end: int, marks: Marks) -> Iterator[str]:
        if line >= 0:
            last = len(self.lines[line])
            yield f" {self._mark_part(line, end, last, marks)}\n" if end < last else "\n"

    def _mark_part(self, line: int, start: int, end: int, marks: Marks) -> str:
        return marks.part(self._number(line), start, end, is_addressed=line not in self.altered)


def find_kept(
    family: OutputFamily,
    text: str,
    lines: Sequence[str],
    values: Callable[[], Mapping[LinePlace, float]],
    question: Question,
) -> Sequence[int] | None:
    """Return the lines that may be shown as passages, None if the text is too long for that."""
    if len(text) <= _MOST_CHARS and len(lines) <= _MOST_LINES:
        return range(len(lines))
    kept = thin(
        family,
        lines,
        _MOST_LINES // 2,
        lambda: sorted({line - 1 for (line, _), worth in values().items() if worth > _VALUED}),
    )
    if kept is None or sum(len(lines[at]) for at in kept) > max(2 * _MOST_CHARS, _MOST_OF_LINE * len(kept)):
        return None
    return sorted({*kept, *_find_answers(lines, question)}) if question else kept


def _find_answers(lines: Sequence[str], question: Question) -> Iterator[int]:
    """Yield the lines of a long text that answer a question best, and those around them."""
    shares = question.weigh(lines)
    best = sorted((at for at, share in enumerate(shares) if share), key=lambda at: -shares[at])[
        :_MOST_ANSWERS
    ]
    for at in best:
        yield from range(max(0, at - _REACH), min(len(lines), at + _REACH + 1))


def clean_text(lines: Sequence[str], kept: Sequence[int], text: str, tokens: int) -> CleanedText:
    """Return a text, and its lines, as they stood on the screen at last."""
    cleaned = clean_lines(lines, matters)
    altered = {at for at in kept if len(lines[at]) > _LONG_LINE and not lines[at].startswith(cleaned[at])}
    return CleanedText(cleaned, kept, tokens, text.endswith("\n"), altered)
