"""Compare two packs: what stands in one and not in the other, as text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import attrs

from satchel.errors import SatchelError
from satchel.escaping import visible
from satchel.plurals import format_count
from satchel.redaction.scanning import redact_secrets
from satchel.view.tables import clip_path, table


class PackedItem(NamedTuple):
    """An item of a pack, as far as it is compared."""

    title: str
    kind: str
    level: str
    tokens: int
    text: str


class ItemChange(NamedTuple):
    """What became of an item from one pack to another."""

    what: str
    """`came`, `went`, `changed` or `same`."""
    title: str
    kind: str
    levels: tuple[str, str]
    """Before and after, "" where it is not in the pack."""
    tokens: tuple[int, int]


@attrs.frozen
class PackSide:
    """One of two packs."""

    name: str
    task: str
    budget: int
    tokens: int
    items: tuple[PackedItem, ...]

    @property
    def frame(self) -> int:
        """Tokens that belong to no item."""
        return self.tokens - sum(item.tokens for item in self.items)


@attrs.frozen
class PackDifference:
    """Two packs and the changes between them; tokens of all changes and of the frame add up to the packs'."""

    before: PackSide
    after: PackSide
    changes: tuple[ItemChange, ...]
    """What came, then what went, what changed and what stayed the same; the dearest first."""

    def listed(self, what: str) -> list[ItemChange]:
        """Return the changes of one sort."""
        return [change for change in self.changes if change.what == what]


def read_side(document: Any, name: str) -> PackSide:
    """Read what `satchel pack --format json` printed.

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


def compare(before: PackSide, after: PackSide) -> PackDifference:
    """Compare two packs by the kinds and titles of their items."""
    old, new = _by_key(before), _by_key(after)
    changes = []
    for key in {**old, **new}:
        was, now = old.get(key), new.get(key)
        what = "went" if now is None else "came"
        if was is not None and now is not None:
            what = "same" if was == now else "changed"
        changes.append(
            ItemChange(
                what,
                key[1],
                key[0],
                (was.level if was else "", now.level if now else ""),
                (was.tokens if was else 0, now.tokens if now else 0),
            )
        )
    order = ("came", "went", "changed", "same")
    return PackDifference(
        before,
        after,
        tuple(sorted(changes, key=lambda one: (order.index(one.what), -max(one.tokens), one.title))),
    )


def _by_key(side: PackSide) -> dict[tuple[str, str, int], PackedItem]:
    """Return the items by kind, title and how often both stood there before."""
    found: dict[tuple[str, str, int], PackedItem] = {}
    for item in side.items:
        times = 0
        while (item.kind, item.title, times) in found:
            times += 1
        found[item.kind, item.title, times] = item
    return found


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
