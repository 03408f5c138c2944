"""Choose the lines and names that are shown within a budget, in one order for all budgets."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from satchel.output.folding import Folded, KeptLine
from satchel.output.judging import strip_runner
from satchel.output.layout import FILLED, FILLED_SMALL, Entries, Layout
from satchel.output.marks import BARE, FULL, RANGED, STYLES, Gap, Marks, cut_repeated_ends, find_runs, names
from satchel.patterns import lazily
from satchel.selecting import LazyGreedy
from satchel.tokens.guessing import guess

_WORDS = lazily(r"\w+")
_LONGEST = 600


class ToldWords:
    """The words of all shown text so far."""

    def __init__(self) -> None:
        self._words: set[str] = set()

    def add(self, text: str) -> None:
        """Remember the words of a text that is shown."""
        self._words.update(_WORDS.findall(text[:_LONGEST]))

    def share(self, text: str) -> float:
        """Return the share of a text's words that are already shown, 0 to 1; 0 for a text without words."""
        words = _WORDS.findall(text[:_LONGEST]) if self._words else ()
        return sum(word in self._words for word in words) / max(1, len(words))


_NAMES = 3
"""Tokens around names."""


class Spending:
    """The shown lines and names so far, and their total tokens."""

    def __init__(self, layout: Layout, entries: Entries, *, frame: int) -> None:
        """Begin with the cost of showing nothing: `frame` tokens and the mark of one gap."""
        self._layout, self._entries = layout, entries
        self._end = len(entries.lines)
        self._placed: list[int] = []
        self._is_named = False
        self.total = layout.cost(-1, self._end) + frame

    def more(self, entry: int) -> int:
        """Return the cost of one more line or name; negative if it closes a gap."""
        return self._entries.tokens(entry) + self._marks(entry)

    def rough(self, entry: int) -> int:
        """Guess the same, quickly."""
        return self._entries.rough(entry) + self._marks(entry)

    def add(self, entry: int) -> int:
        """Add a line or a name; return the total cost."""
        self.total += self.more(entry)
        if entry >= self._end:
            self._is_named = True
        else:
            bisect.insort(self._placed, entry)
        return self.total

    def _marks(self, entry: int) -> int:
        """Return the extra cost of the marks around an entry, against the one mark that they replace."""
        if entry >= self._end:
            return 0 if self._is_named else _NAMES
        at = bisect.bisect_left(self._placed, entry)
        after = self._placed[at] if at < len(self._placed) else self._end
        before = self._placed[at - 1] if at else -1
        cost = self._layout.cost
        return cost(before, entry) + cost(entry, after) - cost(before, after)


_STEPS = (120, 300, 600, 1_000)
"""Budgets that are filled to the end, with less valuable lines if the next best does not fit."""
_SURE, _HALVES = 72.0, 5.0
"""Value from which a line is as good as any; and how much less value halves the chance that a line matters.

Of the lines of 230 outputs with known facts, 65 % of those of value 66 and more hold one,
10 % of those of 54, 2 % of those of 48.
"""
_ASKED = 88.0
"""Value above which only lines that answer a question are."""
_PER_COST = 0.7
"""Exponent of the cost; below 1, because short lines of little worth say little in any number."""
_OLD, _SAME = 0.35, 0.05
"""Share of an entry's chance that is left if all its words are shown, and if the same line is shown."""
_MOST, _MANY = 2_000, 8_000
"""Entries from which small budgets choose; and from which others choose before they consider the rest."""
_LEFT = 3
"""Tokens too few for any entry."""
_LEAST_SHARE = 0.5
"""Least cost of an entry, as a share of the guess."""


def step_through(
    places: Sequence[int], values: Sequence[float], entries: Entries, spending: Spending
) -> Iterator[tuple[int, int]]:
    """Yield lines and names in order, each with the total cost up to it.

    A step shows everything that the step below it shows, so a budget still shows what smaller ones show.
    """
    waiting: list[int] = []
    news = _News(entries)

    def gain(entry: int) -> float:
        worth = values[entry]
        chance = math.pow(2.0, (min(worth, _SURE) - _SURE + max(0.0, worth - _ASKED)) / _HALVES)
        return chance * news.of(entry) / math.pow(float(max(1, spending.rough(entry))), _PER_COST)

    batches = (places[:_MOST], *[()] * (len(_STEPS) - 1), places[_MOST:_MANY], places[_MANY:])
    for limit, batch in zip((*_STEPS, math.inf, math.inf), batches, strict=True):
        waiting += batch
        queue = LazyGreedy(gain, waiting)
        waiting = []
        for entry in queue if limit - spending.total >= _LEFT else ():
            left = limit - spending.total
            if _LEAST_SHARE * spending.rough(entry) > left or spending.more(entry) > left:
                waiting.append(entry)
                continue
            yield entry, spending.add(entry)
            news.tell(entry)
            if limit - spending.total < _LEFT:
                break
        waiting += queue.keys()


class _News:
    """The shown words, and how many words of an entry are new."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries
        self._told: set[str] = set()
        self._texts: set[str] = set()

    def tell(self, entry: int) -> None:
        text = self._entries.text(entry)
        self._texts.add(_strip_time(text))
        self._told.update(_WORDS.findall(text))

    def of(self, entry: int) -> float:
        """Return the share of an entry's chance that is left by its new words."""
        text = self._entries.text(entry)
        if _strip_time(text) in self._texts:
            return _SAME
        words = _WORDS.findall(text)
        new = sum(word not in self._told for word in words)
        return _OLD + (1 - _OLD) * new / max(1, len(words))


_TIME = lazily(r"(?:#\d{1,4} )?\d{1,6}\.\d{2,4} (?=\S)")
"""A build's time stamp before a line: the number of its step, and the seconds since that began."""


def _strip_time(text: str) -> str:
    """Return a line without its time stamp; builds repeat their failures at the end."""
    found = _TIME.match(text)
    return text[found.end() :] if found else text


WHOLE_TOKENS = 1_900
"""Outputs up to this size are shown whole: cutting them saves less than asking again costs."""
_TARGETS = ((WHOLE_TOKENS, 290), (5_000, 360), (10_000, 515), (30_000, 1_000), (100_000, 1_450))
"""Tokens of an output, and the most it should cost if no further line is needed."""
_SHARES = ((56.0, 100.0, 100.0), (45.0, 1.4, 0.4), (30.0, 1.15, 0.32), (22.0, 0.85, 0.0), (0.0, 0.15, 0.0))
"""Least value of a line; up to how many targets it may be added; and how many beyond the lines above 56."""
_KNOWN = 10.0
"""Loss of a line whose words are all shown already; with half of them, a quarter of it."""
_NEEDED = 56.0
"""Value from which a line is shown in any case."""


def target(tokens: int) -> float:
    """Return the target cost for an output of `tokens`, if no further line is needed."""
    if tokens <= WHOLE_TOKENS:
        return math.inf
    for (low, less), (high, more) in itertools.pairwise(_TARGETS):
        if tokens <= high:
            return less + (more - less) * (tokens - low) / (high - low)
    return float(_TARGETS[-1][1])


def order(
    values: Sequence[float], costs: Sequence[int], *, aim: float, frame: int, texts: Sequence[str] = ()
) -> list[int]:
    """Return the places of the lines that may be shown, the most valuable first.

    Whether a line may be shown depends on the lines before it, not on the budget: so a larger budget shows
    everything that a small one shows.

    Args:
        values: of each line.
        costs: in tokens, of each line.
        aim: the target cost if no further line is needed; lines that matter go beyond it.
        frame: tokens that are spent already.
        texts: of the first lines; a line that repeats shown text is worth less.
    """
    told = ToldWords()
    spent = best = float(frame)

    def text(place: int) -> str:
        return texts[place] if place < len(texts) and aim < math.inf else ""

    def fits(value: float, cost: int) -> bool:
        for least, share, beyond in _SHARES:
            if value >= least or not least:
                return spent + cost <= max(aim * share, best + aim * beyond)
        return False

    def worth(place: int) -> float | None:
        value, cost = values[place], costs[place]
        # A line that is worth less has no more room, and most lines have none even so.
        if not fits(value, cost):
            return None
        if value < _NEEDED:
            value -= _KNOWN * told.share(text(place)) ** 2
            if not fits(value, cost):
                return None
        return None if value <= 0 and aim < math.inf else value

    chosen = []
    for place in LazyGreedy(worth, range(len(values))):
        told.add(text(place))
        chosen.append(place)
        spent += costs[place]
        best = spent if values[place] >= _SHARES[0][0] else best
    return chosen


Count = Callable[[str], int]
"""Counts the tokens of a text exactly."""
CountAll = Callable[[Sequence[str]], Sequence[int]]
"""Counts the tokens of several texts, each by itself."""
_FRAME, _MARK = 18, 3
"""Tokens of the line at the end of a cut output, and of half the marks around a line."""
_CHEAP, _PER_DOUBLING, _DEAR = 12, 3.0, 9.0
"""A line of more tokens than this loses value for each doubling, up to the third number."""
_AGAIN = 15.0
"""Loss of a line that is repeated word for word elsewhere."""
_CUTTING_SURE, _SLACK = 2.5, 1.05
"""A guess this many times smaller than its limit needs no count; and the possible error of sums of counts."""
_TOO_MUCH = 2.5
"""Factor on the budget above which guesses are not counted."""
_MOST_GUESSED = 60_000
_SHORT_MARKS = 120
"""Budgets up to here are for lines; in larger ones lines give way to marks with line numbers."""
_LONG_MARKS = 300
"""Budgets from here on have room for long marks, so a gap is filled at the same cost."""


class ShownLines(NamedTuple):
    """The shown part of an output."""

    text: str
    tokens: int
    """Exact if they came near the budget, else a guess."""
    gaps: tuple[Gap, ...]
    pointer: str


class OutputCut:
    """One output, and the cost of showing more or less of it."""

    def __init__(
        self,
        folded: Folded,
        templates: Sequence[str],
        values: Sequence[float],
        *,
        tokens: int,
        count: Count,
        more: Sequence[int] = (),
        plain: Sequence[int] = (),
    ) -> None:
        """Take the lines with their templates and values, and a guess of the tokens of the whole output.

        `more` are the places of lines on which a given budget is also spent, `plain` of those that get the
        rest of it.
        """
        self._lines, self._count = folded.total, count
        named = names(folded, values)
        texts = [line.text for line in folded.lines]
        runs = find_runs(folded.lines) if tokens > WHOLE_TOKENS else {}
        ends = cut_repeated_ends(folded.lines) if tokens > WHOLE_TOKENS else {}
        short = {place: strip_runner(ends.get(place, texts[place])) for place in {*runs, *ends}}
        self._entries = Entries(folded.lines, named, count, long=folded.long, short=short, runs=runs)
        self._layout = layout = Layout(folded, templates, self._entries)
        said = [0.0 if silent else worth for worth, silent in zip(values, layout.silent, strict=True)]
        self._values = [*said, *(name.worth for name in named)]
        costs = [*(cost + _MARK for cost in layout.costs), *(name.cost for name in named)]
        worths = [
            0.0 if silent else _dear(worth, cost)
            for worth, cost, silent in zip(said, layout.costs, layout.silent, strict=True)
        ]
        _lower_repeats(folded.lines, worths)
        worths += [name.worth for name in named]
        self._best = order(worths, costs, aim=target(tokens), frame=_FRAME, texts=texts)
        told = set(self._best)
        self._more = [place for place in more if place not in told]
        told.update(self._more)
        self._plain = [place for place in plain if place not in told]

    def everything(self) -> str:
        """Return everything that may be shown."""
        return self._layout.text(self._best)

    def has_gaps(self) -> bool:
        """Return whether some of the output may not be shown."""
        return self._layout.has_gaps(self._best)

    def within(self, budget: int, *, exit_code: int | None, hash_: str, spends: bool = False) -> ShownLines:
        """Return the most that fits; with `spends`, fill the budget as far as the output has content.

        `hash_` is the archived output's, "" if there is none.
        """
        show = _Showing(self._layout, self._lines, self._count, budget, exit_code, hash_)
        needed: Sequence[int] = [*self._best, *self._more] if spends else self._best
        plain: Sequence[int] = self._plain if spends else ()
        chosen: Sequence[int] = [*needed, *plain]
        if self._layout.total(chosen) > _TOO_MUCH * budget or not show.fits(chosen, RANGED):
            chosen = self.show_ranges(show, needed, plain)
        shown = (show(chosen, marks) for marks in STYLES)
        return next((one for one in shown if one.tokens <= budget), nothing(self._lines, hash_))

    def show_ranges(self, show: _Showing, entries: Sequence[int], plain: Sequence[int]) -> Sequence[int]:
        """Return the entries that fit, the `plain` ones last, with marks that give the missing line numbers.

        At least the entries of a small budget with short marks are included.
        """
        most = self._fitting(show, self._first(show.budget, entries, plain), BARE)
        if show.budget <= _SHORT_MARKS:
            return most
        ranged = self._fitting(show, most, RANGED)
        if len(ranged) == len(most):
            return most
        small = self._first(_SHORT_MARKS, entries, plain)
        least = self._fitting(show._replace(budget=_SHORT_MARKS), small, BARE)
        return max(ranged, least, key=len)

    def _fitting(self, show: _Showing, order: Sequence[int], marks: Marks) -> Sequence[int]:
        """Return as many of the first lines as fit."""
        while order and not show.fits(order, marks):
            order = order[:-1]
        return order

    def _first(self, budget: int, entries: Sequence[int], plain: Sequence[int]) -> list[int]:
        """Return the first entries to show, with about as many tokens as the budget."""
        spending = Spending(self._layout, self._entries, frame=_FRAME)
        told = ([entry for entry in part if self._values[entry] > 0] for part in (entries, plain))
        both = (step_through(part, self._values, self._entries, spending) for part in told)
        steps = itertools.chain.from_iterable(both)
        fitting = itertools.takewhile(lambda step: step[1] <= budget * _SLACK + _MARK, steps)
        return [entry for entry, _ in fitting]


class _Showing(NamedTuple):
    """The constant arguments while more or less of an output is shown."""

    layout: Layout
    lines: int
    tokens_of: Count
    budget: int
    exit_code: int | None
    hash_: str

    def __call__(self, chosen: Sequence[int], marks: Marks) -> ShownLines:
        """Return these lines and names with their marks, and their cost."""
        text = self._render(chosen, marks)
        gaps = tuple(self.layout.gaps(chosen, filled=self._filled))
        return ShownLines(text, self._tokens(text), gaps, marks.pointer(self.hash_) if gaps else "")

    def fits(self, chosen: Sequence[int], marks: Marks) -> bool:
        """Return whether these cost no more than the budget."""
        return self._tokens(self._render(chosen, marks)) <= self.budget

    @property
    def _filled(self) -> int:
        return FILLED if self.budget >= _LONG_MARKS else FILLED_SMALL

    def _render(self, chosen: Sequence[int], marks: Marks) -> str:
        text = self.layout.text(chosen, marks, filled=self._filled)
        if self.layout.has_gaps(chosen, filled=self._filled):
            text += marks.last(self.exit_code, self.lines, self.hash_)
        return text

    def _tokens(self, text: str) -> int:
        guessed = guess(text) if len(text) < _MOST_GUESSED else len(text)
        return guessed if guessed * _CUTTING_SURE <= self.budget else self.tokens_of(text)


def nothing(lines: int, hash_: str) -> ShownLines:
    """Return the result for `lines` lines if not even a mark fits: only the pointer to the whole."""
    return ShownLines("", 0, (Gap(1, lines, lines),) if lines else (), FULL.pointer(hash_))


def _lower_repeats(lines: Sequence[KeptLine], worths: list[float]) -> None:
    """Lower lines that repeat a more valuable line word for word."""
    told: set[str] = set()
    for place in sorted(range(len(worths)), key=lambda at: (-worths[at], at)):
        text = _strip_time(lines[place].text.strip())
        if text in told:
            worths[place] -= _AGAIN
        told.add(text)


def _dear(worth: float, cost: int) -> float:
    """Return the worth of a line against its cost: two errors say more than one long line of equal tokens."""
    return worth - min(_DEAR, _PER_DOUBLING * math.log2(max(1.0, cost / _CHEAP)))
