"""The memory of the machine, for GPUs that share it with the processor."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import attrs

from satchel.plugin_api import Device, Memory, SatchelError, lazily

_AMOUNT = lazily(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]i?B|B)?\s*\Z", re.IGNORECASE)
_POWERS = {"b": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_LARGEST = 2**53


class FieldError(SatchelError):
    """A driver's answer lacks a field, or its value is not an amount of memory."""

    def __init__(self, source: str, field: str, value: object = None) -> None:
        self.source, self.field, self.value = source, field, value
        what = "is missing" if value is None else f"is {value!r:.60}, not an amount of memory"
        super().__init__(f"{source}: {field} {what}")


def size(source: str, field: str, value: object, *, unit: str = "") -> int:
    """Return bytes of an amount; `unit` applies if it has none.

    MB means MiB as in the tools of NVIDIA and AMD. Raises FieldError.
    """
    found = _AMOUNT.match(str(value)) if value is not None and not isinstance(value, bool) else None
    named = (found[2] or unit) if found else ""
    if found is None or not named:
        raise FieldError(source, field, value)
    power = _POWERS[named[0].lower()]
    amount = int(float(found[1]) * power) if "." in found[1] else int(found[1]) * power
    if amount > _LARGEST:
        raise FieldError(source, field, value)
    return amount


def free_of(source: str, total: int, used: int) -> int:
    """Return the free bytes of a total; raise FieldError if more is used than there is."""
    if used > total:
        raise FieldError(source, "used memory", f"{used} of {total} bytes")
    return total - used


SECONDS = 8.0
"""Time limit of a driver's program: a wedged card makes some of them wait for ever."""
MOST_BYTES = 4 << 20
"""Most bytes that are read of an answer or of a file."""


class ProgramError(SatchelError):
    """A driver's program ended badly, or did not end."""


class Machine(Protocol):
    """A machine as probes see it; tests use a recorded one."""

    def read(self, path: str) -> str | None:
        """Return the text of a file, None if it can't be read."""
        ...

    def folders(self, path: str, prefix: str) -> list[str]:
        """Return the names in a folder that start with the prefix, sorted."""
        ...

    def run(self, program: str, *arguments: str) -> str | None:
        """Return a program's output, None if there is no such program; raise ProgramError if it fails."""
        ...


@attrs.frozen
class ThisMachine:
    """The machine that satchel runs on."""

    root: Path = Path(os.path.abspath(os.sep))
    env: Mapping[str, str] = attrs.field(factory=lambda: dict(os.environ))
    seconds: float = SECONDS

    def read(self, path: str) -> str | None:
        """Return at most 4 MiB of a file as text."""
        try:
            with open(self.root / path.lstrip("/"), "rb") as file:
                return file.read(MOST_BYTES).decode("utf-8", "replace")
        except OSError:
            return None

    def folders(self, path: str, prefix: str) -> list[str]:
        """Return the names in a folder, [] if there is no such folder."""
        try:
            return sorted(
                name for name in os.listdir(self.root / path.lstrip("/")) if name.startswith(prefix)
            )
        except OSError:
            return []

    def run(self, program: str, *arguments: str) -> str | None:
        """Run a program from an absolute folder of PATH outside the working folder, in the C locale."""
        found = shutil.which(program, path=self._search_path())
        if found is None:
            return None
        try:
            # The program is the driver's own: by a fixed name, from absolute folders only.
            answer = subprocess.run(  # noqa: S603
                [found, *arguments],
                capture_output=True,
                timeout=self.seconds,
                env={**self.env, "LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
                cwd=os.path.abspath(os.sep),
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise ProgramError(f"{program}: no answer in {self.seconds:g} seconds") from None
        except OSError as error:
            raise ProgramError(f"{program}: {error.strerror}") from error
        return _read_output(program, answer.returncode, answer.stdout, answer.stderr)

    def _search_path(self) -> str:
        here = os.path.realpath(os.curdir)
        folders = self.env.get("PATH", os.defpath).split(os.pathsep)
        return os.pathsep.join(
            folder for folder in folders if os.path.isabs(folder) and not _inside(folder, here)
        )


def _inside(folder: str, here: str) -> bool:
    parent = here.rstrip(os.sep)
    return bool(parent) and (os.path.realpath(folder) + os.sep).startswith(parent + os.sep)


def _read_output(program: str, code: int, out: bytes, err: bytes) -> str:
    text = out[:MOST_BYTES].decode("utf-8", "replace")
    if code:
        words = " ".join((err[:2_000].decode("utf-8", "replace") or text[:2_000]).split())
        raise ProgramError(f"{program}: exit code {code}: {words[:200]}")
    return text


def meminfo(machine: Machine, source: str) -> tuple[int, int]:
    """Return total and available bytes of the system's memory, from /proc/meminfo.

    Raises FieldError if a field is missing or is not an amount.
    """
    lines = (machine.read("/proc/meminfo") or "").splitlines()
    fields = dict(line.split(":", 1) for line in lines if ":" in line)
    total, available = (
        size(source, f"{name} of /proc/meminfo", fields.get(name), unit="KiB")
        for name in ("MemTotal", "MemAvailable")
    )
    return total, min(available, total)


def first(values: Sequence[str | None]) -> str:
    """Return the first text that is not empty."""
    return next((value.strip() for value in values if value and value.strip()), "")


_SHARED = lazily(r"\b(?:GB10|N1X?|Orin|Xavier|Thor|Tegra|Jetson)\b", re.IGNORECASE)
_TEGRA = ("/etc/nv_tegra_release", "/proc/device-tree/model")

NOTE = "shared with the processor: what the system can spare now"


def is_integrated(name: str, machine: Machine) -> bool:
    """Return whether a GPU of this name has no memory of its own."""
    return bool(_SHARED.search(name)) or _is_tegra(machine)


def read_system_gpu(name: str, machine: Machine, *, id_: str = "", source: str) -> Device:
    """Return a GPU whose memory is the system's; raises FieldError if /proc/meminfo lacks it.

    llama.cpp takes MemAvailable as free too, if CUDA reports an integrated device.
    """
    total, available = meminfo(machine, source)
    return Device(name, total, available, f"{source} + /proc/meminfo", Memory.UNIFIED, id_, NOTE)


def jetson(machine: Machine) -> list[Device]:
    """Return a Jetson's GPU, whose driver has no NVML on older systems; [] on other machines."""
    if not _is_tegra(machine):
        return []
    model = (machine.read("/proc/device-tree/model") or "NVIDIA Tegra").strip("\0 \n")
    return [read_system_gpu(model, machine, source="nv_tegra_release")]


def _is_tegra(machine: Machine) -> bool:
    if machine.read(_TEGRA[0]) is not None:
        return True
    return bool(_SHARED.search(machine.read(_TEGRA[1]) or ""))
