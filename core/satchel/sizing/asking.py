"""Ask the graphics cards, and size a window for them: where the other commands get a local model's window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from satchel.errors import SatchelError, UsageError

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.host import Host
    from satchel.sizing.fitting import Card
    from satchel.tokens.models import Model

LOCAL_ENDINGS = (".gguf",)
OLLAMA = "ollama:"
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
"""Families of architectures whose vocabulary was measured, and a model that stands for each."""
UNKNOWN_FACTORS = (1.2, 1.5)
"""Factors of a vocabulary that was not measured: as wide as the others' worst."""


def is_local(model: str) -> bool:
    """Tell whether a model's name is that of a file, or of one that Ollama has."""
    return model.startswith(OLLAMA) or model.lower().endswith(LOCAL_ENDINGS)


def cards_of(host: Host, config: Config, *, margin: int | None = None) -> list[Card]:
    """Return the cards that answered, each with what is held back on it.

    Raises SatchelError where there is none: memory of the system is never taken for a card's.
    """
    from satchel.sizing.answers import default_margin
    from satchel.sizing.fitting import Card
    from satchel.sizing.probing import devices

    if margin is None and config.vram_margin >= 0:
        margin = config.vram_margin
    found = devices(host, config.plugins.get("gpu_backend", {}))
    if not found:
        raise SatchelError(
            "no graphics card answered, satchel gpu shows what was asked; "
            "satchel size MODEL --vram 24GiB plans for one that is elsewhere"
        )
    return [
        Card(device.free_bytes, default_margin(device.total_bytes) if margin is None else margin, device.name)
        for device in found
    ]


def local_model(name: str, config: Config) -> Model:
    """Return a local model as the table of models has others: its family's tokens, its trained window.

    Raises UsageError where a workspace's file names a model of Ollama: only a person may have a server asked.
    """
    from satchel.sizing.models.opening import open_model
    from satchel.sizing.models.shapes import shape_of
    from satchel.tokens.models import Model, find_model

    origin = config.origins.get("model", "default")
    if name.startswith(OLLAMA) and origin in WORKSPACE_FILES:
        raise UsageError(
            f"{origin} names {name}; a workspace may not have a server asked, use --model {name}"
        )
    shape = shape_of(open_model(name))
    family = next((one for one in FAMILIES if shape.architecture.startswith(one)), "")
    known = find_model(FAMILIES[family]) if family else None
    factors = (known.factor, known.factor_p95) if known else UNKNOWN_FACTORS
    return Model(
        name, family or shape.architecture, shape.trained_context, None, "offline", "o200k_base", *factors
    )


def window_of(model: str, host: Host, config: Config) -> int:
    """Return the tokens of the largest window of a local model on the cards that are there."""
    from satchel.sizing.answers import size

    answer = size(model, cards=cards_of(host, config))
    if not answer.fits:
        missing = -(-answer.short_bytes >> 20)
        raise SatchelError(f"{model} does not fit, {missing:,} MiB short; see satchel size {model}")
    return answer.run.context
