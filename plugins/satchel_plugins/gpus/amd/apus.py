"""AMD processors with graphics (APUs): their carve-out is small, what they really use is system memory."""

from __future__ import annotations

import re

from satchel import Device, Memory

_NAMES = re.compile(
    r"\b(?:Raven|Picasso|Renoir|Lucienne|Cezanne|Barcelo|Rembrandt|Mendocino|Phoenix|Hawk Point|Strix|Krackan"
    r"|Van ?Gogh|Dali|Stoney|Carrizo|Radeon(?:\(TM\))? (?:Vega \d+ )?Graphics|Radeon [678]\d0M"
    r"|Radeon 80[0-9]{2}S)\b",
    re.IGNORECASE,
)
_CARVE_OUT = 4 << 30
"""No card with memory of its own that runs models has less; firmware gives an APU 512 MiB as a rule."""


def is_apu(name: str, vram: int, gtt: int | None) -> bool:
    """Tell whether a device of this name and these sizes in bytes is an APU."""
    return bool(_NAMES.search(name)) or (gtt is not None and vram < _CARVE_OUT and gtt > 2 * vram)


def apu(name: str, carve_out: int, gtt: tuple[int, int], *, source: str, id_: str, available: int) -> Device:
    """Return an APU by its GTT (total, free): system memory that its GPU can address, as far as it is free.

    All sizes are bytes; `available` is what the system can spare.
    """
    total, free = gtt
    note = f"an APU: system memory that the GPU can address (GTT), beside {carve_out >> 20} MiB of its own"
    return Device(name, total, min(free, available), source, Memory.UNIFIED, id_, note)


def carve_out(name: str, total: int, free: int, *, source: str, id_: str) -> Device:
    """Return an APU whose source does not tell the memory that it shares."""
    note = "an APU: the part that the firmware set aside; what it shares with the processor was not told"
    return Device(name, total, free, source, Memory.VRAM, id_, note)
