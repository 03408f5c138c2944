"""`satchel trust`: let the instructions of a file count as instructions."""

from __future__ import annotations

import argparse
from pathlib import Path

from satchel.cli.parsing import Outcome, Parser, add_running
from satchel.errors import UsageError
from satchel.paths import safe_text

DESCRIPTION = """\
Let an instruction file like AGENTS.md, with its current content, count as instructions in a pack. Read it
first: whoever wrote it instructs your model. If a single byte of it changes, it is no longer trusted.
Without a file, list those that are trusted."""

EXAMPLES = """\
  satchel trust AGENTS.md
  satchel trust --remove AGENTS.md"""


def fill(parser: Parser) -> None:
    """Add the arguments of `trust`."""
    parser.add_argument("file", nargs="*", help="an instruction file")
    parser.add_argument(
        "--root",
        default=".",
        metavar="DIR",
        help="folder that the files are named from (default: the current one)",
    )
    parser.add_argument("--remove", action="store_true", help="stop trusting these files")
    add_running(parser)


def main(args: argparse.Namespace) -> Outcome:
    """Trust the files, or list the trusted ones."""
    from satchel.workspace.instructions import TrustStore, distrust, trust

    if args.remove and not args.file:
        raise UsageError("--remove: name the files to stop trusting")
    lines = []
    for path in args.file:
        file = Path(args.root) / Path(path).expanduser()
        if args.remove:
            told = "no longer trusted" if distrust(file) else "was not trusted"
        else:
            trust(file)
            told = "trusted with its current content"
        lines.append(f"{safe_text(path)}: {told}\n")
    if lines:
        return Outcome("".join(lines))
    store = TrustStore.read()
    if store.problem:
        raise UsageError(store.problem)
    listed = "".join(f"{safe_text(path)}\n" for path in sorted(store.hashes))
    return Outcome(listed or "no instruction file is trusted\n")
