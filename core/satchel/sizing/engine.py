"""The engine's own answer: the memory that an installed llama-cpp-python would allocate for a run."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import cast

from satchel.errors import SatchelError, UsageError
from satchel.sizing.fitting import DeviceMemory, DeviceUsage
from satchel.sizing.models.gguf import TYPES
from satchel.sizing.options import ALL_LAYERS, Run
from satchel.sizing.sizing import Sizing

SECONDS = 60.0
"""How long the engine may take: half a second is usual, a split model on a slow disk takes more."""
MOST_SAID = 200
_LAYERS_OF_ALL = 999


class EngineError(SatchelError):
    """The installed engine can't be asked, or refuses the run."""


def ask_engine(answer: Sizing, *, seconds: float = SECONDS) -> Sizing:
    """Return `answer` with the memory that the installed llama-cpp-python would allocate.

    The engine runs in a process of its own and allocates nothing.

    Raises:
        UsageError: the model is not a GGUF file, or the engine lacks the requested cards.
        EngineError: it is not installed, too old, takes too long, ends early, or refuses.
    """
    if not Path(answer.model).is_file():
        raise UsageError(f"--engine needs a .gguf file, {answer.model} is not one")
    said = _run_child(json.dumps(_question(answer.model, answer.run)), seconds)
    version = f"llama-cpp-python {said.get('version', '')}, asked"
    usage = _usage(cast("list[tuple[str, int, int, int]]", said.get("buffers", [])))
    wanted = len(answer.cards) or (1 if answer.run.gpu_layers else 0)
    if answer.run.gpu_layers and len(usage.cards) != wanted:
        raise UsageError(
            f"the installed engine uses {len(usage.cards)} graphics cards for this run, not {wanted}; "
            "leave out --engine, or ask for --gpu-layers 0"
        )
    cards = usage.cards or (DeviceMemory(0, 0, 0),) * len(answer.usage.cards)
    return answer._replace(usage=usage._replace(cards=cards), engine=version)


def _question(model: str, run: Run) -> dict[str, object]:
    numbers = {kind.name: number for number, kind in TYPES.items()}
    layers = _LAYERS_OF_ALL if run.gpu_layers >= ALL_LAYERS else run.gpu_layers
    loading = {"no_alloc": True, "use_mmap": False, "load_mode": 0, "use_extra_bufts": False}
    return {
        "path": str(Path(model).absolute()),
        "model_params": {**loading, "n_gpu_layers": layers},
        "context_params": {
            "n_ctx": run.context,
            "n_batch": max(2048, run.micro_batch),
            "n_ubatch": run.micro_batch,
            "n_seq_max": run.slots,
            "n_outputs_max": run.wanted,
            "type_k": numbers[run.key_kind.name],
            "type_v": numbers[run.value_kind.name],
            "flash_attn_type": int(run.flash_attention),
            "flash_attn": run.flash_attention,
            "kv_unified": run.unified,
            "swa_full": run.full_sliding,
        },
    }


def _run_child(question: str, seconds: float) -> Mapping[str, object]:
    # -P: a llama_cpp.py in the current folder is not the package.
    words = [sys.executable, "-P", str(Path(__file__).with_name("engine_child.py"))]
    try:
        done = subprocess.run(  # noqa: S603  our own program, with this interpreter
            words,
            input=question,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        raise EngineError(f"llama-cpp-python did not answer within {seconds:g} seconds") from None
    except OSError as error:
        raise EngineError(f"llama-cpp-python can't be asked: {error.strerror or error}") from error
    try:
        said = json.loads(done.stdout.splitlines()[-1]) if done.stdout.strip() else None
    except ValueError:
        said = None
    if not isinstance(said, dict):
        last = (done.stderr.strip().splitlines() or ["nothing"])[-1]
        raise EngineError(f"llama-cpp-python ended with code {done.returncode}, saying {last[:MOST_SAID]!r}")
    return _check_answer(said)


def _check_answer(said: Mapping[str, object]) -> Mapping[str, object]:
    if "missing" in said:
        raise EngineError(
            f"llama-cpp-python is not installed beside satchel ({str(said['missing'])[:MOST_SAID]}); "
            "pip install llama-cpp-python, or leave out --engine"
        )
    if "old" in said:
        raise EngineError(
            f"llama-cpp-python {said['old']} is too old: it can't plan a model without loading it; upgrade it"
        )
    if "error" in said:
        raise EngineError(f"llama-cpp-python: {' '.join(str(said['error']).split())[:MOST_SAID]}")
    return said


def _usage(buffers: Iterable[tuple[str, int, int, int]]) -> DeviceUsage:
    """Return the memory by device; buffers of one device are added up."""
    devices: dict[str, DeviceMemory] = {"": DeviceMemory(0, 0, 0)}
    for name, *sizes in buffers:
        device = _device(name)
        before = devices.get(device, (0, 0, 0))
        devices[device] = DeviceMemory(*(old + new for old, new in zip(before, sizes, strict=True)))
    host = devices.pop("")
    if not host.total and not devices:
        raise EngineError("llama-cpp-python did not report the sizes of its buffers")
    return DeviceUsage(tuple(devices[name] for name in sorted(devices)), host)


def _device(buffer: str) -> str:
    """Return the card that a buffer is on, "" for the host."""
    return "" if buffer.startswith("CPU") or buffer.endswith("_Host") else buffer
