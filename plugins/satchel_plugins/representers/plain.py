"""The generic splitter: runs of paragraphs, for every text that nothing else knows."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from satchel.plugin_api import ContextItem, Part


@attrs.frozen(eq=False, repr=False)
class Generic:
    """Splits any text at blank lines, and at what looks like a definition in languages without a grammar."""

    name, version = "generic", "2"

    def claims(self, item: ContextItem) -> float:
        """Return a claim so low that anybody else's wins."""
        return 0.01

    def split(self, item: ContextItem) -> Sequence[Part]:
        """Return runs of at most about sixty lines."""
        return plain_parts(item.text or "", item.path)


def plain_parts(text: str, path: str = "") -> list[Part]:
    """Return the parts of a text without a grammar; `path` shows which outline may fit."""
    from satchel_plugins.representers.markdown import outline
    from satchel_plugins.representers.partition import Outline, partition

    return partition(text, outline(text, path) if path else Outline())
