"""Choose what of an output is shown within a budget, in one order for all budgets."""

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
    """The words of all that is shown so far."""

    def __init__(self) -> None:
        self._words: set[str] = set()

    def add(self, text: str) -> None:
        """Remember the words of a text that is shown."""
        self._words.update(_WORDS.findall(text[:_LONGEST]))

    def share(self, text: str) -> float:
        """Return the share of a text's words that are shown already, 0 to 1; 0 of a text without words."""
        words = _WORDS.findall(text[:_LONGEST]) if self._words else ()
        return sum(word in self._words for word in words) / max(1, len(words))


_NAMES = 3
"""Tokens around names."""


class Spending:
    """Knows what is placed so far and its tokens in all."""

    def __init__(self, layout: Layout, entries: Entries, *, frame: int) -> None:
        """Begin with what showing nothing costs: `frame` tokens and the mark of one gap."""
        self._layout, self._entries = layout, entries
        self._end = len(entries.lines)
        self._placed: list[int] = []
        self._is_named = False
        self.total = layout.cost(-1, self._end) + frame

    def more(self, entry: int) -> int:
        """Return what one more line or name costs; less than nothing where it closes a gap."""
        return self._entries.tokens(entry) + self._marks(entry)

    def rough(self, entry: int) -> int:
        """Guess the same, quickly."""
        return self._entries.rough(entry) + self._marks(entry)

    def add(self, entry: int) -> int:
        """Add a line or a name; return what all cost now."""
        self.total += self.more(entry)
        if entry >= self._end:
            self._is_named = True
        else:
            bisect.insort(self._placed, entry)
        return self.total

    def _marks(self, entry: int) -> int:
        """Return what the marks around an entry cost more than the one that it takes the place of."""
        if entry >= self._end:
            return 0 if self._is_named else _NAMES
        at = bisect.bisect_left(self._placed, entry)
        after = self._placed[at] if at < len(self._placed) else self._end
        before = self._placed[at - 1] if at else -1
        cost = self._layout.cost
        return cost(before, entry) + cost(entry, after) - cost(before, after)


_STEPS = (120, 300, 600, 1_000)
"""Budgets that are filled to the end, with what is worth less where the next best does not fit."""
_SURE, _HALVES = 72.0, 5.0
"""Value from which a line is as good as any; by how much less the chance that it matters is halved.

Of the lines of 230 outputs with known facts, 65 % of those of value 66 and more hold one,
10 % of those of 54, 2 % of those of 48.
"""
_ASKED = 88.0
"""Value that a line has more than where a question asks for it."""
_PER_COST = 0.7
"""Less than 1, as what is short and worth little says little in any number."""
_OLD, _SAME = 0.35, 0.05
"""Of the chance of an entry, what is left where all its words are shown, and where the same line is."""
_MOST, _MANY = 2_000, 8_000
"""Entries that small budgets choose from; and that others do before they look at the rest."""
_LEFT = 3
"""Tokens of which nothing can be made."""
_LEAST_SHARE = 0.5
"""Of a guess, what an entry costs at least."""


def step_through(
    places: Sequence[int], values: Sequence[float], entries: Entries, spending: Spending
) -> Iterator[tuple[int, int]]:
    """Yield lines and names in order, each with what all up to it cost.

    A step shows all that the step below it shows, so a budget still shows what smaller ones show.
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
    """The words that are shown, and how many of an entry's are not."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries
        self._told: set[str] = set()
        self._texts: set[str] = set()

    def tell(self, entry: int) -> None:
        text = self._entries.text(entry)
        self._texts.add(_strip_time(text))
        self._told.update(_WORDS.findall(text))

    def of(self, entry: int) -> float:
        """Return the share of an entry's chance that its new words leave it."""
        text = self._entries.text(entry)
        if _strip_time(text) in self._texts:
            return _SAME
        words = _WORDS.findall(text)
        new = sum(word not in self._told for word in words)
        return _OLD + (1 - _OLD) * new / max(1, len(words))


_TIME = lazily(r"(?:#\d{1,4} )?\d{1,6}\.\d{2,4} (?=\S)")
"""What a build tells of when a line came: the number of its step, and the seconds since that began."""


def _strip_time(text: str) -> str:
    """Return what a line says whenever it came; builds tell at their end again how they failed."""
    found = _TIME.match(text)
    return text[found.end() :] if found else text


WHOLE_TOKENS = 1_900
"""Outputs up to here are shown whole: what cutting them could save is less than asking again costs."""
_TARGETS = ((WHOLE_TOKENS, 290), (5_000, 360), (10_000, 515), (30_000, 1_000), (100_000, 1_450))
"""Tokens of an output, and what it should cost at most where nothing more has to be said."""
_SHARES = ((56.0, 100.0, 100.0), (45.0, 1.4, 0.4), (30.0, 1.15, 0.32), (22.0, 0.85, 0.0), (0.0, 0.15, 0.0))
"""Least value of a line; up to how many targets it may be added; and how many beyond what ranks above 56."""
_KNOWN = 10.0
"""What a line loses of which all words are shown already; of half of them, a quarter."""
_NEEDED = 56.0
"""Value from which a line is shown whatever others say."""


def target(tokens: int) -> float:
    """Return what an output of `tokens` should cost where nothing more has to be said."""
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

    Whether one may be shown depends on those before it, not on the budget: so what a small budget
    shows, a larger one shows too.

    Args:
        values: of each line.
        costs: in tokens, of each line.
        aim: what all should cost where nothing more has to be said; lines that matter go beyond it.
        frame: tokens that are spent already.
        texts: of the first lines; one that says what is shown already is worth less.
    """
    told = ToldWords()
    spent = best = float(frame)

    def text(place: int) -> str:
        return texts[place] if place < len(texts) and aim < math.inf else ""

    def worth(place: int) -> float | None:
        value = values[place]
        if value < _NEEDED:
            value -= _KNOWN * told.share(text(place)) ** 2
        if value <= 0 and aim < math.inf:
            return None
        _, share, beyond = next(step for step in _SHARES if max(value, 0.0) >= step[0])
        return None if spent + costs[place] > max(aim * share, best + aim * beyond) else value

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
"""Tokens of the line that ends what is cut, and of half the marks around a line."""
_CHEAP, _PER_DOUBLING, _DEAR = 12, 3.0, 9.0
"""A line of more tokens than this loses value for each doubling, up to this much."""
_AGAIN = 15.0
"""What a line loses that stands elsewhere word for word."""
_CUTTING_SURE, _SLACK = 2.5, 1.05
"""A guess this many times smaller than its limit needs no count; how far sums of counts can be wrong."""
_TOO_MUCH = 2.5
"""Times the budget, from which what is guessed is not counted."""
_MOST_GUESSED = 60_000
_SHORT_MARKS = 120
"""Budgets up to here are for lines; in larger ones lines give way to marks that tell which are missing."""
_LONG_MARKS = 300
"""Budgets from here on have room for long marks, so that a gap is filled with as much."""


class ShownLines(NamedTuple):
    """What is shown of an output."""

    text: str
    tokens: int
    """Exact where they came near the budget, else a guess."""
    gaps: tuple[Gap, ...]
    pointer: str


class OutputCut:
    """One output, and what it costs to show more or less of it."""

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
        """Take the lines with their templates and values, a guess of the tokens of the whole output.

        `more` are the places of lines for which a budget that is given is spent too, and `plain` of those
        that get what all others leave of it.
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
        """Return all that may be shown."""
        return self._layout.text(self._best)

    def has_gaps(self) -> bool:
        """Whether there is more than may be shown."""
        return self._layout.has_gaps(self._best)

    def within(self, budget: int, *, exit_code: int | None, hash_: str, spends: bool = False) -> ShownLines:
        """Return the most that fits; with `spends` in as much of the budget as there is to say.

        `hash_` is the archived output's, "" where there is none.
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
        """Return what fits of entries, the `plain` ones last, with marks that tell which lines are missing.

        That is at least what a small budget shows of them with its short marks.
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
        """Return what is shown first, of about as many tokens as the budget has."""
        spending = Spending(self._layout, self._entries, frame=_FRAME)
        told = ([entry for entry in part if self._values[entry] > 0] for part in (entries, plain))
        both = (step_through(part, self._values, self._entries, spending) for part in told)
        steps = itertools.chain.from_iterable(both)
        fitting = itertools.takewhile(lambda step: step[1] <= budget * _SLACK + _MARK, steps)
        return [entry for entry, _ in fitting]


class _Showing(NamedTuple):
    """What stays the same while more or less of an output is shown."""

    layout: Layout
    lines: int
    tokens_of: Count
    budget: int
    exit_code: int | None
    hash_: str

    def __call__(self, chosen: Sequence[int], marks: Marks) -> ShownLines:
        """Return these lines and names with their marks, and what they cost."""
        text = self._render(chosen, marks)
        gaps = tuple(self.layout.gaps(chosen, filled=self._filled))
        return ShownLines(text, self._tokens(text), gaps, marks.pointer(self.hash_) if gaps else "")

    def fits(self, chosen: Sequence[int], marks: Marks) -> bool:
        """Whether these cost no more than the budget."""
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
    """Return what is left of `lines` lines where not even a mark fits: the way to the whole."""
    return ShownLines("", 0, (Gap(1, lines, lines),) if lines else (), FULL.pointer(hash_))


def _lower_repeats(lines: Sequence[KeptLine], worths: list[float]) -> None:
    """Lower lines that say word for word what a line worth more says."""
    told: set[str] = set()
    for place in sorted(range(len(worths)), key=lambda at: (-worths[at], at)):
        text = _strip_time(lines[place].text.strip())
        if text in told:
            worths[place] -= _AGAIN
        told.add(text)


def _dear(worth: float, cost: int) -> float:
    """Return what a line is worth beside others: for the same tokens two errors say more than a long one."""
    return worth - min(_DEAR, _PER_DOUBLING * math.log2(max(1.0, cost / _CHEAP)))
