"""Draw a window on a terminal with rich, or as plain text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO

from rich.cells import cell_len, set_cell_size
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from satchel.escaping import visible
from satchel.patterns import lazily
from satchel.showing.advice import Advice, say_nothing, shorten_path
from satchel.showing.anatomy import Anatomy, WindowPiece, WindowTurn
from satchel.showing.costs import ModelMemory, Price
from satchel.sizing.devices import format_bytes
from satchel.spelling import format_count

_COLORS = ("blue", "cyan", "green", "yellow", "magenta", "red", "bright_blue", "white")
_FILLS = "█▓▒░▞▚▤▦"
_ROWS, _BARS = 10, 60
_WIDE, _WIDEST = 60, 120
"""Columns from which a table has one more column, and beyond which it does not grow."""
_LONGEST_WHY = 40
_ENDS_WITH_PATH = lazily(r"((?:\S+ ){0,2})(\S*/\S+)((?: \(\d+ times\))?)")
_LEVELS = "▁▂▃▄▅▆▇█"


def draw(
    anatomy: Anatomy,
    advice: Sequence[Advice],
    *,
    price: Price | None,
    file: IO[str],
    width: int | None = None,
    memory: ModelMemory | None = None,
) -> None:
    """Write a window's bar, sections, largest parts, history, price and recommendations to a stream.

    Args:
        anatomy: the window.
        advice: warnings and recommendations.
        price: of the model, None if unknown.
        file: where to; colours only where it is a terminal and NO_COLOR is not set.
        width: columns, by default those of the terminal.
        memory: of a local model, None for others.
    """
    console = Console(file=file, width=width, highlight=False, markup=False, emoji=False)
    columns = max(20, console.width)
    parts: list[RenderableType] = [_headline(anatomy), _bar(anatomy, columns), _sections(anatomy, columns)]
    if anatomy.pieces:
        parts += [Text(), Text("largest", style="bold"), _dearest(anatomy, columns)]
    if anatomy.turns:
        parts += [
            Text(),
            Text("history", style="bold"),
            *_history(anatomy.turns, anatomy.total, columns),
            _ages(anatomy),
        ]
    if memory is not None:
        parts += [Text(), Text("memory", style="bold"), *_memory(memory, anatomy, columns)]
    if price is not None:
        parts += [Text(), _price(anatomy, price)]
    parts += [Text(), Text("what to do", style="bold"), *_advice(advice or [say_nothing(anatomy)])]
    with console.capture() as drawn:
        console.print(Group(*parts), crop=False)
    file.write("".join(f"{line.rstrip(' ')}\n" for line in drawn.get().splitlines()))


def _plain(text: str) -> str:
    return visible(" ".join(text.split()))


def _headline(anatomy: Anatomy) -> Text:
    about = "about " if anatomy.is_estimated else ""
    text = Text(f"{_plain(anatomy.source)}: {about}{anatomy.total:,} tokens", style="bold")
    if anatomy.window:
        share = anatomy.total / anatomy.window
        free = max(0, anatomy.window - anatomy.total)
        style = "red" if share >= 0.95 else "yellow" if share >= 0.85 else "green"
        text.append(f" of {anatomy.window:,}, {share:.0%}, {free:,} free", style=style)
        if anatomy.is_window_guessed:
            option = "--window" if anatomy.model else "--model or --window"
            text.append(f"; the window is a guess; set it with {option}", style="dim")
    if anatomy.model:
        text.append(f" ({_plain(anatomy.model)})", style="dim")
    return text


def _bar(anatomy: Anatomy, width: int) -> Text:
    """Return one line as long as the window, each section with its share of it."""
    return _draw_bar(list(anatomy.sections.values()), max(anatomy.window, anatomy.total, 1), width)


def _draw_bar(sizes: Sequence[int], whole: int, width: int) -> Text:
    """Return one line as long as a whole, each part with its share of it."""
    text, drawn, sums = Text(), 0, 0
    for at, size in enumerate(sizes):
        sums += size
        until = round(width * sums / whole)
        text.append(_FILLS[at % len(_FILLS)] * max(0, until - drawn), style=_COLORS[at % len(_COLORS)])
        drawn = max(drawn, until)
    text.append("·" * (width - drawn), style="dim")
    return text


def _sections(anatomy: Anatomy, width: int) -> Table:
    table = _table(width)
    table.add_column()
    table.add_column(justify="right", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    for at, (name, tokens) in enumerate(anatomy.sections.items()):
        label = Text(f"{_FILLS[at % len(_FILLS)]} {_plain(name)}", style=_COLORS[at % len(_COLORS)])
        table.add_row(label, f"{tokens:,}", f"{tokens / max(anatomy.total, 1):.0%}")
    return table


def _table(width: int) -> Table:
    return Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0), width=min(width, _WIDEST))


def _dearest(anatomy: Anatomy, width: int) -> Table:
    table = _table(width)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True, ratio=1)
    wide = width >= _WIDE
    if wide:
        table.add_column(no_wrap=True)
    rows = _gather(anatomy)[:_ROWS]
    figures = max(len(f"{tokens:,}") for tokens, _, _ in rows)
    beside = figures + 8 + (max(len(why) for _, _, why in rows) + 2) * wide
    room = max(10, min(width, _WIDEST) - beside)
    for tokens, what, why in rows:
        share = f"{tokens / max(anatomy.total, 1):.0%}"
        reason = [Text(why, style="dim")] if wide else []
        table.add_row(f"{tokens:,}", share, Text(_fit(what, room)), *reason)
    return table


def _gather(anatomy: Anatomy) -> list[tuple[int, str, str]]:
    """Return the tokens, the name and the reason of the largest parts, the dearest first.

    A file and all its copies, a command and all its outputs, are one row.
    """
    found: dict[tuple[str, str], list[WindowPiece]] = {}
    for piece in anatomy.dearest:
        found.setdefault((piece.section, piece.path or piece.what), []).append(piece)
    rows = []
    for first, *more in found.values():
        times = f" ({len(more) + 1} times)" if more else ""
        why = " ".join(part for part in (first.level or first.section, first.reason) if part)
        tokens = first.tokens + sum(piece.tokens for piece in more)
        rows.append((tokens, f"{_plain(first.what)}{times}", _plain(why)[:_LONGEST_WHY]))
    return sorted(rows, key=lambda row: -row[0])


def _fit(what: str, room: int) -> str:
    """Return words that fit into `room` columns; a path keeps its end, which identifies it."""
    if cell_len(what) <= room:
        return what
    found = _ENDS_WITH_PATH.fullmatch(what)
    if found and cell_len(found[1]) + cell_len(found[3]) <= room - 8:
        path = shorten_path(found[2], room - cell_len(found[1]) - cell_len(found[3]))
        return f"{found[1]}{path}{found[3]}"
    return set_cell_size(what, room - 1).rstrip() + "…"


def _history(turns: Sequence[WindowTurn], total: int, width: int) -> list[Text]:
    """Return a chart of the window over the turns; compactions and misses of the cache are marked below."""
    at_once = -(-len(turns) // min(width, _BARS))
    most = max(turn.tokens for turn in turns) or 1
    misses = [_is_miss(turn, turns[at - 1] if at else None) for at, turn in enumerate(turns)]
    chart, marks = "", ""
    for at in range(0, len(turns), at_once):
        bar = turns[at : at + at_once]
        chart += _LEVELS[min(7, 8 * max(turn.tokens for turn in bar) // (most + 1))]
        is_missed = any(misses[at : at + at_once])
        marks += "C" if any(turn.compacted for turn in bar) else "m" if is_missed else " "
    counted = " (counted here)" if all(turn.is_counted for turn in turns) else ""
    lines = [Text(chart, style="cyan")]
    if marks.strip():
        lines.append(Text(marks, style="red"))
    told = [turn for turn in turns if turn.cached is not None and turn.tokens]
    cached = sum(turn.cached or 0 for turn in told) / max(1, sum(turn.tokens for turn in told))
    each = f", {at_once} to a bar" if at_once > 1 else ""
    said = f"{format_count(len(turns), 'turn')}{each}, at most {most:,} tokens{counted}"
    compactions = sum(turn.compacted for turn in turns)
    said += f"; {compactions} compaction{'s' * (compactions > 1)} (C)" if compactions else ""
    said += (
        f"; {cached:.0%} from the cache, {sum(misses)} miss{'es' * (sum(misses) != 1)} (m)" if told else ""
    )
    if not turns[-1].is_counted:
        more = ", with what no file holds," if turns[-1].tokens > total else ""
        said += f"; the provider's last count{more} is {turns[-1].tokens:,}"
    return [*lines, Text(said, style="dim")]


def _ages(anatomy: Anatomy) -> Text:
    ages = anatomy.ages
    whole = max(1, sum(age.tokens for age in ages))
    said, before = [], 0
    for age in ages:
        when = f"from the {age.turns - before} before" if before else f"from the last {age.turns} turns"
        said.append(f"{age.tokens / whole:.0%} {when if age.turns else 'older'}")
        before = age.turns
    return Text(f"age: {', '.join(said)}", style="dim")


def _is_miss(turn: WindowTurn, before: WindowTurn | None) -> bool:
    """Return whether less than half of the last window was read from the cache."""
    return before is not None and turn.cached is not None and turn.cached < before.tokens / 2


def _price(anatomy: Anatomy, price: Price) -> Text:
    full, cached = price.of_window(anatomy.total), price.of_window(anatomy.total, cached=True)
    return Text(
        f"one more turn: {full:.3f} USD for the window, {cached:.3f} USD from the cache "
        f"(prices of {price.date})"
    )


def _memory(memory: ModelMemory, anatomy: Anatomy, width: int) -> list[RenderableType]:
    """Return a bar as long as the memory, a row for each sort, and where the window would end."""
    sorts = [
        ("weights", memory.weights_bytes, ""),
        ("compute", memory.compute_bytes, ""),
        (
            "cache",
            memory.cache_bytes,
            f"{format_bytes(round(1_000 * memory.cache_bytes_per_token))} for 1,000 tokens",
        ),
        ("free", memory.free_bytes, f"of {format_bytes(memory.total_bytes)}"),
    ]
    if not memory.total_bytes:
        sorts.pop()
    sizes = [size for _, size, _ in sorts[:3]]
    bar = _draw_bar(sizes, max(memory.total_bytes, sum(sizes), 1), width)
    table = _table(width)
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    for at, (name, size, more) in enumerate(sorts):
        fill = _FILLS[at] if name != "free" else "·"
        shown = format_bytes(size) if size >= 0 else f"{format_bytes(-size)} short"
        table.add_row(Text(f"{fill} {name}", style=_COLORS[at]), shown, Text(more, style="dim"))
    return [bar, table, Text(_where_it_ends(memory, anatomy.total))]


def _where_it_ends(memory: ModelMemory, tokens: int) -> str:
    if not memory.context:
        return f"{_plain(memory.model)} does not fit; satchel size says what would"
    limits = {"trained": "as long as the model was trained for", "memory": "where the memory is used up"}
    more = memory.context - tokens
    rest = f"{more:,} more" if more >= 0 else f"{-more:,} too many"
    return (
        f"the window ends at {memory.context:,} tokens, {limits.get(memory.limited_by, 'as asked')}: {rest}"
    )


def _advice(advice: Sequence[Advice]) -> list[RenderableType]:
    lines: list[RenderableType] = []
    for one in advice:
        saves = f" (saves {one.saves:,})" if one.saves else ""
        told = Table.grid(padding=(0, 1, 0, 0))
        told.add_row("-", Text(f"{_plain(one.what)}{saves}"))
        lines.append(told)
        if one.command:
            # Whole on one line, however narrow the terminal is: it is there to be copied.
            command = f"  {visible(one.command)}"
            lines.append(Text(command, style="bold", no_wrap=True, overflow="ignore"))
    return lines
