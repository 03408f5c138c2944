"""Redact long outputs quickly: which words can stand in them is told from few lines of each class."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping

from satchel.redaction.streaming import Sizes, redact_stream
from satchel.scanning import NO_SCANNERS, Scanners
from satchel.terminal.templates import keys

_SHORT = 100_000
"""Shorter texts are looked through as they are."""
_ALIKE = 32
"""How many times shorter a text must be without the lines that are like others."""


class Hider:
    """Takes secrets out of outputs, whole ones or streams.

    No line is taken to be clean because others like it are: of lines that are equal but for digits and the
    letters a to f, it only asks which words of rules can stand in any of them.
    """

    def __init__(self, scanners: Scanners = NO_SCANNERS) -> None:
        self._scanners = scanners

    def hide(self, text: str) -> str:
        """Return a text without its secrets, as `redact` does; as many lines as before."""
        from satchel.redaction.prefixed import ALL_BODIES
        from satchel.redaction.sieve import Looks

        words = _possible(text) if len(text) > _SHORT else None
        looks = None if words is None else Looks(words, names=None, bodies=ALL_BODIES, block=True)
        return self._scanners.redact(text, looks=looks).text

    def stream(self, texts: Iterable[str], sizes: Sizes | None = None) -> Iterator[str]:
        """Yield a stream of text without its secrets, the same whatever the pieces are in which it comes."""
        return redact_stream(texts, self.hide, sizes)


def _possible(text: str) -> frozenset[str] | None:
    """Return the words of rules that can stand in a text, None where finding them would take too long.

    A word without its digits and letters a to f stands in what its line is without them, so that one line of
    each class tells it for all.
    """
    classes = b"\n".join(set(keys(text.encode("utf-8", "surrogatepass"))))
    if len(classes) * _ALIKE > len(text):
        return None
    return frozenset(word for word, key in _keys_of_words().items() if key in classes)


@functools.cache
def _keys_of_words() -> Mapping[str, bytes]:
    from satchel.redaction.formats import RULES

    return {word: keys(word.encode())[0] for rule in RULES for word in rule.words}
