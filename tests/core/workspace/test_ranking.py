"""Ranking: order, fields, and words that say nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from tests.core.repositories import write_files

from satchel.plugin_api import rank_parts
from satchel.workspace import Index, IndexStore, Ranking, list_files, query_terms, rank


def ranked(root: Path, files: dict[str, str], query: str) -> Ranking:
    index = Index(IndexStore.open(None))
    index.refresh(list_files(write_files(root, files), None).entries, lambda path: (root / path).read_bytes())
    return rank(index, query_terms(query))


def order(scores: dict[str, float] | object) -> list[str]:
    assert isinstance(scores, dict)
    return sorted(scores, key=lambda path: (-scores[path], path))


def test_more_of_the_query_ranks_higher(tmp_path: Path) -> None:
    files = {"a.py": "login password\n", "b.py": "login other\n", "c.py": "nothing else\n"}

    assert order(ranked(tmp_path, files, "login password").body) == ["a.py", "b.py"]


def test_a_rare_word_counts_more_than_a_common_one(tmp_path: Path) -> None:
    files = {f"f{number}.py": "login here\n" for number in range(9)} | {"z.py": "gambit here\n"}

    ranking = ranked(tmp_path, files, "login gambit")

    assert order(ranking.body)[0] == "z.py"
    assert ranking.rarity["gambit"] > ranking.rarity["login"]


def test_a_short_file_beats_a_long_one_with_as_many_hits(tmp_path: Path) -> None:
    files = {"long.py": "login\n" + "filler words here\n" * 200, "short.py": "login\n"}

    assert order(ranked(tmp_path, files, "login").body) == ["short.py", "long.py"]


def test_parts_of_identifiers_and_plurals_are_found(tmp_path: Path) -> None:
    files = {"a.py": "checkUserPasswords()\n", "b.py": "parse_http_header\n", "c.py": "other\n"}

    assert order(ranked(tmp_path / "1", files, "password").body) == ["a.py"]
    assert order(ranked(tmp_path / "2", files, "HTTP headers").body) == ["b.py"]


def test_paths_and_names_are_fields_of_their_own(tmp_path: Path) -> None:
    files = {"login/form.py": "x = 1\n", "a.py": "def login(): ...\n", "b.py": "call login\n"}

    ranking = ranked(tmp_path, files, "login")

    assert list(ranking.path) == ["login/form.py"]
    assert list(ranking.name) == ["a.py"]
    assert set(ranking.body) == {"a.py", "b.py"}


@given(query=st.text(max_size=40))
def test_scores_are_from_zero_to_one(query: str) -> None:
    index = Index(IndexStore.open(None))

    ranking = rank(index, query_terms(query))

    assert (ranking.body, ranking.path, ranking.name, ranking.rarity) == ({}, {}, {}, {})


def test_the_best_of_each_field_has_one(tmp_path: Path) -> None:
    files = {"login.py": "def login(): return password\n", "b.py": "login\n"}

    ranking = ranked(tmp_path, files, "login password")

    for field in (ranking.body, ranking.path, ranking.name):
        assert max(field.values()) == 1.0
        assert min(field.values()) > 0


def test_no_query_ranks_nothing(tmp_path: Path) -> None:
    assert ranked(tmp_path, {"a.py": "login\n"}, "the of and").body == {}


COUNTS: tuple[Mapping[str, int], ...] = ({"rare": 1}, {"common": 1}, {"common": 1}, {})


def parts_ranked(
    counts: Sequence[Mapping[str, int]] = COUNTS, lengths: Sequence[int] = (10, 10, 10, 10)
) -> list[float]:
    query = {"rare": 1.0, "common": 1.0}
    return rank_parts(query, counts, lengths, saturation=1.2, length=0.6)


def test_a_term_that_few_parts_hold_says_more() -> None:
    assert parts_ranked()[0] == 1.0 > parts_ranked()[1] == parts_ranked()[2] > parts_ranked()[3] == 0.0


def test_the_shorter_of_two_parts_with_the_same_words_is_better() -> None:
    scores = parts_ranked(({"rare": 1}, {"rare": 1}), (10, 100))

    assert scores[0] == 1.0 > scores[1] > 0.0


def test_no_parts_have_no_rank() -> None:
    assert parts_ranked((), ()) == []


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(1, 1_000)), max_size=10))
def test_every_part_has_a_number_from_zero_to_one(rows: list[tuple[int, int, int]]) -> None:
    counts = [
        {term: count for term, count in (("rare", rare), ("common", common)) if count}
        for rare, common, _ in rows
    ]

    assert all(0 <= score <= 1 for score in parts_ranked(counts, [length for _, _, length in rows]))
