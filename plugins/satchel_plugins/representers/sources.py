"""Cuts source text by a grammar, plainly where it is too large or too slow for one."""

from __future__ import annotations

from collections.abc import Sequence

from satchel.plugin_api import Part
from satchel_plugins.representers.partition import Outline, partition
from satchel_plugins.representers.plain import plain_parts
from satchel_plugins.representers.queries import GRAMMARS, Grammar
from satchel_plugins.representers.syntax import OutOfTimeError, read

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
