"""Features: a row for each of the likeliest parts of files, whose numbers mean what their names say."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.texts import file_item

from satchel.plugin_api import Chances, Part, Scored, SplitItem, WeighedItems
from satchel_plugins.worth_models.trees import MOST, NAMES, rows


def one(name: str, parts: Sequence[Part], terms: Mapping[str, list[int]] = {}) -> tuple[Scored, SplitItem]:
    item = attrs.evolve(file_item(""), id=name, path=name.partition(":")[2])
    answers = {"passages": [0.25] * len(parts)}
    scored = Scored(item, tuple(parts), (1.0,) * len(parts), 0.5, {"lexical": 0.75}, answers)
    return scored, SplitItem(tuple(parts), terms, (9,) * len(parts))


def function(name: str, first: int, *, tokens: int = 90) -> Part:
    return Part("function", name, (first, first + 9), (first, first), tokens=tokens)


def named(items: WeighedItems, chances: Chances, query: Mapping[str, float]) -> list[dict[str, float]]:
    return [dict(zip(NAMES, row.numbers, strict=True)) for row in rows(items, chances, query)]


def test_the_likeliest_parts_of_files_come_first_and_nothing_else_comes() -> None:
    parts = [function("f", 1), function("g", 11)]
    items = [one("file:a", parts), one("commit:b", parts), one("file:c", parts)]

    found = rows(items, [[1.0, 4.0], [9.0, 9.0], [0.0, 2.0]], {})

    assert [(row.item, row.part) for row in found] == [(0, 1), (2, 1), (0, 0)]


def test_a_pack_without_chances_has_no_rows() -> None:
    assert rows([], [], {}) == []
    assert rows([one("file:a", [function("f", 1)])], [[0.0]], {"login": 1.0}) == []


def test_no_more_rows_than_are_looked_at() -> None:
    parts = [function("f", 1 + 10 * at) for at in range(MOST + 1)]

    assert len(rows([one("file:a", parts)], [[1.0] * len(parts)], {})) == MOST


def test_numbers_say_what_the_task_and_the_scorers_say_of_a_part() -> None:
    parts = [function("Shop.log_in", 1), function("other", 11)]
    items = [one("file:a", parts, {"log": [0, 2], "door": [1, 1]})]

    first, second = named(items, [[3.0, 1.0]], {"log": 1.0, "door": 1.0, "absent": 1.0})

    assert first["chance"] == 0.0 > second["chance"] == second["in_file"]
    assert math.isclose(first["above"], 0.75)
    assert math.isclose(second["above"], 1.0)
    assert (first["held"], second["held"]) == (math.log(2), math.log(2))
    assert math.isclose(first["covered"], 0.5)
    assert (first["name_weight"], second["name_weight"]) == (1.0, 0.0)
    assert (first["own passages"], first["file lexical"], first["file history"]) == (0.25, 0.75, 0.0)
    assert (first["rank_in_file"], second["rank_in_file"]) == (0.0, math.log(2))
    assert first["after"] == second["chance"]
    assert first["pack terms"] == 3


def test_numbers_say_what_stands_around_a_part() -> None:
    shop = Part("class", "Shop", (1, 2), (1, 1), (1, 22), tokens=20, calls=3)
    parts = [
        shop,
        function("Shop.open_door", 3, tokens=40),
        function("Shop.close", 13, tokens=60),
        function("open_door", 23),
    ]
    items = [one("file:a.py", parts, {"door": [1, 1], "shop": [0, 1], "till": [3, 1]}), one("file:b.md", [])]
    chances: list[list[float]] = [[1.0, 4.0, 1.0, 2.0], []]

    opens, outside, opened, closes = named(items, chances, {"door": 1.0, "shop": 1.0, "till": 1.0})

    assert [opens[name] for name in ("number", "tokens", "tokens_before", "tokens_after")] == [1, 40, 20, 60]
    assert opened["call_density"] == 3 / 30 > opens["call_density"] == 0
    assert opens["surroundings"] == opened["surroundings"] == closes["surroundings"] == 6 / 8
    assert outside["surroundings"] == 0
    assert (opens["covered"], opens["around"], opens["far_around"]) == pytest.approx((1 / 3, 2 / 3, 1))
    assert opens["namesakes"] == outside["namesakes"] == math.log1p(2)
    assert opens["namesakes_share"] == pytest.approx(math.log(6 / 8))
    assert opens["qualifier"] == 1.0 > outside["qualifier"] == 0.0
    assert opens["file likely"] == math.log1p(4)
    assert opens["file lines"] == math.log1p(32)
    assert opens["file suffix"] == 1.0
    assert closes["cover_rank"] == 0


chance = st.floats(1e-12, 1e3)


@given(st.lists(st.lists(chance, min_size=1, max_size=6), min_size=1, max_size=5), st.floats(1e-3, 1e3))
def test_numbers_are_finite_and_do_not_depend_on_the_scale_of_chances(
    chances: list[list[float]], factor: float
) -> None:
    items = [
        one(f"file:{at}", [function(f"f{at}", 1 + 10 * place) for place in range(len(mine))], {"log": [0, 1]})
        for at, mine in enumerate(chances)
    ]

    found = rows(items, chances, {"log": 1.5})
    scaled = {
        (row.item, row.part): row.numbers
        for row in rows(items, [[chance * factor for chance in mine] for mine in chances], {"log": 1.5})
    }

    by_chance = [
        place for place, name in enumerate(NAMES) if name in ("chance", "pack entropy", "file share")
    ]
    assert all(math.isfinite(number) for row in found for number in row.numbers)
    assert len(found) == sum(map(len, chances)) == len(scaled)
    for row in found:
        assert all(
            math.isclose(row.numbers[at], scaled[row.item, row.part][at], rel_tol=1e-6, abs_tol=1e-6)
            for at in by_chance
        )
