"""Ladders of exchanges: the order in which pieces of old exchanges are worth their tokens."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import attrs

from satchel.compaction.pieces import PiecePlace
from satchel.items import Level, Option
from satchel.selecting import LazyGreedy

ALIKE = 0.8
"""Steps of one rung are worth at least this share of its first one, token for token."""
LARGEST = 160
"""Tokens at which a rung ends whatever comes next."""
AGAIN = 0.02
"""Share of its worth that a reference keeps if it is already in the window."""
STANDS = 1.0
"""Worth of a step's call with a line for its result, besides their references: it records the step."""
LITTLE = 1e-6
WHOLE = 1e-4
"""Worth of a token of a text without any worthwhile piece: it fills the remaining room."""


class Unit(NamedTuple):
    """A piece that may be shown."""

    place: PiecePlace
    piece: int
    tokens: int
    refs: tuple[str, ...]
    value: float = 0.0
    """Worth besides its references."""
    length: int = 1
    """Pieces that are shown together, from that one on."""
    factor: float = 1.0
    """Factor for its references here."""
    is_result: bool = False
    """Whether it is of a result, not of a message or a call."""

    @property
    def pieces(self) -> range:
        """Return the numbers of its pieces."""
        return range(self.piece, self.piece + self.length)


@attrs.frozen
class View:
    """An exchange as the packer sees it."""

    id: str
    position: int
    base_tokens: int
    base_refs: frozenset[str]
    units: Sequence[Unit]
    tokens: int
    """Tokens of the whole exchange."""
    salience: float
    bare: bool = False
    """Whether it may be shown without units: calls with their results left out."""
    factor: float = 1.0
    """Factor for references here, against elsewhere."""
    stale: bool = False
    """Whether the whole is worth no more than its units: it is repeated later, or may go first."""
    worth: float = 0.0
    """Worth of the whole, besides its units."""
    stands: float = STANDS
    """Worth of its call with a line for its result."""


class Rungs(NamedTuple):
    """A ladder: options for the packer, and the units that each option shows."""

    options: tuple[Option, ...]
    units: tuple[tuple[Unit, ...], ...]


Key = tuple[int, int, Unit | None]
"""In the queue: order, place of the exchange, unit (None: the bare exchange)."""


class _Greedy:
    """Takes units by worth per token, each reference counted once."""

    def __init__(
        self, views: Sequence[View], weights: Mapping[str, float], covered: set[str], caps: Caps
    ) -> None:
        self.views, self.covered, self.gone = views, covered, caps.gone
        self.left = {True: caps.results, False: caps.dialog}
        self.weights = defaultdict(float, weights)
        for ref in covered & weights.keys():
            self.weights[ref] *= AGAIN
        self.opened: set[int] = set()
        self.taken: set[int] = set()
        self.entered = 0
        self.steps: list[list[tuple[Unit | None, float, int]]] = [[] for _ in views]

    def value(self, at: int, unit: Unit | None) -> tuple[float, int]:
        """Return the gain of a unit (None: the bare exchange) now, and its tokens."""
        view = self.views[at]
        if unit is None:
            gain = sum([self.weights[ref] for ref in view.base_refs if ref not in self.covered])
            return gain + view.stands, view.base_tokens
        gain = sum(map(self.weights.__getitem__, unit.refs))
        gain = unit.value + gain * view.factor * unit.factor
        return gain, unit.tokens + (0 if at in self.opened else view.base_tokens)

    def take(self, at: int, unit: Unit | None, gain: float, tokens: int) -> None:
        """Put a unit into its ladder."""
        self.steps[at].append((unit, gain, tokens))
        if at not in self.opened:
            self.opened.add(at)
            self._cover(self.views[at].base_refs)
        if unit is not None:
            self.taken.add(id(unit))
            self._cover(unit.refs)
            self.gone -= unit.tokens if unit.factor < 1 else 0
            self.left[unit.is_result] -= unit.tokens
            tokens -= unit.tokens
        self.left[False] -= tokens

    def _cover(self, refs: Iterable[str]) -> None:
        for ref in refs:
            if ref not in self.covered:
                self.covered.add(ref)
                self.weights[ref] *= AGAIN

    def run(self, limit: int) -> None:
        """Take units until they cost `limit` tokens.

        Where an exchange opens, its units cost less than before and are entered again.
        """
        queue = LazyGreedy(self._density, [key for at in range(len(self.views)) for key in self._keys(at)])
        for _, at, unit in queue if limit > 0 else ():
            fresh = at not in self.opened
            gain, tokens = self.value(at, unit)
            self.take(at, unit, gain, tokens)
            limit -= tokens
            if limit <= 0:
                break
            for key in self._keys(at) if fresh else ():
                queue.enter(key)

    def _keys(self, at: int) -> Iterator[Key]:
        """Yield the units of an exchange that may be taken; among equals, the newest comes first."""
        view = self.views[at]
        for unit in (*view.units, *([None] if view.bare else ())):
            self.entered -= 1
            yield self.entered, at, unit

    def _density(self, key: Key) -> float | None:
        """Return a unit's worth per token; None if it was taken, is worth little or costs too much."""
        _, at, unit = key
        if id(unit) in self.taken or (unit is None and at in self.opened):
            return None
        gain, tokens = self.value(at, unit)
        if unit is not None and unit.factor < 1 and unit.tokens > self.gone:
            return None
        if gain <= LITTLE or tokens > self.left[unit is not None and unit.is_result]:
            return None
        return gain / max(1, tokens)


class Caps(NamedTuple):
    """Tokens that kinds of pieces may cost together."""

    gone: int = 0
    """Tokens of lines that are out of date."""
    results: float = math.inf
    dialog: float = math.inf
    """Tokens of messages and calls."""

    @property
    def is_kept(self) -> bool:
        """Return whether the shares of results and of the dialogue are set."""
        return self.results < math.inf


NO_CAPS = Caps()


def ladders(
    views: Sequence[View],
    weights: Mapping[str, float],
    covered: set[str],
    *,
    limit: int,
    caps: Caps = NO_CAPS,
) -> list[Rungs]:
    """Return the ladder of each exchange; units are taken for up to `limit` tokens.

    Args:
        views: the exchanges.
        weights: how likely each reference is to be needed.
        covered: references that are in the window in any case; those of taken units are added.
        limit: tokens that the units may cost together.
        caps: tokens that each kind of unit may cost.
    """
    greedy = _Greedy(views, weights, covered, caps)
    greedy.run(limit)
    return [
        _list_rungs(attrs.evolve(view, stale=view.stale or (caps.is_kept and bool(view.units))), steps)
        for view, steps in zip(views, greedy.steps, strict=True)
    ]


def _list_rungs(view: View, steps: Sequence[tuple[Unit | None, float, int]]) -> Rungs:
    options: list[Option] = []
    units: list[tuple[Unit, ...]] = []
    shown: list[Unit] = []
    worth, tokens = 0.0, 0
    for last, (unit, gain, cost) in _mark_rungs(steps):
        worth, tokens = worth + gain, tokens + cost
        if unit is not None:
            shown.append(unit)
        if last and tokens < view.tokens:
            options.append(Option(Level.EXCERPT if shown else Level.HEADERS, tokens, worth))
            units.append(tuple(shown))
    if view.stale and options:
        return Rungs(tuple(options), tuple(units))
    rest = max(0, view.tokens - tokens)
    whole = worth + view.worth + WHOLE * rest * (0.1 + view.salience) + 1e-9
    options.append(Option(Level.FULL, view.tokens, whole))
    return Rungs(tuple(options), (*units, ()))


def _mark_rungs(
    steps: Sequence[tuple[Unit | None, float, int]],
) -> Iterator[tuple[bool, tuple[Unit | None, float, int]]]:
    """Yield whether a rung ends at each step: the next is worth clearly less, or the rung is large."""
    start, since = math.inf, 0
    for at, step in enumerate(steps):
        density = step[1] / max(1, step[2])
        start = density if since == 0 else start
        since += step[2]
        after = steps[at + 1] if at + 1 < len(steps) else None
        falls = after is None or after[1] / max(1, after[2]) < start * ALIKE
        ends = at == 0 or falls or since >= LARGEST
        since = 0 if ends else since
        yield ends, step
