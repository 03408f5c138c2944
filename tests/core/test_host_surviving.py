"""Plugins that end the process: the run is made again without them, and says which they were."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.processes import run_satchel

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")

PLUGIN = """
import os, signal, sys
from typing import ClassVar
import attrs
from satchel import hookimpl

@attrs.frozen
class Plugin:
    name: ClassVar[str] = "{name}"
    def devices(self):
        {body}
        return ()

@hookimpl
def satchel_gpu_backends():
    return [Plugin]
"""
COMMAND = """
import json, os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background ignore it
from pathlib import Path
from satchel.errors import BudgetError, ConfigError
from satchel.host import Host, PluginKind
from satchel.host.isolation import run_in_child

def command(host):
    print("begun")
    for plugin, made in host.make_all(PluginKind.GPU_BACKEND, {{}}):
        host.calls.call(plugin, made.devices, stage="probe")
    {end}
    print(json.dumps([str(problem) for problem in host.problems] + [os.getpid() == PARENT]))
    return 4

def open_host(disable):
    disable = ["builtin", *disable]
    return Host.installed(disable=disable, cache_dir=Path(sys.argv[1]), announce=lambda line: None)

PARENT = os.getpid()
try:
    sys.exit(run_in_child(command, open_host))
except BudgetError as error:
    print("caught", error, error.exit_code, error.budget, error.costs)
"""
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run a command over plugins with these bodies, in a process of its own."""

    def process(end: str = "pass", **bodies: str) -> subprocess.CompletedProcess[str]:
        for name, body in bodies.items():
            (tmp_path / f"{name}.py").write_text(
                body if "\n" in body else PLUGIN.format(name=name, body=body)
            )
            metadata = tmp_path / f"{name}-1.0.dist-info"
            metadata.mkdir(exist_ok=True)
            (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
            (metadata / "entry_points.txt").write_text(f"[satchel]\n{name} = {name}\n")
        script = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{COMMAND.format(end=end)}"
        return run_satchel([str(tmp_path / "cache")], code=script, given="", timeout=60)

    return process


def printed(done: subprocess.CompletedProcess[str]) -> list[object]:
    begun, line = done.stdout.splitlines()
    assert begun == "begun"
    answer: list[object] = json.loads(line)
    return answer


@pytest.mark.costly
@pytest.mark.parametrize(
    ("body", "how"),
    [
        ("os._exit(7)", "exit 7"),
        ("os._exit(0)", "exit 0"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "signal 11 (SIGSEGV)"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "signal 9 (SIGKILL)"),
    ],
)
def test_a_plugin_that_ends_the_process_is_left_out_by_name(run: Run, body: str, how: str) -> None:
    done = run(fine="pass", killer=body)

    assert done.returncode == 4
    assert printed(done)[0] == (
        f"killer (from killer): probe: ended the process: {how} in probe; left out of this run"
    )


def test_one_that_ends_the_process_while_it_is_imported_is_known_too(run: Run) -> None:
    done = run(fine="pass", killer="import os\nos._exit(3)\n")

    assert "ended the process: exit 3 in load" in str(printed(done)[0])


def test_two_that_end_the_process_are_both_left_out(run: Run) -> None:
    done = run(one="os._exit(1)", two="os._exit(2)")

    assert len(printed(done)) == 3


def test_plugins_of_others_run_in_a_child_however_often_they_came_back(run: Run) -> None:
    assert [printed(run(fine="pass")) for _ in range(3)] == [[False]] * 3


def test_without_third_parties_no_child_is_needed(run: Run) -> None:
    assert printed(run()) == [True]


def test_an_error_comes_through_with_its_class_and_its_facts(run: Run) -> None:
    done = run("raise BudgetError(5, [('a', 9)])", fine="pass")

    assert done.stdout.splitlines() == [
        "begun",
        "caught what must go in costs 9 tokens, the budget is 5: a 9 1 5 (['a', 9],)",
    ]


def test_a_plugin_that_kills_later_than_its_call_is_found(run: Run) -> None:
    body = "import threading; threading.Timer(0.3, os._exit, (9,)).start()"
    done = run("import time; time.sleep(1.5)", late=body)

    assert "late (from late): probe: ended the process: exit 9" in str(printed(done)[0])


def test_an_end_that_no_plugin_can_have_caused_is_an_error(run: Run) -> None:
    done = run("os._exit(5)")

    assert done.returncode == 5


def test_ctrl_c_ends_the_child_too(run: Run) -> None:
    done = run("import signal, time; os.kill(PARENT, signal.SIGINT); time.sleep(30)", fine="pass")

    assert done.returncode != 4
    assert "KeyboardInterrupt" in done.stderr
    assert done.stdout == ""
