"""Deliver a command's text elsewhere than to stdout: into a file, or to the clipboard."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from satchel.errors import SatchelError, UsageError
from satchel.private_files import replacing, shared_mode

_CLIPBOARDS = (
    ("pbcopy",),
    ("wl-copy",),
    ("xclip", "-selection", "clipboard"),
    ("xsel", "--clipboard", "--input"),
    ("clip.exe",),
)
"""Programs that put their input on the clipboard; the first that is installed is used."""
_SECONDS = 10


def write_file(name: str, text: str) -> None:
    """Write a text to a file, whole or not at all.

    Raises:
        UsageError: the name is a folder's, or its folder does not exist.
        SatchelError: it can't be written.
    """
    path = Path(name).expanduser()
    if path.is_dir():
        raise UsageError(f"-o {name}: is a folder, name a file in it")
    if not path.parent.is_dir():
        raise UsageError(f"-o {name}: there is no folder {path.parent}")
    if path.exists() and not path.is_file():
        _write_to_device(path, name, text)
        return
    target = path.resolve()
    try:
        with replacing(target, durable=False, mode=shared_mode(target)) as file:
            file.write(text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise SatchelError(f"-o {name}: can't be written: {error.strerror}") from error


def _write_to_device(path: Path, name: str, text: str) -> None:
    """Write to what is neither a file nor a folder: a named pipe, a device."""
    try:
        with path.open("w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write(text)
    except OSError as error:
        raise SatchelError(f"-o {name}: can't be written: {error.strerror}") from error


def copy_to_clipboard(text: str) -> None:
    """Put a text on the clipboard, with a program of the system.

    Raises:
        SatchelError: no such program is installed, or it failed.
    """
    command = next((words for words in _CLIPBOARDS if shutil.which(words[0])), None)
    if command is None:
        names = ", ".join(words[0] for words in _CLIPBOARDS)
        raise SatchelError(f"--copy: no clipboard program is installed; install one of {names}")
    try:
        done = subprocess.run(  # noqa: S603 (one of the programs above)
            command,
            input=text.encode("utf-8", "surrogateescape"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,  # some go on in the background and keep it open
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SatchelError(f"--copy: {command[0]} failed: {error}") from error
    if done.returncode:
        raise SatchelError(f"--copy: {command[0]} failed with exit code {done.returncode}")
