"""Split context items into parts with exact counts, once per content."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from satchel.items import ContextItem
from satchel.parts import NO_LINES, Part, Split, Stretch, Symbol
from satchel.tokens.counting import Counter
from satchel.weighing.stretches import cut, of_long_parts, summed, terms_of_parts
from satchel.workspace.terms import count_words, split_words

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


def finish(item: ContextItem, parts: Sequence[Part], counter: Counter) -> Split:
    """Give the parts of an item with text their ids and counts, and the item its fence and sigil."""
    text = item.text or ""
    lines = lines_of(text)
    whole = _solid(covering(parts, len(lines)), lines)
    sigil = _longer(_SIGIL_LINES.findall(text), "@@")
    runs = [(at, run) for at, part in enumerate(whole) for run in cut(lines, part)]
    bodies = [piece(lines, *run) for _, run in runs]
    tokens = counter.after_mark([*bodies, *(f"{sigil}{run[0]}\n" for _, run in runs)])
    joined = counter.joined(bodies, tokens[: len(runs)])
    stretches = [
        Stretch(at, run, tokens[place], joined[place], tokens[len(runs) + place])
        for place, (at, run) in enumerate(runs)
    ]
    counts = summed(stretches)
    heads = _head_tokens(whole, lines, sigil, counter)
    counted = [
        part._replace(
            id=f"{item.content}:{part.lines[0]}-{part.lines[1]}",
            item=item.id,
            path=item.path,
            refs=part.refs[:_MAX_REFS],
            tokens=counts[at].tokens,
            joined_tokens=counts[at].joined_tokens,
            head_tokens=heads.get(at, 0),
            mark_tokens=counts[at].mark_tokens,
        )
        for at, part in enumerate(whole)
    ]
    held = _held_terms(bodies)
    terms, lengths = terms_of_parts(held, stretches)
    fence = _longer(_FENCES.findall(text), "```")
    return Split(
        parts=tuple(counted),
        terms=terms,
        lengths=lengths,
        fence=fence,
        sigil=sigil,
        plain=NOT_XML.search(text) is None,
        stretches=of_long_parts(held, stretches),
    )


def _head_tokens(parts: Sequence[Part], lines: Sequence[str], sigil: str, counter: Counter) -> dict[int, int]:
    """Count the head of each part that has one, and its mark line."""
    places = [at for at, part in enumerate(parts) if part.head != NO_LINES]
    heads = [piece(lines, *parts[at].head) for at in places]
    tokens = counter.after_mark([*heads, *(f"{sigil}{parts[at].head[0]}\n" for at in places)])
    return {at: tokens[row] + tokens[len(places) + row] for row, at in enumerate(places)}


def _longer(found: Sequence[str], shortest: str) -> str:
    return shortest[0] * max(len(shortest), *(len(mark) + 1 for mark in found)) if found else shortest


def _held_terms(bodies: Sequence[str]) -> list[dict[str, int]]:
    """Count the folded terms of each text; all words are split at once."""
    counted = [count_words(body) for body in bodies]
    words = list({word for counts in counted for word in counts})
    terms_of = dict(zip(words, split_words(words), strict=True))
    all_held = []
    for counts in counted:
        held: dict[str, int] = {}
        for word, count in counts.items():
            for term in terms_of[word]:
                held[term] = held.get(term, 0) + count
        all_held.append(held)
    return all_held


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
