"""A plugin's class that is named before its module is imported: what a run has no use for is never loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    from satchel.devices import Device
    from satchel.events import Event
    from satchel.items import Candidate, ContextItem, Selection, Task
    from satchel.messages import Exchange, Message
    from satchel.parts import Part
    from satchel.workspace import Workspace


@runtime_checkable
class Provider(Protocol):
    """Finds context items for a task.

    `wave` 1 is asked first with an empty `best`; `wave` 2 gets the best-scored items and adds their
    companions. `max_items` and `max_tokens` are settings; the host enforces both.
    """

    name: ClassVar[str]
    wave: ClassVar[int]

    @property
    def max_items(self) -> int:
        """Return the most items that it may return."""
        ...

    @property
    def max_tokens(self) -> int:
        """Return the most tokens that the texts it brings may cost, estimated at 3 bytes a token."""
        ...

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        """Return items, best first."""
        ...


@runtime_checkable
class Scorer(Protocol):
    """Says how much each part matters for the task.

    `grain` is `"item"` where all parts of an item get one number, else `"part"`; `kinds` are the
    kinds of items it can judge, `"*"` all of them. `weight` is a setting. A class that has a frozen set
    `steady` promises that its answers depend on its settings, the parts, the task and the history alone,
    and on what the set names: `"ranking"`, or of it only `"rarity"`. A process that lives long then tells
    them again while those are the same.
    """

    name: ClassVar[str]
    kinds: ClassVar[frozenset[str]]
    grain: ClassVar[str]

    @property
    def weight(self) -> float:
        """Return how much its scores count beside those of others."""
        ...

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return one finite number from 0 to 1 for each part, in order."""
        ...


@runtime_checkable
class Representer(Protocol):
    """Splits items of a language, a message format or a tool's output into parts."""

    name: ClassVar[str]
    version: ClassVar[str]
    """Changes whenever the same text would be split in another way: stored parts depend on it."""

    def claims(self, item: ContextItem) -> float:
        """Return 0..1: how well it knows items like this, from path and kind (`text` may be None)."""
        ...

    def split(self, item: ContextItem) -> Sequence[Part]:
        """Return the parts of `item.text`, in order of lines; what is left uncovered becomes blocks."""
        ...


@runtime_checkable
class Packer(Protocol):
    """Chooses one option of each candidate, or none, under a budget. Pure: no text, disk or git."""

    name: ClassVar[str]

    def pack(self, candidates: Sequence[Candidate], budget: int) -> Selection:
        """Choose; raise BudgetError where the pinned candidates alone cost more than `budget` tokens."""
        ...


@runtime_checkable
class Compressor(Protocol):
    """Shortens a run of exchanges that the packer left out."""

    name: ClassVar[str]

    def compress(self, exchanges: Sequence[Exchange], target: int, tokenizer: Tokenizer) -> Message | None:
        """Return one message of at most `target` tokens in their place, or None to leave them out."""
        ...


@runtime_checkable
class GpuBackend(Protocol):
    """Finds graphics cards of one vendor."""

    name: ClassVar[str]

    def devices(self) -> Sequence[Device]:
        """Return the devices; () where there are none, or raise NoDevicesError to say why."""
        ...


@runtime_checkable
class Tokenizer(Protocol):
    """Counts tokens of one vocabulary.

    It may have a method `expect(characters: int) -> None` too, which is told about how much text will be
    counted before much of it comes: one that has a quick way for little text need not begin with it.
    """

    name: ClassVar[str]

    @property
    def key(self) -> str:
        """Names the counts in the index, beside distribution and version: equal keys count equally."""
        ...

    @property
    def exact(self) -> bool:
        """Whether the counts are those of the vocabulary itself."""
        ...

    @property
    def error(self) -> float:
        """Relative half width of the 90 % interval of a count, 0 where exact."""
        ...

    def count(self, texts: Sequence[str]) -> Sequence[int]:
        """Return the tokens of each text; never raises on any text."""
        ...


@runtime_checkable
class Scanner(Protocol):
    """Finds secrets that satchel does not know. It can add to what is redacted, never take away."""

    name: ClassVar[str]

    def scan(self, text: str, path: str) -> Iterable[tuple[int, int, str]]:
        """Return start, end (not included) and kind of each secret; `path` is "" for what is no file.

        It must answer the same for the same text, and find nothing in a mark `[redacted:kind:4hex]`.
        """
        ...


Observer = Callable[["Event"], None]


class Later(NamedTuple):
    """Stands for a class in what a hook returns; the host imports it when something may need it."""

    name: str
    """The class's own `name`."""
    home: str
    """Where it is: `package.module:Class`."""
    kinds: frozenset[str] = frozenset()
    """Of a scorer, its `kinds`; of a representer, the kinds of items that it may claim, empty for all."""

    def serves(self, kinds: frozenset[str]) -> bool:
        """Tell whether it has to do with items of any of these kinds."""
        return not self.kinds or not self.kinds.isdisjoint(kinds)

    def load(self) -> Any:
        """Import its module and return the class."""
        import importlib

        module, _, name = self.home.partition(":")
        return getattr(importlib.import_module(module), name)
