"""Two users of a machine, each with folders that the other can't read, go on with one session."""

from __future__ import annotations

import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

OTHER = "nobody"
PYTHONS = (sys.executable, f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}")
"""Another user may not be let into the folder of the first."""


class Person:
    """A user with a working folder, a home and satchel's folders of its own.

    Args:
        home: an empty folder.
        name: the user; "" for the one that runs the tests.
        python: the program that runs satchel.
    """

    def __init__(self, home: Path, name: str = "", python: str = sys.executable) -> None:
        self.home, self.name, self.python = home, name, python
        if name:
            shutil.chown(home, name, pwd.getpwnam(name).pw_gid)

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start satchel in the person's folder."""
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("SATCHEL_", "XDG_"))
        }
        paths = [path for path in sys.path if path and not path.startswith(sys.base_prefix)]
        return subprocess.Popen(
            [self.python, "-m", "satchel", *words],
            user=self.name or None,
            group=pwd.getpwnam(self.name).pw_gid if self.name else None,
            extra_groups=[] if self.name else None,
            cwd=self.home,
            env=kept | {"HOME": str(self.home), "PYTHONPATH": os.pathsep.join(paths)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def can_run(self) -> bool:
        """Tell whether the person may read Python and satchel."""
        try:
            return self.run("--version").returncode == 0
        except OSError:
            return False

    def run(self, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run satchel to its end."""
        started = self.start(*words)
        out, told = started.communicate(stdin, timeout=60)
        return subprocess.CompletedProcess(words, started.returncode, out, told)

    def ask(self, *words: str, stdin: str = "") -> str:
        """Return what satchel prints; it must end well."""
        ended = self.run(*words, stdin=stdin)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout


def find_pointer(text: str) -> str:
    found = re.search("blob:[0-9a-f]+", text)
    assert found, text
    return found[0]


@pytest.fixture
def people() -> Iterator[tuple[Person, Person]]:
    """Return this user and another one; skip where there can't be another."""
    if os.name == "nt" or os.geteuid() != 0:
        pytest.skip("only root can run satchel as another user")
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        others = [Person(Path(two), OTHER, python) for python in PYTHONS]
        found = next((one for one in others if one.can_run()), None)
        if found is None:
            pytest.skip(f"the user {OTHER} may not read where satchel is installed")
        yield Person(Path(one)), found


def test_two_users_go_on_with_one_session_of_a_database(people: tuple[Person, Person], database: str) -> None:
    me, other = people
    place = ("--store", database, "--session", "s")

    me.ask("session", "add", *place, "--role", "user", "--text", "one")
    follower = me.start("session", "show", *place, "--follow", "20")
    other.ask("session", "add", *place, "--role", "assistant", "--text", "two")
    both = [
        person.start("session", "add", *place, "--role", "user", "--text", f"{person.name}{at}")
        for at in range(4)
        for person in people
    ]
    told = [one.communicate(timeout=60)[1] for one in both]
    assert [one.returncode for one in both] == [0] * 8, told
    squeezed = me.ask("squeeze", "--store", database, "--budget", "60", stdin="a line\n" * 900)

    mine, theirs = me.ask("session", "show", *place), other.ask("session", "show", *place)
    assert mine == theirs
    assert mine.splitlines()[:2] == ["user: one", "assistant: two"]
    assert len(mine.splitlines()) == 10
    pointer = find_pointer(squeezed)
    assert other.ask("expand", pointer, "--store", database).count("a line") == 900
    seen = follower.communicate(timeout=60)[0]
    assert seen == mine


def test_two_users_go_on_with_one_session_of_a_shared_folder(people: tuple[Person, Person]) -> None:
    pytest.importorskip("satchel_fsspec")
    me, other = people
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        share = ("--session", "s", "--share", f"file://{folder}")
        me.ask("session", "add", "--session", "s", "--role", "user", "--text", "one")
        me.ask("session", "snapshot", *share)

        other.ask("session", "restore", *share)
        other.ask("session", "add", "--session", "s", "--role", "assistant", "--text", "two")
        other.ask("session", "snapshot", *share)
        assert "1 node added that this store did not have" in me.ask("session", "restore", *share)

        assert me.ask("session", "show", "--session", "s") == "user: one\nassistant: two\n"
        squeezed = other.ask(
            "squeeze", "--store", f"file://{folder}", "--budget", "60", stdin="a line\n" * 900
        )
        pointer = find_pointer(squeezed)
        assert me.ask("expand", pointer, "--store", f"file://{folder}").count("a line") == 900


def test_what_a_user_keeps_is_not_for_others(people: tuple[Person, Person]) -> None:
    me, other = people
    store = me.home / "store"
    me.ask("session", "add", "--store", str(store), "--session", "s", "--role", "user", "--text", "one")

    refused = other.run("session", "show", "--store", str(store), "--session", "s")

    assert refused.returncode == 1
    assert "one" not in refused.stdout + refused.stderr
