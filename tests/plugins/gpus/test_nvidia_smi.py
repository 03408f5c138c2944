"""What nvidia-smi printed on real machines, whole and damaged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.plugins.gpus.recorded import DATA, MIB, Recorded, capture, meminfo

from satchel import Device, Memory, SatchelError
from satchel_plugins.gpus.nvidia_smi import devices_of

CAPTURES = sorted(file.name for file in (DATA / "nvidia").iterdir())
QUERY = "nvidia-smi --query-gpu"
H200 = "linux-x86_64__nvidia-h200__590.48.01.txt"
MIG = "linux-x86_64__nvidia-h100-mig__590.48.01.txt"


def _recorded(name: str, state: str = "idle") -> Recorded:
    return Recorded(
        programs={
            QUERY: capture(name, f"{state} :: query-gpu"),
            "nvidia-smi -L": capture(name, "capabilities :: list"),
            "nvidia-smi": capture(name, f"{state} :: nvidia-smi"),
        }
    )


@pytest.mark.parametrize("name", CAPTURES)
def test_every_recorded_machine_is_understood(name: str) -> None:
    found = devices_of(_recorded(name))

    assert found
    assert all(device.usable and device.free_bytes <= device.total_bytes for device in found)


def test_the_sizes_are_those_that_were_printed() -> None:
    (device,) = devices_of(_recorded(H200))

    assert (device.total_bytes // MIB, device.free_bytes // MIB) == (143771, 143158)


def test_slices_come_from_the_table_with_their_names_and_ids() -> None:
    found = devices_of(_recorded(MIG))

    assert [device.total_bytes // MIB for device in found] == [40448, 20096, 9984, 9984]
    assert found[0].name.endswith("MIG 3g.40gb")
    assert found[3].id == "MIG-00000003-0000-0000-0000-000000000003"
    assert found[0].free_bytes == (40448 - 26) * MIB


def test_a_card_in_mig_mode_without_its_table_is_never_taken_whole() -> None:
    (device,) = devices_of(Recorded(programs={QUERY: capture(MIG, "idle :: query-gpu")}))

    assert not device.usable
    assert "MIG" in device.problem


def test_unified_memory_is_not_available_there_and_read_from_the_system() -> None:
    text = (DATA / "unified" / "nvidia-smi_gb10.txt").read_text(encoding="utf-8")
    answer = "name, " + "\n".join(text.splitlines()[1:3]).replace("\n[N/A]", "\nNVIDIA GB10, [N/A]")
    (device,) = devices_of(Recorded(meminfo(), {QUERY: answer}))

    assert (device.memory, device.total_bytes) == (Memory.UNIFIED, 127600748 * 1024)


def test_a_missing_amount_on_an_ordinary_card_names_the_field() -> None:
    answer = (
        "name, memory.total [MiB], memory.used [MiB], memory.free [MiB]\nNVIDIA T4, [N/A], [N/A], [N/A]\n"
    )
    (device,) = devices_of(Recorded(meminfo(), {QUERY: answer}))

    assert "memory.total" in device.problem
    assert device.total_bytes == 0


def test_no_permission_names_the_field() -> None:
    answer = "name, memory.total [MiB], memory.free [MiB]\nNVIDIA T4, [Insufficient Permissions], 3 MiB\n"
    (device,) = devices_of(Recorded(programs={QUERY: answer}))

    assert "memory.total" in device.problem


@pytest.mark.parametrize(
    ("heading", "total", "free"),
    [
        ("[MiB]", "16384 MiB", "8192 MiB"),
        ("[GiB]", "16 GiB", "8 GiB"),
        ("[MiB]", "16384", "8192"),
        ("", "16384 MiB", "8192"),
    ],
)
def test_units_are_read_where_they_stand(heading: str, total: str, free: str) -> None:
    answer = f"memory.free {heading}, name, memory.total {heading}\n{free}, NVIDIA T4, {total}\n"
    (device,) = devices_of(Recorded(programs={QUERY: answer}))

    assert (device.total_bytes, device.free_bytes) == (16 << 30, 8 << 30)


def test_two_cards_are_two_devices_and_no_sum() -> None:
    rows = "RTX 3090, 24576 MiB, 24000 MiB\nA100, 81920 MiB, 81000 MiB\n"
    found = devices_of(Recorded(programs={QUERY: "name, memory.total [MiB], memory.free [MiB]\n" + rows}))

    assert [device.total_bytes // MIB for device in found] == [24576, 81920]


def test_a_machine_without_the_program_has_none() -> None:
    assert devices_of(Recorded()) == []


@pytest.mark.parametrize(
    "answer", ["", "No devices were found\n", "name, memory.total [MiB], memory.free [MiB]\n"]
)
def test_an_answer_without_rows_names_what_is_missing(answer: str) -> None:
    with pytest.raises(SatchelError, match=r"memory\.total"):
        devices_of(Recorded(programs={QUERY: answer}))


@given(st.sampled_from(CAPTURES), st.data())
def test_an_answer_with_cells_cut_is_right_or_names_a_field(name: str, data: st.DataObject) -> None:
    whole = capture(name, "idle :: query-gpu")
    cut = data.draw(st.integers(min_value=0, max_value=len(whole) - 1))
    right = {device.total_bytes for device in devices_of(_recorded(name))} | {0}
    programs = {**_recorded(name).programs, QUERY: whole[:cut]}
    try:
        found = devices_of(Recorded(programs=programs))
    except SatchelError as error:
        found = [Device("", 0, 0, "nvidia-smi", problem=str(error))]
    assert all(device.total_bytes in right for device in found)
    assert all("nvidia-smi: " in device.problem for device in found if device.total_bytes == 0)


@given(st.permutations(range(6)))
def test_the_order_of_columns_does_not_matter(order: list[int]) -> None:
    heading = ["index", "name", "uuid", "memory.total [MiB]", "memory.used [MiB]", "memory.free [MiB]"]
    row = ["0", "NVIDIA T4", "GPU-1", "15360 MiB", "360 MiB", "15000 MiB"]
    answer = "\n".join(", ".join(cells[at] for at in order) for cells in (heading, row))
    (device,) = devices_of(Recorded(programs={QUERY: answer}))

    assert (device.name, device.total_bytes // MIB, device.free_bytes // MIB) == ("NVIDIA T4", 15360, 15000)
