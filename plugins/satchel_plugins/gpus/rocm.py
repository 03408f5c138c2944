"""AMD cards: the kernel's own files first, then amd-smi, then rocm-smi."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import attrs

from satchel.plugin_api import Device, Memory, NoDevicesError, lazily
from satchel_plugins.gpus.machine import FieldError, Machine, ThisMachine, first, free_of, meminfo, size

_SYSFS, _AMD_SMI, _ROCM_SMI = "sysfs", "amd-smi", "rocm-smi"


@attrs.frozen
class Rocm:
    """AMD cards and APUs, from sysfs, amd-smi or rocm-smi, whichever answers first."""

    name: ClassVar[str] = "rocm"

    def devices(self) -> Sequence[Device]:
        """Return each card; raise NoDevicesError if nothing of AMD answers."""
        return devices_of(ThisMachine())


def devices_of(machine: Machine) -> list[Device]:
    """Return the cards of a machine, from the first source that knows any.

    Raises ProgramError if a program fails and FieldError if its answer is not understood.
    """
    for source, list_cards in (
        (_SYSFS, _sysfs_cards),
        (_AMD_SMI, _amd_smi_cards),
        (_ROCM_SMI, _rocm_smi_cards),
    ):
        found = [_measure(machine, source, card) for card in list_cards(machine)]
        if found:
            return found
    raise NoDevicesError("no amdgpu card in /sys/class/drm, and neither amd-smi nor rocm-smi is on PATH")


class _AmdCard(NamedTuple):
    """A card in a source's answer."""

    name: str
    id: str
    place: str
    """Its name in a problem."""
    amount: Callable[[str, str], int]
    """Bytes of `vram`, its own memory, or of `gtt`, its addressable memory: `total` or `used`."""
    tells_gtt: bool


def _measure(machine: Machine, source: str, card: _AmdCard) -> Device:
    """Return a card or an APU, with a problem if its memory is not understood."""

    def total_and_free(kind: str) -> tuple[int, int]:
        total = card.amount(kind, "total")
        return total, free_of(source, total, card.amount(kind, "used"))

    try:
        gtt = total_and_free("gtt") if card.tells_gtt else None
        vram = total_and_free("vram")
        if not _is_apu(card.name, vram[0], gtt[0] if gtt else None):
            return Device(card.name, *vram, source, id=card.id)
        if gtt is None:
            note = "an APU: the part that the firmware set aside; what the processor shares was not reported"
            return Device(card.name, *vram, source, Memory.VRAM, card.id, note)
        free = min(gtt[1], meminfo(machine, source)[1])
    except FieldError as error:
        return Device(card.name, 0, 0, source, id=card.id, problem=f"{error} ({card.place})")
    note = f"an APU: system memory that the GPU can address (GTT), beside {vram[0] >> 20} MiB of its own"
    return Device(card.name, gtt[0], free, source, Memory.UNIFIED, card.id, note)


_APUS = lazily(
    r"\b(?:Raven|Picasso|Renoir|Lucienne|Cezanne|Barcelo|Rembrandt|Mendocino|Phoenix|Hawk Point|Strix|Krackan"
    r"|Van ?Gogh|Dali|Stoney|Carrizo|Radeon(?:\(TM\))? (?:Vega \d+ )?Graphics|Radeon [678]\d0M"
    r"|Radeon 80[0-9]{2}S)\b",
    re.IGNORECASE,
)
_CARVE_OUT = 4 << 30
"""No card with memory of its own that runs models has less; firmware gives an APU 512 MiB as a rule."""


def _is_apu(name: str, vram: int, gtt: int | None) -> bool:
    """Return whether a device is a processor with graphics, by its name and its sizes in bytes.

    Its carve-out is small; it really uses system memory.
    """
    return bool(_APUS.search(name)) or (gtt is not None and vram < _CARVE_OUT and gtt > 2 * vram)


_FOLDER = "/sys/class/drm"
_CARD = lazily(r"card[0-9]+\Z")
_ADDRESS = lazily(r"^PCI_SLOT_NAME=(\S+)", re.MULTILINE)


def _sysfs_cards(machine: Machine) -> list[_AmdCard]:
    """Read the amdgpu driver's files: https://docs.kernel.org/gpu/amdgpu/driver-misc.html.

    Cards come by PCI address: their numbers change from start to start.
    """
    numbers = filter(_CARD.match, machine.folders(_FOLDER, "card"))
    files = {number: f"{_FOLDER}/{number}/device" for number in numbers}
    cards = [
        _sysfs_card(machine, folder, number)
        for number, folder in files.items()
        if machine.read(f"{folder}/mem_info_vram_total") is not None
    ]
    return sorted(cards, key=lambda card: card.id)


def _sysfs_card(machine: Machine, folder: str, number: str) -> _AmdCard:
    def amount(kind: str, which: str) -> int:
        name = f"mem_info_{kind}_{which}"
        return size(_SYSFS, name, machine.read(f"{folder}/{name}"), unit="B")

    address = _ADDRESS.search(machine.read(f"{folder}/uevent") or "")
    told = first([machine.read(f"{folder}/{name}") for name in ("product_name", "product_number")])
    name = told or f"AMD GPU {(machine.read(f'{folder}/device') or '').strip()}".strip()
    tells_gtt = machine.read(f"{folder}/mem_info_gtt_total") is not None
    return _AmdCard(name, address[1] if address else number, number, amount, tells_gtt)


def _amd_smi_cards(machine: Machine) -> Iterator[_AmdCard]:
    """Read amd-smi's JSON (https://rocm.docs.amd.com/projects/amdsmi); nothing if it is not installed."""
    answer = machine.run(_AMD_SMI, "metric", "--mem-usage", "--json")
    if answer is None:
        return
    cards = _list_amd_smi(answer)
    names = _list_market_names(machine)
    for card in cards:
        number, usage = str(card.get("gpu", "")), card.get("mem_usage")
        table = usage if isinstance(usage, dict) else {}
        name = names.get(str(card.get("gpu")), "") or f"AMD GPU {number}".strip()
        amount = _amd_smi_amounts(table)
        yield _AmdCard(name, number, f"GPU {number}", amount, table.get("total_gtt") is not None)


def _list_amd_smi(answer: str) -> list[Mapping[str, Any]]:
    """Return the cards of an answer: a list in older releases, under "gpu_data" in newer ones."""
    try:
        read = json.loads(answer)
    except (ValueError, RecursionError):
        raise FieldError(_AMD_SMI, "the answer", answer[:40]) from None
    listed = read.get("gpu_data") if isinstance(read, dict) else read
    if not isinstance(listed, list) or not listed or not all(isinstance(card, dict) for card in listed):
        raise FieldError(_AMD_SMI, "gpu_data")
    return listed


def _list_market_names(machine: Machine) -> dict[str, str]:
    """Return the market names of the cards, by number; {} if unknown."""
    try:
        cards = _list_amd_smi(machine.run(_AMD_SMI, "static", "--asic", "--json") or "")
    except FieldError:
        return {}
    asics = {str(card.get("gpu")): card.get("asic") for card in cards}
    return {gpu: str(asic.get("market_name", "")) for gpu, asic in asics.items() if isinstance(asic, dict)}


def _amd_smi_amounts(usage: Mapping[str, Any]) -> Callable[[str, str], int]:
    def amount(kind: str, which: str) -> int:
        """Return bytes of `{"value": 196288, "unit": "MB"}`, of `"196288 MB"` or of a number of MB (MiB)."""
        field = f"{which}_{kind}"
        cell = usage.get(field)
        if isinstance(cell, dict):
            return size(_AMD_SMI, field, cell.get("value"), unit=str(cell.get("unit") or "MB"))
        return size(_AMD_SMI, field, cell, unit="MB")

    return amount


_FIELD = lazily(r"(VRAM|GTT) Total( Used)? Memory(?: \((\w+)\))?\Z")
_NAMES = ("Card Series", "Card series", "Card Model", "Card model", "Device Name")


def _rocm_smi_cards(machine: Machine) -> Iterator[_AmdCard]:
    """Read rocm-smi's JSON, whose sizes are texts and whose fields carry their unit."""
    answer = machine.run(_ROCM_SMI, "--showmeminfo", "vram", "gtt", "--showproductname", "--json")
    if answer is None:
        return
    cards = _list_rocm_smi(answer)
    for key in sorted(cards, key=lambda name: (len(name), name)):
        name = next((str(cards[key][field]) for field in _NAMES if cards[key].get(field)), f"AMD GPU {key}")
        fields = _fields_of(cards[key])
        yield _AmdCard(name, key, key, _rocm_smi_amounts(fields), "GTT Total Memory" in fields)


def _list_rocm_smi(answer: str) -> dict[str, Mapping[str, object]]:
    """Return the cards by name; warnings may precede the JSON."""
    try:
        read = json.loads(answer[answer.index("{") :])
    except (ValueError, RecursionError):
        raise FieldError(_ROCM_SMI, "the answer", answer[:40]) from None
    cards: dict[str, Mapping[str, object]] = {
        key: value for key, value in read.items() if key.startswith("card") and isinstance(value, dict)
    }
    if not cards:
        raise FieldError(_ROCM_SMI, "card0")
    return cards


def _fields_of(card: Mapping[str, object]) -> dict[str, tuple[object, str]]:
    """Return value and unit by the field's name without its unit; "used" also contains "Total"."""
    found = {match: value for key, value in card.items() if (match := _FIELD.match(key))}
    return {
        f"{match[1]} Total{match[2] or ''} Memory": (value, match[3] or "") for match, value in found.items()
    }


def _rocm_smi_amounts(fields: Mapping[str, tuple[object, str]]) -> Callable[[str, str], int]:
    def amount(kind: str, which: str) -> int:
        name = f"{kind.upper()} Total {'Used ' if which == 'used' else ''}Memory"
        value, unit = fields.get(name, (None, ""))
        return size(_ROCM_SMI, name, value, unit=unit or "B")

    return amount
