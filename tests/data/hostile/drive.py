"""Load and call every installed plugin of every kind once; print what came of it as JSON.

`python drive.py CACHE_FOLDER`. Stray output of the process is kept off stdout as the command line does it.
"""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from pathlib import Path

from satchel import PluginError, Problem
from satchel import Host
from satchel.host import PluginKind
from satchel.host.answers import check_devices
from satchel.host import check_items, check_parts, check_scores
from satchel.host import Call
from satchel.host.isolation import run_in_child
from satchel import ContextItem, Task
from satchel import Part

TASK = Task("the task")
PARTS = [Part("block", "", (1, 1)), Part("block", "", (2, 2))]
ITEM = ContextItem("file:a.py", "files", "file", "a.py", path="a.py", text="one\ntwo\n")
CHECKS = {
    PluginKind.SCORER: ("score", (PARTS, TASK, None), partial(check_scores, count=len(PARTS)), None),
    PluginKind.PROVIDER: ("gather", (TASK, None, ()), check_items, 100),
    PluginKind.REPRESENTER: ("split", (ITEM,), partial(check_parts, text=ITEM.text), 100),
    PluginKind.GPU_BACKEND: ("devices", (), check_devices, 100),
}


def third_party_calls(host: Host, kind: PluginKind) -> list[Call]:
    method, args, check, cap = CHECKS[kind]
    made = [(plugin, instance) for plugin, instance in host.make_all(kind, {}) if not plugin.builtin]
    return [Call(p, getattr(instance, method), args, method, cap, check) for p, instance in made]


def command(host: Host) -> int:
    result = os.dup(1)
    os.dup2(2, 1)
    answered = {}
    for kind in CHECKS:
        calls = third_party_calls(host, kind)
        for call, answer in zip(calls, host.calls.call_all(calls), strict=True):
            if not isinstance(answer, Problem):
                answered[call.plugin.name] = len(answer)
    try:
        packer = host.make(host.find(PluginKind.PACKER, "hostile-impostor:hybrid"), {})
        host.calls.call_or_raise(host.find(PluginKind.PACKER, "hostile-impostor:hybrid"), packer.pack, [], 0, stage="pack")
    except PluginError as error:
        answered["impostor"] = str(error)
    problems = [[p.plugin, p.distribution, p.stage, p.error] for p in host.problems]
    facts = {
        "answered": answered,
        "problems": problems,
        "packers": host.names(PluginKind.PACKER),
        "task": TASK.text,
    }
    os.write(result, json.dumps(facts).encode())
    return 0


def open_host(disable: tuple[str, ...]) -> Host:
    return Host.installed(disable=disable, cache_dir=Path(sys.argv[1]), deadline_seconds=1.0)


if __name__ == "__main__":
    sys.exit(run_in_child(command, open_host))
