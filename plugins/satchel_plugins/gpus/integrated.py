"""NVIDIA GPUs that share the processor's memory (GB10, Jetson): what of it the system can spare."""

from __future__ import annotations

import re

from satchel import Device, Memory
from satchel.patterns import lazily
from satchel_plugins.gpus.machine import Machine, meminfo

_SHARED = lazily(r"\b(?:GB10|N1X?|Orin|Xavier|Thor|Tegra|Jetson)\b", re.IGNORECASE)
_TEGRA = ("/etc/nv_tegra_release", "/proc/device-tree/model")

NOTE = "shared with the processor: what the system can spare now"


def is_integrated(name: str, machine: Machine) -> bool:
    """Tell whether a GPU of this name has no memory of its own."""
    return bool(_SHARED.search(name)) or _is_tegra(machine)


def unified(name: str, machine: Machine, *, id_: str = "", source: str) -> Device:
    """Return a GPU whose memory is the system's; raises FieldError where /proc/meminfo does not tell.

    llama.cpp takes MemAvailable as free too, wherever CUDA says that a device is integrated.
    """
    total, available = meminfo(machine, source)
    return Device(name, total, available, f"{source} + /proc/meminfo", Memory.UNIFIED, id_, NOTE)


def jetson(machine: Machine) -> list[Device]:
    """Return a Jetson's GPU, whose driver has no NVML on older systems; [] on other machines."""
    if not _is_tegra(machine):
        return []
    model = (machine.read("/proc/device-tree/model") or "NVIDIA Tegra").strip("\0 \n")
    return [unified(model, machine, source="nv_tegra_release")]


def _is_tegra(machine: Machine) -> bool:
    if machine.read(_TEGRA[0]) is not None:
        return True
    return bool(_SHARED.search(machine.read(_TEGRA[1]) or ""))
