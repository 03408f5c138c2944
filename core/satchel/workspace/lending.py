"""The workspace as a plugin of others gets it: everything can be read, nothing closed or changed."""

from __future__ import annotations

import copy
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NoReturn, TypeVar

import attrs

from satchel.errors import Problem, WorkspaceError
from satchel.host.answers import plain_text
from satchel.workspace.index.documents import Index
from satchel.workspace.index.ranking import Ranking
from satchel.workspace.index.store import Store
from satchel.workspace.memo import Kept
from satchel.workspace.workspace import Workspace

if TYPE_CHECKING:
    from satchel.items import Task
    from satchel.parts import Part, Split
    from satchel.workspace.git.repository import Commit

T = TypeVar("T")


class LentWorkspace(Workspace):
    """A workspace that is read like any other.

    What a plugin has made of files (`derived`, `of_paths`, `of_split`) is kept under the plugin's own name;
    what all share (`query`, `recency`, `ranking`, ...) it gets as read-only views.
    """

    def __init__(self, real: Workspace, owner: str) -> None:
        self.__dict__.update(real.__dict__)
        self._real, self._owner = real, owner
        self.git = copy.copy(real.git)
        self.index = _lent_index(real.index)
        self.problems = _Told(real.problems, owner)
        self.kept = _OwnKept(real.kept, owner)

    @property
    def is_passing(self) -> bool:
        """Tell whether what was told may be otherwise the next time; a plugin can say so, and not deny it."""
        return self._real.is_passing

    @is_passing.setter
    def is_passing(self, value: bool) -> None:
        self._real.is_passing |= value is True

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise WorkspaceError(str(self.root), "is lent to a plugin, which can't close or change it")

    close = refresh = begin = release = forget = forget_changed = learn = _refuse

    def lent(self, owner: str) -> Workspace:
        """Return the same for another plugin."""
        return self._real.lent(owner)

    def query(self, task: Task) -> Mapping[str, float]:
        """Return what the workspace does."""
        return self._real.query(_plain(task))

    def recency(self) -> Mapping[str, float]:
        """Return what the workspace does."""
        return self._real.recency()

    def ranking(self, task: Task) -> Ranking:
        """Return what the workspace does, read-only."""
        found = self._real.ranking(_plain(task))
        body, path, name, rarity = map(MappingProxyType, found[:4])
        return found._replace(body=body, path=path, name=name, rarity=rarity)

    def history(self) -> Sequence[Commit]:
        """Return what the workspace does, as a tuple."""
        return tuple(self._real.history())

    def untracked(self) -> Sequence[str]:
        """Return what the workspace does, as a tuple."""
        return tuple(self._real.untracked())

    def similar(self, task: Task) -> Sequence[tuple[float, Commit]]:
        """Return what the workspace does, as a tuple."""
        return tuple(self._real.similar(_plain(task)))

    def votes(self, task: Task) -> Mapping[str, float]:
        """Return what the workspace does, read-only."""
        return MappingProxyType(self._real.votes(_plain(task)))

    def passages(
        self, task: Task, parts: Sequence[Part], *, saturation: float = 1.2, length: float = 0.6
    ) -> Sequence[float]:
        """Return what the workspace does, as a tuple."""
        found = self._real.passages(_plain(task), tuple(parts), saturation=saturation, length=length)
        return tuple(found)

    def term_counts(self, parts: Sequence[Part], terms: Sequence[str]) -> list[Mapping[str, int]]:
        """Return what the workspace does, read-only."""
        return list(map(MappingProxyType, self._real.term_counts(parts, terms)))

    def vocabulary(self, parts: Sequence[Part]) -> list[Mapping[str, int]]:
        """Return what the workspace does, read-only."""
        return list(map(MappingProxyType, self._real.vocabulary(parts)))

    def of_paths(self, make: Callable[[Collection[str]], T], *, kept: str = "") -> T:
        """Return what a function makes of the paths; a copy where satchel asks for the same."""
        return _own(make, self._real.of_paths(make, kept=f"{self._owner} {kept}" if kept else ""))

    def of_split(self, split: Split, name: str, make: Callable[[Split], T]) -> T:
        """Return what a function makes of a split, kept for this plugin alone."""
        return self._real.of_split(split, f"{self._owner} {name}", make)

    def of_items(self, parts: Sequence[Part], make: Callable[[Sequence[Part]], T]) -> list[T]:
        """Return what a function makes of the parts of each item; copies where satchel asks for the same."""
        return _own(make, self._real.of_items(tuple(parts), make))

    def derived(self, path: str, name: str, make: Callable[[str], T]) -> T:
        """Return a copy of what a function makes of a text, kept for this plugin alone."""
        return copy.deepcopy(self._real.derived(path, f"{self._owner} {name}", make))


def _own(make: object, made: T) -> T:
    """Return what a function of satchel's made as a copy: others are told the very same."""
    module = getattr(make, "__module__", "")
    return copy.deepcopy(made) if type(module) is str and module.partition(".")[0] == "satchel" else made


def _plain(task: Task) -> Task:
    """Return the task with a plain text: what is made of it is kept under it."""
    text = plain_text(task.text, "the task's text")
    return task if text is task.text else attrs.evolve(task, text=text)


def _lent_index(index: Index) -> Index:
    lent = copy.copy(index)
    lent.documents = MappingProxyType(index.documents)  # type: ignore[assignment]
    lent._numbered = (lent.documents, index.numbered)
    lent.store = _LentStore(index.store)
    lent.refresh = None  # type: ignore[assignment,method-assign]
    return lent


class _LentStore(Store):
    """An index that is only read."""

    def __init__(self, real: Store) -> None:
        self._real = real
        self.path, self.problems, self.lock = real.path, real.problems, real.lock
        self.closed_to_writing, self.is_damaged = True, False

    def rows(self, query: str, values: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
        """Return all rows of a query; nothing else is a query."""
        asked = plain_text(query, "a query").lstrip()
        if not asked[:6].upper() == "SELECT":
            raise sqlite3.ProgrammingError("a plugin can only SELECT from the index")
        return self._real.rows(asked, values)

    def close(self) -> None:
        """Refuse: it is not the plugin's."""
        raise WorkspaceError(str(self.path), "is lent to a plugin, which can't close it")


class _Told(list[Problem]):
    """The problems so far; what a plugin adds stands there under its name."""

    def __init__(self, real: list[Problem], owner: str) -> None:
        super().__init__(real)
        self._real, self._owner = real, owner

    def append(self, problem: Problem) -> None:
        """Add a problem, told by this plugin."""
        _, stage, error, *_ = tuple(problem)
        distribution, _, name = self._owner.partition(":")
        told = " ".join(plain_text(error, "a problem's error").split())[:300]
        self._real.append(Problem(name, plain_text(stage, "a problem's stage")[:60], told, distribution))

    def extend(self, problems: Iterable[Problem]) -> None:
        """Add problems."""
        for problem in list(problems)[:100]:
            self.append(problem)


class _OwnKept(Kept):
    """What is kept for one plugin."""

    def __init__(self, real: Kept, owner: str) -> None:
        self._real, self._owner = real, owner

    def told(self, name: str, given: object) -> object:
        """Return what was made of equal things, None where nothing is kept."""
        return self._real.told(f"{self._owner} {name}", given)

    def keep(self, name: str, given: object, made: T) -> T:
        """Keep what was made of something."""
        return self._real.keep(f"{self._owner} {name}", given, made)

    def forget(self) -> None:
        """Forget nothing: others have theirs there."""
