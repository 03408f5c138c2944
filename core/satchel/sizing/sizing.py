"""Size a model's window: the largest that fits, what limits it, and settings for servers."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from satchel.errors import SatchelError, UsageError
from satchel.sizing.fitting import Card, DeviceUsage, bytes_per_token, fits, largest, shortfall, usage_of
from satchel.sizing.models.gguf import Header, kind_of
from satchel.sizing.models.huggingface import HUGGING_FACE
from satchel.sizing.models.opening import open_model
from satchel.sizing.models.shapes import ModelShape, shape_of
from satchel.sizing.options import ALL_LAYERS, Run, check_run
from satchel.tokens.models import OLLAMA

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.host import Host
    from satchel.tokens.models import Model


EVERY_LAYER = 999


_VLLM_CACHES: Mapping[str, str] = {"f16": "", "bf16": "", "q8_0": " --kv-cache-dtype fp8"}
"""Types of keys and values, and vLLM's option for one that costs no more: fp8 has 8 bits, q8_0 has 8.5."""
_OLLAMA_CACHES = ("f16", "q8_0", "q4_0")
_VLLM_SHARE = "within --gpu-memory-utilization, by default 0.9 of the whole card"
"""vLLM takes a share of the card's memory, whatever else is on it."""


def list_settings(model: str, run: Run, *, layers: int = 0, is_hugging_face: bool = False) -> dict[str, str]:
    """Return a command or setting for each server that can run the model so, by the server's name.

    Args:
        model: as it was named.
        run: how it is run, with its window.
        layers: of the model, the output counted as one.
        is_hugging_face: whether it is a folder of Hugging Face, which vLLM alone loads.
    """
    local = "" if model.startswith("ollama:") else model
    file, folder = shlex.quote(local or "MODEL.gguf"), shlex.quote(local or "MODEL")
    each, left_out = run.context // run.slots, explain_left_out(run, layers)
    vllm = f"vllm serve {folder} --max-model-len {each} --max-num-seqs {run.slots}"
    vllm += f"{_VLLM_CACHES.get(run.key_kind.name, '')}  # {_VLLM_SHARE}"
    settings = {
        "llama-server": f"llama-server -m {file} {' '.join(_engine(run))}",
        "ollama": f"{_ollama(run)}  # in a Modelfile or request: num_ctx {each}{_layers(run)}",
        "vllm": vllm,
        "lm-studio": f"lms load MODEL --context-length {each} --gpu {_share(run, layers)}{_cache_note(run)}",
    }
    shown = ("vllm",) if is_hugging_face else tuple(settings)
    return {name: settings[name] for name in shown if name not in left_out}


def explain_left_out(run: Run, layers: int = 0) -> dict[str, str]:
    """Return why a server has no settings for such a run of a model with `layers`, by its name."""
    keys, values = run.key_kind.name, run.value_kind.name
    kinds = keys if keys == values else f"{keys} and {values}"
    left_out = {}
    if run.gpu_layers < min(layers or ALL_LAYERS, ALL_LAYERS):
        left_out["vllm"] = "vLLM can't be told to keep some layers off the card"
    elif keys != values or keys not in _VLLM_CACHES:
        left_out["vllm"] = f"vLLM has no cache of {kinds}: 16 bits or fp8 (--kv-type f16, q8_0)"
    if keys != values or keys not in _OLLAMA_CACHES:
        left_out["ollama"] = (
            f"Ollama has no cache of {kinds}: {', '.join(_OLLAMA_CACHES)} for keys and values"
        )
    return left_out


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
    parts += [f"OLLAMA_KV_CACHE_TYPE={kind}"] if kind != "f16" else []
    return " ".join([*parts, "ollama serve"])


def _layers(run: Run) -> str:
    return "" if run.gpu_layers >= ALL_LAYERS else f", num_gpu {run.gpu_layers}"


def _share(run: Run, layers: int) -> str:
    if run.gpu_layers >= min(layers or ALL_LAYERS, ALL_LAYERS):
        return "max"
    return f"{math.floor(100 * run.gpu_layers / max(1, layers)) / 100:g}" if run.gpu_layers else "off"


def _cache_note(run: Run) -> str:
    """Return LM Studio's setting for the types of its cache, for which its command has no option."""
    keys, values = run.key_kind.name, run.value_kind.name
    if keys == values == "f16":
        return ""
    return f"  # in the model's load settings: K cache quantization {keys}, V cache quantization {values}"


ENGINE = "llama.cpp of llama-cpp-python 0.3.36"
"""The engine whose rules are followed; paddings and buffers change between its versions."""
MARGIN_BYTES = 512 << 20
MARGIN_SHARE = 100
"""One part in this many of a card's memory is held back, besides the bytes: other programs, CUDA's own."""
SMALLEST_USEFUL = 4096
SMALLER_CACHES = ("f16", "q8_0", "q4_0")
OFFLOADED_QUARTERS = (4, 3, 2, 1)


class Choice(NamedTuple):
    """Another way to run the model."""

    key_kind: str
    value_kind: str
    gpu_layers: int
    """Layers on the cards, the output counted as one."""
    context: int
    """The largest window that fits, 0 if none fits."""
    total_bytes: int


class Sizing(NamedTuple):
    """The answer: a window, what limits it, and the memory it takes."""

    model: str
    shape: ModelShape
    run: Run
    """How the model is run, with the window of the answer."""
    limited_by: str
    """`trained`, `memory` or `user`."""
    usage: DeviceUsage
    cards: tuple[Card, ...]
    """Empty where no card was asked or given."""
    nearest: Choice | None = None
    """A run that fits, if the answer does not."""
    engine: str = ENGINE
    """The engine whose rules were followed, or that was asked."""

    @property
    def fits(self) -> bool:
        """Return whether the cards hold it; without cards there is no limit."""
        return self.run.context > 0 and (not self.cards or fits(self.usage, self.cards))

    @property
    def short_bytes(self) -> int:
        """Return the bytes that are missing, 0 if it fits."""
        return shortfall(self.usage, self.cards) if self.cards else 0

    @property
    def bytes_per_token(self) -> float:
        """Return the cache bytes of one more token of the window."""
        return bytes_per_token(self.shape, self.run)

    @property
    def settings(self) -> Mapping[str, str]:
        """Return ready-made settings for servers."""
        layers = len(self.shape.layers) + 1
        is_folder = self.shape.is_hugging_face
        return list_settings(self.model, self.run, layers=layers, is_hugging_face=is_folder)

    @property
    def left_out(self) -> tuple[str, ...]:
        """Return why servers have no settings here."""
        reasons = explain_left_out(self.run, len(self.shape.layers) + 1)
        shown = [name for name in reasons if name == "vllm" or not self.shape.is_hugging_face]
        return tuple(reasons[name] for name in shown)


def default_margin(total_bytes: int) -> int:
    """Return the bytes of a card that are held back by default."""
    return MARGIN_BYTES + total_bytes // MARGIN_SHARE


def size(model: str, run: Run | None = None, *, cards: Sequence[Card] = ()) -> Sizing:
    """Size the window of a model: a .gguf file, a folder, or `ollama:NAME`.

    A window of 0 in `run` asks for the largest that fits on `cards`, each with its margin.

    Raises:
        HeaderError: the model can't be read.
        UsageError: the engine would refuse such a run.
    """
    return size_header(model, open_model(model), run or Run(0), cards=cards)


def size_header(model: str, header: Header, run: Run, *, cards: Sequence[Card]) -> Sizing:
    """Size the window of a model whose header was read."""
    shape, run = shape_of(header), _sharing(run, cards)
    check_run(run._replace(context=run.context or run.slots))
    context, limit = _window(shape, run, cards)
    chosen = run._replace(context=context or _least(shape, run))
    usage = usage_of(shape, chosen)
    usage = usage._replace(problems=(*header.problems, *_note_beyond(shape, chosen), *usage.problems))
    nearest = _nearest(shape, run, cards) if cards and not fits(usage, cards) else None
    return Sizing(model, shape, chosen, limit, usage, tuple(cards), nearest)


def _note_beyond(shape: ModelShape, run: Run) -> tuple[str, ...]:
    """Return a note if a conversation may be longer than the model was trained for."""
    each = run.context if run.unified else run.context // run.slots
    if each <= shape.trained_context:
        return ()
    return (
        f"{each:,} tokens are more than the {shape.trained_context:,} that the model was trained for: "
        "beyond that it answers badly, unless the server stretches its positions (RoPE scaling)",
    )


def name_cards(texts: Sequence[str], *, margin: int | None = None) -> list[Card]:
    """Return cards with a person's figures of free memory, each named as written (`--vram 16GB`).

    Raises UsageError if a text is not a size.
    """
    from satchel.sizing.devices import parse_memory

    sizes = [parse_memory(text, what="--vram") for text in texts]
    return [
        Card(size, default_margin(size) if margin is None else margin, f"--vram {text.strip()}")
        for size, text in zip(sizes, texts, strict=True)
    ]


def _sharing(run: Run, cards: Sequence[Card]) -> Run:
    """Return the run with layers shared out by the cards' free memory, as the engine does."""
    shares = tuple(float(card.free_bytes) for card in cards)
    return run._replace(shares=shares if any(shares) else (1.0,) * max(1, len(cards)))


def _window(shape: ModelShape, run: Run, cards: Sequence[Card]) -> tuple[int, str]:
    if run.context:
        return run.context, "user"
    if not cards:
        return shape.trained_context, "trained"
    found = largest(shape, run, cards)
    most = max(shape.trained_context // (256 * run.slots) * 256 * run.slots, min(shape.trained_context, 256))
    return found, "trained" if found >= most else "memory"


def _least(shape: ModelShape, run: Run) -> int:
    return max(run.slots, min(shape.trained_context, SMALLEST_USEFUL))


def _nearest(shape: ModelShape, run: Run, cards: Sequence[Card]) -> Choice | None:
    """Return the run that fits with the least sacrifice: smaller caches first, then fewer layers on cards."""
    found = (choice for choice in choices(shape, run, cards) if choice.context >= _least(shape, run))
    return next(found, None)


def choices(shape: ModelShape, run: Run, cards: Sequence[Card]) -> Iterator[Choice]:
    """Yield the largest window for each offload and cache type, all layers on the cards first."""
    every = len(shape.layers) + 1
    for quarter in OFFLOADED_QUARTERS:
        layers = min(run.gpu_layers, every) * quarter // 4
        for name in SMALLER_CACHES:
            if name != "f16" and not run.flash_attention:
                continue
            way = run._replace(key_kind=kind_of(name), value_kind=kind_of(name))
            way = way._replace(gpu_layers=min(run.gpu_layers, ALL_LAYERS) if quarter == 4 else layers)
            context = largest(shape, way, cards)
            usage = usage_of(shape, way._replace(context=context)) if context else None
            yield Choice(name, name, layers, context, usage.together.total if usage else 0)


WORKSPACE_FILES = frozenset(("satchel.toml", "pyproject.toml", "llm_context.json"))
FAMILIES = {
    "qwen35": "qwen-3.5",
    "qwen3": "qwen-3",
    "qwen": "qwen-2.5",
    "deepseek": "deepseek-v3",
    "mistral": "mistral-small",
    "gpt-oss": "gpt-oss",
    "llama": "llama-3.1",
}
"""Families of architectures whose vocabulary was measured, and a model of each."""
UNKNOWN_FACTORS = (1.2, 1.5)
"""Factors for an unmeasured vocabulary: as wide as the others' worst."""


def cards_of(host: Host, config: Config, *, margin: int | None = None) -> list[Card]:
    """Return the cards that answered, each with the memory held back on it.

    Raises SatchelError if there is none: memory of the system is never taken for a card's.
    """
    from satchel.sizing.devices import devices

    if margin is None and config.vram_margin >= 0:
        margin = config.vram_margin
    found = devices(host, config)
    if not found:
        raise SatchelError(
            "no graphics card was found: satchel gpu shows what was tried, and "
            "satchel size MODEL --vram 24GiB plans for one elsewhere"
        )
    return [
        Card(device.free_bytes, default_margin(device.total_bytes) if margin is None else margin, device.name)
        for device in found
    ]


def local_model(name: str, config: Config) -> Model:
    """Return a local model in the form of the table of models: its family's tokens, its trained window.

    Raises UsageError if a workspace's file names a model of Ollama: only a person may have a server asked.
    """
    from satchel.tokens.models import Model, find_model

    origin = config.origins.get("model", "default")
    if name.startswith(OLLAMA) and origin in WORKSPACE_FILES:
        raise UsageError(
            f"{origin} names {name}; a workspace may not have a server asked, use --model {name}"
        )
    shape = shape_of(open_model(name))
    architecture = shape.architecture.removeprefix(HUGGING_FACE)
    family = next((one for one in FAMILIES if architecture.startswith(one)), "")
    known = find_model(FAMILIES[family]) if family else None
    factors = (known.factor, known.factor_p95) if known else UNKNOWN_FACTORS
    return Model(name, family or architecture, shape.trained_context, None, "o200k_base", *factors)


def window_of(model: str, host: Host, config: Config) -> int:
    """Return the tokens of the largest window of a local model on the available cards."""
    answer = size(model, cards=cards_of(host, config))
    if not answer.fits:
        missing = -(-answer.short_bytes >> 20)
        raise SatchelError(f"{model} does not fit, {missing:,} MiB short; see satchel size {model}")
    return answer.run.context
