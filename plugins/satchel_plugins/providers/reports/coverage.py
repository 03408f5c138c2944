"""Coverage reports of coverage.py, lcov and Cobertura: the lines that no test reaches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from satchel_plugins.providers.reports.documents import LARGEST, parse_json, parse_xml
from satchel_plugins.providers.reports.failures import Failure

_MOST_RANGES = 20


def read_coverage(text: str) -> list[Failure]:
    """Return one failure for each file with lines that no test reaches, those with most of them first."""
    opening = text[:200].lstrip("\ufeff \t\r\n")
    if opening.startswith("{"):
        files = _of_json(text)
    elif opening.startswith("<"):
        files = _of_cobertura(text)
    else:
        files = _of_lcov(text[:LARGEST])
    found = [(path, sorted(set(missing)), count) for path, missing, count in files]
    found.sort(key=lambda one: (-len(one[1]), one[0]))
    return [_failure(path, missing, count) for path, missing, count in found if missing]


def _failure(path: str, missing: list[int], count: int) -> Failure:
    ranges = list(_ranges(missing))
    places = [f"{path}:{first}" if first == last else f"{path}:{first}-{last}" for first, last in ranges]
    of = f" of {count}" if count >= len(missing) else ""
    return Failure(f"{path}: no test reaches {len(missing)}{of} lines", (), tuple(places[:_MOST_RANGES]))


def _ranges(lines: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Join lines that follow each other; a gap of one line, which may be blank, is not a gap."""
    first = last = 0
    for line in lines:
        if first and line > last + 2:
            yield first, last
            first = line
        first, last = first or line, line
    if first:
        yield first, last


def _of_json(text: str) -> Iterator[tuple[str, list[int], int]]:
    report = parse_json(text)
    files = report.get("files") if isinstance(report, dict) else None
    for path, facts in files.items() if isinstance(files, dict) else ():
        missing = facts.get("missing_lines") if isinstance(facts, dict) else None
        reached = facts.get("executed_lines") if isinstance(facts, dict) else None
        if isinstance(missing, list):
            lines = [line for line in missing if isinstance(line, int) and line > 0]
            yield path, lines, len(lines) + (len(reached) if isinstance(reached, list) else 0)


def _of_cobertura(text: str) -> Iterator[tuple[str, list[int], int]]:
    root = parse_xml(text)
    for one in root.all("class") if root is not None and root.tag == "coverage" else ():
        hits = {
            int(line.attributes["number"]): line.attributes.get("hits", "0")
            for line in one.all("line")
            if line.attributes.get("number", "").isdecimal()
        }
        missing = [number for number, count in hits.items() if count == "0" and number]
        yield one.attributes.get("filename", ""), missing, len(hits)


def _of_lcov(text: str) -> Iterator[tuple[str, list[int], int]]:
    path, missing, count = "", list[int](), 0
    for line in text.split("\n"):
        if line.startswith("SF:"):
            path, missing, count = line[3:].strip(), [], 0
        elif line.startswith("DA:"):
            number, _, hits = line[3:].strip().partition(",")
            count += 1
            if hits.partition(",")[0] == "0" and number.isdecimal() and int(number):
                missing.append(int(number))
        elif line.startswith("end_of_record") and path:
            yield path, missing, count
            path = ""
