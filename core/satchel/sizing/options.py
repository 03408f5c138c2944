"""Options of a model's run: the window, the cache, slots, layers on the graphics cards."""

from __future__ import annotations

from typing import NamedTuple

from satchel.errors import UsageError
from satchel.sizing.models.gguf import TensorType, align, kind_of

CELL_PADDING = 256
MOST_SLOTS = 256
ALL_LAYERS = 1 << 20


class Run(NamedTuple):
    """One way to run a model; defaults are those of llama-server."""

    context: int
    """Tokens of the window, of all slots together."""
    key_kind: TensorType = kind_of("f16")
    value_kind: TensorType = kind_of("f16")
    micro_batch: int = 512
    slots: int = 1
    unified: bool = False
    """Whether all slots share one pool of cells."""
    full_sliding: bool = False
    """Whether sliding layers keep the whole window (`--swa-full`)."""
    outputs: int = 0
    """Maximum tokens of a micro-batch with logits, 0 for one per slot."""
    flash_attention: bool = True
    gpu_layers: int = ALL_LAYERS
    """Layers on the cards, counted from the last one; the output counts as one."""
    shares: tuple[float, ...] = (1.0,)
    """The cards, by their share of the layers."""

    @property
    def slot_cells(self) -> int:
        """Return the cells of one slot, or of the pool if it is unified."""
        whole = align(self.context, CELL_PADDING)
        return whole if self.unified else align(whole // self.slots, CELL_PADDING)

    @property
    def streams(self) -> int:
        """Return the number of separate caches."""
        return 1 if self.unified else self.slots

    @property
    def cells(self) -> int:
        """Return the cells of all slots."""
        return self.slot_cells * self.streams

    def sliding_cells(self, window: int) -> int:
        """Return the cells that a sliding layer keeps for one slot, or for the pool."""
        if self.full_sliding:
            return self.slot_cells
        reach = window * (self.slots if self.unified else 1) + self.real_batch
        return align(min(self.slot_cells, reach), CELL_PADDING)

    @property
    def real_batch(self) -> int:
        """Return the tokens of a micro-batch: never more than the window."""
        return min(self.context, self.micro_batch)

    @property
    def batch(self) -> int:
        """Return the tokens of the graph: a multiple of the slots."""
        return align(min(self.cells, self.real_batch), self.slots)

    @property
    def wanted(self) -> int:
        """Return the rows of logits for which the graph has room."""
        return min(self.outputs or self.slots, min(self.cells, self.real_batch))


def check_run(run: Run) -> Run:
    """Return the run, or raise UsageError if the engine would refuse it."""
    if not 1 <= run.slots <= MOST_SLOTS:
        raise UsageError(f"expected 1 to {MOST_SLOTS} slots, not {run.slots}")
    if run.context < 1 or run.micro_batch < 1 or run.outputs < 0:
        raise UsageError(
            "the window (--context), the micro-batch (--ubatch) and outputs (--outputs) are at least 1 token"
        )
    if run.context // run.slots < 1:
        raise UsageError(f"{run.slots} slots need a window of {run.slots} tokens at least, not {run.context}")
    if run.value_kind.block > 1 and not run.flash_attention:
        raise UsageError(f"the engine keeps values as {run.value_kind.name} only with flash attention on")
    return run
