"""AMD cards: the kernel's own files first, then amd-smi, then rocm-smi."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import attrs

from satchel.plugin_api import Device, NoDevicesError
from satchel_plugins.gpus.amd import amd_smi, amdgpu, rocm_smi
from satchel_plugins.gpus.machine import Machine, ThisMachine


@attrs.frozen
class Rocm:
    """AMD cards and APUs, from sysfs, amd-smi or rocm-smi, whichever answers first."""

    name: ClassVar[str] = "rocm"

    def devices(self) -> Sequence[Device]:
        """Return each card; raise NoDevicesError where nothing of AMD answers."""
        return devices_of(ThisMachine())


def devices_of(machine: Machine) -> list[Device]:
    """Return the cards of a machine, from the first source that knows any."""
    for source in (amdgpu.devices_of, amd_smi.devices_of, rocm_smi.devices_of):
        found = source(machine)
        if found:
            return found
    raise NoDevicesError("no amdgpu card in /sys/class/drm, and neither amd-smi nor rocm-smi is on PATH")
