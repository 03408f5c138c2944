"""AMD cards and APUs, by the kernel's files and by both tools."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.plugins.gpus.recorded import DATA, MIB, Recorded, meminfo

from satchel import Memory, NoDevicesError, SatchelError
from satchel_plugins.gpus.rocm import devices_of

TWO = (DATA / "amd" / "rocm-smi_two_cards.json").read_text(encoding="utf-8")
APU = (DATA / "amd" / "rocm-smi_apu.json").read_text(encoding="utf-8")


def _card(card: str, address: str, **sizes: int) -> dict[str, str]:
    folder = f"/sys/class/drm/{card}/device"
    files = {f"{folder}/mem_info_{name}": f"{size}\n" for name, size in sizes.items()}
    return {**files, f"{folder}/uevent": f"DRIVER=amdgpu\nPCI_SLOT_NAME={address}\n"}


XT = {"vram_total": 25753026560, "vram_used": 794341376, "gtt_total": 33 << 30, "gtt_used": 0}


def test_a_card_has_the_bytes_of_the_kernel() -> None:
    (device,) = devices_of(Recorded(_card("card1", "0000:03:00.0", **XT)))

    assert (device.total_bytes, device.free_bytes) == (25753026560, 25753026560 - 794341376)
    assert (device.memory, device.source) == (Memory.VRAM, "sysfs")


def test_cards_stand_in_the_order_of_the_bus_not_of_their_numbers() -> None:
    files = {**_card("card0", "0000:83:00.0", **XT), **_card("card1", "0000:03:00.0", **XT)}

    assert [device.id for device in devices_of(Recorded(files))] == ["0000:03:00.0", "0000:83:00.0"]


def test_outputs_of_a_card_are_no_cards() -> None:
    files = {**_card("card0", "0000:03:00.0", **XT), **_card("card0-DP-1", "0000:03:00.0", **XT)}

    assert len(devices_of(Recorded(files))) == 1


def test_an_apu_has_the_memory_that_it_can_address() -> None:
    sizes = {"vram_total": 512 * MIB, "vram_used": 482 * MIB, "gtt_total": 62866 * MIB, "gtt_used": 66 * MIB}
    files = {**_card("card0", "0000:c4:00.0", **sizes), **meminfo(128 << 20, 100 << 20)}
    (device,) = devices_of(Recorded(files))

    assert (device.memory, device.total_bytes, device.free_bytes) == (
        Memory.UNIFIED,
        62866 * MIB,
        62800 * MIB,
    )


def test_an_apu_has_no_more_than_the_system_can_spare() -> None:
    sizes = {"vram_total": 512 * MIB, "vram_used": 0, "gtt_total": 62866 * MIB, "gtt_used": 0}
    (device,) = devices_of(Recorded({**_card("card0", "a", **sizes), **meminfo(64 << 20, 8 << 20)}))

    assert device.free_bytes == 8 << 30


def test_cards_of_other_vendors_have_no_such_files() -> None:
    with pytest.raises(NoDevicesError, match="amdgpu"):
        devices_of(Recorded({"/sys/class/drm/card0/device/vendor": "0x8086\n"}))


def test_a_card_with_a_missing_file_names_it_and_leaves_the_others() -> None:
    files = {**_card("card0", "a", vram_total=8 << 30), **_card("card1", "b", **XT)}
    broken, sound = devices_of(Recorded(files))

    assert "mem_info_vram_used" in broken.problem
    assert sound.usable


def test_rocm_smi_texts_of_bytes_are_numbers() -> None:
    _, card = devices_of(Recorded(programs={"rocm-smi": TWO}))

    assert (card.total_bytes, card.free_bytes) == (25753026560, 25753026560 - 794341376)
    assert (card.name, card.source) == ("Navi 31 [Radeon RX 7900 XT]", "rocm-smi")


def test_the_carve_out_of_an_apu_is_called_one() -> None:
    (device,) = devices_of(Recorded(programs={"rocm-smi": APU}))

    assert (device.total_bytes, device.free_bytes) == (536870912, 536870912 - 445550592)
    assert "APU" in device.note


def test_rocm_smi_with_gtt_shows_what_an_apu_shares() -> None:
    answer = json.loads(APU)
    answer["card0"] |= {"GTT Total Memory (B)": str(32 << 30), "GTT Total Used Memory (B)": str(2 << 30)}
    (device,) = devices_of(Recorded(meminfo(), {"rocm-smi": json.dumps(answer)}))

    assert (device.memory, device.free_bytes) == (Memory.UNIFIED, 30 << 30)


@pytest.mark.parametrize(("unit", "scale"), [("B", 1), ("MB", MIB), ("MiB", MIB), ("GB", 1 << 30)])
def test_the_unit_of_a_field_is_read(unit: str, scale: int) -> None:
    card = {f"VRAM Total Memory ({unit})": str((24 << 30) // scale), f"VRAM Total Used Memory ({unit})": "0"}
    (device,) = devices_of(Recorded(programs={"rocm-smi": json.dumps({"card0": card})}))

    assert device.total_bytes == 24 << 30


def test_warnings_before_the_json_are_passed_over() -> None:
    assert len(devices_of(Recorded(programs={"rocm-smi": f"WARNING: low power\n{TWO}"}))) == 2


@pytest.mark.parametrize("field", ["VRAM Total Memory (B)", "VRAM Total Used Memory (B)"])
def test_a_field_that_was_cut_is_named(field: str) -> None:
    answer = json.loads(TWO)
    del answer["card1"][field]
    _, card = devices_of(Recorded(programs={"rocm-smi": json.dumps(answer)}))

    assert field.removesuffix(" (B)") in card.problem
    assert not card.usable


@given(st.integers(min_value=0, max_value=len(TWO) - 2))
def test_an_answer_cut_anywhere_names_what_is_wrong(cut: int) -> None:
    with pytest.raises(SatchelError, match=r"rocm-smi|no amdgpu"):
        devices_of(Recorded(programs={"rocm-smi": TWO[:cut]}))


def _amd_smi(usage: dict[str, object], *, listed: bool = False) -> Recorded:
    cards = [{"gpu": 0, "mem_usage": usage}]
    asics = [{"gpu": 0, "asic": {"market_name": "AMD Instinct MI300X"}}]
    wrap = (lambda found: found) if listed else (lambda found: {"gpu_data": found})
    programs = {"amd-smi metric": json.dumps(wrap(cards)), "amd-smi static": json.dumps(wrap(asics))}
    return Recorded(programs=programs)


@pytest.mark.parametrize("listed", [True, False])
def test_amd_smi_of_older_and_newer_releases_is_read(listed: bool) -> None:
    usage = {"total_vram": {"value": 196288, "unit": "MB"}, "used_vram": {"value": 288, "unit": "MB"}}
    (device,) = devices_of(_amd_smi(dict(usage), listed=listed))

    assert (device.total_bytes // MIB, device.free_bytes // MIB) == (196288, 196000)
    assert device.name == "AMD Instinct MI300X"


def test_amd_smi_without_a_field_names_it() -> None:
    (device,) = devices_of(_amd_smi({"total_vram": {"value": 196288, "unit": "MB"}}))

    assert "used_vram" in device.problem


@pytest.mark.parametrize("answer", ["", "[]", "null", "{}", '{"gpu_data": 3}', "[" * 100_000])
def test_amd_smi_junk_is_an_error_that_names_it(answer: str) -> None:
    with pytest.raises(SatchelError, match="amd-smi"):
        devices_of(Recorded(programs={"amd-smi metric": answer}))


def test_nothing_of_amd_says_what_was_tried() -> None:
    with pytest.raises(NoDevicesError, match="amd-smi nor rocm-smi"):
        devices_of(Recorded())
