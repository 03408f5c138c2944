"""A small workspace whose files use and import each other, and parts of them made by hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.core.repositories import Files, write_files

from satchel import Part, Scorer, Symbol, Task, Workspace

SHOP: Files = {
    "shop/cart.py": "from shop.prices import price_of\n\ndef discount(names):\n    return price_of(names)\n",
    "shop/prices.py": "def price_of(names):\n    return len(names)\n\ndef currency():\n    return 'EUR'\n",
    "shop/report.py": "def summary():\n    return discount(['a'])\n",
    "shop/mail.py": "def send(text):\n    return text\n",
}


def part(place: str, name: str = "", *refs: str, kind: str = "function") -> Part:
    """Make a part of `path:first-last`."""
    path, _, lines = place.partition(":")
    first, _, last = lines.partition("-")
    span = (int(first), int(last or first))
    symbols = (Symbol(name, kind, span, (span[0], span[0])),) if name else ()
    return Part(kind, name, span, symbols=symbols, refs=refs, id=place, item=f"file:{path}", path=path)


PARTS = (
    part("shop/cart.py:1-2", kind="imports"),
    part("shop/cart.py:3-4", "discount", "price_of"),
    part("shop/prices.py:1-3", "price_of", "len"),
    part("shop/prices.py:4-5", "currency"),
    part("shop/report.py:1-2", "summary", "discount"),
    part("shop/mail.py:1-2", "send"),
)


@contextmanager
def shop(root: Path, files: Files = SHOP) -> Iterator[Workspace]:
    """Open a plain folder of the files."""
    workspace = Workspace.open(write_files(root / "shop-files", files), cache_dir=root / "cache")
    try:
        yield workspace
    finally:
        workspace.close()


def scores(
    scorer: Scorer, text: str | Task, workspace: Workspace, parts: tuple[Part, ...] = PARTS
) -> dict[str, float]:
    """Return the score of each part by its name, or by its id where it has none."""
    task = text if isinstance(text, Task) else Task(text)
    scored = scorer.score(parts, task, workspace)
    return {part.name or part.id: score for part, score in zip(parts, scored, strict=True)}
