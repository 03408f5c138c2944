"""Cuts a text into parts along its definitions: every line in exactly one part, in order."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

import attrs

from satchel.plugin_api import Part, Symbol, lazily, lines_of

NO_LINES = (0, 0)

CALLABLES = frozenset({"function", "method", "constructor", "property", "macro", "operator", "callback"})
MINOR = frozenset(
    {"prototype", "variable", "constant", "type", "typedef", "macro", "property", "module", "key", "event"}
)
TYPES = frozenset(
    {"class", "interface", "struct", "enum", "trait", "impl", "record", "object", "union", "annotation"}
)


class Definition(NamedTuple):
    """A named run of lines; `depth` is the number of definitions around it."""

    name: str
    kind: str
    first: int
    """First line, of its doc comment or first decorator if it has one."""
    last: int
    head: tuple[int, int] = NO_LINES
    depth: int = 0

    @property
    def size(self) -> int:
        """Return the number of lines."""
        return self.last - self.first + 1

    @property
    def is_minor(self) -> bool:
        """Return whether it is too small to stand alone: a prototype, a constant, a one-line macro."""
        return self.kind in MINOR and self.size <= 4


class Outline(NamedTuple):
    """All that a reader found; definitions in order of their first line, outer before inner."""

    definitions: Sequence[Definition] = ()
    imports: Sequence[tuple[int, int]] = ()
    """Lines of statements that name other files."""
    refs: Sequence[tuple[int, str]] = ()
    """Names that are called or used as types, each with its line."""


def nest(found: Iterable[Definition]) -> list[Definition]:
    """Return the definitions sorted, each with its depth and cut to the end of its parent."""
    ordered = sorted(found, key=lambda each: (each.first, -each.last))
    open_until: list[int] = []
    result = []
    for each in ordered:
        while open_until and open_until[-1] < each.first:
            open_until.pop()
        name, kind, first, last, head, _ = each
        last = min(last, open_until[-1]) if open_until else last
        result.append(Definition(name, kind, first, last, head, len(open_until)))
        open_until.append(last)
    return result


def tidy(text: str, limit: int = 120) -> str:
    """Return `text` on one line, at most `limit` characters."""
    return " ".join(text.split())[:limit]


_CLOSING = lazily(
    r"[\])}>;,]+(\s*(while\b.*|//.*|/\*.*\*/|#.*))?|end[;,.]?(\s*#.*)?|fi|done|esac|\*/|#\s*endif.*|</\w+>"
)
_CONTINUES = lazily(r"[\])}]|(else|elif|elsif|except|catch|finally|rescue|ensure|then|do|end|fi|done)\b")
_COMMENT = lazily(r'#|//|/\*|\*|--|;|"""|\'\'\'|<!--|%')
_COMMENT_LINE = lazily(r"\s*(?:///?/?|//!|\*|/\*|#(?!\[)|--|;)|.*\*/\s*$")
_HEADING = lazily(
    r"#{1,6}\s+(?P<markdown>[^\s#].*?)(?:\s+#+)?|={1,4}\s+(?P<rdoc>\w[^=]*)"
    r"|.{0,20}<h[1-6][^>]*>(?P<html>.*?)(?:</h[1-6]>.*)?|[@\\](?:sub)*section\s+\S+\s+(?P<doxygen>\S.*)"
)
"""A heading in a comment."""
_LEADER = lazily(r"\s*(?:///?!?|//!|/\*[*!]?|\*|#|--+|;+|%+)")
_OPENED = lazily(r"/\*(?!.*\*/)|(\"\"\"|\'\'\')(?!.*\1)")
"""The opening of a comment or docstring that goes on in the next line."""
_UNDERLINE = lazily(r"={3,}|-{3,}|~{3,}|\^{3,}")
_TITLE = lazily(r"[A-Za-z][\w ,.:'()/&`-]{2,}")
_SAYS = lazily(r"\w")
_TAG = lazily(r"<[^>]*>|\{@\w+\s+([^}]*)\}")
_LICENCE = lazily(
    r"(?i)\b(licensed under|licen[cs]e,? version|copyright|spdx-license|permission is hereby granted"
    r"|redistribution and use|without warranty|all rights reserved)"
)
_SHORTEST_LICENCE, _LONGEST_LICENCE = 3, 60
"""Least lines after the first of a licence in a part of its own, and the last line that is searched."""
_DEEPEST = 12
_MOST_REFS = 40
_LONGEST_HEAD = 1_600
_MOST_LOOKED_AT = 400
_MOST_PARTS = 2_000
"""Each part takes time to weigh and to choose."""


@attrs.frozen(eq=False, repr=False)
class PartSizes:
    """Limits in lines: of text that stays whole, and of the runs that longer text is cut into."""

    small: int = 25
    """A container of at most this many lines stays one part."""
    whole: int = 90
    """Anything else of at most this many lines stays one part."""
    run_min: int = 40
    run_max: int = 80
    block: int = 60
    """The longest run of lines between definitions."""
    minor: int = 24
    """The longest such run if it holds prototypes, constants or one-line macros."""
    documented: int = 40
    """A comment of at least this many lines above a definition is a page of its own."""
    chapter: int = 6
    """The shortest run that a heading in a comment begins."""


_SIZES = PartSizes()


def partition(text: str, outline: Outline, sizes: PartSizes = _SIZES) -> list[Part]:
    """Return the parts of `text`: they cover its lines once, and only the first may begin blank."""
    lines = lines_of(text)
    if not lines:
        return []
    found = nest(_within(outline.definitions, len(lines)))
    owners: dict[int, str] = {}
    if any(each.head[0] - each.first >= sizes.documented for each in found):
        found = [_without_page(each, lines, sizes, owners) for each in found]
    sheet = _Sheet(lines, found, sizes, owners)
    sheet.lay(outline.imports)
    return _fill(_fewer(_join_blank(sheet.pieces, lines)), sheet.definitions, outline.refs)


def _within(definitions: Iterable[Definition], count: int) -> Iterable[Definition]:
    """Yield the definitions as far as the text reaches: a parser may see a line after the last one."""
    for each in definitions:
        name, kind, first, last, head, depth = each
        if 1 <= first <= count:
            last = max(first, min(last, count))
            head = head if first <= head[0] <= head[1] <= last else NO_LINES
            yield Definition(name, kind, first, last, head, depth)


def _without_page(
    each: Definition, lines: Sequence[str], sizes: PartSizes, owners: dict[int, str]
) -> Definition:
    """Return a definition without the comment above it if that is long; `owners` gets its name."""
    last = each.head[0] - 1
    while last >= each.first and not _COMMENT_LINE.match(lines[last - 1]):
        last -= 1
    if last - each.first + 1 < sizes.documented:
        return each
    owners[each.first] = each.name
    return each._replace(first=last + 1)


def _find_licence(lines: Sequence[str]) -> int:
    """Return the last line of a licence in the comment at the beginning of a text, 0 without one."""
    first = next((at for at, line in enumerate(lines) if line.strip() and not line.startswith("#!")), 0)
    last = _end_of_comment(lines, first)
    if last - first < _SHORTEST_LICENCE or not _LICENCE.search("\n".join(lines[first : last + 1])):
        return 0
    while last + 1 < len(lines) and not lines[last + 1].strip():
        last += 1
    return last + 1


def _end_of_comment(lines: Sequence[str], first: int) -> int:
    """Return the index of the last line of the comment at an index, the index before it without one."""
    is_comment = first < len(lines) and _COMMENT.match(lines[first].strip())
    if not is_comment:
        return first - 1
    if lines[first].strip().startswith("/*"):
        return next((at for at in range(first, len(lines)) if "*/" in lines[at]), len(lines) - 1)
    others = (at for at in range(first, len(lines)) if not _COMMENT.match(lines[at].strip()))
    return next(others, len(lines)) - 1


@attrs.define(eq=False, repr=False)
class _Sheet:
    """The text that is being cut; `pieces` grows in order of lines."""

    lines: Sequence[str]
    definitions: list[Definition]
    sizes: PartSizes
    owners: dict[int, str] = attrs.field(factory=dict)
    """The definitions of comments that are parts of their own, by first line."""
    pieces: list[Part] = attrs.field(factory=list)

    def lay(self, imports: Sequence[tuple[int, int]]) -> None:
        """Cut the whole text; its first lines become a comment, imports and a block."""
        starts = [each.first for each in self.definitions if each.depth == 0 and not each.is_minor]
        until = (starts[0] if starts else len(self.lines) + 1) - 1
        licence = _find_licence(self.lines[: min(until, _LONGEST_LICENCE)])
        if licence:
            self.pieces.append(Part("licence", "", (1, licence)))
        begin = licence + 1
        after = self._preamble(begin, [each for each in imports if begin <= each[0] and each[1] <= until])
        self._members(after, len(self.lines), 0, "")

    def _preamble(self, start: int, imports: Sequence[tuple[int, int]]) -> int:
        """Lay down the lines from `start` to the last of the leading imports; return the line after them."""
        if not imports:
            return start
        ordered = sorted(imports)
        first, last = ordered[0]
        for begin, end in ordered[1:]:
            if begin - last > 8:
                break
            last = max(last, end)
        if sum(not self._blank(number) for number in range(start, first)) > 3:
            leading = next((line for line in self.lines[start - 1 :] if line.strip()), "").strip()
            kind = "comment" if _COMMENT.match(leading) else "block"
            self._text(start, first - 1, Part(kind, "", NO_LINES))
        else:
            first = start
        self._runs(first, last, Part("imports", "", NO_LINES))
        return last + 1

    def _members(self, first: int, last: int, index: int, owner: str) -> None:
        """Lay the definitions from `index` on that begin in first..last, and the lines between them."""
        cursor, depth = first, None
        while index < len(self.definitions) and self.definitions[index].first <= last:
            each = self.definitions[index]
            index += 1
            depth = each.depth if depth is None else min(depth, each.depth)
            if each.depth > depth or each.first < cursor or each.is_minor or each.last > last:
                continue
            self._gap(cursor, each.first - 1, owner)
            self._definition(each, index)
            cursor = each.last + 1
        self._gap(cursor, last, owner)

    def _definition(self, each: Definition, index: int) -> None:
        """Lay one definition; `index` is that of the first definition inside it."""
        whole = self.sizes.whole
        if each.kind not in CALLABLES and self._has_members(each, index):
            whole = 0 if each.kind == "namespace" else self.sizes.small  # its members show what it is
        if each.size <= whole or each.depth >= _DEEPEST:
            head = each.head if each.head[1] <= each.last else NO_LINES
            self.pieces.append(Part(each.kind, each.name, (each.first, each.last), head))
            return
        at_least = max(each.head[1], each.first)
        inner = next(
            (
                position
                for position in range(index, len(self.definitions))
                if self._splits(self.definitions[position], each, at_least)
                or self.definitions[position].first > each.last
            ),
            len(self.definitions),
        )
        begins = self.definitions[inner].first if inner < len(self.definitions) else each.last + 1
        opening_last = min(begins - 1, each.last)
        opening = Part(each.kind, each.name, NO_LINES, each.head, (each.first, each.last))
        chapters = _find_chapters(self.lines, at_least + 1, opening_last, self.sizes)
        banners = _find_banners(chapters, self.lines)
        chapters = [one for one in chapters if one not in banners.values()]
        begins = next((number for number, title in chapters if title), opening_last + 1)
        self._runs(each.first, begins - 1, opening)
        if begins <= opening_last:
            block = Part("block", each.name, NO_LINES)
            self._lay_chapters(chapters, opening_last, block, each.name, of_code=banners)
        if opening_last < each.last:
            self._members(opening_last + 1, each.last, inner, each.name)

    def _has_members(self, each: Definition, index: int) -> bool:
        following = takewhile(
            lambda member: member.first <= each.last, self.definitions[index : index + _MOST_LOOKED_AT]
        )
        return any(member.depth > each.depth and not member.is_minor for member in following)

    def _splits(self, member: Definition, owner: Definition, after: int) -> bool:
        """Return whether a member is worth a part of its own inside `owner`."""
        inside = after < member.first <= owner.last and member.depth > owner.depth
        return inside and not member.is_minor and (owner.kind not in CALLABLES or member.size >= 5)

    def _gap(self, first: int, last: int, owner: str) -> None:
        """Lay the lines between definitions: closing brackets go to the part before, the rest is a block."""
        begin = first
        while begin <= last and (self._blank(begin) or (self.pieces and self._closes(begin))):
            begin += 1
        if self.pieces and begin > first:
            before = self.pieces[-1]
            self.pieces[-1] = before._replace(lines=(before.lines[0], begin - 1))
            first = begin
        if first <= last:
            self._text(first, last, Part("block", owner, NO_LINES))

    def _text(self, first: int, last: int, model: Part) -> None:
        """Lay lines without definitions of their own: a heading in a comment begins a run with its name."""
        page = next((number for number in self.owners if first <= number <= last), first)
        if page > first:
            self._runs(first, page - 1, model)
            first = page
        owner = self.owners.get(first, "")
        opening = model._replace(kind="comment", name=owner) if owner else model
        chapters = _find_chapters(self.lines, first, last, self.sizes)
        begins = chapters[0][0] if chapters else last + 1
        if begins > first:
            self._runs(first, begins - 1, opening)
        self._lay_chapters(chapters, last, model, owner)

    def _lay_chapters(
        self,
        chapters: Sequence[tuple[int, str]],
        last: int,
        model: Part,
        owner: str,
        *,
        of_code: Container[int] = (),
    ) -> None:
        """Lay the chapters below headings, up to `last`; `owner` is the subject of the comment.

        The headings at the lines `of_code` are above code.
        """
        ends = [number - 1 for number, _ in chapters[1:]] + [last]
        for (begins, title), end in zip(chapters, ends, strict=False):
            name = f"{owner}: {title}" if owner else title
            kind = "block" if begins in of_code else "comment"
            self._runs(begins, end, Part(kind, name, NO_LINES) if title else model)

    def _runs(self, first: int, last: int, model: Part) -> None:
        """Lay first..last as runs: the first is `model`, the others are blocks with its name."""
        at_least = max(model.head[1], first)
        longest = self._longest(first, last, model)
        while first <= last:
            until = last if last - first < longest[2] else self._cut(max(first, at_least), last, longest)
            kind, name, _, head, span, *_ = model
            self.pieces.append(Part(kind, name, (first, until), head, span))
            model = Part("block" if model.kind != "comment" else "comment", model.name, NO_LINES)
            first = until + 1

    def _longest(self, first: int, last: int, model: Part) -> tuple[int, int, int]:
        """Return the shortest and the longest run, and the longest text that stays whole."""
        sizes = self.sizes
        if model.kind not in ("block", "comment"):
            return sizes.run_min, sizes.run_max, sizes.whole
        low = bisect_right(self.definitions, first - 1, key=lambda each: each.first)
        high = bisect_right(self.definitions, last, key=lambda each: each.first)
        most = sizes.minor if high - low > 3 else sizes.block
        return most // 2, most, most

    def _cut(self, first: int, last: int, longest: tuple[int, int, int]) -> int:
        """Return the last line of the run that begins at `first`."""
        shortest, most, _ = longest
        window = range(first + shortest, min(first + most, last) + 1)
        if not window:
            return last
        best = max(window, key=self._fitness)
        while best <= last and self._blank(best):
            best += 1
        return best - 1

    def _fitness(self, number: int) -> tuple[int, int, int]:
        """Return how well a run may begin at this line: outer statements after a blank line do best."""
        line = self.lines[number - 1]
        stripped = line.lstrip()
        if not stripped:
            return (-2, 0, 0)
        indent = len(line) - len(stripped)
        after_blank = number > 1 and self._blank(number - 1)
        return (-bool(_CONTINUES.match(stripped)), -indent + 4 * after_blank, number)

    def _blank(self, number: int) -> bool:
        line = self.lines[number - 1]
        return not line or line.isspace()

    def _closes(self, number: int) -> bool:
        line = self.lines[number - 1]
        return len(line) < 120 and _CLOSING.fullmatch(line.strip()) is not None


def _find_chapters(lines: Sequence[str], first: int, last: int, sizes: PartSizes) -> list[tuple[int, str]]:
    """Return where chapters of comments begin in first..last, with their titles, if there is much to read."""
    if last - first < sizes.block // 2:
        return []
    chapters: list[tuple[int, str]] = []
    for number, title in _find_headings(lines, first, last):
        if not title or not chapters or number - chapters[-1][0] >= sizes.chapter:
            chapters.append((number, title))
    return chapters


def _find_banners(chapters: Sequence[tuple[int, str]], lines: Sequence[str]) -> dict[int, tuple[int, str]]:
    """Return where comments begin that are nothing but a title, with the chapter of code below each.

    `### Parse output ###` belongs to the code that parses.
    """
    return {
        begins: below
        for (begins, title), below in pairwise(chapters)
        if title and not below[1] and not any(map(_SAYS.search, lines[begins : below[0] - 1]))
    }


def _find_headings(lines: Sequence[str], first: int, last: int) -> Iterator[tuple[int, str]]:
    """Yield the headings of comments and docstrings, with their lines, and "" where such a comment ends.

    Headings in fenced examples do not count.
    """
    closing, is_fenced, is_titled = "", False, False
    for number in range(first, last + 1):
        line = lines[number - 1]
        leader = _LEADER.match(line) if closing != '"""' else None
        opened = _OPENED.search(line) if not closing else None
        if not closing and leader is None and opened is None:
            is_fenced = is_fenced and not line.strip()
            if is_titled and line.strip():
                yield number, ""
                is_titled = False
            continue
        text = line[leader.end() :].strip() if leader is not None else line.strip()
        if text.startswith(("```", "~~~")):
            is_fenced = not is_fenced
        elif not is_fenced and (title := _read_heading(text, lines[number : number + 1])):
            yield number, title
            is_titled = True
        if opened is not None:
            closing = "*/" if opened[0] == "/*" else opened[0]
            is_fenced = False
        elif closing and closing in line:
            closing = ""


def _read_heading(text: str, after: Sequence[str]) -> str:
    """Return the title of a heading, given without the mark of its comment; "" for any other line."""
    found = _HEADING.fullmatch(text)
    if found is not None:
        return tidy(_TAG.sub(r"\1", next(filter(None, found.groups()), "")))
    below = after[0].strip() if after else ""
    is_underlined = _TITLE.fullmatch(text) and len(text) <= len(below) and _UNDERLINE.fullmatch(below)
    return tidy(text) if is_underlined else ""


def _join_blank(pieces: list[Part], lines: Sequence[str]) -> list[Part]:
    """Return the pieces with a blank first one joined to the second, without heads that can't be alone."""
    if len(pieces) > 1:
        first, last = pieces[0].lines
        if not any(line.strip() for line in lines[first - 1 : last]):
            pieces = [pieces[1]._replace(lines=(first, pieces[1].lines[1])), *pieces[2:]]
    return [piece if _has_head(piece, lines) else piece._replace(head=NO_LINES) for piece in pieces]


def _fewer(pieces: list[Part]) -> list[Part]:
    """Return at most `_MOST_PARTS` pieces: of more, neighbours are joined in blocks."""
    count = len(pieces)
    if count <= _MOST_PARTS:
        return pieces
    each = -(-count // _MOST_PARTS)
    groups = (pieces[at : at + each] for at in range(0, count, each))
    return [Part("block", "", (group[0].lines[0], group[-1].lines[1])) for group in groups]


def _has_head(piece: Part, lines: Sequence[str]) -> bool:
    """Whether the head lies inside the piece (broken source can put it elsewhere) and is not endless."""
    first, last = piece.head
    if not piece.lines[0] <= first <= last <= piece.lines[1]:
        return False
    return sum(map(len, lines[first - 1 : last])) <= _LONGEST_HEAD


def _fill(
    pieces: Sequence[Part], definitions: Sequence[Definition], refs: Sequence[tuple[int, str]]
) -> list[Part]:
    """Return the pieces with the symbols that begin in each, and the names that each uses."""
    starts = [piece.lines[0] for piece in pieces]
    symbols: list[list[Symbol]] = [[] for _ in pieces]
    for name, kind, first, last, head, _ in definitions:
        own = symbols[max(0, bisect_right(starts, first) - 1)]
        own.append(Symbol(name, kind, (first, last), head))
    used = _used(starts, refs)
    return [
        _name_piece(piece, own, _rank_names(used[at], own) if at in used else ())
        for at, (piece, own) in enumerate(zip(pieces, symbols, strict=True))
    ]


def _used(starts: Sequence[int], refs: Sequence[tuple[int, str]]) -> dict[int, dict[str, int]]:
    """Count the names that each piece uses, by its number."""
    used: dict[int, dict[str, int]] = {}
    for line, name in refs:
        names = used.setdefault(max(0, bisect_right(starts, line) - 1), {})
        names[name] = names.get(name, 0) + 1
    return used


def _name_piece(piece: Part, symbols: Sequence[Symbol], refs: tuple[str, ...]) -> Part:
    """Return a piece with its symbols; a block that is one small definition has that definition's name."""
    kind, name, lines, head, span, *_ = piece
    if kind == "block" and len(symbols) == 1 and lines[1] - lines[0] <= 4:
        name, kind, _, head = symbols[0]
        head = head if head[1] <= lines[1] else NO_LINES
    return Part(kind, name, lines, head, span, tuple(symbols), refs)


def _rank_names(names: Mapping[str, int], symbols: Sequence[Symbol]) -> tuple[str, ...]:
    own = {symbol.name.rpartition(".")[2] for symbol in symbols}
    ranked = sorted([name for name in names if name not in own], key=names.__getitem__, reverse=True)
    return tuple(ranked[:_MOST_REFS])
