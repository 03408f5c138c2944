"""Failures that builds, tests and checkers have left in the workspace, and the code that they point at."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import attrs

from satchel.plugin_api import (
    ContextItem,
    KnownPaths,
    WorkspaceError,
    find_frames,
    find_references,
    lazily,
    read_question,
)
from satchel_plugins.providers.files import file_item
from satchel_plugins.providers.reports import REPORTS_VERSION, read_report, report_kind

if TYPE_CHECKING:
    from satchel.plugin_api import Task, Workspace
    from satchel_plugins.providers.reports.failures import Failure, Report, Row

_ABOUT_FAILURES = lazily(
    r"\b(?:errors?|fail\w*|broken?|breaks?|crash\w*|traceback|exceptions?|panic\w*|red|green|logs?|ci|build\w*"
    r"|compil\w*|lint\w*|warnings?|regress\w*|debug\w*|diagnos\w*|pipeline"
    r"|tests? (?:suite|run)|pass|passing|rais(?:es?|ed|ing)|throw[sn]?|\w+(?:error|exception))\b",
    re.IGNORECASE,
)
_ABOUT_COVERAGE = lazily(
    r"\b(?:coverage|covered|uncovered|untested|not tested|(?:add|write|more|missing|unit) tests?"
    r"|test cases?)\b",
    re.IGNORECASE,
)
_GENERAL = frozenset(
    """
    all assert break broke broken build check ci code command compile compiler crash current debug
    diagnose error exception fail failed failing failure fix green investigate issue job latest lint
    local locally log look main master message newest occur occurring panic pass passing pipeline
    project recent red regression repair report repo repository root stack suite test testing trace
    traceback warning
    """.split()  # noqa: SIM905 (60 quoted words are hard to read)
)
"""Words of a task that only say that something fails."""
_LARGEST = 4_000_000
_TASK_TEXT = 20_000
_NOWHERE = (0, 0)
_ASKED = 1.0
"""Certainty of a task that has the form of a question."""
_ALONE = 0.4
"""Share of the task's weight from which a single common word is enough for a failure."""
_READ_AS = "failures 1"
"""Name of the parsed form of a report; change it whenever the same text would be parsed otherwise."""
_MOST_READ = 100
"""Most failures of one report that are read."""
_PLACES = (
    "",
    *("build", "build/logs", "build/reports", "build/test-results", "build/test-results/test"),
    *("build/Testing/Temporary", "target", "target/failsafe-reports", "target/surefire-reports"),
    *("target/nextest/default", "target/nextest/ci"),
    *("artifacts", "coverage", "log", "logs", "out", "report", "reports", "reports/junit", "tmp"),
    *("test-reports", "test-results", "test_results", "TestResults", "Testing/Temporary"),
)
"""Where test runners, builds and checkers write by default, below a project."""
_PROJECT_FILES = frozenset(
    {
        *("build.gradle", "build.gradle.kts", "Cargo.toml", "CMakeLists.txt", "go.mod", "package.json"),
        *("pom.xml", "pyproject.toml"),
    }
)
_MOST_PROJECTS = 24
_UNREADABLE = ("binary", "credentials", "empty", "link", "submodule")


class _FoundFailure(NamedTuple):
    """A failure with the workspace places that it points at."""

    failure: Failure
    places: tuple[tuple[str, int, int], ...]
    match: float
    """0..1: how much it is about the task."""


class _Listed(NamedTuple):
    """A report that may concern the task."""

    path: str
    kind: str
    size: int
    is_hidden: bool = False
    """Whether git ignores it."""


@attrs.frozen(eq=False, repr=False)
class ErrorsProvider:
    """Offer the failures in logs, JUnit, SARIF and coverage reports that concern the task.

    Each report is an item whose parts are its failures; the files that they, or a traceback in the
    task, point at come along. A task that only says that something fails gets the newest failures.
    Reports that git ignores count in their usual places, such as `target/surefire-reports`.
    """

    name, wave = "errors", 1
    max_items: int = 24
    max_tokens: int = 12_000
    reports: int = 8
    """Reports that are read, the most promising first."""
    read_bytes: int = 3_000_000
    """Total bytes of reports that are read, so that gathering stays fast."""
    failures: int = 12
    """Maximum number of failures shown from one report."""
    companions: int = 10
    """Maximum number of files offered because failures point at them."""
    least: float = 0.2
    """Share of the task's words, by weight, that a failure must hold."""
    ignored: bool = True
    """Whether to look for reports that git ignores in their usual places, for failures or coverage."""

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        """Return the reports' failures, best first, then the files that they point at."""
        listed = self._promising(task, workspace)
        pointed: dict[str, tuple[int, int]] = dict.fromkeys(_list_files_of_frames(task), _NOWHERE)
        items: list[ContextItem] = []
        if listed:
            subject, paths = _Subject.of(task, workspace), workspace.files.of_paths(KnownPaths)
            for report in self._read(listed, workspace):
                found = self._concerning(report, subject, paths)
                items += _items(report, found, subject) if found else []
                for place in chain.from_iterable(_with_innermost(one) for one in found):
                    pointed.setdefault(*place)
        files = [
            file_item(workspace, path, self.name, lines)
            for path, lines in pointed.items()
            if _is_text(workspace, path)
        ]
        return [*items, *files[: self.companions]][: self.max_items]

    def _promising(self, task: Task, workspace: Workspace) -> list[_Listed]:
        """Return reports: named ones, then ones with the task's words, then the newest."""
        named = {ref.path for ref in task.references if ref.path}
        ranked: list[tuple[bool, float, _Listed]] = []
        kinds = workspace.files.labels(f"reports {REPORTS_VERSION}", report_kind)
        reports = {path: kind for path, kind in kinds.items() if kind}
        for entry in workspace.files.entries() if reports else ():
            kind = reports.get(entry.path, "")
            document = workspace.files.document(entry.path) if kind else None
            if document is None or document.kind in _UNREADABLE or not 0 < entry.size <= _LARGEST:
                continue
            if entry.path in named or self._may_concern(task, workspace, entry.path, kind):
                listed = _Listed(entry.path, kind, entry.size)
                ranked.append((entry.path not in named, -float(entry.mtime_ns), listed))
        ranked += [(True, -age, one) for age, one in self._hidden(task, workspace)]
        ranked.sort()
        return [one for _, _, one in ranked[: self.reports]]

    def _hidden(self, task: Task, workspace: Workspace) -> Iterator[tuple[float, _Listed]]:
        """Yield the reports that git ignores, with the time of each, if the task is about such reports."""
        kinds = {"coverage"} if _is_about(task.text, _ABOUT_COVERAGE) else set()
        kinds |= {"log", "junit", "sarif"} if _is_about(task.text, _ABOUT_FAILURES) else set()
        if not self.ignored or not kinds:
            return
        folders = workspace.files.of_paths(_report_folders)
        for entry in workspace.files.hidden(folders, lambda path: report_kind(path) in kinds):
            if 0 < entry.size <= _LARGEST:
                yield (
                    float(entry.mtime_ns),
                    _Listed(entry.path, report_kind(entry.path), entry.size, is_hidden=True),
                )

    def _may_concern(self, task: Task, workspace: Workspace, path: str, kind: str) -> bool:
        """Return, without reading it, whether a report may concern a task that does not name it.

        A report that only has words of a question is no answer: it may be the expected output of a test.
        """
        if kind == "coverage":
            return _is_about(task.text, _ABOUT_COVERAGE)
        if _is_about(task.text, _ABOUT_FAILURES):
            return True
        return read_question(task.text).certainty < _ASKED and self._speaks(task, workspace, path)

    def _speaks(self, task: Task, workspace: Workspace, path: str) -> bool:
        """Return whether a report holds words of the task, or is not indexed and may."""
        document = workspace.files.document(path)
        return (
            document is None
            or document.length == 0
            or workspace.ranking.files(task).body.get(path, 0.0) > 0.05
        )

    def _read(self, listed: Sequence[_Listed], workspace: Workspace) -> Iterable[Report]:
        from satchel_plugins.providers.reports.failures import Report, from_row

        left = self.read_bytes
        for path, kind, size, is_hidden in listed:
            left -= size
            if left < 0:
                return
            try:
                if is_hidden:
                    rows = _rows(kind, workspace.texts.read_hidden(path, most_bytes=_LARGEST))
                else:
                    rows = workspace.texts.derived(path, f"{_READ_AS} {kind}", partial(_rows, kind))
            except (OSError, WorkspaceError):  # listed a moment ago and gone: the listing reports that
                continue
            yield Report(path, kind, tuple(map(from_row, rows)), is_hidden)

    def _concerning(self, report: Report, subject: _Subject, paths: KnownPaths) -> list[_FoundFailure]:
        """Return the failures of a report that concern the task, best first."""
        found = [_point_at_places(failure, subject, paths) for failure in report.failures]
        if report.kind == "coverage":
            pointing = [one for one in found if subject.points_at(one.places)]
            found = pointing or [one for one in found if one.match > 0]
        best = max((one.match for one in found), default=0.0)
        least = max(self.least, best / 3)
        if best < self.least:
            if not subject.is_general or report.kind == "coverage":
                return []
            least = 0.0
        kept = [one for one in found if one.match >= least]
        return sorted(kept, key=lambda one: -one.match)[: self.failures]


class _Subject(NamedTuple):
    """The subject of the task: its words by weight, the files that it names."""

    terms: Mapping[str, float]
    files: frozenset[str]
    likely: Mapping[str, float]
    """Files that hold the task's words, the best 1."""
    is_general: bool
    """Whether it only says that something fails."""
    named: frozenset[str]

    @classmethod
    def of(cls, task: Task, workspace: Workspace) -> _Subject:
        ranking = workspace.ranking.files(task)
        query = workspace.ranking.query(task)
        terms = {
            term: weight * ranking.rarity.get(term, 1.0)
            for term, weight in query.items()
            if term not in _GENERAL
        }
        named = frozenset(ref.path for ref in task.references if ref.path)
        files = frozenset(path for path in named if not report_kind(path))
        is_general = _is_about(task.text, _ABOUT_FAILURES) and len(terms) <= 1 and not files
        return cls(terms, files, ranking.body, is_general, named)

    def points_at(self, places: Sequence[tuple[str, int, int]]) -> bool:
        return any(path in self.files for path, _, _ in places)

    def match(self, text: str, places: Sequence[tuple[str, int, int]]) -> float:
        """Return 0..1: the share of the task's weight in a text, more if that points at a named file."""
        words = _words(text)
        total = sum(self.terms.values()) or 1.0
        held = [weight / total for term, weight in self.terms.items() if term in words]
        if len(held) == 1 and held[0] < _ALONE:
            held = []
        likely = max((self.likely.get(path, 0.0) for path, _, _ in places), default=0.0)
        bonus = 0.6 * self.points_at(places) + 0.15 * (likely > 0.6 and bool(held))
        return min(1.0, sum(held) + bonus)


def _rows(kind: str, text: str) -> list[Row]:
    """Return the first failures of a report as rows for JSON."""
    from satchel_plugins.providers.reports.failures import to_row

    return [to_row(failure) for failure in read_report(kind, text)[:_MOST_READ]]


def _report_folders(paths: Iterable[str]) -> list[str]:
    """Return the folders that usually hold reports, in the root and in the projects nearest to it."""
    projects = {
        folder for folder, _, name in (path.rpartition("/") for path in paths) if name in _PROJECT_FILES
    }
    nearest = sorted({"", *projects}, key=lambda folder: (folder.count("/") + bool(folder), folder))
    return [f"{project}/{place}".strip("/") for project in nearest[:_MOST_PROJECTS] for place in _PLACES]


@lru_cache(maxsize=4)
def _is_about(text: str, words: re.Pattern[str]) -> bool:
    """Return whether a task has one of these words; cached, as it is asked for each report."""
    return words.search(text[:_TASK_TEXT]) is not None


def _list_files_of_frames(task: Task) -> list[str]:
    """Return the files of the frames in the task, the innermost first."""
    framed = {frame.text for frame in find_frames(task.text[:_TASK_TEXT])} if task.references else set()
    return [ref.path for ref in task.references if ref.path and ref.text in framed]


def _words(text: str) -> set[str]:
    from satchel.plugin_api import count_text_terms

    return set(count_text_terms(text))


def _point_at_places(failure: Failure, subject: _Subject, paths: KnownPaths) -> _FoundFailure:
    text = "\n".join((*failure.places, failure.message, *failure.body))
    references = find_references(text[:6_000], paths)
    places = [(ref.path, *ref.lines) for ref in references if ref.kind == "path" and ref.path]
    lined = {path for path, first, _ in places if first}
    kept = [place for place in dict.fromkeys(places) if place[1] or place[0] not in lined]
    return _FoundFailure(failure, tuple(kept[:20]), subject.match(text, kept))


def _items(report: Report, found: Sequence[_FoundFailure], subject: _Subject) -> list[ContextItem]:
    """Return the item of a report's failures, and the report's file, which is then only named."""
    from satchel_plugins.providers.reports.failures import render_failure

    places = [[_place(place) for place in one.places] for one in found]
    text = "".join(render_failure(one.failure, own) for one, own in zip(found, places, strict=True))
    what = "lines without tests" if report.kind == "coverage" else "failures"
    best = max(one.match for one in found)
    relevance = 1.0 if subject.is_general or report.path in subject.named else 0.5 + best / 2
    item = ContextItem(
        id=f"error:{report.path}",
        provider="errors",
        kind="error",
        title=f"{what} in {report.path}",
        text=text,
        relevance=min(relevance, 1.0),
    )
    if report.path in subject.named or report.is_hidden:
        return [item]
    note = f"{report.kind}, its {what} stand apart"
    return [item, ContextItem(f"file:{report.path}", "errors", "file", report.path, report.path, note=note)]


def _place(place: tuple[str, int, int]) -> str:
    path, first, last = place
    if not first:
        return path
    return f"{path}:{first}" if first == last else f"{path}:{first}-{last}"


def _is_text(workspace: Workspace, path: str) -> bool:
    document = workspace.files.document(path)
    return document is not None and document.kind == "text" and not report_kind(path)


def _with_innermost(found: _FoundFailure) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the files that a failure points at; only the first, where it came up, with its lines."""
    for at, (path, first, last) in enumerate(found.places):
        yield path, (first, last) if at == 0 else _NOWHERE
