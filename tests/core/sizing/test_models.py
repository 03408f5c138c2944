"""Models from Hugging Face folders, Ollama and llama-server."""

from __future__ import annotations

import json
import struct
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from satchel import SatchelError, size
from satchel.config import Config
from satchel.sizing import HeaderError, Run, ServerError, shape_of, size_header, usage_of
from satchel.sizing.models.opening import ask, ollama_address, open_model, read_llama_server, read_ollama
from satchel.sizing.sizing import UNKNOWN_FACTORS, local_model, name_cards
from satchel.tokens.models import is_local

from .headers import header_of, measured, saved, tensors_of, values_of

CONFIG = {
    "model_type": "qwen3",
    "num_hidden_layers": 4,
    "max_position_embeddings": 32_768,
    "hidden_size": 1024,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 128,
}
WEIGHTS = {"model.embed_tokens.weight": [1000, 1024], "lm_head.weight": [1000, 1024]}


def folder(path: Path, config: Mapping[str, object]) -> Path:
    (path / "config.json").write_text(json.dumps(config))
    entries, at = {}, 0
    for name, shape in WEIGHTS.items():
        end = at + 2 * shape[0] * shape[1]
        entries[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [at, end]}
        at = end
    head = json.dumps({"__metadata__": {"format": "pt"}, **entries}).encode()
    (path / "model.safetensors").write_bytes(struct.pack("<Q", len(head)) + head)
    return path


@contextmanager
def serving(answers: Mapping[str, tuple[int, bytes]]) -> Iterator[str]:
    """Serve fixed answers on a loopback port."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, body = answers.get(self.path, (404, b'{"error": "no such page"}'))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815  the library asks for this name

        def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002  the library's name

    server = HTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_folder_of_safetensors_gets_the_settings_of_what_loads_it(tmp_path: Path) -> None:
    named = str(folder(tmp_path, CONFIG))

    answer = size(named, cards=name_cards(["24GiB"]))

    assert list(answer.settings) == ["vllm"]
    (note,) = answer.usage.problems
    assert "converted to GGUF first" in note


def test_a_folder_is_a_model_by_its_path_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = folder(tmp_path, CONFIG)
    monkeypatch.chdir(named.parent)

    model = local_model(str(named), Config())

    assert (model.context_tokens, model.family) == (32_768, "qwen3")
    assert model.factor < UNKNOWN_FACTORS[0]
    assert is_local(str(named))
    assert is_local(f"./{named.name}")
    assert not is_local(named.name)
    assert not is_local("openai/gpt-5")


def test_a_folder_of_safetensors_gives_exact_weights_and_caches(tmp_path: Path) -> None:
    shape = shape_of(open_model(str(folder(tmp_path, CONFIG))))

    usage = usage_of(shape, Run(4096))

    assert usage.cards[0].weights == 2 * 2 * 1000 * 1024
    assert usage.cards[0].cache == 4 * 4096 * 2 * 8 * 128 * 2
    assert "estimated on the safe side" in usage.problems[0]


def test_the_numbers_of_a_language_model_may_stand_one_level_down(tmp_path: Path) -> None:
    nested = open_model(str(folder(tmp_path, {"model_type": "llava", "text_config": CONFIG})))

    assert shape_of(nested).trained_context == 32_768


def test_sliding_and_linear_layers_of_a_config_keep_less(tmp_path: Path) -> None:
    kinds = ["sliding_attention", "full_attention", "linear_attention", "full_attention"]
    config = {**CONFIG, "sliding_window": 1024, "layer_types": kinds}

    shape = shape_of(open_model(str(folder(tmp_path, config))))

    assert [layer.sliding for layer in shape.layers] == [True, False, False, False]
    assert [layer.attends for layer in shape.layers] == [True, True, False, True]


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({**CONFIG, "num_hidden_layers": "four"}, "not a size"),
        ({key: CONFIG[key] for key in CONFIG if key != "hidden_size"}, "is missing"),
        ({**CONFIG, "num_hidden_layers": 10**6}, "layers"),
        ({**CONFIG, "max_position_embeddings": 0}, "a window, or an embedding, of 0"),
    ],
)
def test_a_config_that_makes_no_model_is_named(
    config: dict[str, object], reason: str, tmp_path: Path
) -> None:
    with pytest.raises(HeaderError, match=reason):
        shape_of(open_model(str(folder(tmp_path, config))))


@pytest.mark.parametrize("content", [b"", b"\xff" * 8 + b"{}", struct.pack("<Q", 9) + b'{"a": 1}.'])
def test_a_damaged_safetensors_file_is_one_line(content: bytes, tmp_path: Path) -> None:
    folder(tmp_path, CONFIG)
    (tmp_path / "model.safetensors").write_bytes(content)

    with pytest.raises(HeaderError):
        open_model(str(tmp_path))


def test_a_folder_with_one_model_file_is_that_model(tmp_path: Path) -> None:
    model = measured()["lfm2"]
    saved(tmp_path / "a.gguf", values_of(model), list(tensors_of(model)))

    assert open_model(str(tmp_path)).architecture == "lfm2"


def test_a_name_that_is_no_model_says_what_could_be_one(tmp_path: Path) -> None:
    with pytest.raises(HeaderError, match="no such file"):
        open_model(str(tmp_path / "nothing.gguf"))
    with pytest.raises(HeaderError, match="names no model of Ollama"):
        open_model("ollama:")
    with pytest.raises(HeaderError, match="no model"):
        open_model(str(tmp_path))


def test_ollamas_answer_is_sized_as_the_file_is() -> None:
    model, name = measured()["lfm2"], "lfm2"
    tensors = [{"name": n, "type": kind.upper(), "shape": s} for n, kind, s in tensors_of(model)]
    shown = json.dumps({"model_info": values_of(model), "tensors": tensors}).encode()

    with serving({"/api/show": (200, shown)}) as address:
        header = read_ollama(name, address)

    there = size_header(name, header, Run(4096), cards=())
    here = size_header(name, header_of(model), Run(4096), cards=())
    assert there.usage == here.usage


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (404, b'{"error": "model not found"}', "model not found"),
        (200, b"<html>", "with JSON"),
        (200, b"{}", "no model_info"),
        (200, b'{"model_info": {}}', "no tensors"),
        (200, b'{"model_info": {}, "tensors": [{"name": "a", "type": "Q9", "shape": [1]}]}', "has a tensor"),
    ],
)
def test_an_odd_answer_of_ollama_is_one_line(status: int, body: bytes, reason: str) -> None:
    with serving({"/api/show": (status, body)}) as address, pytest.raises(SatchelError, match=reason):
        read_ollama("x", address)


def test_a_running_server_tells_its_window() -> None:
    props = {"default_generation_settings": {"n_ctx": 8192}, "total_slots": 4, "model_path": "/m/a.gguf"}

    with serving({"/props": (200, json.dumps(props).encode())}) as address:
        running = read_llama_server(address + "/")

    assert (running.context, running.slots, running.model_path) == (8192, 4, "/m/a.gguf")


def test_a_server_that_is_none_is_told() -> None:
    odd = {"/props": (200, b'{"default_generation_settings": {}}')}

    with serving(odd) as address, pytest.raises(ServerError, match="is it a llama-server"):
        read_llama_server(address)
    with pytest.raises(ServerError, match="does not answer"):
        ask("http://127.0.0.1:9/props", seconds=2)


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("", "http://127.0.0.1:11434"),
        ("box", "http://box:11434"),
        ("0.0.0.0:8000", "http://127.0.0.1:8000"),
        ("https://box:1/", "https://box:1"),
    ],
)
def test_ollamas_address_is_where_it_says(host: str, address: str) -> None:
    assert ollama_address({"OLLAMA_HOST": host}) == address
