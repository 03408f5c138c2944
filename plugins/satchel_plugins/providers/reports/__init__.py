"""Readers of reports from builds, tests and checkers: logs, JUnit, SARIF, coverage."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from satchel.plugin_api import lazily

if TYPE_CHECKING:
    from satchel_plugins.providers.reports.failures import Failure

_COVERAGE = lazily(
    r"(?:\A|/)(?:(?:[\w-]*[-_.])?coverage(?:[-_.][\w-]+)?\.(?:json|xml)|cobertura[\w.-]*\.xml|lcov\.info|[\w.-]+\.lcov)\Z"
)
_JUNIT = lazily(
    r"(?:\A|/)(?:[^/]*(?:junit|xunit|nosetests)[^/]*|TEST-[^/]*|[^/]*test[-_.]?(?:results?|reports?|output|run)[^/]*"
    r"|(?:[^/]*[-_.])?(?:results?|report)|pytest[^/]*)\.xml\Z"
    r"|(?:\A|/)(?:surefire-reports|failsafe-reports|test-results?|test-reports?|junit)/(?:[^/]*/)*[^/]*\.xml\Z",
    re.IGNORECASE,
)
_LOG = lazily(
    r"\.(?:log|err|stderr|stdout)(?:\.txt|\.\d{1,3})?\Z|(?:\A|/)nohup\.out\Z"
    r"|(?:\A|/)logs/[^/]*\.(?:txt|out)\Z"
    r"|(?:\A|/)[^/]*(?:errors?|failures?|failed|traceback|stack[-_]?trace|crash|(?:test|build|ci|lint|make)[-_.]?"
    r"(?:output|log|run|results?))[^/.]*(?:\.(?:txt|out))?\Z",
    re.IGNORECASE,
)
_NO_LOG = lazily(
    r"(?:\A|/)(?:bin|docs?|templates?|examples?|(?:__)?fixtures?(?:__)?|test[-_]?data|samples?|snapshots?)/"
    r"|(?:\A|/)(?:change|git)?log\Z|(?:\A|/)tests?/.*\.std(?:err|out)\Z",
    re.IGNORECASE,
)
_SUFFIXES = frozenset(
    {"", "err", "info", "json", "lcov", "log", "out", "sarif", "stderr", "stdout", "txt", "xml"}
)
"""Suffixes of reports; they rule out most files ten times faster than the patterns."""


REPORTS_VERSION = 1
"""Increase it if a path gets another kind: indexes keep them."""


def report_kind(path: str) -> str:
    """Return the kind of a report, `log`, `junit`, `sarif` or `coverage`, or "" for any other file."""
    name = path.rpartition("/")[2]
    suffix = name.rpartition(".")[2].lower() if "." in name else ""
    if suffix not in _SUFFIXES and not suffix.isdigit():
        return ""
    if path.endswith((".xml", ".json", ".info", ".lcov", ".sarif")):
        if ("cov" in path or "cobertura" in path) and _COVERAGE.search(path):
            return "coverage"
        if path.endswith((".sarif", ".sarif.json")):
            return "sarif"
        return "junit" if path.endswith(".xml") and _JUNIT.search(path) else ""
    return "log" if _LOG.search(path) and not _NO_LOG.search(path) else ""


def read_report(kind: str, text: str) -> list[Failure]:
    """Return the failures in a report of this kind, in its order; [] if it is damaged."""
    # the reader of logs judges lines like squeezing: too much to load for a pack without reports
    if kind == "log":
        from satchel_plugins.providers.reports.logs import read_log

        return read_log(text)
    from satchel_plugins.providers.reports.documents import read_coverage, read_junit, read_sarif

    return {"junit": read_junit, "sarif": read_sarif, "coverage": read_coverage}[kind](text)
