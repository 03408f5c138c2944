"""Generated candidates, and what a packer's answer is measured against."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hypothesis import strategies as st

from satchel import Candidate, Level, Option

LEVELS = (Level.POINTER, Level.HEADERS, Level.SYMBOLS, Level.EXCERPT, Level.FULL)
SHARES = (0.02, 0.08, 0.25, 0.5, 1.0)


def options(steps: Sequence[tuple[int, float]]) -> tuple[Option, ...]:
    """Return a ladder from (more tokens, more worth) for each option."""
    tokens, worth, ladder = 0, 0.0, []
    for index, (more_tokens, more_worth) in enumerate(steps):
        tokens, worth = tokens + more_tokens, worth + more_worth
        ladder.append(Option(LEVELS[min(index, 4)], tokens, worth))
    return tuple(ladder)


def candidate(name: str, *steps: tuple[int, float], position: int = 0) -> Candidate:
    """Return a candidate that is not pinned."""
    return Candidate(name, position, "file", options(steps))


@st.composite
def candidates(draw: st.DrawFn, *, most: int = 8, pins: bool = True) -> list[Candidate]:
    """Draw up to `most` candidates: free and worthless steps, ties and pins among them."""
    gain = st.one_of(
        st.sampled_from((0.0, 1.0, 2.0)), st.floats(0, 50, allow_subnormal=False).map(lambda x: round(x, 6))
    )
    step = st.tuples(st.one_of(st.integers(1, 9), st.integers(0, 200)), gain)
    drawn = []
    for index in range(draw(st.integers(0, most))):
        steps = draw(st.lists(step, max_size=6))
        pinned = bool(steps) and pins and draw(st.integers(0, 5)) == 0
        floor = draw(st.integers(0, len(steps) - 1)) if pinned else 0
        drawn.append(
            Candidate(f"c{index}", draw(st.integers(0, 4)), "file", options(steps), {}, pinned, floor)
        )
    return drawn


def workspace(n: int, seed: int) -> list[Candidate]:
    """Return `n` candidates like those of engine.md section 7: heavy tails, 10 % with a dent in the worth."""
    rng = random.Random(seed)
    made = []
    for index in range(n):
        full, relevance = max(20, int(rng.lognormvariate(6.5, 1.2))), 0.01 * rng.paretovariate(1.2)
        worths = (0.05, 0.1, 0.3, 0.4, 1.0) if rng.random() < 0.1 else (0.05, 0.2, 0.5, 0.8, 1.0)
        tokens = [int(full * share) + 6 + rung for rung, share in enumerate(SHARES)]
        rungs = zip(LEVELS, tokens, worths, strict=True)
        ladder = tuple(Option(level, t, relevance * w * full**0.5) for level, t, w in rungs)
        made.append(Candidate(f"c{index}", index, "file", ladder))
    return made


def full_tokens(drawn: Sequence[Candidate]) -> int:
    """Return the tokens of everything."""
    return sum(item.options[-1].tokens for item in drawn if item.options)


def best_worth(drawn: Sequence[Candidate], budget: int) -> float:
    """Return the optimum by dynamic programming over every token."""
    reach = {0: 0.0}
    for item in drawn:
        choices = [(option.tokens, option.worth) for option in item.options[item.floor :]]
        after: dict[int, float] = {}
        for spent, worth in reach.items():
            for tokens, more in choices if item.pinned else [(0, 0.0), *choices]:
                if spent + tokens <= budget:
                    after[spent + tokens] = max(after.get(spent + tokens, -1.0), worth + more)
        reach = after
    return max(reach.values())


def bound(drawn: Sequence[Candidate], budget: int) -> float:
    """Return the LP relaxation's worth (the best mix of fractions of options): no packer can reach more."""
    steps = [
        step for item in drawn for step in _edges([(0, 0.0), *((o.tokens, o.worth) for o in item.options)])
    ]
    total = 0.0
    for density, tokens in sorted(steps, reverse=True):
        total += density * min(tokens, budget)
        budget -= min(tokens, budget)
    return total


def _edges(points: Sequence[tuple[int, float]]) -> list[tuple[float, int]]:
    """Return the (slope, tokens) of the upper hull, found point by point as the steepest way up."""
    edges, at = [], 0
    while at < len(points) - 1:
        ahead = range(at + 1, len(points))
        slopes = [(points[i][1] - points[at][1]) / (points[i][0] - points[at][0]) for i in ahead]
        steepest = max(ahead, key=lambda i: (slopes[i - at - 1], i))
        edges.append((slopes[steepest - at - 1], points[steepest][0] - points[at][0]))
        at = steepest
    return edges
