"""How large a device's compute buffer must be: the engine's allocator, run on a graph without values."""

from __future__ import annotations

from collections.abc import Sequence

from satchel.sizing.graphs.tensors import IN_PLACE, Tensor

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
    """What is known of a tensor while the graph runs."""

    __slots__ = ("address", "children", "device", "owned", "views")

    def __init__(self) -> None:
        self.children = self.views = self.address = 0
        self.device = -1
        self.owned = False


class _AllocatorRun:
    """One pass over a graph: who still needs what, and where it lies."""

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
        """Put the result where an operand lies that nobody else needs."""
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
        """Note that one user of `parent` is done; free what nobody needs any more."""
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
