"""Cuts source text by a grammar, plainly where it is too large or too slow for one."""

from __future__ import annotations

from collections.abc import Sequence

from satchel import Part
from satchel_plugins.representers.definitions import Outline
from satchel_plugins.representers.parsing import OutOfTimeError
from satchel_plugins.representers.partition import partition
from satchel_plugins.representers.plain import plain_parts
from satchel_plugins.representers.queries import Grammar, managed, scripting, systems, web
from satchel_plugins.representers.syntax import read

GRAMMARS = {
    "PYTHON": scripting.PYTHON,
    "RUBY": scripting.RUBY,
    "PHP": scripting.PHP,
    "SHELL": scripting.SHELL,
    "JAVASCRIPT": web.JAVASCRIPT,
    "TYPESCRIPT": web.TYPESCRIPT,
    "TSX": web.TSX,
    "GO": systems.GO,
    "RUST": systems.RUST,
    "C": systems.C,
    "CPP": systems.CPP,
    "JAVA": managed.JAVA,
    "CSHARP": managed.CSHARP,
}
_MOST_CHARACTERS = 1_500_000
_MINIFIED = 2_000
"""Characters a line from which nobody wrote the text by hand."""


def parts_of(text: str, grammar: str) -> Sequence[Part]:
    """Return the definitions of a text and what stands between; what is too large or slow is cut plainly."""
    if len(text) > _MOST_CHARACTERS or len(text) > _MINIFIED * (text.count("\n") + 50):
        return plain_parts(text)
    return partition(text, _outline(text, GRAMMARS[grammar]))


def _outline(text: str, grammar: Grammar) -> Outline:
    try:
        return read(text, grammar)
    except OutOfTimeError:
        return Outline()
