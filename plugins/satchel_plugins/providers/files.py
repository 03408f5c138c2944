"""The files of the workspace, the best for the task first."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypedDict

import attrs

from satchel.plugin_api import (
    Aim,
    ContextItem,
    RankedFiles,
    Roster,
    WorkspaceError,
    format_count,
    given_score,
    is_test,
    lazily,
    look_up_places,
    may_declare,
    place_factor,
    places_version,
    read_question,
)

if TYPE_CHECKING:
    from satchel.plugin_api import Question, Task, Workspace

_BUNDLED = lazily(r"(^|/)_?(bundled|vendored|vendor|(third|3rd)[-_]?party)/", re.IGNORECASE)
"""Folders with copies of other projects' code, which the project may have changed."""
_NAMED_TEST = lazily(r"(^|/)(tests?|spec)\.\w+$")
_MANY_TESTS, _NAMED = 3, "code named test"
ROLES_VERSION = 1
"""Increase it if a path gets another role, but for the table of places: indexes keep them."""
_DOCUMENT = lazily(
    r"(^|/)(docs?|documentation|examples?|samples?|website)(/|$)|\.(mdx?|rst|a(scii)?doc|asc|org|txt)$",
    re.IGNORECASE,
)
_CHANGES = lazily(
    r"(^|/)((19|20)\d\d[-_])?(change(s|log)|news|history|authors|contributors|release[-_ ]?notes)"
    r"([^/.]*|[^/]*\.(mdx?|markdown|rst|a(scii)?doc|asc|org|txt|textile|rdoc|pod|html?|xml|json|ya?ml))$",
    re.IGNORECASE,
)
_DATA = lazily(
    r"\.(json|ya?ml|toml|ini|cfg|csv|tsv|xml|svg|html?|css|s[ac]ss|less|snap|po|lock)$", re.IGNORECASE
)
_TEST_WORDS = lazily(r"\b(tests?|testing|flaky)\b", re.IGNORECASE)
_DOCUMENT_WORDS = lazily(r"\b(docs|documentation|readme|tutorial|guide|typo)\b", re.IGNORECASE)
_DECLARING = 1.5
"""Score of a file that may declare the fact asked for, relative to 1 for the best match."""
_ASKED = 0.7
"""Least factor of a test or a document if the title mentions such; the text often does so in passing."""
_LONGEST_TITLE = 300
_SURE = 0.8
"""Certainty from which a task is ranked as a question: documents count like code."""

Role = Literal["changes", "test", "bundled", "document", "data", "code"]
"""The role of a file by its path."""


class RoleFactors(TypedDict):
    """Factor of the evidence for a file of each role."""

    changes: float
    test: float
    bundled: float
    document: float
    data: float
    code: float


def text_of_file(workspace: Workspace, path: str, *, largest: float = math.inf) -> str:
    """Return the text of a file in the workspace, "" for larger, missing and other files."""
    document = workspace.files.document(path)
    if document is None or document.kind != "text" or document.size > largest:
        return ""
    try:
        return workspace.texts.read(path)
    except (WorkspaceError, OSError):
        return ""


def file_item(workspace: Workspace, path: str, provider: str, lines: tuple[int, int] = (0, 0)) -> ContextItem:
    """Return a file of the workspace, or lines of it, as an item."""
    document = workspace.files.document(path)
    content = document.content if document is not None else ""
    return ContextItem(f"file:{path}", provider, "file", path, path, content=content, lines=lines)


@attrs.frozen(eq=False, repr=False)
class Files:
    """Offer every file, best first: by words in it, in its path and its names, by similar past commits.

    A file's relevance depends on its role: code counts whole, tests, documents and data less; tests and
    documents more if the task's title mentions them.
    """

    name, wave = "files", 1
    max_items: int = 200_000
    max_tokens: int = 1_000_000_000
    body: float = 1.0
    """Weight of the words in the file."""
    path: float = 0.8
    """Weight of the words in its path."""
    names: float = 0.3
    """Weight of the words in the names it defines."""
    votes: float = 0.5
    """Weight of similar past commits."""
    recency: float = 0.3
    """Weight of how recently it changed."""
    mentioned: float = 1.5
    """Added if the task, a pin or an editor names it."""
    tests: float = 0.4
    """Factor of the evidence for a test; at least 0.7 if the task's title mentions tests."""
    documents: float = 0.3
    """Factor of the evidence for documents and examples; at least 0.7 if the title mentions them."""
    data: float = 0.4
    """Factor of the evidence for data and configuration."""

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        """Return one item per file, with a note that says why if it can't be shown."""
        question = read_question(task.text)
        factors = self._factors(task, question)
        ranking, votes, recency = (
            workspace.ranking.files(task),
            workspace.history.votes(task),
            workspace.history.recency(),
        )
        named = {ref.path for ref in (*task.references, *task.pins, *task.open_files) if ref.path}
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
        if question.certainty >= _SURE:
            evidence = _weigh_places(evidence, question, workspace)
        roster = workspace.files.of_paths(_Rosters).sharing(factors, workspace)
        documents = workspace.index.documents
        folders = [_folder(one.path, one.files) for one in workspace.files.vendored]
        return RankedFiles(
            self.name, roster, documents, evidence=evidence, whole=named & documents.keys(), beside=folders
        )

    def _factors(self, task: Task, question: Question) -> Mapping[str, float]:
        if question.certainty >= _SURE:
            return dict.fromkeys(("test", "document", "data", "changes", "bundled", "code"), 1.0)
        title = task.text.strip().partition("\n")[0][:_LONGEST_TITLE]
        return {
            "test": max(_ASKED, self.tests) if _TEST_WORDS.search(title) else self.tests,
            "document": max(_ASKED, self.documents) if _DOCUMENT_WORDS.search(title) else self.documents,
            "data": self.data,
            "changes": 0.3,
            "bundled": 0.3,
            "code": 1.0,
        }


def _weigh_places(
    evidence: Mapping[str, float], question: Question, workspace: Workspace
) -> dict[str, float]:
    """Return the evidence for files weighed for a question, by the places that may have its answer."""
    look_up_places(workspace.files)
    best = max(evidence.values(), default=0.0)
    given = {path: given_score(question.aims, path) for path in workspace.index.documents}
    for fact in (question.fact, *question.beside) if question.fact is not None else question.beside:
        declaring = (path for path in given if may_declare(fact, path))
        if Aim.EXTENDING in question.aims:  # additions go into code
            declaring = (path for path in declaring if role_of(path) == "code")
        given |= dict.fromkeys(declaring, _DECLARING)
    weighed = {
        path: value * place_factor(question.aims, path) for path, value in evidence.items() if path in given
    }
    for path, share in given.items():
        if share:
            weighed[path] = weighed.get(path, 0.0) + share * best
    return weighed


@lru_cache(maxsize=65_536)
def role_of(path: str) -> Role:
    """Return the role of a file by its path."""
    folder, _, name = path.rpartition("/")
    if _CHANGES.match(name):
        return "changes"
    above = f"/{folder}/".partition("/src/main/")[0].strip("/")  # packages below it may be called `samples`
    if is_test(f"{above}/{name}"):
        return "test"
    around = _role_of_folder(above)
    if around or _DOCUMENT.search(name):
        return around or "document"
    return "data" if _DATA.search(name) else "code"


@lru_cache(maxsize=65_536)
def _role_of_folder(folder: str) -> Literal["bundled", "document", ""]:
    if _BUNDLED.search(f"{folder}/"):
        return "bundled"
    return "document" if _DOCUMENT.search(f"{folder}/") else ""


def role_factor(path: str, factors: RoleFactors) -> float:
    """Return how much evidence counts for a file of this path."""
    return factors[role_of(path)]


def roles_of(workspace: Workspace) -> Mapping[str, str]:
    """Return the role of every file: `test.ts` is a test if many folders have one, else a command."""
    labels = workspace.files.labels(f"roles {ROLES_VERSION} {places_version()}", label_role)
    named = [path for path, label in labels.items() if label == _NAMED]
    return {**labels, **dict.fromkeys(named, "test" if len(named) >= _MANY_TESTS else "code")}


def label_role(path: str) -> str:
    """Return the role of a file by its path, or that it is code with the name of a test."""
    role = role_of(path)
    return _NAMED if role == "code" and _NAMED_TEST.search(path) else role


class _Rosters:
    """All files by role, sorted for the factors of the last question."""

    def __init__(self, _: Iterable[str]) -> None:
        self._known: Roster | None = None

    def sharing(self, factors: Mapping[str, float], workspace: Workspace) -> Roster:
        """Return the roster with these factors of roles."""
        known = self._known
        if known is None or known.shares != factors:
            groups = known.groups if known is not None else roles_of(workspace)
            self._known = known = Roster(groups, factors)
        return known


def _folder(path: str, files: int | None) -> ContextItem:
    """Name a folder of somebody else's code; its files are listed only if the task names them."""
    return ContextItem(
        id=f"vendored:{path}",
        provider="files",
        kind="folder",
        title=f"{path}/",
        relevance=0.0,
        note="vendored folder" if files is None else f"vendored folder, {format_count(files, 'file')}",
    )
