"""Count tokens of texts and pieces exactly, cached in the index: a warm run loads no tokenizer."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence

from satchel.patterns import lazily
from satchel.workspace.index.store import IndexStore

_BLANK = lazily(r"[^\S\r\n]*(?:[\r\n]|\Z)")
_ANCHOR = "x\n"
"""A line that ends in a letter, like mark and header lines: counts after it add up exactly."""


class Counter:
    """Counts texts with one tokenizer, which is called only for counts that are not stored.

    Args:
        key: the tokenizer's key; counts are stored under it.
        count: the tokenizer's `count`, called in batches.
        store: where counts are stored.
    """

    def __init__(self, key: str, count: Callable[[Sequence[str]], Sequence[int]], store: IndexStore) -> None:
        self.key = key
        self._count = count
        self._store = store
        self._anchor = 0

    def fresh(self, texts: Sequence[str]) -> list[int]:
        """Count texts without storing the counts."""
        return list(self._count(texts)) if texts else []

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the tokens of each text, from the store if known."""
        hashes = [hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=12).digest() for text in texts]
        known = self._look_up(list(dict.fromkeys(hashes)))
        missing = {hash_: text for hash_, text in zip(hashes, texts, strict=True) if hash_ not in known}
        if missing:
            counted = dict(zip(missing, self.fresh(list(missing.values())), strict=True))
            rows = [(self.key, hash_, tokens) for hash_, tokens in counted.items()]
            insert = "INSERT OR REPLACE INTO counts VALUES (?, ?, ?)"
            self._store.remember(lambda connection: connection.executemany(insert, rows))
            known.update(counted)
        return [known[hash_] for hash_ in hashes]

    def _look_up(self, hashes: Sequence[bytes]) -> dict[bytes, int]:
        known: dict[bytes, int] = {}
        for start in range(0, len(hashes), 900):
            some = hashes[start : start + 900]
            marks = ",".join("?" * len(some))
            query = f"SELECT hash, tokens FROM counts WHERE key = ? AND hash IN ({marks})"  # noqa: S608
            known.update(dict(self._store.rows(query, (self.key, *some))))  # type: ignore[arg-type]
        return known

    def after_mark(self, pieces: Sequence[str]) -> list[int]:
        """Count the tokens that each piece adds to a text that ends in a mark or header line.

        A piece that starts with a blank line shares its first token with the line before it; no count is
        negative, whatever the tokenizer says.
        """
        self._anchor = self._anchor or self.fresh([_ANCHOR])[0]
        blank = [_starts_blank(piece) for piece in pieces]
        texts = [_ANCHOR + piece if starts else piece for piece, starts in zip(pieces, blank, strict=True)]
        return [
            max(0, tokens - self._anchor) if starts else tokens
            for tokens, starts in zip(self.fresh(texts), blank, strict=True)
        ]

    def count_adjacent(
        self, pieces: Sequence[str], after_mark: Sequence[int], *, starts: Collection[int] = (0,)
    ) -> list[int]:
        """Count the tokens that each piece adds to the one before it; pieces at `starts` have none before.

        Only a piece that starts with a blank line or "/" can share a token with the text before it
        (`docs/explanation/architecture.md`); all others have the count after a mark.
        """
        shared = [
            at
            for at, piece in enumerate(pieces)
            if at not in starts and (piece.startswith("/") or _starts_blank(piece))
        ]
        tails = [_safe_tail(pieces[at - 1]) for at in shared]
        both = [tail + pieces[at] for tail, at in zip(tails, shared, strict=True)]
        counted = self.fresh([*both, *tails])
        counts = list(after_mark)
        for place, at in enumerate(shared):
            counts[at] = max(0, counted[place] - counted[len(both) + place])
        return counts


def _starts_blank(piece: str) -> bool:
    """Return whether the first line is only white space (a lone carriage return ends one for tokenizers)."""
    return (not piece or piece[0].isspace()) and _BLANK.match(piece) is not None


def _safe_tail(piece: str) -> str:
    """Return the end of a piece from the last line start that no token can span."""
    lines = piece.split("\n")
    for at in range(len(lines) - 2, 0, -1):
        if lines[at].strip() and not lines[at].startswith("/") and "\r" not in lines[at][:-1]:
            return "\n".join(lines[at:])
    return piece
