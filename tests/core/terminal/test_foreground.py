"""A command that satchel runs on a terminal can ask for a password, and Ctrl-Z stops both."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import signal
import sys
import time
from collections.abc import Iterator

import pytest

SATCHEL = (sys.executable, "-m", "satchel", "run", "--")
SECONDS = 20.0


class Typist:
    """Somebody at a terminal."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self.child, self.terminal = pty.fork()
        if not self.child:
            os.environ["PS1"] = "$ "
            os.execvp(words[0], words)

    def types(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def sees(self, pattern: str) -> str:
        """Return what is shown until the pattern is; fails where it takes too long."""
        shown, end = "", time.monotonic() + SECONDS
        while not re.search(pattern, shown):
            assert time.monotonic() < end, shown
            if select.select([self.terminal], [], [], 0.1)[0]:
                shown += os.read(self.terminal, 4096).decode()
        return shown

    def leaves(self) -> None:
        for group in (os.tcgetpgrp(self.terminal), self.child):
            if group > 0:
                with contextlib.suppress(ProcessLookupError):  # it may have ended by itself
                    os.killpg(group, signal.SIGKILL)
        os.close(self.terminal)
        os.waitpid(self.child, 0)


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> Iterator[Typist]:
    monkeypatch.setenv("SATCHEL_STATE_DIR", str(tmp_path))
    typist = Typist(("bash", "--norc", "--noprofile", "-i"))
    typist.sees(r"\$ ")
    yield typist
    typist.leaves()


def python(code: str) -> str:
    return " ".join((*SATCHEL, sys.executable, "-c", f"'{code}'")) + "\n"


def test_a_password_is_asked_for_on_the_terminal(shell: Typist) -> None:
    shell.types(python('import getpass; print("got", len(getpass.getpass("Secret: ")))'))
    shell.sees(r"\nSecret: |\rSecret: |^Secret: |lSecret: ")

    shell.types("hushed\n")

    shown = shell.sees(r"got \d")
    assert "got 6" in shown
    assert "hushed" not in shown


@pytest.mark.weekly
def test_ctrl_z_stops_satchel_with_its_command_and_fg_goes_on(shell: Typist) -> None:
    shell.types(python('import time, sys; open("/dev/tty", "w").write("be" + "gun\\n"); time.sleep(1.2)'))
    shell.sees("begun")

    shell.types("\x1a")

    shell.sees("Stopped")
    shell.types("fg; echo code=$?\n")
    assert "code=0" in shell.sees(r"code=\d")


def test_a_prompt_is_seen_before_it_is_answered(shell: Typist) -> None:
    shell.types(python('name = input("Your na" + "me? "); print("hel" + "lo", name)'))
    shell.sees(r"Your name\? ")

    shell.types("bo\n")

    assert "hello bo" in shell.sees(r"hello \w+")


def test_a_person_sees_lines_while_the_command_runs(shell: Typist) -> None:
    shell.types(python('import time; print("fir" + "st", flush=True); time.sleep(600)'))

    shell.sees("first")
