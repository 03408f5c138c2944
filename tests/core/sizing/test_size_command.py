"""`satchel size` from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest

from satchel.cli import run
from satchel.schemas import read_schema

from .headers import measured, saved, tensors_of, values_of


@pytest.fixture
def model(tmp_path: Path) -> str:
    known = measured()["cohere2"]
    return str(saved(tmp_path / "weights.gguf", values_of(known), list(tensors_of(known))))


def told(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert run(["size", *words]) == code
    captured = capsys.readouterr()
    return captured.err if code in (1, 2) else captured.out


@pytest.mark.weekly
def test_the_answer_as_json_keeps_its_contract(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(told(capsys, model, "--vram", "4GiB", "--margin", "0", "--table", "--format", "json"))

    jsonschema.validate(answer, json.loads(read_schema("size")))
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
    assert "does not fit" in told(capsys, model, "--vram", "1GiB", code=4)


def test_a_window_that_does_not_fit_can_be_told_by_the_exit_code(
    model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = json.loads(told(capsys, model, "--vram", "1GiB", "--format", "json", code=4))

    assert (answer["fits"], answer["settings"]) == (False, {})


@pytest.mark.parametrize(
    ("words", "servers"),
    [
        ("--kv-type f16", {"llama-server", "ollama", "vllm", "lm-studio"}),
        ("--kv-type q8_0", {"llama-server", "ollama", "vllm", "lm-studio"}),
        ("--kv-type q4_0", {"llama-server", "ollama", "lm-studio"}),
        ("--kv-type q5_1", {"llama-server", "lm-studio"}),
        ("--kv-type-k q8_0", {"llama-server", "lm-studio"}),
        ("--gpu-layers 2", {"llama-server", "ollama", "lm-studio"}),
        ("--gpu-layers 999", {"llama-server", "ollama", "vllm", "lm-studio"}),
    ],
)
def test_only_servers_that_can_run_it_so_have_settings(
    model: str, capsys: pytest.CaptureFixture[str], words: str, servers: set[str]
) -> None:
    given = (model, "--vram", "16GiB", *words.split())

    settings = json.loads(told(capsys, *given, "--format", "json"))["settings"]

    assert set(settings) == servers
    text = told(capsys, *given)
    assert [name for name in ("vLLM", "Ollama") if f"note: {name}" in text] == [
        name for name in ("vLLM", "Ollama") if name.lower() not in servers
    ]


def test_each_server_is_told_the_type_of_the_cache(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(told(capsys, model, "--vram", "16GiB", "--kv-type", "q8_0", "--format", "json"))
    plain = json.loads(told(capsys, model, "--vram", "16GiB", "--format", "json"))

    assert "--kv-cache-dtype fp8" in answer["settings"]["vllm"]
    assert "--gpu-memory-utilization" in answer["settings"]["vllm"]
    assert "K cache quantization q8_0" in answer["settings"]["lm-studio"]
    assert "OLLAMA_KV_CACHE_TYPE=q8_0" in answer["settings"]["ollama"]
    assert "--kv-cache-dtype" not in plain["settings"]["vllm"]
    assert "quantization" not in plain["settings"]["lm-studio"]


def test_the_nearest_way_tells_how_many_of_the_layers_are_on_the_card(
    model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    room = json.loads(told(capsys, model, "--vram", "16GiB", "--format", "json"))
    free = str(room["total_bytes"] + (1 << 20))
    more = ["--context", str(room["trained_context"] * 2)]

    assert "layers on the card" not in told(capsys, model, "--vram", free, "--margin", "0")
    assert f"{room['context']:,} tokens fit with f16 keys and values, all " in told(
        capsys, model, "--vram", free, "--margin", "0", *more, code=4
    )


def test_more_than_the_model_was_trained_for_is_noted(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    trained = json.loads(told(capsys, model, "--context", "1", "--format", "json"))["trained_context"]
    beyond = ["--context", str(trained + 1)]

    assert "trained for" not in told(capsys, model, "--context", str(trained)).partition("\n")[2]
    assert f"more than the {trained:,} that the model was trained for" in told(capsys, model, *beyond)
    assert "note:" not in told(capsys, model, *beyond, "--slots", "2")
    assert "note:" in told(capsys, model, *beyond, "--slots", "2", "--unified")


def test_a_window_may_be_written_as_budgets_are(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(told(capsys, model, "--context", "4k", "--format", "json"))

    assert answer["context"] == 4000


def test_a_card_that_was_told_is_named_as_it_was_told(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "\n--vram 16GB " in told(capsys, model, "--vram", "16GB")


def test_the_model_is_looked_at_before_a_card_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "no graphics card" not in told(capsys, str(tmp_path), code=1)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--vram", "16"], "16 of what? Write 16GiB or 16MiB"),
        (["--vram", "16GiB", "--margin", "512"], "--margin 512: 512 of what?"),
        (["--vram", "lots"], "--vram 'lots'"),
        (["--vram", "-4GiB"], "--vram '-4GiB' is not a size"),
        (["--vram", "4GiB", "--margin", "-1GiB"], "--margin '-1GiB' is not a size"),
        (["--context", "0x10"], "expected a number of tokens, like 500 or 32k, not '0x10'"),
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
