"""A plugin's class that is named before its module is imported: what a run has no use for is never loaded."""

from __future__ import annotations

from typing import Any, NamedTuple


class Later(NamedTuple):
    """Stands for a class in what a hook returns; the host imports it when something may need it."""

    name: str
    """The class's own `name`."""
    home: str
    """Where it is: `package.module:Class`."""
    kinds: frozenset[str] = frozenset()
    """Of a scorer, its `kinds`; of a representer, the kinds of items that it may claim, empty for all."""

    def serves(self, kinds: frozenset[str]) -> bool:
        """Tell whether it has to do with items of any of these kinds."""
        return not self.kinds or not self.kinds.isdisjoint(kinds)

    def load(self) -> Any:
        """Import its module and return the class."""
        import importlib

        module, _, name = self.home.partition(":")
        return getattr(importlib.import_module(module), name)
