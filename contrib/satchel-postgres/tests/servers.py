"""A PostgreSQL server of the tests' own, which can be killed."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import psycopg

_MEMORY = Path("/dev/shm")
"""Where syncs cost nothing; a server that is killed loses nothing of it."""
_LIBRARY = Path("/usr/lib/postgresql")


def find_programs() -> Path | None:
    """Return the folder of a server's programs, None where there is none."""
    folders = sorted(_LIBRARY.glob("*/bin"), reverse=True)
    found = shutil.which("pg_ctl")
    folders += [Path(found).resolve().parent] if found else []
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


def find_user() -> str | None:
    """Return the user that a server runs as: a server refuses to be root's."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            pwd.getpwnam(name)
        except KeyError:
            continue
        return name
    return None


class Server:
    """A server on a port of 127.0.0.1 with a folder of its own."""

    def __init__(self, programs: Path) -> None:
        self.programs, self.user = programs, find_user()
        self.folder = Path(tempfile.mkdtemp(prefix="satchel-pg-", dir=_MEMORY if _MEMORY.is_dir() else None))
        if self.user:
            shutil.chown(self.folder, self.user)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        password = self.folder / "password"
        password.write_text("secret-of-the-owner")
        if self.user:
            shutil.chown(password, self.user)
        self.run(
            "initdb", "-D", self.data, "-U", "owner", "-A", "scram-sha-256", "--pwfile", str(password),
            "-E", "UTF8", "--locale=C", "--no-sync",
        )  # fmt: skip
        self.databases = 0
        self.start()

    @property
    def data(self) -> str:
        return str(self.folder / "data")

    def run(self, program: str, *words: str) -> None:
        subprocess.run(
            [self.programs / program, *words],
            user=self.user,
            group=pwd.getpwnam(self.user).pw_gid if self.user else None,
            extra_groups=[] if self.user else None,
            cwd="/",
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=330,
        )

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -k {self.folder} -c max_connections=200"
        self.run(
            "pg_ctl",
            "start",
            "-w",
            "-t",
            "300",
            "-D",
            self.data,
            "-o",
            options,
            "-l",
            str(self.folder / "log"),
        )

    def stop(self) -> None:
        self.run("pg_ctl", "stop", "-m", "fast", "-D", self.data)

    def kill(self) -> None:
        """End the server and all its children at once, as a crash would."""
        first = int((self.folder / "data" / "postmaster.pid").read_text().splitlines()[0])
        children = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(first)], capture_output=True, text=True, check=False
        )
        for number in (first, *map(int, children.stdout.split())):
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                continue
        until = time.monotonic() + 30
        while Path(f"/proc/{first}").exists() and time.monotonic() < until:
            time.sleep(0.05)

    def remove(self) -> None:
        self.run("pg_ctl", "stop", "-m", "immediate", "-D", self.data)
        shutil.rmtree(self.folder, ignore_errors=True)

    def address(self, database: str, user: str = "owner", password: str = "secret-of-the-owner") -> str:
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """Make an empty database; return its address."""
        self.databases += 1
        name = f"db{self.databases}"
        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self.address(name)
