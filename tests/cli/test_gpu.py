"""`satchel gpu` shows what the machine's probes told; a program on PATH stands in for a driver's."""

from __future__ import annotations

import json
import os
from pathlib import Path

import jsonschema
import pytest

from satchel.cli import run
from satchel.schemas import read_schema

SMI = """#!/bin/sh
echo "index, name, uuid, memory.total [MiB], memory.used [MiB], memory.free [MiB]"
echo "0, NVIDIA T4, GPU-1, 15360 MiB, 360 MiB, 15000 MiB"
"""


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder in front of PATH with an nvidia-smi in it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "nvidia-smi").write_text(SMI, encoding="utf-8")
    (folder / "nvidia-smi").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    return folder


def test_the_json_keeps_its_contract(shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code = run(["gpu", "--root", str(shop), "--format", "json"])

    answer = json.loads(capfd.readouterr().out)
    jsonschema.Draft202012Validator(json.loads(read_schema("gpu"))).validate(answer)
    assert code == 0
    assert [probe["backend"] for probe in answer["probes"]] == ["apple", "cpu", "nvidia", "rocm"]


def test_system_memory_is_shown_and_never_usable(shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run(["gpu", "--root", str(shop), "--format", "json"])

    shown = [one for one in json.loads(capfd.readouterr().out)["devices"] if one["memory"] == "system"]
    assert shown
    assert not any(one["usable"] for one in shown)


@pytest.mark.skipif(Path("/dev/nvidiactl").exists(), reason="this machine has a driver of its own")
@pytest.mark.usefixtures("driver")
def test_a_card_is_shown_with_who_told(shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run(["gpu", "--root", str(shop)])

    out = capfd.readouterr().out
    assert "NVIDIA T4      vram    15.0 GiB  14.6 GiB  nvidia-smi" in out
    assert "a window can be planned on 1 of these" in out


@pytest.mark.skipif(Path("/dev/nvidiactl").exists(), reason="this machine has a driver of its own")
def test_no_program_of_a_workspace_is_run(driver: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sentinel = driver / "ran"
    (driver / "nvidia-smi").write_text(f"#!/bin/sh\ntouch {sentinel}\n", encoding="utf-8")
    monkeypatch.chdir(driver)
    monkeypatch.setenv("PATH", f"{driver}{os.pathsep}.{os.pathsep}/usr/bin")

    run(["gpu", "--root", str(driver)])

    assert not sentinel.exists()
