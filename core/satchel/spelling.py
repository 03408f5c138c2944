"""Find the known name nearest to an unknown one."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str], *, cutoff: float = 0.5) -> str:
    """Return the known name most similar to `name`, "" if none has a similarity of `cutoff` (0..1)."""
    import difflib

    close = difflib.get_close_matches(name, list(known), n=1, cutoff=cutoff)
    return close[0] if close else ""
