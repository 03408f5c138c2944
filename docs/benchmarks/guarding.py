"""Drive the guard over random traces and count broken promises.

Run from the repository root: `python docs/benchmarks/guarding.py [TRACES]`. It prints Markdown.
"""

# ruff: noqa: S311 - nothing here is secret
from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path

from satchel.events import PressureChanged

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.core.guarding.worlds import World

PROMISES = (
    "no action raises a level",
    "nothing is cleared or unloaded without a verified snapshot",
    "each level is told at most once a cooldown",
    "no compaction without new content",
)
COOLDOWN = 30.0


def trace(rng: random.Random, broken: Counter[str]) -> int:
    """Walk one trace of 2 to 25 readings; return how many actions were taken."""
    world = World(floor=rng.randrange(30_000), window=rng.choice((4_096, 8_192, 32_768, 131_072)))
    guard = world.guard(cooldown_seconds=COOLDOWN)
    told: dict[tuple[str, str], float] = {}
    for _ in range(rng.randint(2, 25)):
        world.used += rng.choice((0, 0, rng.randrange(12_000)))
        world.free = max(0, world.free + rng.randrange(-(1 << 30), 1 << 30))
        world.now += rng.uniform(0.1, 40)
        world.whole = rng.random() < 0.8
        levels, steps = world.levels(), len(world.done)
        for event in guard.observe(world.reading()):
            if isinstance(event, PressureChanged):
                key = (event.gauge, event.after)
                broken[PROMISES[2]] += world.now - told.get(key, -COOLDOWN) < COOLDOWN
                told[key] = world.now
        broken[PROMISES[0]] += any(now > then for now, then in zip(world.levels(), levels, strict=True))
        done = world.done[steps:]
        cleared = {"keep promised", "unload"} & set(done)
        broken[PROMISES[1]] += bool(cleared) and not ("snapshot" in done and world.whole)
        broken[PROMISES[3]] += sum("compact" in step for step in done) > 1
    return len(world.done)


def main(traces: int = 100_000) -> None:
    """Print how often each promise was broken."""
    rng = random.Random(2026)
    broken: Counter[str] = Counter()
    actions = sum(trace(rng, broken) for _ in range(traces))
    print(f"{traces:,} traces, {actions:,} actions\n\n| promise | broken |\n| --- | ---: |")
    print("\n".join(f"| {promise} | {broken[promise]} |" for promise in PROMISES))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
