"""The page of a session's window: its parts as satchel counted them, and what it cut."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from satchel.report.conversations import Talk, list_turns, read_talk
from satchel.report.counting import Meter
from satchel.report.fields import Fields
from satchel.report.page import LeftOutRow, Page, PageEntry
from satchel.showing.anatomy import share_out

_PARTS = {
    "system": ("system", "tools", "frame"),
    "context": ("context",),
    "dialog": ("dialog", "calls"),
    "results": ("results", "files"),
}
"""Part of a window -> the sections of the page that it holds."""
_BESIDE = {"context": ("map", "memory")}
"""Parts that stand in the same messages."""


def is_window(document: Any) -> bool:
    """Tell whether a document is what `satchel session window --format json` prints."""
    return isinstance(document, Mapping) and {"parts", "window", "messages", "cut"} <= document.keys()


def page_of_window(document: Mapping[str, Any], meter: Meter) -> Page:
    """Return the page of a session's window; its parts are those that the window told.

    Raises:
        SatchelError: a field has a wrong type.
    """
    window = Fields(document, "the window")
    talk = read_talk(document["messages"], meter._replace(model=None))
    parts = Fields(window.table("parts"), "the window.parts")
    entries: list[PageEntry] = []
    for part, sections in _PARTS.items():
        tokens = sum(parts.tokens(name) for name in (part, *_BESIDE.get(part, ())))
        entries += _fit_part(tokens, part, [one for one in talk.entries if one.section in sections])
    if parts.tokens("reply"):
        entries.append(PageEntry("kept free for the reply", "reply", parts.tokens("reply"), level="kept"))
    size = sum(entry.tokens for entry in entries) + parts.tokens("free")
    share = window.share("cached_share")
    facts = [
        *meter.describe(),
        (
            "messages",
            f"{len(talk.conversation.messages):,} of the session's {window.tokens('of_messages'):,}",
        ),
        ("pressure", window.text("pressure", "unknown")),
    ]
    if share is not None:
        facts.append(("as in the window before", f"{share:.0%}"))
    return Page(
        kind="window",
        title="The window of a session",
        window=size,
        window_name="window",
        entries=tuple(entries),
        facts=tuple(facts),
        task=window.text("task"),
        left_out=tuple(_to_left_out(row) for row in window.rows("cut")),
        unit=talk.unit,
        turns=list_turns(_retoken(talk, entries)),
        problems=tuple(str(problem) for problem in window.list("problems")),
    )


def _fit_part(tokens: int, part: str, entries: list[PageEntry]) -> list[PageEntry]:
    """Return entries that add up to the tokens of their part."""
    if not entries:
        return [PageEntry(part, _PARTS[part][0], tokens)] if tokens else []
    shares = share_out(tokens, [entry.tokens for entry in entries])
    return [attrs.evolve(entry, tokens=share) for entry, share in zip(entries, shares, strict=True)]


def _retoken(talk: Talk, entries: list[PageEntry]) -> Talk:
    """Return the talk with the tokens that its entries have on the page."""
    tokens = {(entry.title, entry.about): entry.tokens for entry in entries}

    def fit(entry: PageEntry) -> PageEntry:
        return attrs.evolve(entry, tokens=tokens.get((entry.title, entry.about), entry.tokens))

    said = tuple(one._replace(entry=fit(one.entry)) for one in talk.said)
    return attrs.evolve(talk, said=said, around=tuple(map(fit, talk.around)))


def _to_left_out(row: Fields) -> LeftOutRow:
    kept, tokens = row.tokens("kept"), row.tokens("tokens")
    how = f"shortened to {kept:,} tokens" if kept else "left out"
    reason = row.text("reason", "cut")
    return LeftOutRow(
        f"message {row.held.get('index')} ({row.text('role', 'message')}), {how}",
        reason,
        tokens - min(kept, tokens),
        None,
        row.text("expand"),
    )
