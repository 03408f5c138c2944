"""What the tests of representers share: the fixtures in tests/data/languages, and a way to split."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from satchel import ContextItem, Part
from satchel_plugins.representers import REPRESENTERS

CLASSES = [later.load() for later in REPRESENTERS]

Split = Callable[[str, str], Sequence[Part]]


def split_text(path: str, text: str) -> Sequence[Part]:
    item = ContextItem(id=f"file:{path}", provider="test", kind="file", title=path, path=path, text=text)
    best = max((plugin() for plugin in CLASSES), key=lambda plugin: plugin.claims(item))
    return best.split(item)


@pytest.fixture(scope="session")
def split() -> Split:
    return split_text


@pytest.fixture(scope="session")
def languages() -> Path:
    return Path(__file__).parents[2] / "data" / "languages"
