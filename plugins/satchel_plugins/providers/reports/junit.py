"""JUnit's XML, which most test runners can write."""

from __future__ import annotations

from satchel_plugins.providers.reports.documents import ReportElement, parse_xml
from satchel_plugins.providers.reports.failures import Failure

_BODY_LINES = 30
_MOST = 200


def read_junit(text: str) -> list[Failure]:
    """Return the test cases that failed or could not run."""
    if "<failure" not in text and "<error" not in text:
        return []
    root = parse_xml(text)
    if root is None or root.tag not in ("testsuites", "testsuite"):
        return []
    failed = ((case, bad) for case in root.all("testcase") for bad in _bad(case))
    return [_failure(case, bad) for (case, bad), _ in zip(failed, range(_MOST), strict=False)]


def _bad(case: ReportElement) -> list[ReportElement]:
    return [child for child in case.children if child.tag in ("failure", "error")][:1]


def _failure(case: ReportElement, bad: ReportElement) -> Failure:
    test = ".".join(filter(None, (case.attributes.get("classname"), case.attributes.get("name"))))
    lines = [line for line in bad.text.strip().split("\n") if line.strip()]
    told = bad.attributes.get("message") or bad.attributes.get("type") or (lines[0] if lines else bad.tag)
    file, line = case.attributes.get("file"), case.attributes.get("line")
    place = f"{file}:{line}" if file and line and line.isdecimal() else file or ""
    message = f"{test}: {' '.join(told.split())}" if test else " ".join(told.split())
    return Failure(message, _ends(lines), (place,) if place else ())


def _ends(lines: list[str]) -> tuple[str, ...]:
    """Return the lines, of many the first and the last."""
    half = _BODY_LINES // 2
    return tuple(lines if len(lines) <= _BODY_LINES else (*lines[:half], "...", *lines[-half:]))
