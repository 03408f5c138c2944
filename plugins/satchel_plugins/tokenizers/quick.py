"""Exact counts without toktok's table, which loads for half a second: for what one question brings."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Sequence
from pathlib import Path

from satchel_plugins.tokenizers.cutting import well_formed
from satchel_plugins.tokenizers.merging import PATTERNS, Letters, PieceCounts, Rank, TooMuchError, sort
from satchel_plugins.tokenizers.ranks import Ranks, ranks_of

MOST_CHARACTERS = 2_000_000
"""That are counted here in all; what is more, toktok counts sooner, its table and all."""


class QuickCounter:
    """Counts of one vocabulary, remembered by piece."""

    def __init__(self, encoding: str, ranks: Ranks, folder: Path) -> None:
        self._pattern_of = PATTERNS[encoding]
        self._counts = PieceCounts(ranks.rank, lambda: _others(encoding, folder))
        self._plain = self._pattern_of(Letters())
        self._known: frozenset[str] = frozenset()
        self._pattern = self._plain
        self._seen = 0

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the tokens of each text; raise TooMuchError where toktok should be asked."""
        self._seen += sum(map(len, texts))
        if self._seen > MOST_CHARACTERS:
            raise TooMuchError
        count, find = self._counts.__getitem__, self._plain.findall
        counts = [sum(map(count, find(text))) if text.isascii() else -1 for text in texts]
        others = {at: _with_no_half(texts[at]) for at, found in enumerate(counts) if found < 0}
        self._learn(frozenset("".join(others.values())))
        for at, text in others.items():
            counts[at] = sum(map(count, self._pattern.findall(text)))
        return counts

    def _learn(self, characters: frozenset[str]) -> None:
        strange = {one for one in characters - self._known if not one.isascii()}
        if strange:
            known = self._known | strange
            self._pattern = self._pattern_of(sort(known))
            self._known = known


def quick_counter(encoding: str, folder: Path) -> QuickCounter | None:
    """Return a counter where the folder has the vocabulary's ranks: one for all of a process."""
    counter = _counter(encoding, folder)
    if counter is None:
        _counter.cache_clear()  # the ranks may be kept later
    return counter


@functools.cache
def _counter(encoding: str, folder: Path) -> QuickCounter | None:
    ranks = ranks_of(encoding, plain=True, folder=folder)
    return QuickCounter(encoding, ranks, folder) if ranks is not None else None


def _others(encoding: str, folder: Path) -> Rank:
    ranks = ranks_of(encoding, plain=False, folder=folder)
    if ranks is None:
        raise TooMuchError
    return ranks.rank


def _with_no_half(text: str) -> str:
    """Return a text as `well_formed` does where it holds a half of a surrogate pair."""
    with contextlib.suppress(UnicodeEncodeError):
        text.encode()
        return text
    return well_formed(text)
