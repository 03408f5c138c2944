"""The page of a squeezed output: the lines that are shown, and each gap with its pointer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from satchel.output.marks import GAP_LINE
from satchel.report.fields import Fields
from satchel.report.page import LeftOutRow, Page, PageEntry
from satchel.showing.advice import Advice
from satchel.showing.anatomy import share_out
from satchel.view.tables import clip_text

_TITLE = 60


def is_output(document: Any) -> bool:
    """Tell whether a document is what `satchel squeeze --format json` prints."""
    return isinstance(document, Mapping) and {"gaps", "lines", "text", "tokens"} <= document.keys()


def page_of_output(document: Mapping[str, Any], count: Callable[[Sequence[str]], Sequence[int]]) -> Page:
    """Return the page of a squeezed output.

    Args:
        document: what `satchel squeeze --format json` or `satchel run --format json` prints.
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
    """Return the entry of a run of lines, or that of the mark of a gap, with what its pointer expands."""
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
