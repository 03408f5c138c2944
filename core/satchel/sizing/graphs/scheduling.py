"""The device of each tensor, and the size of its buffer: the engine's scheduler and allocator."""

from __future__ import annotations

from collections.abc import Sequence

from satchel.sizing.graphs.network import IN_PLACE, VIEWS, Graph, Tensor

UNCHOSEN = -1
ATTENTION_SIZES = frozenset((40, 64, 72, 80, 96, 112, 128, 256))
"""Head sizes for which CUDA has a fused attention when keys and values are of one size."""
GROUPED_SIZES = {(192, 128): 8, (320, 256): 32, (512, 512): 1, (576, 512): 1}
"""Sizes of keys and values that need grouped heads, and the divisor of the group's size."""
TOO_SMALL_TO_DECIDE = frozenset(("rope", "flash_attn"))


LEAST_MOVED = 32
"""Tokens from which on weights on the host are copied to a card for one operation."""
PIPELINE_COPIES = 4
"""Copies of data that goes between devices, so that cards can work on several batches at once."""


def schedule(graph: Graph, host: int, *, pipelined: bool = False) -> tuple[list[Tensor], list[Tensor]]:
    """Return the order of computation with copies between devices put in, and copies that are always kept.

    Devices are numbered from 0, the host is the last. Sets `device` of each tensor.
    """
    _assign(graph, host)
    copies: dict[tuple[int, int], Tensor] = {}
    order: list[Tensor] = []
    for split in _splits(graph.nodes, copies):
        for source, copy in split.fetched:
            order += (_reading(source), copy)
        order += split.nodes
    return order, _pipeline(graph, copies) if pipelined else []


class _Split:
    """A run of nodes on one device, and the tensors copied there before it."""

    __slots__ = ("device", "fetched", "nodes")

    def __init__(self, device: int) -> None:
        self.device = device
        self.nodes: list[Tensor] = []
        self.fetched: list[tuple[Tensor, Tensor]] = []


def _pipeline(graph: Graph, copies: dict[tuple[int, int], Tensor]) -> list[Tensor]:
    """Return the inputs and all copies between devices, once for each batch under way."""
    given = [tensor for tensor in graph.inputs if tensor.op == "input"]
    spare = [_copy(tensor, tensor.device) for tensor in given for _ in range(1, PIPELINE_COPIES)]
    passed = list(copies.values())
    return (
        given + spare + passed + [_copy(one, one.device) for one in passed for _ in range(1, PIPELINE_COPIES)]
    )


def fused_attention(query: Tensor, key: Tensor, value: Tensor, *, alibi: bool = False) -> bool:
    """Return whether CUDA's fused attention knows these head sizes (ggml_cuda_get_best_fattn_kernel)."""
    sizes = (key.shape[0], value.shape[0])
    if sizes[0] in ATTENTION_SIZES:
        return sizes[0] == sizes[1]
    group, rest = divmod(query.shape[2], max(1, key.shape[2]))
    grouped = group >= 2 and rest == 0 and not alibi and key.shape[1] % 256 == 0
    return grouped and sizes in GROUPED_SIZES and group % GROUPED_SIZES[sizes] == 0


def _assign(graph: Graph, host: int) -> None:
    for tensor in (*graph.inputs, *graph.nodes):
        tensor.device = _device_of_pinned(tensor, host)
    working = [node for node in graph.nodes if node.op not in VIEWS]
    for order, hosted in ((working, False), (working[::-1], False), (working, True), (working[::-1], True)):
        _spread(order, host, hosted=hosted)
    for node in working:
        if node.device == UNCHOSEN:
            node.device = _best(node, host)
    for node in graph.nodes:
        _settle(node)


def _device_of_pinned(tensor: Tensor, host: int) -> int:
    """Return the device of a tensor with its own memory, of an input, or of the first weight it uses."""
    own = tensor.root.place if tensor.root is not None else tensor.place
    if own is not None:
        return own
    if tensor.op == "input":
        return host
    if tensor.op in TOO_SMALL_TO_DECIDE:
        return UNCHOSEN
    places = (parent.place for parent in tensor.parents if parent.op == "weight")
    found = next((place for place in places if place is not None), UNCHOSEN)
    return 0 if found == host and host and _worth_moving(tensor) else found


def _worth_moving(tensor: Tensor) -> bool:
    """Return whether the first card computes it although its weight is on the host: for large batches."""
    if tensor.op == "get_rows":
        return False
    _, rows, planes, blocks = tensor.shape
    several = (
        rows if tensor.op == "mul_mat" else planes if tensor.op == "mul_mat_id" else rows * planes * blocks
    )
    return several >= LEAST_MOVED


def _spread(order: Sequence[Tensor], host: int, *, hosted: bool) -> None:
    """Give neighbours without a device the last one seen; the host spreads last of all."""
    last = UNCHOSEN
    for node in order:
        if node.device != UNCHOSEN:
            last = UNCHOSEN if node.device == host and not hosted else node.device
        elif last != UNCHOSEN and _is_supported(node, last, host):
            node.device = last


def _is_supported(node: Tensor, device: int, host: int) -> bool:
    if device == host:
        return True
    elsewhere = (parent.place for parent in node.parents if parent.place not in (None, device, host))
    return node.op != "flash_attn_slow" and next(elsewhere, None) is None


def _best(node: Tensor, host: int) -> int:
    fitting = [device for device in range(host + 1) if _is_supported(node, device, host)]
    return max(fitting, key=lambda device: (sum(_lies_on(p, device) for p in node.parents), -device))


def _lies_on(tensor: Tensor, device: int) -> bool:
    own = tensor.root.place if tensor.root is not None else tensor.place
    return (tensor.device if own is None else own) == device


def _settle(node: Tensor) -> None:
    if node.root is not None and node.device == UNCHOSEN:
        node.device = node.root.device
    for parent in node.parents:
        if parent.device == UNCHOSEN:
            parent.device = parent.root.device if parent.root is not None else node.device


def _splits(nodes: Sequence[Tensor], copies: dict[tuple[int, int], Tensor]) -> list[_Split]:
    """Return the nodes in runs of one device, with operands from other devices replaced by copies."""
    first = next((node.device for node in nodes if node.op not in VIEWS), UNCHOSEN)
    splits = [_Split(first)]
    for node in nodes:
        split = splits[-1]
        if node.op not in VIEWS:
            if node.device != split.device or (split.fetched and _brings_weight(node)):
                split = _Split(node.device)
                splits.append(split)
            _fetch(node, split, copies)
        split.nodes.append(node)
    return splits


def _brings_weight(node: Tensor) -> bool:
    """Return whether a weight must be copied for it: its copy may take the place of the last one's."""
    return any(parent.op == "weight" and parent.place != node.device for parent in node.parents)


def _fetch(node: Tensor, split: _Split, copies: dict[tuple[int, int], Tensor]) -> None:
    for at, parent in enumerate(node.parents):
        if parent.device == node.device or _lies_on(parent, node.device):
            continue
        key = (id(parent), node.device)
        if key not in copies:
            copies[key] = _copy(parent, node.device)
            split.fetched.append((parent, copies[key]))
        node.parents = (*node.parents[:at], copies[key], *node.parents[at + 1 :])


def _copy(source: Tensor, device: int) -> Tensor:
    result = Tensor("none", source.shape, source.unit)
    result.strides, result.stored, result.device = source.strides, source.stored, device
    return result


def _reading(source: Tensor) -> Tensor:
    """Return a node that keeps `source` until the copy is made."""
    result = Tensor("none", source.shape, source.unit, (source,))
    result.root, result.device = source.root or source, source.device
    return result


ENDLESS = 1 << 62


class _Buffer:
    """Memory of one device: free blocks in order of address, the last of them without end."""

    __slots__ = ("align", "free", "peak")

    def __init__(self, align: int) -> None:
        self.align, self.peak = align, 0
        self.free: list[list[int]] = [[0, ENDLESS]]

    def take(self, size: int) -> int:
        """Return the address of `size` bytes: in the smallest block that holds them, else the last."""
        free = self.free
        best, least = len(free) - 1, ENDLESS
        for at in range(len(free) - 1):
            if size <= free[at][1] <= least:
                best, least = at, free[at][1]
        block = free[best]
        address = block[0]
        block[0] += size
        block[1] -= size
        if block[1] == 0:
            del free[best]
        self.peak = max(self.peak, address + size)
        return address

    def give(self, address: int, size: int) -> None:
        """Free `size` bytes at `address`: joined to the first free block beside them, and that to one more.

        As in the engine an empty block may part two others for good, hence no tidier rule.
        """
        free, end = self.free, address + size
        for at, block in enumerate(free):
            if block[0] + block[1] == address:
                block[1] += size
                self._join(at)
                return
            if end == block[0]:
                block[0], block[1] = address, block[1] + size
                if at:
                    self._join(at - 1)
                return
        free.insert(
            next((at for at, block in enumerate(free) if block[0] >= address), len(free)), [address, size]
        )

    def _join(self, at: int) -> None:
        free = self.free
        if at + 1 < len(free) and sum(free[at]) == free[at + 1][0]:
            free[at][1] += free[at + 1][1]
            del free[at + 1]


class _Slot:
    """The state of a tensor while the graph runs."""

    __slots__ = ("address", "children", "device", "owned", "views")

    def __init__(self) -> None:
        self.children = self.views = self.address = 0
        self.device = -1
        self.owned = False


class _AllocatorRun:
    """One pass over a graph: remaining users of tensors, and their places."""

    def __init__(self, aligns: Sequence[int], outputs: Sequence[Tensor]) -> None:
        self.buffers = [_Buffer(align) for align in aligns]
        self.slots: dict[int, _Slot] = {}
        self.kept = {id(output) for output in outputs}

    def slot(self, tensor: Tensor) -> _Slot:
        found = self.slots.get(id(tensor))
        if found is None:
            found = self.slots[id(tensor)] = _Slot()
        return found

    def count(self, node: Tensor) -> None:
        if node.root is not None and node.op != "none":
            self.slot(node.root).views += 1
        for parent in node.parents:
            self.slot(parent).children += 1

    def place(self, tensor: Tensor) -> None:
        slot = self.slot(tensor)
        if slot.owned or tensor.root is not None or tensor.place is not None:
            return
        slot.owned = True
        if tensor.op in IN_PLACE and self._reuse_operand(tensor, slot):
            return
        slot.device = tensor.device
        slot.address = self.buffers[tensor.device].take(self._pad(tensor, tensor.device))

    def _pad(self, tensor: Tensor, device: int) -> int:
        align = self.buffers[device].align
        return -(-(tensor.size + tensor.extra) // align) * align

    def _reuse_operand(self, tensor: Tensor, slot: _Slot) -> bool:
        """Put the result in place of an operand without other users."""
        for parent in tensor.parents:
            old = self.slots[id(parent)]
            if not self._replaceable(tensor, parent, old):
                continue
            slot.device, slot.address = old.device, old.address
            old.owned = False
            size, used = self._pad(parent, old.device), self._pad(tensor, old.device)
            if size > used:
                self.buffers[old.device].give(old.address + used, size - used)
            return True
        return False

    def _replaceable(self, tensor: Tensor, parent: Tensor, slot: _Slot) -> bool:
        alone = slot.owned and slot.children == 1 and not slot.views and id(parent) not in self.kept
        return alone and (parent.shape, parent.strides, parent.unit) == (
            tensor.shape,
            tensor.strides,
            tensor.unit,
        )

    def leave(self, parent: Tensor) -> None:
        """Record that one user of `parent` is done; free tensors without users."""
        slot = self.slot(parent)
        slot.children -= 1
        if slot.children or slot.views:
            return
        if parent.root is None:
            self._release(parent, slot)
            return
        below = self.slot(parent.root)
        below.views -= 1
        if not below.views and not below.children:
            self._release(parent.root, below)

    def _release(self, tensor: Tensor, slot: _Slot) -> None:
        if slot.owned and id(tensor) not in self.kept:
            self.buffers[slot.device].give(slot.address, self._pad(tensor, slot.device))
            slot.owned = False


def compute_bytes(
    order: Sequence[Tensor], inputs: Sequence[Tensor], outputs: Sequence[Tensor], aligns: Sequence[int]
) -> list[int]:
    """Return the bytes that each device needs to compute `order`; `outputs` are kept to the end."""
    run = _AllocatorRun(aligns, outputs)
    for tensor in inputs:
        run.place(tensor)
    for node in order:
        run.count(node)
    for node in order:
        for parent in node.parents:
            run.place(parent)
        run.place(node)
        for parent in node.parents:
            run.leave(parent)
    return [buffer.peak for buffer in run.buffers]
