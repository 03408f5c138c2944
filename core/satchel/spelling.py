"""Spell names and numbers: the known name nearest to an unknown one, one thing or several."""

from __future__ import annotations

from collections.abc import Iterable

_VERBS = frozenset(
    {"is", "are", "was", "has", "had", "holds", "can't", "does", "did", "names", "needs", "leads", "costs"}
    | {"belongs", "refuses", "answers", "already", "ends", "matches", "comes", "goes"}
)
"""Beginnings of reasons that go on with the sentence that their subject begins."""


def nearest(name: str, known: Iterable[str], *, cutoff: float = 0.5) -> str:
    """Return the known name most similar to `name`, "" if none has a similarity of `cutoff` (0..1)."""
    import difflib

    close = difflib.get_close_matches(name, list(known), n=1, cutoff=cutoff)
    return close[0] if close else ""


def refuse_unknown(function: str, given: Iterable[str], options: type) -> None:
    """Refuse keywords that a `TypedDict` of options does not have, as Python refuses those of a function.

    Raises:
        TypeError: a keyword is unknown.
    """
    known = options.__annotations__
    for name in given:
        if name not in known:
            hint = nearest(name, known)
            asked = f"; did you mean {hint!r}?" if hint else ""
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{asked}")


def join_reason(subject: str, reason: str) -> str:
    """Return what is wrong with a thing: `a.gguf is not a GGUF file`, but `a.gguf: no such file`."""
    return f"{subject} {reason}" if reason.partition(" ")[0] in _VERBS else f"{subject}: {reason}"


def format_count(number: int, noun: str) -> str:
    """Return `1,203 files`, `1 file`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def agree(number: int, one: str, many: str) -> str:
    """Return the word that goes with a number: `is` with one, `are` with others."""
    return one if number == 1 else many
