"""`satchel index`: what it prints, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from satchel.cli import run
from satchel.schemas import read_schema

Capture = pytest.CaptureFixture[str]


def test_it_tells_what_was_split(shop: Path, capfd: Capture) -> None:
    assert run(["index", "--root", str(shop), "--jobs", "1"]) == 0

    told = capfd.readouterr()
    assert told.out.startswith("3 files, 3 texts; split 3 now; the index is /")
    assert told.err == ""


@pytest.mark.weekly
def test_its_json_keeps_its_schema(shop: Path, capfd: Capture) -> None:
    assert run(["index", "--root", str(shop), "--format", "json"]) == 0

    answer = json.loads(capfd.readouterr().out)
    jsonschema.Draft202012Validator(json.loads(read_schema("index"))).validate(answer)
    assert (answer["texts"], answer["split"], answer["left"]) == (3, 3, 0)


@pytest.mark.parametrize("words", [["--jobs", "0"], ["--jobs", "many"], ["--format", "xml"]])
def test_what_makes_no_sense_is_refused(shop: Path, words: list[str], capfd: Capture) -> None:
    assert run(["index", "--root", str(shop), *words]) == 2
    assert capfd.readouterr().err.count("\n") == 1


def test_a_folder_that_is_not_there_is_named(tmp_path: Path, capfd: Capture) -> None:
    assert run(["index", "--root", str(tmp_path / "gone")]) == 1
    assert "is not a folder" in capfd.readouterr().err
