"""Find the code that writes a message which a task quotes: it is where whatever happened was noticed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from satchel.items import ContextItem
from satchel.packing.weighing.backbone import find_code
from satchel.packing.weighing.chances import PartPlace, WeighedItems
from satchel.parts import Part
from satchel.workspace.index.terms import WORD, split_words

_FEW = 3
"""Parts in which a message may stand: what stands in more is said in many cases."""
_LEAST_WORDS = 3


def find_writers(
    items: WeighedItems, messages: Sequence[str], read: Callable[[ContextItem], str]
) -> Iterator[PartPlace]:
    """Yield the numbers of items and parts of code in which a message stands word for word, each once."""
    seen: set[PartPlace] = set()
    code = find_code(items) if messages else ()
    for message in messages:
        words = WORD.findall(message)
        if len(words) < _LEAST_WORDS:
            continue
        terms = {parts[-1] for parts in split_words(words) if parts}
        holding = [at for at in code if terms <= items[at][1].terms.keys()]
        found = [
            (at, number)
            for at in holding
            if message in (text := read(items[at][0].item))
            for number in _find_parts(items[at][1].parts, text.split("\n"), message)
        ]
        if len(found) <= _FEW:
            yield from (place for place in found if place not in seen)
            seen.update(found)


def _find_parts(parts: Sequence[Part], lines: Sequence[str], message: str) -> Iterator[int]:
    """Yield the numbers of the parts in whose lines a message stands."""
    for number, part in enumerate(parts):
        if message in "\n".join(lines[part.lines[0] - 1 : part.lines[1]]):
            yield number
