"""Failures that concern the task arrive with their code, others do not."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from satchel import ContextItem, Task, Workspace
from satchel.references import make_task
from satchel_plugins.providers import ErrorsProvider
from satchel_plugins.representers import Failures

DATA = Path(__file__).parents[2] / "data" / "reports"
SOURCES = {
    "shop/cart.py": "from shop.prices import price\n\n\nclass Cart:\n\n    def total(self, names):\n\n"
    "        return sum(price(name) for name in names)\n",
    "shop/prices.py": "PRICES = {}\n\n\ndef price(name):\n    return PRICES[name]\n",
    "shop/login.py": "def login(name, password):\n    user = find(name)\n\n    assert user.check(password)\n",
    "tests/test_cart.py": "def test_total():\n    pass\n",
    "docs/weather.md": "# Weather\n\nRain and snow in the valley.\n",
}
CART = "the total of the cart raises KeyError for an apple"
LOGIN = "login accepts a wrong password"
WEATHER = "describe snow in the valley"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path, text in SOURCES.items():
        (tmp_path / "shop" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "shop" / path).write_text(text)
    return tmp_path / "shop"


@pytest.fixture
def gathered(folder: Path, tmp_path: Path) -> Iterator[Callable[..., dict[str, ContextItem]]]:
    opened: list[Workspace] = []

    def gather(text: str, *reports: str) -> dict[str, ContextItem]:
        for name in reports:
            shutil.copy(DATA / name, folder / name)
        workspace = Workspace.open(folder, cache_dir=tmp_path / "cache")
        opened.append(workspace)
        task = make_task(text, workspace.index.documents)
        return {item.id: item for item in ErrorsProvider().gather(task, workspace, ())}

    yield gather
    for workspace in opened:
        workspace.close()


Gather = Callable[..., dict[str, ContextItem]]


def test_a_failure_that_the_task_is_about_arrives_with_its_files(gathered: Gather) -> None:
    items = gathered(CART, "pytest.log")

    assert "KeyError: 'apple'" in (items["error:pytest.log"].text or "")
    assert "wrong password" not in (items["error:pytest.log"].text or "")
    assert {"file:shop/prices.py", "file:shop/cart.py"} <= items.keys()
    assert "file:shop/login.py" not in items


def test_another_task_gets_another_failure_of_the_same_log(gathered: Gather) -> None:
    text = gathered(LOGIN, "pytest.log")["error:pytest.log"].text or ""

    assert "wrong password was accepted" in text
    assert "apple" not in text


def test_an_unrelated_task_gets_nothing(gathered: Gather) -> None:
    assert gathered(WEATHER, "pytest.log", "junit.xml", "scan.sarif", "coverage.json", "many.log") == {}


def test_an_unrelated_bug_gets_nothing_although_it_speaks_of_an_error(gathered: Gather) -> None:
    assert gathered("fix the error in the snow of the valley", "pytest.log") == {}


@pytest.mark.parametrize("text", ["fix the failing tests", "why does the build fail?", "make CI green again"])
def test_a_task_that_names_no_subject_gets_every_failure(gathered: Gather, text: str) -> None:
    told = gathered(text, "pytest.log")["error:pytest.log"].text or ""

    assert "apple" in told
    assert "wrong password" in told


def test_words_of_a_question_ask_for_no_failures(gathered: Gather) -> None:
    assert gathered("how do I add a password to the login", "pytest.log") == {}
    assert "error:pytest.log" in gathered("why does the login fail", "pytest.log")


def test_a_log_without_failures_gives_nothing(gathered: Gather) -> None:
    assert gathered("fix the failing tests", "clean.log") == {}


def test_the_log_itself_is_only_named_where_its_failures_are_told(gathered: Gather) -> None:
    assert gathered(CART, "pytest.log")["file:pytest.log"].note
    assert "file:pytest.log" not in gathered("what does @pytest.log say of the cart?", "pytest.log")


def test_places_are_workspace_paths_innermost_first(gathered: Gather) -> None:
    lines = (gathered(CART, "pytest.log")["error:pytest.log"].text or "").split("\n")

    assert [line for line in lines if line.startswith("  at ")][:2] == [
        "  at shop/prices.py:5",
        "  at shop/cart.py:8",
    ]


def test_the_file_where_a_failure_came_up_comes_with_its_line(gathered: Gather) -> None:
    items = gathered(CART, "pytest.log")

    assert items["file:shop/prices.py"].lines == (5, 5)
    assert items["file:shop/cart.py"].lines == (0, 0)


def test_a_scanner_s_finding_arrives_with_its_file(gathered: Gather) -> None:
    items = gathered("the password is logged", "scan.sarif")

    assert "  at shop/login.py:4\n" in (items["error:scan.sarif"].text or "")
    assert "file:shop/login.py" in items


def test_coverage_is_told_of_files_that_the_task_names_and_only_when_it_asks(gathered: Gather) -> None:
    text = gathered("add tests for shop/cart.py", "coverage.json")["error:coverage.json"].text or ""

    assert "shop/cart.py:8-11" in text
    assert "login" not in text
    assert gathered("shop/cart.py is slow", "coverage.json") == {}


def test_frames_pasted_in_the_task_bring_their_files(gathered: Gather) -> None:
    pasted = 'Traceback (most recent call last):\n  File "/x/shop/cart.py", line 8, in total\nKeyError: 1'

    assert list(gathered(pasted)) == ["file:shop/cart.py"]


def test_a_damaged_report_gives_nothing(gathered: Gather, folder: Path) -> None:
    (folder / "junit.xml").write_text("<testsuites><failure cart total")

    assert "error:junit.xml" not in gathered(CART)


def test_no_more_reports_are_read_than_the_setting_says(
    gathered: Gather, folder: Path, tmp_path: Path
) -> None:
    for number in range(20):
        shutil.copy(DATA / "pytest.log", folder / f"run{number}.log")
    workspace = Workspace.open(folder, cache_dir=tmp_path / "cache2")

    items = list(ErrorsProvider(reports=3).gather(Task(CART), workspace, ()))
    few = list(ErrorsProvider(reports=3, max_items=2).gather(Task(CART), workspace, ()))
    workspace.close()

    assert sum(item.kind == "error" for item in items) == 3
    assert few == items[:2], "the host takes no more, and would tell a problem"


def test_each_failure_is_a_part_with_its_message_as_head_and_its_places() -> None:
    text = "KeyError: 1\n  at a b/c.py:3\n  at d.py:4-9\n    File x\n\nE2\n    at e.js:3\n"
    item = ContextItem("error:x", "errors", "error", "x", text=text)

    first, second = Failures().split(item)

    assert (first.lines, first.head, first.refs) == ((1, 5), (1, 1), ("a b/c.py:3", "d.py:4-9"))
    assert (second.lines, second.refs) == ((6, 7), ())


def test_only_errors_are_claimed() -> None:
    assert Failures().claims(ContextItem("error:x", "errors", "error", "x")) == 0.9
    assert Failures().claims(ContextItem("file:x", "files", "file", "x")) == 0.0
