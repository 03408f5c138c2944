"""The files of the workspace, those that fit the task first."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import attrs

from satchel import ContextItem
from satchel.patterns import lazily

if TYPE_CHECKING:
    from satchel import Task, Workspace
    from satchel.workspace import Document

_TEST = lazily(
    r"(^|/)(tests?|testing|testdata|__tests__|specs?|e2e|fixtures?|bench(es|marks?)?|mocks?)(/|$)"
    r"|(^|/)(test_[^/]*|[^/]*[_.-](tests?|spec|bench)|conftest|[^/]*Tests?)\.\w+$",
)
_DOCUMENT = lazily(
    r"(^|/)(docs?|documentation|examples?|samples?|website)(/|$)|\.(md|rst|txt|adoc|mdx)$", re.IGNORECASE
)
_CHANGES = lazily(
    r"(^|/)(change(s|log)|news|history|authors|contributors|release[-_ ]?notes)[^/]*$", re.IGNORECASE
)
_DATA = lazily(
    r"\.(json|ya?ml|toml|ini|cfg|csv|tsv|xml|svg|html?|css|s[ac]ss|less|snap|po|lock)$", re.IGNORECASE
)
_TEST_WORDS = lazily(r"\b(tests?|testing|flaky)\b", re.IGNORECASE)
_DOCUMENT_WORDS = lazily(r"\b(docs|documentation|readme|tutorial|guide|typo)\b", re.IGNORECASE)
_ASKED = 0.7
"""What evidence counts for a test or a document where the title speaks of such; the text often does idly."""
_LONGEST_TITLE = 300


@attrs.frozen(eq=False, repr=False)
class Files:
    """Offer every file, best first: by words in it, in its path and its names, by similar past commits.

    A file's relevance says what it is: code counts whole, tests, documents and data less; tests and
    documents more where the task's title speaks of them.
    """

    name: ClassVar[str] = "files"
    wave: ClassVar[int] = 1
    max_items: int = 200_000
    max_tokens: int = 1_000_000_000
    body: float = 1.0
    path: float = 0.8
    names: float = 0.3
    votes: float = 0.5
    recency: float = 0.3
    mentioned: float = 1.5
    tests: float = 0.4
    documents: float = 0.3
    data: float = 0.4

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        """Return one item per file; what can't be shown has a note that says why."""
        factors = self._factors(task)
        ranking, votes, recency = workspace.ranking(task), workspace.votes(task), workspace.recency()
        named = {ref.path for ref in (*task.references, *task.pins, *task.open_files) if ref.path}
        offered = workspace.of_paths(_Offered)
        roles = offered.roles or offered.know(roles_of(workspace))
        evidence: dict[str, float] = {}
        for factor, field in (
            (self.body, ranking.body),
            (self.path, ranking.path),
            (self.names, ranking.name),
            (self.votes, votes),
            (self.recency, recency),
            (self.mentioned, dict.fromkeys(named, 1.0)),
        ):
            for path, value in field.items():
                evidence[path] = evidence.get(path, 0.0) + factor * value
        marked = evidence.keys() & roles.keys()
        scored = [
            (-(evidence[path] + 0.001) * (1.0 if path in named else factors[roles[path]]), path)
            for path in marked
        ]
        offered.bring_up_to_date(workspace.index.documents, factors)
        scored.sort()
        scored += [one for one in offered.unmarked if one[1] not in marked]
        scored.sort()
        files = offered.items([path for _, path in scored], named & roles.keys())
        return [*files, *(_folder(one.path, one.files) for one in workspace.vendored)]

    def _factors(self, task: Task) -> Mapping[str, float]:
        title = task.text.strip().partition("\n")[0][:_LONGEST_TITLE]
        return {
            "test": max(_ASKED, self.tests) if _TEST_WORDS.search(title) else self.tests,
            "document": max(_ASKED, self.documents) if _DOCUMENT_WORDS.search(title) else self.documents,
            "data": self.data,
            "changes": 0.3,
            "code": 1.0,
        }


@lru_cache(maxsize=65_536)
def role_of(path: str) -> str:
    """Return what a path says that the file is: changes, test, document, data or code."""
    folder, _, name = path.rpartition("/")
    if _CHANGES.search(name):
        return "changes"
    around = _role_of_folder(folder)
    if around == "test" or _TEST.search(name):
        return "test"
    if around or _DOCUMENT.search(name):
        return "document"
    return "data" if _DATA.search(name) else "code"


@lru_cache(maxsize=65_536)
def _role_of_folder(folder: str) -> str:
    if _TEST.search(f"{folder}/"):
        return "test"
    return "document" if _DOCUMENT.search(f"{folder}/") else ""


def role_factor(path: str, factors: Mapping[str, float]) -> float:
    """Return how much evidence counts for a file of this path."""
    return factors[role_of(path)]


def roles_of(workspace: Workspace) -> Mapping[str, str]:
    """Return the role of every file, from the index where the paths are the same as for the last pack."""
    letters = workspace.of_paths(_letters, kept="roles 1")
    return dict(zip(workspace.index.documents, map(_ROLES.__getitem__, letters), strict=True))


def _letters(paths: Iterable[str]) -> str:
    """Return the first letter of each path's role, but `h` for history: short enough to be kept."""
    return "".join([_LETTERS[role_of(path)] for path in paths])


_LETTERS = {"changes": "h", "code": "c", "data": "a", "document": "d", "test": "t"}
_ROLES = {letter: role for role, letter in _LETTERS.items()}


class _Offered:
    """The items of the last question, and the order of files of which nothing is known but their paths."""

    def __init__(self, _: Iterable[str]) -> None:
        self._documents: Mapping[str, Document] = {}
        self._factors: Mapping[str, float] = {}
        self._items: dict[str, ContextItem] = {}
        self.roles: Mapping[str, str] = {}
        self.unmarked: list[tuple[float, str]] = []
        """Score and path, best first, for want of any evidence."""

    def know(self, roles: Mapping[str, str]) -> Mapping[str, str]:
        """Remember the role of each file."""
        self.roles = roles
        return roles

    def bring_up_to_date(self, documents: Mapping[str, Document], factors: Mapping[str, float]) -> None:
        """Make those items anew whose documents are no longer the same."""
        roles = self.roles
        if factors != self._factors:
            self._documents, self._factors = {}, factors
            scores = {role: -0.001 * factor for role, factor in factors.items()}
            self.unmarked = sorted((scores[role], path) for path, role in roles.items())
        if documents is self._documents:
            return
        known = self._documents.get
        changed = [path for path, document in documents.items() if known(path) is not document]
        self._items.update((path, _item(path, factors[roles[path]], documents[path])) for path in changed)
        self._documents = documents

    def items(self, paths: Sequence[str], named: Collection[str]) -> list[ContextItem]:
        """Return the items of the files in this order; named ones count whole."""
        own = {path: _item(path, 1.0, self._documents[path]) for path in named}
        items = self._items | own if own else self._items
        return [items[path] for path in paths]


def _item(path: str, relevance: float, document: Document) -> ContextItem:
    note = "" if document.kind == "text" else f"{document.kind}, {document.size} bytes"
    return ContextItem(
        id=f"file:{path}",
        provider="files",
        kind="file",
        title=path,
        path=path,
        relevance=relevance,
        content=document.content,
        note=note,
    )


def _folder(path: str, files: int | None) -> ContextItem:
    """Name a folder of somebody else's code; its files are listed only where the task names them."""
    return ContextItem(
        id=f"vendored:{path}",
        provider="files",
        kind="folder",
        title=f"{path}/",
        relevance=0.0,
        note="vendored folder" if files is None else f"vendored folder, {files} files",
    )
