"""Layers that keep a state instead of a cache: Mamba, short convolutions, gated delta nets."""

from __future__ import annotations

from satchel.sizing.graphs.network import (
    Network,
    Tensor,
    apply,
    concatenate,
    contiguous,
    multiply,
    pick,
    reshape,
    scale_values,
    transpose,
    view,
    write,
)


def _each(net: Network) -> int:
    """Return the tokens of one sequence."""
    return net.tokens // net.sequences


def _state(net: Network, layer: int, name: str, width: int) -> tuple[Tensor, Tensor]:
    """Return a stored state, and a copy of it for the sequences of this micro-batch."""
    stored = net.cache(name, layer, width, net.run.slots)
    rows = reshape(stored, width, net.run.slots)
    copied = net.graph.expand(pick(rows, net.states))
    _move_idle_states(net, stored, rows)
    return stored, copied


def _move_idle_states(net: Network, stored: Tensor, rows: Tensor) -> None:
    """Move the states of idle sequences. There are none here, but the engine's allocator sees it."""
    width = rows.shape[0]
    net.graph.expand(write("cpy", view(stored, (width, 0)), pick(rows, net.idle), view(stored, (width, 0))))


def _keep_past(net: Network, layer: int, mixed: Tensor, past: int) -> Tensor:
    """Return the last `past` tokens of each sequence, then `mixed`, for convolution; save the last."""
    each, many = _each(net), net.sequences
    stored, before = _state(net, layer, "convolution", net.shape.conv_state)
    rows = concatenate(reshape(before, past, mixed.shape[0], many), transpose(mixed), 0)
    _save(net, stored, view(rows, (past, mixed.shape[0], many), rows.strides[1:3], shift=4 * each))
    return rows


def _save(net: Network, target: Tensor, source: Tensor) -> None:
    net.graph.expand(write("cpy", view(target, target.shape), source, view(target, target.shape)))


def _convolve(net: Network, layer: int, rows: Tensor, kernel: str) -> Tensor:
    weight = net.require_weight(layer, kernel)
    shape = (weight.shape[1], rows.shape[0] - weight.shape[0] + 1, rows.shape[2], 1)
    return Tensor("ssm_conv", shape, 4, (rows, weight))


def mamba(net: Network, layer: int, values: Tensor) -> Tensor:
    """Return a Mamba block: one decay for each channel and state."""
    shape, each, many = net.shape, _each(net), net.sequences
    inner, states, rank = (
        shape.number(f"ssm.{key}") for key in ("inner_size", "state_size", "time_step_rank")
    )
    both = multiply(net.require_weight(layer, "ssm_in"), reshape(values, values.shape[0], each, many))
    risen, gate = (view(both, (inner, each, many), both.strides[1:3], shift=4 * inner * at) for at in (0, 1))
    rows = _keep_past(net, layer, risen, shape.number("ssm.conv_kernel") - 1)
    filtered = _convolve(net, layer, rows, "ssm_conv1d")
    mixed = apply("unary", scale_values(filtered, None, net.layer_weight(layer, "ssm_conv1d.bias")))
    parts = multiply(net.require_weight(layer, "ssm_x"), mixed)
    step = view(parts, (rank, each, many), parts.strides[1:3])
    matrices = [
        view(
            parts, (states, 1, each, many), (4 * states, *parts.strides[1:3]), shift=4 * (rank + states * at)
        )
        for at in (0, 1)
    ]
    if net.layer_weight(layer, "ssm_dt_norm") is not None or shape.flag("ssm.dt_b_c_rms"):
        step = scale_values(apply("rms_norm", step), net.layer_weight(layer, "ssm_dt_norm"))
        names = ("ssm_b_norm", "ssm_c_norm")
        matrices = [
            scale_values(apply("rms_norm", part), net.layer_weight(layer, name))
            for part, name in zip(matrices, names, strict=True)
        ]
    else:
        step = contiguous(step)
    step = scale_values(
        multiply(net.require_weight(layer, "ssm_dt"), step), None, net.layer_weight(layer, "ssm_dt.bias")
    )
    found = _scan(
        net, layer, (reshape(mixed, 1, inner, each, many), step, matrices[0], matrices[1]), (states, 1, inner)
    )
    seen = view(found, (inner, each, many), (4 * inner, 4 * inner * each))
    seen = apply("add", seen, apply("mul", mixed, net.require_weight(layer, "ssm_d.")))
    gated = Tensor("glu", seen.shape, 4, (contiguous(gate), seen))
    return reshape(multiply(net.require_weight(layer, "ssm_out"), gated), shape.embedding, each * many)


def _scan(
    net: Network, layer: int, parts: tuple[Tensor, Tensor, Tensor, Tensor], sizes: tuple[int, int, int]
) -> Tensor:
    """Return outputs and new states of a scan in one tensor; the states are saved."""
    values, step, into, out = parts
    width = sizes[0] * sizes[1] * sizes[2]
    stored = net.cache("state", layer, width, net.run.slots)
    states = reshape(reshape(stored, width, net.run.slots), *sizes, net.run.slots)
    count = values.shape[0] * values.shape[1] * values.shape[2] * values.shape[3]
    parents = (states, values, step, net.require_weight(layer, "ssm_a."), into, out, net.states)
    found = net.graph.expand(Tensor("ssm_scan", (count + width * net.sequences, 1, 1, 1), 4, parents))
    _move_idle_states(net, stored, reshape(stored, width, net.run.slots))
    _save(net, stored, view(found, (width * net.sequences,), shift=4 * count))
    return found


def mamba2(net: Network, layer: int, values: Tensor) -> Tensor:
    """Return a Mamba 2 block: one decay for each head."""
    shape, each, many = net.shape, _each(net), net.sequences
    inner, states, heads, groups = (
        shape.number(f"ssm.{key}") for key in ("inner_size", "state_size", "time_step_rank", "group_count")
    )
    size, channels = inner // heads, inner + 2 * groups * states
    whole = multiply(net.require_weight(layer, "ssm_in"), values)
    whole = reshape(whole, whole.shape[0], each, many)
    gate = view(whole, (size, heads, each, many), (4 * size, *whole.strides[1:3]))
    mixed = view(whole, (channels, each, many), whole.strides[1:3], shift=4 * inner)
    step = view(whole, (heads, each, many), whole.strides[1:3], shift=4 * (2 * inner + 2 * groups * states))
    rows = _keep_past(net, layer, mixed, shape.number("ssm.conv_kernel") - 1)
    filtered = _convolve(net, layer, rows, "ssm_conv1d")
    mixed = apply("unary", scale_values(filtered, None, net.layer_weight(layer, "ssm_conv1d.bias")))
    risen = view(mixed, (size, heads, each, many), (4 * size, *mixed.strides[1:3]))
    matrices = [
        view(
            mixed,
            (states, groups, each, many),
            (4 * states, *mixed.strides[1:3]),
            shift=4 * (inner + groups * states * at),
        )
        for at in (0, 1)
    ]
    step = scale_values(contiguous(step), None, net.layer_weight(layer, "ssm_dt.bias"))
    found = _scan(net, layer, (risen, step, matrices[0], matrices[1]), (states, size, heads))
    seen = view(found, (size, heads, each, many), (4 * size, 4 * inner, 4 * inner * each))
    seen = apply("add", seen, apply("mul", risen, net.require_weight(layer, "ssm_d.")))
    gated = Tensor("glu", seen.shape, 4, (contiguous(gate), seen))
    weight = net.layer_weight(layer, "ssm_norm")
    if weight is not None:
        gated = scale_values(apply("rms_norm", reshape(gated, inner // groups, groups, each, many)), weight)
    return multiply(net.require_weight(layer, "ssm_out"), reshape(gated, inner, each * many))


def short_convolution(net: Network, layer: int, values: Tensor) -> Tensor:
    """Return the gated short convolution of LFM2."""
    each, many = _each(net), net.sequences
    width = net.shape.embedding
    parts = multiply(
        net.require_weight(layer, "shortconv.in_proj.weight"), reshape(values, values.shape[0], each, many)
    )
    into, out, risen = (
        view(parts, (width, each, many), parts.strides[1:3], shift=4 * width * at) for at in (0, 1, 2)
    )
    mixed = apply("mul", into, risen)
    rows = _keep_past(net, layer, mixed, net.shape.conv_state // width)
    found = apply("mul", out, _convolve(net, layer, rows, "shortconv.conv.weight"))
    found = multiply(net.require_weight(layer, "shortconv.out_proj.weight"), found)
    return reshape(found, found.shape[0], each * many)


def delta_net(net: Network, layer: int, values: Tensor) -> Tensor:
    """Return the gated delta net of Qwen3-Next and its successors."""
    shape, each, many = net.shape, _each(net), net.sequences
    inner, size, key_heads, heads = (
        shape.number(f"ssm.{key}") for key in ("inner_size", "state_size", "group_count", "time_step_rank")
    )
    wide = inner // heads
    mixed, gate = _queries(net, layer, values)
    beta, decay = _rates(net, layer, values)
    rows = _keep_past(net, layer, mixed, net.require_weight(layer, "ssm_conv1d").shape[0] - 1)
    kept, state = _state(net, layer, "state", shape.recurrent_state)
    mixed = apply("unary", _convolve(net, layer, rows, "ssm_conv1d"))
    row = mixed.strides[1:3]
    query, key = (
        _unit(view(mixed, (size, key_heads, each, many), (4 * size, *row), shift=4 * size * key_heads * at))
        for at in (0, 1)
    )
    value = view(mixed, (wide, heads, each, many), (4 * wide, *row), shift=8 * size * key_heads)
    if key_heads != heads and shape.architecture == "qwen3next":
        query, key = (_repeat(part, heads // key_heads) for part in (query, key))
    rates = [reshape(part, 1, heads, each, many) for part in (decay, beta)]
    state = reshape(state, wide, wide, heads, many)
    result = (wide * heads, each * many + wide * many, 1, 1)
    found = Tensor("gated_delta_net", result, 4, (query, key, value, *rates, state))
    seen = view(found, (wide, heads, each, many), (4 * wide, 4 * inner, 4 * inner * each))
    _save(net, kept, view(found, (wide, wide, heads, many), shift=4 * inner * each * many))
    normed = scale_values(apply("rms_norm", seen), net.layer_weight(layer, "ssm_norm"))
    gated = apply("mul", normed, apply("unary", reshape(gate, wide, heads, each, many)))
    out = multiply(net.require_weight(layer, "ssm_out"), reshape(gated, inner, each, many))
    return reshape(out, out.shape[0], each * many)


def _unit(values: Tensor) -> Tensor:
    return Tensor("l2_norm", values.shape, 4, (values,))


def _repeat(values: Tensor, times: int) -> Tensor:
    size, heads, each, many = values.shape
    spread = Tensor(
        "repeat", (size, times, heads, each * many), 4, (reshape(values, size, 1, heads, each * many),)
    )
    return reshape(spread, size, heads * times, each, many)


def _queries(net: Network, layer: int, values: Tensor) -> tuple[Tensor, Tensor]:
    """Return queries, keys and values in one tensor, and the gate."""
    shape, each, many = net.shape, _each(net), net.sequences
    fused = net.layer_weight(layer, "attn_qkv")
    if fused is not None:
        mixed = multiply(fused, values)
        return reshape(mixed, mixed.shape[0], each, many), multiply(
            net.require_weight(layer, "attn_gate"), values
        )
    inner, size, key_heads = (
        shape.number(f"ssm.{key}") for key in ("inner_size", "state_size", "group_count")
    )
    whole = multiply(net.require_weight(layer, "ssm_in"), values)
    whole = reshape(whole, whole.shape[0] // key_heads, key_heads, each, many)
    widths = (size, size, inner // key_heads, inner // key_heads)
    starts = [4 * sum(widths[:at]) for at in range(4)]
    parts = [
        view(whole, (width, key_heads, each, many), whole.strides[1:], shift=start)
        for width, start in zip(widths, starts, strict=True)
    ]
    gate = contiguous(parts[3])
    flat = [contiguous(part, part.shape[0] * key_heads, each, many) for part in parts[:3]]
    return concatenate(concatenate(flat[0], flat[1], 0), flat[2], 0), gate


def _rates(net: Network, layer: int, values: Tensor) -> tuple[Tensor, Tensor]:
    """Return how strongly each head writes and how fast it forgets."""
    each, many, heads = _each(net), net.sequences, net.shape.number("ssm.time_step_rank")
    both = net.layer_weight(layer, "ssm_ba")
    if both is None:
        beta = apply("unary", multiply(net.require_weight(layer, "ssm_beta"), values))
        alpha = reshape(multiply(net.require_weight(layer, "ssm_alpha"), values), heads, each, many)
    else:
        groups = net.shape.number("ssm.group_count")
        mixed = reshape(multiply(both, values), 2 * heads // groups, groups, each, many)
        half = heads // groups
        parts = [
            view(mixed, (half, groups, each, many), mixed.strides[1:], shift=4 * half * at) for at in (0, 1)
        ]
        beta = apply("unary", contiguous(parts[0]))
        alpha = contiguous(parts[1], heads, each, many)
    biased = apply("add", alpha, net.layer_weight(layer, "ssm_dt.bias"))
    return beta, apply("mul", apply("unary", biased), net.require_weight(layer, "ssm_a."))
