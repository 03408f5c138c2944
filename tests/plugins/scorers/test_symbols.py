"""Names made of the task's words count."""

from __future__ import annotations

from pathlib import Path

from tests.plugins.scorers.linked import part, scores, shop

from satchel import Reference, Task
from satchel_plugins.scorers import Symbols

PARTS = (
    part("shop/cart.py:1", "price_of_cart"),
    part("shop/cart.py:2", "price_list"),
    part("shop/cart.py:3", "Cart.price"),
    part("shop/cart.py:4", "Mail.price"),
    part("shop/cart.py:5", "send"),
    part("shop/cart.py:6"),
)
FILES = {
    "shop/cart.py": "price_of_cart = price_list = 1\ncart = send = mail = text\n",
    "shop/a.py": "price\n",
    "shop/b.py": "b\n",
    "shop/c.py": "c\n",
}


def test_a_name_made_of_more_of_the_tasks_words_scores_more(tmp_path: Path) -> None:
    with shop(tmp_path, FILES) as workspace:
        found = scores(Symbols(), "the price in the cart is wrong", workspace, PARTS)

    assert found["price_of_cart"] > found["price_list"] > found["send"] == found["shop/cart.py:6"] == 0


def test_the_owners_words_break_ties(tmp_path: Path) -> None:
    with shop(tmp_path, FILES) as workspace:
        found = scores(Symbols(), "the price in the cart is wrong", workspace, PARTS)

    assert found["Cart.price"] > found["Mail.price"] > 0


def test_a_name_that_the_task_writes_whole_scores_1(tmp_path: Path) -> None:
    with shop(tmp_path, FILES) as workspace:
        found = scores(Symbols(), "why is price_list empty", workspace, PARTS)

    assert found["price_list"] == 1
    assert found["price_of_cart"] < 1


def test_a_reference_names_the_last_part_of_a_qualified_name(tmp_path: Path) -> None:
    task = Task("see Cart.price", references=(Reference("Cart.price", "symbol", name="Cart.price"),))
    with shop(tmp_path, FILES) as workspace:
        assert scores(Symbols(), task, workspace, PARTS)["Cart.price"] == 1


def test_rare_words_count_more_than_common_ones(tmp_path: Path) -> None:
    files = {**FILES, **{f"shop/{name}.py": "price\n" for name in "defgh"}}
    parts = (part("shop/cart.py:1", "price_zebra"), part("shop/cart.py:2", "cart_zebra"))
    with shop(tmp_path, files) as workspace:
        found = scores(Symbols(), "price of the cart", workspace, parts)

    assert found["cart_zebra"] > found["price_zebra"]


def test_a_part_with_several_names_counts_by_its_best(tmp_path: Path) -> None:
    several = part("shop/cart.py:1", "send")
    several = several._replace(symbols=(*several.symbols, *part("shop/cart.py:1", "price_list").symbols))
    with shop(tmp_path, FILES) as workspace:
        found = scores(Symbols(), "price_list", workspace, (several,))

    assert found["send"] == 1


def test_a_task_in_words_that_no_file_holds_scores_nothing(tmp_path: Path) -> None:
    with shop(tmp_path, FILES) as workspace:
        assert set(scores(Symbols(), "zebra crossing", workspace, PARTS).values()) == {0.0}


def test_odd_names_do_no_harm(tmp_path: Path) -> None:
    odd = tuple(
        part(f"shop/cart.py:{at}", name) for at, name in enumerate(("..", "a..b", "\udcff", "価格", "_"), 1)
    )
    with shop(tmp_path, FILES) as workspace:
        assert set(scores(Symbols(), "price", workspace, odd).values()) == {0.0}
