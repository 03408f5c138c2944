"""What lines are worth, for tests."""

from __future__ import annotations

from satchel.output import Folder
from satchel.output.values import value


def values(*lines: str) -> dict[str, float]:
    """Return the values of the lines that are shown, by their texts."""
    folder = Folder()
    folder.feed(lines)
    folded = folder.finish()
    worths = value(folded, folded.templates())
    return {line.text: worth for line, worth in zip(folded.lines, worths, strict=True)}
