"""Explain why items are left out of a pack, each with its reason and in counts of all, and why one is in it.

Items that lost in the choice have their reason from `selecting.explain_left_out`: no room, or less worth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from typing import TYPE_CHECKING, NamedTuple, overload

from satchel.errors import Problem
from satchel.interfaces import ExplainingScorer
from satchel.items import ContextItem
from satchel.packing.scoring import Judge, Scored, can_judge
from satchel.paths import safe_text
from satchel.pointers import pointer_to

if TYPE_CHECKING:
    from satchel.packing.pipeline import Weighed
    from satchel.parts import Part
    from satchel.runs import WorkspaceRun

UNWEIGHED = "ranks too low to be weighed"
"""Reason for leaving out an item that was not on the shortlist."""
USELESS = "nothing in it answers the question"
"""Reason for leaving out a weighed item before the choice, even though there is room."""
UNTOLD = "only its name would be shown"
"""Reason for leaving out a chosen item after all."""
ONLY_NAMED = "can only be named"
"""Beginning of the reason, instead of these two, for an item that can't be shown, such as a binary file."""


class LeftOutItem(NamedTuple):
    """An item that a pack leaves out, and the reason."""

    item: ContextItem
    reason: str
    tokens: int = 0
    """Tokens of its cheapest option, 0 if unknown."""
    salience: float = 0.0


def describe_left_out(item: ContextItem, reason: str) -> str:
    """Return the reason for leaving out an item, or that it can only be named if it cannot be shown."""
    return f"{ONLY_NAMED}: {item.note}" if item.note and reason in (UNWEIGHED, USELESS) else reason


def leave_out_unweighed(item: ContextItem) -> LeftOutItem:
    """Return an item as left out that was not on the shortlist."""
    return LeftOutItem(item, UNWEIGHED)


BEST_LEFT_OUT = 200
"""Omitted items that are listed one by one; the rest are counted by folder and reason."""

Count = tuple[str, str, int]
"""A folder, a reason, and how many items of the folder were left out for it."""


class LeftOut(NamedTuple):
    """An item that is not in the bundle."""

    pointer: str
    path: str
    reason: str
    tokens: int
    """Tokens of its cheapest option, 0 if not counted."""
    salience: float


class LeftOutCounts(Sequence[Count]):
    """Counts that are computed on first use: for 28,000 files that takes as long as packing them."""

    def __init__(self, reasons: Mapping[str, int], count: Callable[[], Sequence[Count]]) -> None:
        self.reasons = reasons
        """Number of items for each reason, in all folders."""
        self.number = sum(reasons.values())
        """Number of items counted."""
        self._count = count
        self._counted: tuple[Count, ...] | None = None

    def _rows(self) -> tuple[Count, ...]:
        if self._counted is None:
            self._counted = tuple(self._count())
        return self._counted

    @overload
    def __getitem__(self, at: int) -> Count: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Count]: ...
    def __getitem__(self, at: int | slice) -> Count | Sequence[Count]:
        """Return one count or a slice."""
        return self._rows()[at]

    def __len__(self) -> int:
        """Return the number of counts, one for each folder and reason."""
        return len(self._rows())

    def __iter__(self) -> Iterator[Count]:
        """Yield the counts by folder and reason."""
        return iter(self._rows())

    def __eq__(self, other: object) -> bool:
        """Compare with any sequence of counts."""
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        """Return the hash of the counts."""
        return hash(tuple(self))

    def __repr__(self) -> str:
        """Show the counts as a tuple."""
        return repr(tuple(self))


def list_left_out(
    weighed: Sequence[LeftOutItem], unweighed: Sequence[ContextItem], *, everything: bool
) -> tuple[tuple[LeftOut, ...], Sequence[Count]]:
    """Return the best items that a pack left out, or all of them, and the counts of the others.

    Args:
        weighed: the items that were weighed and left out, best first.
        unweighed: the items that were not weighed.
        everything: whether all are wanted.
    """
    if everything:
        return tuple(map(_describe_item, (*weighed, *map(leave_out_unweighed, unweighed)))), ()
    best, others = weighed[:BEST_LEFT_OUT], weighed[BEST_LEFT_OUT:]
    more = BEST_LEFT_OUT - len(best)
    reasons = Counter(one.reason for one in others)
    reasons[UNWEIGHED] += max(0, len(unweighed) - more)

    def count() -> Sequence[Count]:
        return _count_by_folder([*others, *map(leave_out_unweighed, unweighed[more:])])

    return tuple(map(_describe_item, (*best, *map(leave_out_unweighed, unweighed[:more])))), LeftOutCounts(
        +reasons, count
    )


def _describe_item(one: LeftOutItem) -> LeftOut:
    item = one.item
    told = safe_text(describe_left_out(item, one.reason))
    return LeftOut(pointer_to(item), item.path, told, one.tokens, round(one.salience, 4))


def _count_by_folder(left_out: Sequence[LeftOutItem]) -> list[Count]:
    """Count items by folder and reason."""
    counted = Counter[tuple[str, str]]()
    for reason, some in groupby(sorted(left_out, key=_reason), key=_reason):
        paths = [one.item.path or one.item.title for one in some]
        for folder, number in Counter([path.rpartition("/")[0] for path in paths]).items():
            counted[safe_text(folder) or ".", reason] += number
    return sorted((folder, reason, number) for (folder, reason), number in counted.items())


def _reason(one: LeftOutItem) -> str:
    return one.reason


_MOST_REASONS, _TELLING = 4, 0.15
"""Reasons in a sentence, and the lowest score that is one."""
_LONGEST_REASON = 300


def say_why(run: WorkspaceRun, weighed: Weighed, scored: Scored, shown: Sequence[int] = ()) -> str:
    """Return a sentence on why an item is there, "" if no scorer has a reason.

    Args:
        run: the pack's.
        weighed: the weighed items.
        scored: the item.
        shown: the indexes of the shown parts, the best of which is explained; all by default.
    """
    if not scored.parts:
        return ""
    shares = weighed.shares.get(scored.item.id) or scored.saliences
    among = [at for at in shown if at < len(scored.parts)] or range(len(scored.parts))
    best = max(among, key=lambda at: (shares[at] if at < len(shares) else 0.0, -at))
    told = _ask(run, weighed, scored, best)
    if not told:
        return ""
    part = scored.parts[best]
    listed = f"{', '.join(told[:-1])}, and {told[-1]}" if told[1:] else told[0]
    if _has_subject(told[0]):
        return f"{listed[0].upper()}{listed[1:]}."
    return f"`{safe_text(part.name)}` {listed}." if part.name else f"It {listed}."


def _ask(run: WorkspaceRun, weighed: Weighed, scored: Scored, at: int) -> list[str]:
    """Return the reasons of the strongest scorers for a part, those about the part itself first."""
    strengths: list[tuple[float, Judge]] = []
    for judge in weighed.judges:
        if judge.weight > 0 and can_judge(judge.scorer, scored.item):
            name = judge.loaded.name
            of_parts = scored.answers.get(name)
            value = scored.scores.get(name, 0.0) if of_parts is None else of_parts[at]
            if value >= _TELLING:
                strengths.append((judge.weight * value, judge))
    told: dict[str, Judge] = {}
    for _, judge in sorted(strengths, key=lambda one: (-one[0], one[1].loaded.name)):
        if len(told) == _MOST_REASONS:
            break
        if text := _ask_one(run, weighed, judge, scored.parts[at]):
            told.setdefault(text, judge)
    return sorted(told, key=lambda text: (_has_subject(text), told[text].scorer.grain == "item"))


def _ask_one(run: WorkspaceRun, weighed: Weighed, judge: Judge, part: Part) -> str:
    if not isinstance(judge.scorer, ExplainingScorer):
        return ""
    parts = tuple(
        chain.from_iterable(one.parts for one in weighed.scored if can_judge(judge.scorer, one.item))
    )
    answer = run.host.calls.call(
        judge.loaded, judge.scorer.reason, part, parts, weighed.task, run.workspace, stage="explain"
    )
    if isinstance(answer, Problem) or not isinstance(answer, str):
        return ""
    return safe_text(run.workspace.redactor.show(answer).strip())[:_LONGEST_REASON]


def _has_subject(text: str) -> bool:
    """Return whether a reason is a sentence of its own, like `3 of 5 similar commits touched its file`."""
    return text[:1].isdigit() or text.startswith(("a ", "commits "))
