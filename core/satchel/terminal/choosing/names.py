"""Names of what is left out: failures, codes of diagnostics, files; a name costs less than its line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from satchel.patterns import lazily
from satchel.terminal.folding import Folded, Kept
from satchel.terminal.judging import Rank
from satchel.terminal.templates import code
from satchel.tokens.guessing import guess

_FILE_WORTH, _PER_FILE = 47.0, 0.06
"""Of the first file's name, and what each further one loses."""
_SOME, _ONLY_FILES = 40, 56.0
"""So many files, where nothing else stands out, are what the output is about."""
_CODE_WORTH, _MANY_CODES, _PER_CODE = 61.0, 69.0, 0.3
_LOST, _CHEAPER = 1.0, 0.6
"""A failure's name is worth this much less than its line, where it costs at most this share of it."""
_STRUCTURED = lazily(r"[_.\[/:-]|[a-z][A-Z]")
_EDGES = "()[]:,;.✗✘✕×❌●'\""
_SHORTEST, _LONGEST = 4, 160
_FEW = 3
_LESS, _PER_NAME = 1.5, 0.05
"""What the first name of more than a few failures is worth less than the best line; and each further one."""


class Name(NamedTuple):
    """A name that may stand for lines that are not shown."""

    text: str
    worth: float
    cost: int
    """In tokens."""
    group: str = ""
    """What stands before the names of a group once: a file."""


def names(folded: Folded, values: Sequence[float]) -> list[Name]:
    """Return the names that may be told: of failures, of codes, of files."""
    loud = any(line.family.judgement.rank in (Rank.ERROR, Rank.FAILURE) for line in folded.lines)
    best = _FILE_WORTH if loud or len(folded.files) > _SOME else _ONLY_FILES
    return [*_failures(folded.lines, values), *_codes(folded.lines), *_files(folded.files, best)]


def _failures(lines: Sequence[Kept], values: Sequence[float]) -> Iterator[Name]:
    found: dict[tuple[str, str], float] = {}
    for line, worth in zip(lines, values, strict=True):
        if line.family.judgement.rank is Rank.FAILURE:
            group, name = failure_name(line.text)
            if name and guess(name) <= _CHEAPER * guess(line.text):
                found.setdefault((group, name), worth - _LOST)
    named = {name for group, name in found if group}
    best = max(found.values(), default=0.0) - _LESS
    groups: set[str] = set()
    for at, ((group, name), worth) in enumerate(found.items()):
        if group or name not in named:
            cost = guess(name) + 1 + (guess(group) if group not in groups else 0)
            groups.add(group)
            yield Name(name, worth if len(found) <= _FEW else best - _PER_NAME * at, cost, group)


def failure_name(text: str) -> tuple[str, str]:
    """Return the file and the name of what failed, "" for what the line does not tell."""
    words = [word if "[" in word else word.strip(_EDGES) for word in text[:_LONGEST].split()]
    longest = max(words, key=len, default="")
    if len(longest) < _SHORTEST or len(text) > _LONGEST or not _STRUCTURED.search(longest):
        return "", ""
    path, _, name = longest.rpartition("::")
    last = re.split(r"[./:]+", longest)[-1]
    if last in words and last != longest:
        return "", last
    return (path.rpartition("/")[2], name) if "." in path or "/" in path else ("", longest)


def _codes(lines: Sequence[Kept]) -> Iterator[Name]:
    diagnosed = (line for line in lines if line.family.judgement.rank in (Rank.WARNING, Rank.ERROR))
    found = (code(line.text).strip("[]()") for line in diagnosed)
    codes = list(dict.fromkeys(filter(None, found)))
    best = _CODE_WORTH if len(codes) <= _FEW else _MANY_CODES
    for at, text in enumerate(codes):
        yield Name(text, best - _PER_CODE * at, guess(text) + 1)


def _files(files: Sequence[str], best: float) -> Iterator[Name]:
    for at, text in enumerate(files):
        yield Name(text, best - _PER_FILE * at, guess(text) + 1)
