"""Divide a window: reserves, categories with floors and loans, and the shares of contributors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import attrs

from satchel.errors import BudgetError, UsageError
from satchel.items import Candidate, ContextItem, Level, Selection, Task
from satchel.selecting import kept_worth, select

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.interfaces import Packer


CATEGORIES = ("system", "context", "dialog", "results")
SHARES: Mapping[str, float] = MappingProxyType(
    {"system": 0.10, "context": 0.35, "dialog": 0.50, "results": 0.05}
)
FLOORS: Mapping[str, int] = MappingProxyType(
    {"system": 1_000, "context": 500, "dialog": 1_000, "results": 500}
)
"""Tokens of a category in a window that is large enough for all of them."""
CONTRIBUTORS: Mapping[str, float] = MappingProxyType(
    {"working files": 0.40, "retrieval": 0.25, "map": 0.20, "docs": 0.15}
)
LENT = 0.5
"""The most that a lender gives, as a share of its free tokens."""
_FEWEST_FILES = 0.25
"""Share of its working files that CONTEXT keeps however long the conversation grows."""


@attrs.frozen
class Division:
    """The division of a window according to the settings."""

    shares: Mapping[str, float] = SHARES
    floors: Mapping[str, float] = FLOORS
    contributors: Mapping[str, float] = CONTRIBUTORS
    margin: float = 0.0
    """Share of the budget that stays empty."""
    is_kept: bool = False
    """Whether the choice keeps the shares of dialogue and results, because somebody set them."""

    def countable(self, budget: int) -> int:
        """Return the usable tokens of a budget."""
        return max(1, budget - int(budget * self.margin))


DEFAULT = Division()


def division_of(config: Config | None) -> Division:
    """Return the division of the settings, with defaults for those left out."""
    if config is None:
        return DEFAULT
    return Division(
        {**SHARES, **config.window_shares},
        {**FLOORS, **config.window_floors},
        {**CONTRIBUTORS, **config.window_contributors},
        config.window_margin,
        bool(config.window_shares),
    )


class Loan(NamedTuple):
    """Tokens that one category lends to another for one assembly."""

    lender: str
    borrower: str
    tokens: int


class Allocation(NamedTuple):
    """The division of a window."""

    caps: Mapping[str, int]
    loans: tuple[Loan, ...]
    contributors: Mapping[str, int]
    """Shares inside CONTEXT; they add up to its cap."""


def allocate(
    window: int, needs: Mapping[str, int], *, margin: int = 0, division: Division = DEFAULT
) -> Allocation:
    """Divide `window` tokens after a margin; `needs` has the tokens that each category would use.

    Raises:
        UsageError: the window is not a number from 1 up.
    """
    if window < 1:
        raise UsageError(f"a window must have 1 token or more, not {window}")
    left = window - margin
    caps = _compute_caps(left, division)
    loans = tuple(_compute_loans(caps, needs))
    for loan in loans:
        caps[loan.lender] -= loan.tokens
        caps[loan.borrower] += loan.tokens
    talked = needs.get("dialog", 0) + needs.get("results", 0)
    inside = in_tokens(contributor_shares(talked, left, division.contributors), caps["context"])
    return Allocation(caps, loans, inside)


def _compute_caps(left: int, division: Division) -> dict[str, int]:
    """Return whole tokens that add up to `left`: floors, shrunk together if they don't fit, and shares."""
    shares, floors = division.shares, sum(division.floors.values())
    scale = min(1.0, left / 2 / floors) if floors else 0.0
    base = {name: int(division.floors[name] * scale) for name in CATEGORIES}
    whole = sum(shares[name] for name in CATEGORIES) or 1.0
    wanted = {name: max(base[name], int(left * shares[name] / whole)) for name in CATEGORIES}
    over = sum(wanted.values()) - left
    for name in sorted(CATEGORIES, key=lambda name: base[name] - wanted[name]):
        give = min(max(0, over), wanted[name] - base[name])
        wanted[name] -= give
        over -= give
    wanted["dialog"] -= over
    return wanted


def _compute_loans(caps: Mapping[str, int], needs: Mapping[str, int]) -> list[Loan]:
    """Return loans to categories that need more; SYSTEM neither lends nor borrows."""
    players = ("dialog", "results", "context")
    free = {name: int(LENT * max(0, caps[name] - needs.get(name, 0))) for name in players}
    loans = []
    for borrower in players:
        short = needs.get(borrower, 0) - caps[borrower]
        for lender in ("context", "results", "dialog"):
            tokens = min(short, free[lender])
            if lender != borrower and tokens > 0:
                loans.append(Loan(lender, borrower, tokens))
                free[lender] -= tokens
                short -= tokens
    return loans


def contributor_shares(
    talked: int, left: int, shares: Mapping[str, float] = CONTRIBUTORS
) -> dict[str, float]:
    """Return the shares of CONTEXT by contributor, which add up to 1.

    Working files get less as the conversation grows, down to a quarter of their share; the rest get more.

    Args:
        talked: tokens of messages and results.
        left: tokens of the window without its reserves.
        shares: of a conversation that begins.
    """
    pressure = min(1.0, talked / left) if left > 0 else 1.0
    whole = sum(shares.values())
    others = whole - shares["working files"]
    files = shares["working files"] / whole * (max(_FEWEST_FILES, 1 - pressure) if others else 1.0)
    return {
        name: files if name == "working files" else share * (1 - files) / (others or 1.0)
        for name, share in shares.items()
    }


def in_tokens(shares: Mapping[str, float], tokens: int) -> dict[str, int]:
    """Return whole tokens by contributor that add up to `tokens`; docs get the remainder of rounding."""
    parts = {name: int(tokens * share) for name, share in shares.items()}
    parts["docs"] += tokens - sum(parts.values())
    return parts


WORKING, RETRIEVAL, MAP, DOCS = CONTRIBUTORS
_OF_KIND: Mapping[str, str] = {"diff": WORKING, "error": WORKING, "folder": MAP, "tree": MAP}
"""The contributor of items that are not files; all others are documents."""
_RANKS: Mapping[str, int] = {level: min(at, 4) for at, level in enumerate(Level)}
"""The detail of a level, from a pointer up; a diff shows all of itself, like a whole file."""
_CLOSE = frozenset({Level.EXCERPT, Level.FULL, Level.DIFF})


@attrs.define
class PackedShares:
    """Divides a pack's room among contributors; after the pack it knows the use of each.

    Args:
        shares: of the room, by contributor.
    """

    shares: Mapping[str, float]
    working: frozenset[str] = frozenset()
    """Paths that are named, pinned, open, changed or for reading only."""
    caps: Mapping[str, int] = attrs.field(factory=dict)
    """Tokens of each contributor, with those it borrowed and without those it lent."""
    used: Mapping[str, int] = attrs.field(factory=dict)
    loans: tuple[Loan, ...] = ()
    known: Mapping[str, str] = attrs.field(factory=dict)
    """The reader's levels of files by path, and of other things by content: they are chosen at higher
    levels alone, and excerpts beside other excerpts.
    """

    def packer(self, packer: Packer, task: Task, items: Sequence[ContextItem]) -> Packer:
        """Return a packer that wraps another one, and keeps each contributor within its share."""
        named = (*task.references, *task.pins, *task.open_files)
        changed = [item.path for item in items if item.kind == "diff" or item.worked_on]
        self.working = frozenset(filter(None, [*(one.path for one in named), *changed]))
        by_id = {item.id: item for item in items}
        return _Shared(
            packer,
            self,
            lambda one: self.contributor_of(by_id[one.id]),
            lambda one: self._find_level(by_id[one.id]),
        )

    def _find_level(self, item: ContextItem) -> str:
        return self.known.get(item.path if item.kind == "file" else item.content, "")

    def account(self, reported: Callable[[int], int]) -> dict[str, Any]:
        """Return caps, use and loans for a report; `reported` converts tokens to the model's."""
        return {
            "contributors": {
                name: {"cap": reported(cap), "used": reported(self.used.get(name, 0))}
                for name, cap in self.caps.items()
            },
            "loans": [{**loan._asdict(), "tokens": reported(loan.tokens)} for loan in self.loans],
        }

    def contributor_of(self, item: Any, level: str = "") -> str:
        """Return the contributor of an item; for a file that is not worked on, by its level."""
        if item.kind != "file":
            return _OF_KIND.get(item.kind, DOCS)
        if item.path in self.working:
            return WORKING
        return RETRIEVAL if not level or level in _CLOSE else MAP


class _SharedPart(NamedTuple):
    """The part of a candidate that counts for one contributor."""

    candidate: Candidate
    """The candidate with the options of this part."""
    options: Sequence[int]
    """Places of these options among all of its options."""


class _Chosen(NamedTuple):
    """The result of one contributor's part of a pack."""

    choices: Mapping[str, int]
    tokens: int
    wants: int
    """Tokens of everything that it could show."""


@attrs.frozen
class _Shared:
    """A packer that asks another one once for each contributor."""

    name: ClassVar[str] = "shares"
    packer: Packer
    sharing: PackedShares
    contributor: Callable[[Candidate], str]
    level_known: Callable[[Candidate], str]

    @property
    def weights(self) -> Mapping[str, float]:
        """Return no change of scorers' weights."""
        return {}

    @property
    def whole(self) -> bool:
        """Return the wrapped packer's `whole`."""
        return self.packer.whole

    def pack(self, candidates: Sequence[Candidate], budget: int) -> Selection:
        """Choose for each contributor within its share, then again for borrowers.

        Raises:
            BudgetError: the pins cost more than the budget.
        """
        groups = self._groups(candidates)
        caps = _caps_of_shares(self.sharing.shares, groups[WORKING], budget)
        chosen = {name: self._choose(groups[name], cap) for name, cap in caps.items()}
        loans = loans_of(caps, chosen)
        for loan in loans:
            caps[loan.lender] -= loan.tokens
            caps[loan.borrower] += loan.tokens
        for name in dict.fromkeys(loan.borrower for loan in loans):
            chosen[name] = self._choose(groups[name], caps[name])
        # a file shown in detail is no longer in the map
        whose = {id_: name for name in (MAP, RETRIEVAL, WORKING, DOCS) for id_ in chosen[name].choices}
        choices = {id_: chosen[name].choices[id_] for id_, name in whose.items()}
        used = dict.fromkeys(caps, 0)
        for one in candidates:
            if one.id in choices:
                used[whose[one.id]] += one.options[choices[one.id]].tokens
        self.sharing.caps, self.sharing.used, self.sharing.loans = caps, used, loans
        return Selection(choices, sum(used.values()), kept_worth(candidates, choices))

    def _groups(self, candidates: Sequence[Candidate]) -> dict[str, list[_SharedPart]]:
        """Return each contributor's parts: for other files, the lower levels count for the map."""
        groups: dict[str, list[_SharedPart]] = {name: [] for name in CONTRIBUTORS}
        for one in candidates:
            name = self.contributor(one)
            places = self._list_unknown(one)
            if name != RETRIEVAL:
                parts: tuple[tuple[str, Sequence[int]], ...] = ((name, places),)
            else:
                close = [at for at in places if one.options[at].level in _CLOSE]
                parts = ((RETRIEVAL, close), (MAP, [at for at in places if at not in close]))
            for group, chosen in parts:
                if len(chosen) == len(one.options):
                    groups[group].append(_SharedPart(one, chosen))
                elif chosen:
                    options = tuple(one.options[at] for at in chosen)
                    groups[group].append(_SharedPart(attrs.evolve(one, options=options), chosen))
        return groups

    def _list_unknown(self, one: Candidate) -> Sequence[int]:
        """Return the places of options that show more than the reader has; for pins, all."""
        known = self.level_known(one)
        if one.pinned or not known:
            return range(len(one.options))
        least = _RANKS.get(known, len(_RANKS)) + (known != Level.EXCERPT)
        return [at for at, option in enumerate(one.options) if _RANKS.get(option.level, 0) >= least]

    def _choose(self, group: Sequence[_SharedPart], cap: int) -> _Chosen:
        if not group:
            return _Chosen({}, 0, 0)
        selection = select(self.packer, [part.candidate for part in group], cap)
        places = {part.candidate.id: part.options for part in group}
        choices = {id_: places[id_][at] for id_, at in selection.choices.items()}
        wants = sum(max((option.tokens for option in part.candidate.options), default=0) for part in group)
        return _Chosen(choices, selection.tokens, wants)


def _caps_of_shares(
    shares: Mapping[str, float], working: Sequence[_SharedPart], budget: int
) -> dict[str, int]:
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
    """Return loans to contributors that could show more, each at most half of its lender's free tokens.

    A lender does not borrow: it has all it wants, or can use less than half of its share.
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
