"""Inside a packed block each contributor keeps to its share and to what others lend it."""

from __future__ import annotations

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel import BudgetError, Candidate, ContextItem, Level, Option, Reference, Selection, Task
from satchel.compaction import contributor_shares
from satchel.compaction.shares import CONTRIBUTORS, DOCS, MAP, RETRIEVAL, WORKING, PackedShares, in_tokens
from satchel.selecting import select
from satchel_plugins.packers import HybridPacker

LEVELS = (Level.POINTER, Level.HEADERS, Level.SYMBOLS, Level.EXCERPT, Level.FULL)


def item(name: str, kind: str = "file", provider: str = "files") -> ContextItem:
    return ContextItem(f"{kind}:{name}", provider, kind, name, path=name if kind in ("file", "diff") else "")


def candidate(one: ContextItem, sizes: tuple[int, ...], *, pinned: bool = False) -> Candidate:
    options = [
        Option(level, 4 + size * (at + 1), size + at * 2.0)
        for at, (level, size) in enumerate(zip(LEVELS, sizes, strict=False))
    ]
    return Candidate(one.id, 0, one.kind, options, pinned=pinned)


def shared(
    candidates: list[Candidate], items: list[ContextItem], budget: int, named: tuple[str, ...] = ()
) -> tuple[PackedShares, Selection]:
    sharing = PackedShares(CONTRIBUTORS)
    task = Task("t", tuple(Reference(name, "path", name) for name in named))
    packer = sharing.packer(HybridPacker(), task, items)
    return sharing, select(packer, candidates, budget)


KINDS = st.sampled_from(
    [("file", "files"), ("file", "named"), ("diff", "git"), ("folder", "tree"), ("document", "docs")]
)
SIZES = st.lists(st.integers(1, 400), min_size=5, max_size=5).map(lambda sizes: tuple(sorted(sizes)))


@settings(deadline=None)
@given(drawn=st.lists(st.tuples(KINDS, SIZES), max_size=25), budget=st.integers(0, 5_000))
def test_nobody_has_more_than_its_share_and_what_it_borrowed(
    drawn: list[tuple[tuple[str, str], tuple[int, ...]]], budget: int
) -> None:
    items = [item(f"{provider}{at}", kind, provider) for at, ((kind, provider), _) in enumerate(drawn)]
    candidates = [candidate(one, sizes) for one, (_, sizes) in zip(items, drawn, strict=True)]
    named = tuple(one.path for one in items if one.provider == "named")

    sharing, selection = shared(candidates, items, budget, named)

    assert sum(sharing.caps.values()) == budget
    assert sum(sharing.used.values()) == selection.tokens <= budget
    assert all(sharing.used[name] <= cap for name, cap in sharing.caps.items())
    assert not {loan.lender for loan in sharing.loans} & {loan.borrower for loan in sharing.loans}


@settings(deadline=None)
@given(drawn=st.lists(st.tuples(KINDS, SIZES), max_size=25), budget=st.integers(0, 5_000))
def test_what_each_used_is_what_its_items_cost(
    drawn: list[tuple[tuple[str, str], tuple[int, ...]]], budget: int
) -> None:
    items = {f"{kind}:{at}{kind}": item(f"{at}{kind}", kind) for at, ((kind, _), _) in enumerate(drawn)}
    candidates = [candidate(one, sizes) for one, (_, sizes) in zip(items.values(), drawn, strict=True)]

    sharing, selection = shared(candidates, list(items.values()), budget)

    used = dict.fromkeys(CONTRIBUTORS, 0)
    for one in candidates:
        if one.id in selection.choices:
            option = one.options[selection.choices[one.id]]
            used[sharing.contributor_of(items[one.id], option.level)] += option.tokens
    assert used == sharing.used


def test_unused_shares_are_lent_and_the_loans_are_named() -> None:
    items = [item(f"src/{at}.py") for at in range(30)]
    sharing, _ = shared([candidate(one, (10, 20, 30, 40, 50)) for one in items], items, 1_000)

    assert {(loan.lender, loan.borrower) for loan in sharing.loans} >= {
        (WORKING, RETRIEVAL),
        (DOCS, RETRIEVAL),
    }
    assert sharing.used[WORKING] == sharing.used[DOCS] == 0
    assert sharing.account(int)["contributors"][RETRIEVAL]["cap"] > 250


def test_pins_that_cost_more_than_the_share_of_files_take_it_from_the_others() -> None:
    items = [item("src/a.py")]
    big = Candidate("file:src/a.py", 0, "file", [Option(Level.FULL, 900, 1.0)], pinned=True)

    sharing, selection = shared([big], items, 1_000, named=("src/a.py",))

    assert selection.choices == {"file:src/a.py": 0}
    assert sharing.caps[WORKING] >= 900
    assert sum(sharing.caps.values()) == 1_000


def test_pins_that_cost_more_than_all_are_told() -> None:
    big = Candidate("file:src/a.py", 0, "file", [Option(Level.FULL, 2_000, 1.0)], pinned=True)

    with pytest.raises(BudgetError):
        shared([big], [item("src/a.py")], 1_000, named=("src/a.py",))


def test_a_file_that_a_provider_says_is_worked_on_is_working_context() -> None:
    items = [attrs.evolve(item("src/open.py"), worked_on=True), item("src/other.py")]
    sharing, _ = shared([candidate(one, (9, 9, 9, 9, 9)) for one in items], items, 1_000)

    assert [sharing.contributor_of(one, Level.FULL) for one in items] == [WORKING, RETRIEVAL]


def test_a_file_far_away_counts_for_the_map() -> None:
    sharing = PackedShares(CONTRIBUTORS, frozenset({"src/named.py"}))

    assert sharing.contributor_of(item("src/a.py"), Level.SYMBOLS) == MAP
    assert sharing.contributor_of(item("src/a.py"), Level.EXCERPT) == RETRIEVAL
    assert sharing.contributor_of(item("src/named.py"), Level.SYMBOLS) == WORKING
    assert sharing.contributor_of(item("README", "document")) == DOCS


@settings(deadline=None)
@given(talked=st.integers(0, 3_000_000), more=st.integers(0, 1_000_000), left=st.integers(0, 2_000_000))
def test_working_files_have_less_as_a_conversation_grows(talked: int, more: int, left: int) -> None:
    before, after = contributor_shares(talked, left), contributor_shares(talked + more, left)

    assert after[WORKING] <= before[WORKING] <= CONTRIBUTORS[WORKING]
    assert abs(sum(after.values()) - 1) < 1e-9
    assert sum(in_tokens(after, left).values()) == left
