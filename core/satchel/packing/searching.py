"""Search a workspace for words: places in files with their lines, best first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from satchel.errors import PointerError, UsageError, WorkspaceError
from satchel.items import ContextItem
from satchel.packing.representing import split_all
from satchel.packing.resolving import find_definitions
from satchel.parts import Lines, Part, lines_of
from satchel.pointers import Pointer
from satchel.runs import RunLender, WorkspaceRun, run_of
from satchel.workspace.index.ranking import Ranking, rank, rank_parts
from satchel.workspace.index.store import report_damage
from satchel.workspace.index.terms import count_terms, query_terms

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.host import Host

LIMIT = 20
_FILES_PER_PLACE = 3
"""Files that are split for each place wanted."""
_LEAST_FILES = 30
_PART_SHARE = 0.6
"""Weight of a part's own score; the rest is its file's."""
_EXACT = 1.0
"""Added if the words occur as they were written, in any case."""
_DEFINED = 0.5
"""Added if one of the words is the name of the definition."""
_ASKED_FOR = 2.0
"""Added if the search is that name and nothing else, in a form that `expand` takes."""
_MOST_HITS = 3
_LONGEST_LINE = 200
_SATURATION, _LENGTH = 1.2, 0.6


class Hit(NamedTuple):
    """A line that holds words of a search."""

    line: int
    text: str
    """Without the white space around it, cut after 200 characters."""


class Place(NamedTuple):
    """A part of a file that a search found."""

    path: str
    lines: Lines
    """First and last line of the part."""
    name: str
    """Qualified name of the definition or section, "" if it has none."""
    score: float
    """Higher is better; comparable within one search."""
    hits: tuple[Hit, ...]
    """Up to three of its lines, with most of the words."""
    pointer: str
    """The pointer for `expand`: `satchel://file/src/app.py?lines=10-40&v=1a2b3c4d`."""


@report_damage()
def search(
    words: str,
    root: str | Path | RunLender = ".",
    *,
    limit: int = LIMIT,
    host: Host | None = None,
    config: Config | None = None,
) -> tuple[Place, ...]:
    """Return the places in a workspace's files that hold the words, best first.

    Identifiers are found by their parts too: `renew session` finds `renewSession`. Places that hold the words
    exactly as written come first, and the definition of a name before its uses.

    Args:
        words: the words to look for.
        root: the workspace's folder, or a `Watch` of it.
        limit: most places.
        host: the plugins; all installed ones by default.
        config: the configuration; by default read as `pack` does.

    Raises:
        UsageError: no word to look for, or a limit below 1.
        WorkspaceError: the root is not a folder.
    """
    if limit < 1:
        raise UsageError(f"limit must be a whole number from 1 up, not {limit}")
    wanted = words.strip()
    query = query_terms(wanted) or dict.fromkeys(count_terms(wanted), 1.0)
    if not query:
        raise UsageError(f"{words!r} has no word to look for; name words or an identifier")
    with run_of(root, config=config, host=host) as run:
        return _PlaceSearch(run, wanted, query, limit).places()


class _PlaceSearch:
    """One search in an open workspace."""

    def __init__(self, run: WorkspaceRun, words: str, query: Mapping[str, float], limit: int) -> None:
        self._run, self._limit = run, limit
        self._words, self._query = words.lower(), query
        self._ranking = rank(run.workspace.index, query)
        self._definitions = self._find_definitions(words)
        self._texts: dict[str, tuple[Sequence[str], bool]] = {}
        """By path: the lines of a file, and whether it has the words as written."""

    def _find_definitions(self, words: str) -> Mapping[str, Sequence[int]]:
        """Return by path the first lines of definitions of the name in a search, {} for other words."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        with suppress(PointerError):
            for reference in find_definitions(self._run, words):
                found[reference.path].append(reference.lines[0])
        return found

    def places(self) -> tuple[Place, ...]:
        """Return the best places."""
        items = list(self._best_files(self._ranking))
        splits = split_all(self._run, items)
        owners = {item.id: item for item in items}
        parts = [part for split in splits.values() for part in split.parts]
        counts = self._run.workspace.terms.term_counts(parts, list(self._query))
        lengths = self._run.workspace.terms.lengths(parts)
        scores = rank_parts(self._query, counts, lengths, saturation=_SATURATION, length=_LENGTH)
        found = []
        for part, score, held in zip(parts, scores, counts, strict=True):
            item = owners[part.item]
            extra = self._score_match(item.path, part)
            if held or extra:
                of_file = self._score_file(item.path)
                found.append((_PART_SHARE * score + (1 - _PART_SHARE) * of_file + extra, item, part))
        found.sort(key=lambda one: (-one[0], one[1].path, one[2].lines))
        return tuple(self._make_place(*one) for one in found[: self._limit])

    def _best_files(self, ranking: Ranking) -> Iterator[ContextItem]:
        """Yield the files to split, best first."""
        named = {*ranking.body, *ranking.path, *ranking.name}
        documents = self._run.workspace.index.documents
        best = sorted(named, key=lambda path: (-self._score_file(path), path))
        best = best[: max(_LEAST_FILES, _FILES_PER_PLACE * self._limit)]
        for path in dict.fromkeys([*self._definitions, *best]):
            document = documents.get(path)
            if document is not None and document.kind == "text":
                yield ContextItem(
                    f"file:{path}", "files", "file", title=path, path=path, content=document.content
                )

    def _score_file(self, path: str) -> float:
        ranking = self._ranking
        of_path = max(ranking.path.get(path, 0.0), ranking.name.get(path, 0.0))
        return (2 * ranking.body.get(path, 0.0) + of_path) / 3

    def _score_match(self, path: str, part: Part) -> float:
        """Return a part's bonus for holding the words as written, and for defining one of them."""
        exact = self._text(path)[1] and self._words in "\n".join(self._lines(path, part.lines)).lower()
        defined = part.name.rpartition(".")[2].lower() in self._words.replace("()", " ").split()
        first, last = part.lines
        asked_for = any(first <= line <= last for line in self._definitions.get(path, ()))
        return _EXACT * exact + _DEFINED * defined + _ASKED_FOR * asked_for

    def _lines(self, path: str, lines: Lines) -> Sequence[str]:
        return self._text(path)[0][lines[0] - 1 : lines[1]]

    def _text(self, path: str) -> tuple[Sequence[str], bool]:
        known = self._texts.get(path)
        if known is None:
            try:
                text = self._run.workspace.texts.read(path)
            except WorkspaceError:  # it vanished just now
                text = ""
            known = self._texts[path] = lines_of(text), self._words in text.lower()
        return known

    def _make_place(self, score: float, item: ContextItem, part: Part) -> Place:
        lines = self._lines(item.path, part.lines)
        worths = [self._weigh(line) for line in lines]
        best = sorted((at for at, worth in enumerate(worths) if worth), key=lambda at: (-worths[at], at))
        hits = [
            Hit(part.lines[0] + at, lines[at].strip()[:_LONGEST_LINE]) for at in sorted(best[:_MOST_HITS])
        ]
        pointer = Pointer(item.path, part.lines, item.content[:8]).uri()
        return Place(item.path, part.lines, part.name, round(score, 4), tuple(hits), pointer)

    def _weigh(self, line: str) -> float:
        held = count_terms(line).keys() & self._query.keys()
        worth = sum(self._query[term] * self._ranking.rarity.get(term, 1.0) for term in held)
        return worth + (10.0 if self._words in line.lower() else 0.0)
