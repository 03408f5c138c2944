"""The devices that a model can run on: GPU backends are asked, memory sizes parsed and formatted."""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

from satchel.config import Config
from satchel.devices import Device
from satchel.errors import NoDevicesError, Problem, UsageError
from satchel.host import Host, PluginKind
from satchel.host.answers import check_devices
from satchel.host.calling import Call
from satchel.installed import make_plugins
from satchel.interfaces import GpuBackend
from satchel.patterns import lazily

_AMOUNT = lazily(r"\s*([0-9]{1,18}(?:\.[0-9]{1,6})?)\s*([KMGT]i?B?|B)?\s*\Z", re.IGNORECASE)
_POWERS = {"": 0, "b": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_LARGEST = 2**60
_SMALLEST_OF_A_CARD = 2**20
"""No card's memory is smaller: a bare number below is one of gigabytes, or of megabytes."""


def parse_bytes(text: str, *, what: str) -> int:
    """Return bytes of an amount: GB is 10**9, GiB and G are 2**30, a bare number is bytes.

    Raises UsageError naming `what` if the text is not an amount.
    """
    found = _AMOUNT.match(text)
    if found is None:
        raise UsageError(f"{what} {text!r:.40} is not a size; write bytes, or a size like 24GiB or 512MiB")
    unit = (found[2] or "").lower()
    base = 1000 if unit.endswith("b") and "i" not in unit else 1024
    scale: int = base ** _POWERS[unit[:1]]
    amount = int(found[1]) * scale if "." not in found[1] else round(float(found[1]) * scale)
    if amount > _LARGEST:
        raise UsageError(f"{what} {text!r:.40} is more memory than any device has")
    return amount


def parse_memory(text: str, *, what: str) -> int:
    """Return bytes of a card's memory, as `parse_bytes` does; a bare `16` is refused.

    Raises UsageError naming `what` if the text is not an amount, or a bare number that may mean gigabytes.
    """
    amount = parse_bytes(text, what=what)
    if 0 < amount < _SMALLEST_OF_A_CARD and text.strip()[-1:].isdigit():
        number = text.strip()
        raise UsageError(f"{what} {number}: {number} of what? Write {number}GiB or {number}MiB")
    return amount


def format_bytes(size: int) -> str:
    """Return `23.5 GiB`, `512 MiB` or `100 bytes`."""
    for power, unit in ((40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")):
        if abs(size) >= 1 << power:
            amount = size / (1 << power)
            return f"{amount:.0f} {unit}" if amount == int(amount) else f"{amount:.1f} {unit}"
    return f"{size} bytes"


DEVICES_ALLOWED = 256
"""Most devices taken from one backend."""


class Probed(NamedTuple):
    """The answer of one backend."""

    backend: str
    devices: tuple[Device, ...] = ()
    reason: str = ""
    """The reason that there are none, or "" if there are some."""
    failed: bool = False
    """Whether the probe broke, which is not the same as finding nothing."""


def probe(host: Host, config: Config | None = None) -> list[Probed]:
    """Ask every backend, each with its configured settings; in order of names.

    A backend that breaks is reported, and recorded as a problem of the host; the others still answer.
    """
    config = Config() if config is None else config
    made = sorted(make_plugins(config, host, PluginKind.GPU_BACKEND), key=lambda pair: pair[0].name)
    calls = [Call(plugin, _ask, (backend,), "probe", lend=False) for plugin, backend in made]
    answers = host.calls.call_all(calls)
    return [_note_answer(plugin.name, answer) for (plugin, _), answer in zip(made, answers, strict=True)]


def devices(host: Host, config: Config | None = None) -> list[Device]:
    """Return the devices that a model's window can be planned on."""
    return [device for one in probe(host, config) for device in one.devices if device.usable]


def _ask(backend: GpuBackend) -> tuple[Device, ...] | NoDevicesError:
    try:
        answer = tuple(islice(backend.devices(), DEVICES_ALLOWED))
    except NoDevicesError as nothing:
        return nothing
    return tuple(check_devices(answer))


def _note_answer(name: str, answer: tuple[Device, ...] | NoDevicesError | Problem) -> Probed:
    if isinstance(answer, Problem):
        return Probed(name, reason=answer.error, failed=True)
    if isinstance(answer, NoDevicesError):
        return Probed(name, reason=str(answer))
    return Probed(name, answer, "" if answer else "found none")
