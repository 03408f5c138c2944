"""Where a project declares a fact of itself: in which files, and in which parts of them."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from satchel.patterns import lazily
from satchel.questions.aims import is_main_workflow, place_of
from satchel.questions.facts import Fact

_MATTERS = lazily(r"(?i)/(security|code[-_]of[-_]conduct|issue_template|pull_request_template)[^/]*$")
"""Pages of contributors that are about something else."""


class Declaration(NamedTuple):
    """Where a fact is declared; the fields are those of `declarations.toml`."""

    path: str = ""
    place: str = ""
    lines: str = ""
    headings: str = ""
    names: str = ""
    first: int = 0
    terms: Sequence[str] = ()
    or_all: bool = False
    anywhere: bool = False

    def fits(self, path: str) -> bool:
        """Tell whether files of this path may declare the fact."""
        if self.place == "main workflow":
            return is_main_workflow(path)
        if self.place and (place_of(path).value != self.place or _MATTERS.search(f"/{path}")):
            return False
        return not self.path or lazily(self.path).search(f"/{path.lower()}") is not None


@functools.cache
def _read_rows() -> Mapping[str, list[Declaration]]:
    import tomllib  # most tasks ask for no fact

    written = tomllib.loads(Path(__file__).with_name("declarations.toml").read_text(encoding="utf-8"))
    return {name: [Declaration(**row) for row in rows] for name, rows in written.items()}


def find_declaration(fact: Fact, path: str) -> tuple[int, Declaration] | None:
    """Return where a file of this path may declare a fact, after its rank, 0 for the best place."""
    ranked = enumerate(_read_rows()[fact.value])
    return next(((rank, row) for rank, row in ranked if row.fits(path)), None)


def may_declare(fact: Fact, path: str) -> bool:
    """Tell whether the path of a file says that it may declare a fact of its project."""
    found = find_declaration(fact, path)
    return found is not None and not found[1].anywhere
