"""Compare two packs: the items in one and not in the other, as text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import attrs

from satchel.errors import SatchelError
from satchel.escaping import visible
from satchel.redaction.scanning import redact_secrets
from satchel.spelling import format_count
from satchel.view.tables import clip_path, table


class PackedItem(NamedTuple):
    """The compared facts of an item of a pack."""

    title: str
    kind: str
    level: str
    tokens: int
    text: str


@attrs.frozen
class PackSide:
    """One of two packs."""

    name: str
    task: str
    budget: int
    tokens: int
    items: tuple[PackedItem, ...]

    def describe(self) -> dict[str, Any]:
        """Return its numbers; the frame is tokens that belong to no item."""
        frame = self.tokens - sum(item.tokens for item in self.items)
        told = {"name": self.name, "task": self.task, "budget": self.budget, "tokens": self.tokens}
        return {**told, "items": len(self.items), "frame": frame}


def read_side(document: Any, name: str) -> PackSide:
    """Read the output of `satchel pack --format json`.

    Raises:
        SatchelError: it is something else.
    """
    try:
        items = tuple(_read_item(item) for item in document["items"])
        budget, tokens = _number(document["budget"]), _number(document["tokens"])
        return PackSide(name, str(document["task"]), budget, tokens, items)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        lacking = f"; it has no {error}" if isinstance(error, KeyError) else ""
        raise SatchelError(f"{name}: expected what satchel pack --format json prints{lacking}") from error


def _read_item(item: Mapping[str, Any]) -> PackedItem:
    title = str(item["path"] if item["kind"] == "file" else item["title"] or item["path"])
    level, text = str(item["level"]), str(item.get("text", ""))
    return PackedItem(visible(redact_secrets(title)), str(item["kind"]), level, _number(item["tokens"]), text)


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(value)
    return value


def compare(before: PackSide, after: PackSide) -> dict[str, Any]:
    """Compare two packs by the kinds and titles of their items; return the output of `--format json`.

    The changes are new items, then removed, changed and equal ones, the dearest first; their tokens and the
    frames' add up to the packs'.
    """
    old, new = _by_key(before), _by_key(after)
    changes: list[dict[str, Any]] = []
    for key in {**old, **new}:
        was, now = old.get(key), new.get(key)
        what = "went" if now is None else "came"
        if was is not None and now is not None:
            what = "same" if was == now else "changed"
        changes.append(
            {
                "what": what,
                "title": key[1],
                "kind": key[0],
                "level_before": was.level if was else "",
                "level_after": now.level if now else "",
                "tokens_before": was.tokens if was else 0,
                "tokens_after": now.tokens if now else 0,
            }
        )
    changes.sort(key=lambda one: (_ORDER.index(one["what"]), -max(_tokens_of(one)), one["title"]))
    sides = {"before": before.describe(), "after": after.describe()}
    return {"schema": 1, **sides, "tokens": after.tokens - before.tokens, "changes": changes}


def _tokens_of(change: Mapping[str, Any]) -> tuple[int, int]:
    return change["tokens_before"], change["tokens_after"]


def _by_key(side: PackSide) -> dict[tuple[str, str, int], PackedItem]:
    """Return the items by kind, title and how often both occurred before."""
    found: dict[tuple[str, str, int], PackedItem] = {}
    for item in side.items:
        times = 0
        while (item.kind, item.title, times) in found:
            times += 1
        found[item.kind, item.title, times] = item
    return found


_ORDER = ("came", "went", "changed", "same")
_SIGNS = {"came": "+", "went": "-", "changed": "~"}
_NARROW, _BESIDE = 16, 34


def difference_text(difference: Mapping[str, Any], width: int = 0) -> str:
    """Return the added, removed and changed items in lines of at most `width` columns (0: any), and sums."""
    before, after = difference["before"], difference["after"]
    blocks = [table([_row(before), _row(after)], right=(1, 3, 5))]
    if before["task"] != after["task"]:
        blocks.append(f"the tasks differ: {before['task']!r} and {after['task']!r}")
    shown = [change for change in difference["changes"] if change["what"] in _SIGNS]
    if shown:
        room = max(_NARROW, (width or 140) - _BESIDE)
        rows = [("", "tokens", "level", "item")]
        for one in shown:
            levels = _arrow(one["level_before"], one["level_after"])
            title = clip_path(one["title"], room)
            rows.append((_SIGNS[one["what"]], _arrow(*_tokens_of(one)), levels, title))
        blocks.append(table(rows, right=(1,)))
    blocks.append("\n".join(_sums(difference)))
    return "\n\n".join(blocks) + "\n"


def _row(side: Mapping[str, Any]) -> tuple[str, ...]:
    items = format_count(side["items"], "item")
    return side["name"], f"{side['tokens']:,}", "of", f"{side['budget']:,}", "tokens,", items


def _arrow(before: object, after: object) -> str:
    """Return `a -> b`, or the only one of them."""
    first, last = (f"{one:,}" if isinstance(one, int) and one else str(one or "") for one in (before, after))
    return f"{first} -> {last}" if first and last and first != last else last or first


def _sums(difference: Mapping[str, Any]) -> list[str]:
    """Return a line for each sort of change; their tokens add up to the difference of the packs."""
    lines = []
    for what in _ORDER:
        some = [_tokens_of(one) for one in difference["changes"] if one["what"] == what]
        if some:
            words = "the same" if what == "same" else what
            lines.append((words, str(len(some)), f"{sum(now - was for was, now in some):+,}"))
    frame = difference["after"]["frame"] - difference["before"]["frame"]
    lines.append(("frame and map", "", f"{frame:+,}"))
    lines.append(("together", "", f"{difference['tokens']:+,} tokens"))
    widths = [max(len(line[at]) for line in lines) for at in (0, 1)]
    return [f"{words:<{widths[0]}}  {number:>{widths[1]}}  {tokens}" for words, number, tokens in lines]
