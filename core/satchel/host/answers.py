"""What a plugin's answer must be: checks that run where the plugin runs, and raise where it is junk."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from operator import attrgetter
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from satchel.devices import Device
    from satchel.items import ContextItem
    from satchel.parts import Lines, Part


class BrokenContractError(Exception):
    """A plugin's answer is not what its kind must answer."""


def checked_scores(answer: Iterable[object], count: int) -> list[float]:
    """Return the answer as floats; raise where it is not `count` finite numbers from 0 to 1."""
    scores = list(answer)
    if len(scores) != count:
        raise BrokenContractError(f"returned {len(scores)} scores for {count} parts")
    if _are_fractions(scores):
        return scores
    return [_score(score, place) for place, score in enumerate(scores)]


def _are_fractions(scores: list[Any]) -> TypeGuard[list[float]]:
    """Tell at once of plain floats from 0 to 1 that they are; a NaN shows in the sum."""
    if set(map(type, scores)) != {float}:
        return False
    return min(scores) >= 0 and max(scores) <= 1 and math.isfinite(sum(scores))


def _score(score: object, place: int) -> float:
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise BrokenContractError(f"score {place} is a {type(score).__name__}, not a number")
    if not (math.isfinite(score) and 0 <= score <= 1):
        raise BrokenContractError(f"score {place} is {_shown(float(score))}, not between 0 and 1")
    return float(score)


def _shown(number: float) -> str:
    return f"{number:.6g}"


def checked_items(answer: Iterable[object]) -> list[ContextItem]:
    """Return the answer as a list; raise where something in it is no well-formed context item.

    Each rule looks at all items at once, and for the one that breaks it only where there is one:
    28,000 files take 10 ms, a third of what they take one by one.
    """
    from satchel.items import ContextItem

    items: list[Any] = list(answer)
    if any(not issubclass(kind, ContextItem) for kind in set(map(type, items))):
        place, item = next((at, one) for at, one in enumerate(items) if not isinstance(one, ContextItem))
        raise BrokenContractError(f"item {place} is a {type(item).__name__}, not a ContextItem")
    for name in _TEXTS:
        _check_texts(list(map(attrgetter(name), items)), (str,))
    _check_texts([item.text for item in items], (str, NoneType))
    _check_shown(items)
    for name in ("relevance", "modified"):
        _check_numbers(items, list(map(attrgetter(name), items)))
    relevance = [item.relevance for item in items]
    if items and not (min(relevance) >= 0 and max(relevance) <= 1):
        item = next(item for item in items if not 0 <= item.relevance <= 1)
        raise BrokenContractError(f"item {item.id!r} has relevance {_shown(item.relevance)}, not 0 to 1")
    return items


_TEXTS = ("id", "provider", "kind", "title", "path", "content")
"""Fields of an item that are texts."""


def _check_texts(texts: list[Any], allowed: tuple[type, ...]) -> None:
    if any(not issubclass(kind, allowed) for kind in set(map(type, texts))):
        place = next(at for at, text in enumerate(texts) if not isinstance(text, allowed))
        raise BrokenContractError(f"item {place} has a text field that is no text")


def _check_shown(items: list[ContextItem]) -> None:
    for place, item in enumerate(items):
        if not item.id:
            raise BrokenContractError(f"item {place} has an empty id")
        if not item.path and item.text is None and not item.note:
            raise BrokenContractError(f"item {item.id!r:.60} has neither a text nor a path to read it from")


def _check_numbers(items: list[ContextItem], numbers: list[Any]) -> None:
    """Raise for the first number that is none or not finite; a NaN shows in the sum."""
    if set(map(type, numbers)) <= {float, int} and math.isfinite(sum(numbers)):
        return
    for item, number in zip(items, numbers, strict=True):
        if not isinstance(number, int | float) or not math.isfinite(number):
            raise BrokenContractError(f"item {item.id!r} has a number that is not finite")


def checked_parts(answer: Iterable[object], text: str) -> list[Part]:
    """Return the answer as a list; raise where it is no run of parts of `text`, in order of lines."""
    from satchel.parts import Part

    last, before, parts = _line_count(text), 0, []
    for place, part in enumerate(answer):
        if not isinstance(part, Part):
            raise BrokenContractError(f"part {place} is a {type(part).__name__}, not a Part")
        _check_part(part, before, last)
        before = part.lines[1]
        parts.append(part)
    return parts


def _line_count(text: str) -> int:
    return text.count("\n") + 1


def _check_part(part: Part, before: int, last: int) -> None:
    if not isinstance(part.kind, str) or not isinstance(part.name, str):
        raise BrokenContractError("a part's kind or name is no text")
    for lines in (part.lines, part.head, part.span):
        _check_lines(lines)
    if not before < part.lines[0] <= part.lines[1] <= last:
        raise BrokenContractError(f"part {part.name!r} has lines {part.lines} after line {before} of {last}")
    if part.head != (0, 0) and not part.lines[0] <= part.head[0] <= part.head[1] <= part.lines[1]:
        raise BrokenContractError(f"part {part.name!r} has head {part.head} outside its lines {part.lines}")


def _check_lines(lines: Lines) -> None:
    if not isinstance(lines, tuple) or [type(line) for line in lines] != [int, int]:
        raise BrokenContractError(f"{lines!r:.60} is no pair of line numbers")


def checked_spans(answer: Iterable[object], size: int, *, most: int) -> list[tuple[int, int, str]]:
    """Return the answer as a list; raise where it is no start, end and kind within a text of `size`."""
    spans: list[tuple[int, int, str]] = []
    for span in answer:
        match span:
            case (int(start), int(end), str(kind)) if 0 <= start < end <= size:
                spans.append((start, end, kind))
            case _:
                raise BrokenContractError(f"found {span!r:.60}, no start, end and kind within the text")
        if len(spans) > most:
            raise BrokenContractError(f"found more than {most} secrets in one text")
    return spans


def checked_devices(answer: Iterable[object]) -> Sequence[Device]:
    """Return the answer as a tuple; raise where something in it is no device with sensible sizes."""
    from satchel.devices import Device

    devices = tuple(answer)
    for device in devices:
        if not isinstance(device, Device):
            raise BrokenContractError(f"returned a {type(device).__name__}, not a Device")
        sizes = (device.free_bytes, device.total_bytes)
        if not all(isinstance(size, int) for size in sizes) or not 0 <= sizes[0] <= sizes[1]:
            raise BrokenContractError(f"device {device.name!r} has {sizes[0]!r} of {sizes[1]!r} bytes free")
    return tuple(device for device in devices if isinstance(device, Device))


def checked_counts(answer: Iterable[object], texts: Sequence[str]) -> list[int]:
    """Return the answer as a list; raise where it is not one whole number, not negative, for each text."""
    counts = list(answer)
    if len(counts) != len(texts):
        raise BrokenContractError(f"returned {len(counts)} counts for {len(texts)} texts")
    for count in counts:
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise BrokenContractError(f"returned {count!r:.60} where a count of tokens must be")
    return [count for count in counts if isinstance(count, int)]
