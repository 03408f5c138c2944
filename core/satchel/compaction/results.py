"""Facts about old results: the outdated ones, the failures, and the line in place of each."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from satchel.compaction.files import (
    EDITED,
    READ_AGAIN,
    FileReading,
    command_of,
    find_overwritten,
    name_reading,
    readings_of,
    reads_log,
    touches_of,
)
from satchel.compaction.pieces import plain_text
from satchel.compaction.promises import find_old_lists, tells_failure
from satchel.messages import Block, Exchange
from satchel.patterns import lazily

GONE: Mapping[str, float] = MappingProxyType({EDITED: 0.15, READ_AGAIN: 0.05})
"""Factor for the lines of a file that was edited or read again since."""
AT_WORK = 0.3
"""Factor if the file was edited lately, so that it may well be edited again."""
LATELY = 0.1
"""Share of the exchanges that are the latest."""
SHORT_READING, OF_SHORT = 12_000, 0.1
"""Characters of a reading that is soon read again, and a further factor for its lines."""
REPEATED = "the same again later"
RUN_AGAIN = "run again since"
DONE = "done"
"""The line for an edited file, if the result is one line that reports success."""
_SUCCEEDED = lazily(
    r"success|\b(?:updated|replaced|created|written|wrote|applied|saved|ok|done)\b", re.IGNORECASE
)
_TROUBLED = lazily(
    r"error|fail|warn|denied|refus|not found|no match|\b(?:cannot|can't|unable|not|no(?! need)|but)\b",
    re.IGNORECASE,
)
EDITS, EDITS_LAST = 3.0, 12.0
"""Worth of a call that edits a file, with a line for its result, and of the last edit of a file: it
records the change.
"""
_REFUSED = lazily(
    r"\W*(?:(?:tool_use_)?error\b|satchel: the history has no result|(the user doesn't want to proceed))",
    re.IGNORECASE,
)
TINY = 64
"""Characters of a result that is no longer than its mark."""
_LONG = 200
"""Characters from which a result is worth a note that it is repeated."""

_ENDED_BADLY = lazily(
    r"[Ee]xit(?:ed)?(?: with)? (?:code|status)[: ]+[1-9]|\b[1-9]\d* (?:failed|failures|errors)\b"
    r"|^Traceback|^fatal:"
)
NEWEST_FAILURE = 1.3
"""Factor for the first line of the newest failure, against older failures."""
_ENDS = 300
"""Characters at each end of an output in which it reports that its command failed."""


class Results(NamedTuple):
    """Facts about a conversation's results."""

    told: Mapping[int, str] = MappingProxyType({})
    """The line in place of a result, by the `id()` of its block."""
    gone: Mapping[int, Mapping[str, float]] = MappingProxyType({})
    """By exchange, the calls whose files were edited or read again since, and the worth of their lines."""
    failed: Mapping[int, float] = MappingProxyType({})
    """Results that report a failure, by the `id()` of their blocks, and the factor for the line that reports
    it first.
    """
    repeated: frozenset[int] = frozenset()
    """Results that are repeated word for word in a later one."""
    edits: Mapping[int, float] = MappingProxyType({})
    """Exchanges that edited files, and the worth of showing their calls."""
    overwritten: frozenset[int] = frozenset()
    """Exchanges that edited only files which later exchanges rewrote or deleted."""
    old_lists: frozenset[int] = frozenset()
    """Exchanges that set lists of tasks that newer lists replace."""


def know_results(exchanges: Sequence[Exchange]) -> Results:
    """Return facts about the results of exchanges."""
    readings = readings_of(exchanges)
    told: dict[int, str] = {}
    gone: dict[int, dict[str, float]] = {}
    failed: dict[int, float] = {}
    repeated, later, asked = set[int](), set[str](), set[tuple[str, str]]()
    for at in range(len(exchanges) - 1, -1, -1):
        blocks = [block for message in exchanges[at].messages for block in message.results]
        calls = [call for message in exchanges[at].messages for call in message.calls]
        logs = {call.id for call in calls if any(map(reads_log, touches_of(call.name, call.text)))}
        names = {call.id: call.name for call in calls}
        ran = {call.id: command for call in calls if (command := command_of(call.name, call.text))}
        edits = {call.id for call in calls if any(one.edits for one in touches_of(call.name, call.text))}
        for block in blocks:
            if len(block.text) <= TINY and not block.blocks:
                continue
            reading = readings.get((at, block.id))
            if reading is not None and reading.gone:
                gone.setdefault(at, {})[block.id] = _rate_gone(reading, len(block.text), len(exchanges))
            text = plain_text(block.text)
            is_output = reading is None or block.id in logs
            if is_output and (block.error or tells_failure(text)):
                failed[id(block)] = 1.0 if failed else NEWEST_FAILURE
            if block.text in later:
                repeated.add(id(block))
            name = names.get(block.id, "") if len(blocks) > 1 else ""
            again = block.text in later and len(block.text) >= _LONG
            fate = REPEATED if again else _tell_failure(block, text) if id(block) in failed else ""
            if reading is None and ran.get(block.id) in asked and fate != REPEATED:
                fate = f"{fate}; {RUN_AGAIN}" if fate else RUN_AGAIN
            if refused := _REFUSED.match(block.text):
                fate = "refused" if refused[1] else "failed"
            done = DONE if block.id in edits and not block.error and _tells_success(text) else ""
            told[id(block)] = _tell(text, reading, name, fate, done=done)
        asked.update(ran.values())
        later.update(block.text for block in blocks if len(block.text) > TINY)
    overwritten = frozenset(find_overwritten(exchanges))
    edited = {at: worth for at, worth in _find_edits(exchanges).items() if at not in overwritten}
    old = find_old_lists(exchanges)
    return Results(told, gone, failed, frozenset(repeated), edited, overwritten, old)


def _rate_gone(reading: FileReading, size: int, count: int) -> float:
    """Return the worth of the lines of an outdated reading, in so many exchanges."""
    late = reading.gone == EDITED and reading.touched >= count * (1 - LATELY)
    return (AT_WORK if late else GONE[reading.gone]) * (OF_SHORT if size < SHORT_READING else 1.0)


def _find_edits(exchanges: Sequence[Exchange]) -> dict[int, float]:
    """Return the exchanges that edited files, and the worth of showing their calls."""
    found: dict[int, float] = {}
    later = set[str]()
    for at in range(len(exchanges) - 1, -1, -1):
        results = [block for message in exchanges[at].messages for block in message.results]
        refused = {block.id for block in results if block.error or _REFUSED.match(block.text)}
        calls = [call for message in exchanges[at].messages for call in message.calls]
        touches = [
            touch for call in calls if call.id not in refused for touch in touches_of(call.name, call.text)
        ]
        paths = {touch.path for touch in touches if touch.edits}
        if paths:
            found[at] = sum(EDITS if path in later else EDITS_LAST for path in paths)
            later |= paths
    return found


def _tells_success(text: str) -> bool:
    """Return whether a line or two report success, and nothing else."""
    line = text.strip()
    return line.count("\n") < 2 and _SUCCEEDED.search(line) is not None and _TROUBLED.search(line) is None


def _tell_failure(block: Block, text: str) -> str:
    """Return "failed" for a failed call, else a phrase for output that lists failures."""
    failed = block.error or any(map(_ENDED_BADLY.search, (text[:_ENDS], text[-_ENDS:])))
    return "failed" if failed else "tells of a failure"


def _tell(text: str, reading: FileReading | None, name: str, fate: str, *, done: str) -> str:
    """Return one line: `Read state.go, 285 lines; edited since`; for an edit, `done`."""
    if done:
        return f"{name}: {done}" if name else done
    count = text.rstrip("\n").count("\n") + 1
    said = f"{count:,} lines" if count > 1 else f"{len(text):,} characters"
    if reading is not None:
        said, fate = f"Read {name_reading(reading)}, {said}", fate or reading.gone
    elif name:
        said = f"{name}: {said}"
    return f"{said}; {fate}" if fate else said
