"""Find the representer of each item and split it, from the index where that was done before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, cast

import attrs

from satchel.errors import Problem, WorkspaceError
from satchel.host import Kind, Loaded
from satchel.host.answers import checked_parts
from satchel.host.calling import Call
from satchel.items import ContextItem
from satchel.parts import Part, Split, Stretches
from satchel.representing import finish_all, from_row, to_row
from satchel.runs import Run
from satchel.weighing import stretches
from satchel.workspace.index import content_hash

if TYPE_CHECKING:
    from satchel.interfaces import Representer

_FALLBACK = "generic"
_MOST_PARTS = 200_000
_FORM = 8
"""Changes whenever the same content would give other stored parts: counting, marks, redaction."""
_STRETCHES = "|stretches"
_BATCH = 64


class Claim(NamedTuple):
    """A representer and how well it knows an item."""

    loaded: Loaded
    representer: Representer

    @property
    def key(self) -> str:
        """Name splits by it in the index."""
        return f"{self.loaded.full_name} {self.loaded.version} {self.representer.version}"


def split_all(run: Run, items: Sequence[ContextItem]) -> dict[str, Split]:
    """Return the split of each item by id; what can't be read is left out and stands in the problems.

    Parts of the same content are taken from the index; only what is new is read and split.
    """
    claims = claims_of(run, [item for item in items if not item.note])
    splits: dict[str, Split] = {}
    fresh: list[tuple[ContextItem, Claim]] = []
    for item in items:
        if item.id not in claims:
            continue
        stored = _stored(run, item, claims[item.id])
        if stored is None:
            fresh.append((item, claims[item.id]))
        else:
            splits[item.id] = stored
    if fresh:
        run.counter.expect(sum(_size(run, item) for item, _ in fresh))
    for start in range(0, len(fresh), _BATCH):
        splits.update(_split(run, fresh[start : start + _BATCH]))
    for id_, split in splits.items():
        run.workspace.learn(id_, split)
    return splits


def _size(run: Run, item: ContextItem) -> int:
    """Return about how many characters an item has."""
    if item.text is not None:
        return len(item.text)
    document = run.workspace.document(item.path)
    return 0 if document is None else document.size


def split_new(run: Run, items: Sequence[ContextItem], names: Mapping[str, str]) -> dict[str, Split]:
    """Split items that are known not to be in the index, each by the representer of that full name."""
    known = {claim.loaded.full_name: claim for claim in _representers(run, items)}
    fresh = [(item, known[names[item.id]]) for item in items if names[item.id] in known]
    splits = split_all(run, [item for item in items if names[item.id] not in known])
    for start in range(0, len(fresh), _BATCH):
        splits.update(_split(run, fresh[start : start + _BATCH]))
    return splits


def unsplit(run: Run, items: Sequence[ContextItem], claims: Mapping[str, Claim]) -> list[ContextItem]:
    """Return the claimed items whose parts the index does not have, each content once a representer."""
    keys = {claim.loaded.full_name: _key(run, claim) for claim in claims.values()}
    known = set(run.workspace.index.store.rows("SELECT content, key FROM parts"))
    fresh: dict[tuple[object, ...], ContextItem] = {}
    for item in items:
        if item.id in claims:
            fresh.setdefault((item.content, keys[claims[item.id].loaded.full_name]), item)
    return [item for place, item in fresh.items() if place not in known]


def claims_of(run: Run, items: Sequence[ContextItem]) -> Mapping[str, Claim]:
    """Return the representer with the highest claim for each item, ties by name."""
    best: dict[str, tuple[float, Claim]] = {}
    representers = _representers(run, items)
    asked = tuple(items)
    calls = [
        Call(
            one.loaded,
            partial(_claims_of, one.representer),
            (asked,),
            "split",
            lend=not one.loaded.builtin,
            here=one.loaded.builtin,
        )
        for one in representers
    ]
    for one, answer in zip(representers, run.host.calls.call_all(calls), strict=True):
        if isinstance(answer, Problem):
            continue
        for item, claim in zip(items, answer, strict=True):
            if claim > best.get(item.id, (0.0, one))[0]:
                best[item.id] = (claim, one)
    return {id_: one for id_, (_, one) in best.items()}


def _representers(run: Run, items: Sequence[ContextItem]) -> list[Claim]:
    """Return the representers of what kinds of items there are."""
    return [Claim(loaded, made) for loaded, made in run.all(Kind.REPRESENTER, {item.kind for item in items})]


def _claims_of(representer: Representer, items: Sequence[ContextItem]) -> list[float]:
    claims = [float(representer.claims(item)) for item in items]
    return [claim if 0 <= claim <= 1 else 0.0 for claim in claims]


def _key(run: Run, claim: Claim) -> str:
    return f"{claim.key}|{run.counter.key}|{_FORM}"


def _stored(run: Run, item: ContextItem, claim: Claim) -> Split | None:
    if not item.content:
        return None
    place = (item.content, _key(run, claim))
    known = run.workspace.learned(item.id)
    if known is not None and known.stored == place:
        return known
    query = "SELECT parts, terms FROM parts WHERE content = ? AND key = ?"
    rows = run.workspace.index.store.rows(query, place)
    if not rows:
        return None
    parts, terms = cast("tuple[str, bytes]", rows[0])
    return attrs.evolve(from_row(item, parts, terms), stored=place)


def stretches_of(run: Run, split: Split) -> Stretches:
    """Return the stretches of an item's long parts, from the index where they stand there."""
    if split.stretches is not None:
        return split.stretches
    return run.workspace.of_split(split, "stretches", partial(_read_stretches, run))


def _read_stretches(run: Run, split: Split) -> Stretches:
    content, key = split.stored
    query = "SELECT parts, terms FROM parts WHERE content = ? AND key = ?"
    rows = run.workspace.index.store.rows(query, (content, key + _STRETCHES))
    return stretches.from_row(str(rows[0][0]), str(rows[0][1])) if rows else Stretches((), ())


def _split(run: Run, fresh: Sequence[tuple[ContextItem, Claim]]) -> dict[str, Split]:
    loaded = [(loaded, claim) for item, claim in fresh if (loaded := _with_text(run, item)) is not None]
    calls = [
        Call(
            claim.loaded,
            claim.representer.split,
            (item,),
            "split",
            _MOST_PARTS,
            partial(checked_parts, text=item.text or ""),
            lend=not claim.loaded.builtin,
        )
        for item, claim in loaded
    ]
    answers = run.host.calls.call_all(calls)
    found = [
        (item, _plain(run, item) if isinstance(answer, Problem) else answer)
        for (item, _), answer in zip(loaded, answers, strict=True)
    ]
    splits: dict[str, Split] = {}
    rows = []
    finished = finish_all(found, run.counter)
    for (item, claim), answer, split in zip(loaded, answers, finished, strict=True):
        splits[item.id] = split
        if not isinstance(answer, Problem):
            rows += _rows(item.content, _key(run, claim), split)
    insert = "INSERT OR REPLACE INTO parts VALUES (?, ?, ?, ?)"
    run.workspace.index.store.remember(lambda connection: connection.executemany(insert, rows))
    return splits


def _rows(content: str, key: str, split: Split) -> list[tuple[str | bytes, ...]]:
    """Return what the index keeps of a split: the parts, and beside them their stretches if there are any."""
    rows: list[tuple[str | bytes, ...]] = [(content, key, *to_row(split))]
    if split.stretches is not None and split.stretches.rows:
        rows.append((content, key + _STRETCHES, *stretches.to_row(split.stretches)))
    return rows


def _with_text(run: Run, item: ContextItem) -> ContextItem | None:
    """Return the item with its text and the hash of it, None where the file can't be read any more."""
    text = item.text
    if text is None:
        try:
            text = run.workspace.read_ahead(item.path)
        except WorkspaceError as error:
            run.workspace.problems.append(Problem(item.path, "read", str(error)))
            return None
    content = item.content or content_hash(text.encode("utf-8", "replace"))
    return attrs.evolve(item, text=text, content=content)


def _plain(run: Run, item: ContextItem) -> Sequence[Part]:
    """Split an item whose own representer failed."""
    loaded = run.host.find(Kind.REPRESENTER, _FALLBACK)
    answer = run.host.calls.call(loaded, run.make(loaded).split, item, stage="split")
    return () if isinstance(answer, Problem) else answer
