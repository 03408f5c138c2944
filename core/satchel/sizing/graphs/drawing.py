"""Draw the graph of a whole model and compute each device's compute buffer from it."""

from __future__ import annotations

from satchel.sizing.graphs import gemma3n
from satchel.sizing.graphs.layers import one_layer
from satchel.sizing.graphs.network import (
    Network,
    Tensor,
    apply,
    apply_norm,
    make_weight,
    multiply,
    pick,
    scale_values,
    view,
)
from satchel.sizing.graphs.scheduling import compute_bytes, schedule
from satchel.sizing.memory import Placement
from satchel.sizing.models.shapes import ModelShape
from satchel.sizing.options import Run

CARD_STEP, HOST_STEP = 128, 32
LATE_AFTER_NORM = frozenset(
    (
        "bailingmoe3",
        "cohere2moe",
        "gemma4",
        "hy_v3",
        "nemotron_h",
        "nemotron_h_moe",
        "qwen35",
        "qwen35moe",
        "qwen3next",
    )
)
LATE_BEFORE_NORM = frozenset(("gpt-oss", "step35"))
"""Architectures that compute the last layer for all tokens, for a draft head that may want them."""
FIRST_SCALED = frozenset(("afmoe", "gemma", "gemma2", "gemma3", "gemma3n", "gemma4"))
"""Architectures that scale embeddings on first use; the others do so at once."""
SCALED = frozenset(("grok", "minicpm", "minicpm3"))
NORM_AT_THE_END = frozenset(("lfm2", "lfm2moe"))
"""Architectures whose norm of the output has the name of a norm of embeddings."""
PLACED = frozenset(("gpt2", "mpt", "starcoder"))
"""Architectures with an embedding for each position."""


def compute_buffers(shape: ModelShape, run: Run, placement: Placement) -> list[int]:
    """Return the bytes of the compute buffer of each device, the host last."""
    net = Network(shape, run, placement)
    _draw(net)
    pipelined = placement.host > 1 and run.gpu_layers > len(shape.layers)
    order, lasting = schedule(net.graph, placement.host, pipelined=pipelined)
    for node in order:
        if node.device == placement.host:
            node.extra = 0
    steps = [CARD_STEP] * placement.host + [HOST_STEP]
    return compute_bytes(order, [*lasting, *net.graph.inputs], [*net.outputs, *lasting], steps)


def _draw(net: Network) -> None:
    values, layers = _embed(net), range(len(net.shape.layers))
    if net.shape.architecture == "gemma3n":
        _draw_streams(net, values)
        return
    for layer in layers:
        values = one_layer(net, layer, values, narrow=layer == layers[-1] and not _late(net))
        if net.stacked is not None and layer < net.shape.number("n_deepstack_layers"):
            shift = 4 * net.shape.embedding * (layer + 1)
            values = apply(
                "add", values, view(net.stacked, values.shape[:2], net.stacked.strides[1:2], shift=shift)
            )
    _head(net, values)


def _draw_streams(net: Network, values: Tensor) -> None:
    streams, told = gemma3n.start(net, values)
    for layer in range(len(net.shape.layers)):
        streams = gemma3n.layer(net, layer, streams, told)
    _head(net, gemma3n.finish(net, streams))


def _late(net: Network) -> bool:
    return net.shape.architecture in LATE_AFTER_NORM | LATE_BEFORE_NORM


def _embed(net: Network) -> Tensor:
    name, host = net.shape.architecture, net.placement.host
    table = net.weight("token_embd.weight", host)
    if table is None:
        raise KeyError("token_embd.weight")
    values = _choose_rows(net, table)
    if name in FIRST_SCALED:
        values = apply("scale", values)
    elif name in SCALED or net.shape.real("embedding_scale"):
        values = net.graph.expand(apply("scale", values))
    places = net.weight("position_embd.weight", host)
    if places is not None and name in PLACED:
        values = apply("add", values, pick(places, net.positions))
    if name in NORM_AT_THE_END:
        return values
    first = net.placement.layers[0]
    norm = net.weight("token_embd_norm.weight", first)
    return (
        values if norm is None else apply_norm(net, values, norm, net.weight("token_embd_norm.bias", first))
    )


def _choose_rows(net: Network, table: Tensor) -> Tensor:
    values, stacked = pick(table, net.input("tokens", 4, net.tokens)), net.shape.number("n_deepstack_layers")
    width = values.shape[0]
    if stacked:
        values = Tensor("pad", (width * (1 + stacked), net.tokens, 1, 1), 4, (values,))
    values = net.graph.select(values, net.input("embeddings", 4, values.shape[0], net.tokens))
    if not stacked:
        return values
    net.stacked = values
    return net.graph.expand(view(values, (width, net.tokens), values.strides[1:2]))


def _head(net: Network, values: Tensor) -> None:
    name = net.shape.architecture
    if name in LATE_BEFORE_NORM:
        net.outputs.append(values)
        values = pick(values, net.rows)
    last = net.output_weight("output_norm.weight") or net.output_weight("token_embd_norm.weight")
    values = apply_norm(net, values, last, net.output_weight("output_norm.bias"))
    if name in LATE_AFTER_NORM:
        net.outputs.append(values)
        values = pick(values, net.rows)
    net.outputs.append(values)
    table = net.output_weight("output.weight") or net.weight("output of token_embd", net.placement.output)
    if table is None:
        stored = net.shape.tensors["token_embd.weight"]
        table = make_weight(net.placement.output, stored.size, *stored.shape)
    scores = scale_values(multiply(table, values), None, net.output_weight("output.bias"))
    net.outputs.append(net.graph.expand(scores))
