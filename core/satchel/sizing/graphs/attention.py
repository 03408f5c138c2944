"""Attention as the engine draws it: queries, keys and values, the cache, fused or step by step."""

from __future__ import annotations

from typing import NamedTuple

from satchel.sizing.graphs.network import (
    Network,
    Tensor,
    apply,
    apply_linear,
    concatenate,
    contiguous,
    multiply,
    permute,
    reshape,
    scale_values,
    transpose,
    view,
    write,
)
from satchel.sizing.graphs.scheduling import fused_attention
from satchel.sizing.models.gguf import TensorType, align
from satchel.sizing.models.shapes import LayerShape

UNROTATED_HEADS = 64


class Projections(NamedTuple):
    """Queries, keys and values of a micro-batch; keys and values are None if a cache is borrowed."""

    query: Tensor
    key: Tensor | None
    value: Tensor | None


def project(net: Network, layer: int, values: Tensor, *, split: bool = True) -> tuple[Tensor, Tensor, Tensor]:
    """Return queries, keys and values by heads; in one row a token unless `split`."""
    fused = net.layer_weight(layer, "attn_qkv")
    if fused is None:
        return _apart(net, layer, values, split=split)
    known, tokens = net.shape.layers[layer], net.tokens
    both = apply_linear(net, layer, "attn_qkv", values)
    if net.shape.real("attention.clamp_kqv") > 0:
        both = apply("clamp", both)
    sizes = ((known.key, known.heads), (known.key, known.kv_heads), (known.value, known.kv_heads))
    widths = [size * heads for size, heads in sizes]
    parts = [
        view(both, (size, heads, tokens), (4 * size, both.strides[1]), shift=4 * sum(widths[:at]))
        for at, (size, heads) in enumerate(sizes)
    ]
    if not split:
        parts = [contiguous(part, width, tokens) for part, width in zip(parts, widths, strict=True)]
    return parts[0], parts[1], parts[2]


def _apart(net: Network, layer: int, values: Tensor, *, split: bool) -> tuple[Tensor, Tensor, Tensor]:
    known = net.shape.layers[layer]
    sizes = ((known.key, known.heads), (known.key, known.kv_heads), (known.value, known.kv_heads))
    clamped = net.shape.real("attention.clamp_kqv") > 0
    found = []
    for name, (size, heads) in zip(("attn_q", "attn_k", "attn_v"), sizes, strict=True):
        # A model without values of their own uses the keys (gemma4).
        part = apply_linear(
            net, layer, name if net.layer_weight(layer, name) is not None else "attn_k", values
        )
        if clamped:
            part = apply("clamp", part)
        found.append(reshape(part, size, heads, net.tokens) if split else part)
    return found[0], found[1], found[2]


def rope(net: Network, layer: int, values: Tensor) -> Tensor:
    """Return values turned by their positions."""
    return apply("rope", values, net.positions, net.rope_factors(layer))


def attend(
    net: Network, layer: int, parts: Projections, *, source: int | None = None, latent: Tensor | None = None
) -> Tensor:
    """Return the result of the heads of `layer`, one row a token, before the output projection.

    `source` is the layer whose cache is used, `latent` the weight that unpacks latent values.
    """
    known = net.shape.layers[layer]
    turns = (None, None) if latent is not None else _rotations(net, known)
    query, key, value = _rotate_parts(parts, turns)
    for part in (query, value, key):
        if part is not None:
            net.graph.expand(part)
    at = layer if source is None else source
    cached_key, cached_value = _write_cache(net, at, known, key, value)
    if latent is not None and parts.value is not None:
        cached_value = view(cached_key, (parts.value.shape[0], *cached_key.shape[1:]), cached_key.strides[1:])
    found = _attend(net, layer, query, cached_key, cached_value, latent=latent)
    return found if turns[1] is None else _rotate(found, turns[1])


def _rotate_parts(parts: Projections, turns: tuple[Tensor | None, Tensor | None]) -> Projections:
    query, key, value = parts
    if turns[0] is not None:
        query, key = _rotate(query, turns[0]), key and _rotate(key, turns[0])
    if turns[1] is not None:
        value = value and _rotate(value, turns[1])
    return Projections(query, key, value)


def _rotations(net: Network, known: LayerShape) -> tuple[Tensor | None, Tensor | None]:
    """Return the inputs by which quantized keys and values are turned (Hadamard matrices)."""
    alike = [
        layer
        for layer in net.shape.layers
        if layer.sliding == known.sliding and layer.attends and layer.cached
    ]
    first = net.shape.layers[0]

    def turn(kind: TensorType, sizes: set[int], whole: int, *, grow: bool) -> int:
        if kind.block == 1 or len(sizes) != 1 or whole % UNROTATED_HEADS:
            return 0
        size, width = max(sizes), UNROTATED_HEADS
        while grow and size % (2 * width) == 0:
            width *= 2
        return width

    run, sort = net.run, " of the window" if known.sliding else ""
    keys = turn(run.key_kind, {layer.key for layer in alike}, first.key, grow=True)
    values = turn(run.value_kind, {layer.value for layer in alike}, first.value, grow=False)
    return (
        net.input("key turn" + sort, 4, keys, keys) if keys else None,
        net.input("value turn" + sort, 4, values, values) if values else None,
    )


def _rotate(values: Tensor, turn: Tensor) -> Tensor:
    width = turn.shape[0]
    count = values.shape[0] * values.shape[1] * values.shape[2] * values.shape[3] // width
    flat = reshape(values, width, count) if values.contiguous else contiguous(values, width, count)
    return reshape(multiply(turn, flat), *values.shape)


def _write_cache(
    net: Network, at: int, known: LayerShape, key: Tensor | None, value: Tensor | None
) -> tuple[Tensor, Tensor]:
    """Write keys and values into the cache of layer `at` and return views of its content."""
    cells, streams, run = net.cells(known), net.run.streams, net.run
    keys = net.cache("keys", at, known.kv_heads * known.key, cells, streams, kind=run.key_kind)
    widest = max(layer.kv_heads * layer.value for layer in net.shape.layers)
    width = known.kv_heads * known.value if run.flash_attention else widest
    values = net.cache("values", at, width, cells, streams, kind=run.value_kind)
    sort = " of the window" if known.sliding else ""
    if key is not None:
        slots = net.input("key cells" + sort, 8, net.tokens)
        net.graph.expand(write("set_rows", _whole(keys), _flat(key), slots, _whole(keys)))
    if value is not None and not net.shape.latent:
        net.graph.expand(_store(net, values, value, sort))
    unit, row = keys.unit, keys.strides[1]
    seen = view(keys, (known.key, known.kv_heads, cells, streams), (unit * known.key, row, row * cells))
    unit, row = values.unit, values.strides[1]
    if run.flash_attention:
        shape, strides = (known.value, known.kv_heads, cells, streams), (unit * known.value, row, row * cells)
    else:
        shape = (cells, known.kv_heads, known.value, streams)
        strides = (unit * cells * known.value, unit * cells, row * cells)
    return seen, view(values, shape, strides)


def _whole(cache: Tensor) -> Tensor:
    return reshape(cache, cache.shape[0], cache.shape[1] * cache.shape[2]) if cache.shape[2] > 1 else cache


def _flat(values: Tensor) -> Tensor:
    return view(values, (values.shape[0] * values.shape[1], values.shape[2]), (values.strides[2],))


def _store(net: Network, cache: Tensor, value: Tensor, sort: str) -> Tensor:
    if net.run.flash_attention:
        slots = net.input("value cells" + sort, 8, net.tokens)
        return write("set_rows", _whole(cache), _flat(value), slots, _whole(cache))
    widest = max(layer.kv_heads * layer.value for layer in net.shape.layers)
    slots = net.input("value cells" + sort, 8, net.tokens * widest)
    width = value.shape[0] * value.shape[1]
    flat = (
        reshape(value, width, net.tokens)
        if value.strides[2] == 4 * width
        else contiguous(value, width, net.tokens)
    )
    if width < cache.shape[0]:
        flat = Tensor("pad", (cache.shape[0], net.tokens, 1, 1), 4, (flat,))
    single = reshape(cache, 1, cache.shape[0] * cache.shape[1] * cache.shape[2])
    return write("set_rows", single, reshape(flat, 1, flat.shape[0] * flat.shape[1]), slots, single)


def _attend(
    net: Network, layer: int, query: Tensor, key: Tensor, value: Tensor, *, latent: Tensor | None
) -> Tensor:
    streams, heads = net.run.streams, query.shape[1]
    size, each = query.shape[0], query.shape[2] // streams
    split = (query.strides[1], query.strides[2], query.strides[2] * each)
    query = permute(view(query, (size, heads, each, streams), split), 0, 2, 1, 3)
    key, value = permute(key, 0, 2, 1, 3), permute(value, 0, 2, 1, 3)
    mask = net.mask(net.shape.layers[layer])
    if net.run.flash_attention:
        found = _attend_fused(net, layer, (query, key, value, mask), latent=latent)
    else:
        found = _by_steps((query, key, value, mask), latent=latent)
    return net.graph.expand(found)


def _attend_fused(
    net: Network, layer: int, parts: tuple[Tensor, Tensor, Tensor, Tensor], *, latent: Tensor | None
) -> Tensor:
    query, key, value, mask = parts
    run = net.run
    if run.key_kind.name == "f32":
        key = _cast_to_half(key)
        value = _cast_to_half(value) if latent is None or run.value_kind.name == "f32" else value
    elif run.value_kind.name == "f32":
        value = _cast_to_half(value)
    alibi = net.shape.real("attention.max_alibi_bias") > 0
    known = fused_attention(query, key, value, alibi=alibi)
    sinks = net.layer_weight(layer, "attn_sinks")
    parents = (query, key, value, mask, *(() if sinks is None else (sinks,)))
    shape = (value.shape[0], query.shape[2], query.shape[1], query.shape[3])
    found = Tensor("flash_attn" if known else "flash_attn_slow", shape, 4, parents)
    if known:
        found.extra = _half_copies(net, found, key, value, latent=latent is not None)
    if latent is not None:
        unpacked = permute(multiply(latent, permute(found, 0, 2, 1, 3)), 0, 2, 1, 3)
        found = contiguous(unpacked)
    return reshape(found, found.shape[0] * found.shape[1], found.shape[2] * found.shape[3])


def _cast_to_half(values: Tensor) -> Tensor:
    return Tensor("cast", values.shape, 2, (values,))


def _half_copies(net: Network, found: Tensor, key: Tensor, value: Tensor, *, latent: bool) -> int:
    """Return the bytes after the result in which CUDA keeps 16-bit copies of keys and values."""
    end = size = found.size
    if net.run.key_kind.name not in ("f16", "f32"):
        end = align(end, 128) + 2 * _count(key)
    if net.run.value_kind.name not in ("f16", "f32") and not latent:
        end = align(end, 128) + 2 * _count(value)
    return end - size


def _count(values: Tensor) -> int:
    return values.shape[0] * values.shape[1] * values.shape[2] * values.shape[3]


def _by_steps(parts: tuple[Tensor, Tensor, Tensor, Tensor], *, latent: Tensor | None) -> Tensor:
    query, key, value, mask = parts
    scores = Tensor(
        "mul_mat", (key.shape[1], query.shape[1], query.shape[2], query.shape[3]), 4, (key, query)
    )
    scores = apply("soft_max", apply("scale", scores), mask)
    if latent is not None:
        value = contiguous(transpose(value))
    found = Tensor("mul_mat", (value.shape[1], *scores.shape[1:]), 4, (value, scores))
    if latent is not None:
        found = multiply(latent, found)
    found = permute(found, 0, 2, 1, 3)
    return contiguous(found, found.shape[0] * found.shape[1], found.shape[2] * found.shape[3])


def latent_attention(net: Network, layer: int, seen: Tensor) -> Tensor:
    """Return the result of latent attention."""
    shape, known, tokens = net.shape, net.shape.layers[layer], net.tokens
    rank, turned = shape.number("attention.kv_lora_rank"), shape.number("rope.dimension_count")
    size = shape.number("attention.key_length_mla") or known.key
    query = reshape(_query(net, layer, seen), size, known.heads, tokens)
    packed = multiply(net.require_weight(layer, "attn_kv_a_mqa"), seen)
    row = 4 * (rank + turned)
    small = view(packed, (rank, tokens), (row,))
    position = view(packed, (turned, 1, tokens), (row, row), shift=4 * rank)
    position = apply("rope", position, net.positions)
    small = scale_values(apply("rms_norm", small), net.layer_weight(layer, "attn_kv_a_norm"))
    scale = net.input("scale", 4, 1, 1, tokens) if shape.real("attention.temperature_scale") else None
    if not shape.latent:
        return _attend_unpacked(net, layer, (query, small, position), scale)
    plain = view(query, (size - turned, known.heads, tokens), query.strides[1:3])
    placed = view(query, (turned, known.heads, tokens), query.strides[1:3], shift=4 * (size - turned))
    placed = apply("rope", placed, net.positions)
    absorbed = permute(
        multiply(net.require_weight(layer, "attn_k_b"), permute(plain, 0, 2, 1, 3)), 0, 2, 1, 3
    )
    query = concatenate(absorbed, placed, 0)
    small = reshape(small, rank, 1, tokens)
    query = query if scale is None else apply("mul", query, scale)
    parts = Projections(query, concatenate(small, position, 0), small)
    found = attend(net, layer, parts, latent=net.require_weight(layer, "attn_v_b"))
    return apply_linear(net, layer, "attn_output", found)


def _query(net: Network, layer: int, seen: Tensor) -> Tensor:
    direct = net.layer_weight(layer, "attn_q")
    if direct is not None:
        return multiply(direct, seen)
    small = multiply(net.require_weight(layer, "attn_q_a"), seen)
    small = scale_values(apply("rms_norm", small), net.layer_weight(layer, "attn_q_a_norm"))
    return multiply(net.require_weight(layer, "attn_q_b"), small)


def _attend_unpacked(
    net: Network, layer: int, parts: tuple[Tensor, Tensor, Tensor], scale: Tensor | None
) -> Tensor:
    """Return attention over keys and values that are unpacked before they are cached (old files)."""
    query, small, position = parts
    known, tokens = net.shape.layers[layer], net.tokens
    turned = position.shape[0]
    plain = known.key - turned
    both = multiply(net.require_weight(layer, "attn_kv_b"), small)
    row = 4 * (plain + known.value)
    keys = view(both, (plain, known.heads, tokens), (row, row * known.heads))
    value = contiguous(
        view(both, (known.value, known.heads, tokens), (row, row * known.heads), shift=4 * plain)
    )
    query = apply("rope", query, net.positions)
    query = query if scale is None else apply("mul", query, scale)
    spread = Tensor("repeat", (turned, known.heads, tokens, 1), 4, (position,))
    found = attend(net, layer, Projections(query, concatenate(keys, spread, 0), value))
    return apply_linear(net, layer, "attn_output", found)
