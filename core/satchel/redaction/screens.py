"""Read a text as a screen or a reader without hidden characters shows it, and keep the original places.

Characters hidden between the letters of a key hide it from every rule: colours, links, moves of the cursor,
backspaces, zeros, characters without width. So a text that hides anything is read again without them.
"""

from __future__ import annotations

import functools
import re
import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, compress, pairwise, repeat
from typing import NamedTuple

from satchel.escaping import COLOUR, CSI, HIDDEN, SEQUENCE, STRING, hides, is_hidden
from satchel.patterns import lazily

_OBEYED = HIDDEN.replace("\x00-\x08", "\x00-\x07")
"""Hidden characters except the backspace."""
_LONE_RETURN = r"(?<!\r)\r++(?!\n|\Z)"
_WEAVES = lazily(
    r"(?!(?<![^\n])\x0c\r?(?:\n|\Z))[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
    rf"|(?:(?<=[\x00-\x7f])|\A)(?!\A\ufeff|[\x00-\x7f])[{HIDDEN}]|{_LONE_RETURN}"
)
"""Sequences that can part letters of a key. They cannot after a character that no key has (the emoji that
they belong to), nor as a form feed alone on its line or as the mark that begins a file.
"""
_ODD = lazily(rf"\x1b(?!\[[0-?]*+[ -/]*+[@-~])|[\x08\x80-\x9f]|{_LONE_RETURN}")
"""Hidden text other than whole colours that removes letters with it, or represents more than itself."""
_MOVES = r"(?:\x1b\[|\x9b)[0-9;?]*+[CDGPX@`aK]"
_MOVED = lazily(rf"\x08|{_LONE_RETURN}|(?:\x1b\[|\x9b)[0-9;?]*+[CDGPX@`a]")
_MOVE = lazily(r"(?:\x1b\[|\x9b)([0-9]{0,6})[0-9;?]*([CDGPX@`aK])")
_BACKSPACE = lazily("\b")
_BACK = lazily(r"(?:\x1b\[|\x9b)([0-9]{0,6})D|\x08")
"""A move back by this many characters; later text overwrites them."""
_STEP = lazily(rf"\r|\x08|{_MOVES}|{SEQUENCE}|[{_OBEYED}]+")
_HIDDEN_OR_RETURN = lazily(f"[^\t\n -~](?<=[{HIDDEN}\r])(?<!\r(?=\n))")
"""Its first set is found in a fifth of the time that all hidden characters take."""
_CLEARING = "\x1b[2K"
"""Clears a row, wherever the cursor is."""
_COLOURS = lazily(r"(\x1b\[[0-9;]*+m(?:\x1b\[[0-9;]*+m)*+)")
"""It begins with a character, so it is found in a tenth of the time that a repetition takes."""
_RETURN_BEFORE = lazily("\r(?=\x1b)")
"""A return that ends no line, although text after it remains without colours only."""
_SEQUENCES = lazily(f"(?:{SEQUENCE})+")
_SEQUENCES_BUT_BACK = lazily(rf"(?:(?!(?:\x1b\[|\x9b)[0-9]{{0,6}}D)(?:{SEQUENCE}))+")
_HIDDEN = lazily(f"[{HIDDEN}]+")
_SEQUENCES_AND_HIDDEN = lazily(f"(?:{SEQUENCE}|[{HIDDEN}])+")
_RETURNED = rf"(?<=[\w+/=.{HIDDEN}-])\r++(?=[\w+/=.{HIDDEN}-])"
_ALL_BUT_LETTERS = lazily(rf"(?:(?=\x1b){CSI}[@-~]|{STRING}|[{HIDDEN}]|{_RETURNED})+")
"""Everything hidden, except letters that only a whole sequence removes."""
_LONGEST_EDITED = 4_000
"""Characters of a line in which a terminal inserts and deletes; a row of a screen is far shorter."""
_BLANK = -1


class _Colours(NamedTuple):
    """The runs of colours in a text, and the text without them."""

    starts: array[int]
    ends: array[int]
    text: str
    begun: array[int]
    """Beginnings of the pieces between colours in the text without them; none is empty."""
    firsts: array[int]
    """Beginnings of these pieces in the text."""


class Seen:
    """A reading of a text: with the same number of lines, and the original place of each character."""

    def __init__(self, text: str, starts: array[int], origins: array[int], before: Seen | None) -> None:
        self.text = text
        self._starts = starts
        """Beginnings of pieces that were contiguous in the original; none is empty."""
        self._origins = origins
        self._before = before

    @functools.cached_property
    def _split(self) -> _Colours:
        """Return where colours are, and the text without them.

        It is no reading: that would refer back to this one, and both would stay in memory for long.
        """
        pieces = _COLOURS.split(self.text)
        plain = pieces[::2]
        borders = array("q", accumulate(map(len, pieces)))
        firsts = array("q", (0,)) + borders[1::2]
        begun = array("q", accumulate(map(len, plain), initial=0))
        # Runs of colours have text between them: only the first and the last piece can be empty.
        full = slice(not plain[0], len(plain) - (len(plain) > 1 and not plain[-1]))
        return _Colours(borders[:-1:2], borders[1::2], "".join(plain), begun[:-1][full], firsts[full])

    @property
    def colours(self) -> tuple[array[int], array[int]]:
        """Return the beginnings and ends of runs of colours."""
        return self._split.starts, self._split.ends

    @property
    def without_colours(self) -> Seen:
        """Return the text without its colours."""
        split = self._split
        return Seen(split.text, split.begun, split.firsts, self)

    @functools.cached_property
    def uncoloured(self) -> list[int]:
        """Return the places of hidden characters, and of returns within a line, except those of colours."""
        plain = self.without_colours
        places = map(re.Match.start, _HIDDEN_OR_RETURN.finditer(plain.text)) if hides(plain.text) else ()
        if not self.colours[0]:
            return list(places)
        returns = map(re.Match.start, _RETURN_BEFORE.finditer(self.text))
        return sorted({*plain._iter_origins(places), *returns})

    @property
    def has_colours(self) -> bool:
        """Return whether a colour begins anywhere."""
        return COLOUR.search(self.text) is not None

    def has(self, pattern: re.Pattern[str]) -> bool:
        """Return whether a pattern matches at a hidden character that does not begin a colour."""
        return any(map(pattern.match, repeat(self.text), self.uncoloured))

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Return the span (end not included) of some characters in the original text."""
        first = max(bisect_right(self._starts, start) - 1, 0)
        low, high = sys.maxsize, 0
        for place in range(first, len(self._starts)):
            begin = self._starts[place]
            if begin >= end:
                break
            stop = self._starts[place + 1] if place + 1 < len(self._starts) else len(self.text)
            origin = self._origins[place]
            if origin != _BLANK:
                low = min(low, origin + max(start - begin, 0))
                high = max(high, origin + min(end, stop) - begin)
        if high <= low:
            return 0, 0
        return self._before.origin(low, high) if self._before else (low, high)

    @property
    def is_local(self) -> bool:
        """Return whether it depends on the text alone, and differs only at more than a colour left out."""
        before = self._before
        return before is not None and before._before is None and "\b" not in before.text

    def joints(self) -> list[int]:
        """Return in order the places of characters that are neighbours here but not in the text."""
        if self._before is None:
            return []
        own = self._starts if not self._starts or self._origins[0] else self._starts[1:]
        below = map(self._place_of, self._before.joints())
        last = self._origins[-1] + len(self.text) - self._starts[-1] if self._starts else 0
        return sorted([*own, *below, *([len(self.text)] if last < len(self._before.text) else [])])

    def joints_but_colours(self) -> list[int]:
        """Return the same for a local reading, except places where colours alone are left out."""
        joints = [*self._starts, len(self.text)]
        if self._before and not self._before.colours[0]:
            return joints[1:] if self._starts and not self._origins[0] else joints
        after = {bisect_right(self._origins, at) for at in self._before.uncoloured} if self._before else set()
        # Text up to the next one may be left out in another reading.
        return [joints[at] for at in sorted(after | {at + 1 for at in after}) if at < len(joints)]

    def find_part(self, part: range) -> range:
        """Return the place of a part of the text in a local reading."""
        return range(self._place_of(part.start), self._place_of(part.stop))

    def _iter_origins(self, places: Iterable[int]) -> Iterator[int]:
        """Yield the original places of the characters at some places, in order."""
        shift = after = 0
        for at in places:
            if at >= after:
                piece = bisect_right(self._starts, at)
                shift = self._origins[piece - 1] - self._starts[piece - 1]
                after = self._starts[piece] if piece < len(self._starts) else len(self.text)
            yield at + shift

    def _place_of(self, origin: int) -> int:
        """Return the place of an original place, or the one before it if it is left out."""
        piece = bisect_right(self._origins, origin) - 1
        end = self._starts[piece + 1] if piece + 1 < len(self._starts) else len(self.text)
        return min(self._starts[piece] + origin - self._origins[piece], end) if piece >= 0 else 0


def read_plainly(text: str) -> Seen:
    """Return a text as it is."""
    return Seen(text, array("q", (0,)), array("q", (0,)), None)


def weaves(read: Seen) -> bool:
    """Return whether anything hidden can part the letters of a key; fast if nothing is hidden."""
    return hides(read.text) and (read.has_colours or read.has(_WEAVES))


def readings(text: str) -> Iterator[Seen]:
    """Yield the readings of a text that differ from it and from each other; none if nothing is hidden.

    They are the result of `terminal.cleaning`, its letters alone, and the final screen.
    """
    whole, known = read_plainly(text), {text}
    for seen in _all_readings(whole) if weaves(whole) else ():
        if seen.text not in known:
            known.add(seen.text)
            yield seen


def _all_readings(whole: Seen) -> Iterator[Seen]:
    if not whole.uncoloured:
        yield whole.without_colours
    elif "\b" in whole.text:
        yield _remove(_obey_backspaces(_remove(whole, _SEQUENCES), _BACKSPACE), _HIDDEN)
    else:
        yield _remove(whole, _SEQUENCES_AND_HIDDEN)
    if whole.has(_ODD):
        yield _remove(whole, _ALL_BUT_LETTERS)
    if "D" in whole.text and whole.has(_BACK):
        yield _remove(_obey_backspaces(_remove(whole, _SEQUENCES_BUT_BACK), _BACK), _HIDDEN)
    if whole.has(_MOVED):
        yield _remove(_replay_moves(whole), _SEQUENCES_AND_HIDDEN)


def _remove(read: Seen, pattern: re.Pattern[str]) -> Seen:
    """Return a reading without its colours and without matches of a pattern at hidden characters."""
    starts, ends = array("q"), array("q")
    first, last = read.colours[0] + array("q", (len(read.text),)), read.colours[1]
    at = done = 0
    for start in read.uncoloured:
        hit = pattern.match(read.text, start) if start >= at else None
        if hit is None:
            continue
        if first[done] < start:
            begun, done = done, bisect_left(first, start, done)
            starts += first[begun:done]
            ends += last[begun:done]
        starts.append(start)
        ends.append(at := hit.end())
        if first[done] < at:
            done = bisect_left(first, at, done)
    firsts = array("q", (0,)) + ends + last[done:]
    pieces = map(read.text.__getitem__, map(slice, firsts, starts + first[done:]))
    return _join_pieces(read, list(pieces), firsts)


def _join_pieces(read: Seen, pieces: Sequence[str], firsts: array[int]) -> Seen:
    """Return the reading that consists of these pieces of another, in order, some of them empty."""
    sizes = array("q", map(len, pieces))
    begun = array("q", accumulate(sizes, initial=0))[:-1]
    return Seen(
        "".join(pieces), array("q", compress(begun, sizes)), array("q", compress(firsts, sizes)), read
    )


def _of_pieces(read: Seen, pieces: list[tuple[int, int]]) -> Seen:
    """Return the reading that consists of pieces of another; one that starts at -1 is blanks."""
    starts, origins, size = array("q"), array("q"), 0
    for start, end in pieces:
        starts.append(size)
        origins.append(start)
        size += 1 if start == _BLANK else end - start
    text = "".join([" " if start == _BLANK else read.text[start:end] for start, end in pieces])
    return Seen(text, starts, origins, read)


def _obey_backspaces(read: Seen, back: re.Pattern[str]) -> Seen:
    """Obey backspaces: each removes the character before it in its frame."""
    kept: list[tuple[int, int]] = []
    text, at = read.text, 0
    for hit in back.finditer(text):
        if hit.start() > at:
            kept.append((at, hit.start()))
        at = hit.end()
        left = int(hit[1] or 1) if hit.re.groups else 1
        while left > 0 and kept and text[kept[-1][1] - 1] not in "\n\r":
            start, end = kept.pop()
            border = max(text.rfind("\n", start, end), text.rfind("\r", start, end)) + 1
            stop = max(end - left, start, border)
            left -= end - stop
            if stop > start:
                kept.append((start, stop))
    if at < len(text):
        kept.append((at, len(text)))
    return _of_pieces(read, kept)


def _replay_moves(whole: Seen) -> Seen:
    """Return the text with its lines as a terminal finally shows them, if it moved back in one."""
    pieces: list[tuple[int, int]] = []
    text, at = whole.text, 0
    for start in whole.uncoloured:
        hit = _MOVED.match(text, start) if start >= at else None
        if hit is None:
            continue
        line = text.rfind("\n", at, hit.start()) + 1 or at
        end = text.find("\n", hit.end())
        end = end if end >= 0 else len(text)
        if line > at:
            pieces.append((at, line))
        pieces += _runs(_ScreenRow(text).shown(line, end))
        at = end
    if at < len(text):
        pieces.append((at, len(text)))
    return _of_pieces(whole, pieces)


def _runs(cells: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the runs of places that follow each other, and each blank."""
    borders = [place for place, (one, other) in enumerate(pairwise(cells), 1) if other != one + 1]
    for start, end in pairwise([0, *borders, len(cells)] if cells else []):
        yield cells[start], cells[end - 1] + 1


class _ScreenRow:
    """A row of a screen: the character of a text in each cell, or `_BLANK`, and the cursor.

    The row has no end, and a move beyond its content leaves one blank.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._cells: list[int] = []
        self._cursor = 0

    def shown(self, start: int, end: int) -> list[int]:
        """Return the remaining cells of a line of the text."""
        at, over = max(start, self._find_last_clearing(start, end)), False
        for hit in _HIDDEN_OR_RETURN.finditer(self._text, at, end):
            step = _STEP.match(self._text, hit.start(), end) if hit.start() >= at else None
            if step is None:
                continue
            if step.start() > at:
                self._write(at, step.start(), over=over)
                over = False
            over = step[0] == "\b" or (over and step[0] != "\r")
            self._move(step[0])
            at = step.end()
        if at < end:
            self._write(at, end, over=over)
        return self._cells

    def _find_last_clearing(self, start: int, end: int) -> int:
        """Return the place where a line is last cleared, so that nothing before matters, -1 if unsure.

        A hidden character right before an escape disables it.
        """
        place = self._text.rfind(_CLEARING, start, end)
        return -1 if place > start and is_hidden(self._text[place - 1]) else place

    def _write(self, start: int, end: int, *, over: bool) -> None:
        """Write characters; an underscore struck over a character underlines it."""
        cursor, cells = self._cursor, self._cells
        if over and self._text[start] == "_" and cursor < len(cells) and cells[cursor] != _BLANK:
            start, cursor = start + 1, cursor + 1
        if cursor > len(cells):
            cells.append(_BLANK)
        cells[cursor : cursor + end - start] = range(start, end)
        self._cursor = cursor + end - start

    def _move(self, step: str) -> None:
        if step == "\r":
            self._cursor = 0
        elif step == "\b":
            self._cursor = max(self._cursor - 1, 0)
        elif told := _MOVE.fullmatch(step):
            self._obey(told[2], max(int(told[1] or 1), 1), told[1])

    def _obey(self, what: str, count: int, said: str) -> None:
        cells, cursor = self._cells, self._cursor
        if what in "Ca":
            self._cursor = min(cursor + count, len(cells) + 1)
        elif what == "D":
            self._cursor = max(cursor - count, 0)
        elif what in "G`":
            self._cursor = min(count - 1, len(cells) + 1)
        elif what == "K":
            self._clear(said)
        elif len(cells) <= _LONGEST_EDITED:
            self._edit(what, min(count, len(cells)))

    def _clear(self, said: str) -> None:
        """Clear the row from the cursor on, up to it, or all of it."""
        if said in {"", "0"}:
            del self._cells[self._cursor :]
        elif said == "2":
            self._cells.clear()
            self._cursor = 0

    def _edit(self, what: str, count: int) -> None:
        """Delete, insert or blank `count` cells at the cursor."""
        cursor, cells = self._cursor, self._cells
        if what == "P":
            del cells[cursor : cursor + count]
        elif what == "@":
            cells[cursor:cursor] = [_BLANK] * min(count, _LONGEST_EDITED)
        else:
            end = min(cursor + count, len(cells))
            cells[cursor:end] = [_BLANK] * max(end - cursor, 0)
