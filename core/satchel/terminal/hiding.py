"""Redact many lines quickly: lines alike, without any word of a secret, are looked at a few times."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence

from satchel.redaction.names import NAMES, folded
from satchel.redaction.searching import sieve
from satchel.scanning import NO_SCANNERS, Scanners
from satchel.terminal.templates import keys
from satchel.workspace.terms import runs_of

_SAMPLES = 3
_BLOCKS = ("PRIVATE KEY", "Private-Lines:", "LS0tLS1CRUdJTi", "kind: Secret", '"kind": "Secret"', '"Secret"')
"""What begins secrets of several lines: a text that holds one is redacted as a whole."""
_KEYS = 300_000


class Hider:
    """Redacts lines, remembering which kinds of line held a secret or can hold one.

    Lines of one class are equal but for digits and the letters a to f: only where no name of a secret
    stands in the first of them, the others are taken to be as clean as those, unless a rule's word that
    can stand in that class stands where a secret can begin.
    """

    def __init__(self, scanners: Scanners = NO_SCANNERS) -> None:
        self._scanners = scanners
        self._seen: dict[bytes, int] = {}
        self._dirty: set[bytes] = set()
        self._words: set[str] = set()
        self._sieve = sieve()

    def hide(self, text: str) -> str:
        """Return a text of whole lines without its secrets; as many lines as before."""
        if self._scanners.found or any(block in text for block in _BLOCKS) or text.count("\n") < _SAMPLES:
            return self._scanners.redact(text).text
        lines = text.split("\n")
        classes = keys(text.encode("utf-8", "surrogatepass"))
        sampled = self._sampled(classes)
        self._suspect(lines, classes, sampled)
        self._redact(lines, classes, sampled)
        left = {at for at, key in enumerate(classes) if key in self._dirty} if self._dirty else set()
        left.update(self._begun(text))
        self._redact(lines, classes, sorted(left.difference(sampled)))
        return "\n".join(lines)

    def _sampled(self, classes: Sequence[bytes]) -> list[int]:
        seen, sampled = self._seen, []
        if len(seen) > _KEYS:
            seen.clear()
        for at, key in enumerate(classes):
            count = seen.get(key, 0)
            if count < _SAMPLES:
                seen[key] = count + 1
                sampled.append(at)
        return sampled

    def _begun(self, text: str) -> Iterator[int]:
        """Yield the numbers of lines in which a rule's word stands where a secret can begin."""
        for word in self._words:
            last = number = 0
            for hit in _beginning(word).finditer(text):
                number += text.count("\n", last, hit.start())
                last = hit.start()
                yield number

    def _suspect(self, lines: Sequence[str], classes: Sequence[bytes], places: Sequence[int]) -> None:
        """Mark the classes whose lines can hold a secret, with the rules' words that can stand in them."""
        for at in places:
            key = classes[at]
            if key not in self._dirty:
                looks = self._sieve.looks(lines[at], runs_of(lines[at]))
                if looks is None or NAMES.search(folded(lines[at])):
                    self._dirty.add(key)
                else:
                    self._words.update(word for word in looks.words if keys(word.encode())[0] in key)

    def _redact(self, lines: list[str], classes: Sequence[bytes], places: Sequence[int]) -> None:
        before = [lines[at] for at in places]
        text = "\n".join(before)
        clean = self._scanners.redact(text).text
        if clean is text or not places:
            return
        for at, old, new in zip(places, before, clean.split("\n"), strict=True):
            if new != old:
                lines[at] = new
                self._dirty.add(classes[at])


@functools.cache
def _beginning(word: str) -> re.Pattern[str]:
    """Return what finds a rule's word, not within a word, but after an escape or a terminal's colour.

    The word comes first and what stands before it is looked at then: so the search is fast.
    """
    literal = re.escape(word)
    if not word[0].isdigit():
        return re.compile(literal)
    return re.compile(f"{literal}(?:(?<![a-lo-qsu-zA-Z0-9]{literal})|(?<=%[0-9A-Fa-f][0-9A-Fa-f]{literal}))")
