"""Splits unified diffs into their hunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from satchel.plugin_api import ContextItem, Part, Symbol, lazily, lines_of

_HUNK = lazily(r"@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@(.*)")
_DEFINES = lazily(
    r"[ \t]{0,200}(?:[\w#]{1,40}(?:\([\w: ]{1,40}\))?[ \t]{1,4}){0,6}?"
    r"(def|class|func|fn|function|struct|enum|trait|interface|type|module)[ \t]{1,20}"
    r"(?:class[ \t]{1,20})?(?:\([^)\n]{0,80}\)[ \t]{0,8})?([^\W\d]\w{0,79})"
)
_IS_USE = lazily(r"[ \t]{0,20}(?:[*&,)]|(?!(?:extends|final|implements|is|where)\b)\w)")
"""Text after the name of a struct or an enum that is only used: `struct cart *c`, `enum state now`."""
_C_TAGS = frozenset({"struct", "enum"})
_CALLABLE = lazily(r"([^\W\d][\w.:]{0,79})[ \t]{0,8}\(")
_C_HEAD = lazily(r"(?:[A-Za-z_]\w{0,79}[ \t*&]{1,8}){1,6}[A-Za-z_][\w:]{0,79}[ \t]{0,8}\([^=;]{0,300}\Z")
"""The head of a function of C and its like, at the beginning of a line."""
_LONGEST = 80
"""Most lines of a hunk in one part; a longer hunk is cut there."""


@attrs.frozen(eq=False, repr=False)
class Diffs:
    """Hunks of a unified diff: each is a part, named after the first definition that it changes."""

    name, version = "diffs", "1"

    def claims(self, item: ContextItem) -> float:
        """Return 0.95 for a diff, 0.9 for a patch file."""
        if item.kind == "diff":
            return 0.95
        return 0.9 if item.path.lower().endswith((".diff", ".patch")) else 0.0

    def split(self, item: ContextItem) -> Sequence[Part]:
        """Return one part per hunk with its `@@` line as head, names of files with the hunk after them."""
        lines = lines_of(item.text or "")
        starts = list(_hunks(lines))
        parts: list[Part] = []
        for at, start in enumerate(starts):
            first = _with_header(lines, start, starts[at - 1] if at else 0)
            if parts:
                parts[-1] = parts[-1]._replace(lines=(parts[-1].lines[0], first - 1))
            parts.append(_part(lines, first, start, len(lines)))
        return [piece for part in parts for piece in _cut(part, lines)]


def _hunks(lines: Sequence[str]) -> Iterator[int]:
    """Yield the number of each line that opens a hunk; lines within one can't."""
    number = 1
    while number <= len(lines):
        found = _HUNK.match(lines[number - 1])
        if found:
            yield number
            number = _after(lines, number, int(found[1] or 1), int(found[2] or 1))
        else:
            number += 1


def _after(lines: Sequence[str], start: int, old: int, new: int) -> int:
    """Return the number of the line after a hunk of `old` and `new` lines."""
    number = start + 1
    while number <= len(lines) and (old > 0 or new > 0):
        mark = lines[number - 1][:1]
        if mark not in ("+", "-", " ", "\\", ""):
            break
        old -= mark in ("-", " ", "")
        new -= mark in ("+", " ", "")
        number += 1
    return number


def _with_header(lines: Sequence[str], start: int, before: int) -> int:
    """Return the first of the lines that name a hunk's file; before the first hunk, that is line 1."""
    if not before:
        return 1
    found = _HUNK.match(lines[before - 1])
    counts = (int(found[1] or 1), int(found[2] or 1)) if found else (0, 0)
    after = _after(lines, before, *counts)
    return min(start, after + (lines[after - 1 : after] == ["\\ No newline at end of file"]))


def _part(lines: Sequence[str], first: int, start: int, last: int) -> Part:
    place = _HUNK.match(lines[start - 1])
    counts = (int(place[1] or 1), int(place[2] or 1)) if place else (0, 0)
    body = lines[start : _after(lines, start, *counts) - 1]
    name = name_of_hunk(place[3] if place else "", body)
    return Part("hunk", name, (first, last), head=(start, start))


def name_of_place(place: str) -> str:
    """Return the name in git's text for a hunk's place: `class Cart:`, `int total(struct cart *c)`."""
    definition = find_definition(place.strip())
    called = _CALLABLE.search(place[:400])
    return definition[1] if definition is not None else called[1] if called else ""


def name_of_hunk(place: str, body: Sequence[str]) -> str:
    """Return the name of the definition that the first changed lines of a hunk write or are in.

    Git's text for the hunk's place is from above the hunk: a definition in the hunk itself is nearer, and
    changed lines that are not indented are in no definition.
    """
    changed = [at for at, line in enumerate(body) if line[:1] in ("+", "-") and line[1:].strip()]
    reaches_place = not changed
    for at in changed:
        depth = indent_of(body[at][1:])
        if (written := find_written_name(body[at][1:])) or not depth:
            if written:
                return written
            continue
        name, depth = find_enclosing([line[1:] for line in body[:at] if line[:1] != "\\"], depth)
        if name:
            return name
        if depth:
            reaches_place = True
            break
    named = name_of_place(place)
    is_known = find_definition(place.strip()) is not None
    return named if reaches_place or not is_known else ""


def find_enclosing(above: Sequence[str], depth: int) -> tuple[str, int]:
    """Return the innermost definition in some lines that encloses a text below, indented by `depth`.

    "" if there is none, and the least indentation on the way there: 0 if nothing can enclose it.
    """
    for line in reversed(above):
        own = indent_of(line)
        if line.strip() and own < depth:
            if name := find_written_name(line):
                return name, own
            depth = max(own, 1) if line.lstrip()[0] in "{)]}" else own
        if not depth:
            break
    return "", depth


def find_written_name(line: str) -> str:
    """Return the name that a line defines with a keyword, or as C does at the line's beginning."""
    definition = find_definition(line)
    if definition is not None:
        return definition[1]
    is_head = (
        not indent_of(line) and line.rstrip()[-1:] in ("{", ")", ",") and _C_HEAD.match(line) is not None
    )
    called = _CALLABLE.search(line[:400]) if is_head else None
    return called[1] if called else ""


def indent_of(line: str) -> int:
    """Return by how many columns a line is indented."""
    opening = line[:400].expandtabs()
    return len(opening) - len(opening.lstrip())


def find_definition(line: str) -> tuple[str, str] | None:
    """Return the keyword and the name of a definition that a line of code opens, None without one."""
    found = _DEFINES.match(line[:400])
    if found and found[1] in _C_TAGS and _IS_USE.match(line, found.end()):
        return None
    return (found[1], found[2]) if found else None


def _cut(part: Part, lines: Sequence[str]) -> Iterator[Part]:
    """Cut a long hunk into parts, and find the definitions in its changed lines."""
    first, last = part.lines
    for start in range(first, last + 1, _LONGEST):
        end = min(start + _LONGEST - 1, last)
        head = part.head if start <= part.head[0] <= end else (0, 0)
        symbols = tuple(_symbols(lines, start, end))
        yield part._replace(lines=(start, end), head=head, symbols=symbols)


def _symbols(lines: Sequence[str], first: int, last: int) -> Iterator[Symbol]:
    for number in range(first, last + 1):
        line = lines[number - 1]
        definition = find_definition(line[1:]) if line[:1] in ("+", "-") else None
        if definition is not None:
            yield Symbol(definition[1], definition[0], (number, number), (number, number))
