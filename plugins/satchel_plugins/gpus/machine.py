"""What probes ask of a machine: its files below a root, and programs of the system, never of a workspace."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import attrs

from satchel import SatchelError

SECONDS = 8.0
"""How long a program of a driver may take: a wedged card makes some of them wait for ever."""
MOST_BYTES = 4 << 20
"""Most of an answer or of a file that is read."""


class ProgramError(SatchelError):
    """A driver's program ended badly, or did not end."""


class Machine(Protocol):
    """A machine as probes see it; a recorded one stands in for it in tests."""

    def read(self, path: str) -> str | None:
        """Return the text of a file, None where it can't be read."""
        ...

    def folders(self, path: str, prefix: str) -> list[str]:
        """Return the names in a folder that start with the prefix, sorted."""
        ...

    def run(self, program: str, *arguments: str) -> str | None:
        """Return what a program prints, None where there is none; raise ProgramError where it fails."""
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
        """Return the names in a folder, () where there is no such folder."""
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
        return _printed(program, answer.returncode, answer.stdout, answer.stderr)

    def _search_path(self) -> str:
        here = os.path.realpath(os.curdir)
        folders = self.env.get("PATH", os.defpath).split(os.pathsep)
        return os.pathsep.join(
            folder for folder in folders if os.path.isabs(folder) and not _inside(folder, here)
        )


def _inside(folder: str, here: str) -> bool:
    parent = here.rstrip(os.sep)
    return bool(parent) and (os.path.realpath(folder) + os.sep).startswith(parent + os.sep)


def _printed(program: str, code: int, out: bytes, err: bytes) -> str:
    text = out[:MOST_BYTES].decode("utf-8", "replace")
    if code:
        words = " ".join((err[:2_000].decode("utf-8", "replace") or text[:2_000]).split())
        raise ProgramError(f"{program}: exit code {code}: {words[:200]}")
    return text


def meminfo(machine: Machine, source: str) -> tuple[int, int]:
    """Return total and available bytes of the system's memory, from /proc/meminfo.

    Raises FieldError where a field is missing or is no amount.
    """
    from satchel_plugins.gpus.sizes import size

    lines = (machine.read("/proc/meminfo") or "").splitlines()
    fields = dict(line.split(":", 1) for line in lines if ":" in line)
    total, available = (
        size(source, f"{name} of /proc/meminfo", fields.get(name), unit="KiB")
        for name in ("MemTotal", "MemAvailable")
    )
    return total, min(available, total)


def first(values: Sequence[str | None]) -> str:
    """Return the first text that says something."""
    return next((value.strip() for value in values if value and value.strip()), "")
