"""Tell which secrets a conversation's text can hold, from its words, so that few are looked for."""

from __future__ import annotations

import functools
import re

import attrs

from satchel.redaction.searching import sieve as new_sieve
from satchel.redaction.sieve import Looks, Sieve

_MOST_WORDS = 300_000
"""Words that a sieve may remember, in tens of megabytes; one that knows more starts anew."""
_BREAKS = "".join(chr(code) if re.match(r"\w", chr(code)) else " " for code in range(128))
_RUN = re.compile(r"\w+")


@attrs.define
class _Sifting:
    """A sieve and how many words it has seen; it is dear to make and learns with every text."""

    sieve: Sieve = attrs.field(factory=new_sieve)
    seen: int = 0

    def looks(self, text: str) -> Looks | None:
        """Return what has to be looked for in a text."""
        words = _runs(text)
        self.seen += len(words)
        if self.seen > _MOST_WORDS:
            self.sieve, self.seen = new_sieve(), len(words)
        return self.sieve.looks(text, words)


@functools.cache
def _sifting() -> _Sifting:
    return _Sifting()


def looks(text: str) -> Looks | None:
    """Return which words and names of secrets can stand in a text; None where all must be looked for."""
    return _sifting().looks(text)


def _runs(text: str) -> set[str]:
    r"""Return what `\w+` finds in a text; in ASCII lines without an expression, which is twice as fast."""
    lines = text.split("\n")
    runs = set("\n".join([line for line in lines if line.isascii()]).translate(_BREAKS).split())
    runs.update(_RUN.findall("\n".join([line for line in lines if not line.isascii()])))
    return runs
