"""Plugins that end or bend the process, through the commands themselves: an answer comes, and a name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.processes import run_satchel
from tests.vocabularies import lend_cache

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")

HEAD = """
import ctypes, gc, os, signal, sys, threading, time
from typing import ClassVar
import attrs
from satchel import hookimpl

def is_open(number):
    try:
        return os.fstat(number) is not None
    except OSError:
        return False

def write_everywhere():
    for number in range(3, 64):
        if is_open(number):
            try:
                os.write(number, b"SPOILT")
            except OSError:
                pass

def raise_in_main(error):
    ident = ctypes.c_ulong(threading.main_thread().ident)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, ctypes.py_object(error))
    time.sleep(0.3)

def strike():
    {body}

@attrs.frozen
class Plugin:
    name: ClassVar[str] = "trap"
"""
KINDS = {
    "provider": """
    wave: ClassVar[int] = 1
    max_items: int = 5
    max_tokens: int = 500
    def gather(self, task, workspace, best):
        strike()
        return []
""",
    "scorer": """
    kinds: ClassVar[frozenset] = frozenset({"*"})
    grain: ClassVar[str] = "part"
    weight: float = 0.001
    def score(self, parts, task, workspace):
        strike()
        return [0.0] * len(parts)
""",
    "representer": """
    version: ClassVar[str] = "1"
    def claims(self, item):
        strike()
        return 0.0
    def split(self, item):
        return ()
""",
    "observer": """
    def __call__(self, event):
        strike()
""",
    "scanner": """
    def scan(self, text, path):
        strike()
        return []
""",
}
ENDS = {
    "exits well": "os._exit(0)",
    "exits badly": "os._exit(3)",
    "aborts": "os.abort()",
    "is killed": "os.kill(os.getpid(), signal.SIGKILL)",
    "crashes": "ctypes.string_at(0)",
    "is another program": "os.execv('/bin/true', ['true'])",
    "closes all files": "os.closerange(0, 256)",
    "writes into all files": "write_everywhere()",
    "interrupts": "os.kill(os.getpid(), signal.SIGINT); time.sleep(0.3)",
    "interrupts its group": "os.killpg(0, signal.SIGINT); time.sleep(0.3)",
    "exits in the main thread": "raise_in_main(SystemExit)",
    "fails in the main thread": "raise_in_main(ValueError)",
}
BENDS = {
    "goes elsewhere": "os.chdir('/')",
    "takes depth": "sys.setrecursionlimit(60)",
    "sets variables": "os.environ.clear()",
    "sets the mask": "os.umask(0)",
    "sets an alarm": "signal.alarm(1)",
    "forks": "os.fork()",
    "prints": "print('SPOILT'); os.write(1, b'SPOILT')",
    "reads": "sys.stdin.read()",
}
WORDS = (
    "collected 3 items\n" + "".join(f"tests/test_{n}.py::test_it PASSED\n" for n in range(400)) + "1 failed\n"
)
Satchel = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def satchel(tmp_path: Path) -> Satchel:
    """Run satchel beside a plugin of a kind with this body."""
    shop = tmp_path / "shop"
    shop.mkdir()
    (shop / "app.py").write_text("def login(name):\n    return name == 'root'\n")

    def run(kind: str, body: str, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        site = tmp_path / "site"
        info = site / "trap_dist-1.0.dist-info"
        if kind and not site.exists():
            info.mkdir(parents=True)
            hook = f"\n@hookimpl\ndef satchel_{kind}s():\n    return [Plugin]\n"
            (site / "trap_module.py").write_text(HEAD.format(body=body) + KINDS[kind] + hook)
            (info / "METADATA").write_text("Metadata-Version: 2.1\nName: trap-dist\nVersion: 1.0\n")
            (info / "entry_points.txt").write_text("[satchel]\ntrap = trap_module\n")
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "SATCHEL_CACHE_DIR": str(lend_cache(tmp_path / ("cache" if kind else "plain"))),
            "SATCHEL_STATE_DIR": str(tmp_path / "state"),
            **({"PYTHONPATH": str(site)} if kind else {}),
        }
        return run_satchel(words, given=given, env=env, cwd=shop, timeout=60)

    return run


PACK = ("pack", "fix the login")


@pytest.mark.costly
@pytest.mark.parametrize(
    ("kind", "end"),
    [
        *(("scorer", end) for end in ENDS),
        *((kind, "exits well") for kind in ("provider", "representer", "observer")),
    ],
)
def test_a_pack_comes_out_as_without_a_plugin_that_ends_the_process(
    satchel: Satchel, kind: str, end: str
) -> None:
    plain = satchel("", "", *PACK)
    done = satchel(kind, ENDS[end], *PACK)

    assert done.returncode == 0, done.stderr
    assert done.stdout == plain.stdout
    assert "trap (from trap-dist)" in done.stderr or "trap-dist (from trap-dist)" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.weekly
def test_one_that_behaved_before_is_outlived_too(satchel: Satchel, tmp_path: Path) -> None:
    counter = tmp_path / "count"
    body = f"open({str(counter)!r}, 'a').write('x'); os.path.getsize({str(counter)!r}) > 2 and os._exit(0)"
    outputs = [satchel("scorer", body, "pack", f"fix the login {turn}") for turn in range(4)]

    assert all(done.stdout and not done.returncode for done in outputs)
    assert any("ended the process: exit 0 in score" in done.stderr for done in outputs)


@pytest.mark.costly
@pytest.mark.parametrize("end", ENDS)
def test_run_keeps_output_and_exit_code(satchel: Satchel, end: str) -> None:
    command = ("run", "--", sys.executable, "-c", f"print({WORDS!r}); raise SystemExit(7)")
    plain = satchel("", "", *command)
    done = satchel("representer", ENDS[end], *command)

    assert plain.returncode == done.returncode == 7
    assert done.stdout == plain.stdout
    assert "1 failed" in done.stdout
    assert "trap-dist" in done.stderr


@pytest.mark.weekly
def test_run_starts_its_command_once(satchel: Satchel, tmp_path: Path) -> None:
    code = f"open({str(tmp_path / 'runs')!r}, 'a').write('x'); print({WORDS!r})"
    done = satchel("representer", "os._exit(0)", "run", "--", sys.executable, "-c", code)

    assert "1 failed" in done.stdout
    assert (tmp_path / "runs").read_text() == "x"


@pytest.mark.weekly
def test_squeeze_and_compact_come_out(satchel: Satchel) -> None:
    messages = json.dumps([{"role": "user", "content": f"step {n} " * 200} for n in range(20)])
    squeezed = satchel("representer", "os._exit(0)", "squeeze", given=WORDS)
    compacted = satchel("representer", "os._exit(0)", "compact", "--budget", "2000", given=messages)

    assert "1 failed" in squeezed.stdout
    assert (squeezed.returncode, compacted.returncode) == (0, 0)
    assert json.loads(compacted.stdout)[0]["role"] == "user"


@pytest.mark.costly
@pytest.mark.parametrize(
    "words", [("squeeze",), ("run", "--", "echo", "hi"), PACK, ("session", "entry", "--session", "s")]
)
def test_nothing_is_shown_without_a_scanner_that_ends_the_process(
    satchel: Satchel, words: tuple[str, ...]
) -> None:
    done = satchel("scanner", "os._exit(0)", *words, given="hi\n")

    assert done.returncode != 0
    assert done.stdout == ""
    assert "trap" in done.stderr
    assert "scanner of secrets" in done.stderr


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize(
    ("kind", "bend"), [(("provider", "scorer")[at % 2], bend) for at, bend in enumerate(BENDS)]
)
def test_what_it_changes_of_the_process_touches_nobody_else(satchel: Satchel, kind: str, bend: str) -> None:
    plain = satchel("", "", *PACK)
    done = satchel(kind, BENDS[bend], *PACK)

    assert done.returncode == 0, done.stderr
    assert done.stdout == plain.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.weekly
def test_what_was_changed_is_said_with_the_name(satchel: Satchel) -> None:
    done = satchel("scorer", "os.chdir('/')", *PACK)

    assert (
        "trap (from trap-dist): score: changed the working folder of the process; it was restored"
        in done.stderr
    )


def test_a_loop_that_lets_nothing_else_work_is_ended(satchel: Satchel, tmp_path: Path) -> None:
    (tmp_path / "shop" / "satchel.toml").write_text("deadline_seconds = 4\n")
    done = satchel("scorer", "ctypes.PyDLL(None).sleep(40)", *PACK)

    assert done.returncode == 0
    assert "trap (from trap-dist)" in done.stderr
    assert "no answer after" in done.stderr


def test_debug_shows_the_traceback_of_a_plugin(satchel: Satchel) -> None:
    done = satchel("scorer", "raise RuntimeError('from the plugin')", *PACK, "--debug")

    assert done.stdout
    assert "trap_module.py" in done.stderr
    assert "RuntimeError: from the plugin" in done.stderr


@pytest.mark.weekly
def test_first_use_is_told_once_by_every_command(satchel: Satchel) -> None:
    first = satchel("representer", "pass", "squeeze", given=WORDS)
    again = satchel("representer", "pass", "squeeze", given=WORDS)

    assert first.stderr.count("first use of trap-dist 1.0") == 1
    assert "first use" not in again.stderr


@pytest.mark.costly
@pytest.mark.parametrize("how", ["file", "variable", "option"])
def test_what_is_disabled_is_not_asked_by_squeeze(
    satchel: Satchel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    words = ["squeeze"]
    if how == "file":
        (tmp_path / "shop" / "satchel.toml").write_text('disable = ["trap"]\n')
    else:
        words += ["--no-plugin", "trap-dist" if how == "option" else "trap"]
    done = satchel("representer", "os._exit(0)", *words, given=WORDS)

    assert "1 failed" in done.stdout
    assert "trap" not in done.stderr


def test_a_wrong_configuration_costs_nobody_an_output(satchel: Satchel, tmp_path: Path) -> None:
    (tmp_path / "shop" / "satchel.toml").write_text("budget = [\n")
    done = satchel("", "", "run", "--", "sh", "-c", "echo out; exit 4")

    assert (done.stdout, done.returncode) == ("out\n", 4)
    assert "satchel.toml" in done.stderr
