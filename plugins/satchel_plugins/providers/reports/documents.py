"""Reports in XML and JSON: JUnit, SARIF, coverage; read without entities, endless depth or size."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from urllib.parse import unquote
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from satchel.plugin_api import format_count
from satchel_plugins.providers.reports.failures import Failure

LARGEST = 4_000_000
"""Characters of the largest report that is read."""
_DEEPEST = 60
_MOST_NODES = 200_000


class RefusedError(ValueError):
    """A document that is refused: it declares entities, or is too large or too deep."""


def parse_xml(text: str) -> Element | None:
    """Return the root element, None for a damaged or refused text."""
    if len(text) > LARGEST:
        return None
    try:
        return _ReportTree().parsed(text)
    except (expat.ExpatError, RefusedError, ValueError):
        return None


def parse_json(text: str) -> object:
    """Return the value of a JSON text, None if it is damaged, too large or too deep."""
    if len(text) > LARGEST:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


class _ReportTree:
    """Builds elements while expat reads."""

    def __init__(self) -> None:
        self.builder = TreeBuilder()
        self.depth = self.count = 0

    def parsed(self, text: str) -> Element:
        parser = expat.ParserCreate("utf-8", " ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self.builder.data
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = self._refuse
        parser.Parse(text.encode("utf-8", "replace"), True)  # noqa: FBT003 (it takes no keywords)
        return self.builder.close()

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.depth >= _DEEPEST or self.count > _MOST_NODES:
            raise RefusedError("too deep or too many elements")
        self.depth += 1
        self.builder.start(tag.rpartition(" ")[2], attributes)

    def _end(self, tag: str) -> None:
        self.depth -= 1
        self.builder.end(tag.rpartition(" ")[2])

    def _doctype(self, name: str, system: str | None, public: str | None, internal: int) -> None:
        # Cobertura names a document type without entities of its own; it is never fetched.
        if internal:
            raise RefusedError("declares entities")

    def _refuse(self, *declared: object) -> None:
        raise RefusedError("declares entities")


_BODY_LINES = 30
_MOST_FAILURES = 200


def read_junit(text: str) -> list[Failure]:
    """Return the test cases that failed or could not run."""
    if "<failure" not in text and "<error" not in text:
        return []
    root = parse_xml(text)
    if root is None or root.tag not in ("testsuites", "testsuite"):
        return []
    failed = ((case, bad) for case in root.iter("testcase") for bad in _bad(case))
    return [
        _failure_of_case(case, bad) for (case, bad), _ in zip(failed, range(_MOST_FAILURES), strict=False)
    ]


def _bad(case: Element) -> list[Element]:
    return [child for child in case if child.tag in ("failure", "error")][:1]


def _failure_of_case(case: Element, bad: Element) -> Failure:
    test = ".".join(filter(None, (case.attrib.get("classname"), case.attrib.get("name"))))
    lines = [
        line
        for line in "".join((bad.text or "", *(child.tail or "" for child in bad))).strip().split("\n")
        if line.strip()
    ]
    told = bad.attrib.get("message") or bad.attrib.get("type") or (lines[0] if lines else bad.tag)
    file, line = case.attrib.get("file"), case.attrib.get("line")
    place = f"{file}:{line}" if file and line and line.isdecimal() else file or ""
    message = f"{test}: {' '.join(told.split())}" if test else " ".join(told.split())
    return Failure(message, _ends(lines), (place,) if place else ())


def _ends(lines: list[str]) -> tuple[str, ...]:
    """Return the lines, or the first and the last of many."""
    half = _BODY_LINES // 2
    return tuple(lines if len(lines) <= _BODY_LINES else (*lines[:half], "...", *lines[-half:]))


_MOST_RESULTS = 200
_LEVELS = {"error": 0, "warning": 1}
"""Levels of failures; notes and suppressed results are none."""


def read_sarif(text: str) -> list[Failure]:
    """Return the results of all runs, errors before warnings."""
    found = [
        (_LEVELS[level], _failure_of_result(result, level))
        for run in _dicts_in(parse_json(text), "runs")
        for result in _dicts_in(run, "results")
        if (level := str(result.get("level", "warning"))) in _LEVELS and not result.get("suppressions")
    ]
    return [failure for _, failure in sorted(found, key=lambda pair: pair[0])][:_MOST_RESULTS]


def _failure_of_result(result: dict[str, object], level: str) -> Failure:
    told = " ".join(_text_in(result.get("message"), "text").split())
    rule = str(result.get("ruleId") or _text_in(result.get("rule"), "id"))
    places = tuple(place for location in _dicts_in(result, "locations") if (place := _place_of(location)))
    return Failure(f"{level}: {told or rule}" + (f" [{rule}]" if rule and told else ""), (), places[:5])


def _place_of(location: dict[str, object]) -> str:
    physical = location.get("physicalLocation")
    if not isinstance(physical, dict):
        return ""
    uri = unquote(_text_in(physical.get("artifactLocation"), "uri")).removeprefix("file://")
    region = physical.get("region")
    first = region.get("startLine") if isinstance(region, dict) else None
    return f"{uri}:{first}" if uri and isinstance(first, int) and first > 0 else uri


def _dicts_in(holder: object, key: str) -> Iterator[dict[str, object]]:
    listed = holder.get(key) if isinstance(holder, dict) else None
    yield from (one for one in listed if isinstance(one, dict)) if isinstance(listed, list) else ()


def _text_in(holder: object, key: str) -> str:
    value = holder.get(key) if isinstance(holder, dict) else None
    return value if isinstance(value, str) else ""


_MOST_RANGES = 20


def read_coverage(text: str) -> list[Failure]:
    """Return one failure for each file with lines that no test reaches, most lines first."""
    opening = text[:200].lstrip("\ufeff \t\r\n")
    if opening.startswith("{"):
        files = _of_json(text)
    elif opening.startswith("<"):
        files = _of_cobertura(text)
    else:
        files = _of_lcov(text[:LARGEST])
    found = [(path, sorted(set(missing)), count) for path, missing, count in files]
    found.sort(key=lambda one: (-len(one[1]), one[0]))
    return [_failure_of_file(path, missing, count) for path, missing, count in found if missing]


def _failure_of_file(path: str, missing: list[int], count: int) -> Failure:
    ranges = list(_ranges(missing))
    places = [f"{path}:{first}" if first == last else f"{path}:{first}-{last}" for first, last in ranges]
    unreached = format_count(len(missing), "line")
    if count >= len(missing):
        unreached = f"{len(missing)} of {format_count(count, 'line')}"
    return Failure(f"{path}: no test reaches {unreached}", (), tuple(places[:_MOST_RANGES]))


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
    for one in root.iter("class") if root is not None and root.tag == "coverage" else ():
        hits = {
            int(line.attrib["number"]): line.attrib.get("hits", "0")
            for line in one.iter("line")
            if line.attrib.get("number", "").isdecimal()
        }
        missing = [number for number, count in hits.items() if count == "0" and number]
        yield one.attrib.get("filename", ""), missing, len(hits)


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
