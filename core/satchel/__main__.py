"""The `satchel` command: the version at once, everything else from the command line module."""

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    # `python -m` looks for modules in the current folder first: a workspace from a stranger may hold some.
    # Nothing but sys is imported before that, `__future__` neither: it is a module like any other.
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

        return _told(f"satchel {__version__}\n")
    from satchel.cli import run

    return run(sys.argv[1:])


def _told(text: str) -> int:
    if sys.stdout is None:
        return 0  # closed by the caller, as for every other command
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
    """Run the command line and end the process at once: taking its objects apart is a tenth of a pack."""
    code = main()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        sys.exit(code)  # the interpreter tells what it can't write, as it always does
    atexit._run_exitfuncs()
    os._exit(code)


if __name__ == "__main__":
    program()
