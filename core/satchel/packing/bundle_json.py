"""Bundles as JSON: all there is, or a small form that is little longer than the document."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from satchel.escaping import visible, visible_path
from satchel.redaction.scanning import redact_secrets

if TYPE_CHECKING:
    from satchel.errors import Problem
    from satchel.packing.bundle import Bundle, BundleItem
    from satchel.packing.reasons import LeftOut

COMPACT = 1.3
"""Most characters of the compact form, in JSON, for each character of the document."""
_LONGEST_ERROR = 200


def to_full(bundle: Bundle) -> dict[str, Any]:
    """Return the full form, printed by `satchel pack --format json`; `pack.schema.json` describes it."""
    return {
        "schema": 1,
        "task": bundle.task,
        "budget": bundle.budget,
        "tokens": bundle.tokens,
        "exact": bundle.exact,
        "tokenizer": bundle.tokenizer,
        "text": bundle.text,
        "items": [_to_item(item) for item in bundle.items],
        "left_out": [_to_omission(item) for item in bundle.left_out],
        "left_out_counts": [
            {"folder": folder, "reason": reason, "count": count}
            for folder, reason, count in bundle.left_out_counts
        ],
        "redacted": dict(bundle.secrets),
        "hints": list(bundle.hints),
        "problems": [problem_to_dict(problem) for problem in bundle.problems],
    }


def to_compact(bundle: Bundle, *, text: bool = True) -> dict[str, Any]:
    """Return the document once, its numbers, and as many items as keep the JSON short.

    Items come best first. `items_more` counts those that did not fit; `left_out` counts by reason.
    Without `text` the document is left out, and all else is the same.
    """
    made: dict[str, Any] = {"schema": 1, "tokens": bundle.tokens, "budget": bundle.budget}
    room = int(COMPACT * len(bundle.text)) - _measure({**made, "text": bundle.text})
    if text:
        made["text"] = bundle.text
    room = _add(made, "problems", _list_problems(bundle), room)
    room = _add(made, "redacted", dict(bundle.secrets), room)
    room = _add(made, "left_out", bundle.count_reasons(), room)
    rows: list[dict[str, Any]] = []
    room -= len(', "items": [], "items_more": 9999')
    for item in bundle.items:
        row = {"pointer": item.pointer, "level": str(item.level), "tokens": item.tokens}
        room -= _measure(row) + 2
        if room < 0:
            break
        rows.append(row)
    if rows:
        made["items"] = rows
    if rows and len(rows) < len(bundle.items):
        made["items_more"] = len(bundle.items) - len(rows)
    return made


def _list_problems(bundle: Bundle) -> list[str]:
    return [visible(redact_secrets(str(problem)))[:_LONGEST_ERROR] for problem in bundle.problems]


def _add(made: dict[str, Any], key: str, value: Any, room: int) -> int:
    """Add a value that is not empty if there is room; return the room that is left."""
    cost = _measure({key: value})
    if not value or cost > room:
        return room
    made[key] = value
    return room - cost


def _measure(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False))


def _to_item(item: BundleItem) -> dict[str, Any]:
    return {
        "pointer": item.pointer,
        "path": visible_path(item.path),
        "title": item.title,
        "kind": item.kind,
        "provider": item.provider,
        "level": str(item.level),
        "tokens": item.tokens,
        "salience": item.salience,
        "scores": {name: item.scores[name] for name in sorted(item.scores)},
        "trusted": item.trusted,
        "text": item.text,
        **({"reason": item.reason} if item.reason else {}),
    }


def _to_omission(item: LeftOut) -> dict[str, Any]:
    return {
        "pointer": item.pointer,
        "path": visible_path(item.path),
        "reason": item.reason,
        "tokens": item.tokens,
        "salience": item.salience,
    }


def problem_to_dict(problem: Problem) -> dict[str, str]:
    """Return a problem as JSON, redacted, because its text may quote a secret."""
    return {
        "plugin": visible(redact_secrets(problem.plugin)),
        "distribution": problem.distribution,
        "stage": problem.stage,
        "error": visible(redact_secrets(problem.error)),
    }
