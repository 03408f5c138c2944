"""The pages of the JSON that satchel prints: packs, squeezed outputs, windows of sessions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from satchel.conversation.documents import list_at, text_at, wrong_shape
from satchel.items import Level
from satchel.output.marks import GAP_LINE
from satchel.report.conversations import Meter, Talk, list_turns, read_talk
from satchel.report.page import LeftOutFolder, LeftOutRow, Page, PageEntry, Score
from satchel.showing.advice import Advice, advise
from satchel.showing.anatomy import dissect_pack, share_out
from satchel.view.tables import clip_text


class Fields:
    """An object of JSON and its place, for error messages."""

    def __init__(self, held: Any, place: str) -> None:
        if not isinstance(held, Mapping):
            raise wrong_shape(place, "an object", held)
        self.held: Mapping[str, Any] = held
        self.place = place

    def text(self, key: str, default: str = "") -> str:
        """Return a text, the default if there is none."""
        return text_at(self.held, key, self.place) or default

    def tokens(self, key: str) -> int:
        """Return a whole number from 0 up, 0 if there is none."""
        value = self.held.get(key, 0)
        value = 0 if value is None else value
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise wrong_shape(f"{self.place}.{key}", "a whole number from 0 up", value)
        return value

    def share(self, key: str) -> float | None:
        """Return a number put into 0..1, None if there is none."""
        value = self.held.get(key)
        return None if value is None else as_share(value, f"{self.place}.{key}")

    def table(self, key: str) -> Mapping[str, Any]:
        """Return an object, an empty one if there is none."""
        value = self.held.get(key)
        return {} if value is None else Fields(value, f"{self.place}.{key}").held

    def rows(self, key: str) -> list[Fields]:
        """Return the objects of a list, [] if there is no list."""
        return [Fields(one, f"{self.place}.{key}[{at}]") for at, one in enumerate(self.list(key))]

    def list(self, key: str) -> list[Any]:
        """Return a list, an empty one if there is none."""
        return list_at(self.held, key, self.place)


def as_share(value: Any, place: str) -> float:
    """Return a number put into 0..1; ConversationError if it is not a number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise wrong_shape(place, "a number", value)
    return float(min(1, max(0, value)))


_TITLE = 60


def is_output(document: Any) -> bool:
    """Return whether a document is the output of `satchel squeeze --format json`."""
    return isinstance(document, Mapping) and {"gaps", "lines", "text", "tokens"} <= document.keys()


def page_of_output(document: Mapping[str, Any], count: Callable[[Sequence[str]], Sequence[int]]) -> Page:
    """Return the page of a squeezed output.

    Args:
        document: the output of `satchel squeeze --format json` or `satchel run --format json`.
        count: counts the tokens of texts.

    Raises:
        SatchelError: a field has a wrong type.
    """
    output = Fields(document, "the output")
    runs = _split_at_gaps(output.text("text"))
    shares = share_out(output.tokens("tokens"), list(count([text for _, text in runs])))
    pointer = output.text("pointer")
    entries = [
        _entry(f"{number}: {_title(text)}", tokens, text, pointer if mark else "")
        for number, ((mark, text), tokens) in enumerate(zip(runs, shares, strict=True), start=1)
    ]
    gaps = output.rows("gaps")
    lines = output.tokens("lines")
    hidden = sum(last - first + 1 for first, last in map(_range, gaps))
    ended = output.held.get("exit_code")
    facts = [("lines of the output", f"{lines:,}"), ("lines left out", f"{hidden:,} in {len(gaps):,} gaps")]
    if isinstance(ended, int):
        facts.append(("exit code", str(ended)))
    if pointer:
        facts.append(("the whole of it", f"satchel expand {pointer}"))
    return Page(
        kind="output",
        title="A squeezed output",
        window=output.tokens("tokens"),
        window_name="all of it",
        entries=tuple(entries),
        facts=tuple(facts),
        left_out=tuple(_to_left_out(gap) for gap in gaps),
        advice=(Advice("The whole output is kept; nothing is lost.", f"satchel expand {pointer}"),)
        if pointer
        else (),
        problems=tuple(str(problem) for problem in output.list("problems")),
    )


def _split_at_gaps(text: str) -> list[tuple[bool, str]]:
    """Return runs of lines, each with whether it is the mark of a gap; joined, they are the text."""
    runs: list[tuple[bool, str]] = []
    for line in text.splitlines(keepends=True):
        mark = GAP_LINE.fullmatch(line.rstrip("\r\n")) is not None
        if runs and not mark and not runs[-1][0]:
            runs[-1] = (False, runs[-1][1] + line)
        else:
            runs.append((mark, line))
    return runs


def _entry(title: str, tokens: int, text: str, pointer: str) -> PageEntry:
    """Return the entry of a run of lines, or that of the mark of a gap, with its pointer."""
    found = GAP_LINE.fullmatch(text.rstrip("\r\n"))
    if found is None:
        return PageEntry(title, "output", tokens, level="lines", text=text)
    lines = f"{pointer}:{found[1] or found[2]}-{found[2]}" if pointer and found[2] else ""
    return PageEntry(title, "frame", tokens, level="gap", pointer=lines)


def _title(text: str) -> str:
    first = next((line.strip() for line in text.splitlines() if line.strip()), "blank lines")
    return clip_text(first, _TITLE)


def _range(gap: Fields) -> tuple[int, int]:
    lines = gap.list("lines")
    numbers = [number for number in lines if isinstance(number, int) and not isinstance(number, bool)]
    return (numbers[0], numbers[1]) if len(numbers) == len(lines) == 2 else (1, 0)


def _to_left_out(gap: Fields) -> LeftOutRow:
    first, last = _range(gap)
    count = last - first + 1
    size = "1 line" if count == 1 else f"{count:,} lines"
    return LeftOutRow(
        f"lines {first:,} to {last:,}", f"{size} that say less than those shown", 0, None, gap.text("pointer")
    )


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
    """Return whether a document is the output of `satchel pack --format json`."""
    return isinstance(document, Mapping) and {"items", "left_out", "budget", "tokens"} <= document.keys()


def pointers_of(document: Mapping[str, Any]) -> list[str]:
    """Return the pointers of the items that could show more."""
    pack = Fields(document, "the pack")
    return [one.text("pointer") for one in pack.rows("items") if one.text("level") in _MORE[:-1]]


def page_of_pack(document: Mapping[str, Any], costs: LevelCosts) -> Page:
    """Return the page of a pack's JSON.

    Args:
        document: the output of `satchel pack --format json`.
        costs: the costs of other levels of its items, by pointer, if known.

    Raises:
        SatchelError: a field has a wrong type.
    """
    pack = Fields(document, "the pack")
    tokens = pack.tokens("tokens")
    entries = _fit_to(tokens, [_pack_entry(row, costs) for row in pack.rows("items")])
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
        left_out=tuple(_pack_left_out(row) for row in pack.rows("left_out")),
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


def _pack_entry(row: Fields, costs: LevelCosts) -> PageEntry:
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
    """Return the levels that show more than the given one, with their tokens, from least to most."""
    if level not in _MORE:
        return ()
    return tuple((name, costs[name]) for name in _MORE[_MORE.index(Level(level)) + 1 :] if name in costs)


def _fit_to(tokens: int, entries: list[PageEntry]) -> list[PageEntry]:
    """Return entries that add up to the document's tokens: the frame around them is one of its own."""
    around = tokens - sum(entry.tokens for entry in entries)
    if around > 0:
        frame = PageEntry("opening line and what is around the items", "frame", around, level="whole")
        return [*entries, frame]
    # a model's own tokens are rounded up for each item, so their sum may be a little more
    return _share_out(tokens, entries)


def _pack_left_out(row: Fields) -> LeftOutRow:
    pointer = row.text("pointer")
    return LeftOutRow(
        row.text("path") or pointer, row.text("reason"), row.tokens("tokens"), row.share("salience"), pointer
    )


_MEANING_ROWS = Path(__file__).with_name("meanings.txt").read_text("utf-8").splitlines()
MEANINGS: Mapping[str, str] = dict(row.split(": ", 1) for row in _MEANING_ROWS)
"""Scorer -> the meaning of a high score."""
_MOST = 3
_TELLING = 0.2
"""A lower score is not a reason."""


def explain_scores(scores: tuple[Score, ...]) -> str:
    """Return the strongest reasons as one sentence, "" if no score says much."""
    best = sorted(scores, key=lambda score: (-score.value, score.scorer))[:_MOST]
    said = [score.meaning or f"scorer {score.scorer} favours it" for score in best if score.value >= _TELLING]
    return "; ".join(said)


_PARTS = {
    "system": ("system", "tools", "frame"),
    "context": ("context",),
    "dialog": ("dialog", "calls"),
    "results": ("results", "files"),
}
"""Part of a window -> the sections of the page that it holds."""
_BESIDE = {"context": ("map", "memory")}
"""Parts that are in the same messages."""


def is_window(document: Any) -> bool:
    """Return whether a document is the output of `satchel session window --format json`."""
    return isinstance(document, Mapping) and {"parts", "window", "messages", "cut"} <= document.keys()


def page_of_window(document: Mapping[str, Any], meter: Meter) -> Page:
    """Return the page of a session's window; its parts are those in the window's JSON.

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
        left_out=tuple(_window_left_out(row) for row in window.rows("cut")),
        unit=talk.unit,
        turns=list_turns(_retoken(talk, entries)),
        problems=tuple(str(problem) for problem in window.list("problems")),
    )


def _fit_part(tokens: int, part: str, entries: list[PageEntry]) -> list[PageEntry]:
    """Return entries that add up to the tokens of their part."""
    if not entries:
        return [PageEntry(part, _PARTS[part][0], tokens)] if tokens else []
    return _share_out(tokens, entries)


def _share_out(tokens: int, entries: list[PageEntry]) -> list[PageEntry]:
    """Return entries with their shares of so many tokens."""
    shares = share_out(tokens, [entry.tokens for entry in entries])
    return [attrs.evolve(entry, tokens=share) for entry, share in zip(entries, shares, strict=True)]


def _retoken(talk: Talk, entries: list[PageEntry]) -> Talk:
    """Return the talk with the tokens that its entries have on the page."""
    tokens = {(entry.title, entry.about): entry.tokens for entry in entries}

    def fit(entry: PageEntry) -> PageEntry:
        return attrs.evolve(entry, tokens=tokens.get((entry.title, entry.about), entry.tokens))

    said = tuple(one._replace(entry=fit(one.entry)) for one in talk.said)
    return attrs.evolve(talk, said=said, around=tuple(map(fit, talk.around)))


def _window_left_out(row: Fields) -> LeftOutRow:
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
