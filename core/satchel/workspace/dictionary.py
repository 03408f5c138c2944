"""The terms of an index, each with the numbered words that have it: many come in blocks, few in rows.

A tree that is read for the first time has some 60,000 terms: a row for each costs as much time as
finding them. Sorted, 64 of them share a row of a segment, and a term is looked up by the first of a row.
What a few changed files bring along is added to rows of single terms.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator, Mapping
from itertools import accumulate

from satchel.workspace.store import Store

TABLES = ("terms", "blocks", "segments")
_TERMS_A_BLOCK = 64
_FEW = 5_000
"""Terms that are written each by itself: segments are few, and each is looked into for every term."""
_ADD = (
    "INSERT INTO terms VALUES (?, ?) ON CONFLICT(term) DO UPDATE"
    " SET words = CAST(words || excluded.words AS BLOB)"
)
_FIND = """
SELECT terms, ends, words FROM segments CROSS JOIN blocks ON segment = segments.id
    AND first = (SELECT max(first) FROM blocks WHERE segment = segments.id AND first <= ?1)
UNION ALL SELECT term, NULL, words FROM terms WHERE term = ?1
"""


def write_terms(connection: sqlite3.Connection, pointed: Mapping[str, array[int]]) -> None:
    """Add to terms the words that have them."""
    terms = sorted(pointed)
    if len(terms) <= _FEW:
        connection.executemany(_ADD, ((term, pointed[term].tobytes()) for term in terms))
        return
    segment = connection.execute("INSERT INTO segments DEFAULT VALUES").lastrowid
    blocks = (terms[start : start + _TERMS_A_BLOCK] for start in range(0, len(terms), _TERMS_A_BLOCK))
    connection.executemany(
        "INSERT INTO blocks VALUES (?, ?, ?, ?, ?)",
        (
            (segment, block[0], "\n".join(block), *packed([pointed[term] for term in block]))
            for block in blocks
        ),
    )


def words_with(store: Store, term: str) -> set[int]:
    """Return the numbers of the words that have a term."""
    words: set[int] = set()
    for terms, ends_blob, words_blob in store.rows(_FIND, (term,)):
        if ends_blob is None:
            words.update(numbers(words_blob))
            continue
        block = str(terms).split("\n")
        if term in block:
            at, ends = block.index(term), numbers(ends_blob)
            words.update(numbers(words_blob)[ends[at - 1] if at else 0 : ends[at]])
    return words


def terms_in(store: Store) -> Iterator[str]:
    """Yield every term, those of several segments more than once."""
    for (terms,) in store.rows("SELECT terms FROM blocks UNION ALL SELECT term FROM terms"):
        yield from str(terms).split("\n")


def packed(listed: list[array[int]]) -> tuple[bytes, bytes]:
    """Return where the numbers of each list end, and all of them."""
    return array("I", accumulate(map(len, listed))).tobytes(), b"".join(listed)


def numbers(blob: object) -> array[int]:
    """Return the numbers that `packed` or `tobytes` wrote."""
    found = array("I")
    if isinstance(blob, bytes):
        found.frombytes(blob)
    return found
