"""Split context items into parts with exact counts, once per content."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from satchel.items import ContextItem
from satchel.parts import NO_LINES, Part, Split, Symbol
from satchel.tokens.counting import Counter
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
    for part in parts:
        if solid and not (_has_solid(solid[-1], lines) and _has_solid(part, lines)):
            kept = part if _has_solid(part, lines) else solid[-1]
            solid[-1] = kept._replace(lines=(solid[-1].lines[0], part.lines[1]))
        else:
            solid.append(part)
    return solid


def _has_solid(part: Part, lines: Sequence[str]) -> bool:
    return any(_SOLID.search(line) for line in lines[part.lines[0] - 1 : part.lines[1]])


def finish(item: ContextItem, parts: Sequence[Part], counter: Counter) -> Split:
    """Give the parts of an item with text their ids and counts, and the item its fence and sigil."""
    text = item.text or ""
    lines = lines_of(text)
    whole = _solid(covering(parts, len(lines)), lines)
    sigil = _longer(_SIGIL_LINES.findall(text), "@@")
    bodies = [piece(lines, *part.lines) for part in whole]
    heads = [piece(lines, *part.head) if part.head != NO_LINES else "" for part in whole]
    marks = [f"{sigil}{part.lines[0]}\n" for part in whole]
    head_marks = [f"{sigil}{part.head[0]}\n" if part.head[0] else "" for part in whole]
    tokens = counter.after_mark([*bodies, *heads, *marks, *head_marks])
    size = len(whole)
    body_tokens, head_tokens, mark_tokens, head_mark_tokens = (
        tokens[row * size : (row + 1) * size] for row in range(4)
    )
    joined = counter.joined(bodies, body_tokens)
    counted = tuple(
        part._replace(
            id=f"{item.content}:{part.lines[0]}-{part.lines[1]}",
            item=item.id,
            path=item.path,
            refs=part.refs[:_MAX_REFS],
            tokens=body_tokens[at],
            joined_tokens=joined[at],
            head_tokens=head_tokens[at] + head_mark_tokens[at] if part.head != NO_LINES else 0,
            mark_tokens=mark_tokens[at],
        )
        for at, part in enumerate(whole)
    )
    terms, lengths = _part_terms(bodies)
    fence = _longer(_FENCES.findall(text), "```")
    return Split(counted, terms, lengths, fence, sigil, NOT_XML.search(text) is None)


def _longer(found: Sequence[str], shortest: str) -> str:
    return shortest[0] * max(len(shortest), *(len(mark) + 1 for mark in found)) if found else shortest


def _part_terms(bodies: Sequence[str]) -> tuple[dict[str, list[int]], tuple[int, ...]]:
    counted = [count_words(body) for body in bodies]
    words = list({word for counts in counted for word in counts})
    terms_of = dict(zip(words, split_words(words), strict=True))
    terms: dict[str, list[int]] = {}
    lengths = []
    for at, counts in enumerate(counted):
        held: dict[str, int] = {}
        for word, count in counts.items():
            for term in terms_of[word]:
                held[term] = held.get(term, 0) + count
        lengths.append(sum(held.values()))
        for term, count in held.items():
            terms.setdefault(term, []).extend((at, count))
    return terms, tuple(lengths)


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
