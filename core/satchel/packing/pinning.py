"""Resolve pins: the lines that define a symbol, the files of a numbered change."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

import attrs

from satchel.errors import PointerError
from satchel.items import ContextItem, Reference, Task
from satchel.packing.representing import split_all
from satchel.references.mentions import IDENTIFIER, normalize_name
from satchel.references.tasks import find_commits, resolve_symbol
from satchel.runs import WorkspaceRun
from satchel.workspace.index.documents import BODY, NAME
from satchel.workspace.index.terms import split_words

_MOST_FILES = 60
"""Most files that are split in search of a definition: those with the most occurrences of its name."""


def resolve_pins(run: WorkspaceRun, task: Task) -> Task:
    """Return the task with symbol and number pins resolved to paths.

    Raises:
        PointerError: nothing defines the symbol, or no commit mentions the number.
    """
    if all(pin.path and pin.kind != "symbol" for pin in task.pins):
        return task
    return attrs.evolve(task, pins=tuple(chain.from_iterable(_resolve_pin(run, pin) for pin in task.pins)))


def _resolve_pin(run: WorkspaceRun, pin: Reference) -> Sequence[Reference]:
    if pin.kind == "symbol":
        items = [_make_item(run, path) for path in ([pin.path] if pin.path else _find_files(run, pin.name))]
        splits = split_all(run, items)
        return resolve_symbol(pin, {item.path: splits[item.id].parts for item in items if item.id in splits})
    if pin.kind == "number":
        touched = chain.from_iterable(
            commit.paths for commit in find_commits(run.workspace.history.commits(), pin.name)
        )
        paths = [path for path in dict.fromkeys(touched) if run.workspace.files.document(path) is not None]
        if not paths:
            raise PointerError(pin.text, "no commit that mentions it touched a file that is still there")
        return [Reference(pin.text, "path", path) for path in paths]
    return [pin]


def find_definitions(run: WorkspaceRun, written: str) -> tuple[Reference, ...]:
    """Return the lines that define a name: `Class.method`, `path::name`, `module:Class.method`.

    A place before a colon may be a path, a module or a package (a folder), or the end of one.

    Raises:
        PointerError: nothing in the workspace defines it.
    """
    place, name = _split_name(written)
    if IDENTIFIER.fullmatch(name) is None:
        raise PointerError(written, "no such file in the workspace")
    found = _resolve_pin(run, Reference(written, "symbol", name=normalize_name(name.removesuffix("()"))))
    wanted = [one for one in re.split(r"[/.]|::", place) if one]
    fitting = [one for one in found if _lies_at(one.path, wanted)]
    if not fitting:
        paths = ", ".join(dict.fromkeys(one.path for one in found))
        raise PointerError(written, f"{place} does not define it; it is in {paths}")
    return tuple(fitting)


def _split_name(written: str) -> tuple[str, str]:
    """Return the place and the name of a definition as it is written; "" for any place."""
    if "::" in written:
        pieces = written.split("::")
        cut = next((at for at, piece in enumerate(pieces) if "." not in piece and "/" not in piece), 1)
        cut = cut or (1 if "/" in pieces[0] or "." in pieces[0] else 0)
        return "::".join(pieces[:cut]), ".".join(pieces[cut:])
    place, _, name = written.rpartition(":")
    return place, name


def _lies_at(path: str, wanted: Sequence[str]) -> bool:
    """Tell whether a path, with or without its suffix, or its folder ends in the names of a place."""
    whole, folder = path.replace(".", "/").split("/"), path.split("/")[:-1]
    return not wanted or any(own[-len(wanted) :] == list(wanted) for own in (whole, whole[:-1], folder))


def _find_files(run: WorkspaceRun, name: str) -> list[str]:
    """Return the files that may define a name, likeliest first."""
    (terms,) = split_words([name.rpartition(".")[2]])
    term = terms[-1]
    counts = {id_: (1, count) for id_, count in run.workspace.index.postings(term, NAME).items()}
    for id_, count in run.workspace.index.postings(term, BODY).items():
        counts[id_] = (counts.get(id_, (0, 0))[0], count)
    documents = run.workspace.index.numbered.by_id
    found = sorted(
        (id_ for id_ in counts if id_ in documents), key=lambda id_: (counts[id_], documents[id_].path)
    )
    return [documents[id_].path for id_ in reversed(found)][:_MOST_FILES]


def _make_item(run: WorkspaceRun, path: str) -> ContextItem:
    document = run.workspace.files.document(path)
    content = document.content if document is not None else ""
    note = "" if document is not None and document.kind == "text" else "no text"
    return ContextItem(f"file:{path}", "files", "file", title=path, path=path, content=content, note=note)
