"""Show an exchange with some pieces only: calls stay, results and long arguments lose lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import NamedTuple, Protocol

import attrs

from satchel.compaction.again import read_mark_line
from satchel.compaction.ladders import Unit
from satchel.compaction.pieces import (
    GAP,
    Library,
    Path,
    Piece,
    PiecePlace,
    add_definitions,
    find_definitions,
    join_pieces,
    plain_text,
    with_values,
)
from satchel.compaction.promises import find_instructions
from satchel.compaction.results import TINY, Results
from satchel.compaction.worth import find_telling_lines
from satchel.messages import Block, BlockKind, Exchange, Message
from satchel.patterns import lazily


class MarkWriter(Protocol):
    """Returns the mark in place of the cut part of a message, or of one of its blocks."""

    def __call__(self, message: Message, block: Block | None = None, /) -> str:
        """Return the mark."""
        raise NotImplementedError


_PATH, _ABOVE = lazily(r"\s*<(?:file_?)?path>\S"), 3
"""The line that names an attached file, and the number of first lines that may hold it."""
_ATTACHED = (BlockKind.IMAGE, BlockKind.DOCUMENT)


class Form(NamedTuple):
    """The form of exchanges that are not shown whole."""

    library: Library
    mark: MarkWriter
    thoughts: bool = False
    """Whether sealed thoughts stay, as some providers require."""
    results: Results = Results()
    """Facts about the results, and the line in place of each."""

    def mark_result(self, message: Message, block: Block) -> str:
        """Return the line in place of the lost part of a result."""
        if line := read_mark_line(block.text):
            return line
        told = self.results.told.get(id(block), "")
        mark = self.mark(message, block)
        return f"{mark} {told}" if told else mark


def shorten(exchange: Exchange, units: Iterable[Unit], form: Form) -> tuple[Message, ...]:
    """Return the messages of an exchange that show the units alone; () if nothing is left to say."""
    chosen: dict[PiecePlace, set[int]] = {}
    for unit in units:
        chosen.setdefault(unit.place, set()).update(unit.pieces)
    made = [_message(message, at, chosen, form) for at, message in enumerate(exchange.messages)]
    return tuple(message for message in made if message is not None)


def _message(message: Message, at: int, chosen: Mapping[PiecePlace, set[int]], form: Form) -> Message | None:
    blocks: list[Block] = []
    calls = any(block.kind is BlockKind.CALL or block.fixed for block in message.blocks)
    for number, block in enumerate(message.blocks):
        shown = _block(block, message, PiecePlace(at, number), chosen, form, calls=calls)
        if shown is not None:
            blocks.append(shown)
    said = [block for block in blocks if block.kind is not BlockKind.THINKING]
    if not said:
        return None
    if len(blocks) == len(message.blocks) and all(map(_same, blocks, message.blocks)):
        return message
    return attrs.evolve(message, blocks=tuple(blocks))


def _same(one: Block, other: Block) -> bool:
    return one is other


def _block(
    block: Block,
    message: Message,
    place: PiecePlace,
    chosen: Mapping[PiecePlace, set[int]],
    form: Form,
    *,
    calls: bool,
) -> Block | None:
    """Return the shown form of a block, None if it is left out; `calls` if the message does more than say."""
    pieces = chosen.get(place, set())
    if block.kind is BlockKind.THINKING:
        return block if form.thoughts else None
    if block.fixed or block.kind is BlockKind.OPAQUE:
        return block
    if block.kind is BlockKind.CALL:
        return _call(block, place, chosen, form)
    if block.kind is BlockKind.RESULT:
        return _result(block, pieces, form.mark_result(message, block), form.library)
    if block.kind in _ATTACHED:
        mark = form.mark(message, block)
        return Block(BlockKind.TEXT, f"{mark} {block.kind.value}") if not calls else None
    return _text(block, pieces, "" if calls else form.mark(message, block), form.library)


def _text(block: Block, pieces: set[int], mark: str, library: Library) -> Block | None:
    if not pieces:
        return None
    facts = library.of(block.text)
    if len(pieces) == len(facts.pieces):
        return block
    if mark and (line := read_mark_line(block.text)):
        mark, pieces = line, pieces - {0}
    text = _join(block.text, pieces | _find_path(block.text, facts.pieces), library)
    return block.with_text(f"{mark}\n{text}" if mark else text)


def _find_path(text: str, pieces: Sequence[Piece]) -> Set[int]:
    """Return the first pieces of a text, up to the one that names the file of its lines, if any."""
    first = pieces[:_ABOVE] if text.startswith("<") else ()
    named = [at for at, piece in enumerate(first) if _PATH.match(text, piece.start, piece.end)]
    return set(range(named[0] + 1)) if named else set()


def _result(block: Block, pieces: set[int], mark: str, library: Library) -> Block:
    is_text = all(inner.kind is BlockKind.TEXT for inner in block.blocks)
    if len(block.text) <= TINY and is_text:
        return block
    said = plain_text(block.text)
    if pieces and len(pieces) == len(library.of(said).pieces) and is_text:
        return block
    text = _join(said, pieces - {0} if mark == read_mark_line(block.text) else pieces, library)
    return block.with_text(f"{mark}\n{text}" if text else mark)


def _call(block: Block, place: PiecePlace, chosen: Mapping[PiecePlace, set[int]], form: Form) -> Block:
    changed: dict[Path, str] = {}
    openings = form.library.openings(block.text)
    for path, value in form.library.values(block.text) or ():
        if path not in openings:
            continue
        pieces = form.library.of(value).pieces
        shown = openings[path] | chosen.get(place._replace(path=path), set())
        if len(shown) < len(pieces):
            changed[path] = _join(value, shown, form.library)
    return block.with_text(with_values(block.text, changed)) if changed else block


def _join(text: str, chosen: Set[int], library: Library) -> str:
    """Return pieces of a text, with the heads of the definitions or sections of each run."""
    if not chosen:
        return ""
    chosen = add_definitions(find_definitions(text, library), chosen)
    return join_pieces(text, library.of(text).pieces, chosen)


_TOLD, _TOLD_LINE = 2, 300
"""Greatest part (1 / 2) of a cut text for its telling lines, and most characters of one."""
_WORD = 40
"""Most characters of a word that is not cut in two."""


def ends_of(text: str, tokens: int, counted: Callable[[str], int], mark: str) -> str:
    """Return head and tail of a text around a mark, in at most `tokens` tokens; the mark alone at worst.

    After the mark come instructions and reports of failures from the middle.
    """
    low, high = 0, len(text)
    best = mark
    between = [*find_instructions(text), *find_telling_lines(text)]
    while low < high:
        size = (low + high + 1) // 2
        tried = _cut_text(text, size, between, mark)
        if counted(tried) <= tokens:
            low, best = size, tried
        else:
            high = size - 1
    return best


def _cut_text(text: str, size: int, between: Sequence[tuple[int, int]], mark: str) -> str:
    """Return about `size` characters of a text: its head, the best of the middle, and its tail."""
    told = [(start, min(end, start + _TOLD_LINE)) for start, end in between]
    left = size // _TOLD
    ends = size - left
    taken: list[tuple[int, int]] = []
    for start, end in told:
        if ends * 3 // 5 <= start and end <= len(text) - ends * 2 // 5 and end - start <= left:
            left -= end - start
            taken.append((start, end))
    ends += left
    head, tail = ends * 3 // 5, len(text) - (ends - ends * 3 // 5)
    head = max(text.rfind(sign, head - _WORD, head) + 1 for sign in " \n") or head
    tail = min((at for sign in " \n" if (at := text.find(sign, tail, tail + _WORD)) >= 0), default=tail)
    shown = [text[start:end] for start, end in sorted(taken) if head <= start and end <= tail]
    first, last = text[:head].rstrip(), text[tail:].lstrip()
    behind = f"\n{GAP}\n".join([*shown, last])
    return f"{first}\n{GAP} {mark} {GAP}\n{behind}"


def cut_inside(message: Message, tokens: int, counted: Callable[[Message], int], mark: str) -> Message | None:
    """Return a message cut inside its longest texts to at most `tokens` tokens, None if it can't be.

    Args:
        message: a message that is too long.
        tokens: most that it may cost, its frame included.
        counted: counts a message.
        mark: marks the cut.
    """
    blocks: Sequence[Block] = message.blocks
    order = sorted(
        (at for at, block in enumerate(blocks) if _may_cut(block)), key=lambda at: -len(blocks[at].text)
    )
    cut = message
    for at in order:
        if counted(cut) <= tokens:
            break
        kept = cut.blocks

        def size(text: str, at: int = at, kept: tuple[Block, ...] = kept) -> int:
            return counted(
                attrs.evolve(message, blocks=(*kept[:at], kept[at].with_text(text), *kept[at + 1 :]))
            )

        text = ends_of(plain_text(blocks[at].text), tokens, size, mark)
        cut = attrs.evolve(message, blocks=(*kept[:at], kept[at].with_text(text), *kept[at + 1 :]))
    return cut if counted(cut) <= tokens else None


def _may_cut(block: Block) -> bool:
    return block.kind in (BlockKind.TEXT, BlockKind.RESULT) and not block.fixed
