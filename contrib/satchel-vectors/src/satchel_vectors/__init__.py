"""Scorers for satchel that know words of like meaning, by static vectors that ship in a wheel."""

from __future__ import annotations

from satchel import hookimpl

from satchel_vectors.scorers import DialogueVectors, Vectors

__all__ = ["DialogueVectors", "Vectors"]


@hookimpl
def satchel_scorers() -> list[type]:
    """Return the scorers of this distribution."""
    return [Vectors, DialogueVectors]
