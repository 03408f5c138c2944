"""Files worth adding to a project's context."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from satchel.cli import run
from satchel.config import Config
from satchel.packing import suggest

from .repositories import git, make_repository, write_files

FILES = {
    "AGENTS.md": "Be kind.\n",
    "docs/architecture.md": "# How\n",
    "pyproject.toml": "[project]\nname = 'shop'\n",
    "shop/main.py": "import shop.prices\n",
    "shop/prices.py": "def price():\n    return 1\n",
    "shop/rare.py": "x = 1\n",
    "tests/test_main.py": "import shop\n",
    "node_modules/x/README.md": "no\n",
    "logo.png": b"\x89PNG\x00",
} | {f"shop/use{n}.py": "from shop.prices import price\n" for n in range(4)}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = make_repository(tmp_path / "shop", FILES)
    for day in range(1, 5):
        write_files(root, {"shop/rare.py": "x = 1\n" * (day + 1)})
        git(root, "commit", "-aqm", "change", day=day)
    return root


def reasons(root: Path, config: Config | None = None) -> dict[str, str]:
    return {one.path: "; ".join(one.reasons) for one in suggest(root, config=config)}


def test_each_file_has_a_reason_and_instructions_come_first(shop: Path) -> None:
    found = reasons(shop)

    assert next(iter(found)) == "AGENTS.md"
    assert found["docs/architecture.md"] == "explains the project"
    assert found["shop/main.py"].startswith("the program starts here")
    assert "changed by" in found["shop/rare.py"]
    assert "its name is in 5 other files" in found["shop/prices.py"]


def test_tests_vendored_files_and_pictures_are_not_suggested(shop: Path) -> None:
    assert not {"tests/test_main.py", "node_modules/x/README.md", "logo.png"} & reasons(shop).keys()


def test_what_is_added_already_is_left_out(shop: Path) -> None:
    config = Config(plugins={"provider": {"read_only": {"files": ["*.md"], "pinned": ["shop/main.py"]}}})

    assert not {"AGENTS.md", "shop/main.py"} & reasons(shop, config).keys()


def test_a_folder_without_files_or_git_has_none(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    assert suggest(tmp_path / "empty") == ()


def test_the_command_prints_them(shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["suggest", "--root", str(shop)]) == 0
    assert capfd.readouterr().out.splitlines()[0].split()[0] == "AGENTS.md"


def test_the_command_prints_json(shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["suggest", "--root", str(shop), "--format", "json"]) == 0
    answer = json.loads(capfd.readouterr().out)

    assert answer["schema"] == 1
    assert answer["suggestions"][0] == {
        "path": "AGENTS.md", "tokens": 3, "reasons": ["instructions for everyone who works here"]
    }  # fmt: skip
