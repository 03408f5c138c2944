"""Climbing: the hull of a ladder has falling densities."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import pytest

from satchel_plugins.packers.climbing import hull

SEEDS = range(5)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_rung_of_a_hull_lies_below_the_way_past_it(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(200):
        tokens, worths = [0], [0.0]
        for _ in range(rng.randint(0, 9)):
            tokens.append(max(0, tokens[-1] + rng.choice((-30, 0, 1, rng.randint(1, 90)))))
            worths.append(worths[-1] + rng.choice((0.0, -1.0, 1.0, 9 * rng.random())))

        path = [0, *reversed(hull(tokens, worths, 0, len(tokens)))]

        steps = [(worths[b] - worths[a], tokens[b] - tokens[a]) for a, b in pairwise(path)]
        slopes = [gain / cost if cost else math.inf for gain, cost in steps]
        assert slopes == pytest.approx(sorted(slopes, reverse=True))
        assert all(gain >= 0 for gain, _ in steps)
        assert worths[path[-1]] == max(worths)
