"""Lay out a page, and write it as one file of HTML that loads nothing, runs nothing and keeps to a size."""

from __future__ import annotations

import base64
import hashlib
import html
import shlex
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from satchel.escaping import visible
from satchel.report.page import (
    ALARM_AT,
    SECTIONS,
    WARN_AT,
    Comparison,
    Lane,
    LeftOutRow,
    Page,
    PageEntry,
    PageTurn,
    Side,
)
from satchel.spelling import agree, format_count
from satchel.view.tables import clip_text

if TYPE_CHECKING:
    from jinja2 import Template

    from satchel.redaction.scanning import Scanners

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
    """Number of its entry, -1 for several small ones."""
    label: str
    """The part of its title that fits into it, "" if none fits."""


class BarSegment(NamedTuple):
    """A piece of the stacked bar."""

    x: float
    width: float
    section: str
    """`free` for the rest."""
    tokens: int
    label: str


class BarColumns(NamedTuple):
    """Stacked columns over turns: one path for each section."""

    paths: tuple[tuple[str, str], ...]
    """Section and the `d` of its path."""
    marks: tuple[tuple[float, str], ...]
    """Places of events, each with its kind."""
    cached: tuple[tuple[float, float], ...]
    """Points of the cached share; empty if unknown."""
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
    """Return the rectangle without a border, so that sections are separate."""
    return Rect(
        rect.x + _GAP / 2, rect.y + _GAP / 2, max(0.0, rect.width - _GAP), max(0.0, rect.height - _GAP)
    )


def _tile(rect: Rect, section: str, title: str, tokens: int, entry: int) -> Tile:
    letters = int((rect.width - 8) / _LETTER)
    label = clip_title(title, letters) if rect.height >= _LINE + 4 and letters >= 4 else ""
    return Tile(rect, section, title, tokens, entry, label)


def clip_title(title: str, letters: int) -> str:
    """Return a title of at most `letters` letters: for a path its end, for others the beginning."""
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
    """Return the segments of the stacked bar: the sections, then the free rest; they fill the width."""
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
    """Return the columns of the turns with the events between them, and the lanes of branches below."""
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


MOST_BYTES = 295_000
"""A page is never larger, however large the window is."""
_SMALLER = 0.75
_DEAR = 0.03
"""Share of a window from which an item is mentioned."""
_LEAST_TEXT = 160
"""Characters that a cut text keeps at least."""
_NAMES = {**SECTIONS, "free": "free"}
_PICTURE, _NARROW = (960.0, 420.0), (360.0, 440.0)
_TURNS = (960.0, 180.0)


class _PageRoom(NamedTuple):
    """How much of each kind a page may show."""

    texts: int
    """Bytes of all texts together, as they are in the file."""
    items: int
    tiles: int
    scores: int
    left_out: int
    folders: int
    turns: int
    changes: int

    def shrink(self) -> _PageRoom:
        """Return less of everything."""
        return _PageRoom(*(max(1, int(number * _SMALLER)) for number in self))


_ROOM = _PageRoom(
    texts=150_000, items=160, tiles=90, scores=5, left_out=150, folders=100, turns=100, changes=40
)


def render_page(page: Page, scanners: Scanners) -> str:
    """Return the page as HTML of at most `MOST_BYTES`; secrets are removed, hidden characters shown.

    Args:
        page: the page.
        scanners: find secrets besides satchel's own rules.
    """
    clean = _clean(page, scanners)
    room = _ROOM
    while True:
        text = _template().render(_context(clean, room))
        if len(text.encode("utf-8", "replace")) <= MOST_BYTES or room.items == 1:
            return text
        room = room.shrink()


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(clip=clip_text, quoted=shlex.quote, moment=_format_time)
    environment.globals.update(names=_NAMES)
    return environment.from_string(_read_asset("page.html"))


@cache
def _read_asset(name: str) -> str:
    return resources.files("satchel.report").joinpath("templates", name).read_text(encoding="utf-8")


def policy_of(css: str) -> str:
    """Return the Content-Security-Policy of a page: its own style by its hash, and nothing else."""
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


@cache
def _css() -> str:
    """Return the style with a rule for each section that hides the items of all others."""
    rules = [
        f":root:has(#show-{name}:checked) .items > li:not(.i-{name}) {{ display: none; }}\n"
        for name in SECTIONS
    ]
    return f"\n{_read_asset('page.css')}{''.join(rules)}"


def _context(page: Page, room: _PageRoom) -> dict[str, Any]:
    from markupsafe import Markup

    from satchel import __version__

    css = _css()
    listed, folded = number_entries(page.entries, room.items)
    texts = _cut_texts([page.entries[at].text for at in listed], room.texts)
    items = [
        (at, page.entries[at], text, _describe_rest(page.entries[at], cut))
        for at, (text, cut) in zip(listed, texts, strict=True)
    ]
    total = max(page.window, page.used)
    columns = layout_turns(page, *_TURNS, most=room.turns)
    return {
        "page": page,
        "version": __version__,
        "css": Markup(css),  # noqa: S704 (satchel's own file, with nothing from outside)
        "policy": policy_of(css),
        "verdict": _verdict(page),
        "warning": _warning(page),
        "segments": layout_bar(page, 960),
        "narrow_segments": layout_bar(page, 340),
        "bar_label": _label_bar(page),
        "rows": _section_rows(page, total),
        "total": total,
        "share": lambda tokens: f"{tokens / (total or 1):.1%}",
        "tiles": layout_treemap(page, *_PICTURE, most=room.tiles),
        "narrow_tiles": layout_treemap(page, *_NARROW, most=min(24, room.tiles)),
        "listed": set(listed),
        "items": items,
        "folded": folded,
        "most_scores": room.scores,
        **_left_out_context(page, room),
        "columns": columns,
        "picture_height": int(columns.height) + 10 + 20 * (len(page.lanes) + (1 if page.lanes else 0)),
        "time_label": _label_time(page),
        "turns": bucket_turns(page.turns, room.turns),
        "moments": page.moments[-room.turns :],
        **_comparison_context(page.comparison, room),
        "parts": _list_parts(page),
    }


class _SectionRow(NamedTuple):
    """A row of the table of sections."""

    section: str
    items: int
    tokens: int
    share: str


def _section_rows(page: Page, total: int) -> list[_SectionRow]:
    counts = {name: sum(entry.section == name for entry in page.entries) for name in page.sections}
    rows = [
        _SectionRow(name, counts[name], tokens, f"{tokens / (total or 1):.1%}")
        for name, tokens in page.sections.items()
    ]
    if page.free > 0:
        rows.append(_SectionRow("free", 0, page.free, f"{page.free / (total or 1):.1%}"))
    return rows


def _list_parts(page: Page) -> list[tuple[str, str]]:
    parts = [
        ("window", "The window", True),
        ("advice", "What you can do", bool(page.advice)),
        ("map", "Map", True),
        ("items", "Items", True),
        ("left-out", "Left out", bool(page.left_out or page.folders)),
        ("time", "Over time", bool(page.turns)),
        ("compaction", "Before and after", page.comparison is not None),
        ("problems", "Problems", bool(page.problems)),
    ]
    return [(id_, heading) for id_, heading, is_there in parts if is_there]


def _verdict(page: Page) -> str:
    shares = sorted(page.sections.items(), key=lambda one: -one[1])[:3]
    whole = page.used or 1
    most = ", ".join(
        f"{SECTIONS[name]} {tokens / whole:.0%}" for name, tokens in shares if tokens >= whole / 100
    )
    dearest = _list_dearest(page, whole)
    if page.window_name == "all of it":
        items = "1 item" if len(page.entries) == 1 else f"{len(page.entries):,} items"
        return f"{page.used:,} tokens in {items}. Most of it: {most}.{dearest}"
    free = f"{page.free:,} are free" if page.free >= 0 else f"{-page.free:,} too many"
    return (
        f"{page.used:,} of {page.window:,} tokens are used ({page.used / (page.window or 1):.0%}), {free}."
        f" Most of it: {most}.{dearest}"
    )


def _list_dearest(page: Page, whole: int) -> str:
    """Return the three dearest things as a sentence, a file with all its copies; "" if none is notable."""
    found: dict[tuple[str, str], list[int]] = {}
    for entry in page.entries:
        found.setdefault((entry.section, entry.title), []).append(entry.tokens)
    named = [
        f"{clip_title(title, 40)} ({f'{len(each)} times, ' if len(each) > 1 else ''}{sum(each) / whole:.0%})"
        for (_, title), each in sorted(found.items(), key=lambda one: -sum(one[1]))[:3]
        if sum(each) >= whole * _DEAR
    ]
    return f" The dearest: {', '.join(named)}." if named else ""


def _warning(page: Page) -> tuple[str, str] | None:
    """Return the class and the text of a warning if a window is nearly full; a pack is meant to be."""
    if page.kind == "pack" or page.window_name == "all of it":
        return None
    share = page.used / (page.window or 1)
    if share >= ALARM_AT:
        return "alarm", f"The window is {share:.0%} full: compact it now, or the next answer may not fit."
    if share >= WARN_AT:
        return "warn", f"The window is {share:.0%} full: it will have to be compacted soon."
    return None


def _label_bar(page: Page) -> str:
    pieces = [f"{SECTIONS[name]} {tokens:,}" for name, tokens in page.sections.items()]
    pieces += [f"free {page.free:,}"] if page.free > 0 else []
    return f"stacked bar of the window: {', '.join(pieces)} tokens"


def _label_time(page: Page) -> str:
    if not page.turns:
        return ""
    first, last = page.turns[0], page.turns[-1]
    return (
        f"tokens over {len(page.turns):,} turns, from {first.tokens:,} to {last.tokens:,};"
        f" {format_count(len(page.moments), 'mark')}; the same as a table below"
    )


def _left_out_context(page: Page, room: _PageRoom) -> dict[str, Any]:
    groups: dict[str, list[LeftOutRow]] = {}
    for one in page.left_out:
        groups.setdefault(one.reason or "no reason given", []).append(one)
    left = room.left_out
    reasons = []
    for reason, ones in sorted(groups.items(), key=lambda group: -len(group[1])):
        shown = ones[: max(3, left)]
        left = max(0, left - len(shown))
        reasons.append((reason, shown, len(ones), sum(one.tokens for one in ones)))
    counted = sum(one.number for one in page.folders)
    more = f", {counted:,} more {agree(counted, 'was', 'were')} not weighed" if counted else ""
    return {
        "reasons": reasons[: room.left_out],
        "folders": page.folders[: room.folders],
        "folder_count": counted,
        "left_out": f"{len(page.left_out):,} are listed with their reasons{more}.",
    }


def _comparison_context(compared: Comparison | None, room: _PageRoom) -> dict[str, Any]:
    if compared is None:
        return {"sides": [], "changes": [], "compared": "", "more_changes": 0}
    changes = sorted(compared.changes, key=lambda change: change.after - change.before)[: room.changes]
    texts = _cut_texts(
        [text for change in changes for text in (change.text_before, change.text_after)], room.texts // 3
    )
    saved = compared.before.tokens - compared.after.tokens
    return {
        "sides": [(side, layout_bar(_page_of(side), 460)) for side in (compared.before, compared.after)],
        "changes": [
            (change, _with_rest(texts[2 * at]), _with_rest(texts[2 * at + 1]))
            for at, change in enumerate(changes)
        ],
        "more_changes": len(compared.changes) - len(changes),
        "compared": (
            f"{compared.before.tokens:,} tokens became {compared.after.tokens:,}: {saved:,} less"
            f" ({saved / (compared.before.tokens or 1):.0%}), {len(compared.changes):,} items changed."
        ),
    }


def _page_of(side: Side) -> Page:
    entries = tuple(PageEntry("", section, tokens) for section, tokens in side.sections.items())
    return Page("conversation", side.title, entries=entries).within(0)


def _cut_texts(texts: Sequence[str], room: int) -> list[tuple[str, int]]:
    """Return texts that together take at most about `room` bytes as HTML, each with the size of its cut part.

    All have the same limit, so that the small ones are whole.
    """
    sizes = [len(html.escape(text).encode("utf-8", "replace")) for text in texts]
    limit = _limit_for(sizes, room)
    return [_cut(text, size, limit) for text, size in zip(texts, sizes, strict=True)]


def _limit_for(sizes: Iterable[int], room: int) -> int:
    """Return the most bytes of one text, so that all together take `room`."""
    ordered = sorted(sizes)
    left = room
    for at, size in enumerate(ordered):
        fair = left // (len(ordered) - at)
        if size > fair:
            return max(_LEAST_TEXT, fair)
        left -= size
    return ordered[-1] if ordered else 0


def _cut(text: str, size: int, limit: int) -> tuple[str, int]:
    if size <= limit:
        return text, 0
    kept = text[: max(1, len(text) * limit // size)]
    line = kept.rfind("\n")
    kept = kept[:line] if line > len(kept) // 2 else kept
    return kept, len(text) - len(kept)


def _describe_rest(entry: PageEntry, cut: int) -> str:
    if not cut:
        return ""
    where = f": satchel expand {shlex.quote(entry.pointer)}" if entry.pointer else ""
    return f"Cut here to keep the page small; {cut:,} characters more{where}"


def _with_rest(cut: tuple[str, int]) -> str:
    text, more = cut
    return f"{text}\n… {more:,} characters more" if more else text


def _format_time(at: float) -> str:
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(at)) if at > 0 else ""
    except (OverflowError, OSError, ValueError):
        return ""


def _clean(page: Page, scanners: Scanners) -> Page:
    """Return the page without secrets and with hidden characters made visible, in every text of it."""
    from satchel.compaction.cleaning import clean_document

    found: dict[str, None] = {}
    _map_texts(page, lambda text: found.setdefault(text, None) or text)
    cleaned = clean_document({"texts": list(found)}, scanners)["texts"]
    known = {text: visible(clean) for text, clean in zip(found, cleaned, strict=True)}
    changed: Page = _map_texts(page, known.__getitem__)
    return changed


def _map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return a value with each text in it changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, tuple):
        parts = [_map_texts(one, change) for one in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if attrs.has(type(value)):
        fields = {
            field.name: _map_texts(getattr(value, field.name), change) for field in attrs.fields(type(value))
        }
        return type(value)(**fields)
    return value
