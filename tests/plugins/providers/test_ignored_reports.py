"""Reports that git ignores are found where they usually lie, and nothing else that it ignores is."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.core.repositories import commit, git, write_files

from satchel import ContextItem, Workspace, WorkspaceError
from satchel.references import make_task
from satchel_plugins.providers import ErrorsProvider

DATA = Path(__file__).parents[2] / "data" / "reports"
CART = "the total of the cart raises KeyError for an apple"
FAILING = "fix the failing tests"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with two projects that ignores what builds make."""
    root = tmp_path / "shop"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    files = {
        ".gitignore": "target/\n*.log\n*.xml\ncoverage.json\nsecret/\n",
        "shop/cart.py": "class Cart:\n    pass\n",
        "shop/prices.py": "PRICES = {}\n\n\ndef price(name):\n    return PRICES[name]\n",
        "server/package.json": "{}\n",
    }
    write_files(root, files)
    commit(root, "open the shop")
    return root


def lay(root: Path, report: str, place: str) -> None:
    """Copy a report to a place."""
    (root / place).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(DATA / report, root / place)


def reports(root: Path, task: str, provider: ErrorsProvider | None = None) -> Sequence[ContextItem]:
    """Return the reports that the provider offers."""
    workspace = Workspace.open(root, cache_dir=root.parent / "cache")
    made = make_task(task, workspace.index.documents)
    items = list((provider or ErrorsProvider()).gather(made, workspace, ()))
    workspace.close()
    return [item for item in items if item.kind == "error"]


@pytest.mark.parametrize(
    ("report", "place"),
    [
        ("pytest.log", "pytest.log"),
        ("pytest.log", "target/test.log"),
        ("junit.xml", "target/surefire-reports/TEST-cart.xml"),
        ("pytest.log", "server/target/test.log"),
    ],
)
def test_an_ignored_report_is_found_where_it_usually_lies(root: Path, report: str, place: str) -> None:
    lay(root, report, place)

    assert [item.id for item in reports(root, FAILING)] == [f"error:{place}"]


def test_an_ignored_report_points_at_the_code_but_is_no_file_of_the_workspace(root: Path) -> None:
    lay(root, "pytest.log", "target/test.log")
    workspace = Workspace.open(root, cache_dir=root.parent / "cache")
    task = make_task(CART, workspace.index.documents)

    ids = {item.id for item in ErrorsProvider().gather(task, workspace, ())}
    workspace.close()

    assert {"error:target/test.log", "file:shop/prices.py"} <= ids
    assert "file:target/test.log" not in ids


@pytest.mark.parametrize("place", ["secret/pytest.log", "target/deep/er/pytest.log", "target/notes.md"])
def test_nothing_else_that_git_ignores_is_read(root: Path, place: str) -> None:
    lay(root, "pytest.log", place)

    assert reports(root, FAILING) == []


def test_a_task_that_is_not_about_failures_does_not_look(root: Path) -> None:
    lay(root, "pytest.log", "target/test.log")

    assert reports(root, "let the cart sell an apple twice") == []


def test_coverage_is_found_only_where_the_task_asks_for_it(root: Path) -> None:
    lay(root, "coverage.json", "coverage.json")

    assert [item.id for item in reports(root, "add tests for shop/cart.py")] == ["error:coverage.json"]
    assert reports(root, FAILING) == []


@pytest.mark.parametrize("rules", [".satchelignore", "target/.satchelignore"])
def test_what_satchelignore_names_stays_out(root: Path, rules: str) -> None:
    lay(root, "pytest.log", "target/test.log")
    (root / rules).write_text("*.log\n")

    assert reports(root, FAILING) == []


def test_where_own_rules_can_t_be_read_nothing_ignored_is(root: Path) -> None:
    lay(root, "pytest.log", "target/test.log")
    (root / "target/.satchelignore").mkdir()

    assert reports(root, FAILING) == []


def test_a_setting_ends_it(root: Path) -> None:
    lay(root, "pytest.log", "target/test.log")

    assert reports(root, FAILING, ErrorsProvider(ignored=False)) == []


def test_links_are_not_followed(root: Path, tmp_path: Path) -> None:
    lay(tmp_path, "pytest.log", "outside/test.log")
    (root / "target").symlink_to(tmp_path / "outside")
    (root / "error.log").symlink_to(tmp_path / "outside/test.log")

    assert reports(root, FAILING) == []


def test_a_secret_in_an_ignored_report_is_not_shown(root: Path) -> None:
    key = "ghp_" + "R4nd0mT0k3nVaLu3ThatIsLongEnough12345"
    (root / "test.log").write_text(f"FAILED tests/test_cart.py::test_total - KeyError: token {key}\n")

    (item,) = reports(root, FAILING)

    assert "KeyError" in (item.text or "")
    assert key not in (item.text or "")


def test_only_what_was_found_can_be_read(root: Path) -> None:
    (root / "secret").mkdir()
    (root / "secret/key.txt").write_text("1\n")
    workspace = Workspace.open(root, cache_dir=root.parent / "cache")

    with pytest.raises(WorkspaceError, match=r"files\.hidden"):
        workspace.texts.read_hidden("secret/key.txt", most_bytes=100)
    workspace.close()


def test_a_binary_report_is_refused(root: Path) -> None:
    (root / "test.log").write_bytes(b"FAILED\0\1\2" * 50)

    assert reports(root, FAILING) == []


def test_the_newest_of_many_come_first(root: Path) -> None:
    for number in range(4):
        lay(root, "pytest.log", f"target/run{number}.log")
        os.utime(root / f"target/run{number}.log", (1_700_000_000 + number,) * 2)

    found = reports(root, FAILING, ErrorsProvider(reports=2))

    assert [item.id for item in found] == ["error:target/run3.log", "error:target/run2.log"]
