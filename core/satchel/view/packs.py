"""Render packs as text and JSON, and the anatomy of a window as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from satchel.escaping import visible
from satchel.packing.reasons import LeftOutCounts
from satchel.paths import safe_text
from satchel.selecting import NO_ROOM, NOT_CHOSEN
from satchel.spelling import format_count
from satchel.view.tables import bar, clip_path, table

if TYPE_CHECKING:
    from satchel.packing.bundle import Bundle, BundleItem
    from satchel.packing.explaining import Explanation
    from satchel.showing.advice import Advice
    from satchel.showing.anatomy import Anatomy
    from satchel.showing.costs import ModelMemory, Price


_FREE = 0.05
"""Least share of the budget that is mentioned if it stays free,"""
_FREE_LEAST = 50
"""and the least tokens: fewer hardly hold an address line."""
_IN_WORDS = (
    (("full",), "whole"),
    (("excerpt", "diff"), "in part"),
    (("symbols", "headers"), "as outlines"),
    (("pointer",), "by name"),
)


def summary(bundle: Bundle, *, max_chars: int | None = None) -> str:
    """Return the one-line summary of a pack for stderr; `max_chars` is its limit in characters, if any."""
    counts = bundle.left_out_counts
    more = counts.number if isinstance(counts, LeftOutCounts) else sum(count for _, _, count in counts)
    left = len(bundle.left_out) + more
    about = "" if bundle.exact else "about "
    free = bundle.budget - bundle.tokens
    room = (
        _describe_room(bundle, free, max_chars)
        if left and free > max(_FREE * bundle.budget, _FREE_LEAST)
        else ""
    )
    problems = f"; problems: {len(bundle.problems)}" if bundle.problems else ""
    return (
        f"{about}{bundle.tokens:,} of {bundle.budget:,} tokens, {_summarize_items(bundle.items)},"
        f" {left:,} left out{room}{problems}"
    )


def _describe_room(bundle: Bundle, free: int, max_chars: int | None) -> str:
    """Return why something was left out though there is room; "" if it simply did not fit."""
    reasons = bundle.count_reasons()
    why = "the packer chose no more" if NOT_CHOSEN in reasons else "the rest matches the task too little"
    if NO_ROOM in reasons:
        if max_chars is None or not bundle.items:
            return ""
        why = f"the limit of {format_count(max_chars, 'character')} is reached"
    return f"; {free:,} tokens are free, but {why}"


def describe_secrets(secrets: Mapping[str, int]) -> str:
    """Return the number of redacted secrets and their kinds, from their counts by kind."""
    kinds = ", ".join(f"{kind} {count}" for kind, count in secrets.items())
    return f"{format_count(sum(secrets.values()), 'secret')} redacted: {kinds}"


def _summarize_items(items: Sequence[BundleItem]) -> str:
    files = [item for item in items if item.kind == "file"]
    levels = Counter(str(item.level) for item in files)
    shown = ((sum(levels[name] for name in names), words) for names, words in _IN_WORDS)
    ways = ", ".join(f"{count:,} {words}" for count, words in shown if count)
    others = len(items) - len(files)
    more = f" and {format_count(others, 'other item')}" if others else ""
    return f"{format_count(len(files), 'file')}{f' ({ways})' if ways else ''}{more}"


def explain(bundle: Bundle, width: int = 0) -> str:
    """Return a table of the items, best first: level, tokens, a bar of tokens, the highest scores.

    The reason of each item, if any, is below it. Lines are at most `width` columns, any number with 0.
    """
    if not bundle.items:
        return "the pack is empty"
    most = max(1, *(item.tokens for item in bundle.items))
    rows = [("item", "level", "tokens", "", "salience", "scores")]
    rows += [
        (
            clip_path(safe_text(item.path) or item.title, max(16, min(48, (width or 160) - 62))),
            str(item.level),
            f"{item.tokens:,}",
            bar(item.tokens / most),
            f"{item.salience:.2f}",
            _top(item.scores),
        )
        for item in bundle.items
    ]
    header, *lines = table(rows, right=(2, 4)).split("\n")
    reasons = [_indent(item.reason, width or 110) for item in bundle.items]
    told = [text for line, reason in zip(lines, reasons, strict=True) for text in (line, *reason)]
    return "\n".join(line[: width or None].rstrip() for line in (header, *told))


def _indent(text: str, width: int) -> list[str]:
    """Return a sentence as indented lines."""
    import textwrap

    return textwrap.wrap(text, max(20, width), initial_indent="    ", subsequent_indent="    ")


def _top(scores: dict[str, float]) -> str:
    best = sorted(scores.items(), key=lambda score: (-score[1], score[0]))[:3]
    return " ".join(f"{name} {value:.2f}" for name, value in best if value > 0)


def explanation_as_json(explanation: Explanation) -> dict[str, Any]:
    """Return the output of `satchel why --format json`; `why.schema.json` describes it."""
    return {
        "schema": 1,
        "pointer": explanation.pointer,
        "kept": explanation.kept,
        "level": str(explanation.level),
        "tokens": explanation.tokens,
        "rank": explanation.rank,
        "reason": explanation.reason,
        "words": explanation.words,
        "scores": [
            {"scorer": scorer, "distribution": distribution, "weight": weight, "score": score}
            for scorer, distribution, weight, score in explanation.scores
        ],
        "parts": [
            {"name": name, "lines": list(lines), "salience": salience, "share": share, "shown": shown}
            for name, lines, salience, share, shown in explanation.parts
        ],
        "failures": [{"scorer": scorer, "error": error} for scorer, error in explanation.failures],
    }


def as_text(explanation: Explanation, width: int = 0) -> str:
    """Return the explanation as text: words, in lines of `width` columns, then the numbers."""
    verdict = f"{explanation.pointer}: {_verdict(explanation)}"
    said = _indent(f"{explanation.words} It is {_rule(explanation)}.".strip(), width or 110)
    blocks = ["\n".join((verdict, *said)), _scores(explanation)]
    return "\n\n".join(filter(None, (*blocks, _parts(explanation)))) + "\n"


def _rule(explanation: Explanation) -> str:
    """Return the rule that decided, worded to follow `It is`."""
    reason = explanation.reason
    if reason.startswith("only named"):
        return reason
    if explanation.kept:
        return f"there because {reason}"
    if reason.startswith(NO_ROOM):
        return f"left out, since it {reason}"
    return f"left out: {reason}"


def _verdict(explanation: Explanation) -> str:
    rank = f", rank {explanation.rank:,}" if explanation.rank else ""
    if not explanation.kept:
        return f"left out{rank}"
    return f"kept as {explanation.level}, {explanation.tokens:,} tokens{rank}"


def _scores(explanation: Explanation) -> str:
    if not explanation.scores:
        return ""
    rows = [("scorer", "from", "weight", "score", "")]
    failed = dict(explanation.failures)
    rows += [
        (scorer, distribution, f"{weight:g}", "failed" if scorer in failed else f"{score:.2f}", bar(score))
        for scorer, distribution, weight, score in explanation.scores
    ]
    told = [f"{scorer} failed: {error}" for scorer, error in failed.items()]
    return "\n".join([table(rows, right=(2, 3)).rstrip("\n"), *told])


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


def window_json(
    anatomy: Anatomy, advice: Sequence[Advice], price: Price | None, memory: ModelMemory | None = None
) -> dict[str, Any]:
    """Return the output of `satchel show --format json`."""
    return {
        "schema": 1,
        "source": anatomy.source,
        "model": anatomy.model,
        "window": anatomy.window,
        "tokens": anatomy.total,
        "sections": dict(anatomy.sections),
        "pieces": [
            {
                "section": piece.section,
                "what": visible(piece.what),
                "tokens": piece.tokens,
                "message": piece.message,
                "path": visible(piece.path),
                "level": piece.level,
            }
            for piece in anatomy.pieces
        ],
        "turns": [
            {
                "message": turn.message,
                "tokens": turn.tokens,
                "cached": turn.cached,
                "compacted": turn.compacted,
                "counted": turn.is_counted,
            }
            for turn in anatomy.turns
        ],
        "ages": [age._asdict() for age in anatomy.ages],
        "repeats": [{**repeat._asdict(), "path": visible(repeat.path)} for repeat in anatomy.repeats],
        "price": None
        if price is None
        else {
            "window_usd": round(price.of_window(anatomy.total), 6),
            "cached_usd": round(price.of_window(anatomy.total, cached=True), 6),
            "date": price.date,
        },
        "memory": None
        if memory is None
        else {**memory._asdict(), "model": visible(memory.model), "free_bytes": memory.free_bytes},
        "advice": [
            {"what": visible(one.what), "command": visible(one.command), "saves": one.saves} for one in advice
        ],
    }
