"""Ready-made settings for the servers that can run the model."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from satchel.sizing.runs import ALL_LAYERS, Run

EVERY_LAYER = 999


def ready_made(model: str, run: Run) -> Mapping[str, str]:
    """Return a command or setting for each server, by its name."""
    local = "" if model.startswith("ollama:") else model
    file, folder = shlex.quote(local or "MODEL.gguf"), shlex.quote(local or "MODEL")
    each = run.context // run.slots
    return {
        "llama-server": f"llama-server -m {file} {' '.join(_engine(run))}",
        "ollama": f"{_ollama(run)}  # in a Modelfile or request: num_ctx {each}{_layers(run)}",
        "vllm": f"vllm serve {folder} --max-model-len {each} --max-num-seqs {run.slots}",
        "lm-studio": f"lms load MODEL --context-length {each} --gpu {_share(run)}",
    }


def _engine(run: Run) -> list[str]:
    layers = EVERY_LAYER if run.gpu_layers >= ALL_LAYERS else run.gpu_layers
    words = ["-c", str(run.context), "-ngl", str(layers), "-np", str(run.slots), "-ub", str(run.micro_batch)]
    words += ["-fa", "on" if run.flash_attention else "off"]
    for option, kind in (("-ctk", run.key_kind), ("-ctv", run.value_kind)):
        words += [option, kind.name] if kind.name != "f16" else []
    words += ["--kv-unified"] if run.unified else []
    return words + (["--swa-full"] if run.full_sliding else [])


def _ollama(run: Run) -> str:
    parts = [f"OLLAMA_NUM_PARALLEL={run.slots}", f"OLLAMA_FLASH_ATTENTION={int(run.flash_attention)}"]
    kind = run.key_kind.name
    parts += [f"OLLAMA_KV_CACHE_TYPE={kind}"] if kind == run.value_kind.name and kind != "f16" else []
    return " ".join([*parts, "ollama serve"])


def _layers(run: Run) -> str:
    return "" if run.gpu_layers >= ALL_LAYERS else f", num_gpu {run.gpu_layers}"


def _share(run: Run) -> str:
    return "max" if run.gpu_layers >= ALL_LAYERS else "off" if run.gpu_layers == 0 else "0.5"
