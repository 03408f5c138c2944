"""The result of `compact`: the window, the cuts, the budget's use, and the part that a cache can keep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import attrs

from satchel.compaction.shares import Division, allocate
from satchel.compaction.state import State
from satchel.conversation import Tally, spoken
from satchel.errors import Problem
from satchel.events import Compacted, Event, PluginFailed
from satchel.messages import BlockKind, Conversation, Message


@attrs.frozen
class Cut:
    """A message that is not whole in the window, or missing."""

    index: int
    """Its index in the list that came in, from 0; -1 for a text outside of it."""
    role: str
    tokens: int
    """Tokens of the whole message."""
    kept: int
    """Tokens of it in the window, 0 if it was left out."""
    reason: str
    pointer: str = ""
    """The argument for `satchel expand` that returns the whole text; "" if it could not be archived."""


def count_cut(cuts: Iterable[Cut]) -> int:
    """Return how many messages of the list that came in are not whole: several pieces may be of one."""
    return len({one.index for one in cuts})


@attrs.frozen
class Window:
    """A conversation that fits its budget."""

    messages: Any = attrs.field(repr=False)
    """The document in the shape that came in: a list of messages, or the request that holds them."""
    tokens: int
    cut: tuple[Cut, ...] = ()
    problems: tuple[Problem, ...] = ()
    make_report: Callable[[], Mapping[str, Any]] = attrs.field(default=dict, eq=False, repr=False)
    list_key: str = "messages"
    """Key of a request that holds the list of messages."""
    pointer: str = ""
    """The argument for `satchel expand` that returns all cut text; "" if it could not be archived."""
    find_origins: Callable[[], Sequence[int]] = attrs.field(default=tuple, eq=False, repr=False)

    @cached_property
    def origins(self) -> tuple[int, ...]:
        """Return the index of each message of the window in the list that came in, -1 for satchel's own.

        For messages that were joined in one, it is the index of the first.
        """
        return tuple(self.find_origins())

    @cached_property
    def report(self) -> Mapping[str, Any]:
        """Return the allocation, the five dearest messages, the first divergence and the share from a cache.

        Made on demand: most windows are sent without a look at it.
        """
        return self.make_report()


_DEAREST = 5


class Result(NamedTuple):
    """A window before it is written."""

    conversation: Conversation
    tally: Tally
    cuts: tuple[Cut, ...] = ()
    pointer: str = ""


def report(
    result: Result,
    conversation: Conversation,
    *,
    budget: int,
    division: Division,
    convert: Callable[[int], int] = int,
) -> Mapping[str, Any]:
    """Return the report as values for JSON; `convert` makes counted tokens those of `budget`."""
    spent = _convert_parts(_spent(conversation, result.tally), convert)
    margin = budget - division.countable(budget)
    given = allocate(budget, spent, margin=margin, division=division)
    return {
        "schema": 1,
        "budget": budget,
        "tokens": convert(result.tally.total),
        "allocation": {
            "caps": dict(given.caps),
            "loans": [loan._asdict() for loan in given.loans],
            "contributors": dict(given.contributors),
            "used": spent,
            "over": {name: over for name in spent if (over := spent[name] - given.caps[name]) > 0},
            "tools": convert(result.tally.tools),
            "margin": margin,
            "free": budget - sum(spent.values()),
        },
        "dearest": _dearest(conversation.messages, [*map(convert, result.tally.messages)]),
        "pointer": result.pointer or None,
        "cut": [describe_cut(cut) for cut in convert_cuts(result.cuts, convert)],
    }


def convert_cuts(cuts: Iterable[Cut], convert: Callable[[int], int]) -> tuple[Cut, ...]:
    """Return cuts with a model's tokens instead of counted ones."""
    return tuple(
        attrs.evolve(cut, tokens=convert(cut.tokens), kept=convert(cut.kept)) if convert is not int else cut
        for cut in cuts
    )


def _convert_parts(parts: Mapping[str, int], convert: Callable[[int], int]) -> dict[str, int]:
    """Return parts in a model's tokens, which add up to those of the sum."""
    sums = [convert(counted) for counted in accumulate(parts.values(), initial=0)]
    return {name: after - before for name, (before, after) in zip(parts, pairwise(sums), strict=True)}


def list_events(window: Window) -> list[Event]:
    """Return the event of a compaction for observers; for a conversation that fitted, only problems."""
    events: list[Event] = [PluginFailed(problem) for problem in window.problems]
    if window.cut:
        before = window.tokens + sum(cut.tokens - cut.kept for cut in window.cut)
        events.insert(0, Compacted(before, window.tokens, len(window.cut), window.pointer))
    return events


def describe_cut(cut: Cut) -> dict[str, Any]:
    """Return a message that was cut as a value for JSON."""
    return {
        "index": cut.index,
        "role": cut.role,
        "tokens": cut.tokens,
        "kept": cut.kept,
        "reason": cut.reason,
        "expand": cut.pointer or None,
    }


def category(message: Message) -> str:
    """Return the category that a message counts for."""
    if message.role in ("system", "developer"):
        return "system"
    if message.role == "tool":
        return "results"
    return "context" if message.text.startswith("<context") else "dialog"


def _spent(conversation: Conversation, tally: Tally) -> dict[str, int]:
    spent = {"system": tally.tools + 3, "context": 0, "dialog": 0, "results": 0}
    for message, tokens in zip(conversation.messages, tally.messages, strict=True):
        spent[category(message)] += tokens
    return spent


def _dearest(messages: Sequence[Message], tokens: Sequence[int]) -> list[dict[str, Any]]:
    order = sorted(range(len(messages)), key=lambda at: (-tokens[at], at))[:_DEAREST]
    return [{"index": messages[at].index, "role": messages[at].role, "tokens": tokens[at]} for at in order]


def compare_prefix(state: State, sent: Sequence[tuple[str, int]]) -> Mapping[str, Any]:
    """Return the index where a window first differs from the last one, and the share before that.

    `sent` has digest and size of each of its messages, with which the next window is compared.
    """
    same = 0
    for (before, _), (now, _) in zip(state.sent, sent, strict=False):
        if before != now:
            break
        same += 1
    whole = sum(size for _, size in sent) or 1
    return {
        "first_divergence": same if same < len(state.sent) else None,
        "cached_share": round(sum(size for _, size in sent[:same]) / whole, 4),
        "compactions": state.compactions,
        "sent": list(sent),
    }


_NOTICE = "<task-notification>"
"""The tag in which an agent reports the end of a background task; a line of text may follow the tags."""


def count_people(given: Conversation, made: Conversation) -> dict[str, int]:
    """Return how many messages people typed, and how many of them are word for word in a window."""
    # messages in a row may be joined for some providers: each is a text of its own
    said = (text for message in _users(given) for text in _texts(message))
    typed = Counter(text for text in said if spoken(text) and not text.startswith(_NOTICE))
    standing = Counter(text for message in _users(made) for text in _texts(message))
    return {"messages": typed.total(), "whole": (typed & standing).total()}


def _users(conversation: Conversation) -> Iterable[Message]:
    return (message for message in conversation.messages if message.role == "user")


def _texts(message: Message) -> Iterable[str]:
    return (block.text for block in message.blocks if block.kind is BlockKind.TEXT and block.text.strip())
