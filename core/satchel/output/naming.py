"""Find the names in a line: identifiers, paths, numbers, quoted words. They are used next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from satchel.patterns import lazily

NUMBER = r"\s*(?:L|Line )?\d+"
"""The number of a line that matches, below the name of its file."""
LISTED = r"\s*(?:(?:L|Line )\d+: ?|\d+(?:→|\t|: |:$|\s*[│|] ?))"
"""A line number in a listing, as `cat -n` and the tools of agents write it."""
_LIST_NUMBER = lazily(LISTED)
_BLOB = lazily(
    r"^index [0-9a-f]+\.\.[0-9a-f]+|\bsha\d{1,3}[-:][\w+/=]{20,}|\b[0-9a-f]{41,}\b|[A-Za-z0-9+/]{60,}=*"
)
"""A checksum or encoded bytes: not a name."""
_WORD = lazily(r"[A-Za-z]{4,}")
_IDENTIFIER = lazily(r"[A-Za-z_]\w{3,}+")
_COMPOUND = lazily(r"[a-z][A-Z]|\w_|_\w|[A-Za-z]\d")
_PATH = lazily(
    r"(?:~|\.{1,2}|[\w@.-]{1,80})?(?:[/\\][\w@.+-]{1,80})+|[\w-]{1,80}(?:\.[\w-]{1,80})*\.[a-z]{1,4}\b"
)
_NUMBER = lazily(r"(?<![\w.])\d{3,}(?![\w.]?\w)")
_HASH = lazily(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b")
_VERSION = lazily(r"(?<![\w.])v?\d+(?:\.\d+){2,}(?:[-+.]\w+)*")
_QUOTED = lazily(r"\"([^\"\n]{12,100})\"|`([^`\n]{12,100})`|'([^'\n]{12,100})'")
_LONG_NUMBER = 6
_LONGEST = 1_000
_OF_WORD, _OF_QUOTED, _OF_NUMBER, _OF_HASH, _OF_PATH, _OF_IDENTIFIER = 0.03, 0.7, 0.6, 1.5, 0.5, 1.0
"""Worth of a name by its kind where it first occurs, fitted to 190 outputs with known names that were used
next: half or twice as much for one kind changes the kept part of these by a hundredth.
"""
_ASKED = 0.1
"""Factor for a name in the command: it is already known."""


def names_in(line: str) -> dict[str, float]:
    """Return the names in a line, with the worth of each."""
    line = line[:_LONGEST]
    number = _LIST_NUMBER.match(line)
    if number:
        line = line[number.end() :]
    return dict(_iter_names(_BLOB.sub("", line)))


def _iter_names(line: str) -> Iterator[tuple[str, float]]:
    """Yield names, the most specific last; a name may be repeated with another worth."""
    for word in _WORD.findall(line):
        yield word, _OF_WORD
    for found in _QUOTED.finditer(line):
        quoted = found[found.lastindex or 0].strip()
        if " " in quoted:
            yield quoted, _OF_QUOTED
    for number in _NUMBER.findall(line):
        yield number, _OF_NUMBER if len(number) < _LONG_NUMBER else _OF_HASH
    for version in _VERSION.findall(line):
        yield version, _OF_NUMBER
    for hash_ in _HASH.findall(line):
        yield hash_, _OF_HASH
    for path in _PATH.findall(line):
        yield path, _OF_PATH
    for name in _IDENTIFIER.findall(line):
        if _COMPOUND.search(name):
            yield name, _OF_IDENTIFIER


def without_known(names: Mapping[str, float], command: str) -> dict[str, float]:
    """Return the names with less worth for those in the command."""
    return {name: worth * _ASKED if name in command else worth for name, worth in names.items()}
