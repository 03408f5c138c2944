"""What the split items of a pack hold: asked for some parts, and for all of them, the answer is the same."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from satchel import Part
from satchel.plugin_api import SplitItem, TermStatistics

COUNTS = st.lists(
    st.dictionaries(st.sampled_from(["login", "guest", "map", "draw"]), st.integers(1, 9)),
    min_size=1,
    max_size=5,
)


def split_of(counts: Sequence[dict[str, int]], item: str = "file:a.py") -> SplitItem:
    parts = tuple(Part("function", f"f{at}", (at + 1, at + 1), item=item) for at in range(len(counts)))
    terms: dict[str, list[int]] = {}
    for at, held in enumerate(counts):
        for term, count in held.items():
            terms.setdefault(term, []).extend((at, count))
    return SplitItem(parts, terms, tuple(sum(held.values()) for held in counts))


def known(*splits: SplitItem) -> TermStatistics:
    evidence = TermStatistics()
    for split in splits:
        evidence.learn(split.parts[0].item, split)
    return evidence


def number_of(parts: Sequence[Part]) -> list[int]:
    return [len(parts)]


@given(COUNTS)
def test_each_part_has_the_counts_of_its_own_terms(counts: list[dict[str, int]]) -> None:
    split = split_of(counts)
    evidence = known(split)

    held = evidence.term_counts(split.parts, ["login", "map"])

    assert held == [{term: had[term] for term in ("login", "map") if term in had} for had in counts]
    assert evidence.vocabulary(split.parts) == counts
    assert evidence.lengths(split.parts) == [sum(had.values()) for had in counts]


@given(COUNTS, COUNTS, st.randoms())
def test_some_parts_in_any_order_have_what_they_have_among_all(
    one: list[dict[str, int]], two: list[dict[str, int]], random: Random
) -> None:
    evidence = known(split_of(one), split_of(two, "file:b.py"))
    parts = [*split_of(one).parts, *split_of(two, "file:b.py").parts]
    whole = dict(zip(parts, evidence.term_counts(parts, ["login"]), strict=True))
    lengths = dict(zip(parts, evidence.lengths(parts), strict=True))
    some = sorted(parts, key=lambda _: random.random())[:3]

    assert evidence.term_counts(some, ["login"]) == [whole[part] for part in some]
    assert evidence.lengths(some) == [lengths[part] for part in some]
    assert evidence.vocabulary(some) == evidence.vocabulary(some)


def test_what_another_split_of_an_item_holds_is_counted_anew() -> None:
    evidence = known(split_of([{"login": 2}]))
    evidence.term_counts(split_of([{"login": 2}]).parts, ["login"])
    evidence.vocabulary(split_of([{"login": 2}]).parts)

    later = split_of([{"login": 5}, {"map": 1}])
    evidence.learn("file:a.py", later)

    assert evidence.term_counts(later.parts, ["login"]) == [{"login": 5}, {}]
    assert evidence.vocabulary(later.parts) == [{"login": 5}, {"map": 1}]


def test_what_is_made_of_the_parts_of_an_item_is_made_once_for_each_split() -> None:
    split, other = split_of([{"login": 2}]), split_of([{"map": 1}] * 3, "file:b.py")
    evidence = known(split, other)

    first = evidence.of_items([*split.parts, *other.parts], number_of)
    again = evidence.of_items([*split.parts, *other.parts], number_of)
    evidence.learn("file:b.py", split_of([{"map": 1}] * 4, "file:b.py"))

    assert first == [[1], [3]]
    assert again[0] is first[0]
    assert again[1] is first[1]
    assert evidence.of_items(split_of([{}] * 4, "file:b.py").parts, number_of) == [[4]]


def test_what_is_made_of_some_parts_of_an_item_is_not_taken_for_all_of_them() -> None:
    split = split_of([{"login": 2}, {"map": 1}])
    evidence = known(split)

    assert evidence.of_items(split.parts[:1], number_of) == [[1]]
    assert evidence.of_items(split.parts, number_of) == [[2]]


def test_of_an_item_that_was_never_split_nothing_is_known() -> None:
    part = Part("block", "", (1, 2), item="note:1")

    assert TermStatistics().term_counts([part], ["login"]) == [{}]
    assert TermStatistics().vocabulary([part]) == [{}]
    assert TermStatistics().lengths([part]) == [0]
    assert TermStatistics().of_items([part], number_of) == [[1]]


def test_the_items_that_hold_a_term_are_counted() -> None:
    evidence = known(split_of([{"login": 2}]), split_of([{"login": 1, "map": 4}], "file:b.py"))

    held = evidence.holders(["login", "map", "draw"], ["file:a.py", "file:b.py", "file:c.py"])

    assert held == {"login": 2, "map": 1, "draw": 0}


def test_the_items_that_hold_a_term_are_counted_anew_after_another_split() -> None:
    evidence = known(split_of([{"login": 1}], "file:a.py"), split_of([{"login": 2}], "file:b.py"))
    items = {"file:a.py", "file:b.py", "file:gone.py"}
    before = evidence.holders(["map", "login"], items)

    evidence.learn("file:a.py", split_of([{"map": 1}], "file:a.py"))

    assert before == {"map": 0, "login": 2}
    assert list(before) == ["map", "login"]
    assert evidence.holders(["map", "login"], items) == {"map": 1, "login": 1}


def test_what_is_made_of_a_split_is_made_once_for_each_split_and_name() -> None:
    first, second = split_of([{"login": 1}]), split_of([{"login": 1}])
    evidence, made = known(first), list[str]()

    def make(name: str, split: SplitItem) -> object:
        return evidence.of_split(split, name, lambda _: made.append(name) or object())

    assert make("a", first) is make("a", first)
    assert make("a", first) is not make("b", first)
    assert make("a", second) is not make("a", first)
    assert made == ["a", "b", "a"]


def test_lists_of_terms_without_number_do_not_pile_up() -> None:
    split = split_of([{"login": 2}])
    evidence = known(split)

    for number in range(200):
        evidence.term_counts(split.parts, ["login", f"t{number}"])

    assert len(split.made) < 100
