"""`satchel index`: index a workspace ahead of packs."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from satchel.cli.parsing import (
    CommandPlan,
    Outcome,
    Parser,
    add_model,
    add_shown,
    add_workspace,
    whole_number,
)
from satchel.cli.setup import exit_code, flags_of, load_config, plan, report_problems
from satchel.cli.streams import say
from satchel.config import Config
from satchel.spelling import format_count
from satchel.view.progress import Progress
from satchel.view.tables import json_text

if TYPE_CHECKING:
    from satchel.host import Host
    from satchel.packing.indexing.updating import Indexed

DESCRIPTION = """\
Index a folder ahead: read every file, split every text and count it, so that no later pack has to.
A pack indexes what it needs by itself; indexing ahead takes longer once and makes first questions faster.
It may be interrupted or killed at any time: finished work is kept, and the next run continues from there."""

EXAMPLES = """\
  satchel index
  satchel index --root ~/src/shop --jobs 4 --format json
  satchel index --store s3://team-bucket/satchel"""

_JOBS = 2
_COUNTS = ("files", "texts", "split", "left", "taken", "given", "path")


def fill(parser: Parser) -> None:
    """Add the arguments of `index`."""
    how = parser.add_argument_group("how it is done")
    how.add_argument(
        "--jobs",
        type=whole_number(1),
        default=min(_JOBS, os.cpu_count() or 1),
        metavar="N",
        help="number of processes that split files (default: %(default)s)",
    )
    add_model(how, "model that packs will be for: its tokens are counted")
    how.add_argument(
        "--store",
        metavar="WHERE",
        help="address where clones of this repository share what they have read, such as s3://bucket/prefix "
        "(default: [index] store of your configuration, else none)",
    )
    add_shown(parser)
    add_workspace(parser, strict=True)


def main(args: argparse.Namespace) -> CommandPlan:
    """Plan the indexing."""
    config = load_config(args, "model")

    def _work(host: Host) -> Outcome:
        indexed = _index(args, config, host=host)
        report_problems(indexed.problems)
        return Outcome(_render_result(indexed, args.format), exit_code(indexed.problems, config))

    return plan(config, _work)


def _index(args: argparse.Namespace, config: Config, *, host: Host) -> Indexed:
    from satchel.packing.indexing.updating import index_all
    from satchel.shared_archive import borrow_blobs

    address = config.shared_index if args.store is None else args.store
    try:
        with borrow_blobs(address) as shared, Progress("indexing") as told:
            return index_all(
                args.root,
                host=host,
                config=config,
                flags=flags_of(args, "model"),
                jobs=args.jobs,
                progress=told,
                shared=shared,
            )
    except KeyboardInterrupt:
        say("satchel: interrupted; finished work is kept, and the next run continues from there")
        raise


def _render_result(indexed: Indexed, form: str) -> str:
    if form == "json":
        counts = {name: getattr(indexed, name) for name in _COUNTS}
        return json_text({"schema": 1, **counts})
    left = f", {indexed.left:,} failed" if indexed.left else ""
    shared = ""
    if indexed.taken or indexed.given:
        shared = f"; {indexed.taken:,} taken from the shared index, {indexed.given:,} added to it"
    return (
        f"{format_count(indexed.files, 'file')}, {format_count(indexed.texts, 'text')}; "
        f"split {indexed.split:,} now{left}{shared}; the index is {indexed.path}\n"
    )
