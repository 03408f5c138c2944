"""The files of a workspace in the order that a provider puts them in, made into items when somebody looks.

Of 28,000 files some hundred are looked at: making, checking and joining the others takes most of a pack.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from heapq import merge
from itertools import chain, islice
from typing import TYPE_CHECKING, overload

from satchel.items import ContextItem

if TYPE_CHECKING:
    from satchel.workspace.index.documents import Document

LEAST_EVIDENCE = 0.001
"""What every file has, so that files of which nothing is known stand by what they are."""
_ID = "file:"
_MOST_KEPT = 1_000
"""Items that are kept once they are made: a pack goes through the first ones twice."""

Rank = tuple[float, str]
"""What files are sorted by: evidence times share, negative, and the path."""


class _Made(Sequence[ContextItem]):
    """Items that are made when somebody goes through them."""

    @overload
    def __getitem__(self, at: int) -> ContextItem: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[ContextItem]: ...
    def __getitem__(self, at: int | slice) -> ContextItem | Sequence[ContextItem]:
        """Return an item, or some of them: the first ones are at hand."""
        if (
            isinstance(at, slice)
            and not at.start
            and at.step is None
            and at.stop is not None
            and at.stop >= 0
        ):
            return tuple(islice(self, at.stop))
        return tuple(self)[at]


class Roster:
    """All files of a workspace by what they are, in the order in which they stand for want of evidence.

    Args:
        groups: the name of a group for each path of the workspace's documents.
        shares: what evidence counts in each group, 0..1; it is the relevance of its files too.

    Raises:
        ValueError: a group has no share, or a share is not between 0 and 1.
    """

    def __init__(self, groups: Mapping[str, str], shares: Mapping[str, float]) -> None:
        unknown = set(groups.values()) - shares.keys()
        if unknown or not all(0 <= share <= 1 for share in shares.values()):
            raise ValueError(f"each group needs a share between 0 and 1: {sorted(unknown) or dict(shares)}")
        self.groups = groups
        self.shares = dict(shares)
        self._base = {group: -LEAST_EVIDENCE * share for group, share in shares.items()}

    def rank(self, path: str) -> Rank:
        """Return where a file stands of which nothing is known."""
        return self._base[self.groups[path]], path

    @cached_property
    def order(self) -> Sequence[Rank]:
        """The ranks of all files, best first."""
        base = self._base
        return sorted((base[group], path) for path, group in self.groups.items())


class RankedFiles(_Made):
    """All files of a workspace, those with the most evidence first.

    Args:
        provider: the name of who offers them.
        roster: all files by what they are; it can be kept as long as no file comes or goes.
        documents: what the index knows of each of them.
        evidence: by path; files that are not listed are passed over.
        whole: paths whose evidence counts whole, whatever the file is.
        beside: items that are none of these files, and stand after them.

    Raises:
        ValueError: the roster is not that of these documents, or evidence is no finite number.
    """

    def __init__(
        self,
        provider: str,
        roster: Roster,
        documents: Mapping[str, Document],
        *,
        evidence: Mapping[str, float],
        whole: Collection[str] = (),
        beside: Sequence[ContextItem] = (),
    ) -> None:
        if len(roster.groups) != len(documents) or not math.isfinite(sum(evidence.values())):
            raise ValueError("the roster has other files than the index, or evidence is not finite")
        self.provider = provider
        self.beside = tuple(beside)
        self._evidence = evidence
        self._roster = roster
        self._documents = documents
        self._whole = frozenset(whole)
        groups, shares = roster.groups, roster.shares
        self._ranks: dict[str, Rank] = {
            path: (
                -(evidence[path] + LEAST_EVIDENCE) * (1.0 if path in self._whole else shares[groups[path]]),
                path,
            )
            for path in evidence.keys() & groups.keys()
        }
        self._best = sorted(self._ranks.values())
        self._items: dict[str, ContextItem] = {}

    def copied(self, provider: str, documents: Mapping[str, Document]) -> RankedFiles:
        """Return the same made anew of plain values, under the name of who offers them.

        Raises:
            BrokenContractError: something in it is no number, no text or no item.
        """
        from satchel.host.answers import checked_items, plain_numbers, plain_text, plain_texts

        roster, most = self._roster, len(documents)
        named = list(islice(roster.groups.items(), most + 1))
        groups = {plain_text(path, "a path"): plain_text(group, "a group") for path, group in named}
        if groups.keys() != documents.keys():
            raise ValueError("the roster has other files than the index")
        return RankedFiles(
            provider,
            Roster(groups, plain_numbers(roster.shares, "shares", most=1.0)),
            documents,
            evidence=plain_numbers(self._evidence, "evidence"),
            whole=plain_texts(self._whole, "whole"),
            beside=checked_items(islice(iter(self.beside), most + 1), copied=True),
        )

    def __len__(self) -> int:
        """Return the number of items."""
        return self.files + len(self.beside)

    @property
    def files(self) -> int:
        """Return the number of files."""
        return len(self._documents)

    def __iter__(self) -> Iterator[ContextItem]:
        """Yield an item for each file, best first, and what stands beside them."""
        return chain(map(self.item, self.paths()), self.beside)

    def paths(self) -> Iterator[str]:
        """Yield the paths, best first."""
        known = self._ranks
        rest = (rank for rank in self._roster.order if rank[1] not in known)
        return (path for _, path in merge(self._best, rest))

    def rank(self, path: str) -> Rank:
        """Return what a file is sorted by."""
        return self._ranks.get(path) or self._roster.rank(path)

    def path_of(self, id_: str) -> str:
        """Return the path of the file with an item's id, "" where it is none of these."""
        path = id_.removeprefix(_ID)
        return path if path in self._documents and id_.startswith(_ID) else ""

    @cached_property
    def noted(self) -> Sequence[str]:
        """The paths of the files that can only be named, best first."""
        noted = [path for path, document in self._documents.items() if document.kind != "text"]
        return sorted(noted, key=self.rank)

    def item(self, path: str) -> ContextItem:
        """Return the item of a file; what can't be shown has a note that says why."""
        known = self._items.get(path) or self._made(path)
        if len(self._items) < _MOST_KEPT:
            self._items[path] = known
        return known

    def _made(self, path: str) -> ContextItem:
        document = self._documents[path]
        note = "" if document.kind == "text" else f"{document.kind}, {document.size} bytes"
        relevance = 1.0 if path in self._whole else self._roster.shares[self._roster.groups[path]]
        return ContextItem(
            id=f"{_ID}{path}",
            provider=self.provider,
            kind="file",
            title=path,
            path=path,
            relevance=relevance,
            content=document.content,
            note=note,
        )


class Offers(_Made):
    """What all providers offer, each thing once: items before and after the ranked files, and those files.

    Args:
        before: items that stand first.
        ranked: files that are made into items when somebody looks.
        after: items that stand last.
        instead: by path, items that stand in the place of a ranked file.
        hidden: paths of ranked files that do not stand among them.
    """

    def __init__(
        self,
        before: Sequence[ContextItem] = (),
        ranked: RankedFiles | None = None,
        after: Sequence[ContextItem] = (),
        *,
        instead: Mapping[str, ContextItem] | None = None,
        hidden: Collection[str] = (),
    ) -> None:
        self.before = tuple(before)
        self.after = tuple(after)
        self._ranked = ranked
        self._instead = dict(instead or {})
        self._hidden = frozenset(hidden)

    def __len__(self) -> int:
        """Return the number of items."""
        ranked = 0 if self._ranked is None else self._ranked.files - len(self._hidden)
        return len(self.before) + ranked + len(self.after)

    def __iter__(self) -> Iterator[ContextItem]:
        """Yield the items, best first."""
        return self.narrowing(lambda: False)

    def narrowing(
        self, is_enough: Callable[[], bool], wanted: Collection[str] = (), *, named: int | None = None
    ) -> Iterator[ContextItem]:
        """Yield the items in their order, from when it is enough on few of the ranked files.

        Those are the files that something else stands for, the `wanted` paths, and of the files that can
        only be named the first `named` others, or all. `is_enough` is asked before each file.
        """
        yield from self.before
        if self._ranked is not None:
            yield from map(self._standing, self._narrowed(self._ranked, is_enough, wanted, named))
        yield from self.after

    def _narrowed(
        self, ranked: RankedFiles, is_enough: Callable[[], bool], wanted: Collection[str], named: int | None
    ) -> Iterator[str]:
        passed = set(self._hidden)
        for path in ranked.paths():
            if is_enough():
                break
            if path not in passed:
                passed.add(path)
                yield path
        else:
            return
        few = {*self._instead, *(path for path in wanted if ranked.path_of(_ID + path))}
        noted = (path for path in ranked.noted if path not in passed and path not in few)
        few.update(list(islice(noted, named)))
        yield from sorted(few - passed, key=ranked.rank)

    def _standing(self, path: str) -> ContextItem:
        ranked = self._ranked
        return self._instead.get(path) or ranked.item(path)  # type: ignore[union-attr]  # None yields no path

    def told(self) -> Iterator[ContextItem]:
        """Yield the items that are there already, in their order."""
        yield from self.before
        if self._ranked is not None:
            shown = self._instead.keys() - self._hidden
            yield from (self._instead[path] for path in sorted(shown, key=self._ranked.rank))
        yield from self.after

    def replaced(self, change: Callable[[ContextItem], ContextItem], paths: Collection[str]) -> Offers:
        """Return these offers with what a function makes of the files of some paths."""
        before, after = (
            [change(item) if item.kind == "file" and item.path in paths else item for item in items]
            for items in (self.before, self.after)
        )
        if self._ranked is None:
            return Offers(before, None, after)
        known = {path for path in paths if self._ranked.path_of(_ID + path)} - self._hidden
        changed = {path: change(self._standing(path)) for path in sorted(known, key=self._ranked.rank)}
        return Offers(before, self._ranked, after, instead=self._instead | changed, hidden=self._hidden)

    def without(self, ids: Collection[str]) -> Rest:
        """Return the offers but for items with these ids, each of which is among them."""
        return Rest(self, ids)


class Rest(_Made):
    """Offers without some of them, in their order."""

    def __init__(self, offers: Offers, without: Collection[str]) -> None:
        self._offers = offers
        self._without = frozenset(without)

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self._offers) - len(self._without)

    def __iter__(self) -> Iterator[ContextItem]:
        """Yield the items, best first."""
        return (item for item in self._offers if item.id not in self._without)

    def brought(self) -> Iterator[ContextItem]:
        """Yield those that may have a text of their own: no file that is listed has."""
        return (item for item in self._offers.told() if item.text and item.id not in self._without)
