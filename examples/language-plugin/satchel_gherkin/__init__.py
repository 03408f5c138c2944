"""A representer for satchel: a part for each scenario of a Gherkin feature file."""

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

import attrs
from satchel.plugin_api import ContextItem, Part, Symbol, hookimpl

TITLE = re.compile(r"\s*(Feature|Rule|Background|Scenario Outline|Scenario|Example)\s*:\s*(.*)")
ABOVE = re.compile(r"\s*[@#]")  # tags and comments belong to the title below them
QUOTES = ('"""', "```")  # a text between two such lines is data, whatever it looks like


@attrs.frozen
class Gherkin:
    name: ClassVar[str] = "gherkin"
    version: ClassVar[str] = "1"

    def claims(self, item: ContextItem) -> float:
        return 0.9 if item.path.endswith(".feature") else 0.0

    def split(self, item: ContextItem) -> Sequence[Part]:
        lines = (item.text or "").removesuffix("\n").split("\n")
        titles = list(find_titles(lines))
        firsts = [first_line(lines, line) for line, _, _ in titles] + [len(lines) + 1]
        return [
            make_part(kind, name, lines=(firsts[at], firsts[at + 1] - 1), title=line)
            for at, (line, kind, name) in enumerate(titles)
        ]


def find_titles(lines: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """Yield line, kind and name of each title that stands outside a quoted text."""
    quote = ""
    for number, line in enumerate(lines, start=1):
        if line.strip().startswith(quote or QUOTES):
            quote = "" if quote else line.strip()[:3]
        elif not quote and (found := TITLE.match(line)):
            yield number, found[1].lower(), found[2].strip()


def first_line(lines: Sequence[str], title: int) -> int:
    """Return the first of the tags and comments that stand right above a title."""
    first = title
    while first > 1 and ABOVE.match(lines[first - 2]):
        first -= 1
    return first


def make_part(kind: str, name: str, *, lines: tuple[int, int], title: int) -> Part:
    head = (title, title)
    return Part(kind, name, lines, head, symbols=(Symbol(name, kind, lines, head),))


@hookimpl
def satchel_representers() -> list[type[Gherkin]]:
    return [Gherkin]
