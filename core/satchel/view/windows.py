"""Render a window's anatomy as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from satchel.escaping import visible

if TYPE_CHECKING:
    from satchel.showing.advice import Advice
    from satchel.showing.anatomy import Anatomy
    from satchel.showing.costs import ModelMemory, Price


def window_json(
    anatomy: Anatomy, advice: Sequence[Advice], price: Price | None, memory: ModelMemory | None = None
) -> dict[str, Any]:
    """Return what `satchel show --format json` prints."""
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
        "ages": [{"turns": age.turns, "tokens": age.tokens} for age in anatomy.ages],
        "repeats": [
            {"path": visible(repeat.path), "times": repeat.times, "tokens": repeat.tokens}
            for repeat in anatomy.repeats
        ],
        "price": None
        if price is None
        else {
            "window_usd": round(price.of_window(anatomy.total), 6),
            "cached_usd": round(price.of_window(anatomy.total, cached=True), 6),
            "date": price.date,
        },
        "memory": None
        if memory is None
        else {
            "model": visible(memory.model),
            "total_bytes": memory.total_bytes,
            "weights_bytes": memory.weights_bytes,
            "compute_bytes": memory.compute_bytes,
            "cache_bytes": memory.cache_bytes,
            "cache_bytes_per_token": memory.bytes_per_token,
            "free_bytes": memory.free_bytes,
            "context": memory.context,
            "limited_by": memory.limited_by,
        },
        "advice": [
            {"what": visible(one.what), "command": visible(one.command), "saves": one.saves} for one in advice
        ],
    }
