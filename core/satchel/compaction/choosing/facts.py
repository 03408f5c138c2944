"""Facts: what is known of each text of a conversation, read once for each content."""

from __future__ import annotations

import json
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from satchel.compaction.choosing.pieces import Piece, Reader
from satchel.conversation.counting import Counts
from satchel.messages import Block, BlockKind, Exchange

SHORT = 200
"""Characters of an argument that stay in a call that was shortened."""
Path = tuple[str | int, ...]
_REFS = operator.itemgetter(Piece._fields.index("refs"))


class Place(NamedTuple):
    """Where a text stands in an exchange: message, block, and inside of a call's arguments the path."""

    message: int
    block: int
    path: Path | None = None


class Facts(NamedTuple):
    """A text's pieces and all of its references, in order."""

    text: str
    pieces: tuple[Piece, ...]
    refs: tuple[str, ...]


class Library:
    """Facts by content: texts that were read before are not read again.

    Args:
        counts: what tokens are counted with.
    """

    def __init__(self, counts: Counts) -> None:
        self.counts = counts
        self.terms: dict[str, Mapping[str, int]] = {}
        """Terms of an exchange by its text."""
        self.words: dict[str, Mapping[str, int]] = {}
        """Words of an exchange by its text, where tools are called."""
        self.stems: dict[str, str] = {}
        """Stems of terms."""
        self._reader = Reader()
        self._facts: dict[str, Facts] = {}
        self._arguments: dict[str, tuple[tuple[Path, str], ...] | None] = {}

    def read(self, texts: Iterable[str]) -> None:
        """Read the texts that are not known yet."""
        new = [text for text in dict.fromkeys(texts) if text not in self._facts]
        for text, pieces in zip(new, self._reader.pieces(new, self.counts.texts(new)), strict=True):
            refs = tuple(dict.fromkeys(chain.from_iterable(map(_REFS, pieces))))
            self._facts[text] = Facts(text, pieces, refs)

    def read_all(self, exchanges: Iterable[Exchange]) -> None:
        """Read what exchanges say."""
        blocks = (block for one in exchanges for message in one.messages for block in message.blocks)
        self.read(text for block in blocks for text in self.said(block))

    def of(self, text: str) -> Facts:
        """Return the facts of a text that was read."""
        facts = self._facts.get(text)
        if facts is None:
            self.read([text])
            facts = self._facts[text]
        return facts

    def refs(self, text: str) -> tuple[str, ...]:
        """Return the references in a short text."""
        return self._reader.refs(text)

    def values(self, arguments: str) -> tuple[tuple[Path, str], ...] | None:
        """Return the texts in a call's arguments with their paths, None where they are no JSON object."""
        if arguments not in self._arguments:
            self._arguments[arguments] = _values(arguments)
        return self._arguments[arguments]

    def said(self, block: Block) -> Sequence[str]:
        """Return the texts in which a block's references stand: of a call, those in its arguments."""
        if block.kind is BlockKind.CALL:
            values = self.values(block.text)
            return [block.text] if values is None else [text for _, text in values]
        return [block.text] if block.kind in (BlockKind.TEXT, BlockKind.RESULT) and block.text else ()

    def places(self, exchange: Exchange) -> Iterator[tuple[Place, str]]:
        """Yield every text of an exchange that may be cut line by line, with its place."""
        for at, message in enumerate(exchange.messages):
            for number, block in enumerate(message.blocks):
                if block.kind is BlockKind.CALL:
                    values = self.values(block.text) or ()
                    yield from ((Place(at, number, path), text) for path, text in values if len(text) > SHORT)
                elif block.kind in (BlockKind.TEXT, BlockKind.RESULT) and block.text and not block.fixed:
                    yield Place(at, number), block.text


def _values(arguments: str) -> tuple[tuple[Path, str], ...] | None:
    try:
        parsed = json.loads(arguments)
    except (ValueError, RecursionError):
        return None
    return tuple(_strings(parsed)) if isinstance(parsed, dict) else None


def _strings(parsed: Any) -> Iterator[tuple[Path, str]]:
    waiting: list[tuple[Path, Any]] = [((), parsed)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, str):
            yield path, value
        elif isinstance(value, dict):
            waiting.extend(((*path, key), inner) for key, inner in reversed(value.items()))
        elif isinstance(value, list):
            waiting.extend(((*path, at), value[at]) for at in range(len(value) - 1, -1, -1))


def with_values(arguments: str, changed: Mapping[Path, str]) -> str:
    """Return a call's arguments with some texts in them replaced."""
    if not changed:
        return arguments
    parsed = json.loads(arguments)
    for path, value in changed.items():
        holder = parsed
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = value
    return json.dumps(parsed, ensure_ascii=False)
