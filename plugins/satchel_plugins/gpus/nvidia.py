"""NVIDIA cards: NVML, else nvidia-smi; MIG slices one by one; unified memory from the system."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import attrs

from satchel.plugin_api import Device, NoDevicesError, SatchelError
from satchel_plugins.gpus import nvidia_smi
from satchel_plugins.gpus.machine import Machine, ThisMachine, is_integrated, jetson, read_system_gpu

_VISIBLE = "CUDA_VISIBLE_DEVICES"


@attrs.frozen
class Nvidia:
    """NVIDIA cards, as the driver's own library reports them (NVML, through nvidia-ml-py)."""

    name: ClassVar[str] = "nvidia"

    def devices(self) -> Sequence[Device]:
        """Return each card, or each MIG slice of one; raise NoDevicesError if there is no driver."""
        import pynvml

        return devices_of(pynvml, ThisMachine(), os.environ)


def devices_of(library: Any, machine: Machine, env: Mapping[str, str]) -> list[Device]:
    """Ask NVML, then nvidia-smi if NVML is missing, then a Jetson's system memory."""
    try:
        return _visible(_ask_nvml(library, machine), env)
    except NoDevicesError as absent:
        found = nvidia_smi.devices_of(machine) or jetson(machine)
        if not found:
            raise NoDevicesError(f"{absent}; nvidia-smi is not on PATH either") from None
        return _visible(found, env)


def _visible(devices: list[Device], env: Mapping[str, str]) -> list[Device]:
    """Return the devices in CUDA_VISIBLE_DEVICES, in its order; like CUDA, stop at the first unknown name.

    Numbers are taken in the order of the PCI bus, which is CUDA's own with CUDA_DEVICE_ORDER=PCI_BUS_ID
    or if all cards are alike.
    """
    if _VISIBLE not in env:
        return devices
    chosen: list[Device] = []
    for word in env[_VISIBLE].split(","):
        match = _find_device(devices, word.strip())
        if match is None or match in chosen:
            break
        chosen.append(match)
    if not chosen:
        raise NoDevicesError(f"{_VISIBLE}={env[_VISIBLE]!r} hides all {len(devices)} devices")
    return chosen


def _find_device(devices: Sequence[Device], word: str) -> Device | None:
    if word.isdecimal():
        return devices[int(word)] if int(word) < len(devices) else None
    return next((device for device in devices if word and device.id.startswith(word)), None)


_NVML = "nvml"
"""NVIDIA's management library: https://docs.nvidia.com/deploy/nvml-api/."""
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
    """There is a driver, but it can't be asked."""


def _ask_nvml(library: Any, machine: Machine) -> list[Device]:
    """Return every card, and in place of a card in MIG mode its slices; `library` is pynvml.

    Raises NoDevicesError if there is no driver or no card, DriverError if it can't be asked; a
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
        yield Device(f"NVIDIA GPU {index}", 0, 0, _NVML, problem=f"nvml: GPU {index}: {_why(error)}")
        return
    for one in slices or [handle]:
        yield _device(library, machine, one, whole=not slices)


def _slices(library: Any, card: Any) -> Iterator[Any]:
    """Yield the handles of a card's MIG slices: the card itself would report their total memory."""
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
            return read_system_gpu(name, machine, id_=id_, source=_NVML)
        return Device(name, 0, 0, _NVML, id=id_, problem=f"nvml: memory of {name}: {_why(error)}")
    if total == 0 and is_integrated(name, machine):
        return read_system_gpu(name, machine, id_=id_, source=_NVML)
    if not 0 <= free <= total or total == 0:
        return Device(
            name, 0, 0, _NVML, id=id_, problem=f"nvml: memory of {name}: {free} of {total} bytes free"
        )
    return Device(name, total, free, _NVML, id=id_, note="" if whole else "a MIG slice")


def _memory(library: Any, handle: Any) -> tuple[int, int]:
    """Return total and free bytes; the newer call separates the driver's own memory."""
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
