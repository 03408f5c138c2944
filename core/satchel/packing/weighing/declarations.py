"""Find where a project declares a fact of itself: its dependencies, its licence, how it is installed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from satchel.items import ContextItem
from satchel.packing.weighing.chances import PartPlace, WeighedItems
from satchel.parts import Part, end_of_span, find_parts
from satchel.patterns import lazily
from satchel.questions import place_of
from satchel.questions.aims import is_main_workflow
from satchel.questions.facts import Fact

_ASIDE = lazily(
    r"(?i)/([^/]*[-_])?(tests?|testing|testdata|examples?|samples?|demos?|fixtures?|playgrounds?|bench\w*"
    r"|templates?|website|docs)([-_][^/]*)?/"
)
"""Folders of programs beside the project's own."""
_PAGES = lazily(r"(?i)\.(md|mdx|rst|txt|adoc)$")
_MATTERS = lazily(r"(?i)/(security|code[-_]of[-_]conduct|issue_template|pull_request_template)[^/]*$")
"""Pages of contributors that are about something else."""
_MOST = 16
"""Parts that declare a fact and are shown first."""


class _Declaration(NamedTuple):
    """Where a fact is declared; the fields are those of `declarations.toml`."""

    path: str = ""
    place: str = ""
    lines: str = ""
    headings: str = ""
    names: str = ""
    first: int = 0

    def fits(self, path: str) -> bool:
        """Tell whether files of this path may declare the fact."""
        if self.place == "main workflow":
            return is_main_workflow(path)
        if self.place and (place_of(path).value != self.place or _MATTERS.search(f"/{path}")):
            return False
        return not self.path or lazily(self.path).search(f"/{path.lower()}") is not None

    def choose(self, parts: Sequence[Part], text: Callable[[], str]) -> list[int]:
        """Return the numbers of the parts that declare it."""
        if self.headings:
            heading = lazily(self.headings)
            tops = [at for at, part in enumerate(parts) if part.name and heading.search(part.name)]
            return _list_sections(parts, tops)
        if self.names:
            name = lazily(self.names)
            tops = [at for at, part in enumerate(parts) if name.search(part.name.rpartition(".")[2])]
            return _list_sections(parts, tops) or list(range(len(parts)))
        if self.first:
            return [at for at, part in enumerate(parts) if part.lines[0] <= self.first]
        if not self.lines:
            return list(range(len(parts)))
        line = lazily(self.lines)
        return find_parts(parts, [n for n, row in enumerate(text().split("\n"), 1) if line.search(row)])


def _list_sections(parts: Sequence[Part], tops: Iterable[int]) -> list[int]:
    """Return the parts of the definitions and sections that some parts open."""
    return sorted({one for at in tops for one in range(at, end_of_span(parts, at))})


@functools.cache
def _read_rows() -> Mapping[str, list[_Declaration]]:
    import tomllib  # most tasks ask for no fact

    written = tomllib.loads(Path(__file__).with_name("declarations.toml").read_text(encoding="utf-8"))
    return {name: [_Declaration(**row) for row in rows] for name, rows in written.items()}


def find_declarations(items: WeighedItems, fact: Fact, read: Callable[[ContextItem], str]) -> list[PartPlace]:
    """Return the parts that declare a fact, the best first; of what is beside a project if it has none."""
    found = list(_find_ranked(items, fact, read))
    aside = all(is_aside for _, is_aside, *_ in found)
    ranked = sorted(row for row in found if aside or not row[1])
    return [(at, part) for *_, at, part in ranked][:_MOST]


def _find_ranked(
    items: WeighedItems, fact: Fact, read: Callable[[ContextItem], str]
) -> Iterator[tuple[int, bool, int, str, int, int]]:
    """Yield what declares a fact: rank of the row, whether aside, depth, path, item, part."""
    rows = _read_rows()[fact.value]
    for at, (one, split) in enumerate(items):
        path = one.item.path
        rank = next((rank for rank, row in enumerate(rows) if row.fits(path)), None)
        if one.item.kind != "file" or rank is None:
            continue
        is_aside = _ASIDE.search(f"/{path}") is not None and not _PAGES.search(path)
        for part in rows[rank].choose(split.parts, functools.partial(read, one.item)):
            yield rank, is_aside, path.count("/"), path, at, part
