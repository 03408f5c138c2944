"""Reads the output of nvidia-smi, if its library can't be asked."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from satchel.plugin_api import Device, lazily
from satchel_plugins.gpus.machine import FieldError, Machine, free_of, is_integrated, read_system_gpu, size

SOURCE = "nvidia-smi"
COLUMNS = "index,name,uuid,memory.total,memory.reserved,memory.used,memory.free,mig.mode.current"
_MODE = "mig.mode.current"
_MODES = ("disabled", "[n/a]", "n/a", "[not supported]")
"""Modes in which a card is one device; a cut answer has none of them."""
_HEADING = lazily(r"\s*([a-z_.]+)\s*(?:\[(\w+)\])?\s*\Z")
_SLICE = lazily(r"\|\s+(\d+)\s+\d+\s+\d+\s+(\d+)\s+\|\s+(\d+\s*\w+)\s*/\s*(\d+\s*\w+)\s*\|")
_LISTED = lazily(r"\s+MIG (\S+)\s+Device\s+(\d+): \(UUID: (MIG-[^)\s]+)\)")
_CARD = lazily(r"GPU (\d+): ")
_ROUNDED = 4 << 20
"""Each of four figures is rounded to 1 MiB."""
_UNTOLD = 0.15
"""Share of a card's memory that the driver may keep if it does not report the amount."""
_BLANK = ("[n/a]", "n/a", "[not supported]", "not supported", "[unknown error]", "")


class MigSlice(NamedTuple):
    """A value of the table, with the unit that its heading names."""

    text: str
    unit: str


def devices_of(machine: Machine) -> list[Device]:
    """Return the cards that nvidia-smi lists, [] if it is not installed.

    Raises ProgramError if it fails and FieldError if its answer has no rows.
    """
    answer = machine.run(SOURCE, f"--query-gpu={COLUMNS}", "--format=csv")
    if answer is None:
        return []
    found: list[Device] = []
    for row in rows(answer):
        found.extend(_slices(machine, row) if _text(row, _MODE) == "Enabled" else [_card(machine, row)])
    if not found:
        raise FieldError(SOURCE, "memory.total")
    return found


def rows(answer: str) -> list[Mapping[str, MigSlice]]:
    """Return the rows of a CSV answer, each cell under its heading, whatever the order of the columns.

    Lines before the heading (warnings of the driver) are passed over. Raises FieldError without one.
    """
    lines = [line for line in answer.splitlines() if line.strip()]
    start = next((at for at, line in enumerate(lines) if "memory." in line and line.count(",") >= 2), None)
    if start is None:
        raise FieldError(SOURCE, "the heading with memory.total")
    table = list(csv.reader(lines[start:], skipinitialspace=True))
    headings = [_HEADING.match(cell) for cell in table[0]]
    names = [(match[1], match[2] or "") if match else ("", "") for match in headings]
    return [_row(names, row) for row in table[1:]]


def _row(names: Sequence[tuple[str, str]], row: Sequence[str]) -> Mapping[str, MigSlice]:
    """Return the cells by heading; cells missing from a cut line are empty."""
    texts = (*row, *[""] * len(names))
    return {name: MigSlice(text.strip(), unit) for (name, unit), text in zip(names, texts, strict=False)}


def _text(row: Mapping[str, MigSlice], name: str) -> str:
    return row[name].text if name in row else ""


def _card(machine: Machine, row: Mapping[str, MigSlice]) -> Device:
    name, id_ = _text(row, "name") or "NVIDIA GPU", _text(row, "uuid")
    if _text(row, "memory.total").lower() in _BLANK and is_integrated(name, machine):
        return read_system_gpu(name, machine, id_=id_, source=SOURCE)
    try:
        total, free = _sizes(row)
    except FieldError as error:
        return Device(name, 0, 0, SOURCE, id=id_, problem=str(error))
    return Device(name, total, free, SOURCE, id=id_)


def _sizes(row: Mapping[str, MigSlice]) -> tuple[int, int]:
    """Return total and free bytes; raise FieldError if they and the used ones do not add up."""
    total = _amount(row, "memory.total")
    if _MODE in row and _text(row, _MODE).lower() not in _MODES:
        raise FieldError(SOURCE, _MODE)
    if not _has_value(row, "memory.free"):
        return total, free_of(SOURCE, total, _amount(row, "memory.used"))
    free = _amount(row, "memory.free")
    reserved = _amount(row, "memory.reserved") if _has_value(row, "memory.reserved") else 0
    used = _amount(row, "memory.used") if _has_value(row, "memory.used") else total - reserved - free
    slack = _ROUNDED if reserved else total * _UNTOLD
    if not -_ROUNDED <= total - reserved - used - free <= slack:
        raise FieldError(SOURCE, "memory.free", f"{free} of {total} bytes beside {used} used")
    return total, free


def _has_value(row: Mapping[str, MigSlice], name: str) -> bool:
    return _text(row, name).lower() not in _BLANK


def _amount(row: Mapping[str, MigSlice], name: str) -> int:
    cell = row.get(name, MigSlice("", ""))
    return size(SOURCE, name, cell.text or None, unit=cell.unit or "MiB")


def _slices(machine: Machine, row: Mapping[str, MigSlice]) -> Iterator[Device]:
    """Yield the slices of a card in MIG mode, from the table that alone lists their memory."""
    card = _text(row, "index")
    names = dict(_iter_slices(machine.run(SOURCE, "-L") or "", card))
    table = machine.run(SOURCE) or ""
    found = [match for line in table.splitlines() if (match := _SLICE.match(line)) and match[1] == card]
    for match in found:
        kind, id_ = names.get(match[2], ("", ""))
        name = f"{_text(row, 'name')} MIG {kind or match[2]}".strip()
        try:
            total, used = size(SOURCE, "MIG memory", match[4]), size(SOURCE, "MIG memory used", match[3])
            yield Device(name, total, free_of(SOURCE, total, used), SOURCE, id=id_, note="a MIG slice")
        except FieldError as error:
            yield Device(name, 0, 0, SOURCE, id=id_, problem=str(error))
    if not found:
        name, id_ = _text(row, "name"), _text(row, "uuid")
        problem = "nvidia-smi: the card is in MIG mode and the table of MIG devices is missing"
        yield Device(name, 0, 0, SOURCE, id=id_, problem=problem)


def _iter_slices(answer: str, card: str) -> Iterator[tuple[str, tuple[str, str]]]:
    current = ""
    for line in answer.splitlines():
        if heading := _CARD.match(line):
            current = heading[1]
        elif current == card and (match := _LISTED.match(line)):
            yield match[2], (match[1], match[3])
