"""The ledger of a session: files read and edited, commands run, steps done; it outlives every compaction."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import attrs

from satchel.conversation import read_arguments
from satchel.messages import Block, Message
from satchel.patterns import lazily

READ, EDITED, RAN = "read", "edited", "ran"
_MOST = MappingProxyType({READ: 120, EDITED: 80, RAN: 20})
"""Most names that are kept of each kind, the newest."""
_STEPS = 50
_VERBS = (
    (EDITED, lazily(r"write|edit|patch|replace|insert|create|update|delete|remove|rename|move|save")),
    (RAN, lazily(r"bash|shell|exec|terminal|command|\brun|_run|run_|subprocess|cmd")),
    (READ, lazily(r"read|view|open|cat|show|get|fetch|load|head|tail|grep|search|find|list|glob|\bls\b")),
)
"""The kind of a tool's effect by its name; the first match counts."""
_PATHS = ("path", "file_path", "filepath", "file", "filename", "file_name", "target_file", "absolute_path")
_COMMANDS = ("command", "cmd", "script", "commands")
_LONGEST = 200
"""Characters of a path or a command that are kept."""
_LARGEST_CALL = 200_000


@attrs.frozen
class Ledger:
    """The record of a session: each file, command or step with its count, the newest last."""

    read: Mapping[str, int] = attrs.field(factory=dict)
    edited: Mapping[str, int] = attrs.field(factory=dict)
    ran: Mapping[str, int] = attrs.field(factory=dict)
    steps: tuple[str, ...] = ()

    def after(self, messages: Iterable[Message]) -> Ledger:
        """Return the ledger after more messages."""
        held = {READ: dict(self.read), EDITED: dict(self.edited), RAN: dict(self.ran)}
        for kind, name in _list_uses(messages):
            held[kind][name] = held[kind].pop(name, 0) + 1
        kept = {kind: dict(list(names.items())[-_MOST[kind] :]) for kind, names in held.items()}
        return attrs.evolve(self, read=kept[READ], edited=kept[EDITED], ran=kept[RAN])

    def with_steps(self, steps: Sequence[str]) -> Ledger:
        """Return the ledger with the recorded steps."""
        return attrs.evolve(self, steps=tuple(steps[-_STEPS:]))

    def texts(self) -> tuple[str, ...]:
        """Return its forms in a window, from most to least; () if it is empty."""
        full = _lines(self, most=40)
        return tuple(dict.fromkeys((full, _lines(self, most=10), _lines(self, most=3)))) if full else ()

    def as_json(self) -> dict[str, Any]:
        """Return the ledger as values for JSON."""
        return {
            READ: dict(self.read),
            EDITED: dict(self.edited),
            RAN: dict(self.ran),
            "steps": list(self.steps),
        }

    @classmethod
    def from_json(cls, held: Mapping[str, Any]) -> Ledger:
        """Return the ledger that `as_json` wrote; AttributeError, TypeError or ValueError for another one."""
        read, edited, ran = (
            {str(name): int(times) for name, times in held.get(kind, {}).items()}
            for kind in (READ, EDITED, RAN)
        )
        return cls(read, edited, ran, tuple(map(str, held.get("steps", ()))))


def list_paths_used(messages: Iterable[Message]) -> list[str]:
    """Return the paths that tool calls of messages read or edit, in order."""
    return [name for kind, name in _list_uses(messages) if kind != RAN]


def _list_uses(messages: Iterable[Message]) -> Iterator[tuple[str, str]]:
    for message in messages:
        for call in message.calls:
            yield from _of_call(call)


def _of_call(call: Block) -> Iterator[tuple[str, str]]:
    """Yield the kind and the target of a call; nothing if its name or its arguments do not show them."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", call.name).lower()
    kind = next((kind for kind, verb in _VERBS if verb.search(name)), "")
    given = read_arguments(call.text) if kind and len(call.text) <= _LARGEST_CALL else {}
    keys = _COMMANDS if kind == RAN else _PATHS
    for key, value in given.items():
        if key.lower().replace("-", "_") in keys and isinstance(value, str) and value.strip():
            yield kind, " ".join(value.split())[:_LONGEST].removeprefix("./")


def _lines(ledger: Ledger, *, most: int) -> str:
    rows = (
        ("Steps done", list(ledger.steps), "; "),
        ("Files edited", _count_names(ledger.edited), ", "),
        ("Files read", _count_names(ledger.read), ", "),
        ("Commands run", _count_names(ledger.ran), "; "),
    )
    return "".join(f"{title}: {_newest(names, most, between)}\n" for title, names, between in rows if names)


def _count_names(names: Mapping[str, int]) -> list[str]:
    return [f"{name} ({times} times)" if times > 1 else name for name, times in names.items()]


def _newest(names: Sequence[str], most: int, between: str) -> str:
    left = len(names) - most
    return between.join([*([f"{left} before these"] if left > 0 else []), *names[-most:]])
