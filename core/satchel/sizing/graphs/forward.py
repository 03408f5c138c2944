"""Feed-forward blocks as the engine draws them: dense, gated, and mixtures of experts."""

from __future__ import annotations

from typing import NamedTuple

from satchel.sizing.graphs.network import (
    Network,
    Tensor,
    apply,
    apply_linear,
    contiguous,
    multiply,
    pick,
    reshape,
    view,
    write,
)

NORMALIZED = frozenset(
    (
        *("arctic", "dbrx", "ernie4_5-moe", "gemma4", "granite", "granite_swa"),
        *("granitehybrid", "granitemoe", "grok", "grovemoe", "hunyuan-moe", "kimi-linear"),
        *("lfm2", "lfm2moe", "llama", "maple", "mellum", "mimo2", "minimax-01", "minimax-m2"),
        *("mistral3", "phi3", "phimoe", "qwen35", "qwen35moe", "qwen3moe", "qwen3next"),
        *("qwen3vlmoe", "qwen4exp", "rnd1", "smallthinker"),
    )
)
"""Architectures that always scale the weights of the chosen experts to a sum of one."""
PLAIN = frozenset(
    ("deepseek", "gpt-oss", "jamba", "llada-moe", "llama4", "nomic-bert-moe", "olmoe", "qwen2moe")
)
"""Architectures that never do; the others ask the header."""


class Experts(NamedTuple):
    """How a mixture of experts is drawn."""

    routed: int
    used: int
    normalized: bool
    scaled: bool
    early: bool
    """Whether weights are applied to what goes in (llama4)."""


def feed_forward(net: Network, layer: int, values: Tensor, *, suffix: str = "") -> Tensor:
    """Return a dense block; `suffix` is `_shexp` for the experts that all tokens share."""
    up, gate, down = (f"ffn_{part}{suffix}" for part in ("up", "gate", "down"))
    risen = apply_linear(net, layer, up, values)
    if net.of(layer, gate) is not None:
        risen = Tensor("glu", risen.shape, 4, (apply_linear(net, layer, gate, values), risen))
    elif net.needed(layer, down).shape[0] * 2 == risen.shape[0]:
        # Gate and rise stand in one weight.
        half = (risen.shape[0] // 2, risen.shape[1], 1, 1)
        risen = Tensor("glu", half, 4, (risen,))
    else:
        risen = apply("unary", risen)
    return apply_linear(net, layer, down, risen)


def experts_of(net: Network, layer: int) -> Experts:
    """Return how the experts of a layer are drawn."""
    shape, name = net.shape, net.shape.architecture
    routed = net.needed(layer, "ffn_gate_inp").shape[1]
    stored = shape.values.get(f"{name}.expert_used_count", 1)
    used = stored[layer] if isinstance(stored, tuple) and layer < len(stored) else stored
    return Experts(
        routed=routed,
        used=max(1, min(routed, used if isinstance(used, int) else 1)),
        normalized=name in NORMALIZED or (name not in PLAIN and shape.flag("expert_weights_norm")),
        scaled=shape.real("expert_weights_scale") not in (0.0, 1.0),
        early=name == "llama4",
    )


def mixture(net: Network, layer: int, values: Tensor, *, routed: Tensor | None = None) -> Tensor:
    """Return a mixture of experts; `routed` are scores that were made before."""
    how = experts_of(net, layer)
    scores = multiply(net.needed(layer, "ffn_gate_inp"), values) if routed is None else routed
    bias = net.of(layer, "ffn_gate_inp.bias")
    scores = scores if bias is None else apply("add", scores, bias)
    chosen, weights = _choose_experts(net, layer, scores, how)
    net.graph.expand(weights)
    each = reshape(values, values.shape[0], 1, net_tokens(values))
    if how.early:
        repeated = Tensor("repeat", (values.shape[0], how.used, net_tokens(values), 1), 4, (each,))
        each = apply("mul", repeated, weights)
    found = _expert_layers(net, layer, each, chosen)
    if not how.early:
        found = apply("mul", found, weights)
    net.graph.expand(found)
    return _sum_experts(net, found, how.used)


def net_tokens(values: Tensor) -> int:
    """Return the tokens of a value per token."""
    return values.shape[1]


def _choose_experts(net: Network, layer: int, scores: Tensor, how: Experts) -> tuple[Tensor, Tensor]:
    """Return which experts are chosen, and their weights."""
    name, tokens = net.shape.architecture, scores.shape[1]
    chances = scores if name == "gpt-oss" else apply("unary", scores)
    bias = net.of(layer, "exp_probs_b.bias")
    ranked = chances if bias is None else apply("add", chances, bias)
    if how.early:
        ranked = scores
    if net.shape.number("expert_group_count") > 1:
        ranked = _mask_groups(net, ranked, how.routed)
    order = Tensor("argsort", ranked.shape, 4, (ranked,))
    chosen = view(order, (how.used, tokens), order.strides[1:])
    weights = pick(reshape(chances, 1, how.routed, tokens), chosen)
    if name == "gpt-oss":
        weights = reshape(apply("soft_max", reshape(weights, how.used, tokens)), 1, how.used, tokens)
    if how.normalized:
        flat = reshape(weights, how.used, tokens)
        total = apply("clamp", Tensor("sum_rows", (1, tokens, 1, 1), 4, (flat,)))
        weights = reshape(apply("div", flat, total), 1, how.used, tokens)
    return chosen, apply("scale", weights) if how.scaled else weights


def _mask_groups(net: Network, ranked: Tensor, count: int) -> Tensor:
    """Return scores with those of groups of experts that are not taken blanked out."""
    groups, taken = net.shape.number("expert_group_count"), net.shape.number("expert_group_used_count", 1)
    tokens, each = ranked.shape[1], count // groups
    split = reshape(ranked, each, groups, tokens)
    order = Tensor("argsort", split.shape, 4, (split,))
    best = view(order, (2, groups, tokens), order.strides[1:])
    tops = pick(reshape(split, 1, each, groups, tokens), best)
    total = Tensor("sum_rows", (1, groups, tokens, 1), 4, (reshape(tops, 2, groups, tokens),))
    ranking = Tensor("argsort", (groups, tokens, 1, 1), 4, (reshape(total, groups, tokens),))
    winners = view(ranking, (taken, tokens), ranking.strides[1:])
    kept = pick(split, winners)
    blank = apply("fill", split)
    return reshape(write("set_rows", blank, kept, winners, blank), count, tokens)


def _expert_layers(net: Network, layer: int, each: Tensor, chosen: Tensor) -> Tensor:
    both = net.of(layer, "ffn_gate_up_exps")
    if both is not None:
        merged = _by_expert(net, layer, "ffn_gate_up_exps", each, chosen)
        half = merged.shape[0] // 2
        views = [
            view(merged, (half, *merged.shape[1:3]), merged.strides[1:3], shift=4 * half * at)
            for at in (0, 1)
        ]
        risen = Tensor("glu", views[0].shape, 4, (views[0], views[1]))
    elif net.of(layer, "ffn_gate_exps") is not None:
        up = _by_expert(net, layer, "ffn_up_exps", each, chosen)
        gate = _by_expert(net, layer, "ffn_gate_exps", each, chosen)
        risen = Tensor("glu", up.shape, 4, (gate, up))
    else:
        risen = apply("unary", _by_expert(net, layer, "ffn_up_exps", each, chosen))
    return _by_expert(net, layer, "ffn_down_exps", risen, chosen)


def _by_expert(net: Network, layer: int, name: str, values: Tensor, chosen: Tensor) -> Tensor:
    weight = net.needed(layer, name)
    shape = (weight.shape[1], chosen.shape[0], values.shape[2], 1)
    result = Tensor("mul_mat_id", shape, 4, (weight, values, chosen))
    bias = net.of(layer, f"{name}.bias")
    return result if bias is None else apply("add_id", result, bias, chosen)


def _sum_experts(net: Network, found: Tensor, used: int) -> Tensor:
    width, tokens = found.shape[0], found.shape[2]
    parts = [
        net.graph.expand(view(found, (width, tokens), (found.strides[2],), shift=at * found.strides[1]))
        for at in range(used)
    ]
    total = parts[0]
    for part in parts[1:]:
        result = Tensor("add", (width, tokens, 1, 1), 4, (total, part))
        total = net.graph.expand(result)
    return contiguous(total) if used == 1 else total


def apply_shared_experts(net: Network, layer: int, values: Tensor) -> Tensor | None:
    """Return the experts that all tokens share, weighed where the model has a gate for them."""
    if net.of(layer, "ffn_up_shexp") is None:
        return None
    found = feed_forward(net, layer, values, suffix="_shexp")
    gate = net.of(layer, "ffn_gate_inp_shexp")
    return found if gate is None else apply("mul", found, apply("unary", multiply(gate, values)))
