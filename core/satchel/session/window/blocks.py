"""The workspace's part of a window: packed once, and sent byte for byte until it must change."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from satchel.compaction.shares import CONTRIBUTORS, PackedShares
from satchel.errors import BudgetError, PointerError, Problem, WorkspaceError
from satchel.items import Level
from satchel.paths import relative_path
from satchel.session.edits.measuring import changes_between, hunks_of, render_unified
from satchel.session.pins import add_session_files
from satchel.session.window.levels import HYSTERESIS
from satchel.session.window.memory import WindowMemory, WorkspaceBlock
from satchel.workspace.index.documents import content_hash

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.events import Event
    from satchel.host import Host
    from satchel.packing.bundle import Bundle, BundleItem
    from satchel.session.window.context import WindowDraft

LEAST = 150
"""Tokens below which nothing of the workspace is packed: no more than its frame would fit."""
STALE = 0.25
"""Share of a block's tokens that what changed in its files may cost before it is packed anew."""
FRAME = 40
"""Tokens of the lines around a block."""
_LARGEST = 1_000_000
"""Bytes of a file whose changes are looked at; of a larger one, it is only said that it changed."""
_GAINS: Mapping[str, float] = MappingProxyType(
    {Level.POINTER: 0.05, Level.HEADERS: 0.2, Level.SYMBOLS: 0.4, Level.EXCERPT: 0.7}
)
"""What standing at a level counts beside standing there whole."""


class WantedBlock(NamedTuple):
    """What a block is packed for."""

    task: str
    pins: tuple[str, ...] = ()
    read_only: tuple[str, ...] = ()
    usage: Mapping[str, float] = MappingProxyType({})
    model: str = ""
    shares: Mapping[str, float] = CONTRIBUTORS
    """Of the block, by contributor."""
    size: int = 0
    """The power of two that the budget lies below: in a window of another size, a block is packed anew."""

    @property
    def key(self) -> str:
        """Name everything that makes another block necessary, the task and the usage aside."""
        said = repr((self.pins, self.read_only, self.model, self.size)).encode("utf-8", "replace")
        return hashlib.blake2b(said, digest_size=8).hexdigest()


class Changed(NamedTuple):
    """A file that is no longer what a block shows of it."""

    path: str
    text: str
    """What changed, for a window."""


def pack_block(
    wanted: WantedBlock,
    budget: int,
    root: Path,
    *,
    config: Config,
    host: Host,
    observe: Callable[[Event], None] | None = None,
    shown: WorkspaceBlock | None = None,
) -> tuple[WorkspaceBlock | None, list[Problem]]:
    """Pack the workspace into tokens of the model; None where there is no room, or nothing to show.

    Files that `shown` has whole, and what it has without a path, are left out. A pin that names nothing any
    more is a problem and not an error: a file may go while a session goes on.

    Raises:
        BudgetError: the pins cost more than the budget.
    """
    from satchel.packing.bundle import PackOptions, pack

    if budget < LEAST and not wanted.pins:
        return None, []
    sharing = PackedShares(wanted.shares, known=_list_known(shown))
    settings = PackOptions(
        config=add_session_files(config, wanted.read_only),
        usage=wanted.usage,
        divide=sharing.packer,
        observe=observe,
    )
    pins, problems = list(wanted.pins), []
    while True:
        try:
            bundle = pack(
                wanted.task,
                root,
                budget=max(1, budget - FRAME),
                pins=pins,
                host=host,
                options=settings,
            )
            break
        except PointerError as error:
            lost = next((pin for pin in pins if pin == error.pointer), "")
            if not lost:
                raise
            pins.remove(lost)
            told = f"pin {error}; satchel session pin remove {lost}"
            problems.append(Problem("session", "pack", told))
    made = _block(bundle, wanted, root, sharing) if bundle.items else None
    return made, [*problems, *bundle.problems]


@attrs.frozen
class BlockPacker:
    """Packs the block of a window, or keeps the one of the window before."""

    draft: WindowDraft
    memory: WindowMemory
    wanted: WantedBlock
    cost: Callable[[str], int]
    """Returns what a text costs as a message, in counted tokens."""
    problems: list[Problem]
    """Grows by those of packing."""

    def choose(self, left: int, cap: int) -> tuple[WorkspaceBlock | None, Sequence[Changed]]:
        """Return the block of the window before where it may stay, with what changed in its files since.

        For a reader it is what was not shown yet of the workspace, and what changed in the files that were.
        """
        block = self.memory.block
        if self.draft.options.reader and block is not None:
            changes = list_changed(block, self.draft.root, self.draft.read)
            if self.wanted.task not in (block.task, self.memory.judged):
                return self.pack(cap, left) or block, changes
            return block, changes
        if block is None or block.key != self.wanted.key or self.cost(block.text) > left:
            return None, ()
        changes = list_changed(block, self.draft.root, self.draft.read)
        if sum(self.cost(one.text) for one in changes) > STALE * self.cost(block.text):
            return None, ()
        if self.wanted.task in (block.task, self.memory.judged):
            return block, changes
        fresh = self.pack(max(cap, self.cost(block.text)), left)
        if fresh is not None and not is_worth_keeping(block, fresh):
            return fresh, ()
        return block, changes

    def pack(self, tokens: int, most: int) -> WorkspaceBlock | None:
        """Pack the workspace into counted tokens; where its pins cost more, into what they cost.

        Raises:
            BudgetError: they cost more than `most`.
        """
        budget = self.draft.to_model_tokens(tokens) - (self.draft.model is not None)
        try:
            return self._pack_into(budget)
        except BudgetError as error:
            needed = sum(cost for _, cost in error.costs) + FRAME
            if needed > self.draft.to_model_tokens(most):
                raise
            return self._pack_into(needed)

    def _pack_into(self, budget: int) -> WorkspaceBlock | None:
        """Pack into tokens of the model; a workspace that can't be packed is a problem."""
        try:
            block, problems = pack_block(
                self.wanted,
                budget,
                self.draft.root,
                config=self.draft.config,
                host=self.draft.host,
                observe=self.draft.hear_attempt,
                shown=self.memory.block if self.draft.options.reader else None,
            )
        except WorkspaceError as error:
            self.problems.append(Problem("session", "pack", str(error)))
            return None
        self.problems.extend(problems)
        return block


def _list_known(shown: WorkspaceBlock | None) -> frozenset[str]:
    """Return the paths of files that a block shows whole, and contents of what has no path."""
    told = [one for one in shown.items if one["level"] == Level.FULL or not one["path"]] if shown else []
    return frozenset(one["path"] or one["pointer"].rpartition("/")[2] for one in told)


def _block(bundle: Bundle, wanted: WantedBlock, root: Path, sharing: PackedShares) -> WorkspaceBlock:
    named = hashlib.blake2b(bundle.text.encode("utf-8", "replace"), digest_size=6).hexdigest()
    text = (
        f"<context {named}: the workspace, as it was packed for the task>\n{bundle.text}</context {named}>\n"
    )
    files = {item.path: _facts(item, bundle, root) for item in bundle.items if _is_file(item)}
    items = tuple(_describe_item(item, sharing) for item in bundle.items)
    return WorkspaceBlock(
        text, wanted.task, bundle.tokens, items, files, wanted.key, account=sharing.account(int)
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
    """Return what tells later that a file changed, and its text where it stands there whole."""
    size, time = _stat(root / item.path)
    return [size, time, bundle.snapshot.content(item.path), item.text if item.level == Level.FULL else None]


def _stat(path: Path) -> tuple[int, int]:
    try:
        facts = os.stat(path)
    except OSError:
        return -1, 0
    return facts.st_size, facts.st_mtime_ns


def list_changed(block: WorkspaceBlock, root: Path, read: Any) -> list[Changed]:
    """Return the files of a block that changed since, each with what changed.

    Args:
        block: what was packed.
        root: the workspace's folder.
        read: gives the text of a path as a document shows it; WorkspaceError where there is none.
    """
    return [
        _describe_change(path, text, read)
        for path, (size, time, content, text) in block.files.items()
        if _stat(root / path) != (size, time) and not _is_same(root, path, content)
    ]


def refresh_files(block: WorkspaceBlock, paths: Iterable[str], root: Path, read: Any) -> WorkspaceBlock:
    """Return a block that knows files as they are now, because what changed in them was shown."""
    files = dict(block.files)
    for path in paths:
        *_, text = files[path]
        try:
            content = content_hash((root / relative_path(root, path)).read_bytes())
            files[path] = [*_stat(root / path), content, None if text is None else read(path)]
        except (OSError, WorkspaceError):  # it is gone, which was shown
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


def is_worth_keeping(old: WorkspaceBlock, new: WorkspaceBlock) -> bool:
    """Tell whether what is shown already is nearly as good for the new task.

    Worth is salience times what the level counts, with the saliences of the new pack.
    """
    if old.key != new.key or old.tokens > new.tokens * (1 + HYSTERESIS):
        return False
    saliences = dict(_list_saliences(new))
    return _worth(old, saliences) >= (1 - HYSTERESIS) * _worth(new, saliences)


def _list_saliences(block: WorkspaceBlock) -> Iterator[tuple[str, float]]:
    for item in block.items:
        yield _name(item), float(item["salience"])


def _name(item: Mapping[str, Any]) -> str:
    """Name an item without the version of its content."""
    return str(item["path"] or item["pointer"].partition("?")[0])


def _worth(block: WorkspaceBlock, saliences: Mapping[str, float]) -> float:
    return sum(saliences.get(_name(item), 0.0) * _GAINS.get(item["level"], 1.0) for item in block.items)
