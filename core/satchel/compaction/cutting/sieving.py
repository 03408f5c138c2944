"""Tell which secrets a conversation's text can hold, from its words, so that few are looked for."""

from __future__ import annotations

import functools

from satchel.compaction.choosing.pieces import without_signs
from satchel.redaction.formats import RULES
from satchel.redaction.searching import sieve as new_sieve
from satchel.redaction.sieve import Looks, Sieve
from satchel.workspace.terms import runs_of


@functools.cache
def _sieve() -> Sieve:
    """Return the sieve of this process: it learns with every text, and begins anew where it knows much."""
    return new_sieve()


def looks(text: str) -> Looks | None:
    """Return which words and names of secrets can stand in a text; None where all must be looked for.

    What stands between blanks is judged once, however often it stands there.
    """
    chunks = f" {' '.join(set(text.split()))} "
    found = _sieve().looks(chunks, runs(chunks))
    if found is None:
        return None
    parted = [word for word, pieces in parted_words().items() if all(map(chunks.__contains__, pieces))]
    words = found.words.union(word for word in parted if word in text)
    return found._replace(words=words)


@functools.cache
def parted_words() -> dict[str, list[str]]:
    """Return the words of rules that have a blank inside, with what stands around it."""
    words = {word for rule in RULES for word in rule.words}
    return {word: word.split() for word in words if len(word.split()) > 1}


def runs(text: str) -> set[str]:
    r"""Return what `\w+` finds in a text; in ASCII without an expression, which is twice as fast."""
    plain = without_signs(text)
    if plain.isascii():
        return set(runs_of(plain))
    chunks = plain.split(" ")
    ascii_ = " ".join([chunk for chunk in chunks if chunk.isascii()])
    return {*runs_of(ascii_), *runs_of(" ".join([chunk for chunk in chunks if not chunk.isascii()]))}
