"""Running the git program so that nothing which a repository says can run another program."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import subprocess

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

# Command line settings win over every file. Each line closes a way in, or makes the answer independent
# of somebody's taste.
SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.editor=true",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.askPass=true",
    "core.alternateRefsCommand=",
    f"core.attributesFile={os.devnull}",
    "credential.helper=",
    "diff.external=",
    "diff.orderFile=/dev/null",
    "diff.ignoreSubmodules=all",
    "log.showSignature=false",
    "log.showRoot=true",
    "log.mailmap=false",
    f"mailmap.file={os.devnull}",
    "mailmap.blob=",
    "gpg.program=true",
    "gpg.openpgp.program=true",
    "gpg.ssh.program=true",
    "gpg.x509.program=true",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
    "maintenance.auto=false",
    "gc.auto=0",
    "advice.graftFileDeprecated=false",
)
_KEPT = frozenset({"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"})
_SET = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    # A partial clone would fetch what is missing, through a transport that the repository names.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "true",
    "GIT_ASKPASS": "true",
    "GIT_SSH_COMMAND": "false",
}
_STDERR_BYTES = 65_536
_DATA_BYTES = 1 << 30
"""Of memory that a program may ask for: a repository can make git read for ever."""
_CPU_SECONDS = 6
"""Of work: patterns and histories can be made that take git for ever."""
_IDLE_SECONDS = 2.5
"""A program that waits this long in one place will wait for ever: on a FIFO, or for somebody's answer."""
_LOOKS = 0.25
_OUT_OF_TIME = getattr(signal, "SIGXCPU", 0)


class Answer(NamedTuple):
    """What a program answered; `cut` and `late` say that it was stopped at a limit."""

    code: int
    output: bytes
    errors: str
    cut: bool
    late: bool


def find_git(root: Path, environment: Mapping[str, str]) -> str | None:
    """Return the git program on the search path; none that lies in the workspace counts."""
    folders = _search_path(root, environment).split(os.pathsep)
    found = (shutil.which("git", path=folder) for folder in folders if folder)
    return next((path for path in found if path and not _is_below(path, root)), None)


def hardened_environment(root: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Return `environment` without what could steer git, and with what holds it in check."""
    kept = {key: text for key, text in environment.items() if not key.startswith("GIT_") or key in _KEPT}
    return {**kept, **_SET, "PATH": _search_path(root, environment)}


def run(
    command: Sequence[str], *, folder: Path, environment: Mapping[str, str], seconds: float, limit: int
) -> Answer:
    """Run a program and return at most `limit` bytes of its output; it is killed after `seconds`.

    Raises OSError where the program can't be started.
    """
    import subprocess  # it takes 2 ms, and most packs run nothing

    with subprocess.Popen(  # noqa: S603  the program is an absolute path, no shell
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        return _collect(process, seconds, limit)


def _collect(process: subprocess.Popen[bytes], seconds: float, limit: int) -> Answer:
    late, ended, errors = threading.Event(), threading.Event(), bytearray()
    watch = threading.Thread(target=_watch, args=(process, seconds, late, ended), daemon=True)
    drain = threading.Thread(target=_drain, args=(process.stderr, errors), daemon=True)
    _limit(process.pid)
    watch.start()
    drain.start()
    try:
        output = process.stdout.read(limit + 1) if process.stdout else b""
        cut = len(output) > limit
        if cut:
            process.kill()
        process.wait()
    finally:
        process.kill()
        ended.set()
    drain.join()
    is_late = late.is_set() or process.returncode == -_OUT_OF_TIME
    return Answer(process.returncode, output[:limit], errors.decode(errors="replace"), cut, is_late)


def _watch(
    process: subprocess.Popen[bytes], seconds: float, late: threading.Event, ended: threading.Event
) -> None:
    """Stop a program that takes too long, or does nothing but wait."""
    end = time.monotonic() + seconds
    since, before = time.monotonic(), ""
    while not ended.wait(min(_LOOKS, max(0.0, end - time.monotonic()))):
        now, activity = time.monotonic(), _activity(process.pid)
        if activity != before or not activity:
            since, before = now, activity
        if now >= end or now - since >= _IDLE_SECONDS:
            late.set()
            process.kill()
            return


def _activity(number: int) -> str:
    """Return what changes while a program works; "" while it could run, or where nothing tells."""
    try:
        with open(f"/proc/{number}/stat", encoding="latin-1") as file:
            facts = file.read().rpartition(") ")[2].split()
        with open(f"/proc/{number}/status", encoding="latin-1") as file:
            switches = file.read().partition("voluntary_ctxt_switches:")[2]
    except OSError:
        return ""
    return f"{facts[11]} {facts[12]} {switches}" if facts[:1] == ["S"] else ""


def _limit(number: int) -> None:
    if resource is None or not hasattr(resource, "prlimit"):
        return
    with contextlib.suppress(OSError, ValueError):  # it has ended, or has a lower limit already
        resource.prlimit(number, resource.RLIMIT_DATA, (_DATA_BYTES, _DATA_BYTES))
        resource.prlimit(number, resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS + 1))
        resource.prlimit(number, resource.RLIMIT_CORE, (0, 0))


def _drain(pipe: IO[bytes], kept: bytearray) -> None:
    while chunk := pipe.read(8192):
        kept += chunk[: _STDERR_BYTES - len(kept)]


def _search_path(root: Path, environment: Mapping[str, str]) -> str:
    folders = environment.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(
        folder for folder in folders if os.path.isabs(folder) and not _is_below(folder, root)
    )


def _is_below(path: str, root: Path) -> bool:
    """Tell whether a path, or what it links to, lies in the workspace."""
    real = os.path.realpath(root)
    return any(f"{place}/".startswith(f"{real.rstrip('/')}/") for place in (path, os.path.realpath(path)))
