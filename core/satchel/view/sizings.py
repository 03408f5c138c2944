"""Render the output of `satchel size`: a window, its limit, its memory, and settings for servers."""

from __future__ import annotations

from collections.abc import Sequence

from satchel.paths import safe_text
from satchel.sizing.devices import format_bytes
from satchel.sizing.fitting import DeviceMemory
from satchel.sizing.models.opening import RunningServer
from satchel.sizing.options import ALL_LAYERS
from satchel.sizing.sizing import Choice, Sizing
from satchel.view.tables import table

_LIMITS = {
    "trained": "as long as the model was trained for",
    "memory": "limited by memory",
    "user": "as asked",
}


def as_json(answer: Sizing, ways: Sequence[Choice] = ()) -> dict[str, object]:
    """Return the output of `satchel size --format json`."""
    together, per_token = answer.usage.together, answer.bytes_per_token
    fitting = answer.fits
    return {
        "schema": 1,
        "model": answer.model,
        "architecture": answer.shape.architecture,
        "engine": answer.engine,
        "context": answer.run.context if fitting or answer.limited_by == "user" else 0,
        "limited_by": answer.limited_by,
        "trained_context": answer.shape.trained_context,
        "fits": fitting,
        "short_bytes": answer.short_bytes,
        "kv_bytes": together.cache,
        "kv_bytes_per_token": per_token,
        "weights_bytes": together.weights,
        "compute_bytes": together.compute,
        "total_bytes": together.total,
        "host": _memory(answer.usage.host),
        "devices": _devices(answer),
        "run": _run(answer),
        "nearest": _choice(answer.nearest),
        "table": [_choice(way) for way in ways],
        "settings": dict(answer.settings) if fitting else {},
        "problems": list(answer.usage.problems),
    }


def _memory(memory: DeviceMemory) -> dict[str, object]:
    return {
        "weights_bytes": memory.weights,
        "kv_bytes": memory.cache,
        "compute_bytes": memory.compute,
        "total_bytes": memory.total,
    }


def _devices(answer: Sizing) -> list[dict[str, object]]:
    cards = answer.cards or (None,) * len(answer.usage.cards)
    return [
        _memory(memory)
        | {
            "name": card.name if card else "",
            "free_bytes": card.free_bytes if card else None,
            "margin_bytes": card.margin_bytes if card else None,
        }
        for memory, card in zip(answer.usage.cards, cards, strict=True)
    ]


def _run(answer: Sizing) -> dict[str, object]:
    run = answer.run
    return {
        "kv_type_k": run.key_kind.name,
        "kv_type_v": run.value_kind.name,
        "ubatch": run.micro_batch,
        "slots": run.slots,
        "unified": run.unified,
        "swa_full": run.full_sliding,
        "outputs": run.wanted,
        "gpu_layers": min(run.gpu_layers, len(answer.shape.layers) + 1, ALL_LAYERS),
        "flash_attn": run.flash_attention,
    }


def _choice(choice: Choice | None) -> dict[str, object] | None:
    if choice is None:
        return None
    return {
        "kv_type_k": choice.key_kind,
        "kv_type_v": choice.value_kind,
        "gpu_layers": choice.gpu_layers,
        "context": choice.context,
        "total_bytes": choice.total_bytes,
    }


def as_text(answer: Sizing, ways: Sequence[Choice] = ()) -> str:
    """Return the answer as text."""
    parts = [_verdict(answer), _memories(answer)]
    if ways:
        parts.append(_ways(ways))
    if answer.fits and answer.settings:
        width = max(map(len, answer.settings))
        parts.append(
            "\n".join(f"{name:<{width}}  {safe_text(text)}" for name, text in answer.settings.items())
        )
    parts += [f"note: {reason}" for reason in (answer.left_out if answer.fits else ())]
    parts += [f"note: {safe_text(problem)}" for problem in answer.usage.problems]
    parts.append(f"by the rules of {answer.engine}")
    return "\n\n".join(parts) + "\n"


def _verdict(answer: Sizing) -> str:
    trained = f"{answer.shape.trained_context:,}"
    if answer.fits:
        limit = _LIMITS[answer.limited_by]
        rate = format_bytes(round(answer.bytes_per_token))
        return f"{answer.run.context:,} tokens, {limit} (trained: {trained}), {rate} a token"
    short = f"does not fit, {format_bytes(answer.short_bytes)} short at {answer.run.context:,} tokens"
    near = answer.nearest
    if near is None:
        return f"{short}; nothing nearer fits, take a smaller quantization or more memory"
    every = len(answer.shape.layers) + 1
    layers = f"{near.gpu_layers} of {every}" if near.gpu_layers < every else f"all {every}"
    return (
        f"{short}; {near.context:,} tokens fit with {near.key_kind} keys and values, "
        f"{layers} layers on the card"
    )


def _memories(answer: Sizing) -> str:
    rows: list[tuple[str, ...]] = [("", "weights", "cache", "compute", "together", "free", "held back")]
    cards = answer.cards or (None,) * len(answer.usage.cards)
    for at, (memory, card) in enumerate(zip(answer.usage.cards, cards, strict=True)):
        free = (format_bytes(card.free_bytes), format_bytes(card.margin_bytes)) if card else ("-", "-")
        rows.append((safe_text(card.name) if card and card.name else f"card {at}", *_cells(memory), *free))
    rows.append(("host", *_cells(answer.usage.host), "-", "-"))
    return table(rows, right=range(1, 7))


def _cells(memory: DeviceMemory) -> tuple[str, ...]:
    return tuple(format_bytes(part) for part in (memory.weights, memory.cache, memory.compute, memory.total))


def _ways(ways: Sequence[Choice]) -> str:
    rows: list[tuple[str, ...]] = [("layers on cards", "keys, values", "largest window", "on cards")]
    rows += [
        (
            str(way.gpu_layers),
            way.key_kind,
            f"{way.context:,}" if way.context else "-",
            format_bytes(way.total_bytes),
        )
        for way in ways
    ]
    return table(rows, right=(0, 2, 3))


def running_json(address: str, running: RunningServer) -> dict[str, object]:
    """Return a running server's window as JSON."""
    return {
        "schema": 1,
        "model": running.model_path or address,
        "engine": running.build or "llama-server",
        "context": running.context,
        "limited_by": "server",
        "slots": running.slots,
        "problems": [],
    }


def running_text(running: RunningServer) -> str:
    """Return a running server's window as text."""
    model = safe_text(running.model_path) or "its model"
    slots = f"{running.slots} slot{'s' if running.slots != 1 else ''}"
    return f"{running.context:,} tokens for each of {slots}, as the server runs {model}\n"
