"""Why something is in a pack or not: as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from satchel.view.tables import bar, table

if TYPE_CHECKING:
    from satchel.asking.explaining import Explanation


def as_json(explanation: Explanation) -> dict[str, Any]:
    """Return what `satchel why --format json` prints; `why.schema.json` describes it."""
    return {
        "schema": 1,
        "pointer": explanation.pointer,
        "kept": explanation.kept,
        "level": str(explanation.level),
        "tokens": explanation.tokens,
        "rank": explanation.rank,
        "reason": explanation.reason,
        "scores": [
            {"scorer": scorer, "distribution": distribution, "weight": weight, "score": score}
            for scorer, distribution, weight, score in explanation.scores
        ],
        "parts": [
            {"name": name, "lines": list(lines), "salience": salience, "share": share, "shown": shown}
            for name, lines, salience, share, shown in explanation.parts
        ],
    }


def as_text(explanation: Explanation) -> str:
    """Return the explanation for a person."""
    blocks = [f"{explanation.pointer}: {_verdict(explanation)}\n  {explanation.reason}", _scores(explanation)]
    return "\n\n".join(filter(None, (*blocks, _parts(explanation)))) + "\n"


def _verdict(explanation: Explanation) -> str:
    rank = f", rank {explanation.rank:,}" if explanation.rank else ""
    if not explanation.kept:
        return f"left out{rank}"
    return f"kept as {explanation.level}, {explanation.tokens:,} tokens{rank}"


def _scores(explanation: Explanation) -> str:
    if not explanation.scores:
        return ""
    rows = [("scorer", "from", "weight", "score", "")]
    rows += [
        (scorer, distribution, f"{weight:g}", f"{score:.2f}", bar(score))
        for scorer, distribution, weight, score in explanation.scores
    ]
    return table(rows, right=(2, 3))


def _parts(explanation: Explanation) -> str:
    if not explanation.parts:
        return ""
    rows = [("lines", "part", "salience", "", "share", "shown")]
    rows += [
        (
            f"{lines[0]}-{lines[1]}",
            name or "-",
            f"{salience:.2f}",
            bar(salience),
            f"{share:.1%}" if share else "-",
            shown or "no",
        )
        for name, lines, salience, share, shown in explanation.parts
    ]
    return table(rows, right=(0, 2, 4))
