"""Reads the amdgpu driver's files: https://docs.kernel.org/gpu/amdgpu/driver-misc.html."""

from __future__ import annotations

import re
from collections.abc import Iterator

from satchel.plugin_api import Device, lazily
from satchel_plugins.gpus.amd.apus import measured
from satchel_plugins.gpus.machine import FieldError, Machine, first, free_of, size

SOURCE = "sysfs"
_CARDS = "/sys/class/drm"
_CARD = lazily(r"card[0-9]+\Z")
_ADDRESS = lazily(r"^PCI_SLOT_NAME=(\S+)", re.MULTILINE)
_MARKET = ("product_name", "product_number")


def devices_of(machine: Machine) -> list[Device]:
    """Return the amdgpu cards by PCI address: the numbers of cards change from start to start."""
    return sorted(_found(machine), key=lambda device: device.id)


def _found(machine: Machine) -> Iterator[Device]:
    for card in machine.folders(_CARDS, "card"):
        folder = f"{_CARDS}/{card}/device"
        if _CARD.match(card) and machine.read(f"{folder}/mem_info_vram_total") is not None:
            yield _card(machine, folder, card)


def _card(machine: Machine, folder: str, card: str) -> Device:
    address = _ADDRESS.search(machine.read(f"{folder}/uevent") or "")
    id_ = address[1] if address else card
    told = first([machine.read(f"{folder}/{name}") for name in _MARKET])
    name = told or f"AMD GPU {(machine.read(f'{folder}/device') or '').strip()}".strip()
    try:
        return _measure_card(machine, folder, name, id_)
    except FieldError as error:
        return Device(name, 0, 0, SOURCE, id=id_, problem=f"{error} ({card})")


def _measure_card(machine: Machine, folder: str, name: str, id_: str) -> Device:
    gtt = _pair(machine, folder, "gtt") if machine.read(f"{folder}/mem_info_gtt_total") is not None else None
    return measured(machine, name, _pair(machine, folder, "vram"), gtt, source=SOURCE, id_=id_)


def _pair(machine: Machine, folder: str, kind: str) -> tuple[int, int]:
    """Return total and free bytes of the card's own memory (vram) or of what it may address (gtt)."""
    names = (f"mem_info_{kind}_total", f"mem_info_{kind}_used")
    total, used = (size(SOURCE, name, machine.read(f"{folder}/{name}"), unit="B") for name in names)
    return total, free_of(SOURCE, total, used)
