"""What of a fix stands in an output: the recall of its files, definitions and lines, and their precision."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from mined.mining import Gold
from mined.sources import Definition
from satchel_plugins.tokenizers.offline import OfflineTokenizer

_BLANK = re.compile(r"[\s│⋮█]+")
_LABEL = re.compile(r"^(?:(?:file|path)[:=\s]+)+[\"'`]*", re.IGNORECASE)
_SHORT = 20
_FOLLOWING = 24
_AROUND = 10


class Shown(NamedTuple):
    """A part of an output: text of one file, "" where only its path stands there."""

    path: str
    text: str


class Score(NamedTuple):
    """Shares from 0 to 1; None where the fix has nothing of the kind."""

    file: float
    symbol: float | None
    line: float | None
    mrr: float
    files: int
    """How many files the output shows."""
    precision: float | None = None
    """Share of the lines shown that whoever makes the fix needs: those of the definitions that it changes, and
    ten lines around each line that it touches. None where nothing is shown, and in older reports."""


NOTHING = Score(0.0, 0.0, 0.0, 0.0, 0)


def lines_touched(gold: Sequence[Gold], path: str, lines: tuple[int, int]) -> float:
    """Return the share of the lines that a commit touched which stands in these lines of a file."""
    inside = sum(_within(line, lines) for one in gold if one.path == path for line in one.lines)
    return inside / max(sum(len(one.lines) for one in gold), 1)


def definitions_touched(gold: Sequence[Gold], path: str, lines: tuple[int, int]) -> float:
    """Return the share of the definitions that a commit touched which begins in these lines of a file."""
    inside = sum(_within(one.line, lines) for each in gold if each.path == path for one in each.definitions)
    return inside / max(sum(len(one.definitions) for one in gold), 1)


def _within(line: int, lines: tuple[int, int]) -> bool:
    return lines[0] <= line <= lines[1]


def split_plain(text: str, paths: Iterable[str]) -> list[Shown]:
    """Split an output at the lines that name a file of the tree and nothing else."""
    known = set(paths)
    parts: list[tuple[str, list[str]]] = []
    for line in text.split("\n"):
        if (path := _named(line)) in known:
            parts.append((path, []))
        elif parts:
            parts[-1][1].append(line)
    return [Shown(path, "\n".join(lines)) for path, lines in parts]


def cut(output: Sequence[Shown], budget: int) -> list[Shown]:
    """Return the start of an output that fits the budget, in o200k tokens; the part that crosses is cut."""
    kept: list[Shown] = []
    left = budget
    for part in output:
        tokens = _tokens(f"{part.path}\n{part.text}\n")
        if tokens > left:
            kept.append(Shown(part.path, _start_of(part, left)))
            break
        kept.append(part)
        left -= tokens
    return kept


def judge(output: Sequence[Shown], gold: Sequence[Gold], read: Callable[[str], str]) -> Score:
    """Score an output that was cut at its budget; `read` gives a file's text at the parent commit."""
    texts = _texts(output)
    wanted = [entry.path for entry in gold]
    ranks = [place for place, path in enumerate(texts, 1) if path in wanted]
    seen = [(entry, read(entry.path).split("\n"), texts.get(entry.path, [])) for entry in gold]
    return Score(
        file=sum(path in texts for path in wanted) / len(wanted),
        symbol=_share(hit for entry, source, shown in seen for hit in _symbols(entry, source, shown)),
        line=_share(hit for entry, source, shown in seen for hit in _lines(entry, source, shown)),
        mrr=1 / ranks[0] if ranks else 0.0,
        files=len(texts),
        precision=_precision(seen, texts),
    )


def _precision(
    seen: Iterable[tuple[Gold, Sequence[str], Sequence[str]]], texts: dict[str, list[str]]
) -> float | None:
    """Return the share of the lines shown, without blank ones, that the fix needs."""
    shown = sum(1 for lines in texts.values() for line in lines if line)
    helpful = 0
    for entry, source, lines in seen:
        needed = {number for line in entry.lines for number in range(line - _AROUND, line + _AROUND + 1)}
        needed.update(number for one in entry.definitions for number in range(one.first, one.last + 1))
        there = {_plain(source[number - 1]) for number in needed if 1 <= number <= len(source)}
        helpful += sum(1 for line in lines if line and line in there)
    return helpful / shown if shown else None


def average(scores: Sequence[Score]) -> tuple[float, float, float, float, float]:
    """Return file, symbol and line recall over the tasks that have them, their mean, and MRR."""

    def over(values: Iterable[float | None]) -> float:
        known = [value for value in values if value is not None]
        return statistics.fmean(known) if known else 0.0

    file = over(score.file for score in scores)
    symbol = over(score.symbol for score in scores)
    line = over(score.line for score in scores)
    return file, symbol, line, (file + symbol + line) / 3, over(score.mrr for score in scores)


def _texts(output: Sequence[Shown]) -> dict[str, list[str]]:
    """Return the lines shown of each file, in the order of the files; a bare path shows nothing."""
    texts: dict[str, list[str]] = {}
    for part in output:
        if len(_plain(part.text)) > 2:
            texts.setdefault(part.path, []).extend(_plain(line) for line in part.text.split("\n"))
    return texts


def _named(line: str) -> str:
    bare = line.strip(" \t#*`=-<>│⋮:\"'") if len(line) < 300 else ""
    return _LABEL.sub("", bare).removeprefix("./")


def _tokens(text: str) -> int:
    return OfflineTokenizer().count([text])[0]


def _start_of(part: Shown, budget: int) -> str:
    """Return the lines of a part that fit, found by halving."""
    lines = part.text.split("\n")
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        fits = _tokens("\n".join((part.path, *lines[:middle]))) <= budget
        low, high = (middle, high) if fits else (low, middle - 1)
    return "\n".join(lines[:low])


def _plain(text: str) -> str:
    return _BLANK.sub(" ", text).strip()


def _share(hits: Iterator[bool]) -> float | None:
    known = list(hits)
    return sum(known) / len(known) if known else None


def _symbols(entry: Gold, source: Sequence[str], shown: Sequence[str]) -> Iterator[bool]:
    text = "\n".join(shown)
    for definition in entry.definitions:
        if place := _place(definition, source):
            line, start, end = place
            opening = re.escape(_plain(line[:end]))
            following = _plain(line[start:].rstrip("{: "))[: len(definition.name) + _FOLLOWING]
            told = len(following) > len(definition.name) + 3 and following in text
            yield told or re.search(rf"{opening}(?!\w)", text) is not None


def _place(definition: Definition, source: Sequence[str]) -> tuple[str, int, int] | None:
    line = source[definition.line - 1] if definition.line <= len(source) else ""
    found = re.search(rf"(?<!\w){re.escape(definition.name)}", line)
    return (line, *found.span()) if found else None


def _lines(entry: Gold, source: Sequence[str], shown: Sequence[str]) -> Iterator[bool]:
    """Yield for each line with three word characters whether it is shown; a short one beside a neighbour."""
    there = set(shown)
    for number in entry.lines:
        line = _plain(source[number - 1]) if number <= len(source) else ""
        if len(re.sub(r"\W", "", line)) >= 3:
            near = len(line) >= _SHORT or any(text in there for text in _neighbours(source, number))
            yield line in there and near


def _neighbours(source: Sequence[str], number: int) -> list[str]:
    before = [line for line in reversed(source[max(0, number - 4) : number - 1]) if line.strip()]
    after = [line for line in source[number : number + 3] if line.strip()]
    return [_plain(line) for line in (*before[:1], *after[:1])]
