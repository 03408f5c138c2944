"""Plugins of five lines that satisfy their protocols, and hosts that have them beside the built-in ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import ClassVar

import attrs
from tests.core.repositories import Plain

from satchel import ContextItem, Host, Part, Task, Workspace
from satchel.plugin_api import Blob, StoreError


@attrs.frozen
class Notes:
    """A provider of notes with a text each."""

    name: ClassVar[str] = "many_notes"
    wave: ClassVar[int] = 1
    max_items: int = 3
    max_tokens: int = 10_000

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        return (note(number) for number in range(1_000_000))


@attrs.frozen
class Letters:
    """A scorer that likes parts whose path begins with a letter."""

    name: ClassVar[str] = "letters"
    kinds: ClassVar[frozenset[str]] = frozenset({"file"})
    grain: ClassVar[str] = "item"
    weight: float = 1.0
    letter: str = "z"

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        return [float(part.path.startswith(self.letter)) for part in parts]


@attrs.frozen
class Raising:
    """A scorer that fails."""

    name: ClassVar[str] = "raising"
    kinds: ClassVar[frozenset[str]] = frozenset({"file"})
    grain: ClassVar[str] = "part"
    weight: float = 1.0

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        raise RuntimeError("no score today")


@attrs.frozen
class NotANumber:
    """A scorer that answers junk."""

    name: ClassVar[str] = "junk"
    kinds: ClassVar[frozenset[str]] = frozenset({"file"})
    grain: ClassVar[str] = "part"
    weight: float = 1.0

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        return [float("nan")] * len(parts)


@attrs.frozen
class Broken:
    """A representer that claims everything and splits nothing."""

    name: ClassVar[str] = "broken"
    version: ClassVar[str] = "1"

    def claims(self, item: ContextItem) -> float:
        return 1.0

    def split(self, item: ContextItem) -> Sequence[Part]:
        raise RuntimeError("no parts today")


def note(number: int, *, size: int = 10) -> ContextItem:
    """Return an item with a text and no file."""
    return ContextItem(f"note:{number}", "x", "note", title=f"note {number}", text=f"note {number}\n" * size)


def host_with(
    *,
    providers: Sequence[type] = (),
    scorers: Sequence[type] = (),
    representers: Sequence[type] = (),
    tokenizers: Sequence[type] = (),
) -> Host:
    """Return a host with the built-in plugins and these."""

    class Module:
        """A plugin module of one's own."""

    classes = {
        "satchel_providers": providers,
        "satchel_scorers": scorers,
        "satchel_representers": representers,
        "satchel_tokenizers": tokenizers,
    }
    for hook, found in classes.items():
        setattr(Module, hook, staticmethod(_hook(hook, found)))
    return Host.of(Plain(), Module(), deadline_seconds=None)


def _hook(name: str, classes: Sequence[type]) -> Callable[[], Sequence[type]]:
    from satchel import hookimpl

    def hook() -> Sequence[type]:
        return classes

    hook.__name__ = name
    return hookimpl(hook)


class Shelf:
    """Blobs in a dictionary, which may be out of reach."""

    place = "shelf"

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.times: dict[str, float] = {}
        self.puts = 0
        self.away = False

    def check(self) -> None:
        if self.away:
            raise StoreError(self.place, "does not answer; try again")

    def put(self, key: str, content: bytes) -> None:
        self.check()
        self.puts += 1
        self.kept[key] = content
        self.times[key] = time.time()

    def get(self, key: str) -> bytes | None:
        self.check()
        return self.kept.get(key)

    def touch(self, key: str) -> bool:
        self.check()
        if key in self.kept:
            self.times[key] = time.time()
        return key in self.kept

    def list(self, prefix: str = "") -> Iterator[Blob]:
        self.check()
        for key, content in list(self.kept.items()):
            if key.startswith(prefix):
                yield Blob(key, len(content), self.times[key])

    def delete(self, key: str) -> None:
        self.kept.pop(key, None)

    def close(self) -> None:
        pass
