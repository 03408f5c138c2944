"""The page of a pack: its items with levels and scores, and everything that it left out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from satchel.items import Level
from satchel.report.fields import Fields, as_share
from satchel.report.page import LeftOutFolder, LeftOutRow, Page, PageEntry, Score
from satchel.showing.advice import advise
from satchel.showing.anatomy import dissect_pack, share_out

_SECTIONS: Mapping[str, str] = {
    "file": "files",
    "folder": "files",
    "diff": "changes",
    "error": "changes",
    "failure": "changes",
    "instructions": "system",
}
_MORE = (Level.POINTER, Level.HEADERS, Level.SYMBOLS, Level.EXCERPT, Level.FULL)
"""From least to most."""
LevelCosts = Mapping[str, Mapping[str, int]]
"""Pointer -> level -> tokens of its text."""


def is_pack(document: Any) -> bool:
    """Tell whether a document is what `satchel pack --format json` prints."""
    return isinstance(document, Mapping) and {"items", "left_out", "budget", "tokens"} <= document.keys()


def pointers_of(document: Mapping[str, Any]) -> list[str]:
    """Return the pointers of the items that could show more."""
    pack = Fields(document, "the pack")
    return [one.text("pointer") for one in pack.rows("items") if one.text("level") in _MORE[:-1]]


def page_of_pack(document: Mapping[str, Any], costs: LevelCosts) -> Page:
    """Return the page of a pack's JSON.

    Args:
        document: what `satchel pack --format json` prints.
        costs: what other levels of its items would cost, by pointer, as far as that is known.

    Raises:
        SatchelError: a field has a wrong type.
    """
    pack = Fields(document, "the pack")
    tokens = pack.tokens("tokens")
    entries = _fit_to(tokens, [_entry(row, costs) for row in pack.rows("items")])
    exact = "exact" if pack.held.get("exact", True) else "about"
    facts = [("tokens counted with", f"{pack.text('tokenizer', 'unknown')}, {exact}")]
    secrets = pack.table("redacted")
    if secrets:
        facts.append(("secrets taken out", ", ".join(f"{kind} {count}" for kind, count in secrets.items())))
    return Page(
        kind="pack",
        title="A pack",
        window=max(pack.tokens("budget"), tokens),
        window_name="budget",
        entries=tuple(entries),
        facts=tuple(facts),
        task=pack.text("task"),
        left_out=tuple(_to_left_out(row) for row in pack.rows("left_out")),
        folders=tuple(
            LeftOutFolder(row.text("folder"), row.text("reason"), row.tokens("count"))
            for row in pack.rows("left_out_counts")
        ),
        advice=tuple(advise(dissect_pack(document))),
        problems=tuple(
            f"{row.text('plugin')} ({row.text('stage')}): {row.text('error')}"
            for row in pack.rows("problems")
        ),
    )


def _entry(row: Fields, costs: LevelCosts) -> PageEntry:
    pointer, level = row.text("pointer"), row.text("level")
    scores = tuple(
        Score(name, as_share(value, f"{row.place}.scores.{name}"), MEANINGS.get(name, ""))
        for name, value in row.table("scores").items()
    )
    kind = row.text("kind", "file")
    return PageEntry(
        title=row.text("path") or row.text("title") or pointer,
        section=_SECTIONS.get(kind, "documents"),
        tokens=row.tokens("tokens"),
        level=level,
        text=row.text("text"),
        pointer=pointer,
        reason=explain_scores(scores),
        next_levels=_list_next_levels(level, costs.get(pointer, {})),
        salience=row.share("salience"),
        scores=tuple(sorted(scores, key=lambda score: (-score.value, score.scorer))),
        about=(
            kind,
            f"from {row.text('provider', 'unknown')}",
            "your own words" if row.held.get("trusted") is True else "not trusted as an instruction",
        ),
    )


def _list_next_levels(level: str, costs: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """Return the levels that show more than one does, with their tokens, from least to most."""
    if level not in _MORE:
        return ()
    return tuple((name, costs[name]) for name in _MORE[_MORE.index(Level(level)) + 1 :] if name in costs)


def _fit_to(tokens: int, entries: list[PageEntry]) -> list[PageEntry]:
    """Return entries that add up to the document's tokens: what stands around them is one of its own."""
    import attrs

    around = tokens - sum(entry.tokens for entry in entries)
    if around > 0:
        frame = PageEntry("opening line and what stands around the items", "frame", around, level="whole")
        return [*entries, frame]
    # a model's own tokens are rounded up for each item, so their sum may be a little more
    shares = share_out(tokens, [entry.tokens for entry in entries])
    return [attrs.evolve(entry, tokens=share) for entry, share in zip(entries, shares, strict=True)]


def _to_left_out(row: Fields) -> LeftOutRow:
    pointer = row.text("pointer")
    return LeftOutRow(
        row.text("path") or pointer, row.text("reason"), row.tokens("tokens"), row.share("salience"), pointer
    )


_ROWS = Path(__file__).with_name("meanings.txt").read_text("utf-8").splitlines()
MEANINGS: Mapping[str, str] = dict(row.split(": ", 1) for row in _ROWS)
"""Scorer -> what a high score says."""
_MOST = 3
_TELLING = 0.2
"""A lower score is no reason."""


def explain_scores(scores: tuple[Score, ...]) -> str:
    """Return the strongest reasons as one sentence, "" where no score says much."""
    best = sorted(scores, key=lambda score: (-score.value, score.scorer))[:_MOST]
    said = [score.meaning or f"scorer {score.scorer} favours it" for score in best if score.value >= _TELLING]
    return "; ".join(said)
