"""`satchel gpu`: list the devices on which a model's window can be planned, and their probes."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from satchel.cli.parsing import CommandPlan, Outcome, Parser, add_shown, add_workspace
from satchel.cli.setup import exit_code, load_config, plan, report_problems
from satchel.errors import Problem
from satchel.paths import safe_text
from satchel.view.tables import json_text, table

if TYPE_CHECKING:
    from satchel.devices import Device
    from satchel.host import Host
    from satchel.sizing.devices import Probed

DESCRIPTION = """\
Show the graphics devices, their memory, how much of it is free, and which probes answered or failed.
System memory is labelled as such; no window is planned on it unless you ask for it."""

EXAMPLES = """\
  satchel gpu
  satchel gpu --format json"""


def fill(parser: Parser) -> None:
    """Add the arguments of `gpu`."""
    add_shown(parser)
    add_workspace(parser, strict=True)


def main(args: argparse.Namespace) -> CommandPlan:
    """Plan the probing."""
    config = load_config(args)

    def _work(host: Host) -> Outcome:
        from satchel.sizing.devices import probe

        probed = probe(host, config)
        problems = [*host.problems, *_list_problems(probed)]
        report_problems(problems)
        text = _json(probed) if args.format == "json" else _text(probed)
        return Outcome(text, exit_code(problems, config))

    return plan(config, _work)


def _list_problems(probed: Sequence[Probed]) -> list[Problem]:
    devices = [(one.backend, device) for one in probed for device in one.devices]
    return [Problem(backend, "probe", device.problem) for backend, device in devices if device.problem]


def _json(probed: Sequence[Probed]) -> str:
    devices = [_device_json(one.backend, device) for one in probed for device in one.devices]
    probes = [
        {"backend": p.backend, "devices": len(p.devices), "reason": p.reason, "failed": p.failed}
        for p in probed
    ]
    return json_text({"schema": 1, "devices": devices, "probes": probes})


def _device_json(backend: str, device: Device) -> dict[str, object]:
    return {
        "backend": backend,
        "name": device.name,
        "id": device.id,
        "memory": str(device.memory),
        "total_bytes": device.total_bytes,
        "free_bytes": device.free_bytes,
        "source": device.source,
        "usable": device.usable,
        "note": device.note,
        "problem": device.problem,
    }


def _text(probed: Sequence[Probed]) -> str:
    rows: list[tuple[str, ...]] = [("device", "memory", "total", "free", "source", "")]
    rows += [_row(device) for one in probed for device in one.devices]
    rows += [(one.backend, "-", "-", "-", "-", one.reason) for one in probed if not one.devices]
    shown = [tuple(safe_text(cell) for cell in row) for row in rows]
    gpus = sum(device.usable for one in probed for device in one.devices)
    verdict = (
        f"a window can be planned on {gpus} of these"
        if gpus
        else "no GPU was found; satchel size MODEL --vram 24GiB plans for one elsewhere"
    )
    return f"{table(shown, right=(2, 3))}\n{verdict}\n"


def _row(device: Device) -> tuple[str, ...]:
    sizes = ("?", "?") if device.problem else (_gib(device.total_bytes), _gib(device.free_bytes))
    return (device.name, str(device.memory), *sizes, device.source, device.problem or device.note)


def _gib(size: int) -> str:
    return f"{size / 2**30:.1f} GiB"
