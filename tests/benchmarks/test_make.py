"""The page of benchmarks is made of regions, each replaced by what a script prints."""

from __future__ import annotations

from pathlib import Path

import make
import pytest

PAGE = "# B\n\n<!-- made: packing -->\n\nold\n\n<!-- end: packing -->\n\nprose\n"


@pytest.mark.parametrize("name", make.TABLES)
def test_every_table_has_its_place_in_the_page(name: str) -> None:
    start, end = make.region(make.PAGE.read_text(encoding="utf-8"), name)

    assert start <= end


def test_every_script_is_told_of_in_the_page() -> None:
    page = make.PAGE.read_text(encoding="utf-8")
    scripts = {path.name for path in make.HERE.glob("*.py")}

    assert {name for name in scripts if f"docs/benchmarks/{name}" not in page} == set()


def test_a_table_is_replaced_and_the_prose_stays() -> None:
    assert make.replaced(PAGE, "packing", "new\n") == PAGE.replace("old", "new")


def test_making_the_same_table_again_changes_nothing() -> None:
    assert make.replaced(PAGE, "packing", "old\n") == PAGE
    assert make.differences(PAGE, "packing", "old\n") == []


def test_another_table_is_shown_as_a_diff() -> None:
    assert make.differences(PAGE, "packing", "new\n")[-2:] == ["-old", "+new"]


def test_a_table_tells_the_name_of_a_folder_and_not_where_it_is() -> None:
    printed = "| folder |\n| /home/a/shop |\n<!-- /home/a/shop/key.pem:1 -->\n| /home/a/bank |\n"

    assert make.tidy(printed, [Path("/home/a/shop")]) == "| folder |\n| shop |\n| /home/a/bank |\n"


def test_a_page_without_the_place_is_refused() -> None:
    with pytest.raises(SystemExit, match="needs one line `<!-- made: speed -->`"):
        make.region(PAGE, "speed")


def test_a_table_without_what_it_needs_stays_as_it_was(capsys: pytest.CaptureFixture[str]) -> None:
    before = make.PAGE.read_bytes()

    make.main(["speed", "retrieval"])

    assert capsys.readouterr().err.splitlines() == [
        "speed stays as it was: give it --folder PATH",
        "retrieval stays as it was: give it --repo PATH",
    ]
    assert make.PAGE.read_bytes() == before


def test_a_table_that_there_is_not_is_a_usage_error() -> None:
    with pytest.raises(SystemExit, match="2"):
        make.main(["weather"])
