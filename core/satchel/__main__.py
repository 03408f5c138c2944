"""The `satchel` command: the version at once, everything else from the command line module."""

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    # `python -m` looks for modules in the current folder first: a workspace from a stranger may hold some.
    del sys.path[:1]


def main() -> int:
    """Run the command line; return the exit code."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from satchel import __version__

        sys.stdout.write(f"satchel {__version__}\n")
        return 0
    from satchel.cli import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
