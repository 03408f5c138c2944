"""Multi-head latent attention (DeepSeek): one small vector a token stands for all keys and values."""

from __future__ import annotations

from satchel.sizing.graphs.attention import Projections, attend
from satchel.sizing.graphs.network import Network, scaled
from satchel.sizing.graphs.tensors import Tensor, apply, contiguous, joined, multiply, permute, reshape, view


def latent_attention(net: Network, layer: int, seen: Tensor) -> Tensor:
    """Return what latent attention found."""
    shape, known, tokens = net.shape, net.shape.layers[layer], net.tokens
    rank, turned = shape.number("attention.kv_lora_rank"), shape.number("rope.dimension_count")
    size = shape.number("attention.key_length_mla") or known.key
    query = reshape(_query(net, layer, seen), size, known.heads, tokens)
    packed = multiply(net.needed(layer, "attn_kv_a_mqa"), seen)
    row = 4 * (rank + turned)
    small = view(packed, (rank, tokens), (row,))
    position = view(packed, (turned, 1, tokens), (row, row), shift=4 * rank)
    position = apply("rope", position, net.positions)
    small = scaled(apply("rms_norm", small), net.of(layer, "attn_kv_a_norm"))
    scale = net.given("scale", 4, 1, 1, tokens) if shape.real("attention.temperature_scale") else None
    if not shape.latent:
        return _unpacked(net, layer, (query, small, position), scale)
    plain = view(query, (size - turned, known.heads, tokens), query.strides[1:3])
    placed = view(query, (turned, known.heads, tokens), query.strides[1:3], shift=4 * (size - turned))
    placed = apply("rope", placed, net.positions)
    absorbed = permute(multiply(net.needed(layer, "attn_k_b"), permute(plain, 0, 2, 1, 3)), 0, 2, 1, 3)
    query = joined(absorbed, placed, 0)
    small = reshape(small, rank, 1, tokens)
    query = query if scale is None else apply("mul", query, scale)
    parts = Projections(query, joined(small, position, 0), small)
    found = attend(net, layer, parts, latent=net.needed(layer, "attn_v_b"))
    return net.linear(layer, "attn_output", found)


def _query(net: Network, layer: int, seen: Tensor) -> Tensor:
    direct = net.of(layer, "attn_q")
    if direct is not None:
        return multiply(direct, seen)
    small = multiply(net.needed(layer, "attn_q_a"), seen)
    small = scaled(apply("rms_norm", small), net.of(layer, "attn_q_a_norm"))
    return multiply(net.needed(layer, "attn_q_b"), small)


def _unpacked(net: Network, layer: int, parts: tuple[Tensor, Tensor, Tensor], scale: Tensor | None) -> Tensor:
    """Return attention over keys and values that are unpacked before they are cached (old files)."""
    query, small, position = parts
    known, tokens = net.shape.layers[layer], net.tokens
    turned = position.shape[0]
    plain = known.key - turned
    both = multiply(net.needed(layer, "attn_kv_b"), small)
    row = 4 * (plain + known.value)
    keys = view(both, (plain, known.heads, tokens), (row, row * known.heads))
    value = contiguous(
        view(both, (known.value, known.heads, tokens), (row, row * known.heads), shift=4 * plain)
    )
    query = apply("rope", query, net.positions)
    query = query if scale is None else apply("mul", query, scale)
    spread = Tensor("repeat", (turned, known.heads, tokens, 1), 4, (position,))
    found = attend(net, layer, Projections(query, joined(keys, spread, 0), value))
    return net.linear(layer, "attn_output", found)
