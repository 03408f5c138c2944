"""The generic splitter: runs of paragraphs, for every text that nothing else knows."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

import attrs

from satchel.plugin_api import CHANGED_FILES, DATA_ROWS, ContextItem, Part, language_of, lazily, lines_of

_INTERPRETER = lazily(r"#!\s*\S*?(?:/env\s+(?:-S\s+)?|/)([A-Za-z]+)[\d.]*(?=\s|$)")
_SUFFIXES = MappingProxyType(
    {
        program: suffix
        for suffix, programs in {
            "sh": "sh bash dash zsh ksh", "py": "python", "rb": "ruby", "php": "php", "js": "node",
            "ts": "deno bun", "pl": "perl", "lua": "lua", "jl": "julia", "r": "Rscript", "exs": "elixir",
            "fish": "fish",
        }.items()
        for program in programs.split()
    }
)  # fmt: skip
"""Suffixes of files by the programs that run them, for scripts that name one and have no suffix."""
_FIRST_ROWS, _MORE_ROWS = 4, 60
"""First rows, which name the columns, and rows of every part after them."""


@attrs.frozen(eq=False, repr=False)
class Generic:
    """Splits any text at blank lines, and at apparent definitions in languages without a grammar."""

    name, version = "generic", "13"

    def claims(self, item: ContextItem) -> float:
        """Return a claim so low that anybody else's wins."""
        return 0.01

    def split(self, item: ContextItem) -> Sequence[Part]:
        """Return runs of about sixty lines, a table's first rows apart, and the paragraphs of lists.

        A script without a suffix is split as if it had the suffix for the program on its `#!` line.
        """
        text = item.text or ""
        if item.kind == "overview" or item.id == CHANGED_FILES:
            return _split_paragraphs(text)
        if language_of(item.path) in DATA_ROWS:
            return _cut_rows(text)
        from satchel_plugins.representers.outlines import plain_parts

        suffix = "" if "." in item.path.rpartition("/")[2][1:] else _find_suffix(text)
        if not suffix:
            return plain_parts(text, item.path)
        from satchel_plugins.representers.treesitter import representer_of

        representer = representer_of(suffix)
        return representer.split(item) if representer else plain_parts(text, f"{item.path}.{suffix}")


def _find_suffix(text: str) -> str:
    """Return the suffix for the program on the `#!` line of a text, "" without one."""
    found = _INTERPRETER.match(text[:200].partition("\n")[0])
    return _SUFFIXES.get(found[1], "") if found is not None else ""


def _cut_rows(text: str) -> list[Part]:
    count = len(lines_of(text))
    return _cut_at([1, *range(_FIRST_ROWS + 1, count + 1, _MORE_ROWS)], count)


def _split_paragraphs(text: str) -> list[Part]:
    """Return a part for each paragraph, with the blank lines below; the title goes with the next one."""
    lines = lines_of(text)
    starts = [
        number
        for number, line in enumerate(lines, 1)
        if line.strip() and number > 1 and not lines[number - 2].strip()
    ]
    return _cut_at([1, *starts[1:]], len(lines))


def _cut_at(starts: Sequence[int], count: int) -> list[Part]:
    """Return the parts of a text of `count` lines that begin at these lines, [] for an empty text."""
    ends = [*(start - 1 for start in starts[1:]), count]
    pairs = zip(starts, ends, strict=True) if count else ()
    return [Part("block", "", pair) for pair in pairs]
