"""The workspace's part of a window: packed once, and sent byte for byte until it must change."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from satchel.compaction.shares import CONTRIBUTORS, PackedShares
from satchel.errors import BudgetError, PointerError, Problem, WorkspaceError
from satchel.items import Level
from satchel.paths import relative_path
from satchel.session.edits.measuring import changes_between, hunks_of, render_unified
from satchel.session.window.levels import HYSTERESIS
from satchel.session.window.memory import WindowMemory, WorkspaceBlock
from satchel.session.window.rendering import frame_context
from satchel.workspace.index.documents import content_hash

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.events import Event
    from satchel.host import Host
    from satchel.packing.bundle import Bundle, BundleItem
    from satchel.session.window.context import WindowDraft

LEAST = 150
"""Fewest tokens for packing the workspace: fewer would hold no more than its frame."""
STALE = 0.25
"""Share of a block's tokens for changes in its files, above which it is packed anew."""
MISSING = 0.15
"""Share of a new pack's worth that must be missing before it is appended to the sent blocks: unlike in a
compaction, the sent blocks still take their room.
"""
FRAME = 40
"""Tokens of the lines around a block."""
_LARGEST = 1_000_000
"""Bytes of a file whose changes are read; a larger one is only reported as changed."""
_GAINS: Mapping[str, float] = MappingProxyType(
    {Level.POINTER: 0.05, Level.HEADERS: 0.2, Level.SYMBOLS: 0.4, Level.EXCERPT: 0.7}
)
"""Worth of each level, against a whole file."""


class WantedBlock(NamedTuple):
    """The purpose of a block."""

    task: str
    pins: tuple[str, ...] = ()
    read_only: tuple[str, ...] = ()
    usage: Mapping[str, float] = MappingProxyType({})
    model: str = ""
    shares: Mapping[str, float] = CONTRIBUTORS
    """Of the block, by contributor."""
    size: int = 0
    """The power of two above the budget: in a window of another size, a block is packed anew."""

    @property
    def key(self) -> str:
        """Name everything that makes another block necessary, except the task and the usage."""
        said = repr((self.pins, self.read_only, self.model, self.size)).encode("utf-8", "replace")
        return hashlib.blake2b(said, digest_size=8).hexdigest()


class Changed(NamedTuple):
    """A file that differs from its form in a block."""

    path: str
    text: str
    """The changes, for a window."""
    since: str = ""
    """Node of the window that showed the file, "" if it doesn't matter."""


class AlreadyShown(NamedTuple):
    """Content that another block need not show.

    That is files which the block has whole, and items without a path; with `is_more`, for a block of the
    same window, also everything that shows no more of a file.
    """

    block: WorkspaceBlock | None
    is_more: bool


def pack_block(
    wanted: WantedBlock,
    budget: int,
    root: Path,
    *,
    config: Config,
    host: Host,
    observe: Callable[[Event], None] | None = None,
    known: AlreadyShown | None = None,
) -> tuple[WorkspaceBlock | None, list[Problem]]:
    """Pack the workspace into tokens of the model; None if there is no room, or nothing to show.

    `known` content is left out. A pin that no longer names anything is a problem and not an error: a file may
    disappear during a session.

    Raises:
        BudgetError: the pins cost more than the budget.
    """
    from satchel.packing.bundle import PackOptions, pack

    if budget < LEAST and not wanted.pins:
        return None, []
    sharing = PackedShares(wanted.shares, known=_list_known(known))
    settings = PackOptions(
        config=config,
        read_only=wanted.read_only,
        usage=wanted.usage,
        divide=sharing.packer,
        observe=observe,
    )
    pins, problems = list(wanted.pins), []
    while True:
        try:
            bundle = pack(
                wanted.task, root, budget=max(1, budget - FRAME), pins=pins, host=host, options=settings
            )
            break
        except PointerError as error:
            lost = next((pin for pin in pins if pin == error.pointer), "")
            if not lost:
                raise
            pins.remove(lost)
            told = f"pin {error}; satchel session pin remove {lost}"
            problems.append(Problem("session", "pack", told))
    is_more = known is not None and known.is_more
    made = _block(bundle, wanted, root, sharing, is_more=is_more) if bundle.items else None
    return made, [*problems, *bundle.problems]


class Kept(NamedTuple):
    """The part of the workspace that stays as it was sent."""

    block: WorkspaceBlock | None
    """Before the dialogue."""
    added: tuple[WorkspaceBlock, ...] = ()
    """Blocks after messages of the dialogue."""
    changes: Sequence[Changed] = ()
    """Changes in the files of these blocks."""
    is_judged: bool = True
    """Whether they were found good enough for the task, or packed for it."""

    @property
    def blocks(self) -> tuple[WorkspaceBlock, ...]:
        """Return all blocks in the order of the window."""
        return (*((self.block,) if self.block else ()), *self.added)


@attrs.frozen
class BlockPacker:
    """Packs the workspace's part of a window, or keeps that of the last window."""

    draft: WindowDraft
    memory: WindowMemory
    wanted: WantedBlock
    cost: Callable[[str], int]
    """Returns the cost of a text as a message, in counted tokens."""
    problems: list[Problem]
    """Problems; packing appends to them."""

    def choose_unseen(self, left: int, cap: int) -> Kept:
        """Return the content that is new to a reader, and the changes in files that it was shown."""
        block = self.memory.block
        if block is None:
            return Kept(None)
        changes = list_changed(block, self.draft.root, self.draft.read)
        if self.wanted.task not in (block.task, self.memory.judged):
            return Kept(self.pack(cap, left) or block, (), changes)
        return Kept(block, (), changes)

    def recall(self) -> Kept | None:
        """Return the blocks of the last window; None if it had none, or other pins."""
        blocks = self.memory.blocks
        if any(one.key != self.wanted.key for one in blocks) or not (blocks or self.memory.sent):
            return None
        changes = self._list_changed(blocks)
        is_judged = bool(blocks) and self.wanted.task in (blocks[-1].task, self.memory.judged)
        return Kept(self.memory.block, self.memory.added, changes, is_judged)

    def extend(self, kept: Kept, room: int, left: int, after: Callable[[], str]) -> Kept:
        """Return the kept blocks, followed by whatever else of the workspace the task needs.

        Kept blocks do not move, so that a provider's cache holds everything before.

        Args:
            kept: the blocks that stay.
            room: counted tokens for more of the workspace.
            left: the most that it may cost, if pins need more.
            after: returns the node of the message that it follows.
        """
        if kept.is_judged or room < LEAST:
            return kept
        shown = join_blocks(kept.blocks) if kept.blocks else None
        if shown is not None:
            fresh = self.pack(sum(self.cost(one.text) for one in kept.blocks), left)
            if fresh is None or is_worth_keeping(kept.blocks, fresh, missing=MISSING):
                return kept._replace(is_judged=True)
            missing = list_missing(kept.blocks, fresh)
            room = min(room, self.draft.to_counted(sum(int(item["tokens"]) for item in missing)) + 2 * FRAME)
        packer = self if shown is None else attrs.evolve(self, wanted=self.wanted._replace(pins=()))
        more = packer.pack(room, left, shown=_forget_changed(shown, kept.changes))
        if more is None:
            return kept._replace(is_judged=True)
        blocks = (*kept.blocks, attrs.evolve(more, key=self.wanted.key, after=after()))
        return Kept(kept.block, blocks[len(blocks) - len(kept.added) - 1 :], self._list_changed(blocks))

    def settle(self, kept: Kept | None, size: int, left: int) -> Kept:
        """Return the block for a compaction: the last one if it is nearly as good as a new one.

        Args:
            kept: the blocks of the last window.
            size: counted tokens of a new block.
            left: the most that it may cost, if pins need more.
        """
        block = kept.block if kept else None
        if kept is None or block is None or self.cost(block.text) > size:
            return Kept(None)
        changes = self._list_changed([block])
        if sum(self.cost(one.text) for one in changes) > STALE * self.cost(block.text):
            return Kept(None)
        if self.wanted.task == block.task or (self.wanted.task == self.memory.judged and not kept.added):
            return Kept(block, (), changes)
        fresh = self.pack(size, left)
        if fresh is not None and not is_worth_keeping([block], fresh):
            return Kept(fresh)
        return Kept(block, (), changes)

    def _list_changed(self, blocks: Sequence[WorkspaceBlock]) -> list[Changed]:
        """Return the changes in the files of blocks since each was last shown."""
        newest = {path: block for block in blocks for path in block.files}
        return [
            one._replace(since=block.node)
            for block in blocks
            for one in list_changed(block, self.draft.root, self.draft.read)
            if newest[one.path] is block
        ]

    def pack(self, tokens: int, most: int, *, shown: WorkspaceBlock | None = None) -> WorkspaceBlock | None:
        """Pack the workspace into counted tokens; if its pins cost more, into their cost.

        Content of `shown` is left out.

        Raises:
            BudgetError: the pins cost more than `most`.
        """
        budget = self.draft.to_model_tokens(tokens) - (self.draft.model is not None)
        try:
            return self._pack_into(budget, shown)
        except BudgetError as error:
            needed = sum(cost for _, cost in error.costs) + FRAME
            if needed > self.draft.to_model_tokens(most):
                raise
            return self._pack_into(needed, shown)

    def _pack_into(self, budget: int, shown: WorkspaceBlock | None) -> WorkspaceBlock | None:
        """Pack into tokens of the model; a workspace that can't be packed is a problem."""
        try:
            block, problems = pack_block(
                self.wanted,
                budget,
                self.draft.root,
                config=self.draft.config,
                host=self.draft.host,
                observe=self.draft.hear_attempt,
                known=AlreadyShown(
                    self.memory.block if self.draft.options.reader else shown, shown is not None
                ),
            )
        except WorkspaceError as error:
            self.problems.append(Problem("session", "pack", str(error)))
            return None
        self.problems.extend(problems)
        return block


def _list_known(known: AlreadyShown | None) -> dict[str, str]:
    """Return the levels at which a block shows files, by path, and other items, by content."""
    levels: dict[str, str] = {}
    for item in known.block.items if known and known.block else ():
        if not item["path"]:
            levels[str(item["pointer"]).rpartition("/")[2]] = Level.FULL
        elif known and (known.is_more or item["level"] == Level.FULL):
            levels[str(item["path"])] = str(item["level"])
    return levels


_TITLES = ("the workspace, as it was packed for the task", "more of the workspace, for what was asked since")


def _block(
    bundle: Bundle, wanted: WantedBlock, root: Path, sharing: PackedShares, *, is_more: bool
) -> WorkspaceBlock:
    text = frame_context(_TITLES[is_more], bundle.text)
    files = {item.path: _facts(item, bundle, root) for item in bundle.items if _is_file(item)}
    items = tuple(_describe_item(item, sharing) for item in bundle.items)
    return WorkspaceBlock(
        text,
        wanted.task,
        bundle.tokens,
        items,
        files,
        wanted.key,
        account=sharing.account(int),
        texts={item.pointer: item.text for item in bundle.items},
    )


def _is_file(item: BundleItem) -> bool:
    return item.kind == "file" and bool(item.path) and item.level != Level.POINTER


def _describe_item(item: BundleItem, sharing: PackedShares) -> dict[str, Any]:
    return {
        "pointer": item.pointer,
        "path": item.path,
        "level": item.level,
        "tokens": item.tokens,
        "salience": item.salience,
        "contributor": sharing.contributor_of(item, item.level),
    }


def _facts(item: BundleItem, bundle: Bundle, root: Path) -> list[Any]:
    """Return the values that reveal a later change of a file, and its text if it is shown whole."""
    size, time = _stat(root / item.path)
    return [size, time, bundle.snapshot.content(item.path), item.text if item.level == Level.FULL else None]


def _stat(path: Path) -> tuple[int, int]:
    try:
        facts = os.stat(path)
    except OSError:
        return -1, 0
    return facts.st_size, facts.st_mtime_ns


def list_changed(block: WorkspaceBlock, root: Path, read: Any) -> list[Changed]:
    """Return the files of a block that changed since, each with its changes.

    Args:
        block: the packed block.
        root: the workspace's folder.
        read: returns the text of a path as a document shows it; WorkspaceError if there is none.
    """
    return [
        _describe_change(path, text, read)
        for path, (size, time, content, text) in block.files.items()
        if _stat(root / path) != (size, time) and not _is_same(root, path, content)
    ]


def refresh_files(block: WorkspaceBlock, paths: Iterable[str], root: Path, read: Any) -> WorkspaceBlock:
    """Return a block with the current state of files whose changes were shown."""
    files = dict(block.files)
    for path in paths:
        *_, text = files[path]
        try:
            content = content_hash((root / relative_path(root, path)).read_bytes())
            files[path] = [*_stat(root / path), content, None if text is None else read(path)]
        except (OSError, WorkspaceError):  # the window showed that it is gone
            files[path] = [*_stat(root / path), "", None]
    return attrs.evolve(block, files=files)


def _is_same(root: Path, path: str, content: str) -> bool:
    try:
        place = root / relative_path(root, path)
        if place.stat().st_size > _LARGEST:
            return False
        return content_hash(place.read_bytes()) == content
    except (OSError, WorkspaceError):
        return False


def _describe_change(path: str, text: str | None, read: Any) -> Changed:
    try:
        new: str = read(path)
    except (OSError, WorkspaceError):
        return Changed(path, f"{path} is gone since it was shown above\n")
    if text is None or len(new) > _LARGEST:
        return Changed(path, f"{path} changed since it was shown above; read it again\n")
    old, now = text.split("\n"), new.split("\n")
    hunks = hunks_of(changes_between(old, now), (len(old), len(now)))
    if not hunks:
        return Changed(path, "")
    return Changed(path, f"{path} changed since it was shown above:\n{render_unified(old, now, hunks)}")


def join_blocks(blocks: Sequence[WorkspaceBlock]) -> WorkspaceBlock:
    """Return one block for several: each thing at its highest level, each file in its newest state."""
    items: dict[str, Mapping[str, Any]] = {}
    for item in (item for block in blocks for item in block.items):
        if _gain(item) >= _gain(items.get(_name(item))):
            items[_name(item)] = item
    first = blocks[0]
    return attrs.evolve(
        first,
        tokens=sum(block.tokens for block in blocks),
        items=tuple(items.values()),
        files={path: facts for block in blocks for path, facts in block.files.items()},
    )


def list_missing(shown: Sequence[WorkspaceBlock], fresh: WorkspaceBlock) -> list[Mapping[str, Any]]:
    """Return the items of a new block that are not shown whole yet."""
    return [item for item, share in _measure_shown(shown, fresh) if share < 1]


def _measure_shown(
    shown: Sequence[WorkspaceBlock], fresh: WorkspaceBlock
) -> list[tuple[Mapping[str, Any], float]]:
    """Return each item of a new block with the share of its lines that are already shown."""
    lines = {line for block in shown for line in _list_lines(block.text)}
    measured = []
    for item in fresh.items:
        mine = _list_lines(fresh.texts.get(item["pointer"], ""))
        measured.append((item, sum(line in lines for line in mine) / len(mine) if mine else 1.0))
    return measured


def _list_lines(text: str) -> list[str]:
    """Return the lines of a text with content: neither blank ones nor line positions."""
    return [line for line in map(str.strip, text.split("\n")) if line and not line.startswith("@@")]


def _forget_changed(shown: WorkspaceBlock | None, changes: Sequence[Changed]) -> WorkspaceBlock | None:
    changed = {one.path for one in changes}
    if shown is None or not changed:
        return shown
    return attrs.evolve(shown, items=tuple(item for item in shown.items if item["path"] not in changed))


def is_worth_keeping(
    shown: Sequence[WorkspaceBlock], fresh: WorkspaceBlock, *, missing: float = HYSTERESIS
) -> bool:
    """Return whether nearly all the worth of a new block is already shown.

    Worth is salience times the worth of the level.
    """
    measured = [
        (float(item["salience"]) * _gain(item), share) for item, share in _measure_shown(shown, fresh)
    ]
    whole = sum(worth for worth, _ in measured)
    return sum(worth * share for worth, share in measured) >= (1 - missing) * whole


def _name(item: Mapping[str, Any]) -> str:
    """Name an item without the version of its content."""
    return str(item["path"] or item["pointer"].partition("?")[0])


def _gain(item: Mapping[str, Any] | None) -> float:
    """Return the worth of an item's level, 0 for None."""
    return _GAINS.get(item["level"], 1.0) if item else 0.0
