"""Ranked files: an item is made when somebody looks, and nothing but that differs from a list of items."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel import ContextItem
from satchel.packing import merge_answers
from satchel.plugin_api import RankedFiles, Roster
from satchel.ranked_files import LEAST_EVIDENCE
from satchel.workspace import Document

from .fakes import note
from .texts import file_item

SHARES = {"code": 1.0, "test": 0.4, "data": 0.4}
PATHS = tuple(f"{folder}/{name}.py" for folder in ("a", "b", "c") for name in ("x", "y", "z"))


def document(number: int, path: str, kind: str = "text") -> Document:
    return Document(number, path, 10, f"hash of {path}", kind, 3)


def ranked(
    groups: dict[str, str], evidence: dict[str, float], named: Sequence[str] = (), kinds: Sequence[str] = ()
) -> RankedFiles:
    told = [*kinds, *("text" for _ in groups)]
    documents = {path: document(at, path, told[at]) for at, path in enumerate(groups)}
    folder = ContextItem("vendored:lib", "files", "folder", "lib/", note="vendored folder")
    files = Roster(groups, SHARES)
    return RankedFiles("files", files, documents, evidence=evidence, whole=named, beside=[folder])


rankings = st.builds(
    ranked,
    st.dictionaries(st.sampled_from(PATHS), st.sampled_from(tuple(SHARES)), min_size=1),
    st.dictionaries(st.sampled_from((*PATHS, "gone.py")), st.floats(0, 3)),
    st.sets(st.sampled_from(PATHS[:2])),
    st.lists(st.sampled_from(("text", "binary")), max_size=9),
)
others = st.lists(
    st.one_of(
        st.builds(lambda path: file_item(path, "text\n"), st.sampled_from(PATHS)),
        st.builds(note, st.integers(0, 3)),
        st.builds(
            lambda path: ContextItem(f"instructions:{path}", "i", "instructions", path, path, "be kind\n"),
            st.sampled_from(PATHS),
        ),
    ),
    max_size=5,
)


@given(rankings)
def test_files_stand_by_evidence_times_share_then_by_path(files: RankedFiles) -> None:
    ranks = [files.rank(path) for path in files.paths()]

    assert ranks == sorted(ranks)
    assert len({path for _, path in ranks}) == len(ranks) == files.files


@given(others, rankings, others)
def test_offers_are_the_same_as_of_a_list_of_all_items(
    before: list[ContextItem], files: RankedFiles, after: list[ContextItem]
) -> None:
    lazy, listed = merge_answers([before, files, after]), merge_answers([before, list(files), after])

    assert tuple(lazy.items) == tuple(listed.items)
    assert lazy.lifted == listed.lifted
    assert len(lazy.items) == len(tuple(listed.items))


@given(others, rankings, others, st.integers(0, 12), st.sets(st.sampled_from(PATHS)))
def test_narrowed_offers_are_a_beginning_and_what_is_wanted_of_the_rest(
    before: list[ContextItem], files: RankedFiles, after: list[ContextItem], most: int, wanted: set[str]
) -> None:
    offers = merge_answers([before, files, after]).items
    asked: list[int] = []

    def is_enough() -> bool:
        asked.append(1)
        return len(asked) > most

    some, everything = list(offers.narrowing(is_enough, wanted)), list(offers)

    assert some == [item for item in everything if item in some]
    told = [item for item in everything if item.note or item.text or item.path in wanted]
    assert [item for item in told if item not in some] == []


@given(others, rankings, others, st.integers(0, 4), st.sets(st.sampled_from(PATHS)))
def test_so_many_of_what_can_only_be_named_are_offered_as_are_asked_for(
    before: list[ContextItem], files: RankedFiles, after: list[ContextItem], most: int, wanted: set[str]
) -> None:
    offers = merge_answers([before, files, after]).items
    brought = {item.id for item in (*offers.before, *offers.after)}

    every, some = (
        [item for item in offers.narrowing(lambda: True, wanted, named=named) if item.id not in brought]
        for named in (None, most)
    )

    assert some == [item for item in every if item in some]
    others_noted = [item for item in every if item.note and item.path not in wanted]
    assert [item for item in others_noted if item in some][:most] == others_noted[:most]
    assert [item for item in every if item.path in wanted or not item.note] == [
        item for item in some if item.path in wanted or not item.note
    ]


@given(others, rankings, st.sets(st.sampled_from(PATHS)))
def test_the_rest_is_everything_else(before: list[ContextItem], files: RankedFiles, gone: set[str]) -> None:
    offers = merge_answers([before, files]).items
    without = {item.id for item in offers if item.path in gone}

    rest = offers.exclude(without)

    assert list(rest) == [item for item in offers if item.id not in without]
    assert len(rest) == len(list(rest))
    assert tuple(rest[:2]) == tuple(rest)[:2]
    assert [item.text for item in rest.items_with_text()] == [item.text for item in rest if item.text]


@given(others, rankings, st.sets(st.sampled_from(PATHS)))
def test_files_of_some_paths_are_replaced_where_they_stand(
    before: list[ContextItem], files: RankedFiles, paths: set[str]
) -> None:
    def change(item: ContextItem) -> ContextItem:
        return ContextItem(f"diff:{item.path}", "git", "diff", item.path, item.path, "a change\n")

    offers = merge_answers([before, files]).items

    changed = [change(item) if item.kind == "file" and item.path in paths else item for item in offers]
    assert list(offers.replace_files(change, paths)) == changed


def test_a_file_without_evidence_stands_by_what_it_is() -> None:
    files = ranked({"b.json": "data", "c.py": "code", "a.json": "data"}, {})

    assert list(files.paths()) == ["c.py", "a.json", "b.json"]
    assert files.rank("c.py") == (-LEAST_EVIDENCE, "c.py")


def test_what_is_named_counts_whole() -> None:
    files = ranked({"a.json": "data", "c.py": "code"}, {"a.json": 1.0, "c.py": 0.9}, ["a.json"])

    assert [(item.path, item.relevance) for item in files[:2]] == [("a.json", 1.0), ("c.py", 1.0)]


@pytest.mark.parametrize(("groups", "shares"), [({"a": "odd"}, SHARES), ({"a": "code"}, {"code": 1.1})])
def test_a_roster_needs_a_share_for_each_group(groups: dict[str, str], shares: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="share"):
        Roster(groups, shares)


@pytest.mark.parametrize("evidence", [{"a.py": float("nan")}, {"a.py": float("inf")}])
def test_evidence_is_finite(evidence: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="finite"):
        ranked({"a.py": "code"}, evidence)
