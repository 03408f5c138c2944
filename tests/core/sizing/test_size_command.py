"""`satchel size` from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest

from satchel.cli import run
from satchel.schemas import published

from .headers import measured, saved, tensors_of, values_of


@pytest.fixture
def model(tmp_path: Path) -> str:
    known = measured()["cohere2"]
    return str(saved(tmp_path / "weights.gguf", values_of(known), list(tensors_of(known))))


def told(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert run(["size", *words]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def test_the_answer_as_json_keeps_its_contract(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(told(capsys, model, "--vram", "4GiB", "--margin", "0", "--table", "--format", "json"))

    jsonschema.validate(answer, json.loads(published("size")))
    assert answer["limited_by"] == "memory"
    assert answer["total_bytes"] <= 4 << 30
    assert answer["total_bytes"] == answer["weights_bytes"] + answer["kv_bytes"] + answer["compute_bytes"]
    assert len(answer["table"]) == 12


def test_a_given_window_is_sized_without_a_card(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = "--context 5000 --kv-type-k q8_0 --kv-type-v f16 --ubatch 96 --slots 3 --unified --swa-full"

    answer = json.loads(told(capsys, model, *words.split(), "--outputs", "9", "--format", "json"))

    assert (answer["context"], answer["limited_by"], answer["fits"]) == (5000, "user", True)
    assert answer["run"]["kv_type_k"] == "q8_0"
    assert answer["devices"][0]["free_bytes"] is None


def test_a_person_reads_what_fits_and_how_to_run_it(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys, model, "--vram", "4GiB")

    assert "limited by memory" in text
    assert "llama-server -m" in text
    assert "num_ctx" in text


def test_a_person_reads_what_is_missing(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "does not fit" in told(capsys, model, "--vram", "1GiB")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--vram", "lots"], "--vram 'lots'"),
        (["--context", "0x10"], "not a whole number"),
        (["--context", "4096", "--kv-type", "q8"], "did you mean q8_0"),
        (["--context", "4096", "--slots", "0"], "slots, not 0"),
        (["--context", "0"], "at least 1"),
    ],
)
def test_what_makes_no_sense_is_one_line(
    words: list[str], reason: str, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = told(capsys, model, *words, code=2)

    assert reason in text
    assert text.count("\n") == 1


def test_a_missing_file_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert "no such file" in told(capsys, "nowhere.gguf", "--context", "4096", code=1)
