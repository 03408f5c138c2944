"""Render the difference of two packs as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from satchel.view.tables import clip_path, format_count, table

if TYPE_CHECKING:
    from satchel.showing.differences import ItemChange, PackDifference, PackSide

_SIGNS = {"came": "+", "went": "-", "changed": "~"}
_NARROW, _BESIDE = 16, 34


def difference_text(difference: PackDifference, width: int = 0) -> str:
    """Return what was added, removed, changed, in lines of at most `width` columns (0: any), and the sums."""
    before, after = difference.before, difference.after
    blocks = [table([_row(before), _row(after)], right=(1, 3, 5))]
    if before.task != after.task:
        blocks.append(f"the tasks differ: {before.task!r} and {after.task!r}")
    shown = [change for change in difference.changes if change.what in _SIGNS]
    if shown:
        room = max(_NARROW, (width or 140) - _BESIDE)
        rows = [("", "tokens", "level", "item")]
        rows += [
            (_SIGNS[one.what], _arrow(*one.tokens), _arrow(*one.levels), clip_path(one.title, room))
            for one in shown
        ]
        blocks.append(table(rows, right=(1,)))
    blocks.append("\n".join(_sums(difference)))
    return "\n\n".join(blocks) + "\n"


def _row(side: PackSide) -> tuple[str, ...]:
    items = format_count(len(side.items), "item")
    return side.name, f"{side.tokens:,}", "of", f"{side.budget:,}", "tokens,", items


def _arrow(before: object, after: object) -> str:
    """Return `a -> b`, or the only one that there is."""
    first, last = (f"{one:,}" if isinstance(one, int) and one else str(one or "") for one in (before, after))
    return f"{first} -> {last}" if first and last and first != last else last or first


def _sums(difference: PackDifference) -> list[str]:
    """Return a line for each sort of change; their tokens add up to the difference of the packs."""
    lines = []
    for what, words in (("came", "came"), ("went", "went"), ("changed", "changed"), ("same", "the same")):
        some = difference.listed(what)
        if some:
            lines.append((words, str(len(some)), f"{_sum_growth(some):+,}"))
    frame = difference.after.frame - difference.before.frame
    lines.append(("frame and map", "", f"{frame:+,}"))
    lines.append(("together", "", f"{difference.after.tokens - difference.before.tokens:+,} tokens"))
    widths = [max(len(line[at]) for line in lines) for at in (0, 1)]
    return [f"{words:<{widths[0]}}  {number:>{widths[1]}}  {tokens}" for words, number, tokens in lines]


def _sum_growth(changes: list[ItemChange]) -> int:
    return sum(change.tokens[1] - change.tokens[0] for change in changes)


def difference_json(difference: PackDifference) -> dict[str, Any]:
    """Return what `satchel diff --format json` prints."""
    return {
        "schema": 1,
        "before": _side(difference.before),
        "after": _side(difference.after),
        "tokens": difference.after.tokens - difference.before.tokens,
        "changes": [
            {
                "what": one.what,
                "title": one.title,
                "kind": one.kind,
                "level_before": one.levels[0],
                "level_after": one.levels[1],
                "tokens_before": one.tokens[0],
                "tokens_after": one.tokens[1],
            }
            for one in difference.changes
        ],
    }


def _side(side: PackSide) -> dict[str, Any]:
    return {
        "name": side.name,
        "task": side.task,
        "budget": side.budget,
        "tokens": side.tokens,
        "items": len(side.items),
        "frame": side.frame,
    }
