"""NVIDIA cards through NVML, as drivers answered on real machines."""

from __future__ import annotations

import pynvml
import pytest
from tests.plugins.gpus.recorded import MIB, Nvml, Recorded, capture, meminfo

from satchel import Memory, NoDevicesError, SatchelError
from satchel_plugins.gpus.nvidia import devices_of

H200 = {"name": "NVIDIA H200", "uuid": "GPU-a", "memory": (143771, 143103)}
SMALL = {"name": "NVIDIA GeForce RTX 2080 SUPER", "uuid": "GPU-b", "memory": (8192, 7286)}
GB10 = {"name": "NVIDIA GB10", "memory_error": pynvml.NVML_ERROR_NOT_SUPPORTED}


def test_a_card_has_the_bytes_that_nvml_says() -> None:
    (device,) = devices_of(Nvml([H200]), Recorded(), {})

    assert (device.total_bytes, device.free_bytes) == (143771 * MIB, 143103 * MIB)
    assert (device.source, device.memory, device.id) == ("nvml", Memory.VRAM, "GPU-a")


def test_an_old_driver_is_asked_the_old_way() -> None:
    (device,) = devices_of(Nvml([{**SMALL, "old_driver": True}]), Recorded(), {})

    assert device.free_bytes == 7286 * MIB


def test_names_that_come_as_bytes_are_texts() -> None:
    assert devices_of(Nvml([{**SMALL, "name": b"NVIDIA T4"}]), Recorded(), {})[0].name == "NVIDIA T4"


def test_a_card_in_mig_mode_is_its_slices_and_never_the_whole() -> None:
    slices = [
        {"name": "NVIDIA H100 80GB HBM3 MIG 3g.40gb", "uuid": "MIG-0", "memory": (40448, 40422)},
        {"name": "NVIDIA H100 80GB HBM3 MIG 1g.10gb", "uuid": "MIG-3", "memory": (9984, 9975)},
    ]
    found = devices_of(Nvml([{"name": "H100", "memory": (81559, 81022), "slices": slices}]), Recorded(), {})

    assert [(one.id, one.total_bytes // MIB, one.free_bytes // MIB) for one in found] == [
        ("MIG-0", 40448, 40422),
        ("MIG-3", 9984, 9975),
    ]


def test_unified_memory_is_what_the_system_can_spare() -> None:
    (device,) = devices_of(Nvml([GB10]), Recorded(meminfo()), {})

    assert (device.memory, device.free_bytes) == (Memory.UNIFIED, 118566368 * 1024)
    assert "/proc/meminfo" in device.source


def test_a_card_with_memory_of_its_own_never_gets_the_systems() -> None:
    card = {"name": "NVIDIA L40S", "memory_error": pynvml.NVML_ERROR_NOT_SUPPORTED}
    (device,) = devices_of(Nvml([card]), Recorded(meminfo()), {})

    assert not device.usable
    assert device.total_bytes == 0
    assert "NVIDIA L40S" in device.problem


@pytest.mark.parametrize("error", [pynvml.NVML_ERROR_GPU_IS_LOST, pynvml.NVML_ERROR_NO_PERMISSION])
def test_a_card_that_cannot_be_read_leaves_the_others(error: int) -> None:
    lost, sound = devices_of(Nvml([{**H200, "memory_error": error}, SMALL]), Recorded(), {})

    assert (lost.usable, sound.usable) == (False, True)
    assert lost.problem


def test_a_lost_card_has_no_handle_and_says_so() -> None:
    lost, sound = devices_of(Nvml([{**H200, "handle_error": 15}, SMALL]), Recorded(), {})

    assert "lost" in lost.problem
    assert sound.usable


def test_sizes_that_contradict_each_other_are_a_problem() -> None:
    (device,) = devices_of(Nvml([{**H200, "memory": (100, 200)}]), Recorded(), {})

    assert "200" in device.problem or device.problem.count("bytes free")
    assert not device.usable


@pytest.mark.parametrize("error", [9, 12])
def test_no_driver_is_no_failure(error: int) -> None:
    with pytest.raises(NoDevicesError, match="nvidia-smi"):
        devices_of(Nvml(fails=error), Recorded(), {})


def test_a_driver_that_differs_from_its_library_is_named() -> None:
    with pytest.raises(SatchelError, match="differ in version"):
        devices_of(Nvml(fails=18), Recorded(), {})


def test_a_driver_without_cards_is_told() -> None:
    with pytest.raises(NoDevicesError, match="no card"):
        devices_of(Nvml(), Recorded(), {})


def test_without_nvml_the_program_is_asked() -> None:
    answer = capture("linux-x86_64__nvidia-l40s__595.80.txt", "idle :: query-gpu")
    (device,) = devices_of(Nvml(fails=12), Recorded(programs={"nvidia-smi --query-gpu": answer}), {})

    assert device.source == "nvidia-smi"


def test_a_jetson_without_nvml_has_its_systems_memory() -> None:
    files = {**meminfo(7803000, 4000000), "/etc/nv_tegra_release": "# R36\n"}
    (device,) = devices_of(Nvml(fails=12), Recorded(files), {})

    assert (device.memory, device.free_bytes) == (Memory.UNIFIED, 4000000 * 1024)


@pytest.mark.parametrize(
    ("value", "ids"),
    [("0", ["GPU-a"]), ("1,0", ["GPU-b", "GPU-a"]), ("GPU-b", ["GPU-b"]), ("0,7,1", ["GPU-a"])],
)
def test_only_visible_devices_count(value: str, ids: list[str]) -> None:
    found = devices_of(Nvml([H200, SMALL]), Recorded(), {"CUDA_VISIBLE_DEVICES": value})

    assert [device.id for device in found] == ids


@pytest.mark.parametrize("value", ["", "-1", "9"])
def test_hidden_devices_are_said_to_be_hidden(value: str) -> None:
    with pytest.raises(NoDevicesError, match="CUDA_VISIBLE_DEVICES"):
        devices_of(Nvml([H200]), Recorded(), {"CUDA_VISIBLE_DEVICES": value})
