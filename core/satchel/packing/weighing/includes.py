"""Follow includes: a page on how to do something often includes its examples from other files.

The forms are those of MkDocs (snippets, `mdx-include`, `include-markdown`), Sphinx, MyST, mdBook, VitePress,
AsciiDoc, Hugo, and `code-excerpt` of Dart.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from satchel.items import ContextItem
from satchel.packing.weighing.chances import WeighedItems, find_highest
from satchel.parts import NO_LINES, Lines, find_parts, number_lines
from satchel.patterns import lazily
from satchel.questions import FilePlace, place_of
from satchel.references.paths import KnownPaths

_MARKS = (
    "{*",
    "{!",
    "--8<--",
    "include::",
    "{{#",
    "<<<",
    "@include:",
    "include}",
    "{{<",
    "{{%",
    "include-markdown",
    "<?code",
)
"""A mark of each form, which texts without it do not have."""
_FORMS = lazily(
    r"(?m)^[ \t>]{0,40}\{\*[ \t]{1,9}(?P<mdx>[^\s*{}]{1,200})(?P<options>[^*\n]{0,200})\*\}"
    r"|^[ \t>]{0,40}\{!>?[ \t]{0,9}(?P<old>[^\s!{}]{1,200})[ \t]{0,9}!\}"
    r"|--8<--[ \t]{1,9}[\"'](?P<snippet>[^\"'\n]{1,200})[\"']"
    r"|^[ \t]{0,40}\.\.[ \t]{1,9}(?:literal)?include::[ \t]{1,9}(?P<sphinx>\S{1,200})"
    r"|\{\{[ \t]{0,9}#(?:rustdoc_)?(?:include|playground)[ \t]{1,9}(?P<book>[^\s}]{1,200})"
    r"|^[ \t]{0,40}<<<[ \t]{1,9}(?P<press>[^\s{\[#]{1,200})"
    r"|^include::(?P<ascii>[^\[\n]{1,200})\["
    r"|<!--[ \t]{0,9}@include:[ \t]{0,9}(?P<part>[^\s{#<>]{1,200}?)(?=-->|[\s{#])"
    r"|^[ \t]{0,40}(?:`{3,9}|:{3,9})\{(?:literal)?include\}[ \t]{1,9}(?P<myst>[^\s`]{1,200})"
    r"|\{\{[<%][ \t]{0,9}[\w/-]{1,40}[ \t]{1,9}(?:[\w-]{1,40}=[\w\"'-]{1,40}[ \t]{1,9}){0,3}"
    r"(?:src|file|path|filename)=[\"'](?P<hugo>[^\"'\s]{1,200})[\"']"
    r"|\{%-?[ \t]{0,9}include-markdown[ \t]{1,9}[\"'](?P<markdown>[^\"'\s]{1,200})[\"']"
    r"|<\?code-excerpt[ \t]{1,9}[\"'](?P<dart>[^\"'\s(]{1,200})"
)
_RANGE = lazily(r"\bln\[(\d{1,6}):(\d{1,6})\]")
_TAIL = lazily(r":(?:(\d{1,6}):(\d{1,6})|[\w-]*(?::[\w-]*)?)$")
"""Lines, or the name of a section, after a path."""
_ROOTS = lazily(r"^(?:@/|~/|/|\{[\w.-]{1,60}\}/|[\w-]{1,40}\$)")
"""A placeholder for a folder that only the tool knows."""
_MOST_FILES = 150
"""Most included files that are read."""


class IncludeSettings(NamedTuple):
    """Numbers that shape how far includes are followed, each with its reason."""

    least: float = 0.5
    """Share of the best score from which the includes of a section are followed."""
    kept: float = 0.9
    """Share of its score that a section gives to its includes."""
    tokens: int = 1_200
    """Tokens of the longest include that is shown: for a longer one, a reader gets the path."""


SETTINGS = IncludeSettings()


class Include(NamedTuple):
    """A file that a line of a page includes."""

    line: int
    path: str
    """As written, without a placeholder for a folder and options after the path."""
    lines: Lines = NO_LINES
    """The lines of that file, `NO_LINES` for all."""


def find_includes(text: str) -> list[Include]:
    """Return the includes of a page, in order."""
    if not any(mark in text for mark in _MARKS):
        return []
    found = list(_FORMS.finditer(text))
    lines = number_lines(text, [match.start(match.lastgroup or 0) for match in found])
    return [
        Include(line, *_read_path(next(filter(None, match.groups())), match["options"] or ""))
        for line, match in zip(lines, found, strict=True)
    ]


def _read_path(written: str, options: str) -> tuple[str, Lines]:
    tail = _TAIL.search(written)
    path = _ROOTS.sub("", written[: tail.start()] if tail else written)
    wanted = _RANGE.search(options) or (tail if tail and tail[1] else None)
    return path, (int(wanted[1]), int(wanted[2])) if wanted else NO_LINES


def find_file(include: Include, page: str, known: KnownPaths) -> str:
    """Return the path of the file that a page includes, "" if it is missing or ambiguous."""
    near = posixpath.normpath(posixpath.join(posixpath.dirname(page), include.path))
    if near in known.find(near):
        return near
    rest = include.path
    while rest.startswith(("./", "../")):
        rest = rest.partition("/")[2]
    found = known.find(rest) if rest else []
    return found[0] if len(found) == 1 or rest in found else ""


def find_included_files(
    items: Sequence[ContextItem], read: Callable[[ContextItem], str], known: KnownPaths
) -> list[str]:
    """Return the files that pages include, in the order of the pages."""
    pages = (item for item in items if _is_page(item))
    found = (find_file(one, item.path, known) for item in pages for one in find_includes(read(item)))
    return list(dict.fromkeys(filter(None, found)))[:_MOST_FILES]


def follow_includes(
    items: WeighedItems, scores: Sequence[list[float]], read: Callable[[ContextItem], str]
) -> None:
    """Raise the scores of the files that well-answering sections include."""
    best = find_highest(scores)
    pages = [
        (at, one.item, split.parts)
        for at, (one, split) in enumerate(items)
        if _is_page(one.item) and max(scores[at], default=0.0) >= SETTINGS.least * best
    ]
    found = [(page, include) for page in pages for include in find_includes(read(page[1]))]
    places = {one.item.path: at for at, (one, _) in enumerate(items) if found and one.item.kind == "file"}
    known = KnownPaths(places)
    for (at, item, parts), include in found:
        around = find_parts(parts, [include.line])
        given = SETTINGS.kept * max((scores[at][number] for number in around), default=0.0)
        path = find_file(include, item.path, known) if given >= SETTINGS.least * best else ""
        for number in _list_included(items, places[path], include) if path else ():
            scores[places[path]][number] = max(scores[places[path]][number], given)


def _is_page(item: ContextItem) -> bool:
    return item.kind == "file" and place_of(item.path) in (FilePlace.DOCUMENT, FilePlace.CONTRIBUTING)


def _list_included(items: WeighedItems, at: int, include: Include) -> Iterator[int]:
    """Yield the parts of a file that an include takes, unless they are very long together."""
    parts = items[at][1].parts
    first, last = include.lines if include.lines != NO_LINES else (1, parts[-1].lines[1] if parts else 0)
    wanted = [n for n, part in enumerate(parts) if part.lines[0] <= last and first <= part.lines[1]]
    if sum(parts[n].tokens for n in wanted) <= SETTINGS.tokens:
        yield from wanted
