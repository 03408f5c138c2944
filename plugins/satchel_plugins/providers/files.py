"""The files of the workspace, those that fit the task first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import attrs

from satchel import ContextItem

if TYPE_CHECKING:
    from satchel import Task, Workspace
    from satchel.workspace import Document

_TEST = re.compile(
    r"(^|/)(tests?|testing|testdata|__tests__|specs?|e2e|fixtures?|bench(es|marks?)?|mocks?)(/|$)"
    r"|(^|/)(test_[^/]*|[^/]*[_.-](tests?|spec|bench)|conftest|[^/]*Tests?)\.\w+$",
)
_DOCUMENT = re.compile(
    r"(^|/)(docs?|documentation|examples?|samples?|website)(/|$)|\.(md|rst|txt|adoc|mdx)$", re.IGNORECASE
)
_CHANGES = re.compile(
    r"(^|/)(change(s|log)|news|history|authors|contributors|release[-_ ]?notes)[^/]*$", re.IGNORECASE
)
_DATA = re.compile(
    r"\.(json|ya?ml|toml|ini|cfg|csv|tsv|xml|svg|html?|css|s[ac]ss|less|snap|po|lock)$", re.IGNORECASE
)
_TEST_WORDS = re.compile(r"\b(tests?|testing|flaky)\b", re.IGNORECASE)
_DOCUMENT_WORDS = re.compile(r"\b(docs|documentation|readme|tutorial|guide|typo)\b", re.IGNORECASE)
_ASKED = 0.7
"""What evidence counts for a test or a document where the title speaks of such; the text often does idly."""
_LONGEST_TITLE = 300


@attrs.frozen
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
        scored = []
        for path, document in workspace.index.documents.items():
            evidence = (
                self.body * ranking.body.get(path, 0.0)
                + self.path * ranking.path.get(path, 0.0)
                + self.names * ranking.name.get(path, 0.0)
                + self.votes * votes.get(path, 0.0)
                + self.recency * recency.get(path, 0.0)
                + self.mentioned * (path in named)
            )
            relevance = 1.0 if path in named else role_factor(path, factors)
            scored.append((-(evidence + 0.001) * relevance, path, relevance, document))
        scored.sort(key=lambda one: one[:2])
        files = [_item(path, relevance, document) for _, path, relevance, document in scored]
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
