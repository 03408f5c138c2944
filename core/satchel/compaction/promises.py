"""What no strategy may cut, and the check that a window keeps every promise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from satchel.compaction.intent import NO_INTENT, Intent, find_intent, has_tools, is_person
from satchel.compaction.reporting import category
from satchel.conversation import Counts, find_spoken, flaws_of
from satchel.errors import UsageError
from satchel.messages import BlockKind, Conversation, Exchange, Message

VERBATIM = 0.30
"""Share of the budget that the newest whole exchanges fill, word for word."""
LEAST_NEWEST = 256
"""Tokens that the newest user message keeps at least."""
MARK = "[satchel"


def is_user_message(exchange: Exchange) -> bool:
    """Whether a user said it: no note of satchel's own, and no result without its call."""
    first = exchange.messages[0]
    return exchange.role == "user" and (not first.text.startswith(MARK) or bool(find_spoken(first)))


def is_told_last(exchanges: Sequence[Exchange]) -> bool:
    """Whether the last message is a user's, a person's or a program's, and no packed context."""
    if not exchanges:
        return False
    return is_user_message(exchanges[-1]) and category(exchanges[-1].messages[0]) != "context"


@attrs.frozen
class Promised:
    """Which exchanges must stand in the window, by their number."""

    fixed: frozenset[int]
    """Whole: system, pins, the first user message where it fits."""
    newest: int
    """The newest user message, -1 where there is none (or where it is fixed)."""
    intent: Intent = NO_INTENT
    """What was said and what is planned: whole, as far as its shares of the budget go."""
    talk: bool = False
    """Whether no tool is called: then the task says what matters of what was said, unless all of it fits."""
    first: int = -1
    """The first user message, -1 where there is none or a pin wants it whole."""
    opening: int = -1
    """The first user message where it is too long for the window and cut inside, else -1."""

    @property
    def all(self) -> frozenset[int]:
        """Return all of them."""
        return self.fixed | {self.newest} if self.newest >= 0 else self.fixed

    def among(self, positions: Sequence[int]) -> Promised:
        """Return the same promises where only the exchanges at these positions are left."""
        places = {position: at for at, position in enumerate(positions)}
        fixed = frozenset(places[position] for position in self.fixed)
        intent = Intent(*(tuple(places[at] for at in part if at in places) for part in self.intent))
        newest, first, opening = (places.get(at, -1) for at in (self.newest, self.first, self.opening))
        return Promised(fixed, newest, intent, self.talk, first, opening)

    def give_way(self) -> Promised:
        """Return the promises where the first user message may be cut, as the newest may."""
        fixed = self.fixed - {self.first}
        if self.newest < 0:
            return attrs.evolve(self, fixed=fixed, newest=self.first)
        return attrs.evolve(self, fixed=fixed, opening=self.first)


def list_promises(exchanges: Sequence[Exchange], pins: Iterable[int | str]) -> Promised:
    """Return what must stand in the window of these exchanges.

    Raises:
        UsageError: a pin names no message.
    """
    said = [at for at, one in enumerate(exchanges) if is_user_message(one)]
    users = [at for at in said if is_person(exchanges[at])] or said
    fixed = {at for at, one in enumerate(exchanges) if one.role == "system"}
    fixed.update(at for pin in pins for at in _find_pin_matches(exchanges, pin))
    first = users[0] if users and users[0] not in fixed else -1
    fixed.update(users[:1])
    newest = users[-1] if users and users[-1] not in fixed else -1
    return Promised(frozenset(fixed), newest, find_intent(exchanges), not has_tools(exchanges), first)


def _find_pin_matches(exchanges: Sequence[Exchange], pin: int | str) -> list[int]:
    number = _index(pin)
    top = 1 + max((message.index for one in exchanges for message in one.messages), default=-1)
    wanted = number + top if number is not None and number < 0 else number

    def meant(message: Message) -> bool:
        if wanted is not None:
            return message.index == wanted
        return any(str(pin) in block.text for block in message.blocks)

    found = [at for at, one in enumerate(exchanges) if any(map(meant, one.messages))]
    if not found:
        what = (
            f"there is no message {pin}, the last is {top - 1}"
            if number is not None
            else f"no message says {pin!r}"
        )
        raise UsageError(f"pin: {what}")
    return found


def _index(pin: int | str) -> int | None:
    if isinstance(pin, int):
        return pin
    digits = pin.removeprefix("-")
    return int(pin) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None


def check_promises(
    window: Conversation, promised_whole: Sequence[Message], *, counts: Counts, budget: int
) -> str:
    """Return the promise that a window breaks, "" where it keeps all of them.

    Args:
        window: what would be sent.
        promised_whole: messages that must stand in it word for word.
        counts: what it is counted with.
        budget: most tokens of it.
    """
    tokens = counts.total(window).total
    if tokens > budget:
        return f"it costs {tokens} tokens, the budget is {budget}"
    flaws = flaws_of(window)
    if flaws:
        return f"its provider would refuse it: {flaws[0]}"
    standing = {_texts_of(message) for message in window.messages}
    for message in promised_whole:
        if _texts_of(message) not in standing:
            return f"message {message.index} ({message.role}) must be whole in it"
    return ""


def _texts_of(message: Message) -> tuple[object, ...]:
    kept = (BlockKind.TEXT, BlockKind.CALL, BlockKind.RESULT)
    return (message.role, *((block.kind, block.text) for block in message.blocks if block.kind in kept))


def name_exchange(exchange: Exchange) -> str:
    """Name an exchange for a person: the number of its first message and its role."""
    first = exchange.messages[0]
    return f"message {first.index} ({first.role})" if first.index >= 0 else first.role
