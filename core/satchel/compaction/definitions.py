"""The definition that each line of a text stands in, so that a fragment of it says what it is of."""

from __future__ import annotations

from collections.abc import Sequence, Set

from satchel.compaction.pieces import NUMBER, Library, Piece
from satchel.patterns import lazily

_INDENT = lazily(rf"(?:{NUMBER})?([ \t]*)")
_DEFINES = lazily(
    r"(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|override|pub(?:\(\w+\))?"
    r"|unsafe|inline|virtual|const|sealed|partial|data|open)\s+)*"
    r"(?:(?:def|class|func|fn|function|interface|struct|enum|impl|trait|module|namespace|type|record|sub)\b\s*[\w(*<&]"
    r"|(?:it|test|describe)\(['\"`]|\w+\s*=\s*(?:async\s*)?\([^()]*\)\s*=>"
    r"|(?!(?:if|for|foreach|while|switch|select|try|catch|return|else|elif|match|with|using|lock|synchronized|when"
    r"|await|new)\b)"
    r"[\w<>\[\]*&.:?, ]{1,80}\([^()]*\)[\w:<>\[\]| ?,.]{0,60}\{\s*$)"
)
_HUNK, _FILE, _HEADING = "@@ ", ("+++ ", "*** Update File: ", "*** Add File: "), ("## ", "### ", "#### ")
_RULE = lazily(r"[|+├╞┌└]?[-=:─═]{2}[-=+:|┼┬┴╪╤╧┤╡┐┘─═ ]*$")
"""The line below the header of a table, or above it."""
_BARS = "|│"
_CLOSES = (")", "#")
"""How lines begin that end no definition although they are not indented."""


def find_definitions(text: str, library: Library) -> Sequence[tuple[int, ...]]:
    """Return for each piece of a text those that say what it is of.

    That is the head of a definition, which is less indented, or the heading of a section; in a diff the name
    of the file and the head of the hunk; in a table between bars its header.
    """
    known = library.definitions.get(text)
    if known is None:
        known = library.definitions[text] = _find_heads(text, library.of(text).pieces)
    return known


def _find_heads(text: str, pieces: Sequence[Piece]) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = []
    open_: list[tuple[int, tuple[int, ...]]] = []
    file: tuple[int, ...] = ()
    headers = _find_headers(text, pieces) if _BARS[0] in text or _BARS[1] in text else {}
    for at, piece in enumerate(pieces):
        if at in headers:
            found.append(headers[at])
            continue
        indent = _INDENT.match(text, piece.start, piece.end)
        start, depth = (indent.end(), len(indent[1].expandtabs(4))) if indent else (piece.start, 0)
        if text.startswith(_FILE, start):
            file = (at,)
        if not depth and text.startswith((_HUNK, *_HEADING), start):
            above = file if text.startswith(_HUNK, start) else ()
            found.append(above)
            open_ = [(-1, (*above, at))]
            continue
        if not text.startswith(_CLOSES, start):
            while open_ and open_[-1][0] >= depth:
                open_.pop()
        found.append(open_[-1][1] if open_ else ())
        if _DEFINES.match(text, start, piece.end):
            open_.append((depth, (at,)))
    return found


def _find_headers(text: str, pieces: Sequence[Piece]) -> dict[int, tuple[int, ...]]:
    """Return for each row of a table between bars its header, which names the columns, and the line below."""
    found: dict[int, tuple[int, ...]] = {}
    header: tuple[int, ...] = ()
    for at, piece in enumerate(pieces):
        if _RULE.match(text, piece.start, piece.end) and at and not header and _has_bar(text, pieces[at - 1]):
            header = (at - 1, at)
        elif not _has_bar(text, piece) and not _RULE.match(text, piece.start, piece.end):
            header = ()
        elif header:
            found[at] = header
    return found


def _has_bar(text: str, piece: Piece) -> bool:
    return any(text.find(bar, piece.start, piece.end) >= 0 for bar in _BARS)


def add_definitions(found: Sequence[tuple[int, ...]], chosen: Set[int]) -> set[int]:
    """Return the chosen pieces with what says of each run of them what it is of."""
    return set(chosen).union(*(found[at] for at in chosen if at - 1 not in chosen))
