"""Gemma 3n: four parallel streams, an embedding for each layer, caches that later layers borrow."""

from __future__ import annotations

from satchel.sizing.graphs.attention import Projections, attend, project, rope
from satchel.sizing.graphs.network import (
    Network,
    Tensor,
    apply,
    apply_layer_norm,
    apply_linear,
    concatenate,
    contiguous,
    multiply,
    permute,
    pick,
    reshape,
    scale_values,
    transpose,
    view,
)

SPARSE_LAYERS = 10
"""Layers from the first whose feed-forward block keeps the strongest values only."""


def start(net: Network, values: Tensor) -> tuple[Tensor, Tensor]:
    """Return the streams, and the token embeddings of each layer."""
    host = net.placement.host
    table = net.weight("per_layer_token_embd.weight", host)
    width, layers = net.shape.number("embedding_length_per_layer_input"), len(net.shape.layers)
    told = pick(table or values, net.input("tokens of layers", 4, net.tokens))
    told = net.graph.expand(apply("scale", reshape(told, width, layers, net.tokens)))
    place = net.placement.layers[0]
    model = net.weight("per_layer_model_proj.weight", place)
    made = reshape(apply("scale", multiply(model or values, values)), width, layers, net.tokens)
    made = scale_values(apply("rms_norm", made), net.weight("per_layer_proj_norm.weight", place))
    told = contiguous(permute(apply("scale", apply("add", made, told)), 0, 2, 1, 3))
    others = net.shape.number("altup.num_inputs", 4) - 1
    repeated = Tensor("repeat", (values.shape[0], net.tokens, others, 1), 4, (values,))
    size = _magnitude(values)
    added = multiply(net.output_weight("altup_proj.weight") or values, repeated)
    added = apply("div", apply("mul", added, size), _magnitude(added))
    return concatenate(values, added, 2), told


def finish(net: Network, streams: Tensor) -> Tensor:
    """Return one stream made of all, for the tokens with logits."""
    width, tokens, count, _ = streams.shape
    size = _magnitude(_slice(streams, net.shape.number("altup.active_idx")))
    rest = view(streams, (width, tokens, count - 1), streams.strides[1:3], shift=streams.strides[2])
    back = multiply(net.output_weight("altup_unembd_proj.weight") or streams, rest)
    back = apply("div", apply("mul", back, size), _magnitude(back))
    total = _slice(streams, 0)
    for at in range(count - 1):
        total = apply("add", total, _slice(back, at))
    return pick(apply("scale", total), net.rows)


def layer(net: Network, at: int, streams: Tensor, told: Tensor) -> Tensor:
    """Return the streams after a layer."""
    active = net.shape.number("altup.active_idx")
    predicted = _predict(net, at, streams, active)
    came = _slice(predicted, active)
    seen = apply_layer_norm(net, at, "attn_norm", came)
    side = multiply(net.require_weight(at, "laurel_r"), multiply(net.require_weight(at, "laurel_l"), seen))
    side = apply("add", apply_layer_norm(net, at, "laurel_post_norm", side), seen)
    found = apply_linear(net, at, "attn_output", _attend(net, at, seen))
    found = apply("add", apply_layer_norm(net, at, "post_attention_norm", found), came)
    found = apply("scale", apply("add", found, side))
    fed = apply_layer_norm(
        net, at, "post_ffw_norm", _feed_forward(net, at, apply_layer_norm(net, at, "ffn_norm", found))
    )
    corrected = _correct(net, at, predicted, apply("add", fed, found))
    first = apply("mul", _slice(corrected, active), net.require_weight(at, "altup_correct_scale"))
    first = apply("unary", multiply(net.require_weight(at, "inp_gate"), first))
    first = multiply(net.require_weight(at, "proj"), apply("mul", first, _slice(told, at)))
    first = apply_layer_norm(net, at, "post_norm", first)
    width, tokens, count, _ = corrected.shape
    rest = view(corrected, (width, tokens, count - 1), corrected.strides[1:3], shift=corrected.strides[2])
    return concatenate(_slice(corrected, 0), apply("add", rest, first), 2)


def _attend(net: Network, at: int, seen: Tensor) -> Tensor:
    known = net.shape.layers[at]
    if known.cached:
        query, key, value = project(net, at, seen)
        query = rope(net, at, apply_layer_norm(net, at, "attn_q_norm", query))
        key = rope(net, at, apply_layer_norm(net, at, "attn_k_norm", key))
        return attend(net, at, Projections(query, key, apply("rms_norm", value)))
    query = reshape(apply_linear(net, at, "attn_q", seen), known.key, known.heads, net.tokens)
    query = rope(net, at, apply_layer_norm(net, at, "attn_q_norm", query))
    cached = sum(layer.cached for layer in net.shape.layers)
    return attend(net, at, Projections(query, None, None), source=cached - (2 if known.sliding else 1))


def _feed_forward(net: Network, at: int, seen: Tensor) -> Tensor:
    risen, gate = apply_linear(net, at, "ffn_up", seen), apply_linear(net, at, "ffn_gate", seen)
    if at < SPARSE_LAYERS:
        gate = _strongest(gate)
    return apply_linear(net, at, "ffn_down", apply("mul", risen, apply("unary", gate)))


def _strongest(values: Tensor) -> Tensor:
    tokens = values.shape[1]
    mean = Tensor("mean", (1, tokens, 1, 1), 4, (values,))
    squares = apply("sqr", apply("sub", values, mean))
    spread = apply("sqrt", apply("scale", Tensor("sum_rows", (1, tokens, 1, 1), 4, (squares,))))
    return apply("unary", apply("sub", values, apply("add", mean, apply("scale", spread))))


def _route(net: Network, at: int, values: Tensor) -> Tensor:
    seen = apply("scale", apply_layer_norm(net, at, "altup_router_norm", values))
    return apply("unary", multiply(net.require_weight(at, "altup_router"), seen))


def _predict(net: Network, at: int, streams: Tensor, active: int) -> Tensor:
    count, tokens = streams.shape[2], streams.shape[1]
    routed = _route(net, at, _slice(streams, active))
    weights = reshape(multiply(net.require_weight(at, "altup_predict_coef"), routed), count, count, tokens)
    # The factor is not a weight here: streams come first, tokens last.
    turned = contiguous(permute(streams, 1, 2, 0, 3), count, streams.shape[0], tokens)
    mixed = Tensor("mul_mat", (streams.shape[0], count, tokens, 1), 4, (turned, weights))
    back = permute(mixed, 0, 2, 1, 3)
    return apply("add", contiguous(back, *back.shape), streams)


def _correct(net: Network, at: int, predicted: Tensor, found: Tensor) -> Tensor:
    width, tokens, count, _ = predicted.shape
    routed = _route(net, at, found)
    new = apply("sub", found, _slice(predicted, net.shape.number("altup.active_idx")))
    weights = apply("scale", multiply(net.require_weight(at, "altup_correct_coef"), routed))
    weights = contiguous(transpose(weights), 1, tokens, count)
    spread = Tensor("repeat", (width, tokens, count, 1), 4, (new,))
    return apply("add", apply("mul", spread, weights), predicted)


def _magnitude(values: Tensor) -> Tensor:
    return apply("sqrt", Tensor("sum_rows", (1, *values.shape[1:]), 4, (apply("sqr", values),)))


def _slice(values: Tensor, at: int) -> Tensor:
    return view(values, values.shape[:2], (values.strides[1],), shift=at * values.strides[2])
