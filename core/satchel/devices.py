"""Graphics devices as satchel sees them."""

from __future__ import annotations

import attrs


@attrs.frozen
class Device:
    """A graphics card, or the share of unified memory that a GPU may use."""

    name: str
    total_bytes: int
    free_bytes: int
    source: str
    """The probe that told: `nvml`, `nvidia-smi`, ..."""
    unified: bool = False
