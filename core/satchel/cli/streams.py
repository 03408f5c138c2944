"""Write results to stdout as UTF-8, a file or the clipboard, and everything else to stderr."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import select
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from satchel.errors import ConversationError, SatchelError, UsageError, WorkspaceError
from satchel.open_flags import BINARY
from satchel.private_files import choose_mode, replacing
from satchel.spelling import join_reason

_PIECE_BYTES = 1 << 20


def open_standard_streams() -> None:
    """Open the null device for each closed standard stream, so that no file gets its number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def input_pieces(what: str, file: str = "-") -> Iterator[bytes]:
    """Yield the content of a file, `-` for stdin, at most 1 MiB at a time.

    Raises:
        SatchelError: `what` can't be read.
    """
    number = 0
    if file == "-" and is_stdin_typed():
        say(f"satchel: reading {what} from the terminal; Ctrl-D ends it")
    try:
        if file != "-":
            number = os.open(os.path.expanduser(file), os.O_RDONLY | BINARY)
        while piece := os.read(number, _PIECE_BYTES):
            yield piece
    except OSError as error:
        where = "stdin" if file == "-" else file
        raise SatchelError(f"{where}: {what} can't be read: {error.strerror}") from error
    finally:
        if number:
            os.close(number)


def describe_os_error(error: OSError) -> str:
    """Return the operating system's message, with the file's name if there is one."""
    place = f"{error.filename}: " if error.filename else ""
    return f"{place}{error.strerror or error}"


def read_file(name: str, what: str, *, hint: str = "") -> bytes:
    """Return the content of a file; SatchelError says why `what` can't be read, with a hint if missing."""
    try:
        return Path(name).expanduser().read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        told = hint if isinstance(error, FileNotFoundError) else ""
        raise SatchelError(f"{name}: {what} can't be read: {reason}{told}") from error


@contextlib.contextmanager
def name_messages(file: str) -> Iterator[None]:
    """Name the file, `-` for stdin, in the ConversationError of messages that were read from it."""
    try:
        yield
    except ConversationError as error:
        where = "stdin" if file == "-" else file
        if error.place.startswith(where):
            raise
        place = f"{where}: {error.place}" if error.place else where
        raise ConversationError(place, error.reason) from error


def input_size(file: str = "-") -> int:
    """Return how many bytes `input_pieces` will yield, 0 if unknown."""
    import stat

    try:
        facts = os.fstat(0) if file == "-" else os.stat(os.path.expanduser(file))
        begun = os.lseek(0, 0, os.SEEK_CUR) if file == "-" and stat.S_ISREG(facts.st_mode) else 0
    except OSError:
        return 0
    return max(0, facts.st_size - begun) if stat.S_ISREG(facts.st_mode) else 0


def is_stdin_typed() -> bool:
    """Return whether stdin is a terminal, where somebody would have to type."""
    return os.isatty(0)


def add_input(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the argument for the file that a command reads."""
    parser.add_argument("file", metavar="FILE", nargs="?", default="-", help=f"{what}; - is stdin (default)")


def input_text(what: str) -> str:
    """Return stdin as text, without a byte order mark and with invalid UTF-8 replaced."""
    return b"".join(input_pieces(what)).decode("utf-8-sig", "replace")


def say(text: str, *, is_colored: bool = False) -> None:
    """Write lines for the user to stderr, perhaps coloured; hidden characters are made visible."""
    if sys.stderr is None:
        return
    from satchel.escaping import visible

    clean = visible(text)
    if is_colored:
        from satchel.view.tables import color

        clean = color(clean, is_seen=sys.stderr.isatty())
    try:
        sys.stderr.write(f"{clean}\n")
        sys.stderr.flush()
    except BrokenPipeError:
        silence(2)


def tell(text: str) -> None:
    """Write a message that may quote foreign text (an error, a warning) to stderr, with secrets redacted."""
    from satchel.redaction.scanning import redact_secrets

    say(redact_secrets(text))


def emit(text: str) -> int:
    """Write a result to stdout; return exit code 0."""
    with divert_prints() as write:
        write(text)
    return 0


_results: list[int | IO[str] | None] = []
"""The destinations of results while prints are diverted, the innermost last."""


def is_result_seen() -> bool:
    """Return whether results go to a terminal; `sys.stdout` does not show it while prints are diverted."""
    target = _results[-1] if _results else None
    return isinstance(target, int) and os.isatty(target)


def terminal_writer() -> Callable[[str], None] | None:
    """Return the writer to the terminal of results, None if they go elsewhere."""
    target = _results[-1] if _results else None
    return (lambda text: _write(target, text)) if is_result_seen() else None


@contextlib.contextmanager
def divert_prints() -> Iterator[Callable[[str], None]]:
    """Redirect prints to stderr; yield a function that writes the result to stdout."""
    stream = sys.stdout
    target = _duplicate(stream)
    first = os.dup(1)
    if stream is not None:
        _flush(stream)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    _results.append(target)
    try:
        yield lambda text: _write(stream if target is None else target, text)
    finally:
        _results.pop()
        sys.stdout = stream
        os.dup2(first, 1)
        os.close(first)
        if target is not None:
            os.close(target)


def _duplicate(stream: IO[str] | None) -> int | None:
    try:
        return None if stream is None else os.dup(stream.fileno())
    except OSError:
        # A stream without a file, as in tests: write to the stream itself.
        return None


def _flush(stream: IO[str]) -> None:
    try:
        stream.flush()
    except BrokenPipeError:
        silence(1)


def _write(target: int | IO[str] | None, text: str) -> None:
    if isinstance(target, int):
        _write_bytes(target, text.encode("utf-8", "replace"))
    elif target is not None:
        target.write(text)
        target.flush()


def _write_bytes(number: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        try:
            rest = rest[os.write(number, rest[: 1 << 20]) :]
        except BlockingIOError:
            select.select([], [number], [])
        except BrokenPipeError:
            return
        except OSError as error:
            raise SatchelError(f"can't write the result: {error.strerror}") from error


def silence(number: int) -> None:
    """Discard buffered output, or the interpreter complains on exit."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, number)
    os.close(null)


_CLIPBOARDS = (
    ("pbcopy",),
    ("wl-copy",),
    ("xclip", "-selection", "clipboard"),
    ("xsel", "--clipboard", "--input"),
    ("clip.exe",),
)
"""Programs that put their input on the clipboard; the first that is installed is used."""
_SECONDS = 10


def why_unwritable(name: str) -> str:
    """Return why a file can't be written, "" if no reason is known: for a check before long work."""
    path = Path(name).expanduser()
    if path.is_dir():
        return "is a folder; name a file in it"
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    if path.exists() or os.access(path.parent, os.W_OK):
        return ""
    return f"can't be written: {os.strerror(errno.EACCES)}"


def check_folder(root: str | Path) -> Path:
    """Return the folder of `--root`; raise WorkspaceError if it is not one."""
    folder = Path(root)
    if not folder.is_dir():
        raise WorkspaceError(str(root), "is not a folder; name one with --root")
    return folder


def check_output(name: str | None, option: str = "-o") -> None:
    """Raise UsageError if the file of an option can't be written."""
    reason = why_unwritable(name) if name else ""
    if reason:
        raise UsageError(join_reason(f"{option} {name}", reason))


def write_file(name: str, text: str) -> None:
    """Write a text to a file, whole or not at all.

    Raises:
        UsageError: the name is a folder's, or its folder does not exist.
        SatchelError: it can't be written.
    """
    check_output(name)
    path, content = Path(name).expanduser(), text.encode("utf-8", "surrogateescape")
    target = path.resolve()
    try:
        if path.exists() and not path.is_file():  # a named pipe, a device
            path.write_bytes(content)
            return
        with replacing(target, durable=False, mode=choose_mode(target)) as file:
            file.write(content)
    except OSError as error:
        raise SatchelError(f"-o {name} can't be written: {error.strerror}") from error


def copy_to_clipboard(text: str) -> None:
    """Put a text on the clipboard, with a program of the system.

    Raises:
        SatchelError: no such program is installed, or it failed.
    """
    command = next((words for words in _CLIPBOARDS if shutil.which(words[0])), None)
    if command is None:
        names = ", ".join(words[0] for words in _CLIPBOARDS)
        raise SatchelError(f"--copy: no clipboard program is installed; install one of {names}")
    import subprocess  # most commands start nothing

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
