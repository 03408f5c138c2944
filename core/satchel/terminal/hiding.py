"""Redact many lines quickly: lines alike, without any word of a secret, are looked at a few times."""

from __future__ import annotations

import re
from collections.abc import Sequence

from satchel.redaction.searching import sieve
from satchel.scanning import NO_SCANNERS, Scanners
from satchel.terminal.templates import keys

_SAMPLES = 3
_BLOCKS = ("PRIVATE KEY", "Private-Lines:", "LS0tLS1CRUdJTi", "kind: Secret", '"kind": "Secret"', '"Secret"')
"""What begins secrets of several lines: a text that holds one is redacted as a whole."""
_KEYS = 300_000
_WORD = re.compile(r"[^\W\d]\w+")


class Hider:
    """Redacts lines, remembering which kinds of line held a secret or can hold one.

    Lines of one class are equal but for digits and the letters a to f: only where no rule's word and no
    name of a secret stands in the first of them, the others are taken to be as clean as those.
    """

    def __init__(self, scanners: Scanners = NO_SCANNERS) -> None:
        self._scanners = scanners
        self._seen: dict[bytes, int] = {}
        self._dirty: set[bytes] = set()
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
        rest = set(range(len(lines))).difference(sampled) if self._dirty else set()
        self._redact(lines, classes, [at for at in sorted(rest) if classes[at] in self._dirty])
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

    def _suspect(self, lines: Sequence[str], classes: Sequence[bytes], places: Sequence[int]) -> None:
        """Mark the classes whose lines can hold a secret; all their lines will be looked at."""
        for at in places:
            if classes[at] not in self._dirty:
                looks = self._sieve.looks(lines[at], set(_WORD.findall(lines[at])))
                if looks.names or looks.words:
                    self._dirty.add(classes[at])

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
