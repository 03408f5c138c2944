"""The title of a long report counts beside its details."""

from __future__ import annotations

from pathlib import Path

from tests.plugins.scorers.linked import part, scores, shop

from satchel_plugins.scorers import Title

PARTS = (part("shop/cart.py:1", "price_of_cart"), part("shop/mail.py:1", "send_mail"))
FILES = {
    "shop/cart.py": "def price_of_cart(): return price\n",
    "shop/mail.py": "def send_mail(): return text\n",
    "shop/b.py": "b\n",
}
DETAILS = "send mail text " * 20


def test_the_title_decides_whatever_stands_below_it(tmp_path: Path) -> None:
    with shop(tmp_path, FILES) as workspace:
        found = scores(Title(), f"The price of the cart is wrong\n\n{DETAILS}", workspace, PARTS)

    assert found["price_of_cart"] > found["send_mail"] == 0


def test_a_task_that_is_little_more_than_its_title_has_been_read(tmp_path: Path) -> None:
    with shop(tmp_path, FILES) as workspace:
        for task in ("The price of the cart is wrong", "The price of the cart\n\nis wrong today", "\n"):
            assert set(scores(Title(), task, workspace, PARTS).values()) == {0.0}
