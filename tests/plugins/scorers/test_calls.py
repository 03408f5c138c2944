"""Uses and definitions tie parts to those that fit the task."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from tests.plugins.scorers.linked import PARTS, part, shop

from satchel import Task, Workspace
from satchel_plugins.scorers import Calls
from satchel_plugins.scorers.symbols import hand_best

from .scored import by_name, scores_of

UNTIED = """\
def checkout(basket):
    return charge(basket)


def charge(amount):
    return amount


def weather(city):
    return city
"""


def scored(root: Path, task: str) -> dict[str, float]:
    return by_name(scores_of(Calls(), task, root))


def test_what_a_fitting_part_calls_scores(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(UNTIED)

    scores = scored(tmp_path, "checkout of a basket")

    assert scores["charge"] > scores["weather"] == 0.0


def test_what_calls_a_fitting_part_scores_too(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(UNTIED)

    scores = scored(tmp_path, "charge the amount")

    assert scores["checkout"] > scores["weather"] == 0.0


def test_a_definition_in_the_same_file_is_meant_before_one_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(UNTIED)
    (tmp_path / "bank.py").write_text("class Bank:\n    def charge(self):\n        return 1\n" + "\n# x" * 40)

    scores = scored(tmp_path, "checkout of a basket")

    assert scores["charge"] > scores["Bank.charge"] == 0.0


def test_a_name_that_many_parts_define_ties_nothing(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"m{number}.py").write_text("def run(job):\n    return job\n")
    (tmp_path / "shop.py").write_text("def checkout(basket):\n    return run(basket)\n")

    assert scored(tmp_path, "checkout of a basket")["run"] == 0.0


def test_tests_and_documents_take_no_part(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(UNTIED)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_shop.py").write_text("def test_basket():\n    checkout(1)\n")

    assert scored(tmp_path, "checkout of a basket")["test_basket"] == 0.0


def test_parts_that_no_file_holds_are_passed_over(tmp_path: Path) -> None:
    def asked(workspace: Workspace) -> list[float]:
        parts = (*PARTS, part(":1", "note", "discount")._replace(item="notes:1"))
        return list(Calls().score(parts, Task("discount"), workspace))

    with shop(tmp_path) as workspace:
        assert asked(workspace)[-1] == 0.0


PLACES = st.lists(st.integers(0, 4), max_size=4)


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0, 1), min_size=5, max_size=5), PLACES, PLACES)
def test_each_part_gets_the_best_of_the_others(
    fitness: list[float], sources: list[int], reached: list[int]
) -> None:
    best = {3: 0.25}
    hand_best(sources, fitness, 0.7, reached, best)

    for at in range(5):
        others = [0.7 * fitness[source] for source in sources if source != at and at in reached]
        assert best.get(at, 0.0) == max([*others, 0.25 if at == 3 else 0.0])
