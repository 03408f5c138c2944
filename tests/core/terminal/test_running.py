"""A command runs as if nobody stood between."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from satchel.output import CommandError, Running


def run(*words: str, time_limit: float | None = None) -> tuple[bytes, int]:
    running = Running(words, time_limit=time_limit)
    return b"".join(running.pieces()), running.exit_code()


def python(code: str, *, time_limit: float | None = None) -> tuple[bytes, int]:
    return run(sys.executable, "-c", code, time_limit=time_limit)


def test_stdout_and_stderr_come_together_in_order() -> None:
    code = "import sys; print('a', flush=True); print('b', file=sys.stderr, flush=True); print('c')"

    assert python(code) == (b"a\nb\nc\n", 0)


def test_the_exit_code_is_the_command_s() -> None:
    assert python("raise SystemExit(7)")[1] == 7


def test_a_signal_is_128_and_its_number() -> None:
    assert python("import os; os.kill(os.getpid(), 9)")[1] == 137


@pytest.mark.parametrize(
    ("program", "code"), [("no-such-program-here", 127), ("", 127), ("/etc/passwd", 126)]
)
def test_what_can_not_be_started_is_told_with_the_code_of_env(program: str, code: int) -> None:
    with pytest.raises(CommandError) as caught:
        Running([program])

    assert caught.value.exit_code == code


def test_a_time_limit_ends_the_command_and_what_it_started() -> None:
    start = time.monotonic()
    output, code = run("sh", "-c", "echo on; sleep 30 & sleep 30", time_limit=0.3)

    assert (output, code) == (b"on\n", 143)
    assert time.monotonic() - start < 10


def test_a_command_that_ignores_the_first_signal_is_killed() -> None:
    code = "import signal, time; signal.signal(15, signal.SIG_IGN); print('up', flush=True); time.sleep(30)"

    assert python(code, time_limit=1.0) == (b"up\n", 137)


def test_a_time_limit_ends_what_ignores_the_first_signal_in_the_background() -> None:
    background = "(trap '' TERM; echo $BASHPID; exec >&-; sleep 30) & sleep 30"

    output, code = run("bash", "-c", background, time_limit=1.0)

    assert code == 143
    time.sleep(0.1)
    stat = Path(f"/proc/{int(output)}/stat")
    assert not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z"


def test_what_runs_on_in_the_background_is_not_waited_for() -> None:
    start = time.monotonic()

    assert run("sh", "-c", "sleep 20 & echo started")[0] == b"started\n"
    assert time.monotonic() - start < 8


def test_an_interrupt_reaches_the_command() -> None:
    threading.Timer(0.8, os.kill, (os.getpid(), signal.SIGINT)).start()
    code = "import signal, time; signal.signal(2, lambda *_: (print('got it'), exit(5))); time.sleep(20)"

    assert python(code) == (b"got it\n", 5)


def test_handlers_of_signals_are_put_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    run("true")

    assert signal.getsignal(signal.SIGTERM) is before


def test_a_command_on_a_terminal_reads_what_is_typed(tmp_path: Path) -> None:
    child, terminal = pty.fork()
    if child == 0:
        os.environ["SATCHEL_STATE_DIR"] = str(tmp_path)
        words = [sys.executable, "-m", "satchel", "run", "--", "sh", "-c", "read word; echo got $word"]
        os.execv(sys.executable, words)
    os.write(terminal, b"hello\n")
    shown = b""
    with contextlib.suppress(OSError):  # Linux ends a terminal so
        while piece := os.read(terminal, 4_096):
            shown += piece

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert b"got hello" in shown
