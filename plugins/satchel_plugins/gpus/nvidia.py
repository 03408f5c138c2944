"""NVIDIA cards: NVML, else nvidia-smi; MIG slices one by one; unified memory from the system."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import attrs

from satchel.plugin_api import Device, NoDevicesError
from satchel_plugins.gpus import nvidia_smi, nvml
from satchel_plugins.gpus.machine import Machine, ThisMachine, jetson

VISIBLE = "CUDA_VISIBLE_DEVICES"


@attrs.frozen
class Nvidia:
    """NVIDIA cards, as the driver's own library tells them (NVML, through nvidia-ml-py)."""

    name: ClassVar[str] = "nvidia"

    def devices(self) -> Sequence[Device]:
        """Return each card, or each MIG slice of one; raise NoDevicesError where there is no driver."""
        import pynvml

        return devices_of(pynvml, ThisMachine(), os.environ)


def devices_of(library: Any, machine: Machine, env: Mapping[str, str]) -> list[Device]:
    """Ask NVML, then nvidia-smi where NVML is not there, then a Jetson's system memory."""
    try:
        return _visible(nvml.devices_of(library, machine), env)
    except NoDevicesError as absent:
        found = nvidia_smi.devices_of(machine) or jetson(machine)
        if not found:
            raise NoDevicesError(f"{absent}; nvidia-smi is not on PATH either") from None
        return _visible(found, env)


def _visible(devices: list[Device], env: Mapping[str, str]) -> list[Device]:
    """Return those that CUDA_VISIBLE_DEVICES names, in its order; as CUDA, stop at the first unknown name.

    Numbers are taken in the order of the PCI bus, which is CUDA's own with CUDA_DEVICE_ORDER=PCI_BUS_ID
    or where all cards are alike.
    """
    if VISIBLE not in env:
        return devices
    chosen: list[Device] = []
    for word in env[VISIBLE].split(","):
        match = _find_device(devices, word.strip())
        if match is None or match in chosen:
            break
        chosen.append(match)
    if not chosen:
        raise NoDevicesError(f"{VISIBLE}={env[VISIBLE]!r} hides all {len(devices)} devices")
    return chosen


def _find_device(devices: Sequence[Device], word: str) -> Device | None:
    if word.isdecimal():
        return devices[int(word)] if int(word) < len(devices) else None
    return next((device for device in devices if word and device.id.startswith(word)), None)
