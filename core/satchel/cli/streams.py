"""Standard streams: the result at the end and as UTF-8, all else on stderr, closed pipes without noise."""

from __future__ import annotations

import contextlib
import os
import select
import sys
from collections.abc import Callable, Iterator
from typing import IO

_PIECE_BYTES = 1 << 20


def settle() -> None:
    """Put the null device where a standard stream is closed, so that no file takes its number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def input_pieces(what: str) -> Iterator[bytes]:
    """Yield what stands on stdin, at most 1 MiB at a time; SatchelError says that `what` can't be read."""
    while True:
        try:
            piece = os.read(0, _PIECE_BYTES)
        except OSError as error:
            from satchel.errors import SatchelError

            raise SatchelError(f"can't read {what} from stdin: {error.strerror}") from error
        if not piece:
            return
        yield piece


def input_text(what: str) -> str:
    """Return stdin as text; a byte order mark is left out and bytes that are no UTF-8 are replaced."""
    return b"".join(input_pieces(what)).decode("utf-8-sig", "replace")


def say(text: str) -> None:
    """Write lines for a person to stderr; control and hidden characters are shown, not obeyed."""
    if sys.stderr is None:
        return
    from satchel.escaping import visible

    clean = visible(text)
    try:
        sys.stderr.write(f"{clean}\n")
        sys.stderr.flush()
    except BrokenPipeError:
        silence(2)


def tell(text: str) -> None:
    """Write what repeats a stranger's words (an error, a warning) to stderr, without the secrets in them."""
    from satchel.redaction.scanning import without_secrets

    say(without_secrets(text))


def emit(text: str) -> int:
    """Write a result to stdout; return exit code 0."""
    with diverted() as write:
        write(text)
    return 0


@contextlib.contextmanager
def diverted() -> Iterator[Callable[[str], None]]:
    """Send whatever is printed to stderr; yield the function that writes the result to stdout."""
    stream = sys.stdout
    target = _duplicate(stream)
    first = os.dup(1)
    if stream is not None:
        _flushed(stream)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        yield lambda text: _write(stream if target is None else target, text)
    finally:
        sys.stdout = stream
        os.dup2(first, 1)
        os.close(first)
        if target is not None:
            os.close(target)


def _duplicate(stream: IO[str] | None) -> int | None:
    try:
        return None if stream is None else os.dup(stream.fileno())
    except OSError:
        # A stream of its own making, as in tests: it is written to as a stream.
        return None


def _flushed(stream: IO[str]) -> None:
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
            from satchel.errors import SatchelError

            raise SatchelError(f"can't write the result: {error.strerror}") from error


def silence(number: int) -> None:
    """Let what is still buffered go nowhere, or the interpreter complains when it ends."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, number)
    os.close(null)
