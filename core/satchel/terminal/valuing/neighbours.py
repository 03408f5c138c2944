"""What a line that matters needs beside it: headers, places, causes, and what stands around them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from satchel.patterns import lazily
from satchel.terminal.folding import FIELDS, Kept, opens_record
from satchel.terminal.judging import Rank

_CORE = 36.0
"""Lines of this value and more bring their neighbours along."""
_PLACE = lazily(r"^\s*--> |\w\.[A-Za-z]\w{0,9}(?::\d+|\(\d+|[\"']?,? line \d+)|\bline \d+\b")
_FOREIGN = lazily(
    r"/rustc/|node_modules/|node:internal|\(internal/|site-packages/|dist-packages/|/usr/(?:lib"
    r"|include|local/lib)/|/lib/python\d|<frozen |\bat (?:java|javax|jdk|sun|org\.(?:junit"
    r"|gradle|apache|springframework)|com\.sun|kotlin|scala)\."
    r"|/go/src/(?:runtime|testing)/|/gems/|/vendor/|core::|std::(?:rt|panic|sys)|at (?:async )?(?:Module"
    r"|Object)\._|processTicksAndRejections|\.\.\. \d+ more"
)
"""Frames of runtimes and libraries."""
_FAR = 30
_ANNOUNCED, _NEXT = 8, 3.0
"""Lines below one that announces them; and what the first of them is worth less."""
_ANNOTATION = lazily(r"(?:\^|~~|---|━) +[A-Za-z`‘'\"]")
"""What a compiler writes below a piece of code."""
_WORDS = lazily(r"\w+")
_FIELD = lazily(r"[A-Z][\w-]{0,30}(?: [\w-]{1,30}){0,3}: +\S")
_LEAD = 4
_HEADER = 10
_FILE_NAMED = lazily(r"(?:^|[\s\"'\[(/])[\w@+-][\w./@+-]*\.[a-z]\w{0,4}(?![\w.(/])")
_INDENT = lazily(r"[\s│├└─┬╰╭┌]*")
_COMMON = 6
"""Lines of a family from which one beside an error is no context of it."""


def lift_neighbours(lines: Sequence[Kept], values: list[float]) -> None:
    """Let lines that matter lend their value to those that they need: what stands above, places, causes."""
    indents = [indent(line.text) for line in lines]
    above = _ancestors(lines, indents)
    own = list(values)
    for at, worth in enumerate(own):
        if worth < _CORE:
            continue
        for place, less in _needed(lines, indents, above, at):
            values[place] = max(values[place], worth - less)


def _needed(
    lines: Sequence[Kept], indents: Sequence[int], above: Sequence[int], at: int
) -> Iterable[tuple[int, float]]:
    """Yield the places of the lines that a line needs, and how much less they are worth than it."""
    parent = above[at]
    if parent >= 0:
        yield parent, 8.0
        if above[parent] >= 0:
            yield above[parent], 14.0
    header = _header(lines, at)
    if header >= 0:
        yield header, 4.0
    opening = _opening(lines, at)
    if opening >= 0:
        yield opening, 4.0
    yield from _following(lines, indents, at)
    if lines[at].family.judgement.rank is not Rank.VERDICT:
        yield from _preceding(lines, indents, at)


def _following(lines: Sequence[Kept], indents: Sequence[int], at: int) -> Iterable[tuple[int, float]]:
    less, placed = 1.0, _PLACE.search(lines[at].text) is not None
    less += 7.0 * (lines[at].family.judgement.rank is Rank.FAILURE)
    yield from _announced(lines, at)
    for place in range(at + 1, min(at + 9, len(lines))):
        line = lines[place]
        rank = line.family.judgement.rank
        if line.number == lines[at].number:
            less += 3.0
            yield place, less
            continue
        if _begins_another(lines, place, at):
            break
        if rank is Rank.NOISE:
            less += 1.0
        elif _FOREIGN.search(line.text):
            less += 0.5
            yield place, 30.0
        elif not placed and _PLACE.search(line.text):
            placed = True
            yield place, min(less, 6.0)
        elif _ANNOTATION.search(line.text):
            yield place, min(less, 5.0)
        elif _is_inner(rank, indents, place, at):
            less += 4.0
            yield place, less + 6.0
        else:
            less += 10.0
            if _is_another(line, lines[at]):
                break
            yield place, less + 6.0
    if not placed:
        yield from _place_below(lines, at)


def _place_below(lines: Sequence[Kept], at: int) -> Iterable[tuple[int, float]]:
    """Yield the first place in the program's own files below an error, where no other error comes between."""
    for place in range(at + 1, min(at + _FAR, len(lines))):
        line = lines[place]
        if line.family.judgement.rank >= Rank.WARNING or line.number > lines[at].number + _FAR:
            return
        if _PLACE.search(line.text) and not _FOREIGN.search(line.text):
            yield place, 6.0
            return


def _preceding(lines: Sequence[Kept], indents: Sequence[int], at: int) -> Iterable[tuple[int, float]]:
    less, placed = 3.0, _is_placed(lines[at].text)
    for place in range(at - 1, max(at - 30, -1), -1):
        line = lines[place]
        rank = line.family.judgement.rank
        if line.number == lines[at].number:
            less += 5.0
            yield place, less
            continue
        inside = rank is Rank.WARNING and indents[place] > indents[at]
        if _ends_before(line, lines[place + 1], less) and not inside:
            return
        if rank is Rank.NOISE or _FOREIGN.search(line.text):
            continue
        if not placed and _PLACE.search(line.text):
            placed = True
            yield place, 2.0
        elif _is_inner(rank, indents, place, at):
            less += 4.0
            yield place, less + 3.0
        else:
            less += 10.0
            if _is_another(line, lines[at]):
                return
            yield place, less


def _is_placed(text: str) -> bool:
    return _PLACE.search(text) is not None and not _FOREIGN.search(text)


def _is_inner(rank: Rank, indents: Sequence[int], place: int, at: int) -> bool:
    return rank is Rank.DETAIL or indents[place] > indents[at]


def _is_another(line: Kept, of: Kept) -> bool:
    """Whether a line is one of many, or a record like the one that it stands beside."""
    return line.family.count > _COMMON or _is_record(line.text, of.text)


def _announced(lines: Sequence[Kept], at: int) -> Iterable[tuple[int, float]]:
    """Yield the lines below one that says that what stands there says what is wrong."""
    if not lines[at].text.endswith(":"):
        return
    less = 2.0
    for place in range(at + 1, min(at + 1 + _ANNOUNCED, len(lines))):
        apart = lines[place].number - lines[place - 1].number > 1 + (less > _NEXT)
        if apart or (less > _NEXT and lines[place].family.judgement.rank >= Rank.ERROR):
            return
        if lines[place].family.judgement.rank is not Rank.NOISE:
            less += 1.0
            yield place, less


def _begins_another(lines: Sequence[Kept], place: int, at: int) -> bool:
    line = lines[place]
    gap = line.number > lines[place - 1].number + 1 + (place == at + 1)
    return gap or line.family.judgement.rank >= Rank.WARNING


def _is_record(text: str, other: str) -> bool:
    """Tell whether two lines are records of one log: both begin with a time or a brace of one form."""
    lead = _lead(text)
    return len(lead) >= _LEAD and lead == _lead(other)


def _lead(text: str) -> str:
    first = text[:80].split(" ", 1)[0]
    return _WORDS.sub("w", first) if first[:1] in "{[" or any(map(str.isdigit, first)) else ""


def _header(lines: Sequence[Kept], at: int) -> int:
    """Return the place of the line above that names the file of a line which names none, -1 without one."""
    if lines[at].family.judgement.rank not in (Rank.WARNING, Rank.ERROR) or _names_file(lines[at].text):
        return -1
    for place in range(at - 1, max(at - _HEADER, -1), -1):
        if _names_file(lines[place].text):
            return -1 if _is_record(lines[place].text, lines[at].text) else place
    return -1


def _opening(lines: Sequence[Kept], at: int) -> int:
    """Return the place of the first field of the record that a line is a field of, -1 without one.

    It says what the record is about.
    """
    if lines[at].start:
        return opening_piece(lines, at)
    first = at
    while first and at - first < _HEADER and _FIELD.match(lines[first].text):
        if lines[first - 1].number != lines[first].number - 1:
            return first if first < at else -1
        first -= 1
    return -1


def opening_piece(lines: Sequence[Kept], at: int) -> int:
    """Return the same for a piece of a very long line."""
    for place in range(at, max(at - FIELDS, 0) - 1, -1):
        if opens_record(lines[place].text) or not lines[place].start:
            return place if place < at and lines[place].number == lines[at].number else -1
    return -1


def _names_file(text: str) -> bool:
    return "." in text and _FILE_NAMED.search(text[:300]) is not None


def _ends_before(line: Kept, following: Kept, less: float) -> bool:
    """Tell whether a line belongs to no error below: a gap, another error, or too much between."""
    return line.number < following.number - 1 or line.family.judgement.rank >= Rank.WARNING or less > 25.0


def _ancestors(lines: Sequence[Kept], indents: Sequence[int]) -> list[int]:
    """Return for each line the nearest line above that is indented less, -1 where there is none."""
    above: list[int] = []
    stack: list[int] = []
    for at, line in enumerate(lines):
        if line.family.judgement.rank is Rank.NOISE:
            above.append(-1)
            continue
        while stack and indents[stack[-1]] >= indents[at]:
            stack.pop()
        above.append(stack[-1] if stack else -1)
        stack.append(at)
    return above


def indent(text: str) -> int:
    """Return how far a line is indented, by blanks or by the branches of a tree."""
    found = _INDENT.match(text)
    return found.end() if found else 0
