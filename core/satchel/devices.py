"""Graphics devices and their memory."""

from __future__ import annotations

import enum

import attrs


class Memory(enum.StrEnum):
    """The kind of a device's memory; only the first two can hold a model for a GPU."""

    VRAM = "vram"
    """The card's own memory."""
    UNIFIED = "unified"
    """Shared by processor and GPU: GB10, Jetson, APUs, Apple silicon."""
    SYSTEM = "system"
    """The processor's memory left to a container or a machine, never that of a GPU."""


@attrs.frozen
class Device:
    """A graphics card, a slice of one, or the share of unified memory that a GPU may use."""

    name: str
    total_bytes: int
    free_bytes: int
    source: str
    """The probe that reported it: `nvml`, `nvidia-smi`, `sysfs`, ..."""
    memory: Memory = Memory.VRAM
    id: str = ""
    """Distinguishes it from identical devices: a UUID, a PCI address or an index."""
    note: str = ""
    """What to know when reading the figures."""
    problem: str = ""
    """Why its memory could not be read; both sizes are then 0, and it must not be used for planning."""

    @property
    def usable(self) -> bool:
        """Return whether a model's window can be planned on this device."""
        return not self.problem and self.total_bytes > 0 and self.memory is not Memory.SYSTEM
