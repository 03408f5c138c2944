"""Lend the parts of a workspace to a plugin: it can read everything, and change nothing that others see.

What a plugin's functions make is stored under the plugin's own name; what all share comes as read-only views
or as copies.
"""

from __future__ import annotations

import copy
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import attrs

from satchel.errors import Problem, WorkspaceError
from satchel.host.answers import plain_text
from satchel.parts import Part, SplitItem
from satchel.workspace.files.file_list import FileList
from satchel.workspace.files.texts import Redactor, Texts
from satchel.workspace.git.log import GitHistory
from satchel.workspace.index.documents import Index
from satchel.workspace.index.ranking import Ranking, TaskRanking
from satchel.workspace.index.statistics import TermStatistics
from satchel.workspace.index.store import IndexStore, Memo

if TYPE_CHECKING:
    from satchel.items import Task
    from satchel.workspace.git.repository import Commit

T = TypeVar("T")


class _Lent:
    """A part of a workspace: what it does not have of its own, it asks of the real part.

    So whatever a plugin sets on it stays on it.
    """

    def __init__(self, real: object, owner: str, root: Path) -> None:
        self._real, self._owner, self._folder = real, owner, root

    def __getattr__(self, name: str) -> object:
        if name.startswith("__") or name == "_real":
            raise AttributeError(name)
        return getattr(self._real, name)


def _refuse(self: Any, *_: object, **__: object) -> NoReturn:
    raise WorkspaceError(str(self._folder), "is lent to a plugin, which can't close or change it")


class LentFileList(_Lent, FileList):
    """The files; what a function of satchel's made of the paths comes as a copy."""

    _real: FileList
    replace = look_at = forget = forget_paths = forget_places = _refuse

    def untracked(self) -> Sequence[str]:
        """Return what the workspace does, as a tuple."""
        return tuple(self._real.untracked())

    def of_paths(self, make: Callable[[Collection[str]], T]) -> T:
        """Return a function's result for the paths; a copy if the function is satchel's."""
        return _copy_of(make, self._real.of_paths(make))


class LentTexts(_Lent, Texts):
    """The texts."""

    _real: Texts
    forget = _refuse

    def derived(self, path: str, name: str, make: Callable[[str], T]) -> T:
        """Return a copy of a function's result for a text, stored for this plugin alone."""
        return copy.deepcopy(self._real.derived(path, f"{self._owner} {name}", make))


class LentRedactor(_Lent, Redactor):
    """The redactor, for texts that are not files."""

    _real: Redactor
    redact_file = count_file = forget_file = note_marks = forget = _refuse

    def redact(self, text: str, path: str = "") -> str:
        """Return what the workspace does."""
        return self._real.redact(text, path)

    def show(self, text: str) -> str:
        """Return what the workspace does."""
        return self._real.show(text)


class LentGitHistory(_Lent, GitHistory):
    """The history, in tuples and read-only mappings."""

    _real: GitHistory
    begin = forget = _refuse

    def commits(self) -> Sequence[Commit]:
        """Return what the workspace does, as a tuple."""
        return tuple(self._real.commits())

    def similar(self, task: Task) -> Sequence[tuple[float, Commit]]:
        """Return what the workspace does, as a tuple."""
        return tuple(self._real.similar(_with_plain_text(task)))

    def votes(self, task: Task) -> Mapping[str, float]:
        """Return what the workspace does, read-only."""
        return MappingProxyType(self._real.votes(_with_plain_text(task)))


class LentTaskRanking(_Lent, TaskRanking):
    """The rankings, read-only."""

    _real: TaskRanking

    def query(self, task: Task) -> Mapping[str, float]:
        """Return what the workspace does."""
        return self._real.query(_with_plain_text(task))

    def files(self, task: Task) -> Ranking:
        """Return what the workspace does, read-only."""
        found = self._real.files(_with_plain_text(task))
        body, path, name, rarity = map(MappingProxyType, found[:4])
        return found._replace(body=body, path=path, name=name, rarity=rarity)

    def parts(
        self, task: Task, parts: Sequence[Part], *, saturation: float = 1.2, length: float = 0.6
    ) -> Sequence[float]:
        """Return what the workspace does, as a tuple."""
        found = self._real.parts(_with_plain_text(task), tuple(parts), saturation=saturation, length=length)
        return tuple(found)


class LentTermStatistics(_Lent, TermStatistics):
    """The words of parts, read-only."""

    _real: TermStatistics
    learn = clear = _refuse

    def term_counts(self, parts: Sequence[Part], terms: Sequence[str]) -> list[Mapping[str, int]]:
        """Return what the workspace does, read-only."""
        return list(map(MappingProxyType, self._real.term_counts(parts, terms)))

    def vocabulary(self, parts: Sequence[Part]) -> list[Mapping[str, int]]:
        """Return what the workspace does, read-only."""
        return list(map(MappingProxyType, self._real.vocabulary(parts)))

    def of_split(self, split: SplitItem, name: str, make: Callable[[SplitItem], T]) -> T:
        """Return a function's result for a split, stored for this plugin alone."""
        return self._real.of_split(split, f"{self._owner} {name}", make)

    def of_items(self, parts: Sequence[Part], make: Callable[[Sequence[Part]], T]) -> list[T]:
        """Return a function's results for the parts of each item; copies if the function is satchel's."""
        return _copy_of(make, self._real.of_items(tuple(parts), make))


def _copy_of(make: object, made: T) -> T:
    """Return a copy if satchel's own function made the result, because others share it."""
    module = getattr(make, "__module__", "")
    return copy.deepcopy(made) if type(module) is str and module.partition(".")[0] == "satchel" else made


def _with_plain_text(task: Task) -> Task:
    """Return the task with a plain `str` as its text, because the text is a cache key."""
    text = plain_text(task.text, "the task's text")
    return task if text is task.text else attrs.evolve(task, text=text)


def lend_index(index: Index) -> Index:
    """Return a read-only view of an index."""
    lent = copy.copy(index)
    lent.documents = MappingProxyType(index.documents)  # type: ignore[assignment]
    lent._numbered = (lent.documents, index.numbered)
    lent.store = _LentStore(index.store)
    lent.refresh = None  # type: ignore[assignment,method-assign]
    return lent


class _LentStore(IndexStore):
    """A read-only view of an index."""

    def __init__(self, real: IndexStore) -> None:
        self._real = real
        self.path, self.problems, self.lock = real.path, real.problems, real.lock
        self.closed_to_writing, self.is_damaged = True, False

    def rows(self, query: str, values: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
        """Return all rows of a SELECT; refuse any other statement."""
        asked = plain_text(query, "a query").lstrip()
        if not asked[:6].upper() == "SELECT":
            raise sqlite3.ProgrammingError("a plugin can only SELECT from the index")
        return self._real.rows(asked, values)

    def close(self) -> None:
        """Refuse, because the index belongs to the workspace."""
        raise WorkspaceError(str(self.path), "is lent to a plugin, which can't close it")


class LentProblems(list[Problem]):
    """The problems so far; a problem that a plugin adds is recorded under its name."""

    def __init__(self, real: list[Problem], owner: str) -> None:
        super().__init__(real)
        self._real, self._owner = real, owner

    def append(self, problem: Problem) -> None:
        """Add a problem of this plugin."""
        _, stage, error, *_ = tuple(problem)
        distribution, _, name = self._owner.partition(":")
        told = " ".join(plain_text(error, "a problem's error").split())[:300]
        self._real.append(Problem(name, plain_text(stage, "a problem's stage")[:60], told, distribution))

    def extend(self, problems: Iterable[Problem]) -> None:
        """Add problems."""
        for problem in list(problems)[:100]:
            self.append(problem)


class LentMemo(Memo):
    """One plugin's own part of the memo."""

    def __init__(self, real: Memo, owner: str) -> None:
        super().__init__()
        self._real, self._owner = real, owner

    def recall(self, name: str, given: object) -> object:
        """Return the result for an equal input, None if there is none."""
        return self._real.recall(f"{self._owner} {name}", given)

    def keep(self, name: str, given: object, made: T) -> T:
        """Keep a result with its input."""
        return self._real.keep(f"{self._owner} {name}", given, made)

    def forget(self) -> None:
        """Do nothing, because other plugins share the memo."""
