"""Split what reports tell into its failures, the message of each as head, its places as names it uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import attrs

from satchel.plugin_api import ContextItem, Part, lazily

_PLACE = lazily(r"  at (\S.*:\d{1,7}(?:-\d{1,7})?)\Z")
_MOST_PLACES = 40


@attrs.frozen(eq=False, repr=False)
class Failures:
    """Begins a part at every line that is not indented; `  at path:line` below it is where it points."""

    name: ClassVar[str] = "failures"
    version: ClassVar[str] = "1"

    def claims(self, item: ContextItem) -> float:
        """Return a high claim for the kind `error` and none for anything else."""
        return 0.9 if item.kind == "error" else 0.0

    def split(self, item: ContextItem) -> Sequence[Part]:
        """Return a part for each failure; `refs` holds its places as `path:first` or `path:first-last`."""
        lines = (item.text or "").split("\n")
        while lines and not lines[-1].strip():
            lines.pop()
        starts = [at for at, line in enumerate(lines) if line[:1].strip()]
        ends = [*starts[1:], len(lines)]
        return [_part(lines, start, end) for start, end in zip(starts, ends, strict=False)]


def _part(lines: Sequence[str], start: int, end: int) -> Part:
    places = (_PLACE.match(line) for line in lines[start + 1 : end])
    refs = tuple(dict.fromkeys(place[1] for place in places if place))[:_MOST_PLACES]
    return Part("failure", "", (start + 1, end), head=(start + 1, start + 1), refs=refs)
