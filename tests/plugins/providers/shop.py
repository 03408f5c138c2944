"""A small repository with a history about a cart and about mail, for the providers that read git."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.core.repositories import Files, commit, copy_made, git, write_files

from satchel import ContextItem, Workspace
from satchel.references import make_task

CART = (
    '"""The cart."""\n\nfrom shop.tax import rate\n\n\nclass Cart:\n'
    "    def __init__(self):\n        self.prices = []\n\n"
    "    def grand_total(self):\n        return sum(self.prices)\n\n"
    "    def discount(self, percent):\n        return self.grand_total() * percent\n"
)
MAIL = '"""Mail."""\n\n\ndef send_letter(address, words):\n    print("postman", address, words)\n'
FILES = {
    "shop/cart.py": CART,
    "shop/tax.py": "def rate(country):\n    return 19\n",
    "shop/receipt.py": "from shop.cart import Cart\n\n\ndef receipt():\n    return Cart().grand_total()\n",
    "shop/mail.py": MAIL,
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_it():\n    Cart().grand_total()\n",
    "tests/test_mail.py": "from shop.mail import send_letter\n\n\ndef test_it():\n    send_letter(1, 2)\n",
    "README.md": "# Shop\n\nSells things.\n",
}
CART_TASK = "the grand total of the cart ignores the discount"
MAIL_TASK = "send the letter to the postman's address"


def make_shop(root: Path) -> Path:
    """Commit the files, then changes of the cart and of the mail by turns; return the root."""
    return copy_made(root, "shop of a cart and of mail", _commit_shop)


def _commit_shop(root: Path) -> None:
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    write_files(root, FILES)
    commit(root, "open the shop")
    cart, mail = CART, MAIL
    for day, percent in enumerate(("first", "second", "third"), 1):
        cart += f"\n    def {percent}_price(self):\n        return self.prices[{day}]\n"
        write_files(root, {"shop/cart.py": cart})
        commit(root, f"give the {percent} price of the cart with a discount (#{40 + day})", day=2 * day)
        mail += f"\n\ndef {percent}_stamp(letter):\n    return {day}\n"
        write_files(root, {"shop/mail.py": mail})
        commit(root, f"stamp the {percent} letter before the postman comes", day=2 * day + 1)


def edit(root: Path, files: Files) -> None:
    """Write files with another time than those that were committed: git compares whole seconds."""
    write_files(root, files, age_seconds=500)


def gathered(provider: Any, root: Path, task: str = CART_TASK, best: Sequence[str] = ()) -> list[ContextItem]:
    """Return what a provider finds; `best` are the files that it is told of."""
    workspace = Workspace.open(root)
    made = make_task(task, workspace.index.documents)
    told = [ContextItem(f"file:{path}", "files", "file", path, path=path) for path in best]
    items = list(provider.gather(made, workspace, told))
    problems = [str(problem) for problem in workspace.problems]
    workspace.close()
    assert problems == []
    return items


def by_id(items: Sequence[ContextItem]) -> dict[str, ContextItem]:
    """Return items by id."""
    return {item.id: item for item in items}
