"""Apple silicon, by what Metal and the system tell."""

from __future__ import annotations

import re

import pytest
from tests.plugins.gpus.recorded import DATA, Recorded

from satchel import Memory, NoDevicesError, SatchelError
from satchel_plugins.gpus.apple import Apple, devices_of

VM_STAT = """Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                             1000000.
Pages active:                            500000.
Pages inactive:                          200000.
Pages speculative:                        50000.
Pages purgeable:                           6000.
"""


def _mac(gibibytes: int = 32, *, wired: str = "0", vm_stat: str = VM_STAT) -> Recorded:
    programs = {
        "sysctl -n hw.memsize": f"{gibibytes << 30}\n",
        "sysctl -n iogpu.wired_limit_mb": f"{wired}\n",
        "sysctl -n machdep.cpu.brand_string": "Apple M4\n",
        "vm_stat": vm_stat,
    }
    return Recorded(programs=programs)


def _working_sets() -> list[int]:
    text = (DATA / "apple" / "metal_working_set.txt").read_text(encoding="utf-8")
    return [int(float(megabytes) * 1e6) for megabytes in re.findall(r"= ([0-9.]+) MB", text)]


@pytest.mark.parametrize("recommended", _working_sets())
def test_the_total_is_the_working_set_that_metal_recommends(recommended: int) -> None:
    (device,) = devices_of(_mac(36), recommended)

    assert (device.total_bytes, device.memory, device.source) == (recommended, Memory.UNIFIED, "metal")
    assert device.name == "Apple M4"


def test_free_pages_have_the_size_that_the_heading_names() -> None:
    (device,) = devices_of(_mac(), 26_800_600_000)

    assert device.free_bytes == (1_000_000 + 200_000 + 50_000 + 6_000) * 16384


def test_no_more_is_free_than_the_gpu_may_use() -> None:
    (device,) = devices_of(_mac(), 10 << 30)

    assert device.free_bytes == 10 << 30


def test_a_wired_limit_that_somebody_set_counts() -> None:
    (device,) = devices_of(_mac(wired="28672"), 26_800_600_000)

    assert device.total_bytes == 28 << 30
    assert "wired" in device.source


def test_without_metal_the_least_that_was_seen_is_assumed_and_said() -> None:
    (device,) = devices_of(_mac(18), None)

    assert device.total_bytes == (18 << 30) * 2 // 3
    assert "assumed" in device.note


@pytest.mark.parametrize("line", ["page size of 16384 bytes", "Pages free", "Pages inactive"])
def test_a_line_that_was_cut_is_named(line: str) -> None:
    cut = "\n".join(text for text in VM_STAT.splitlines() if line not in text)

    with pytest.raises(SatchelError, match=line.split(" of")[0]):
        devices_of(_mac(vm_stat=cut), None)


def test_other_systems_are_said_to_be_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")

    with pytest.raises(NoDevicesError, match="not macOS"):
        Apple().devices()
