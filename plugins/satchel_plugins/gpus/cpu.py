"""The processor's memory as this process may use it: a container's limit, else the machine's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

import attrs

from satchel.plugin_api import Device, Memory, NoDevicesError
from satchel_plugins.gpus.machine import Machine, ThisMachine, meminfo, size

_UNLIMITED = 2**53
"""Value of control groups of version 1 without a limit: 9223372036854771712."""


@attrs.frozen
class Cpu:
    """System memory, labelled as such: models run on it without a GPU, but it is never VRAM."""

    name: ClassVar[str] = "cpu"

    def devices(self) -> Sequence[Device]:
        """Return one device: the smaller of the container's limit and the machine's memory."""
        return devices_of(ThisMachine())


def devices_of(machine: Machine) -> list[Device]:
    """Return the system memory of a machine; raise NoDevicesError if it is unknown."""
    if machine.read("/proc/meminfo") is None:
        raise NoDevicesError("/proc/meminfo can't be read, so the system's memory is unknown here")
    total, available = meminfo(machine, "/proc/meminfo")
    limits = [*_second(machine), *_first(machine)]
    limit = min((one.limit for one in limits), default=total)
    if limit >= total:
        return [Device("system memory", total, available, "/proc/meminfo", Memory.SYSTEM)]
    free = min(available, *(max(0, one.limit - one.used) for one in limits))
    note = f"this container's limit; the machine has {total / 2**30:.1f} GiB"
    return [Device("system memory", limit, free, limits[0].source, Memory.SYSTEM, note=note)]


class _Limit(NamedTuple):
    limit: int
    used: int
    """Without memory that the kernel releases on demand."""
    source: str


def _second(machine: Machine) -> Iterator[_Limit]:
    for folder in _groups(machine, ""):
        text = (machine.read(f"{folder}/memory.max") or "max").strip()
        if text != "max":
            limit = size("cgroup v2", "memory.max", text, unit="B")
            yield _Limit(limit, _used(machine, folder, "memory.current", "inactive_file"), "cgroup v2")


def _first(machine: Machine) -> Iterator[_Limit]:
    for folder in _groups(machine, "memory"):
        text = machine.read(f"{folder}/memory.limit_in_bytes")
        limit = _UNLIMITED if text is None else _parse_limit(text)
        if limit < _UNLIMITED:
            yield _Limit(
                limit, _used(machine, folder, "memory.usage_in_bytes", "total_inactive_file"), "cgroup v1"
            )


def _parse_limit(text: str) -> int:
    if text.strip().isdecimal() and int(text) >= _UNLIMITED:
        return _UNLIMITED
    return size("cgroup v1", "memory.limit_in_bytes", text, unit="B")


def _groups(machine: Machine, controller: str) -> list[str]:
    """Return the folders of this process's group, its own first, then its parents."""
    base = f"/sys/fs/cgroup/{controller}".rstrip("/")
    path = ""
    for line in (machine.read("/proc/self/cgroup") or "").splitlines():
        _, _, rest = line.partition(":")
        names, _, where = rest.partition(":")
        if (controller in names.split(",")) if controller else not names:
            path = where.strip().strip("/")
    steps = [step for step in path.split("/") if step not in ("", "..")]
    return [f"{base}/{'/'.join(steps[:depth])}".rstrip("/") for depth in range(len(steps), -1, -1)]


def _used(machine: Machine, folder: str, current: str, inactive: str) -> int:
    used = size("cgroup", current, machine.read(f"{folder}/{current}"), unit="B")
    for line in (machine.read(f"{folder}/memory.stat") or "").splitlines():
        key, _, value = line.partition(" ")
        if key == inactive:
            return max(0, used - size("cgroup", f"{inactive} of memory.stat", value, unit="B"))
    return used
