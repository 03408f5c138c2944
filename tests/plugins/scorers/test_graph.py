"""Parts that the files of the task use, and that use them, count."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.plugins.scorers.linked import PARTS, SHOP, part, scores, shop

from satchel import Part, Reference, Task
from satchel_plugins.scorers.graph import GraphScorer
from satchel_plugins.scorers.ties import Trust, find_ties

TRUST = Trust(backward=0.5, common_from=5, common=0.1, imported=3.0)


def test_what_the_best_file_uses_and_what_uses_it_score(tmp_path: Path) -> None:
    with shop(tmp_path) as workspace:
        found = scores(GraphScorer(), "the discount of the cart", workspace)

    assert found["price_of"] == 1
    assert found["summary"] > found["send"] == 0


def test_the_definition_that_is_used_scores_above_its_neighbour(tmp_path: Path) -> None:
    with shop(tmp_path) as workspace:
        found = scores(GraphScorer(), "cart", workspace)

    assert found["price_of"] > found["currency"] > 0


def test_a_file_that_the_task_names_starts_the_walk(tmp_path: Path) -> None:
    task = Task("why?", references=(Reference("report.py", "path", path="shop/report.py"),))
    with shop(tmp_path) as workspace:
        found = scores(GraphScorer(), task, workspace)

    assert found["discount"] == 1


def test_a_task_that_favours_no_file_scores_nothing(tmp_path: Path) -> None:
    with shop(tmp_path) as workspace:
        assert set(scores(GraphScorer(), "zebra", workspace).values()) == {0.0}


def test_of_two_definitions_the_imported_one_is_meant(tmp_path: Path) -> None:
    files = {**SHOP, "old/prices.py": "def price_of(names):\n    return 0\n"}
    parts = (*PARTS, part("old/prices.py:1-2", "old.price_of"))
    with shop(tmp_path, files) as workspace:
        found = scores(GraphScorer(file_share=0), "cart discount", workspace, parts)

    assert found["price_of"] == pytest.approx(3 * found["old.price_of"])


def test_a_name_that_few_define_says_more_than_one_that_many_define(tmp_path: Path) -> None:
    own = part("shop/cart.py:3-4", "discount", "price_of", "get")
    getters = tuple(part(f"shop/x{at}.py:1", f"X{at}.get") for at in range(8))
    with shop(tmp_path) as workspace:
        found = scores(
            GraphScorer(imported=1, file_share=0), "discount", workspace, (own, PARTS[2], *getters)
        )

    assert 0 < found["X0.get"] < found["price_of"] / 50


def test_an_import_of_a_file_that_is_gone_is_no_fault(tmp_path: Path) -> None:
    with shop(tmp_path) as workspace:
        (workspace.root / "shop/cart.py").unlink()
        found = scores(GraphScorer(), "the discount of the cart", workspace)

    assert found["price_of"] == 1


def test_the_order_of_the_files_does_not_matter(tmp_path: Path) -> None:
    backwards = tuple(reversed(PARTS))
    with shop(tmp_path) as workspace:
        assert scores(GraphScorer(), "cart", workspace, backwards) == pytest.approx(
            scores(GraphScorer(), "cart", workspace)
        )


def test_items_that_are_no_files_take_part_by_their_names(tmp_path: Path) -> None:
    hunk = part("diff:1-3", "", "price_of")._replace(item="diff:shop/cart.py", path="shop/cart.py")
    with shop(tmp_path) as workspace:
        found = scores(GraphScorer(), "cart", workspace, (hunk, *PARTS[2:]))

    assert found["price_of"] == 1


def test_four_hundred_files_are_judged_in_a_moment(tmp_path: Path) -> None:
    parts = tuple(
        part(
            f"p/f{f}.py:{at + 1}",
            f"C{f % 9}.name_{f * 25 + at // 2}",
            f"name_{(f * f + at) % 9_000}",
            "other",
        )
        for f in range(400)
        for at in range(50)
    )
    with shop(tmp_path, {f"p/f{f}.py": f"word{f % 7}\n" for f in range(400)}) as workspace:
        workspace.ranking.files(Task("word1 word2"))
        start = time.process_time()
        found = GraphScorer().score(parts, Task("word1 word2"), workspace)

    assert max(found) == 1
    assert time.process_time() - start < 1


names = st.sampled_from(["a", "b", "c", "d.e", ""])
made = st.builds(
    lambda file, at, name, refs: part(f"f{file}.py:{at}", name, *refs),
    st.integers(0, 4),
    st.integers(1, 50),
    names,
    st.lists(st.sampled_from("abcde"), unique=True),
)


@given(st.lists(made, min_size=1, max_size=40))
def test_the_ties_of_each_item_add_up_to_1_and_end_elsewhere(parts: list[Part]) -> None:
    items = sorted({one.item for one in parts})
    taking = {item: [at for at, one in enumerate(parts) if one.item == item] for item in items}

    for item, ties in find_ties(parts, taking, items, imports={}, trust=TRUST).items():
        assert not ties or sum(tie.strength for tie in ties) == pytest.approx(1)
        assert all(tie.item != item and {parts[at].item for at in tie.places} == {tie.item} for tie in ties)


def test_every_definer_of_a_name_gets_the_same(tmp_path: Path) -> None:
    """Not the root of the root of the count for the second, as in a well-known repository map."""
    user = [part(f"u.py:{at}", f"u{at}", "f") for at in range(1, 10)]
    parts = [*user, part("a.py:1", "f"), part("b.py:1", "f"), part("c.py:1", "f")]
    taking = {"file:u.py": list(range(9)), "file:a.py": [9], "file:b.py": [10], "file:c.py": [11]}
    ties = find_ties(parts, taking, ["file:u.py"], imports={}, trust=TRUST)["file:u.py"]

    assert [tie.strength for tie in ties] == pytest.approx([1 / 3] * 3)
