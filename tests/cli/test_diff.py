"""`satchel diff`: two packs, or two strategies on one task."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from satchel.schemas import read_schema

from .conftest import Satchel

TASK = "fix the login"


@pytest.fixture
def packs(satchel: Satchel, shop: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("packs")
    files = [folder / f"{budget}.json" for budget in (150, 2_000)]
    for path in files:
        satchel("pack", TASK, "--budget", path.stem, "--format", "json", "-o", str(path), cwd=shop)
    return files


def _item(title: str, tokens: int, level: str = "full", text: str = "") -> dict[str, Any]:
    return {"path": title, "title": title, "kind": "file", "level": level, "tokens": tokens, "text": text}


def _pack(path: Path, *items: dict[str, Any], tokens: int) -> str:
    path.write_text(json.dumps({"task": "t", "budget": 100, "tokens": tokens, "items": items}))
    return str(path)


def test_all_changes_add_up_to_the_difference(satchel: Satchel, packs: list[Path], shop: Path) -> None:
    done = satchel("diff", *map(str, packs), "--format", "json", cwd=shop)

    answer = json.loads(done.stdout)
    jsonschema.validate(answer, json.loads(read_schema("diff")))
    before, after = (json.loads(path.read_text()) for path in packs)
    assert answer["tokens"] == after["tokens"] - before["tokens"] > 0
    changed = sum(one["tokens_after"] - one["tokens_before"] for one in answer["changes"])
    assert changed + answer["after"]["frame"] - answer["before"]["frame"] == answer["tokens"]
    assert {one["what"] for one in answer["changes"]} <= {"came", "went", "changed", "same"}


def test_what_came_went_and_changed_is_told(satchel: Satchel, tmp_path: Path) -> None:
    same = _item("same.py", 5)
    before = _pack(tmp_path / "a.json", _item("old.py", 10), _item("more.py", 3, "headers"), same, tokens=20)
    after = _pack(tmp_path / "b.json", _item("new.py", 7), _item("more.py", 9), same, tokens=25)

    lines = satchel("diff", before, after).stdout.decode().splitlines()

    rows = [line.split() for line in lines]
    assert ["+", "7", "full", "new.py"] in rows
    assert ["-", "10", "full", "old.py"] in rows
    assert ["~", "3", "->", "9", "headers", "->", "full", "more.py"] in rows
    assert ["the", "same", "1", "+0"] in rows
    assert rows[-1] == ["together", "+5", "tokens"]


def test_two_strategies_are_compared_on_one_task(satchel: Satchel, shop: Path) -> None:
    done = satchel("diff", "hybrid", "recent", "--task", TASK, "--budget", "300", cwd=shop)

    assert done.returncode == 0
    assert done.stdout.decode().startswith("hybrid  ")


@pytest.mark.parametrize("text", ["[]", "{}", '{"task": "t", "budget": 1, "tokens": -1, "items": []}', '"x"'])
def test_what_is_no_pack_is_an_error(satchel: Satchel, tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text)

    done = satchel("diff", str(tmp_path / "a.json"), str(tmp_path / "a.json"))

    assert done.returncode == 1
    assert b"expected what satchel pack --format json prints" in done.stderr


def test_a_secret_in_a_title_is_not_shown_in_pieces(satchel: Satchel, tmp_path: Path) -> None:
    secret = "AKIA" + "Z3MSJV5WQ7LN2XRD"
    name = _pack(tmp_path / "a.json", _item(f"{'x' * 90}/{secret}", 1), tokens=1)
    other = _pack(tmp_path / "b.json", tokens=0)

    assert secret[-9:].encode() not in satchel("diff", name, other).stdout
