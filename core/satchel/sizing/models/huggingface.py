"""Read a Hugging Face folder: config.json and the headers of its safetensors files."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from satchel.sizing.models.gguf import Header, HeaderError, TensorInfo

HUGGING_FACE = "huggingface "
"""The prefix of the name of each architecture that is read here."""
LARGEST_JSON = 1 << 27
LARGEST_CONFIG = 1 << 24
BYTES = {"F64": 8, "I64": 8, "U64": 8, "F32": 4, "I32": 4, "U32": 4, "F16": 2, "BF16": 2, "I16": 2, "U16": 2}
KINDS = {4: "f32", 2: "f16", 8: "f64", 1: "i8"}

_KEYS = (
    ("block_count", ("num_hidden_layers", "n_layer", "n_layers", "num_layers")),
    ("context_length", ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length")),
    ("embedding_length", ("hidden_size", "n_embd", "d_model")),
    ("attention.head_count", ("num_attention_heads", "n_head", "n_heads")),
    ("attention.head_count_kv", ("num_key_value_heads", "num_kv_heads")),
    ("attention.key_length", ("head_dim",)),
    ("attention.value_length", ("head_dim",)),
    ("feed_forward_length", ("intermediate_size", "ffn_dim", "n_inner")),
    ("attention.sliding_window", ("sliding_window",)),
    ("expert_used_count", ("num_experts_per_tok", "num_experts_per_token")),
)


def read_folder(folder: Path) -> Header:
    """Return the header from config.json and the safetensors headers, by the names that GGUF uses."""
    path = folder / "config.json"
    config = _config(path)
    # Models that also see or hear keep the language model's numbers one level down.
    nested = config.get("text_config")
    text = {**config, **nested} if isinstance(nested, dict) else config
    values = _values(path, text)
    files = sorted(folder.glob("*.safetensors"))
    if not files:
        raise HeaderError(str(folder), "has config.json and no *.safetensors file")
    tensors = tuple(tensor for file in files for tensor in _tensors(file))
    return Header(str(folder), values, tensors)


def _config(path: Path) -> Mapping[str, object]:
    try:
        if path.stat().st_size > LARGEST_CONFIG:
            raise HeaderError(str(path), "is too large for a config.json")
        parsed = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise HeaderError(str(path), f"is not JSON: {error}") from error
    if not isinstance(parsed, dict):
        raise HeaderError(str(path), "is not a JSON object")
    return cast("Mapping[str, object]", parsed)


def _values(path: Path, config: Mapping[str, object]) -> dict[str, object]:
    kind = config.get("model_type")
    name = f"{HUGGING_FACE}{kind if isinstance(kind, str) else 'model'}"
    values: dict[str, object] = {"general.architecture": name}
    for key, names in _KEYS:
        found = next((config[one] for one in names if config.get(one) is not None), None)
        if isinstance(found, int) and not isinstance(found, bool):
            values[f"{name}.{key}"] = found
        elif isinstance(found, list) and all(isinstance(one, int) for one in found):
            values[f"{name}.{key}"] = tuple(found)
        elif found is not None:
            raise HeaderError(str(path), f"{names[0]} is {found!r}, not a size")
    values.update(_special(name, config))
    return values


def _special(name: str, config: Mapping[str, object]) -> dict[str, object]:
    """Return latent attention and the kinds of layers."""
    found: dict[str, object] = {}
    rank, turned = config.get("kv_lora_rank"), config.get("qk_rope_head_dim")
    if isinstance(rank, int) and isinstance(turned, int):
        found |= {f"{name}.attention.key_length": rank + turned, f"{name}.attention.value_length": rank}
        found |= {f"{name}.attention.key_length_mla": rank + turned, f"{name}.attention.head_count_kv": 1}
    kinds = config.get("layer_types")
    if isinstance(kinds, list):
        found[f"{name}.layer_types"] = tuple(str(kind) for kind in kinds)
    return found


def _tensors(path: Path) -> list[TensorInfo]:
    with path.open("rb") as file:
        start = file.read(8)
        length = struct.unpack("<Q", start)[0] if len(start) == 8 else 0
        if not 2 <= length <= min(LARGEST_JSON, path.stat().st_size - 8):
            raise HeaderError(
                str(path), f"has a header of {length} bytes; the file is truncated or not a safetensors file"
            )
        try:
            parsed = json.loads(file.read(length))
        except (ValueError, RecursionError) as error:
            raise HeaderError(str(path), f"its header is not JSON: {error}") from error
    if not isinstance(parsed, dict):
        raise HeaderError(str(path), "its header is not a JSON object")
    return [_tensor(path, name, entry) for name, entry in parsed.items() if name != "__metadata__"]


def _tensor(path: Path, name: str, entry: object) -> TensorInfo:
    if not isinstance(entry, dict):
        raise HeaderError(str(path), f"tensor {name!r} is {entry!r}")
    start, end = _offsets(path, name, entry.get("data_offsets"))
    shape = entry.get("shape")
    if not isinstance(shape, list) or not all(isinstance(one, int) and one >= 0 for one in shape[:9]):
        raise HeaderError(str(path), f"tensor {name!r} has no proper shape")
    kind = KINDS.get(BYTES.get(str(entry.get("dtype")), 1), "i8")
    return TensorInfo(name, tuple(int(one) for one in reversed(shape[:4])), kind, end - start)


def _offsets(path: Path, name: str, stored: object) -> tuple[int, int]:
    if isinstance(stored, list) and len(stored) == 2 and all(isinstance(one, int) for one in stored):
        start, end = int(stored[0]), int(stored[1])
        if 0 <= start <= end < 1 << 56:
            return start, end
    raise HeaderError(str(path), f"tensor {name!r} has no proper data_offsets")
