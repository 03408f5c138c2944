"""Machines as they were recorded: files, programs' answers, and what NVML said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace

import attrs
import pynvml

DATA = Path(__file__).parents[2] / "data" / "gpus"
MIB = 1 << 20


@attrs.frozen
class Recorded:
    """A machine with these files, whose programs answer this by their command line."""

    files: Mapping[str, str] = attrs.field(factory=dict)
    programs: Mapping[str, str] = attrs.field(factory=dict)

    def read(self, path: str) -> str | None:
        return self.files.get(path)

    def folders(self, path: str, prefix: str) -> list[str]:
        below = {
            file.removeprefix(path + "/").split("/")[0] for file in self.files if file.startswith(path + "/")
        }
        return sorted(name for name in below if name.startswith(prefix))

    def run(self, program: str, *arguments: str) -> str | None:
        line = " ".join((program, *arguments))
        known = [key for key in self.programs if line.startswith(key)]
        return self.programs[max(known, key=len)] if known else None


def meminfo(total_kib: int = 127600748, available_kib: int = 118566368) -> dict[str, str]:
    """Return the file as a GB10 has it, or with other sizes."""
    return {"/proc/meminfo": f"MemTotal: {total_kib} kB\nMemFree: 1 kB\nMemAvailable: {available_kib} kB\n"}


def capture(name: str, section: str) -> str:
    """Return a section of a recorded nvidia-smi capture."""
    text = (DATA / "nvidia" / name).read_text(encoding="utf-8")
    parts = {part.split("\n", 1)[0]: part.split("\n", 1)[1] for part in text.split("=== ")[1:]}
    return next(body for title, body in parts.items() if title.startswith(section)).strip() + "\n"


@attrs.frozen
class Nvml:
    """NVML as it answered: one record a card, with its slices where it is in MIG mode."""

    cards: Sequence[Mapping[str, object]] = ()
    fails: int = 0
    """The error of nvmlInit, 0 for none."""

    NVMLError = pynvml.NVMLError
    nvmlMemory_v2 = pynvml.nvmlMemory_v2

    def nvmlInit(self) -> None:
        if self.fails:
            raise pynvml.NVMLError(self.fails)

    def nvmlShutdown(self) -> None:
        return None

    def nvmlDeviceGetCount(self) -> int:
        return len(self.cards)

    def nvmlDeviceGetHandleByIndex(self, index: int) -> Mapping[str, object]:
        return self._or_raise(self.cards[index], "handle_error")

    def nvmlDeviceGetName(self, handle: Mapping[str, object]) -> object:
        return handle["name"]

    def nvmlDeviceGetUUID(self, handle: Mapping[str, object]) -> object:
        return handle.get("uuid", "GPU-0")

    def nvmlDeviceGetMemoryInfo(
        self, handle: Mapping[str, object], version: object = None
    ) -> SimpleNamespace:
        if version is not None and handle.get("old_driver"):
            raise pynvml.NVMLError(pynvml.NVML_ERROR_FUNCTION_NOT_FOUND)
        self._or_raise(handle, "memory_error")
        total, free = handle["memory"]  # type: ignore[misc]
        return SimpleNamespace(total=total * MIB, free=free * MIB, used=(total - free) * MIB)

    def nvmlDeviceGetMigMode(self, handle: Mapping[str, object]) -> list[int]:
        if "slices" not in handle:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
        return [1, 1]

    def nvmlDeviceGetMaxMigDeviceCount(self, handle: Mapping[str, object]) -> int:
        return 7

    def nvmlDeviceGetMigDeviceHandleByIndex(self, handle: Mapping[str, object], index: int) -> object:
        slices = handle["slices"]
        if index >= len(slices):  # type: ignore[arg-type]
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_FOUND)
        return slices[index]  # type: ignore[index]

    def _or_raise(self, handle: Mapping[str, object], key: str) -> Mapping[str, object]:
        if handle.get(key):
            raise pynvml.NVMLError(handle[key])
        return handle
