"""Reads rocm-smi's JSON, whose sizes are texts and whose fields carry their unit."""

from __future__ import annotations

import json
from collections.abc import Mapping

from satchel.plugin_api import Device, lazily
from satchel_plugins.gpus.amd.apus import measured
from satchel_plugins.gpus.machine import FieldError, Machine, free_of, size

SOURCE = "rocm-smi"
_FIELD = lazily(r"(VRAM|GTT) Total( Used)? Memory(?: \((\w+)\))?\Z")
_NAMES = ("Card Series", "Card series", "Card Model", "Card model", "Device Name")


def devices_of(machine: Machine) -> list[Device]:
    """Return the cards that rocm-smi lists, [] where it is not installed.

    Raises ProgramError where it fails and FieldError where its answer is not understood.
    """
    answer = machine.run(SOURCE, "--showmeminfo", "vram", "gtt", "--showproductname", "--json")
    if answer is None:
        return []
    cards = _cards(answer)
    return [_device(machine, cards[key], key) for key in sorted(cards, key=lambda name: (len(name), name))]


def _cards(answer: str) -> dict[str, Mapping[str, object]]:
    """Return the cards by name; warnings may stand before the JSON."""
    try:
        read = json.loads(answer[answer.index("{") :])
    except (ValueError, RecursionError):
        raise FieldError(SOURCE, "the answer", answer[:40]) from None
    cards: dict[str, Mapping[str, object]] = {
        key: value for key, value in read.items() if key.startswith("card") and isinstance(value, dict)
    }
    if not cards:
        raise FieldError(SOURCE, "card0")
    return cards


def _device(machine: Machine, card: Mapping[str, object], key: str) -> Device:
    name = next((str(card[field]) for field in _NAMES if card.get(field)), f"AMD GPU {key}")
    try:
        return _measure_card(machine, card, name, key)
    except FieldError as error:
        return Device(name, 0, 0, SOURCE, id=key, problem=f"{error} ({key})")


def _measure_card(machine: Machine, card: Mapping[str, object], name: str, key: str) -> Device:
    fields = _fields(card)
    gtt = _pair(fields, "GTT") if "GTT Total Memory" in fields else None
    return measured(machine, name, _pair(fields, "VRAM"), gtt, source=SOURCE, id_=key)


def _fields(card: Mapping[str, object]) -> dict[str, tuple[object, str]]:
    """Return value and unit by the field's name without its unit; "used" also contains "Total"."""
    found = {match: value for key, value in card.items() if (match := _FIELD.match(key))}
    return {
        f"{match[1]} Total{match[2] or ''} Memory": (value, match[3] or "") for match, value in found.items()
    }


def _pair(fields: Mapping[str, tuple[object, str]], kind: str) -> tuple[int, int]:
    names = (f"{kind} Total Memory", f"{kind} Total Used Memory")
    total, used = (_amount(fields, name) for name in names)
    return total, free_of(SOURCE, total, used)


def _amount(fields: Mapping[str, tuple[object, str]], name: str) -> int:
    value, unit = fields.get(name, (None, ""))
    return size(SOURCE, name, value, unit=unit or "B")
