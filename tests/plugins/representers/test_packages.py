from __future__ import annotations

from pathlib import Path

import pytest

from satchel import ContextItem
from satchel.testing.contracts import RepresenterContract
from satchel_plugins.providers import ECOSYSTEMS
from satchel_plugins.representers import Packages
from satchel_plugins.representers.listings import LOCKS as LOCK_NAMES

FIXTURES = Path(__file__).parents[2] / "data" / "manifests"
LOCKS = {
    "python/uv.lock": ["ledger 0.1.0", "pillow 10.4.0", "pyyaml 6.0.2", "requests 2.31.0", "urllib3 2.0.7"],
    "yarn/yarn.lock": ["@scope/kit 2.3.4", "axios 1.6.8"],
    "ruby/Gemfile.lock": ["nokogiri 1.16.2", "racc 1.7.3", "rails 7.1.3"],
    "php/composer.lock": ["guzzlehttp/guzzle 7.8.1", "symfony/http-foundation v6.4.4"],
    "go/go.sum": ["github.com/cespare/xxhash/v2 v2.2.0", "github.com/spf13/cobra v1.8.0"],
}


class TestPackages(RepresenterContract):
    plugin = Packages
    samples = {path.rpartition("/")[2]: (FIXTURES / path).read_text() for path in LOCKS}  # noqa: RUF012


def lock(path: str) -> ContextItem:
    name = path.rpartition("/")[2]
    return ContextItem(f"file:{name}", "files", "file", name, path=name, text=(FIXTURES / path).read_text())


@pytest.mark.parametrize("path", LOCKS)
def test_the_parts_of_a_lock_file_are_its_packages(path: str) -> None:
    assert [part.name for part in Packages().split(lock(path))] == LOCKS[path]


def test_a_package_goes_from_its_first_line_to_the_next_one_and_is_known_by_its_name_line() -> None:
    pillow = Packages().split(lock("python/uv.lock"))[1]

    assert (pillow.lines, pillow.head) == ((12, 15), (13, 13))


def test_each_line_of_a_dependency_item_is_a_part() -> None:
    item = ContextItem(
        "dependency:go", "dependencies", "dependency", "go dependencies", text="a 1 (x)\nb 2 (y)\n"
    )

    assert [(part.name, part.lines) for part in Packages().split(item)] == [("a", (1, 1)), ("b", (2, 2))]


def test_it_claims_lock_files_and_dependencies_alone() -> None:
    source = ContextItem("file:a.py", "files", "file", "a.py", path="a.py")

    assert Packages().claims(source) == 0.0
    assert Packages().claims(lock("python/uv.lock")) > 0.8


def test_the_lock_files_that_are_known_by_name_are_those_of_all_ecosystems() -> None:
    assert {name for one in ECOSYSTEMS for name in one.locks} == LOCK_NAMES
