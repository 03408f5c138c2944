"""What a scorer says about the parts of a workspace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import satchel_plugins
from satchel import Host, Part
from satchel.packing import find_item, split_all
from satchel.pointers import Pointer
from satchel.references import make_task
from satchel.runs import open_run


def scores_of(
    scorer: Any, task: str, root: Path, *, pins: Sequence[str] = (), open_files: Sequence[str] = ()
) -> list[tuple[Part, float]]:
    """Score every part of every text of a workspace."""
    run = open_run(root, host=Host.of(satchel_plugins, deadline_seconds=None))
    documents = run.workspace.index.documents
    texts = [path for path, document in documents.items() if document.kind == "text"]
    splits = split_all(run, [find_item(run, Pointer(path), path) for path in texts])
    parts = [part for split in splits.values() for part in split.parts]
    scores = scorer.score(parts, make_task(task, documents, pins=pins, open_files=open_files), run.workspace)
    run.workspace.close()
    return list(zip(parts, scores, strict=True))


def by_path(scored: Sequence[tuple[Part, float]]) -> dict[str, float]:
    """Return the best score of each file."""
    best: dict[str, float] = {}
    for part, score in scored:
        best[part.path] = max(score, best.get(part.path, 0.0))
    return best


def by_name(scored: Sequence[tuple[Part, float]]) -> dict[str, float]:
    """Return the score of each name: of the part that has it, or that holds the definition."""
    return {
        name: score
        for part, score in scored
        for name in (part.name, *(symbol.name for symbol in part.symbols))
        if name
    }
