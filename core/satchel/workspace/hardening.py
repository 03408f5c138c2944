"""Running the git program so that nothing which a repository says can run another program."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

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
    "credential.helper=",
    "diff.external=",
    "diff.orderFile=/dev/null",
    "diff.ignoreSubmodules=all",
    "log.showSignature=false",
    "log.showRoot=true",
    "log.mailmap=false",
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


class Answer(NamedTuple):
    """What a program answered; `cut` and `late` say that it was stopped at a limit."""

    code: int
    output: bytes
    errors: str
    cut: bool
    late: bool


def find_git(root: Path, environment: Mapping[str, str]) -> str | None:
    """Return the git program on the search path; none that lies in the workspace counts."""
    return shutil.which("git", path=_search_path(root, environment))


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
    late, errors = threading.Event(), bytearray()

    def stop() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(seconds, stop)
    drain = threading.Thread(target=_drain, args=(process.stderr, errors), daemon=True)
    timer.start()
    drain.start()
    try:
        output = process.stdout.read(limit + 1) if process.stdout else b""
        cut = len(output) > limit
        if cut:
            process.kill()
        process.wait()
    finally:
        process.kill()
        timer.cancel()
    drain.join()
    return Answer(process.returncode, output[:limit], errors.decode(errors="replace"), cut, late.is_set())


def _drain(pipe: IO[bytes], kept: bytearray) -> None:
    while chunk := pipe.read(8192):
        kept += chunk[: _STDERR_BYTES - len(kept)]


def _search_path(root: Path, environment: Mapping[str, str]) -> str:
    folders = environment.get("PATH", os.defpath).split(os.pathsep)
    absolute = [Path(folder) for folder in folders if Path(folder).is_absolute()]
    return os.pathsep.join(str(folder) for folder in absolute if not folder.is_relative_to(root))
