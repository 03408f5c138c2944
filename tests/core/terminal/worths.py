"""What lines are worth, for tests."""

from __future__ import annotations

from satchel.output import LineFolding
from satchel.output.values import value


def values(*lines: str) -> dict[str, float]:
    """Return the values of the lines that are shown, by their texts."""
    folding = LineFolding()
    folding.feed(lines)
    folded = folding.finish()
    worths = value(folded, folded.templates())
    return {line.text: worth for line, worth in zip(folded.lines, worths, strict=True)}
