"""Shares inside a packed block: each contributor has its own, and what others lend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import attrs

from satchel.compaction.allocating import CONTRIBUTORS, LENT, Loan, in_tokens
from satchel.errors import BudgetError
from satchel.items import Candidate, ContextItem, Level, Selection, Task
from satchel.packing import kept_worth, select

if TYPE_CHECKING:
    from satchel.interfaces import Packer

WORKING, RETRIEVAL, MAP, DOCS = CONTRIBUTORS
_OF_KIND: Mapping[str, str] = {"diff": WORKING, "error": WORKING, "folder": MAP, "tree": MAP}
"""What items that are no files count for; all others are documents."""
_WORKED_ON = frozenset({"editor", "editor_state", "read_only"})
"""Providers that bring what is open, and what is for reading only."""
_CLOSE = frozenset({Level.EXCERPT, Level.FULL, Level.DIFF})


@attrs.define
class Sharing:
    """Divides a pack's room among contributors; after the pack it knows what each had.

    Args:
        shares: of the room, by contributor.
    """

    shares: Mapping[str, float]
    working: frozenset[str] = frozenset()
    """Paths that are named, pinned, open, changed or for reading only."""
    caps: Mapping[str, int] = attrs.field(factory=dict)
    """Tokens of each contributor, with what it borrowed and without what it lent."""
    used: Mapping[str, int] = attrs.field(factory=dict)
    loans: tuple[Loan, ...] = ()

    def packer(self, packer: Packer, task: Task, items: Sequence[ContextItem]) -> Packer:
        """Return a packer that chooses as another one does, each contributor within its share."""
        named = (*task.references, *task.pins, *task.open_files)
        changed = [item.path for item in items if item.kind == "diff" or item.provider in _WORKED_ON]
        self.working = frozenset(filter(None, [*(one.path for one in named), *changed]))
        by_id = {item.id: item for item in items}
        return _Shared(packer, self, lambda one: self.contributor_of(by_id[one.id]))

    def account(self, reported: Callable[[int], int]) -> dict[str, Any]:
        """Return caps, what was used, and loans, for a report; `reported` makes tokens of the model."""
        return {
            "contributors": {
                name: {"cap": reported(cap), "used": reported(self.used.get(name, 0))}
                for name, cap in self.caps.items()
            },
            "loans": [{**loan._asdict(), "tokens": reported(loan.tokens)} for loan in self.loans],
        }

    def contributor_of(self, item: Any, level: str = "") -> str:
        """Return whom an item counts for; a file that is not worked on, by its level."""
        if item.kind != "file":
            return _OF_KIND.get(item.kind, DOCS)
        if item.path in self.working:
            return WORKING
        return RETRIEVAL if not level or level in _CLOSE else MAP


class _Part(NamedTuple):
    """What of a candidate counts for one contributor."""

    candidate: Candidate
    """With the options that do."""
    options: Sequence[int]
    """Their places among all of its options."""


class _Chosen(NamedTuple):
    """What one contributor's part of a pack came to."""

    choices: Mapping[str, int]
    tokens: int
    wants: int
    """Tokens of all that it could show."""


@attrs.frozen
class _Shared:
    """A packer that asks another one once for each contributor."""

    name: ClassVar[str] = "shares"
    packer: Packer
    sharing: Sharing
    contributor: Callable[[Candidate], str]

    def pack(self, candidates: Sequence[Candidate], budget: int) -> Selection:
        """Choose for each contributor within its share, then again for those to whom others lend.

        Raises:
            BudgetError: the pins cost more than the budget.
        """
        groups = self._groups(candidates)
        caps = _caps(self.sharing.shares, groups[WORKING], budget)
        chosen = {name: self._chosen(groups[name], cap) for name, cap in caps.items()}
        loans = loans_of(caps, chosen)
        for loan in loans:
            caps[loan.lender] -= loan.tokens
            caps[loan.borrower] += loan.tokens
        for name in dict.fromkeys(loan.borrower for loan in loans):
            chosen[name] = self._chosen(groups[name], caps[name])
        # a file that is shown close stands in the map no more
        whose = {id_: name for name in (MAP, RETRIEVAL, WORKING, DOCS) for id_ in chosen[name].choices}
        choices = {id_: chosen[name].choices[id_] for id_, name in whose.items()}
        used = dict.fromkeys(caps, 0)
        for one in candidates:
            if one.id in choices:
                used[whose[one.id]] += one.options[choices[one.id]].tokens
        self.sharing.caps, self.sharing.used, self.sharing.loans = caps, used, loans
        return Selection(choices, sum(used.values()), kept_worth(candidates, choices))

    def _groups(self, candidates: Sequence[Candidate]) -> dict[str, list[_Part]]:
        """Return what counts for each contributor: of other files, the lower levels count for the map."""
        groups: dict[str, list[_Part]] = {name: [] for name in CONTRIBUTORS}
        for one in candidates:
            name = self.contributor(one)
            places = range(len(one.options))
            if name != RETRIEVAL:
                groups[name].append(_Part(one, places))
                continue
            close = [at for at in places if one.options[at].level in _CLOSE]
            for group, chosen in ((RETRIEVAL, close), (MAP, [at for at in places if at not in close])):
                if chosen:
                    options = tuple(one.options[at] for at in chosen)
                    groups[group].append(_Part(attrs.evolve(one, options=options), chosen))
        return groups

    def _chosen(self, group: Sequence[_Part], cap: int) -> _Chosen:
        if not group:
            return _Chosen({}, 0, 0)
        selection = select(self.packer, [part.candidate for part in group], cap)
        places = {part.candidate.id: part.options for part in group}
        choices = {id_: places[id_][at] for id_, at in selection.choices.items()}
        wants = sum(max((option.tokens for option in part.candidate.options), default=0) for part in group)
        return _Chosen(choices, selection.tokens, wants)


def _caps(shares: Mapping[str, float], working: Sequence[_Part], budget: int) -> dict[str, int]:
    """Return whole tokens that add up to the budget; pins that cost more than their share take it.

    Raises:
        BudgetError: they cost more than the budget.
    """
    caps = in_tokens(shares, budget)
    pins = [part.candidate for part in working if part.candidate.pinned]
    costs = [(pin.id, pin.options[pin.floor].tokens) for pin in pins if pin.floor < len(pin.options)]
    needed = sum(tokens for _, tokens in costs)
    if needed <= caps[WORKING]:
        return caps
    if needed > budget:
        raise BudgetError(budget, costs)
    rest = budget - caps[WORKING]
    kept = {name: cap * (budget - needed) // max(1, rest) for name, cap in caps.items() if name != WORKING}
    return {WORKING: budget - sum(kept.values()), **kept}


def loans_of(caps: Mapping[str, int], chosen: Mapping[str, Any]) -> tuple[Loan, ...]:
    """Return loans to contributors that could show more, each at most half of what its lender has free.

    Who lends does not borrow: one that has all it wants, or can use less than half of its share.
    """
    idle = {name for name, cap in caps.items() if chosen[name].wants <= cap or chosen[name].tokens < cap // 2}
    free = {name: int(LENT * max(0, caps[name] - chosen[name].tokens)) for name in caps if name in idle}
    loans = []
    for borrower in [name for name in caps if name not in idle]:
        short = chosen[borrower].wants - caps[borrower]
        for lender in reversed(list(free)):
            tokens = min(short, free[lender])
            if tokens > 0:
                loans.append(Loan(lender, borrower, tokens))
                free[lender] -= tokens
                short -= tokens
    return tuple(loans)
