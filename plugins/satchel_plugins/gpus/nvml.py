"""Reads NVIDIA's management library: https://docs.nvidia.com/deploy/nvml-api/."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from satchel.plugin_api import Device, NoDevicesError, SatchelError
from satchel_plugins.gpus.machine import Machine, is_integrated, unified

SOURCE = "nvml"
_ABSENT = (12, 9)
"""NVML_ERROR_LIBRARY_NOT_FOUND, NVML_ERROR_DRIVER_NOT_LOADED: there is no driver to ask."""
_NOT_SUPPORTED, _NOT_FOUND = 3, 6
_STEPS = {
    4: "this user may not ask the driver",
    9: "the NVIDIA driver is not loaded",
    12: "the NVIDIA driver's library (NVML) is not installed",
    15: "the card is lost: it fell off the bus, reset it or restart the machine",
    18: "driver and library differ in version: restart after the driver's update",
}


class DriverError(SatchelError):
    """There is a driver, and it can't be asked."""


def devices_of(library: Any, machine: Machine) -> list[Device]:
    """Return every card, and in place of a card in MIG mode its slices; `library` is pynvml.

    Raises NoDevicesError where there is no driver or no card, DriverError where it can't be asked; a
    card that can't be read is a device with a problem.
    """
    try:
        library.nvmlInit()
    except library.NVMLError as error:
        if error.value in _ABSENT:
            raise NoDevicesError(_STEPS[error.value]) from None
        raise DriverError(f"nvml: {_why(error)}") from None
    try:
        found = [
            device
            for index in range(library.nvmlDeviceGetCount())
            for device in _card(library, machine, index)
        ]
    finally:
        library.nvmlShutdown()
    if not found:
        raise NoDevicesError("the NVIDIA driver knows no card")
    return found


def _card(library: Any, machine: Machine, index: int) -> Iterator[Device]:
    try:
        handle = library.nvmlDeviceGetHandleByIndex(index)
        slices = list(_slices(library, handle))
    except library.NVMLError as error:
        yield Device(f"NVIDIA GPU {index}", 0, 0, SOURCE, problem=f"nvml: GPU {index}: {_why(error)}")
        return
    for one in slices or [handle]:
        yield _device(library, machine, one, whole=not slices)


def _slices(library: Any, card: Any) -> Iterator[Any]:
    """Yield the handles of a card's MIG slices: the card itself would tell the memory of all together."""
    try:
        current = library.nvmlDeviceGetMigMode(card)[0]
        most = library.nvmlDeviceGetMaxMigDeviceCount(card) if current else 0
    except library.NVMLError as error:
        if error.value == _NOT_SUPPORTED:
            return
        raise
    for place in range(most):
        try:
            yield library.nvmlDeviceGetMigDeviceHandleByIndex(card, place)
        except library.NVMLError as error:
            if error.value != _NOT_FOUND:
                raise


def _device(library: Any, machine: Machine, handle: Any, *, whole: bool) -> Device:
    name = _text(library, library.nvmlDeviceGetName, handle, "NVIDIA GPU")
    id_ = _text(library, library.nvmlDeviceGetUUID, handle, "")
    try:
        total, free = _memory(library, handle)
    except library.NVMLError as error:
        if error.value == _NOT_SUPPORTED and is_integrated(name, machine):
            return unified(name, machine, id_=id_, source=SOURCE)
        return Device(name, 0, 0, SOURCE, id=id_, problem=f"nvml: memory of {name}: {_why(error)}")
    if total == 0 and is_integrated(name, machine):
        return unified(name, machine, id_=id_, source=SOURCE)
    if not 0 <= free <= total or total == 0:
        return Device(
            name, 0, 0, SOURCE, id=id_, problem=f"nvml: memory of {name}: {free} of {total} bytes free"
        )
    return Device(name, total, free, SOURCE, id=id_, note="" if whole else "a MIG slice")


def _memory(library: Any, handle: Any) -> tuple[int, int]:
    """Return total and free bytes; the newer call tells apart what the driver keeps for itself."""
    try:
        answer = library.nvmlDeviceGetMemoryInfo(handle, version=library.nvmlMemory_v2)
    except library.NVMLError:
        answer = library.nvmlDeviceGetMemoryInfo(handle)
    return int(answer.total), int(answer.free)


def _text(library: Any, ask: Any, handle: Any, otherwise: str) -> str:
    try:
        answer = ask(handle)
    except library.NVMLError:
        return otherwise
    return answer.decode("utf-8", "replace") if isinstance(answer, bytes) else str(answer)


def _why(error: Any) -> str:
    return f"{error} ({_STEPS[error.value]})" if error.value in _STEPS else str(error)
