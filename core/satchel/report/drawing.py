"""Lay out tiles and bars: a treemap, stacked columns, lanes; numbers only, no markup."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from satchel.report.page import SECTIONS, Lane, Page, PageEntry, PageTurn
from satchel.view.tables import clip_text

_GAP = 2.0
_LETTER = 7.2
"""Width of a letter at 12 units."""
_LINE = 16.0


class Rect(NamedTuple):
    """A rectangle in the units of its picture."""

    x: float
    y: float
    width: float
    height: float


class Tile(NamedTuple):
    """A tile of a treemap."""

    rect: Rect
    section: str
    title: str
    tokens: int
    entry: int
    """Number of the entry that it stands for, -1 for several small ones."""
    label: str
    """The part of its title that fits into it, "" where nothing does."""


class BarSegment(NamedTuple):
    """A piece of the stacked bar."""

    x: float
    width: float
    section: str
    """`free` for what is left."""
    tokens: int
    label: str


class BarColumns(NamedTuple):
    """Stacked columns over turns: one path for each section."""

    paths: tuple[tuple[str, str], ...]
    """Section and the `d` of its path."""
    marks: tuple[tuple[float, str], ...]
    """Where something happened, each place with its kind."""
    cached: tuple[tuple[float, float], ...]
    """Points of the cached share; none where it is not known."""
    lanes: tuple[tuple[float, float, float, Lane], ...]
    """From, to, height and branch."""
    width: float
    height: float
    largest: int
    in_each: int = 1
    """Most turns that share a column."""


def layout_treemap(page: Page, width: float, height: float, most: int) -> list[Tile]:
    """Return the tiles of all entries, sections together; beyond `most`, small ones share a tile."""
    groups = _group(page, most)
    whole = sorted(
        [(name, sum(tokens for _, _, tokens in rows)) for name, rows in groups], key=lambda one: -one[1]
    )
    rows_of = dict(groups)
    tiles: list[Tile] = []
    for (name, _), rect in zip(
        whole, _squarify([size for _, size in whole], Rect(0, 0, width, height)), strict=True
    ):
        rows = sorted(rows_of[name], key=lambda row: -row[2])
        for (entry, title, size), inner in zip(
            rows, _squarify([size for _, _, size in rows], _shrink(rect)), strict=True
        ):
            tiles.append(_tile(inner, name, title, size, entry))
    return tiles


def _group(page: Page, most: int) -> list[tuple[str, list[tuple[int, str, int]]]]:
    """Return the entries of each section as number, title and tokens; small ones as one."""
    order = sorted(range(len(page.entries)), key=lambda at: (-page.entries[at].tokens, at))
    single = set(order[:most])
    groups: dict[str, list[tuple[int, str, int]]] = {}
    rests: dict[str, list[int]] = {}
    for at in order:
        entry = page.entries[at]
        if not entry.tokens:
            continue
        if at in single:
            groups.setdefault(entry.section, []).append((at, entry.title, entry.tokens))
        else:
            rests.setdefault(entry.section, []).append(entry.tokens)
    for section, tokens in rests.items():
        groups.setdefault(section, []).append((-1, f"{len(tokens):,} smaller", sum(tokens)))
    return list(groups.items())


def _squarify(sizes: Sequence[int], rect: Rect) -> list[Rect]:
    """Return a rectangle for each size; the sizes descend, and the rectangles fill the given one."""
    import squarify

    if not sizes or rect.width <= 0 or rect.height <= 0:
        return [Rect(rect.x, rect.y, 0, 0) for _ in sizes]
    areas = squarify.normalize_sizes(list(sizes), rect.width, rect.height)
    places = squarify.squarify(areas, rect.x, rect.y, rect.width, rect.height)
    return [Rect(one["x"], one["y"], one["dx"], one["dy"]) for one in places]


def _shrink(rect: Rect) -> Rect:
    """Return the rectangle without a border, so that sections stand apart."""
    return Rect(
        rect.x + _GAP / 2, rect.y + _GAP / 2, max(0.0, rect.width - _GAP), max(0.0, rect.height - _GAP)
    )


def _tile(rect: Rect, section: str, title: str, tokens: int, entry: int) -> Tile:
    letters = int((rect.width - 8) / _LETTER)
    label = clip_title(title, letters) if rect.height >= _LINE + 4 and letters >= 4 else ""
    return Tile(rect, section, title, tokens, entry, label)


def clip_title(title: str, letters: int) -> str:
    """Return a title of at most `letters` letters: of a path its end, of anything else its beginning."""
    flat = " ".join(title.split())
    if len(flat) <= letters:
        return flat
    if letters < 2:
        return ""
    words = flat.removeprefix("call: ").split(" ")
    if "/" in words[-1] and len(words) <= 2:
        flat = " ".join([*words[:-1], words[-1].rstrip("/").rpartition("/")[2]])
    return clip_text(flat, letters)


def layout_bar(page: Page, width: float) -> list[BarSegment]:
    """Return the segments of the stacked bar: the sections, then what is free; they fill the width."""
    pieces = [*page.sections.items(), *([("free", page.free)] if page.free > 0 else [])]
    whole = sum(tokens for _, tokens in pieces) or 1
    segments, done = [], 0
    for section, tokens in pieces:
        x, end = width * done / whole, width * (done + tokens) / whole
        name = section if section == "free" else SECTIONS[section]
        share = f"{tokens / whole:.0%}"
        label = next((text for text in (f"{name} {share}", share) if len(text) * _LETTER + 8 < end - x), "")
        segments.append(BarSegment(x, end - x, section, tokens, label))
        done += tokens
    return segments


def bucket_turns(turns: Sequence[PageTurn], most: int) -> list[PageTurn]:
    """Return at most `most` turns, the last of each run of them."""
    if len(turns) <= most:
        return list(turns)
    ends = sorted({(at + 1) * len(turns) // most - 1 for at in range(most)})
    return [turns[at] for at in ends]


def layout_turns(page: Page, width: float, height: float, most: int = 100) -> BarColumns:
    """Return the columns of the turns with what happened between them, and the lanes of branches below."""
    turns = bucket_turns(page.turns, most)
    last = max(1, page.turns[-1].number) if page.turns else 1
    largest = max([turn.tokens for turn in turns], default=0) or 1
    step = width / max(1, len(turns))
    centres = {turn.number: (at + 0.5) * step for at, turn in enumerate(turns)}
    return BarColumns(
        paths=tuple(_column_paths(turns, step, height / largest, height)),
        marks=tuple(
            (max(1.0, min(width - 1, width * moment.turn / last)), moment.kind) for moment in page.moments
        ),
        cached=tuple(
            [(centres[turn.number], height * (1 - turn.cached)) for turn in turns if turn.cached is not None]
        ),
        lanes=tuple(
            (width * lane.first / last, width * lane.last / last, height + 22 + 20 * at, lane)
            for at, lane in enumerate(page.lanes)
        ),
        width=width,
        height=height,
        largest=largest,
        in_each=-(-len(page.turns) // max(1, len(turns))),
    )


def _column_paths(
    turns: Sequence[PageTurn], step: float, scale: float, height: float
) -> list[tuple[str, str]]:
    bar = max(0.5, step - min(3.0, step * 0.2))
    paths: dict[str, list[str]] = {}
    for at, turn in enumerate(turns):
        base = height
        for section in SECTIONS:
            size = turn.sections.get(section, 0) * scale
            if size:
                base -= size
                paths.setdefault(section, []).append(
                    f"M{at * step:.1f} {base:.1f}h{bar:.1f}v{size:.1f}h-{bar:.1f}z"
                )
    return [(section, "".join(pieces)) for section, pieces in paths.items()]


def number_entries(entries: Sequence[PageEntry], most: int) -> tuple[list[int], list[tuple[str, int, int]]]:
    """Return the entries to list one by one, largest first; the others as section, count, tokens."""
    order = sorted(range(len(entries)), key=lambda at: (-entries[at].tokens, at))
    rest: dict[str, tuple[int, int]] = {}
    for at in order[most:]:
        count, tokens = rest.get(entries[at].section, (0, 0))
        rest[entries[at].section] = (count + 1, tokens + entries[at].tokens)
    return order[:most], [(section, *rest[section]) for section in SECTIONS if section in rest]
