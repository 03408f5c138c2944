"""Divide a window among what stands in it: reserves, categories with floors, loans for one assembly."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from satchel.errors import UsageError

CATEGORIES = ("system", "context", "dialog", "results")
SHARES: Mapping[str, float] = MappingProxyType(
    {"system": 0.10, "context": 0.35, "dialog": 0.50, "results": 0.05}
)
FLOORS: Mapping[str, int] = MappingProxyType(
    {"system": 1_000, "context": 500, "dialog": 1_000, "results": 500}
)
"""Tokens that a category has in a window that is large enough for all of them."""
CONTRIBUTORS: Mapping[str, float] = MappingProxyType(
    {"working files": 0.40, "retrieval": 0.25, "map": 0.20, "docs": 0.15}
)
LENT = 0.5
"""The most that a lender gives, as a share of what it has free."""
_REPLY, _MARGIN = 0.10, 0.05
_FEWEST_FILES = 0.25
"""Share of its working files that CONTEXT keeps however long the conversation grows."""


class Loan(NamedTuple):
    """Tokens that one category lends to another for one assembly."""

    lender: str
    borrower: str
    tokens: int


class Allocation(NamedTuple):
    """How a window is divided; `reply`, `margin` and `caps` add up to `window`."""

    window: int
    reply: int
    margin: int
    caps: Mapping[str, int]
    loans: tuple[Loan, ...]
    contributors: Mapping[str, int]
    """Shares inside CONTEXT; they add up to its cap."""

    @property
    def total(self) -> int:
        """Return the sum of all parts."""
        return self.reply + self.margin + sum(self.caps.values())


def allocate(
    window: int,
    needs: Mapping[str, int],
    *,
    reply: int | None = None,
    margin: int | None = None,
    shares: Mapping[str, float] = SHARES,
) -> Allocation:
    """Divide `window` tokens; `needs` says what each category would use.

    Raises:
        UsageError: the window is no number from 1 up, or the reserves leave nothing.
    """
    if window < 1:
        raise UsageError(f"a window must have 1 token or more, not {window}")
    kept = int(window * _REPLY) if reply is None else reply
    safe = int(window * _MARGIN) if margin is None else margin
    left = window - kept - safe
    if kept < 0 or safe < 0 or left < 0:
        raise UsageError(f"reserves of {kept} and {safe} tokens do not fit in a window of {window}")
    caps = _caps(left, shares)
    lent = _lent(caps, needs)
    loans = tuple(lent)
    for loan in loans:
        caps[loan.lender] -= loan.tokens
        caps[loan.borrower] += loan.tokens
    talked = needs.get("dialog", 0) + needs.get("results", 0)
    inside = in_tokens(contributor_shares(talked, left), caps["context"])
    return Allocation(window, kept, safe, caps, loans, inside)


def _caps(left: int, shares: Mapping[str, float]) -> dict[str, int]:
    """Return whole tokens that add up to `left`: floors, shrunk together where they don't fit, and shares."""
    floors = sum(FLOORS.values())
    scale = min(1.0, left / 2 / floors)
    base = {name: int(FLOORS[name] * scale) for name in CATEGORIES}
    whole = sum(shares[name] for name in CATEGORIES) or 1.0
    wanted = {name: max(base[name], int(left * shares[name] / whole)) for name in CATEGORIES}
    over = sum(wanted.values()) - left
    for name in sorted(CATEGORIES, key=lambda name: base[name] - wanted[name]):
        give = min(max(0, over), wanted[name] - base[name])
        wanted[name] -= give
        over -= give
    wanted["dialog"] -= over
    return wanted


def _lent(caps: Mapping[str, int], needs: Mapping[str, int]) -> list[Loan]:
    """Return loans to what needs more; SYSTEM neither lends nor borrows."""
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


def contributor_shares(talked: int, left: int) -> dict[str, float]:
    """Return the shares of CONTEXT by contributor, which add up to 1.

    Working files have less as the conversation grows, down to a quarter of their share; the rest have more.

    Args:
        talked: tokens of what was said and of results.
        left: tokens of the window without its reserves.
    """
    pressure = min(1.0, talked / left) if left > 0 else 1.0
    files = CONTRIBUTORS["working files"] * max(_FEWEST_FILES, 1 - pressure)
    others = 1 - CONTRIBUTORS["working files"]
    return {
        name: files if name == "working files" else share * (1 - files) / others
        for name, share in CONTRIBUTORS.items()
    }


def in_tokens(shares: Mapping[str, float], tokens: int) -> dict[str, int]:
    """Return whole tokens by contributor that add up to `tokens`; docs have what rounding leaves."""
    parts = {name: int(tokens * share) for name, share in shares.items()}
    parts["docs"] += tokens - sum(parts.values())
    return parts
