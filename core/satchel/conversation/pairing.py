"""Put each result right behind its call, give ids that join them, and stand in for what is missing."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import groupby

import attrs

from satchel.messages import MADE_UP, Block, BlockKind, Conversation, Exchange, Flaw, Message

NO_RESULT = "[satchel: the history has no result of this call]"
NO_CALL = "[satchel: the result of a call that the history does not have]"
NO_BEGINNING = "[satchel: the history does not begin with a message of the user]"
NO_TEXT = "[satchel: an empty message]"


def answer(call: Block) -> Message:
    """Return a placeholder for the result that a call lacks."""
    return Message("tool", (Block(BlockKind.RESULT, NO_RESULT, call.name, call.id, error=True),))


def retell(results: tuple[Block, ...], index: int) -> Message:
    """Return results that have no call as a message of the user, so that what they say is kept."""
    said = [Block(BlockKind.TEXT, f"{NO_CALL}\n{block.text}".rstrip()) for block in results]
    pictures = [
        inner
        for block in results
        if not block.fixed
        for inner in block.blocks
        if inner.kind is BlockKind.IMAGE
    ]
    text = Block(BlockKind.TEXT, "\n\n".join(block.text for block in said))
    return Message("user", (text, *pictures), index)


Slot = tuple[int, int]
"""A block: the position of its message, and its own in it."""


class Matches:
    """Which call each result answers; what is left over on either side."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.call_of: dict[Slot, Slot] = {}
        self.result_of: dict[Slot, Slot] = {}
        self.calls: dict[Slot, str] = {}
        self.orphans: list[Slot] = []
        self._open: dict[str, list[deque[Slot]]] = {}
        self._early: dict[str, deque[Slot]] = {}
        self._latest: deque[Slot] = deque()
        for at, message in enumerate(messages):
            self._take(at, message)
        self.orphans.extend(sorted(slot for early in self._early.values() for slot in early))

    def _take(self, at: int, message: Message) -> None:
        fresh: dict[str, deque[Slot]] = {}
        for number, block in enumerate(message.blocks):
            if block.kind is BlockKind.CALL:
                self._call((at, number), block.id, fresh)
            elif block.kind is BlockKind.RESULT:
                self._result((at, number), block.id)
        if fresh:
            self._latest = deque(slot for slots in fresh.values() for slot in slots)
        for id_, slots in fresh.items():
            self._open.setdefault(id_, []).append(slots)

    def _call(self, slot: Slot, id_: str, fresh: dict[str, deque[Slot]]) -> None:
        self.calls[slot] = id_
        early = self._early.get(id_)
        if early and id_:
            self._join(early.popleft(), slot)
        else:
            fresh.setdefault(id_, deque()).append(slot)

    def _result(self, slot: Slot, id_: str) -> None:
        call = self._waiting(id_)
        if call is None and (not id_ or id_ not in self._open):
            call = self._nameless(id_)
        if call is None:
            self._early.setdefault(id_, deque()).append(slot)
        else:
            self._join(slot, call)

    def _waiting(self, id_: str) -> Slot | None:
        """Return the first waiting call with that id, of the latest message that has one."""
        groups = self._open.get(id_, [])
        while groups:
            while groups[-1]:
                slot = groups[-1].popleft()
                if slot not in self.result_of:
                    return slot
            groups.pop()
        return None

    def _nameless(self, id_: str) -> Slot | None:
        """Return the first call of the latest message that waits, for a result or a call without id."""
        while self._latest and self._latest[0] in self.result_of:
            self._latest.popleft()
        own = self.calls[self._latest[0]] if self._latest else MADE_UP
        if own.startswith(MADE_UP) or id_.startswith(MADE_UP) or (id_ and own):
            return None
        return self._latest.popleft()

    def _join(self, result: Slot, call: Slot) -> None:
        self.call_of[result] = call
        self.result_of[call] = result


def pair_results(conversation: Conversation, *, keep_orphans: bool) -> tuple[tuple[Message, ...], list[Flaw]]:
    """Return messages whose calls and results belong together, and what had to be done for it.

    `keep_orphans` leaves results without a call as they are: the provider has the call.
    """
    pairing = _Pairing(conversation, keep_orphans=keep_orphans)
    return tuple(pairing.messages()), pairing.flaws


class _Pairing:
    """One walk over a broken history: each answer of the model is followed by all of its results."""

    def __init__(self, conversation: Conversation, *, keep_orphans: bool) -> None:
        self.flaws: list[Flaw] = []
        self._items = conversation.format.rules.items
        self._messages = conversation.messages
        self._matches = Matches(conversation.messages)
        self._orphans = set(self._matches.orphans)
        self._keep_orphans = keep_orphans
        self._ids = self._unique_ids()
        self._behind = self._last_saying()
        self._said = {(self._matches.calls[call], self._block(slot).text) for slot, call in self._pairs()}

    def _last_saying(self) -> list[int]:
        """Return for each message the last one up to it that is not a result."""
        last, behind = -1, []
        for at, message in enumerate(self._messages):
            last = last if message.role == "tool" else at
            behind.append(last)
        return behind

    def _pairs(self) -> Iterator[tuple[Slot, Slot]]:
        yield from self._matches.call_of.items()

    def _block(self, slot: Slot) -> Block:
        return self._messages[slot[0]].blocks[slot[1]]

    def _flaw(self, at: int, rule: str, what: str) -> None:
        self.flaws.append(Flaw(self._messages[at].index, rule, what))

    def _unique_ids(self) -> dict[Slot, str]:
        """Return an id for each call: its own, or one made from it where it is taken or missing."""
        used = set(self._matches.calls.values())
        seen: set[str] = set()
        times: dict[str, int] = {}
        ids: dict[Slot, str] = {}
        for slot, own in self._matches.calls.items():
            answered = self._matches.result_of.get(slot)
            id_ = own or (self._block(answered).id if answered else "")
            while not id_ or id_ in seen or (id_ != own and id_ in used):
                times[own] = times.get(own, 1) + 1
                id_ = f"{own or 'call_satchel'}_{times[own]}"
            if id_ != own:
                self._flaw(slot[0], *_renaming(own, id_))
            seen.add(id_)
            ids[slot] = id_
        return ids

    def messages(self) -> Iterator[Message]:
        """Yield the messages, in an order that every provider takes."""
        run: list[int] = []
        for at, message in enumerate(self._messages):
            if run and not (self._items and message.role == "assistant"):
                yield from self._results(run)
                run = []
            if message.role == "tool":
                yield from self._take_rest(at)
                continue
            said = self._rename(at)
            if said is not None:
                yield said
            if message.role == "assistant":
                run.append(at)
        yield from self._results(run)

    def _rename(self, at: int) -> Message | None:
        """Return a message with the ids that its calls have now, without calls that nothing can answer."""
        message = self._messages[at]
        kept: list[Block] = []
        for number, block in enumerate(message.blocks):
            id_ = self._ids.get((at, number))
            if id_ is None:
                kept.append(block)
            elif (at, number) in self._matches.result_of or not block.fixed:
                kept.append(block if block.id == id_ else attrs.evolve(block, id=id_))
            else:
                self._flaw(
                    at,
                    "missing_result",
                    f"call {block.id!r} has no result, and none can be put in; it was left out",
                )
        if not kept and message.blocks:
            return None
        same = len(kept) == len(message.blocks) and all(map(operator.is_, kept, message.blocks))
        return message if same else attrs.evolve(message, blocks=tuple(kept))

    def _results(self, run: Sequence[int]) -> Iterator[Message]:
        """Yield the results of the calls in a run of messages, as they came, then those put in."""
        calls = [(at, number) for at in run for number in range(len(self._messages[at].blocks))]
        calls = [slot for slot in calls if slot in self._ids]
        answers = sorted(
            (self._matches.result_of[slot], slot) for slot in calls if slot in self._matches.result_of
        )
        for at, group in groupby(answers, lambda pair: pair[0][0]):
            yield self._regroup(at, list(group), after=run[-1])
        for slot in calls:
            call = self._block(slot)
            if slot not in self._matches.result_of and not call.fixed:
                self._flaw(
                    slot[0], "missing_result", f"call {call.id!r} has no result; one that says so was put in"
                )
                yield answer(attrs.evolve(call, id=self._ids[slot]))

    def _regroup(self, at: int, pairs: Sequence[tuple[Slot, Slot]], *, after: int) -> Message:
        """Return the results of one message that belong to one answer: the message itself if it is all."""
        message = self._messages[at]
        found = [self._with_id(result, self._ids[call]) for result, call in pairs]
        if self._behind[at] != after:
            self._flaw(at, "result_order", "a result did not stand behind its call; it was put there")
        if len(found) == len(message.blocks) and all(map(operator.is_, found, message.blocks)):
            return message
        return attrs.evolve(message, blocks=tuple(found))

    def _with_id(self, slot: Slot, id_: str) -> Block:
        block = self._block(slot)
        if block.id == id_:
            return block
        if block.id != self._matches.calls[self._matches.call_of[slot]]:
            self._flaw(slot[0], "missing_id", f"a result had the id {block.id!r}; it is {id_!r} now")
        return attrs.evolve(block, id=id_)

    def _take_rest(self, at: int) -> Iterator[Message]:
        """Yield what is left of a message of results once those with a call are taken."""
        message = self._messages[at]
        left = [b for number, b in enumerate(message.blocks) if (at, number) in self._orphans]
        if self._keep_orphans:
            if left:
                yield (
                    message if len(left) == len(message.blocks) else attrs.evolve(message, blocks=tuple(left))
                )
            return
        fresh = tuple(block for block in left if (block.id, block.text) not in self._said)
        for block in left:
            again = (block.id, block.text) in self._said
            told = "it is there already and was left out" if again else "it became text"
            self._flaw(at, "orphan_result", f"result {block.id!r} has no call; {told}")
        if fresh:
            yield retell(fresh, message.index)


def _renaming(own: str, id_: str) -> tuple[str, str]:
    if not own:
        return "missing_id", f"a call had no id; it is {id_!r} now"
    return "duplicate_id", f"call id {own!r} was used before; it is {id_!r} now"


def exchanges_of(conversation: Conversation) -> tuple[Exchange, ...]:
    """Return the exchanges of a repaired conversation, in order; each message is in exactly one.

    Ids come from where the first message stood in what came in: they stay as messages are appended.
    """
    runs = list(_runs(conversation.messages, items=conversation.format.rules.items))
    return tuple(Exchange(id_, run) for id_, run in zip(_name_exchanges(runs), runs, strict=True))


def _runs(messages: Sequence[Message], *, items: bool) -> Iterator[tuple[Message, ...]]:
    run: list[Message] = []
    called = False
    for message in messages:
        if run and not _continues(message, run, items=items, called=called):
            yield tuple(run)
            run, called = [], False
        run.append(message)
        called = called or bool(message.calls)
    if run:
        yield tuple(run)


def _continues(message: Message, run: Sequence[Message], *, items: bool, called: bool) -> bool:
    """Whether a message belongs to the exchange before it.

    In a list of items, an answer of the model is as many items as it has thoughts, texts and calls.
    """
    if run[0].role != "assistant":
        return False
    if message.role == "tool":
        return True
    if not items or message.role != "assistant" or run[-1].role == "tool":
        return False
    return called or not _thinks(message) or _thinks(run[-1])


def _thinks(message: Message) -> bool:
    return bool(message.blocks) and message.blocks[0].kind is BlockKind.THINKING


def _name_exchanges(runs: Sequence[Sequence[Message]]) -> Iterator[str]:
    times: dict[str, int] = {}
    for run in runs:
        name = "system" if run[0].outside else f"m{run[0].index}" if run[0].index >= 0 else "new"
        again = times[name] = times.get(name, -1) + 1
        yield f"{name}.{again}" if again or name == "new" else name
