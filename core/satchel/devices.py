"""Graphics devices as satchel sees them."""

from __future__ import annotations

import enum

import attrs


class Memory(enum.StrEnum):
    """Whose memory a device's bytes are; only the first two can hold a model for a GPU."""

    VRAM = "vram"
    """The card's own."""
    UNIFIED = "unified"
    """Shared by processor and GPU: GB10, Jetson, APUs, Apple silicon."""
    SYSTEM = "system"
    """The processor's: what a container or a machine has left, never the memory of a GPU."""


@attrs.frozen
class Device:
    """A graphics card, a slice of one, or the share of unified memory that a GPU may use."""

    name: str
    total_bytes: int
    free_bytes: int
    source: str
    """The probe that told: `nvml`, `nvidia-smi`, `sysfs`, ..."""
    memory: Memory = Memory.VRAM
    id: str = ""
    """What tells it from its twins: a UUID, a PCI address, an index."""
    note: str = ""
    """What a reader of the figures must know."""
    problem: str = ""
    """Why its memory could not be read; both sizes are 0 then, and it must not be planned with."""

    @property
    def usable(self) -> bool:
        """Whether a model's window can be planned on it."""
        return not self.problem and self.total_bytes > 0 and self.memory is not Memory.SYSTEM
