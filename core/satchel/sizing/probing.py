"""Asks every GPU backend what devices there are, and keeps who answered and who could not."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from satchel.devices import Device
from satchel.errors import NoDevicesError, Problem
from satchel.host import Host, Kind
from satchel.host.answers import checked_devices
from satchel.host.calling import Call

if TYPE_CHECKING:
    from satchel.interfaces import GpuBackend

DEVICES_ALLOWED = 256
"""Most devices taken from one backend."""


class Probed(NamedTuple):
    """What one backend answered."""

    backend: str
    devices: tuple[Device, ...] = ()
    reason: str = ""
    """Why there are none, or "" where there are some."""
    failed: bool = False
    """Whether the probe broke, which is not the same as finding nothing."""


def probe(host: Host, tables: Mapping[str, Mapping[str, object]] | None = None) -> list[Probed]:
    """Ask every backend, each with its settings from `tables` by name; in order of names.

    A backend that breaks is reported, and recorded as a problem of the host; the others still answer.
    """
    made = sorted(host.make_all(Kind.GPU_BACKEND, tables or {}), key=lambda pair: pair[0].name)
    calls = [Call(plugin, _asked, (backend,), "probe", lend=False) for plugin, backend in made]
    answers = host.calls.call_all(calls)
    return [_probed(plugin.name, answer) for (plugin, _), answer in zip(made, answers, strict=True)]


def devices(host: Host, tables: Mapping[str, Mapping[str, object]] | None = None) -> list[Device]:
    """Return the devices that a model's window can be planned on."""
    return [device for one in probe(host, tables) for device in one.devices if device.usable]


def _asked(backend: GpuBackend) -> tuple[Device, ...] | NoDevicesError:
    try:
        answer = tuple(islice(backend.devices(), DEVICES_ALLOWED))
    except NoDevicesError as nothing:
        return nothing
    return tuple(checked_devices(answer))


def _probed(name: str, answer: tuple[Device, ...] | NoDevicesError | Problem) -> Probed:
    if isinstance(answer, Problem):
        return Probed(name, reason=answer.error, failed=True)
    if isinstance(answer, NoDevicesError):
        return Probed(name, reason=str(answer))
    return Probed(name, answer, "" if answer else "found none")
