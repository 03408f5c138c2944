"""Split context items into parts with exact counts, once per content."""

from __future__ import annotations

import json
import re
from collections import Counter as Tally
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, chain, groupby, islice
from typing import NamedTuple

from satchel.items import ContextItem
from satchel.parts import NO_LINES, Lines, Part, Split, Stretch, Stretches, Symbol
from satchel.tokens.counting import Counter
from satchel.weighing.stretches import cut, summed
from satchel.workspace.holding import places_of, terms_in

_SIGIL_LINES = re.compile(r"^(@@+)\d", re.MULTILINE)
_FENCES = re.compile(r"`{3,}")
NOT_XML = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|]]>|<(?=/?(?:item|pointer|context)[\\s/>]|!\\[cdata\\[)",
    re.IGNORECASE,
)
"""What character data may not hold, and what a reader could take for our own elements."""
_SOLID = re.compile(r"[^\s/]")
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
        covered.append(part._replace(lines=(first, last), head=_inside(part.head, first, last)))
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
    lines: Sequence[str]
    parts: Sequence[Part]
    sigil: str
    runs: Sequence[tuple[int, Lines]]
    """Of each stretch: the number of its part, and its lines."""
    bodies: Sequence[str]
    """The text of each stretch."""
    heads: Sequence[int]
    """Numbers of the parts that have a head."""

    def asked(self) -> list[str]:
        """Return the pieces to count, in the order in which `_counted` reads the answer."""
        marks = [f"{self.sigil}{run[0]}\n" for _, run in self.runs]
        heads = [self.parts[at].head for at in self.heads]
        shown = [piece(self.lines, *head) for head in heads]
        return [*self.bodies, *marks, *shown, *(f"{self.sigil}{head[0]}\n" for head in heads)]


def finish(item: ContextItem, parts: Sequence[Part], counter: Counter) -> Split:
    """Give the parts of an item with text their ids and counts, and the item its fence and sigil."""
    return finish_all([(item, parts)], counter)[0]


def finish_all(answers: Sequence[tuple[ContextItem, Sequence[Part]]], counter: Counter) -> list[Split]:
    """Do for all items what `finish` does: the tokenizer is asked twice, and each word is split once."""
    drafts = [_drafted(item, parts) for item, parts in answers]
    asked = [draft.asked() for draft in drafts]
    tokens = iter(counter.after_mark(list(chain.from_iterable(asked))))
    counted = [list(islice(tokens, len(pieces))) for pieces in asked]
    bodies = [body for draft in drafts for body in draft.bodies]
    after = [
        count for draft, counts in zip(drafts, counted, strict=True) for count in counts[: len(draft.bodies)]
    ]
    starts = accumulate((len(draft.bodies) for draft in drafts), initial=0)
    joined = iter(counter.joined(bodies, after, starts=set(starts)))
    held = iter(terms_in(bodies))
    return [
        _finished(draft, counts, list(islice(joined, count)), held=list(islice(held, count)))
        for draft, counts in zip(drafts, counted, strict=True)
        for count in (len(draft.bodies),)
    ]


def _drafted(item: ContextItem, parts: Sequence[Part]) -> _Draft:
    text = item.text or ""
    lines = lines_of(text)
    whole = _solid(covering(parts, len(lines)), lines)
    runs = [(at, run) for at, part in enumerate(whole) for run in cut(lines, part)]
    return _Draft(
        item=item,
        lines=lines,
        parts=whole,
        sigil=_longer(_SIGIL_LINES.findall(text), "@@"),
        runs=runs,
        bodies=[piece(lines, *run) for _, run in runs],
        heads=[at for at, part in enumerate(whole) if part.head != NO_LINES],
    )


def _finished(
    draft: _Draft, tokens: Sequence[int], joined: Sequence[int], *, held: Sequence[list[str]]
) -> Split:
    text, count = draft.item.text or "", len(draft.runs)
    stretches = [
        Stretch(at, run, tokens[place], joined[place], tokens[count + place])
        for place, (at, run) in enumerate(draft.runs)
    ]
    heads, marks = tokens[2 * count :], tokens[2 * count + len(draft.heads) :]
    head_tokens = {at: heads[place] + marks[place] for place, at in enumerate(draft.heads)}
    of_parts, terms_of_stretches = _by_part(stretches, held)
    return Split(
        parts=tuple(_counted(draft, summed(stretches), head_tokens)),
        terms=places_of(of_parts),
        lengths=tuple(sum(counts.values()) for counts in of_parts),
        fence=_longer(_FENCES.findall(text), "```"),
        sigil=draft.sigil,
        plain=NOT_XML.search(text) is None,
        stretches=terms_of_stretches,
    )


def _counted(draft: _Draft, sums: Sequence[Stretch], head_tokens: Mapping[int, int]) -> Iterator[Part]:
    """Yield the parts with their ids and counts."""
    from satchel.weighing.shapes import shapes

    item = draft.item
    made_of = shapes(draft.lines, [part.lines for part in draft.parts], item.path or item.title)
    for at, (part, count, shape) in enumerate(zip(draft.parts, sums, made_of, strict=True)):
        yield part._replace(
            id=f"{item.content}:{part.lines[0]}-{part.lines[1]}",
            item=item.id,
            path=item.path,
            refs=part.refs[:_MAX_REFS],
            tokens=count.tokens,
            joined_tokens=count.joined_tokens,
            head_tokens=head_tokens.get(at, 0),
            mark_tokens=count.mark_tokens,
            branches=shape.branches,
            comments=shape.comments,
        )


def _by_part(stretches: Sequence[Stretch], held: Sequence[list[str]]) -> tuple[list[Tally[str]], Stretches]:
    """Count the terms of each part, given those of each stretch, and of the stretches of long parts."""
    of_parts: list[Tally[str]] = []
    rows: list[Stretch] = []
    of_rows: list[Tally[str]] = []
    for _, same in groupby(zip(stretches, held, strict=True), key=lambda pair: pair[0].part):
        pairs = list(same)
        of_parts.append(Tally(chain.from_iterable(terms for _, terms in pairs)))
        if len(pairs) > 1:
            rows += [stretch for stretch, _ in pairs]
            of_rows += [Tally(terms) for _, terms in pairs]
    return of_parts, Stretches(tuple(rows), places_of(of_rows))


def _longer(found: Sequence[str], shortest: str) -> str:
    return shortest[0] * max(len(shortest), *(len(mark) + 1 for mark in found)) if found else shortest


def to_json(split: Split) -> tuple[str, str]:
    """Write a split as two JSON texts: parts, and terms."""
    rows = [list(part[:7]) + list(part[10:]) for part in split.parts]
    parts = {"parts": rows, "lengths": split.lengths, "look": [split.fence, split.sigil, split.plain]}
    return (json.dumps(parts, separators=(",", ":")), json.dumps(split.terms, separators=(",", ":")))


def from_json(item: ContextItem, parts: str, terms: str) -> Split:
    """Read what `to_json` wrote, for an item that has the same content."""
    stored = json.loads(parts)
    fence, sigil, plain = stored["look"]
    made = tuple(_part(row, item) for row in stored["parts"])
    return Split(made, json.loads(terms), tuple(stored["lengths"]), fence, sigil, plain)


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
