"""Apple's GPUs: the share of unified memory that Metal recommends."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import ClassVar

import attrs

from satchel.plugin_api import Device, Memory, NoDevicesError, lazily
from satchel_plugins.gpus.machine import FieldError, Machine, ThisMachine, size

_METAL = "/System/Library/Frameworks/Metal.framework/Metal"
_RUNTIME = "/usr/lib/libobjc.A.dylib"


def working_set() -> int | None:
    """Return `recommendedMaxWorkingSetSize` of the default device in bytes, None without Metal.

    Source: https://developer.apple.com/documentation/metal/mtldevice/recommendedmaxworkingsetsize.
    """
    import ctypes

    try:
        metal, runtime = ctypes.CDLL(_METAL), ctypes.CDLL(_RUNTIME)
    except OSError:
        return None
    metal.MTLCreateSystemDefaultDevice.restype = ctypes.c_void_p
    device = metal.MTLCreateSystemDefaultDevice()
    if not device:
        return None
    runtime.sel_registerName.restype = ctypes.c_void_p
    selector = runtime.sel_registerName(b"recommendedMaxWorkingSetSize")
    ask = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p)(("objc_msgSend", runtime))
    return int(ask(device, selector)) or None


SOURCE = "metal"
_PAGE = lazily(r"page size of (\d+) bytes")
_PAGES = ("Pages free", "Pages inactive", "Pages speculative", "Pages purgeable")


@attrs.frozen
class Apple:
    """The GPU of Apple silicon, which shares the machine's memory up to a limit."""

    name: ClassVar[str] = "apple"

    def devices(self) -> Sequence[Device]:
        """Return the GPU; raise NoDevicesError elsewhere than on macOS."""
        if sys.platform != "darwin":
            raise NoDevicesError(f"this is {sys.platform}, not macOS")
        return devices_of(ThisMachine(), working_set())


def devices_of(machine: Machine, recommended: int | None) -> list[Device]:
    """Return the GPU of a Mac, given Metal's recommended working set in bytes, None if unknown.

    The wired limit (iogpu.wired_limit_mb, 0 = default) counts if it is set. Without Metal's own figure two
    thirds of the memory are assumed: the least that was seen (16 GiB: 66.7 %; 18: 74 %; 32 and 36: 78 %).
    Raises FieldError if a field is missing.
    """
    memory = size("sysctl", "hw.memsize", machine.run("sysctl", "-n", "hw.memsize"), unit="B")
    total, source, note = _limit(machine, memory, recommended)
    name = (machine.run("sysctl", "-n", "machdep.cpu.brand_string") or "Apple GPU").strip()
    return [Device(name, total, min(total, _available(machine)), source, Memory.UNIFIED, note=note)]


def _limit(machine: Machine, memory: int, recommended: int | None) -> tuple[int, str, str]:
    wired = (machine.run("sysctl", "-n", "iogpu.wired_limit_mb") or "0").strip()
    limit = size("sysctl", "iogpu.wired_limit_mb", wired, unit="MiB")
    if limit:
        return (
            min(limit, memory),
            "sysctl iogpu.wired_limit_mb",
            "the limit that somebody set for wired memory",
        )
    if recommended is not None:
        return min(recommended, memory), SOURCE, "the working set that Metal recommends"
    return memory * 2 // 3, "sysctl hw.memsize", "assumed: two thirds of the memory, Metal did not answer"


def _available(machine: Machine) -> int:
    """Return bytes that the system can spare, from vm_stat, whose heading has the page size."""
    answer = machine.run("vm_stat") or ""
    page = _PAGE.search(answer)
    if page is None:
        raise FieldError("vm_stat", "page size")
    fields = dict(line.split(":", 1) for line in answer.splitlines() if ":" in line)
    return sum(_pages(fields.get(name), name) for name in _PAGES) * int(page[1])


def _pages(value: str | None, name: str) -> int:
    text = (value or "").strip().rstrip(".")
    if not text.isdecimal():
        raise FieldError("vm_stat", name, value)
    return int(text)
