"""Measure the packing strategies: broken promises over generated cases, and speed and gap by size.

Run from the repository root: `python docs/benchmarks/packing.py [CASES]`. It prints Markdown.
"""

# ruff: noqa: S311 - nothing here is secret
from __future__ import annotations

import itertools
import platform
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from satchel import BudgetError, Candidate, Packer, SatchelError, Selection
from satchel.selecting import select
from satchel_plugins.packers import PACKERS
from satchel_plugins.packers.strategies import HybridPacker

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "plugins" / "packers"))
from strategies import LEVELS, bound, full_tokens, options, workspace  # type: ignore[import-not-found]  # put on the path above

PROMISES = (
    "budget, pins, sums",
    "order of candidates",
    "more budget, less worth",
    "everything where it fits",
    "97 % used",
)


def case(rng: random.Random) -> list[Candidate]:
    """Return up to seven candidates with free steps, worthless steps, ties and pins."""
    made = []
    for index in range(rng.randint(0, 7)):
        rungs = range(rng.randint(0, len(LEVELS) + 1))
        steps = [(rng.choice((rng.randint(0, 5), rng.randint(1, 200))), gain(rng)) for _ in rungs]
        pinned = bool(steps) and rng.random() < 0.15
        floor = rng.randrange(len(steps)) if pinned else 0
        made.append(Candidate(f"c{index}", rng.randint(0, 4), "file", options(steps), {}, pinned, floor))
    return made


def gain(rng: random.Random) -> float:
    """Return what a step adds: often nothing or the same as elsewhere."""
    return rng.choice((0.0, float(rng.randint(0, 3)), rng.random(), 20 * rng.random()))


def answers(
    packer: Packer, drawn: Sequence[Candidate], budgets: Sequence[int]
) -> Iterator[tuple[int, Selection]]:
    """Yield the budgets that hold the pins, with what was chosen."""
    for budget in budgets:
        try:
            yield budget, select(packer, drawn, budget)
        except BudgetError:
            pins = sum(item.options[item.floor].tokens for item in drawn if item.pinned)
            if pins <= budget:
                raise SatchelError(f"pins of {pins} tokens were refused on {budget}") from None


def broken(packer: Packer, drawn: list[Candidate], rng: random.Random) -> Iterator[str]:
    """Yield each promise that the packer breaks on these candidates."""
    full = full_tokens(drawn)
    budgets = sorted(rng.randint(0, full + 3) for _ in range(4))
    try:
        found = list(answers(packer, drawn, [*budgets, full + 3]))
    except SatchelError:
        yield PROMISES[0]
        return
    last = found[-1][1]
    if packer.pack(rng.sample(drawn, len(drawn)), found[0][0]) != found[0][1]:
        yield PROMISES[1]
    if any(after[1].worth < before[1].worth - 1e-9 for before, after in itertools.pairwise(found)):
        yield PROMISES[2]
    if last.tokens != full:
        yield PROMISES[3]


def fine_grained(packer: Packer, rng: random.Random) -> Iterator[str]:
    """Yield the promise to use the budget where candidates of at most 40 tokens can fill it."""
    drawn = [Candidate(f"c{n}", n, "file", options([(rng.randint(1, 40), gain(rng))])) for n in range(120)]
    budget = 1000 + rng.randint(0, 400)
    if min(budget, full_tokens(drawn)) * 0.97 > select(packer, drawn, budget).tokens:
        yield PROMISES[4]


def count_broken(cases: int) -> dict[str, Counter[str]]:
    """Return for each packer how often it broke which promise; the 97 % on every 20th case."""
    counts = {make.name: Counter[str]() for make in PACKERS}
    for seed in range(cases):
        drawn = case(random.Random(seed))
        for make in [later.load() for later in PACKERS]:
            counts[make.name].update(broken(make(), drawn, random.Random(seed)))
            if seed % 20 == 0:
                counts[make.name].update(fine_grained(make(), random.Random(seed)))
    return counts


def speed(packer: Packer, n: int, repeats: int) -> tuple[float, list[float]]:
    """Return the median CPU milliseconds of a pack, and the gaps to the bound, in percent."""
    spent, gaps = [], []
    for seed in range(repeats):
        drawn = workspace(n, seed)
        for share in (0.01, 0.05, 0.2):
            budget = int(share * full_tokens(drawn))
            start = time.process_time()
            worth = packer.pack(drawn, budget).worth
            spent.append(1000 * (time.process_time() - start))
            gaps.append(100 * (1 - worth / bound(drawn, budget)))
    return statistics.median(spent), gaps


def main(cases: int) -> None:
    """Print both tables."""
    python = platform.python_version()
    print(f"Measured {time.strftime('%Y-%m-%d')}, CPython {python}, {cases:,} cases for every packer.\n")
    print("| packer | " + " | ".join(PROMISES) + " |\n|---|" + "---|" * len(PROMISES))
    for name, counts in count_broken(cases).items():
        print(f"| {name} | " + " | ".join(str(counts[promise]) for promise in PROMISES) + " |")
    print("\n| candidates | CPU ms (median) | gap to the bound: mean | largest |\n|---|---|---|---|")
    for n, repeats in ((100, 20), (1000, 10), (10_000, 3)):
        median, gaps = speed(HybridPacker(), n, repeats)
        print(f"| {n:,} | {median:.1f} | {statistics.mean(gaps):.4f} % | {max(gaps):.4f} % |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
