"""Reads amd-smi's JSON: https://rocm.docs.amd.com/projects/amdsmi."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from satchel.plugin_api import Device
from satchel_plugins.gpus.amd.apus import measured
from satchel_plugins.gpus.machine import FieldError, Machine, free_of, size

SOURCE = "amd-smi"


def devices_of(machine: Machine) -> list[Device]:
    """Return the cards that amd-smi lists, [] where it is not installed.

    Raises ProgramError where it fails and FieldError where its answer is not understood.
    """
    answer = machine.run(SOURCE, "metric", "--mem-usage", "--json")
    if answer is None:
        return []
    cards = _cards(answer)
    names = _names(machine)
    return [_device(machine, card, names.get(str(card.get("gpu")), "")) for card in cards]


def _cards(answer: str) -> list[Mapping[str, Any]]:
    """Return the cards of an answer: a list in older releases, under "gpu_data" in newer ones."""
    try:
        read = json.loads(answer)
    except (ValueError, RecursionError):
        raise FieldError(SOURCE, "the answer", answer[:40]) from None
    listed = read.get("gpu_data") if isinstance(read, dict) else read
    if not isinstance(listed, list) or not listed or not all(isinstance(card, dict) for card in listed):
        raise FieldError(SOURCE, "gpu_data")
    return listed


def _names(machine: Machine) -> dict[str, str]:
    """Return the names that the cards are sold under, by number; {} where they are not told."""
    try:
        cards = _cards(machine.run(SOURCE, "static", "--asic", "--json") or "")
    except FieldError:
        return {}
    asics = {str(card.get("gpu")): card.get("asic") for card in cards}
    return {gpu: str(asic.get("market_name", "")) for gpu, asic in asics.items() if isinstance(asic, dict)}


def _device(machine: Machine, card: Mapping[str, Any], told: str) -> Device:
    id_ = str(card.get("gpu", ""))
    name = told or f"AMD GPU {id_}".strip()
    usage = card.get("mem_usage")
    try:
        return _measure_card(machine, usage if isinstance(usage, dict) else {}, name, id_)
    except FieldError as error:
        return Device(name, 0, 0, SOURCE, id=id_, problem=f"{error} (GPU {id_})")


def _measure_card(machine: Machine, usage: Mapping[str, Any], name: str, id_: str) -> Device:
    gtt = _pair(usage, "gtt") if usage.get("total_gtt") is not None else None
    return measured(machine, name, _pair(usage, "vram"), gtt, source=SOURCE, id_=id_)


def _pair(usage: Mapping[str, Any], kind: str) -> tuple[int, int]:
    total, used = (_amount(usage, f"{word}_{kind}") for word in ("total", "used"))
    return total, free_of(SOURCE, total, used)


def _amount(usage: Mapping[str, Any], field: str) -> int:
    """Return bytes of `{"value": 196288, "unit": "MB"}`, of `"196288 MB"` or of a number of MB (MiB)."""
    cell = usage.get(field)
    if isinstance(cell, dict):
        return size(SOURCE, field, cell.get("value"), unit=str(cell.get("unit") or "MB"))
    return size(SOURCE, field, cell, unit="MB")
