"""Rank the files of a workspace for a provider, and create their items lazily.

Of 28,000 files a few hundred are used: creating, checking and merging the others would take most of a pack.
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
"""Evidence of every file, so that files without any are ranked by their group."""
_ID = "file:"
_MOST_KEPT = 1_000
"""Most items that are cached: a pack iterates over the first ones twice."""

FileRank = tuple[float, str]
"""Sort key of files: evidence times share, negated, and the path."""


class _LazyItems(Sequence[ContextItem]):
    """A sequence whose items are created on iteration."""

    @overload
    def __getitem__(self, at: int) -> ContextItem: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[ContextItem]: ...
    def __getitem__(self, at: int | slice) -> ContextItem | Sequence[ContextItem]:
        """Return an item or a slice; a slice from the start creates only its own items."""
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
    """All files of a workspace by group, in their order without evidence.

    Args:
        groups: the name of a group for each path of the workspace's documents.
        shares: how much evidence counts in each group, 0..1; also the relevance of its files.

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

    def rank(self, path: str) -> FileRank:
        """Return the rank of a file without evidence."""
        return self._base[self.groups[path]], path

    @cached_property
    def order(self) -> Sequence[FileRank]:
        """Return the ranks of all files, best first."""
        base = self._base
        return sorted((base[group], path) for path, group in self.groups.items())


class RankedFiles(_LazyItems):
    """All files of a workspace, those with the most evidence first.

    Args:
        provider: the name of the provider.
        roster: all files by group; reusable as long as no file is added or removed.
        documents: the index's record of each file.
        evidence: by path; unknown paths are ignored.
        whole: paths whose evidence counts in full, whatever their group.
        beside: other items, placed after the files.

    Raises:
        ValueError: the roster does not match the documents, or evidence is not finite.
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
        self._ranks: dict[str, FileRank] = {
            path: (
                -(evidence[path] + LEAST_EVIDENCE) * (1.0 if path in self._whole else shares[groups[path]]),
                path,
            )
            for path in evidence.keys() & groups.keys()
        }
        self._best = sorted(self._ranks.values())
        self._items: dict[str, ContextItem] = {}

    def copy_plain(self, provider: str, documents: Mapping[str, Document]) -> RankedFiles:
        """Return a copy made of plain values, under the provider's name.

        Raises:
            BrokenContractError: something in it is not a number, a text or an item.
        """
        from satchel.host.answers import check_items, plain_numbers, plain_text, plain_texts

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
            beside=check_items(islice(iter(self.beside), most + 1), copied=True),
        )

    def __len__(self) -> int:
        """Return the number of items."""
        return self.files + len(self.beside)

    @property
    def files(self) -> int:
        """Return the number of files."""
        return len(self._documents)

    def __iter__(self) -> Iterator[ContextItem]:
        """Yield an item for each file, best first, then the other items."""
        return chain(map(self.item, self.paths()), self.beside)

    def paths(self) -> Iterator[str]:
        """Yield the paths, best first."""
        known = self._ranks
        rest = (rank for rank in self._roster.order if rank[1] not in known)
        return (path for _, path in merge(self._best, rest))

    def rank(self, path: str) -> FileRank:
        """Return the sort key of a file."""
        return self._ranks.get(path) or self._roster.rank(path)

    def path_of(self, id_: str) -> str:
        """Return the path of the file with an item's id, "" if it is not one of these."""
        path = id_.removeprefix(_ID)
        return path if path in self._documents and id_.startswith(_ID) else ""

    @cached_property
    def name_only_paths(self) -> Sequence[str]:
        """Return the paths of files that can only be shown by name, best first."""
        noted = [path for path, document in self._documents.items() if document.kind != "text"]
        return sorted(noted, key=self.rank)

    def item(self, path: str) -> ContextItem:
        """Return the item of a file; its note says why it can't be shown, if so."""
        known = self._items.get(path) or self._make_item(path)
        if len(self._items) < _MOST_KEPT:
            self._items[path] = known
        return known

    def _make_item(self, path: str) -> ContextItem:
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


class Offers(_LazyItems):
    """The offers of all providers without duplicates: the ranked files, and items before and after them.

    Args:
        before: items that come first.
        ranked: files whose items are created lazily.
        after: items that come last.
        instead: items that replace ranked files, by path.
        hidden: paths of ranked files that are excluded.
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
        """Yield the items in order; once there are enough, only a few of the remaining ranked files.

        Those are replaced files, the `wanted` paths, and the first `named` (or all) other files that can
        only be shown by name. `is_enough` is called before each file.
        """
        yield from self.before
        if self._ranked is not None:
            yield from map(self._item_at, self._choose_paths(self._ranked, is_enough, wanted, named))
        yield from self.after

    def _choose_paths(
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
        noted = (path for path in ranked.name_only_paths if path not in passed and path not in few)
        few.update(list(islice(noted, named)))
        yield from sorted(few - passed, key=ranked.rank)

    def _item_at(self, path: str) -> ContextItem:
        ranked = self._ranked
        return self._instead.get(path) or ranked.item(path)  # type: ignore[union-attr]  # None yields no path

    def existing_items(self) -> Iterator[ContextItem]:
        """Yield the items that already exist, in order."""
        yield from self.before
        if self._ranked is not None:
            shown = self._instead.keys() - self._hidden
            yield from (self._instead[path] for path in sorted(shown, key=self._ranked.rank))
        yield from self.after

    def replace_files(self, change: Callable[[ContextItem], ContextItem], paths: Collection[str]) -> Offers:
        """Return these offers with a function applied to the files of some paths."""
        before, after = (
            [change(item) if item.kind == "file" and item.path in paths else item for item in items]
            for items in (self.before, self.after)
        )
        if self._ranked is None:
            return Offers(before, None, after)
        known = {path for path in paths if self._ranked.path_of(_ID + path)} - self._hidden
        changed = {path: change(self._item_at(path)) for path in sorted(known, key=self._ranked.rank)}
        return Offers(before, self._ranked, after, instead=self._instead | changed, hidden=self._hidden)

    def exclude(self, ids: Collection[str]) -> RemainingOffers:
        """Return the offers without the items of these ids, all of which must exist."""
        return RemainingOffers(self, ids)


class RemainingOffers(_LazyItems):
    """Offers without some items, in order."""

    def __init__(self, offers: Offers, without: Collection[str]) -> None:
        self._offers = offers
        self._without = frozenset(without)

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self._offers) - len(self._without)

    def __iter__(self) -> Iterator[ContextItem]:
        """Yield the items, best first."""
        return (item for item in self._offers if item.id not in self._without)

    def items_with_text(self) -> Iterator[ContextItem]:
        """Yield the items with a text of their own; listed files have none."""
        return (item for item in self._offers.existing_items() if item.text and item.id not in self._without)
