"""System memory: the machine's, or what a container may use of it."""

from __future__ import annotations

import pytest
from tests.plugins.gpus.recorded import Recorded, meminfo

from satchel import Memory, NoDevicesError, SatchelError
from satchel_plugins.gpus.cpu import devices_of

GIB = 1 << 30
HOST = meminfo(64 << 20, 48 << 20)


def test_it_is_labelled_as_system_memory_and_never_usable() -> None:
    (device,) = devices_of(Recorded(HOST))

    assert (device.memory, device.usable) == (Memory.SYSTEM, False)
    assert (device.total_bytes, device.free_bytes) == (64 * GIB, 48 * GIB)


def _second(limit: str, current: int, inactive: int = 0) -> dict[str, str]:
    base = "/sys/fs/cgroup/app"
    return {
        **HOST,
        "/proc/self/cgroup": "0::/app\n",
        f"{base}/memory.max": f"{limit}\n",
        f"{base}/memory.current": f"{current}\n",
        f"{base}/memory.stat": f"anon 1\ninactive_file {inactive}\n",
    }


def test_a_containers_limit_counts_with_what_the_kernel_gives_back() -> None:
    (device,) = devices_of(Recorded(_second(str(8 * GIB), 3 * GIB, GIB)))

    assert (device.total_bytes, device.free_bytes, device.source) == (8 * GIB, 6 * GIB, "cgroup v2")


def test_max_is_no_limit() -> None:
    assert devices_of(Recorded(_second("max", 0)))[0].total_bytes == 64 * GIB


def test_the_tightest_limit_above_a_group_holds() -> None:
    outer = {"/sys/fs/cgroup/memory.max": f"{4 * GIB}\n", "/sys/fs/cgroup/memory.current": f"{GIB}\n"}
    (device,) = devices_of(Recorded({**_second(str(8 * GIB), 0), **outer}))

    assert (device.total_bytes, device.free_bytes) == (4 * GIB, 3 * GIB)


def _first(limit: str) -> dict[str, str]:
    base = "/sys/fs/cgroup/memory/app"
    return {
        **HOST,
        "/proc/self/cgroup": "4:memory:/app\n3:cpu:/\n",
        f"{base}/memory.limit_in_bytes": f"{limit}\n",
        f"{base}/memory.usage_in_bytes": f"{3 * GIB}\n",
        f"{base}/memory.stat": f"total_inactive_file {GIB}\n",
    }


def test_version_one_is_read_too() -> None:
    (device,) = devices_of(Recorded(_first(str(8 * GIB))))

    assert (device.total_bytes, device.free_bytes, device.source) == (8 * GIB, 6 * GIB, "cgroup v1")


def test_the_largest_number_of_version_one_is_no_limit() -> None:
    assert devices_of(Recorded(_first("9223372036854771712")))[0].source == "/proc/meminfo"


def test_more_in_use_than_the_limit_leaves_nothing() -> None:
    assert devices_of(Recorded(_second(str(GIB), 2 * GIB)))[0].free_bytes == 0


def test_a_field_that_is_missing_is_named() -> None:
    with pytest.raises(SatchelError, match="MemAvailable"):
        devices_of(Recorded({"/proc/meminfo": "MemTotal: 5 kB\n"}))


def test_a_limit_that_is_no_number_is_named() -> None:
    with pytest.raises(SatchelError, match=r"memory\.max"):
        devices_of(Recorded(_second("lots", 0)))


def test_a_system_that_does_not_tell_is_said_so() -> None:
    with pytest.raises(NoDevicesError, match="meminfo"):
        devices_of(Recorded())
