"""What to do about a window: warnings, and a command for each recommendation, with what it saves."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import NamedTuple

from satchel.showing.anatomy import Anatomy, Repeat, WindowPiece

FULL, FILLING = 0.95, 0.85
"""Shares of the window from which on to warn."""
_MUCH = 0.05
"""Share of the window from which on something is worth a recommendation."""
_LARGE = 2_000
"""Tokens of an output that is worth being squeezed, and what it is squeezed to."""
_MOST_OUTPUTS, _MOST_REPEATS = 5, 3


class Advice(NamedTuple):
    """One recommendation."""

    what: str
    command: str
    """What does it, "" for a warning."""
    saves: int = 0
    """Tokens that it saves, as it was tried; 0 if that is unknown."""


class Trials(NamedTuple):
    """Tries a recommendation, so that what it saves is measured."""

    compact: Callable[[int], int]
    """Compact to so many tokens; return the tokens of the outcome, 0 if it can't be."""
    squeeze: Callable[[WindowPiece, int], int]
    """Squeeze an output to so many tokens; return those of the outcome."""


def advise(anatomy: Anatomy, source: str = "", trials: Trials | None = None) -> list[Advice]:
    """Return warnings and recommendations, the most urgent first.

    Args:
        anatomy: the window.
        source: what feeds the window to a command: a file, "" for stdin, or `session NAME`.
        trials: tries each of them out; without it no saving is told.
    """
    if anatomy.source == "pack":
        return []
    found = []
    share = anatomy.total / anatomy.window if anatomy.window else 0.0
    if share >= FILLING:
        how = "is full" if share >= FULL else "is filling up"
        what = f"the window {how}: {anatomy.total:,} of {anatomy.window:,} tokens"
        found.append(_compact(what, anatomy, anatomy.window // 2, source, trials))
    repeats = [repeat for repeat in anatomy.repeats if repeat.tokens >= _MUCH * anatomy.total]
    if repeats:
        what = "; ".join(map(_describe, repeats[:_MOST_REPEATS]))
        spare = sum(repeat.tokens - repeat.tokens // repeat.times for repeat in repeats)
        found.append(_compact(what, anatomy, max(1, anatomy.total - spare), source, trials))
    outputs = [piece for piece in anatomy.dearest if piece.section == "results" and piece.tokens >= _LARGE]
    if outputs:
        together = sum(piece.tokens for piece in outputs)
        noun = "output takes" if len(outputs) == 1 else "outputs take"
        tried = outputs[:_MOST_OUTPUTS] if trials is not None else []
        saves = sum(max(0, piece.tokens - trials.squeeze(piece, _LARGE)) for piece in tried) if trials else 0
        found.append(
            Advice(
                f"{len(outputs)} long {noun} {together:,} tokens; the longest is {outputs[0].what}",
                f"satchel run --budget {_LARGE} -- {_command_of(outputs[0].what)}",
                saves,
            )
        )
    return found


def _compact(what: str, anatomy: Anatomy, target: int, source: str, trials: Trials | None) -> Advice:
    left = trials.compact(target) if trials is not None else 0
    command = f"satchel compact --budget {target} < {shlex.quote(source or 'messages.json')}"
    if source.startswith(_SESSION):
        name = shlex.quote(source.removeprefix(_SESSION))
        command = f"satchel session window --session {name} --budget {target}"
    return Advice(what, command, max(0, anatomy.total - left) if left else 0)


_SESSION = "session "


def _describe(repeat: Repeat) -> str:
    return f"{repeat.path} was read {repeat.times} times: {repeat.tokens:,} tokens of the window"


def _command_of(what: str) -> str:
    """Return the command of an output, without the name of the tool that ran it."""
    tool, _, command = what.partition(" ")
    return command or tool or "COMMAND"
