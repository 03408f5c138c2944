"""What a path tells of a file: whether it is a test, and its place."""

from __future__ import annotations

import pytest

from satchel.questions import FilePlace, is_test, place_of


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("tests/data/a/b/c.py", True),
        ("src/shop/tests/a/b.py", True),
        ("src/shop/attests/a/b.py", False),
        ("src/test_shop.py", True),
        ("t/basic.t", True),
        ("x/" * 2_000 + "shop.py", False),
        ("tests/" + "x/" * 2_000 + "shop.py", True),
    ],
)
def test_a_folder_of_tests_makes_all_below_it_tests(path: str, told: bool) -> None:
    assert is_test(path) is told


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("INSTALL", FilePlace.DOCUMENT),
        ("install", FilePlace.CODE),
        ("Docs/INTERNALS", FilePlace.DOCUMENT),
        ("ReadMe.MD", FilePlace.DOCUMENT),
        ("LICENSE-MIT", FilePlace.ELSEWHERE),
        ("Cargo.TOML", FilePlace.MANIFEST),
        ("src/ShopTest.java", FilePlace.TEST),
        ("src/shoptest.java", FilePlace.CODE),
    ],
)
def test_case_counts_only_where_it_tells_something(path: str, place: FilePlace) -> None:
    assert place_of(path) is place
