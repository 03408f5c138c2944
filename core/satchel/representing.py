"""Split context items into parts with exact counts, once per content."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, chain, islice, pairwise
from operator import add
from typing import TYPE_CHECKING, NamedTuple

from satchel.items import ContextItem
from satchel.parts import NO_LINES, Lines, Part, Split, Stretch, Stretches, Symbol
from satchel.patterns import lazily
from satchel.tokens.counting import Counter
from satchel.weighing.stretches import cut, summed
from satchel.workspace.holding import Places, pack, placed, vocabulary, words_in

if TYPE_CHECKING:
    from satchel.weighing.shapes import Shape

_SIGIL_LINES = lazily(r"^(@@+)\d", re.MULTILINE)
_FENCES = lazily(r"`{3,}")
_NO_DATA = "[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]"
_ELEMENT = "<(?=/?(?i:item|pointer|context)[\\s/>]|!\\[(?i:cdata)\\[)"
NOT_XML = lazily(f"{_NO_DATA}|]]>|{_ELEMENT}")
"""What character data may not hold, and what a reader could take for our own elements."""
_CONTROLS = bytes(sorted(set(range(32)) - set(b"\t\n\r")))
_SOLID = lazily(r"[^\s/]")
_MAX_REFS = 60


def lines_of(text: str) -> list[str]:
    """Split at line feeds alone; a last line without one counts."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def piece(lines: Sequence[str], first: int, last: int) -> str:
    """Return lines `first` to `last`, counted from 1, each ended by a line feed."""
    return "\n".join(lines[first - 1 : last]) + "\n"


class _Sheet:
    """A text whose runs of lines are wanted."""

    def __init__(self, text: str, lines: Sequence[str]) -> None:
        self._text = text if text.endswith("\n") or not text else f"{text}\n"
        self._begins = [*accumulate([len(line) + 1 for line in lines], initial=0)]

    def __call__(self, first: int, last: int) -> str:
        """Return lines `first` to `last` as `piece` does."""
        return self._text[self._begins[first - 1] : self._begins[last]]


def covering(parts: Sequence[Part], count: int) -> list[Part]:
    """Make the parts of a representer cover lines 1 to `count` exactly.

    Overlaps and lines outside the text are cut away, lines that no part has become blocks.
    """
    covered: list[Part] = []
    next_line = 1
    for part in sorted(parts, key=lambda part: part.lines):
        first, last = max(part.lines[0], next_line), min(part.lines[1], count)
        if last < first:
            continue
        if first > next_line:
            covered.append(Part("block", "", (next_line, first - 1)))
        head = _inside(part.head, first, last)
        same = part.lines == (first, last) and part.head == head
        covered.append(part if same else part._replace(lines=(first, last), head=head))
        next_line = last + 1
    if next_line <= count:
        covered.append(Part("block", "", (next_line, count)))
    return covered


def _inside(head: tuple[int, int], first: int, last: int) -> tuple[int, int]:
    return head if first <= head[0] <= head[1] <= last and head != (first, last) else NO_LINES


def _solid(parts: Sequence[Part], lines: Sequence[str]) -> list[Part]:
    """Join parts of only white space and slashes to a neighbour: such text can share tokens on both sides."""
    solid: list[Part] = []
    before = False
    for part in parts:
        is_solid = _has_solid(part, lines)
        if solid and not (before and is_solid):
            kept = part if is_solid else solid[-1]
            solid[-1] = kept._replace(lines=(solid[-1].lines[0], part.lines[1]))
        else:
            solid.append(part)
        before = before or is_solid
    return solid


def _has_solid(part: Part, lines: Sequence[str]) -> bool:
    return any(_SOLID.search(line) for line in lines[part.lines[0] - 1 : part.lines[1]])


class _Draft(NamedTuple):
    """An item whose parts and stretches are found but not counted."""

    item: ContextItem
    sigil: str
    parts: Sequence[Part]
    terms: Places
    """Where the terms stand."""
    lengths: tuple[int, ...]
    """Terms in each part."""
    shapes: Sequence[Shape]
    runs: Sequence[tuple[int, Lines]]
    """Of each stretch: the number of its part, and its lines."""
    bodies: Sequence[str]
    """The text of each stretch."""
    fine: Mapping[int, str]
    """The terms of each stretch, by its number, where its part has several."""
    heads: Sequence[str]
    """The text of each head."""

    def marks(self) -> list[str]:
        """Return the mark line of each body, then of each head."""
        firsts = [run[0] for _, run in self.runs]
        firsts += [part.head[0] for part in self.parts if part.head != NO_LINES]
        return [f"{self.sigil}{first}\n" for first in firsts]


class _Counts(NamedTuple):
    """The tokens of a draft: of bodies and heads, of their mark lines, and of bodies that are joined."""

    pieces: Sequence[int]
    marks: Sequence[int]
    joined: Sequence[int]


def finish(item: ContextItem, parts: Sequence[Part], counter: Counter) -> Split:
    """Give the parts of an item with text their ids and counts, and the item its fence and sigil."""
    return finish_all([(item, parts)], counter)[0]


def finish_all(answers: Sequence[tuple[ContextItem, Sequence[Part]]], counter: Counter) -> list[Split]:
    """Do for all items what `finish` does: the tokenizer is asked twice, and each word is split once."""
    drafts = [_drafted(item, parts) for item, parts in answers]
    return list(map(_finished, drafts, _all_counted(drafts, counter)))


def _drafted(item: ContextItem, parts: Sequence[Part]) -> _Draft:
    from satchel.weighing.shapes import Run, shapes

    text = item.text or ""
    lines = lines_of(text)
    whole = _solid(covering(parts, len(lines)), lines)
    runs = [(at, run) for at, part in enumerate(whole) for run in cut(lines, part)]
    show = _Sheet(text, lines)
    bodies = [show(*run) for _, run in runs]
    fine = list(map(words_in, bodies))
    words = _by_part([at for at, _ in runs], fine, len(whole))
    terms = vocabulary().knowing(words)
    several = {at for (at, _), (after, _) in pairwise(runs) if at == after}
    held = [Run(part.lines, show(*part.lines), mine) for part, mine in zip(whole, words, strict=True)]
    places, lengths = placed(words, terms)
    return _Draft(
        item=item,
        sigil=_longer(_SIGIL_LINES.findall(text) if "@@" in text else (), "@@"),
        parts=whole,
        terms=Places(pack(places)),
        lengths=lengths,
        shapes=shapes(lines, held, item.path or item.title),
        runs=runs,
        bodies=bodies,
        fine={number: terms.joined(fine[number]) for number, (at, _) in enumerate(runs) if at in several},
        heads=[show(*part.head) for part in whole if part.head != NO_LINES],
    )


def _by_part(places: Sequence[int], words: Sequence[Sequence[str]], parts: int) -> list[list[str]]:
    """Return the words of each part, given the part that each run of words stands in."""
    found: list[list[str]] = [[] for _ in range(parts)]
    for at, mine in zip(places, words, strict=True):
        found[at] += mine
    return found


def _all_counted(drafts: Sequence[_Draft], counter: Counter) -> list[_Counts]:
    marks = [draft.marks() for draft in drafts]
    once = list(dict.fromkeys(chain.from_iterable(marks)))
    pieces = [text for draft in drafts for text in (*draft.bodies, *draft.heads)]
    counted = iter(counter.after_mark([*pieces, *once]))
    of_pieces = [list(islice(counted, len(mine))) for mine in marks]
    of_marks = dict(zip(once, counted, strict=True))
    joined = _all_joined(drafts, of_pieces, counter)
    return [
        _Counts(counts, [of_marks[mark] for mark in mine], after)
        for counts, mine, after in zip(of_pieces, marks, joined, strict=True)
    ]


def _all_joined(
    drafts: Sequence[_Draft], counts: Sequence[Sequence[int]], counter: Counter
) -> Iterator[list[int]]:
    """Yield for each draft what its bodies cost where each follows the one before it."""
    sizes = [len(draft.bodies) for draft in drafts]
    bodies = [body for draft in drafts for body in draft.bodies]
    after_mark = [count for mine, size in zip(counts, sizes, strict=True) for count in mine[:size]]
    joined = iter(counter.joined(bodies, after_mark, starts=set(accumulate(sizes, initial=0))))
    return (list(islice(joined, size)) for size in sizes)


def _finished(draft: _Draft, counts: _Counts) -> Split:
    text = draft.item.text or ""
    rows = zip(draft.runs, counts.pieces, counts.joined, counts.marks, strict=False)
    stretches = [Stretch(at, run, tokens, joined, mark) for (at, run), tokens, joined, mark in rows]
    return Split(
        parts=tuple(_counted(draft, summed(stretches), counts)),
        terms=draft.terms,
        lengths=draft.lengths,
        fence=_longer(_FENCES.findall(text) if "```" in text else (), "```"),
        sigil=draft.sigil,
        plain=_is_plain(text),
        stretches=Stretches(tuple(map(stretches.__getitem__, draft.fine)), tuple(draft.fine.values())),
    )


def _is_plain(text: str) -> bool:
    """Tell whether there is nothing of `NOT_XML` in a text, without looking at every place of it."""
    if text.isascii():
        data = text.encode("ascii")
        odd = len(data.translate(None, _CONTROLS)) < len(data)
    else:
        odd = re.search(_NO_DATA, text) is not None
    return not odd and "]]>" not in text and not ("<" in text and re.search(_ELEMENT, text))


def _counted(draft: _Draft, sums: Sequence[Stretch], counts: _Counts) -> Iterator[Part]:
    """Yield the parts with their ids and counts."""
    item, size = draft.item, len(draft.bodies)
    of_heads = map(add, counts.pieces[size:], counts.marks[size:])
    for part, count, shape in zip(draft.parts, sums, draft.shapes, strict=True):
        yield Part(
            part.kind,
            part.name,
            part.lines,
            part.head,
            part.span,
            part.symbols,
            part.refs[:_MAX_REFS],
            f"{item.content}:{part.lines[0]}-{part.lines[1]}",
            item.id,
            item.path,
            count.tokens,
            count.joined_tokens,
            next(of_heads) if part.head != NO_LINES else 0,
            count.mark_tokens,
            *shape,
        )


def _longer(found: Sequence[str], shortest: str) -> str:
    return shortest[0] * max(len(shortest), *(len(mark) + 1 for mark in found)) if found else shortest


def to_row(split: Split) -> tuple[str, bytes]:
    """Write a split for the index: its parts as JSON, and its terms."""
    rows = [part[:7] + part[10:] for part in split.parts]
    parts = {"parts": rows, "lengths": split.lengths, "look": [split.fence, split.sigil, split.plain]}
    terms = split.terms.packed if isinstance(split.terms, Places) else pack(split.terms)
    return json.dumps(parts, separators=(",", ":")), terms


def from_row(item: ContextItem, parts: str, terms: bytes) -> Split:
    """Read what `to_row` wrote, for an item that has the same content."""
    stored = json.loads(parts)
    fence, sigil, plain = stored["look"]
    made = tuple(_part(row, item) for row in stored["parts"])
    return Split(made, Places(terms), tuple(stored["lengths"]), fence, sigil, plain)


def _part(row: Sequence[object], item: ContextItem) -> Part:
    kind, name, lines, head, span, symbols, refs, *counts = row
    return Part(
        kind,  # type: ignore[arg-type]
        name,  # type: ignore[arg-type]
        tuple(lines),  # type: ignore[arg-type]
        tuple(head),  # type: ignore[arg-type]
        tuple(span),  # type: ignore[arg-type]
        tuple(Symbol(s[0], s[1], tuple(s[2]), tuple(s[3])) for s in symbols),  # type: ignore[attr-defined]
        tuple(refs),  # type: ignore[arg-type]
        f"{item.content}:{lines[0]}-{lines[1]}",  # type: ignore[index]
        item.id,
        item.path,
        *counts,  # type: ignore[arg-type]
    )
