"""What is taken from a text when it is indexed."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.amounts import sized
from tests.core.repositories import write_files

from satchel.workspace import Index, IndexStore, count_all_words, list_files
from satchel.workspace.index.documents import _DEFINERS, BODY, NAME, PATH, _find_definitions

ALL_AT_ONCE = re.compile(
    r"(?:^|[\s;{}(])(?:def|class|func|fn|struct|enum|trait|interface|type|function|module|namespace|macro_rules!|#define)"
    r"\s+(?:\([^)\n]{0,80}\)\s*)?([^\W\d]\w*)"
)
TOKENS = (
    *_DEFINERS.values(),
    "name",
    "Zählung",
    "x1",
    "(r Receiver)",
    " ",
    "\n",
    "\t",
    "{",
    ";",
    ".",
    "9",
    "\u2003",
)


def names(text: str) -> set[str]:
    return set(_find_definitions(text, _DEFINERS.keys() & count_all_words(text).keys()))


@given(st.lists(st.sampled_from(TOKENS), max_size=25).map("".join))
def test_names_are_those_that_one_expression_finds(text: str) -> None:
    assert names(text) == set(ALL_AT_ONCE.findall(text))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def login(name): ...", {"login"}),
        ("func (s *Server) Run() {}", {"Run"}),
        ("enum class Color", {"class"}),
        ("x.type name; my_def f", set()),
        ("#define MOST 3\nmacro_rules! vec {}", {"MOST", "vec"}),
    ],
)
def test_names_stand_after_what_introduces_them(text: str, found: set[str]) -> None:
    assert names(text) == found


MANY = sized(300_000)


@pytest.mark.costly
@pytest.mark.parametrize("text", ["def " * MANY, "type(" * MANY, " def" * MANY + "\n" * MANY])
def test_hostile_texts_are_read_in_linear_time(text: str) -> None:
    begun = time.process_time()

    names(text)

    assert time.process_time() - begun < 5


def indexed(root: Path, store: IndexStore) -> Index:
    index = Index(store)
    index.refresh(list_files(root, None).entries, lambda path: (root / path).read_bytes())
    return index


def by_path(index: Index, term: str, field: str = BODY) -> Mapping[str, int]:
    paths = {document.id: path for path, document in index.documents.items()}
    return {paths[id_]: count for id_, count in index.postings(term, field).items() if id_ in paths}


def test_every_word_has_its_own_postings(tmp_path: Path) -> None:
    words = [f"w{number}x" for number in range(200)]
    root = write_files(tmp_path / "w", {f"{at}.txt": f"{word} " * (at + 1) for at, word in enumerate(words)})

    index = indexed(root, IndexStore.open(None))

    counts = [by_path(index, word) for word in words]
    assert counts == [{f"{at}.txt": min(at + 1, 255)} for at in range(len(words))]


def test_a_word_that_is_written_again_later_adds_to_its_postings(tmp_path: Path) -> None:
    root, store = (
        write_files(tmp_path / "w", {"a.py": "alpha beta"}),
        IndexStore.open(tmp_path / "index.sqlite"),
    )
    indexed(root, store)
    write_files(root, {"b.py": "beta alpha_beta"}, age_seconds=500)

    index = indexed(root, store)

    assert by_path(index, "beta") == {"a.py": 1, "b.py": 2}
    assert by_path(index, "py", PATH) == {"a.py": 1, "b.py": 1}


def test_a_folder_and_the_names_in_it_give_each_word_of_a_path_once(tmp_path: Path) -> None:
    root = write_files(tmp_path / "w", {"src/shop/shop.py": "def total(): ...", "src/shop/cart_shop.py": "x"})

    index = indexed(root, IndexStore.open(None))

    assert by_path(index, "shop", PATH) == {"src/shop/cart_shop.py": 2, "src/shop/shop.py": 1}
    assert by_path(index, "total", NAME) == {"src/shop/shop.py": 1}
