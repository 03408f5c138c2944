"""Count the parts of an item as a document's form shows them: escaped, or with line numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import accumulate

import attrs

from satchel.errors import WorkspaceError
from satchel.items import ContextItem
from satchel.packing.rendering import DocumentForm
from satchel.packing.representing import finish, stretches_of
from satchel.parts import NO_LINES, Lines, Part, SplitItem, Stretches, lines_of
from satchel.runs import WorkspaceRun

_VERSION = 1
"""Change it whenever the same lines would be shown in another way."""


def recount(run: WorkspaceRun, item: ContextItem, split: SplitItem, form: DocumentForm) -> SplitItem:
    """Return a split with the counts of what a form shows; a text that it shows as it is keeps its own."""
    is_numbered = form.numbers(item)
    if not is_numbered and (split.plain or not form.first_mark):
        return split
    try:
        if is_numbered:
            return _count_numbered(run, item, split, form)
        shown = attrs.evolve(item, text=form.escape(run.text(item)))
    except WorkspaceError as error:  # it vanished: rendering would fail too, and the pack is repeated
        run.workspace.forget(item.path, str(error))
        return split
    return attrs.evolve(finish(shown, split.parts, run.counter), terms=split.terms, lengths=split.lengths)


def _count_numbered(run: WorkspaceRun, item: ContextItem, split: SplitItem, form: DocumentForm) -> SplitItem:
    """Add up the counts of numbered lines: each begins with a digit, so no token reaches across."""
    sums = [*accumulate(_count_lines(run, item, form), initial=0)]
    mark = run.counter.count([form.mark(item, split, 2)])[0]

    def count(lines: Lines) -> int:
        return sums[lines[1]] - sums[lines[0] - 1]

    def above(lines: Lines) -> int:
        return mark if lines[0] > 1 else 0

    def count_part(part: Part) -> Part:
        tokens, head = count(part.lines), part.head
        return part._replace(
            tokens=tokens,
            joined_tokens=tokens,
            head_tokens=0 if head == NO_LINES else count(head) + above(head),
            mark_tokens=above(part.lines),
        )

    stretches = stretches_of(run, split)
    rows = tuple(
        row._replace(tokens=count(row.lines), joined_tokens=count(row.lines), mark_tokens=above(row.lines))
        for row in stretches.rows
    )
    return attrs.evolve(
        split,
        parts=tuple(map(count_part, split.parts)),
        stretches=Stretches(rows, stretches.terms),
        stored=("", ""),
    )


def _count_lines(run: WorkspaceRun, item: ContextItem, form: DocumentForm) -> Sequence[int]:
    """Return the tokens of each numbered line, from the index where they are stored."""
    place = item.content, f"{form.name} {_VERSION}|{run.counter.key}"
    store = run.workspace.index.store
    rows = store.rows("SELECT parts FROM parts WHERE content = ? AND key = ?", place) if item.content else []
    if rows:
        stored: list[int] = json.loads(str(rows[0][0]))
        return stored
    lines = lines_of(run.text(item))
    counts = run.counter.fresh([form.show(item, lines, at, at) for at in range(1, len(lines) + 1)])
    if item.content:
        row = (*place, json.dumps(counts, separators=(",", ":")), b"")
        insert = "INSERT OR REPLACE INTO parts VALUES (?, ?, ?, ?)"
        store.remember(lambda connection: connection.execute(insert, row))
    return counts
