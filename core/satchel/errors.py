"""All errors that satchel raises on purpose, and the record of a failure that did not stop it.

SatchelError                    exit 1: cannot
├── UsageError                  exit 2: the caller asked for something invalid
│   ├── UnknownNameError        no plugin, model or level of that name
│   └── ConfigError             the configuration has errors, all of them listed
├── WorkspaceError              a root, a file or a repository that can't be used
├── ConversationError           messages that can't be read: invalid JSON, wrong shapes, an unclear format
├── PointerError                a pointer that resolves to nothing, or to something that changed
├── NoDevicesError              a GPU backend found nothing, and says why
├── BudgetError                 what must go in costs more than the budget
└── PluginError                 a plugin that was chosen by name failed or broke its contract
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from satchel.spelling import join_reason, nearest

_MOST_LINES, _FIRST, _LONGEST_LINE = 20, 3, 300


def in_few_lines(messages: Sequence[str]) -> tuple[str, ...]:
    """Return the messages, long ones shortened, and very many of them as one line."""
    if len(messages) <= _MOST_LINES:
        return tuple(_cut(message) for message in messages)
    first = "; ".join(_cut(message) for message in messages[:_FIRST])
    return (f"{first}; ... and {len(messages) - _FIRST:,} more",)


def _cut(message: str) -> str:
    if len(message) <= _LONGEST_LINE:
        return message
    return f"{message[:200]}...{message[203 - _LONGEST_LINE :]}"  # the reason is at the end


class SatchelError(Exception):
    """Base of all errors that satchel raises on purpose; the text is one line for a person."""

    exit_code = 1


class UsageError(SatchelError):
    """The caller asked for something invalid."""

    exit_code = 2


_MOST_LISTED = 30
"""Names that an error lists: there are some 200 models."""


class UnknownNameError(UsageError):
    """Nothing of that kind has the name; the message suggests the nearest one and lists up to 30."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(sorted(known))
        near = nearest(name, self.known)
        hint = f"; did you mean {near!r}?" if near else ""
        listed = ", ".join(self.known[:_MOST_LISTED]) or "none"
        more = f", and {len(self.known) - _MOST_LISTED} more" if self.known[_MOST_LISTED:] else ""
        self.summary = f"no {kind} is called {name!r}{hint}"
        super().__init__(f"{self.summary} (known: {listed}{more})")


class ConfigError(UsageError):
    """The configuration has errors; `errors` has all of them, each with its file and key.

    The text has one line for each; if there are very many, one line with the first and a count.
    """

    def __init__(self, errors: Sequence[str]) -> None:
        self.errors = tuple(errors)
        super().__init__("\n".join(in_few_lines(self.errors)))


class WorkspaceError(SatchelError):
    """A root, a file or a repository can't be used."""

    def __init__(self, path: str, reason: str) -> None:
        self.path, self.reason = path, reason
        super().__init__(join_reason(path, reason))


class PointerError(SatchelError):
    """A pointer resolves to nothing, or to something that has changed since."""

    def __init__(self, pointer: str, reason: str) -> None:
        self.pointer, self.reason = pointer, reason
        super().__init__(join_reason(pointer, reason))


class ConversationError(SatchelError):
    """Messages can't be read; `place` is where ("message 3: 'content'"), `reason` why."""

    def __init__(self, place: str, reason: str) -> None:
        self.place, self.reason = place, reason
        super().__init__(join_reason(place, reason) if place else reason)


class NoDevicesError(SatchelError):
    """A GPU backend found none of its devices; the text says why, so that the user can fix it."""


class BudgetError(SatchelError):
    """The promised content costs more than the budget; `costs` maps each item to its tokens.

    `max_chars` is the limit in characters that the budget was made from, None if it was given.
    """

    def __init__(
        self, budget: int, costs: Sequence[tuple[str, int]], *, max_chars: int | None = None
    ) -> None:
        self.budget, self.costs, self.max_chars = budget, tuple(costs), max_chars
        dearest = sorted(self.costs, key=lambda cost: (-cost[1], cost[0]))
        listed = ", ".join(f"{name} {tokens}" for name, tokens in dearest[:5])
        more = f" and {len(dearest) - 5} more" if len(dearest) > 5 else ""
        total = sum(tokens for _, tokens in self.costs)
        limit = f"the budget is {budget}"
        if max_chars is not None:
            limit = f"about {budget} fit in {max_chars} characters"
        super().__init__(f"what must go in costs {total} tokens, {limit}: {listed}{more}")


class PluginError(SatchelError):
    """A plugin that was chosen by name failed, or broke the contract of its kind."""

    def __init__(self, plugin: str, distribution: str, reason: str) -> None:
        self.plugin, self.distribution, self.reason = plugin, distribution, reason
        super().__init__(f"{plugin} (from {distribution}): {reason}")


class Problem(NamedTuple):
    """A failure that was recorded and did not stop the run.

    `plugin` is a plugin's name or the part of satchel that met the failure, `stage` what it was
    doing (load, gather, split, score, probe, observe, read), `error` a one-line reason.
    """

    plugin: str
    stage: str
    error: str
    distribution: str = "satchel"

    def __str__(self) -> str:
        origin = f" (from {self.distribution})" if self.distribution != "satchel" else ""
        return f"{self.plugin}{origin}: {self.stage}: {self.error}"


def pack_error(error: Exception) -> dict[str, Any]:
    """Return an error with its attributes as JSON values, to be raised in another process."""
    facts = {"exit_code": getattr(error, "exit_code", 1), **vars(error)}
    return {"error": type(error).__name__, "text": str(error), "facts": facts}


def unpack_error(packed: Mapping[str, Any]) -> SatchelError:
    """Return the error that another process packed, a SatchelError for any other class."""
    kind = globals().get(packed["error"])
    cls = kind if isinstance(kind, type) and issubclass(kind, SatchelError) else SatchelError
    error = cls.__new__(cls)
    Exception.__init__(error, packed["text"])
    for name, value in packed["facts"].items():
        setattr(error, name, tuple(value) if isinstance(value, list) else value)
    return error
