"""What to do about a window: warnings, and a command for each recommendation."""

from __future__ import annotations

import shlex
from typing import NamedTuple

from satchel.showing.anatomy import Anatomy

FULL, FILLING = 0.95, 0.85
"""Shares of the window from which on to warn."""
_MUCH = 0.05
"""Share of the window from which on something is worth a recommendation."""
_LARGE = 2_000
"""Tokens of an output that is worth being squeezed."""


class Advice(NamedTuple):
    """One recommendation."""

    what: str
    command: str
    """What does it, "" for a warning."""
    saves: int = 0
    """Tokens that it saves, 0 if unknown."""


def advise(anatomy: Anatomy, file: str = "") -> list[Advice]:
    """Return warnings and recommendations, the most urgent first.

    Args:
        anatomy: the window.
        file: the file that it was read from, for the commands; "" for stdin.
    """
    found = []
    share = anatomy.total / anatomy.window if anatomy.window else 0.0
    source = f"< {shlex.quote(file)}" if file else "< messages.json"
    is_pack = anatomy.source == "pack"
    if share >= FILLING and not is_pack:
        how = "is full" if share >= FULL else "is filling up"
        target = anatomy.window // 2
        found.append(
            Advice(
                f"the window {how}: {anatomy.total:,} of {anatomy.window:,} tokens",
                f"satchel compact --budget {target} {source}",
                max(0, anatomy.total - target),
            )
        )
    for repeat in anatomy.repeats[:3]:
        if not is_pack and repeat.tokens >= _MUCH * anatomy.total:
            spare = repeat.tokens - repeat.tokens // repeat.times
            found.append(
                Advice(
                    f"{repeat.path} was read {repeat.times} times: {repeat.tokens:,} tokens of the window",
                    f"satchel compact --budget {max(1, anatomy.total - spare)} {source}",
                    spare,
                )
            )
    outputs = [piece for piece in anatomy.dearest if piece.section == "results" and piece.tokens >= _LARGE]
    if outputs and not is_pack:
        together = sum(piece.tokens for piece in outputs)
        noun = "output takes" if len(outputs) == 1 else "outputs take"
        found.append(
            Advice(
                f"{len(outputs)} long {noun} {together:,} tokens; the longest is {outputs[0].what}",
                f"satchel run --budget 2000 -- {_command_of(outputs[0].what)}",
            )
        )
    return found


def _command_of(what: str) -> str:
    """Return the command of an output, without the name of the tool that ran it."""
    tool, _, command = what.partition(" ")
    return command or tool or "COMMAND"
