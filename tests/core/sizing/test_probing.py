"""Every backend is asked alone, and each answer keeps who gave it."""

from __future__ import annotations

from types import SimpleNamespace

import attrs

from satchel import Device, Host, Memory, NoDevicesError, hookimpl
from satchel.sizing import probe
from satchel.sizing.devices import devices

CARD = Device("L40S", 48 << 30, 40 << 30, "nvml")
SYSTEM = Device("system memory", 64 << 30, 32 << 30, "/proc/meminfo", Memory.SYSTEM)
LOST = Device("H200", 0, 0, "nvml", problem="nvml: memory of H200: lost")


def _backend(name: str, answer: object) -> type:
    def ask(self: object) -> object:
        if isinstance(answer, Exception):
            raise answer
        return answer

    return attrs.frozen(type(name.title(), (), {"name": name, "devices": ask}))


def _host(**answers: object) -> Host:
    backends = [_backend(name, answer) for name, answer in answers.items()]

    @hookimpl
    def satchel_gpu_backends() -> list[type]:
        return backends

    return Host.of(SimpleNamespace(__name__="probes", satchel_gpu_backends=satchel_gpu_backends))


def test_answers_come_by_name_with_their_devices() -> None:
    probed = probe(_host(zeta=[CARD], alpha=[SYSTEM]))

    assert [(one.backend, one.devices) for one in probed] == [("alpha", (SYSTEM,)), ("zeta", (CARD,))]


def test_nothing_found_is_told_and_is_no_failure() -> None:
    host = _host(rocm=NoDevicesError("no amdgpu card"))
    (one,) = probe(host)

    assert (one.reason, one.failed) == ("no amdgpu card", False)
    assert host.problems == []


def test_a_probe_that_breaks_is_a_problem_and_the_others_answer() -> None:
    host = _host(broken=RuntimeError("driver says no"), nvidia=[CARD])
    broken, sound = probe(host)

    assert (broken.failed, sound.devices) == (True, (CARD,))
    assert "driver says no" in broken.reason
    assert "driver says no" in str(host.problems[0])


def test_junk_is_a_failure() -> None:
    (one,) = probe(_host(junk=[CARD, "a card"]))

    assert one.failed
    assert one.devices == ()


def test_only_memory_that_a_gpu_can_use_is_planned_with() -> None:
    assert devices(_host(cpu=[SYSTEM], nvidia=[LOST, CARD])) == [CARD]


def test_more_is_free_than_there_is_breaks_the_contract() -> None:
    (one,) = probe(_host(odd=[Device("odd", 10, 20, "x")]))

    assert one.failed
