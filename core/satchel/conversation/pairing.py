"""Pair calls with results, and repair a history that came in broken, so that no provider refuses it."""

from __future__ import annotations

import json
import operator
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from satchel.messages import MADE_UP, Block, BlockKind, Conversation, Exchange, Flaw, Message

if TYPE_CHECKING:
    from satchel.interfaces import FormatRules

NO_RESULT = "[satchel: the history has no result of this call]"
NO_CALL = "[satchel: the result of a call that the history does not have]"
NO_BEGINNING = "[satchel: the history does not begin with a message of the user]"
NO_TEXT = "[satchel: an empty message]"


def answer(call: Block) -> Message:
    """Return a placeholder for the result that a call lacks."""
    return Message("tool", (Block(BlockKind.RESULT, NO_RESULT, call.name, call.id, error=True),))


def retell(results: tuple[Block, ...], index: int) -> Message:
    """Return results without a call as a message of the user, so that their text is kept."""
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
    """The call of each result; and unpaired calls and results."""

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
    """Return messages whose calls and results belong together, and the repairs made.

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
        """Return an id for each call: its own, or one made from it if it is taken or missing."""
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
        """Return a message with the new ids of its calls, without calls that nothing can answer."""
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
        """Yield the results of the calls in a run of messages, as they came, then added ones."""
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
        """Return the results of one message that belong to one answer: the message itself if all do."""
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
        """Yield the rest of a message of results after those with a call are taken."""
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

    Ids come from the original place of the first message: they stay as messages are appended.
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
    """Return whether a message belongs to the exchange before it.

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


_SOLID = frozenset({BlockKind.CALL, BlockKind.RESULT, BlockKind.IMAGE, BlockKind.DOCUMENT, BlockKind.OPAQUE})


def is_blank(message: Message, rules: FormatRules) -> bool:
    """Return whether a message is blank, which providers refuse."""
    return not any(
        block.kind in _SOLID
        or (rules.thoughts_alone and block.kind is BlockKind.THINKING)
        or (block.kind is BlockKind.TEXT and not _blank(block.text))
        for block in message.blocks
    )


def block_flaw(block: Block, rules: FormatRules) -> str:
    """Return the flaw of a block that the provider would refuse, "" if it has none."""
    if block.kind is BlockKind.TEXT:
        return "a blank text" if rules.refuses_blank_texts and _blank(block.text) else ""
    if block.kind is not BlockKind.CALL or block.fixed:
        return ""
    if _blank(block.name):
        return "a call without a name"
    if rules.json_arguments and not block.free and not is_json(block.text):
        return f"the arguments of call {block.name!r} are not JSON"
    return ""


def is_json(text: str) -> bool:
    """Return whether a call's arguments can be read; empty ones can."""
    if not text:
        return True
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def read_arguments(text: str) -> dict[str, Any]:
    """Return the arguments of a call, {} if its text is not a JSON object."""
    try:
        given = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return given if isinstance(given, dict) else {}


def _blank(text: str) -> bool:
    return not text or text.isspace()


def tidy_blocks(messages: Iterable[Message], rules: FormatRules, flaws: list[Flaw]) -> Iterator[Message]:
    """Yield messages with blocks that the provider takes; repairs are added to `flaws`."""
    for message in messages:
        told = [block_flaw(block, rules) for block in message.blocks]
        if any(told):
            flaws.extend(Flaw(message.index, _rule(what), what) for what in told if what)
            message = _mend(message, told)
        if not is_blank(message, rules):
            yield message
        elif message.role == "user":
            flaws.append(Flaw(message.index, "empty", "an empty message; a mark stands in its place"))
            yield attrs.evolve(message, blocks=(Block(BlockKind.TEXT, NO_TEXT),))
        else:
            flaws.append(Flaw(message.index, "empty", "an empty message; it was left out"))


def _rule(what: str) -> str:
    return "empty" if what == "a blank text" else "arguments" if "arguments" in what else "name"


def _mend(message: Message, told: list[str]) -> Message:
    pairs = zip(message.blocks, told, strict=True)
    kept = (_right(block) if what else block for block, what in pairs if what != "a blank text")
    return attrs.evolve(message, blocks=tuple(kept))


def _right(call: Block) -> Block:
    text = call.text if is_json(call.text) else json.dumps({"text": call.text}, ensure_ascii=False)
    return attrs.evolve(
        call, text=text if text.strip() else "{}", name="unknown" if _blank(call.name) else call.name
    )


def order_flaws(conversation: Conversation) -> list[Flaw]:
    """Return the flaws in the order of messages, by the rules of the format's provider."""
    rules = conversation.format.rules
    found = [
        Flaw(message.index, "dangling_thinking", "reasoning that no answer follows")
        for message in (_iter_dangling_thoughts(conversation.messages) if rules.items else ())
    ]
    inside = [message for message in conversation.messages if not message.outside]
    if rules.alternating:
        if inside and inside[0].role == "assistant":
            found.append(Flaw(inside[0].index, "first_not_user", "the first message is not the user's"))
        repeats = () if conversation.joined else _iter_role_repeats(inside)
        found += [
            Flaw(message.index, "alternation", f"two messages of the {_wire(message)} in a row")
            for message in repeats
        ]
    if rules.refuses_trailing_space and inside and _trailing(inside[-1]):
        found.append(Flaw(inside[-1].index, "trailing_space", "the last answer ends in white space"))
    return found


def _iter_role_repeats(messages: Iterable[Message]) -> Iterator[Message]:
    """Yield messages with the role of the previous one, unless they are pieces of one message."""
    for before, message in pairwise(messages):
        role = _wire(message)
        if role == _wire(before) != "system" and not _same(before, message):
            yield message


def order(conversation: Conversation, flaws: list[Flaw]) -> Conversation:
    """Return the conversation in an order that its provider takes; repairs are added to `flaws`."""
    rules = conversation.format.rules
    found = order_flaws(conversation)
    mended, more = conversation.format.mend(conversation.messages)
    if not found and not more:
        return conversation
    flaws.extend((*found, *more))
    gone = {id(message) for message in (_iter_dangling_thoughts(mended) if rules.items else ())}
    outside = [message for message in mended if message.outside]
    inside = [message for message in mended if not message.outside and id(message) not in gone]
    if rules.refuses_trailing_space and inside and _trailing(inside[-1]):
        inside[-1] = _strip(inside[-1])
    if rules.alternating and inside and inside[0].role == "assistant":
        inside.insert(0, Message("user", NO_BEGINNING))
    joined = conversation.joined or rules.alternating
    return attrs.evolve(conversation, messages=(*outside, *inside), joined=joined)


def _wire(message: Message) -> str:
    return "user" if message.role == "tool" else message.role


def _same(one: Message, other: Message) -> bool:
    return one.raw is not None and one.raw is other.raw and one.index == other.index


def _trailing(message: Message) -> bool:
    last = message.blocks[-1] if message.role == "assistant" and message.blocks else None
    return last is not None and last.kind is BlockKind.TEXT and last.text[-1:].isspace()


def _strip(message: Message) -> Message:
    last = message.blocks[-1]
    return attrs.evolve(message, blocks=(*message.blocks[:-1], last.with_text(last.text.rstrip())))


def _iter_dangling_thoughts(messages: Iterable[Message]) -> Iterator[Message]:
    """Yield the thoughts of a list of items without a following item of the same answer."""
    thoughts: list[Message] = []
    for message in messages:
        if message.blocks and message.blocks[0].kind is BlockKind.THINKING and message.role == "assistant":
            thoughts.append(message)
            continue
        if message.role != "assistant":
            yield from thoughts
        thoughts = []
    yield from thoughts


class Repaired(NamedTuple):
    """A conversation that its provider takes, and the repairs made."""

    conversation: Conversation
    flaws: list[Flaw]


def repair(conversation: Conversation) -> Repaired:
    """Return the conversation without flaws: the same object if it has none.

    No text is thrown away: a result without a call becomes a text of the user's, a call without a result gets
    one that says so. Ids change only if they are missing or used twice.
    """
    messages, flaws = pair_results(conversation, keep_orphans=_has_remote_history(conversation))
    tidy = tuple(tidy_blocks(messages, conversation.format.rules, flaws))
    mended = conversation
    if flaws:
        mended = attrs.evolve(conversation, messages=tidy, request=_drop_blank_system(conversation, tidy))
    mended = order(mended, flaws)
    return Repaired(mended, flaws)


def _drop_blank_system(conversation: Conversation, messages: tuple[Message, ...]) -> Mapping[str, Any] | None:
    """Return the request without a blank system text that was removed."""
    had = any(message.outside for message in conversation.messages)
    if not had or any(message.outside for message in messages):
        return conversation.request
    request = dict(conversation.request or {})
    request.pop(conversation.format.system_key, None)
    return request


def _has_remote_history(conversation: Conversation) -> bool:
    """Return whether the provider keeps a part of the history: results may answer calls in it."""
    kept = conversation.format.rules.kept_history
    request = conversation.request or {}
    return any(request.get(key) for key in kept) or any(
        block.kind is BlockKind.OPAQUE and block.name in kept
        for message in conversation.messages
        for block in message.blocks
    )


def flaws_of(conversation: Conversation) -> list[Flaw]:
    """Return the flaws that the provider would refuse, [] if it takes the conversation."""
    return [
        *pair_results(conversation, keep_orphans=_has_remote_history(conversation))[1],
        *_content_flaws(conversation),
        *order_flaws(conversation),
        *conversation.format.mend(conversation.messages)[1],
    ]


def _content_flaws(conversation: Conversation) -> Iterator[Flaw]:
    rules = conversation.format.rules
    for message in conversation.messages:
        told = [block_flaw(block, rules) for block in message.blocks]
        yield from (Flaw(message.index, "content", what) for what in told if what)
        if is_blank(message, rules):
            yield Flaw(message.index, "empty", "an empty message")
