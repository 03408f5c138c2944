"""AMD processors with graphics (APUs): their carve-out is small, what they really use is system memory."""

from __future__ import annotations

import re

from satchel.plugin_api import Device, Memory, lazily
from satchel_plugins.gpus.machine import Machine, meminfo

_NAMES = lazily(
    r"\b(?:Raven|Picasso|Renoir|Lucienne|Cezanne|Barcelo|Rembrandt|Mendocino|Phoenix|Hawk Point|Strix|Krackan"
    r"|Van ?Gogh|Dali|Stoney|Carrizo|Radeon(?:\(TM\))? (?:Vega \d+ )?Graphics|Radeon [678]\d0M"
    r"|Radeon 80[0-9]{2}S)\b",
    re.IGNORECASE,
)
_CARVE_OUT = 4 << 30
"""No card with memory of its own that runs models has less; firmware gives an APU 512 MiB as a rule."""


def measured(
    machine: Machine, name: str, vram: tuple[int, int], gtt: tuple[int, int] | None, *, source: str, id_: str
) -> Device:
    """Return a card or an APU by its own memory and what it may address, each (total, free) in bytes."""
    if not is_apu(name, vram[0], gtt[0] if gtt else None):
        return Device(name, *vram, source, id=id_)
    if gtt is None:
        return _carve_out(name, vram, source=source, id_=id_)
    return _apu(name, vram[0], gtt, source=source, id_=id_, available=meminfo(machine, source)[1])


def is_apu(name: str, vram: int, gtt: int | None) -> bool:
    """Tell whether a device of this name and these sizes in bytes is an APU."""
    return bool(_NAMES.search(name)) or (gtt is not None and vram < _CARVE_OUT and gtt > 2 * vram)


def _apu(name: str, carve_out: int, gtt: tuple[int, int], *, source: str, id_: str, available: int) -> Device:
    """Return an APU by its GTT (total, free): system memory that its GPU can address, as far as it is free.

    All sizes are bytes; `available` is what the system can spare.
    """
    total, free = gtt
    note = f"an APU: system memory that the GPU can address (GTT), beside {carve_out >> 20} MiB of its own"
    return Device(name, total, min(free, available), source, Memory.UNIFIED, id_, note)


def _carve_out(name: str, vram: tuple[int, int], *, source: str, id_: str) -> Device:
    """Return an APU whose source does not tell the memory that it shares."""
    note = "an APU: the part that the firmware set aside; what it shares with the processor was not told"
    return Device(name, *vram, source, Memory.VRAM, id_, note)
