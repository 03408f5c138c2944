"""SARIF, which linters and security scanners write."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote

from satchel_plugins.providers.reports.documents import parse_json
from satchel_plugins.providers.reports.failures import Failure

_MOST = 200
_LEVELS = {"error": 0, "warning": 1}
"""Notes and what was suppressed are not failures."""


def read_sarif(text: str) -> list[Failure]:
    """Return the results of all runs, errors before warnings."""
    found = [
        (_LEVELS[level], _failure(result, level))
        for run in _dicts(parse_json(text), "runs")
        for result in _dicts(run, "results")
        if (level := str(result.get("level", "warning"))) in _LEVELS and not result.get("suppressions")
    ]
    return [failure for _, failure in sorted(found, key=lambda pair: pair[0])][:_MOST]


def _failure(result: dict[str, object], level: str) -> Failure:
    told = " ".join(_text(result.get("message"), "text").split())
    rule = str(result.get("ruleId") or _text(result.get("rule"), "id"))
    places = tuple(place for location in _dicts(result, "locations") if (place := _place(location)))
    return Failure(f"{level}: {told or rule}" + (f" [{rule}]" if rule and told else ""), (), places[:5])


def _place(location: dict[str, object]) -> str:
    physical = location.get("physicalLocation")
    if not isinstance(physical, dict):
        return ""
    uri = unquote(_text(physical.get("artifactLocation"), "uri")).removeprefix("file://")
    region = physical.get("region")
    first = region.get("startLine") if isinstance(region, dict) else None
    return f"{uri}:{first}" if uri and isinstance(first, int) and first > 0 else uri


def _dicts(holder: object, key: str) -> Iterator[dict[str, object]]:
    listed = holder.get(key) if isinstance(holder, dict) else None
    yield from (one for one in listed if isinstance(one, dict)) if isinstance(listed, list) else ()


def _text(holder: object, key: str) -> str:
    value = holder.get(key) if isinstance(holder, dict) else None
    return value if isinstance(value, str) else ""
