"""The `satchel` command: prints the version itself and hands everything else to `satchel.cli`."""

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    # `python -m` looks for modules in the current folder first, which may be an untrusted workspace.
    # Only sys is imported before this; even `__future__` is a module that the folder could replace.
    del sys.path[:1]

import atexit
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> int:
    """Run the command line; return the exit code."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from satchel import __version__

        return _write_text(f"satchel {__version__}\n")
    words = sys.argv[1:]
    if words[:1] == ["show"] and "--line" in words:  # a prompt waits for it
        from satchel.showing.line_memo import read_status, recall_line

        asked = read_status(words[1:])
        words[1:] = asked.words
        if line := asked.line or recall_line(asked.words):
            return _write_text(line)
    from satchel.cli import run

    return run(words)


def _write_text(text: str) -> int:
    if sys.stdout is None:
        return 0  # closed by the caller; other commands handle it the same way
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        from satchel.cli.streams import silence, tell

        silence(1)
        if isinstance(error, BrokenPipeError):
            return 0
        tell(f"satchel: can't write the result: {error.strerror}")
        return 1
    return 0


def program() -> "NoReturn":
    """Run the command line and exit at once: freeing all objects would take a tenth of a pack."""
    code = main()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        sys.exit(code)  # the interpreter reports what it can't write
    atexit._run_exitfuncs()
    os._exit(code)


if __name__ == "__main__":
    program()
