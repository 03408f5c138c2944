"""One layer as each family of models has it: attention or a state, then a feed-forward block."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from satchel.sizing.graphs.attention import Projections, attend, latent_attention, project, rope
from satchel.sizing.graphs.network import (
    Network,
    Tensor,
    apply,
    apply_layer_norm,
    apply_linear,
    apply_norm,
    contiguous,
    multiply,
    pick,
    reshape,
    view,
    write,
)
from satchel.sizing.graphs.recurrent import delta_net, mamba, mamba2, short_convolution

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
    """The structure of a mixture of experts."""

    routed: int
    used: int
    normalized: bool
    scaled: bool
    early: bool
    """Whether weights are applied to the input (llama4)."""


def feed_forward(net: Network, layer: int, values: Tensor, *, suffix: str = "") -> Tensor:
    """Return a dense block; `suffix` is `_shexp` for the experts that all tokens share."""
    up, gate, down = (f"ffn_{part}{suffix}" for part in ("up", "gate", "down"))
    risen = apply_linear(net, layer, up, values)
    if net.layer_weight(layer, gate) is not None:
        risen = Tensor("glu", risen.shape, 4, (apply_linear(net, layer, gate, values), risen))
    elif net.require_weight(layer, down).shape[0] * 2 == risen.shape[0]:
        # Gate and rise are in one weight.
        half = (risen.shape[0] // 2, risen.shape[1], 1, 1)
        risen = Tensor("glu", half, 4, (risen,))
    else:
        risen = apply("unary", risen)
    return apply_linear(net, layer, down, risen)


def experts_of(net: Network, layer: int) -> Experts:
    """Return the structure of a layer's experts."""
    shape, name = net.shape, net.shape.architecture
    routed = net.require_weight(layer, "ffn_gate_inp").shape[1]
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
    scores = multiply(net.require_weight(layer, "ffn_gate_inp"), values) if routed is None else routed
    bias = net.layer_weight(layer, "ffn_gate_inp.bias")
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
    """Return the chosen experts, and their weights."""
    name, tokens = net.shape.architecture, scores.shape[1]
    chances = scores if name == "gpt-oss" else apply("unary", scores)
    bias = net.layer_weight(layer, "exp_probs_b.bias")
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
    """Return scores with those of unused groups of experts blanked out."""
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
    both = net.layer_weight(layer, "ffn_gate_up_exps")
    if both is not None:
        merged = _by_expert(net, layer, "ffn_gate_up_exps", each, chosen)
        half = merged.shape[0] // 2
        views = [
            view(merged, (half, *merged.shape[1:3]), merged.strides[1:3], shift=4 * half * at)
            for at in (0, 1)
        ]
        risen = Tensor("glu", views[0].shape, 4, (views[0], views[1]))
    elif net.layer_weight(layer, "ffn_gate_exps") is not None:
        up = _by_expert(net, layer, "ffn_up_exps", each, chosen)
        gate = _by_expert(net, layer, "ffn_gate_exps", each, chosen)
        risen = Tensor("glu", up.shape, 4, (gate, up))
    else:
        risen = apply("unary", _by_expert(net, layer, "ffn_up_exps", each, chosen))
    return _by_expert(net, layer, "ffn_down_exps", risen, chosen)


def _by_expert(net: Network, layer: int, name: str, values: Tensor, chosen: Tensor) -> Tensor:
    weight = net.require_weight(layer, name)
    shape = (weight.shape[1], chosen.shape[0], values.shape[2], 1)
    result = Tensor("mul_mat_id", shape, 4, (weight, values, chosen))
    bias = net.layer_weight(layer, f"{name}.bias")
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
    """Return the experts that all tokens share, weighed if the model has a gate for them."""
    if net.layer_weight(layer, "ffn_up_shexp") is None:
        return None
    found = feed_forward(net, layer, values, suffix="_shexp")
    gate = net.layer_weight(layer, "ffn_gate_inp_shexp")
    return found if gate is None else apply("mul", found, apply("unary", multiply(gate, values)))


PARALLEL = frozenset(("command-r", "cohere2", "falcon", "phi2", "plamo"))
"""Architectures whose feed-forward block gets the input of attention, not its result."""
ATTENTION_FIRST = frozenset(("falcon", "plamo"))
"""Of these, those that add the result of attention before the input."""
CAME_FIRST = frozenset(("jamba", "lfm2", "lfm2moe"))
"""Architectures that add the result to the input: the sum takes the place of the latter."""
FOUND_FIRST = frozenset(("jamba", "lfm2", "lfm2moe", "phi3", "phimoe"))
"""The same for the sum after the feed-forward block."""
UNWEIGHTED = frozenset(("olmo",))
"""Architectures that normalize without weights."""
WITHOUT_ROTARY = frozenset(
    ("bloom", "gpt2", "jais", "jamba", "mpt", "nemotron_h", "nemotron_h_moe", "refact", "starcoder")
)
"""Architectures without rotary positions."""
ROTARY_WHERE_SLIDING = frozenset(("cohere2",))
"""Architectures with rotary positions in sliding layers only."""
ROTARY_IF_ANY_SLIDES = frozenset(("exaone4", "exaone-moe"))
"""The same where they have sliding layers at all."""
GATED_QUERIES = frozenset(("qwen3next", "qwen35", "qwen35moe"))
LONE_BLOCKS = frozenset(("nemotron_h", "nemotron_h_moe"))
"""Architectures whose layers are one thing each: a state, attention, or a feed-forward block."""
MIXERS: Mapping[str, Callable[[Network, int, Tensor], Tensor]] = {
    "mamba": mamba,
    "jamba": mamba,
    "mamba2": mamba2,
    "falcon-h1": mamba2,
    "granitehybrid": mamba2,
    "nemotron_h": mamba2,
    "nemotron_h_moe": mamba2,
    "lfm2": short_convolution,
    "lfm2moe": short_convolution,
    "qwen3next": delta_net,
    "qwen35": delta_net,
    "qwen35moe": delta_net,
}


def one_layer(net: Network, layer: int, came: Tensor, *, narrow: bool) -> Tensor:
    """Return the output of a layer for its input; only for the wanted tokens if `narrow`."""
    name = net.shape.architecture
    if name == "smallthinker":
        net.routed = multiply(net.require_weight(layer, "ffn_gate_inp"), came)
    seen = _norm(net, layer, came)
    if name in GATED_QUERIES:
        net.graph.expand(seen)
    if name in PARALLEL:
        return _side_by_side(net, layer, came, seen, narrow=narrow)
    found = _mix(net, layer, came, seen)
    if name == "falcon-h1":
        found = came = apply("add", found, came)
    if narrow:
        found, came, seen = _narrow_rows(net, layer, (found, came, seen))
    return _feed_forward(net, layer, (found, came, seen))


def _narrow_rows(
    net: Network, layer: int, parts: tuple[Tensor, Tensor, Tensor]
) -> tuple[Tensor, Tensor, Tensor]:
    found, came, seen = parts
    net.routed = None if net.routed is None else pick(net.routed, net.rows)
    again = net.shape.architecture == "stablelm" and net.layer_weight(layer, "ffn_norm") is None
    return pick(found, net.rows), pick(came, net.rows), pick(seen, net.rows) if again else seen


def _norm(net: Network, layer: int, values: Tensor) -> Tensor:
    if net.shape.architecture in UNWEIGHTED:
        return apply_norm(net, values, None)
    return apply_layer_norm(net, layer, "attn_norm", values)


def _mix(net: Network, layer: int, came: Tensor, seen: Tensor) -> Tensor:
    """Return the result of attention, a recurrent block, or both; a lone feed-forward block counts too."""
    known, name = net.shape.layers[layer], net.shape.architecture
    if known.recurs and known.attends:
        attended = _attend(net, layer, seen)
        return apply("add", attended, MIXERS[name](net, layer, _norm(net, layer, came)))
    if known.recurs:
        return MIXERS[name](net, layer, seen)
    return _attend(net, layer, seen) if known.attends else _block(net, layer, seen)


def _attend(net: Network, layer: int, seen: Tensor) -> Tensor:
    if net.shape.latent or net.layer_weight(layer, "attn_kv_a_mqa") is not None:
        return latent_attention(net, layer, seen)
    if net.shape.architecture in GATED_QUERIES:
        return _attend_gated(net, layer, seen)
    found = attend(net, layer, _project_and_rotate(net, layer, seen))
    gate = net.layer_weight(layer, "attn_gate")
    if gate is not None:
        found = apply("mul", found, apply("unary", multiply(gate, seen)))
    return apply_linear(net, layer, "attn_output", found)


def _project_and_rotate(net: Network, layer: int, seen: Tensor) -> Projections:
    """Return queries and keys, normalized and rotated, and values."""
    query, key, value = _norm_heads(net, layer, seen)
    if _rotates(net, layer):
        query, key = rope(net, layer, query), rope(net, layer, key)
    if _has_rescaled_queries(net, layer):
        query = apply("mul", query, net.input("scale", 4, 1, 1, net.tokens))
    return Projections(query, key, value)


def _norm_heads(net: Network, layer: int, seen: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    known, norm = net.shape.layers[layer], net.layer_weight(layer, "attn_q_norm")
    whole = norm is not None and norm.shape[0] != known.key
    query, key, value = project(net, layer, seen, split=not whole)
    if norm is not None:
        query = apply_layer_norm(net, layer, "attn_q_norm", query)
        key = apply_layer_norm(net, layer, "attn_k_norm", key)
    if whole:
        query = reshape(query, known.key, known.heads, net.tokens)
        key = reshape(key, known.key, known.kv_heads, net.tokens)
        value = reshape(value, known.value, known.kv_heads, net.tokens)
    return query, key, value


def _rotates(net: Network, layer: int) -> bool:
    """Return whether a layer rotates queries and keys by their positions."""
    shape, name = net.shape, net.shape.architecture
    if name in WITHOUT_ROTARY:
        return False
    if name in ROTARY_WHERE_SLIDING or (name in ROTARY_IF_ANY_SLIDES and shape.window):
        return shape.layers[layer].sliding
    if name == "baichuan":
        return len(shape.layers) == 32
    if name == "granitehybrid":
        return shape.flag("rope.scaling.finetuned", default=True)
    return _rotates_by_place(net, layer)


def _rotates_by_place(net: Network, layer: int) -> bool:
    name, slides = net.shape.architecture, net.shape.window > 0
    if name == "smallthinker":
        return not slides or layer % 4 != 0
    if name in ("smollm3", "afmoe") or (name == "llama4" and slides):
        return (layer + 1) % 4 != 0
    return True


def _has_rescaled_queries(net: Network, layer: int) -> bool:
    name, shape = net.shape.architecture, net.shape
    if name == "llama4":
        return not _rotates(net, layer)
    return name == "mistral3" and shape.real("attention.temperature_scale") != 0


def _attend_gated(net: Network, layer: int, seen: Tensor) -> Tensor:
    """Return attention whose queries bring a gate along (Qwen3-Next)."""
    known, tokens = net.shape.layers[layer], net.tokens
    size, heads = known.key, known.heads
    both = reshape(apply_linear(net, layer, "attn_q", seen), 2 * size, heads, tokens)
    query, gate = (
        view(both, (size, heads, tokens, 1), both.strides[1:], shift=4 * size * at) for at in (0, 1)
    )
    key, value = (
        reshape(apply_linear(net, layer, part, seen), size, known.kv_heads, tokens)
        for part in ("attn_k", "attn_v")
    )
    query = rope(net, layer, apply_layer_norm(net, layer, "attn_q_norm", query))
    key = rope(net, layer, apply_layer_norm(net, layer, "attn_k_norm", key))
    found = attend(net, layer, Projections(query, key, value))
    found = apply("mul", found, apply("unary", contiguous(gate, size * heads, tokens)))
    return apply_linear(net, layer, "attn_output", found)


def _side_by_side(net: Network, layer: int, came: Tensor, seen: Tensor, *, narrow: bool) -> Tensor:
    name = net.shape.architecture
    second = net.layer_weight(layer, "attn_norm_2")
    own = apply_layer_norm(net, layer, "attn_norm_2", came) if second is not None else seen
    found = _attend(net, layer, own)
    if narrow:
        found, came, seen = (pick(part, net.rows) for part in (found, came, seen))
    fed = _block(net, layer, seen)
    if name == "phi2":
        return apply("add", apply("add", found, fed), came)
    first, then = (found, came) if name in ATTENTION_FIRST else (came, found)
    return apply("add", apply("add", fed, first), then)


def _feed_forward(net: Network, layer: int, parts: tuple[Tensor, Tensor, Tensor]) -> Tensor:
    """Return the sum of attention's result, its input, and the feed-forward block's output."""
    found, came, seen = parts
    name = net.shape.architecture
    if name == "gptneox" and net.shape.flag("use_parallel_residual"):
        fed = _block(net, layer, apply_layer_norm(net, layer, "ffn_norm", came))
        return apply("add", apply("add", fed, came), found)
    if name == "arctic":
        return _beside_experts(net, layer, found, came)
    if _norms_result(net, layer):
        found = apply_layer_norm(net, layer, "post_attention_norm", found)
    if name != "falcon-h1":
        found = apply("add", *((came, found) if name in CAME_FIRST else (found, came)))
    if not _feeds(net, layer):
        return found
    fed = apply_layer_norm(
        net, layer, "post_ffw_norm", _block(net, layer, _before_block(net, layer, found, seen))
    )
    return apply("add", *((found, fed) if name in FOUND_FIRST else (fed, found)))


def _norms_result(net: Network, layer: int) -> bool:
    """Return whether the norm named `post_attention_norm` is one, and not the norm before the block."""
    names = ("ffn_norm", "post_ffw_norm")
    return net.layer_weight(layer, "post_attention_norm") is not None and any(
        net.layer_weight(layer, name) for name in names
    )


def _before_block(net: Network, layer: int, found: Tensor, seen: Tensor) -> Tensor:
    name = net.shape.architecture
    if name in UNWEIGHTED:
        return apply_norm(net, found, None)
    names = ["ffn_norm", *(["attn_output_norm"] if name == "dbrx" else [])]
    names += [] if _norms_result(net, layer) else ["post_attention_norm"]
    own = next((one for one in names if net.layer_weight(layer, one) is not None), None)
    if own is not None:
        return apply_layer_norm(net, layer, own, found)
    return seen if name == "stablelm" else found


def _beside_experts(net: Network, layer: int, found: Tensor, came: Tensor) -> Tensor:
    """Return a dense block with experts beside it that get its input (Arctic)."""
    found = apply("add", found, came)
    dense = apply("add", feed_forward(net, layer, apply_layer_norm(net, layer, "ffn_norm", found)), found)
    return apply("add", mixture(net, layer, apply_layer_norm(net, layer, "ffn_norm_exps", came)), dense)


def _feeds(net: Network, layer: int) -> bool:
    if net.shape.architecture in LONE_BLOCKS:
        return False
    return any(net.layer_weight(layer, name) is not None for name in ("ffn_up", "ffn_gate_inp"))


def _block(net: Network, layer: int, seen: Tensor) -> Tensor:
    if net.layer_weight(layer, "ffn_gate_inp") is None:
        return feed_forward(net, layer, seen)
    if net.shape.architecture in LONE_BLOCKS:
        return _latent_mixture(net, layer, seen)
    return _add_shared_experts(net, layer, mixture(net, layer, seen, routed=net.routed), seen)


def _latent_mixture(net: Network, layer: int, seen: Tensor) -> Tensor:
    scores = multiply(net.require_weight(layer, "ffn_gate_inp"), seen)
    down, up = net.layer_weight(layer, "ffn_latent_down"), net.layer_weight(layer, "ffn_latent_up")
    found = mixture(net, layer, seen if down is None else multiply(down, seen), routed=scores)
    return _add_shared_experts(net, layer, found if up is None else multiply(up, found), seen)


def _add_shared_experts(net: Network, layer: int, found: Tensor, seen: Tensor) -> Tensor:
    common = apply_shared_experts(net, layer, seen)
    return found if common is None else apply("add", found, common)
