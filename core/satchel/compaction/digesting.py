"""Offer each run of left-out exchanges to the compressor, and check what it answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from satchel.compaction.plans import Plan, share_of
from satchel.compaction.setup import Setup
from satchel.errors import Problem
from satchel.host import Loaded, known_arguments
from satchel.items import Task
from satchel.messages import BlockKind, Exchange, Message

if TYPE_CHECKING:
    from satchel.interfaces import Compressor, Tokenizer

LEAST = 24
"""Tokens below which a run is not offered: no summary is as short."""


def digest_runs(
    setup: Setup,
    exchanges: Sequence[Exchange],
    planned: Plan,
    *,
    room: int,
    task: str,
    problems: list[Problem],
) -> dict[int, Message]:
    """Return the messages that stand for runs of left-out exchanges, by the number of a run's first.

    The compressor is told the task.

    An answer that is not a message of the user or the model, is empty, or costs more than its target
    stands in `problems`, and the compressor that needs no model is asked instead.
    """
    if share_of(setup.compressor) == 0:
        return {}
    runs = [(first, list(exchanges[first:end])) for first, end in _iter_runs(planned)]
    sizes = [sum(sum(setup.counts.messages(one.messages)) for one in run) for _, run in runs]
    total = sum(sizes)
    found: dict[int, Message] = {}
    for (first, run), size in zip(runs, sizes, strict=True):
        target = min(room * size // max(1, total), size - 1)
        if target < LEAST:
            continue
        message = _ask_compressor(setup, (run, target, setup.tokenizer, Task(task)), problems)
        if message is not None:
            found[first] = message
    return found


def _iter_runs(planned: Plan) -> Iterator[tuple[int, int]]:
    start = -1
    for at, shown in enumerate([*planned.shown[planned.first :], ()], planned.first):
        if shown is None and start < 0:
            start = at
        elif shown is not None and start >= 0:
            yield start, at
            start = -1


def _ask_compressor(
    setup: Setup, args: tuple[Sequence[Exchange], int, Tokenizer, Task], problems: list[Problem]
) -> Message | None:
    """Return the compressor's message, None where it has none; where it fails, that of the fallback."""
    asked: list[tuple[Loaded, Compressor]] = [(setup.compressing, setup.compressor)]
    for loaded, compressor in [*asked, setup.fallback] if setup.fallback else asked:
        known = known_arguments(compressor.compress, args)
        answer = setup.host.calls.call(loaded, compressor.compress, *known, stage="compress")
        if answer is None:
            return None
        fault = "" if isinstance(answer, Problem) else _find_fault(setup, answer, args[1])
        if fault:
            problems.append(Problem(loaded.name, "compress", fault, loaded.distribution))
        elif not isinstance(answer, Problem):
            return answer
    return None


def _find_fault(setup: Setup, answer: object, target: int) -> str:
    if not isinstance(answer, Message):
        return f"returned a {type(answer).__name__}, not a message"
    if answer.role not in ("user", "assistant"):
        return f"returned a message of the role {answer.role!r}"
    if any(block.kind is not BlockKind.TEXT for block in answer.blocks) or not answer.text.strip():
        return "returned a message that is empty or more than text"
    tokens = setup.counts.messages([answer])[0]
    return f"returned {tokens} tokens where {target} were asked for" if tokens > target + 4 else ""
