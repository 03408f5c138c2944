"""Readers of what builds, tests and checkers write: logs, JUnit, SARIF, coverage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from satchel_plugins.providers.reports.naming import report_kind

if TYPE_CHECKING:
    from satchel_plugins.providers.reports.failures import Failure

__all__ = ["read_report", "report_kind"]


def read_report(kind: str, text: str) -> list[Failure]:
    """Return the failures that a report of this kind tells, in its order; [] where it is damaged."""
    # what reads logs judges lines as squeezing does: too much to load for a pack without reports
    from satchel_plugins.providers.reports.coverage import read_coverage
    from satchel_plugins.providers.reports.junit import read_junit
    from satchel_plugins.providers.reports.logs import read_log
    from satchel_plugins.providers.reports.sarif import read_sarif

    readers = {"log": read_log, "junit": read_junit, "sarif": read_sarif, "coverage": read_coverage}
    return readers[kind](text)
