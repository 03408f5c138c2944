"""Trees: what they judge gets another share of the same whole, and what they don't judge stays."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel_plugins.worth_models import trees
from satchel_plugins.worth_models.trees import MOST, NAMES, Fork, Tree, Trees, as_tree, load_trees, sum_trees

from .test_features import function, one

NOT_SEEN = frozenset(
    """
    astropy/astropy django/django matplotlib/matplotlib mwaskom/seaborn pallets/flask psf/requests
    pydata/xarray pylint-dev/pylint pytest-dev/pytest scikit-learn/scikit-learn sphinx-doc/sphinx sympy/sympy
    ansible/ansible babel/babel honojs/hono labstack/echo tornadoweb/tornado trpc/trpc urfave/cli
    """.split()  # noqa: SIM905 (quoted names are hard to read)
)
"""The repositories of SWE-bench, and those that the pages on benchmarks and on worth measure."""
PAGE = Path(__file__).parents[3] / "docs" / "benchmarks.md"


@pytest.fixture
def _fresh() -> Iterator[None]:
    load_trees.cache_clear()
    yield
    load_trees.cache_clear()


def forks(tree: Tree) -> list[Fork]:
    return [tree, *forks(tree[2]), *forks(tree[3])] if isinstance(tree, tuple) else []


def test_the_trees_that_ship_know_only_features_that_there_are() -> None:
    every = [fork for trees in load_trees() for tree in trees for fork in forks(tree)]

    assert every
    assert all(load_trees())
    assert all(0 <= place < len(NAMES) and math.isfinite(threshold) for place, threshold, _, _ in every)


def test_the_page_on_benchmarks_lists_the_repositories_that_the_trees_have_seen() -> None:
    stored = json.loads(Path(trees.__file__).with_name("trees.json").read_text("utf-8"))
    counts = stored["repositories"]
    section = PAGE.read_text("utf-8").partition("## Trees from your own commits")[2].partition("\n## ")[0]

    listed = {name: int(count) for name, count in re.findall(r"([\w.-]+/[\w.-]+)\s\((\d+)\)", section)}

    assert listed == counts
    assert stored["grown_from"] == f"{sum(counts.values())} commits of {len(counts)} repositories"
    assert not NOT_SEEN & counts.keys()


@pytest.mark.usefixtures("_fresh")
def test_trees_of_other_features_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees, "NAMES", (*NAMES, "another"))

    with pytest.raises(ValueError, match=r"growing\.py"):
        load_trees()


def test_a_tree_goes_up_to_its_threshold_and_above_it() -> None:
    tree = as_tree([0, 1.5, -1.0, [1, 0.0, 2.0, 3.0]])

    assert [sum_trees(numbers, [tree, 0.5]) for numbers in ([1.5, 0.0], [1.6, 0.0], [1.6, 0.1])] == [
        -0.5,
        2.5,
        3.5,
    ]


chance = st.floats(1e-9, 1.0)


@given(st.lists(st.lists(chance, min_size=1, max_size=6), min_size=1, max_size=5))
def test_chances_stay_positive_and_what_is_no_file_keeps_its_own(chances: list[list[float]]) -> None:
    items = [
        one(f"file:{at}", [function(f"f{at}", 1 + 10 * place) for place in range(len(mine))])
        for at, mine in enumerate(chances)
    ]
    commit = one("commit:x", [function("f", 1)])

    found = Trees().correct([*items, commit], [*chances, [0.5]], {"log": 1.0})

    for mended in (found.lines, found.definitions, found.both()):
        assert mended[-1] == [0.5]
        assert [len(mine) for mine in mended[:-1]] == [len(mine) for mine in chances]
        assert all(0 < number < math.inf for mine in mended for number in mine)


def test_parts_below_those_that_are_judged_keep_their_chances() -> None:
    parts = [function("f", 1 + 10 * at) for at in range(MOST + 2)]
    chances = [1.0] * MOST + [0.25, 0.125]

    found = Trees().correct([one("file:a", parts)], [chances], {})

    assert found.lines[0][MOST:] == found.definitions[0][MOST:] == [0.25, 0.125]
