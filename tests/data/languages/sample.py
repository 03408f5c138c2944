#!/usr/bin/env python
"""A module."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT = 3
NAMES: list[str] = []

type Pair[T] = tuple[T, T]

try:
    FAST = True
except ImportError:
    FAST = False


# Adds two numbers.
# Twice as nice.
@functools.cache
def add(a: int, b: int = 2) -> int:
    """Add."""
    def inner(x):
        return x

    return inner(a) + b


@overload
def read(x: int) -> int: ...
@overload
def read(x: str) -> str: ...
def read(x):
    return x


class Base(
    dict,
    metaclass=type,
):
    """Hold
    things.
    """

    kind = "base"
    key = lambda self: self.kind

    class Meta:
        ordering = ("a",)

        def deep(self):
            pass

    @property
    def size(self) -> int:
        return len(self)

    @functools.wraps(
        add,
        assigned=(),
    )
    async def fetch(
        self,
        url: str,
    ) -> Iterator[int]:
        text = """
def not_a_function():
"""
        yield 1

        # the end


def late(): return 1
