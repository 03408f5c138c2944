"""Redact a text that comes in pieces as if it came at once: by windows that overlap."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from satchel.redaction.blocks import BLOCK_REACH, can_reach_far
from satchel.redaction.values import MARK

_ANCHORS = (64, 512, 4_096)
"""Characters on each side of a place that identify it in the redacted text."""
_STEP, _TRIES = 911, 48
"""A place that can't be found again is replaced by one this many characters before it."""
_STRIDE = 16_384
"""Characters whose line ends are counted at once."""


class WindowSizes(NamedTuple):
    """The sizes of parts of a text, in characters."""

    window: int = 8_000_000
    """Characters up to which a text is redacted as a whole."""
    near: int = 131_072
    """Characters on either side that matter if no block is near: twice the reach of any rule."""
    far: int = BLOCK_REACH
    """The same if a private key or a Kubernetes object is possible."""


def redact_stream(
    texts: Iterable[str], redact: Callable[[str, range], str], sizes: WindowSizes | None = None
) -> Iterator[str]:
    """Yield the redacted text of a stream in pieces, which end at line ends except in very long lines.

    Windows begin and end at the same characters however the stream is split, so the result is the same. Each
    overlaps its neighbours by the longest secret; a yielded piece is final. `redact` keeps all line ends and
    everything that is not a secret; its range has the characters that matter.
    """
    window, near, far = sizes or WindowSizes()
    if window <= 2 * max(near, far):
        raise ValueError(f"a window of {window} characters can't overlap its neighbours by {max(near, far)}")
    held: list[str] = []
    chars = settled = 0
    for piece in _cut(texts, window):
        held.append(piece)
        chars += len(piece)
        while chars >= window:
            whole = "".join(held)
            text = whole[:window]
            ahead = far if can_reach_far(text[-far:]) else near
            clean = redact(text, range(settled, window - ahead))
            end, place = _end(text, clean, settled, window - ahead)
            yield clean[_place(text, clean, settled) : place]
            behind = far if can_reach_far(text[max(0, end - far) : end]) else near
            rest = whole[max(0, end - behind) :]
            held, chars, settled = [rest], len(rest), min(end, behind)
    if chars > settled:
        text = "".join(held)
        clean = redact(text, range(settled, len(text)))
        yield clean[_place(text, clean, settled) :]


def _cut(texts: Iterable[str], size: int) -> Iterator[str]:
    for text in texts:
        if len(text) <= size:
            yield text
        else:
            yield from (text[start : start + size] for start in range(0, len(text), size))


def _end(text: str, clean: str, settled: int, limit: int) -> tuple[int, int]:
    """Return where to stop: the last line end up to `limit`, else a place in the line that is surely found.

    It is a place in the text and one in the redacted text.
    """
    end = text.rfind("\n", settled, limit) + 1
    if end:
        return end, _place(text, clean, end)
    line, begun, stop = _line(text, clean, limit)
    whole, shown = text[line : text.find("\n", limit) % (len(text) + 1)], clean[begun:stop]
    for at in range(limit, max(settled, limit - _TRIES * _STEP), -_STEP):
        found = _place_by_context(whole, shown, at - line, _ANCHORS[0])
        if found >= 0:
            return at, begun + found
    return limit, begun + _place_by_marks(whole, shown, limit - line)


def _place(text: str, clean: str, at: int) -> int:
    """Return the place in the redacted text for a place of the text."""
    if clean is text:
        return at
    line, begun, stop = _line(text, clean, at)
    if line == at:
        return begun
    whole, shown = text[line : text.find("\n", at) % (len(text) + 1)], clean[begun:stop]
    for size in _ANCHORS:
        found = _place_by_context(whole, shown, at - line, size)
        if found >= 0:
            return begun + found
    return begun + _place_by_marks(whole, shown, at - line)


def _line(text: str, clean: str, at: int) -> tuple[int, int, int]:
    """Return the beginning of a place's line, and that line's span in the redacted text."""
    line = text.rfind("\n", 0, at) + 1
    begun = _line_start(clean, text.count("\n", 0, line))
    return line, begun, clean.find("\n", begun) % (len(clean) + 1)


def _line_start(text: str, number: int) -> int:
    """Return the beginning of a line, counted from 0."""
    begun = 0
    for begun in range(0, len(text), _STRIDE):
        lines = text.count("\n", begun, begun + _STRIDE)
        if lines >= number:
            break
        number -= lines
    for _ in range(number):
        begun = text.index("\n", begun) + 1
    return begun


def _place_by_context(line: str, clean: str, at: int, size: int) -> int:
    """Return a place of a line in its redacted form, by unique text around it, else -1."""
    start = max(0, at - size)
    anchor = line[start : at + size]
    found = clean.find(anchor)
    if found < 0 or clean.find(anchor, found + 1) >= 0 or line.find(anchor, line.find(anchor) + 1) >= 0:
        return -1
    return found + at - start


def _place_by_marks(line: str, clean: str, at: int) -> int:
    """Return a place of a line in its redacted form, by the text between the marks before it."""
    here = there = 0
    for mark in MARK.finditer(clean):
        kept = clean[there : mark.start()]
        start = line.find(kept, here)
        if start < 0 or start + len(kept) >= at:
            return there + min(max(0, at - max(start, here)), len(kept))
        here, there = start + len(kept), mark.end()
    return min(len(clean), max(there, len(clean) - (len(line) - at)))
