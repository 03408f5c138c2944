"""The memory of a session's last window, and how much its items were used."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from satchel.errors import Problem, SatchelError
from satchel.session.ledger import Ledger
from satchel.session.nodes import COMPACTION, DamageError, place_of
from satchel.session.pins import pins_of, read_only_of

if TYPE_CHECKING:
    from satchel.session.nodes import Node
    from satchel.session.session import Session


HALF_LIFE_SECONDS = 1_800.0
"""Half an hour: about as long as one piece of work in a session."""
FLOOR = 0.1
"""Least weight of an item used in the session, so that it still beats unused ones."""
ONCE = 0.5
"""Weight of a single use; the other half comes from frequent use."""
OFTEN = 20
"""Number of uses beyond which more add nothing, so that a hundred do not dominate."""
MOST_KEPT = 200
"""Most items whose usage a session stores."""


@attrs.frozen
class ItemUsage:
    """How often an item was used, and when last, in seconds of the session's clock."""

    count: int
    last_seconds: float


def touch(usage: ItemUsage | None, now: float) -> ItemUsage:
    """Return the usage after one more use at `now`, in seconds; a clock that went back is ignored."""
    if usage is None:
        return ItemUsage(1, now)
    return ItemUsage(usage.count + 1, max(usage.last_seconds, now))


def weigh_usage(usage: ItemUsage, now: float, half_life_seconds: float = HALF_LIFE_SECONDS) -> float:
    """Return the weight of a usage at `now`: from `FLOOR` to 1, or 0 without use.

    It halves with every half-life since the last use and grows with the logarithm of the count. A
    half-life of 0 or less means the default.
    """
    return max(FLOOR, _strength(usage, now, half_life_seconds)) if usage.count > 0 else 0.0


def weigh_usages(
    usages: Mapping[str, ItemUsage], now: float, *, half_life_seconds: float
) -> dict[str, float]:
    """Return the weight of each item's usage at `now`, 0..1."""
    return {id_: weigh_usage(usage, now, half_life_seconds) for id_, usage in usages.items()}


def trim_usages(
    usages: Mapping[str, ItemUsage], now: float, *, half_life_seconds: float, most: int = MOST_KEPT
) -> dict[str, ItemUsage]:
    """Return the strongest usages, `most` in total, in their original order.

    The floor is ignored here, or nothing would ever be removed. Ties: the newer, then by id.
    """

    def rank(id_: str) -> tuple[float, float, str]:
        return -_strength(usages[id_], now, half_life_seconds), -usages[id_].last_seconds, id_

    kept = frozenset(sorted(usages, key=rank)[:most])
    return {id_: usage for id_, usage in usages.items() if id_ in kept}


def _strength(usage: ItemUsage, now: float, half_life_seconds: float) -> float:
    """Return the weight, 0..1, without the floor."""
    if usage.count <= 0:
        return 0.0
    half_life = half_life_seconds if half_life_seconds > 0 else HALF_LIFE_SECONDS
    age = max(0.0, now - usage.last_seconds)
    often = min(1.0, math.log(usage.count) / math.log(OFTEN))
    return float((ONCE + (1 - ONCE) * often) * 0.5 ** (age / half_life))


WINDOW = "window"
"""Kind of the node that a window leaves if nothing was compacted."""
SCHEMA = 1


@attrs.frozen
class DialogueMemory:
    """A dialogue as it was sent after a compaction; newer messages follow it."""

    messages: tuple[Any, ...]
    upto: str
    """Node of the newest message in it."""
    form: str
    compactions: int
    budget: int = 0
    """Counted tokens of the window that it was made for, 0 if unknown."""
    origins: tuple[tuple[int, int], ...] = ()
    """Index of each message in the session, and its number of blocks; () if unknown."""


@attrs.frozen
class WorkspaceBlock:
    """The workspace's part of a window."""

    text: str
    task: str
    tokens: int
    items: tuple[Mapping[str, Any], ...] = ()
    """Pointer, path, level, tokens and salience of each item."""
    files: Mapping[str, Any] = attrs.field(factory=dict)
    """Path -> size, time of change, hash, and the text if it was shown whole."""
    key: str = ""
    """The other conditions it was made for: model, pins, settings."""
    node: str = ""
    """The node that keeps it, "" if it is new."""
    account: Mapping[str, Any] = attrs.field(factory=dict)
    """The use of each contributor, and the loans between them."""
    after: str = ""
    """Node of the message before it, "" for a block before the dialogue."""
    texts: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    """Text of each item, by its pointer, if it was packed just now; texts are not kept."""


@attrs.frozen
class WindowMemory:
    """The memory of the last window."""

    dialogue: DialogueMemory | None = None
    block: WorkspaceBlock | None = None
    added: tuple[WorkspaceBlock, ...] = ()
    """Blocks shown after messages since the newest compaction, the oldest first."""
    ledger: Ledger = attrs.field(factory=Ledger)
    usage: Mapping[str, ItemUsage] = attrs.field(factory=dict)
    upto: str = ""
    """Node of the newest message that ledger and usage cover."""
    levels: Mapping[str, int] = attrs.field(factory=dict)
    sent: tuple[tuple[str, int], ...] = ()
    """Digest and size of each message that was sent."""
    pressure: str = "calm"
    judged: str = ""
    """The task that the blocks were last found good enough for."""

    @property
    def blocks(self) -> tuple[WorkspaceBlock, ...]:
        """Return the blocks of the window, from its beginning on."""
        return (*((self.block,) if self.block else ()), *self.added)


def kind_of(reader: str) -> str:
    """Return the kind of the node that a window leaves: the session's own, or one for a reader."""
    if not reader:
        return WINDOW
    return f"shown_{hashlib.blake2b(reader.encode(), digest_size=8).hexdigest()}"


def recall_shown(session: Session, reader: str) -> tuple[WindowMemory, list[Problem]]:
    """Return all that a reader was shown: messages up to a node, files, and events.

    Its block has no text: content that the reader has is not shown again.
    """
    node, lost = session.newest_whole(kind_of(reader))
    problems = [_make_problem(error) for error in lost]
    upto = session.find_read(reader)
    dialogue = DialogueMemory((), upto, "", 0) if upto else None
    if node is None:
        return WindowMemory(dialogue), problems
    try:
        memory = _memory(session, node, dialogue, problems)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        problems.append(_make_mistake(node, error))
        return WindowMemory(dialogue), problems
    block = attrs.evolve(memory.block, text="") if memory.block else None
    return attrs.evolve(memory, block=block), problems


def recall(session: Session) -> tuple[WindowMemory, list[Problem]]:
    """Return the memory in the newest intact nodes, and a problem for each damaged one."""
    compaction, lost = session.newest_whole(COMPACTION)
    window, lost_too = session.newest_whole(WINDOW)
    problems = [_make_problem(error) for error in (*lost, *lost_too)]
    found = (node for node in (compaction, window) if node)
    newest = max(found, key=lambda node: place_of(node.id).position, default=None)
    if newest is None:
        return WindowMemory(), problems
    try:
        dialogue = _dialogue(compaction.body["dialogue"]) if compaction else None
        return _memory(session, newest, dialogue, problems), problems
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        problems.append(_make_mistake(newest, error))
        return WindowMemory(), problems


def list_sent(session: Session, memory: WindowMemory) -> list[Any]:
    """Return the messages of a window: those of the newest compaction, and newer ones."""
    kept = memory.dialogue
    return [*kept.messages, *session.messages(after=kept.upto)] if kept else session.messages()


def compare_prefix(
    before: Sequence[tuple[str, int]], sent: Sequence[tuple[str, int]]
) -> tuple[int | None, float]:
    """Return the first message that differs from the window before, and the share of text before it."""
    pairs = enumerate(zip(before, sent, strict=False))
    same = next((at for at, (old, new) in pairs if old[0] != new[0]), min(len(before), len(sent)))
    whole = sum(size for _, size in sent) or 1
    share = round(sum(size for _, size in sent[:same]) / whole, 4)
    return (same if same < len(before) else None), share


def _make_problem(error: DamageError) -> Problem:
    return Problem("session", "read", f"{error}; the one before it is used")


def _make_mistake(node: Node, error: Exception) -> Problem:
    return Problem("session", "read", f"node {node.id} is not a window of satchel's: {error!r}")


def _memory(
    session: Session, node: Node, dialogue: DialogueMemory | None, problems: list[Problem]
) -> WindowMemory:
    body: Mapping[str, Any] = node.body
    return WindowMemory(
        dialogue,
        _block(session, node, problems),
        tuple(_iter_blocks(session, node, problems)),
        Ledger.from_json(body["ledger"]),
        {str(id_): ItemUsage(int(count), float(last)) for id_, (count, last) in body["usage"].items()},
        str(body["upto"]),
        {str(id_): int(level) for id_, level in body["levels"].items()},
        tuple((str(digest), int(size)) for digest, size in body["sent"]),
        str(body["pressure"]),
        str(body.get("judged", "")),
    )


def _dialogue(held: Mapping[str, Any]) -> DialogueMemory:
    origins = tuple((int(index), int(blocks)) for index, blocks in held["origins"])
    made: dict[str, Any] = {**held, "messages": tuple(held["messages"]), "origins": origins}
    return DialogueMemory(**made)


def _block(session: Session, node: Node, problems: list[Problem]) -> WorkspaceBlock | None:
    """Return the block of a node, which may be kept in an earlier one."""
    held, place = node.body.get("context"), node.id
    if held is None and node.body.get("context_at"):
        place = str(node.body["context_at"])
        try:
            held = session.node(place).body["context"]
        except SatchelError as error:
            problems.append(Problem("session", "read", f"{error}; the workspace is packed anew"))
    return None if held is None else _read_block(held, place)


def _iter_blocks(session: Session, node: Node, problems: list[Problem]) -> Iterator[WorkspaceBlock]:
    """Yield the blocks after messages; most of them are kept in earlier nodes."""
    for one in node.body.get("added", ()):
        if isinstance(one, str):
            try:
                yield _read_block(session.node(one).body["added"][-1], one)
            except SatchelError as error:
                problems.append(Problem("session", "read", f"{error}; that part of the workspace is gone"))
        else:
            yield _read_block(one, node.id)


def _read_block(held: Mapping[str, Any], place: str) -> WorkspaceBlock:
    made: dict[str, Any] = {**held, "items": tuple(held["items"])}
    return WorkspaceBlock(**made, node=place)


def _write_block(block: WorkspaceBlock) -> dict[str, Any]:
    keys = ("text", "task", "tokens", "items", "files", "key", "account", "after")
    return {key: getattr(block, key) for key in keys}


def body_of(memory: WindowMemory, *, compacted: bool) -> dict[str, Any]:
    """Return the body of a window's node; with the block only if it is new or for a compaction."""
    body: dict[str, Any] = {
        "schema": SCHEMA,
        "ledger": memory.ledger.as_json(),
        "usage": {id_: list(attrs.astuple(one)) for id_, one in memory.usage.items()},
        "upto": memory.upto,
        "levels": dict(memory.levels),
        "sent": [list(pair) for pair in memory.sent],
        "pressure": memory.pressure,
        "judged": memory.judged,
    }
    block = memory.block
    if block is not None and block.node and not compacted:
        body["context_at"] = block.node
    elif block is not None:
        body["context"] = _write_block(block)
    if memory.added:
        body["added"] = [one.node or _write_block(one) for one in memory.added]
    if compacted and memory.dialogue is not None:
        body["dialogue"] = {**attrs.asdict(memory.dialogue), "messages": list(memory.dialogue.messages)}
    return body


@attrs.frozen
class SessionPins:
    """A session's pins for a pack, patterns of read-only files, and usage by item id, 0..1."""

    pins: tuple[str, ...]
    read_only: tuple[str, ...]
    usage: Mapping[str, float]


def carry_over(session: Session, *, half_life_seconds: float = HALF_LIFE_SECONDS) -> SessionPins:
    """Return the session's pins and usage for a pack; nothing is recorded."""
    memory, _ = recall(session)
    pins = tuple(pin.ref for pin in pins_of(session) if pin.message is None)
    used = weigh_usages(memory.usage, session.now(), half_life_seconds=half_life_seconds)
    return SessionPins(pins, tuple(read_only_of(session)), used)
