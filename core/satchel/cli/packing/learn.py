"""`satchel learn`: fit the weights of scorers to the commits of your own repositories."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from satchel.cli.parsing import CommandPlan, Outcome, Parser, add_shown, add_workspace, whole_number
from satchel.cli.setup import load_config, plan
from satchel.cli.streams import tell
from satchel.config import LEARNED, user_path
from satchel.errors import UsageError
from satchel.private_files import make_private_folder, replacing
from satchel.view.progress import Progress, format_span, is_terminal
from satchel.view.tables import json_text

if TYPE_CHECKING:
    from satchel.host import Host
    from satchel.packing.learning import Learned
    from satchel.workspace.index.documents import ReportProgress

DESCRIPTION = """\
Fit the weights of scorers to the commits of your own repositories. A commit's message is a task, and the
lines that it changed are the answer. Weights are learned from two of every three commits and judged by packs
for the third; they are kept, in a file beside your settings, only if these packs get better.
Nothing is written into a repository."""

EXAMPLES = """\
  satchel learn
  satchel learn ~/src/shop ~/src/bank --commits 90
  satchel learn --dry-run --format json
  satchel learn --reset"""

_COMMITS, _BUDGET = 60, 8_000


def fill(parser: Parser) -> None:
    """Add the arguments of `learn`."""
    parser.add_argument("repositories", nargs="*", metavar="REPOSITORY", help="folders (default: --root)")
    how = parser.add_argument_group("how it is done")
    how.add_argument(
        "--commits",
        type=whole_number(1),
        default=_COMMITS,
        metavar="N",
        help="maximum number of commits to use (default: %(default)s)",
    )
    how.add_argument(
        "--budget",
        type=whole_number(1),
        default=_BUDGET,
        metavar="N",
        help="budget in tokens of the packs that judge the weights (default: %(default)s)",
    )
    how.add_argument("--dry-run", action="store_true", help="print what was learned, and write nothing")
    how.add_argument("--reset", action="store_true", help="forget what was learned: remove the file")
    add_shown(parser)
    add_workspace(parser)


def main(args: argparse.Namespace) -> Outcome | CommandPlan:
    """Plan the learning, or forget the learned weights."""
    file = user_path().with_name(LEARNED)
    if args.reset:
        return _forget(args, file)
    roots = [Path(one) for one in args.repositories or [args.root]]
    config = load_config(args, root=str(roots[0]))

    def _work(host: Host) -> Outcome:
        from satchel.packing.learning import learn

        with Progress("learning") as drawn:
            told = drawn if is_terminal(sys.stderr) else tell_time_left(time.monotonic)
            learned = learn(
                roots, host=host, config=config, commits=args.commits, budget=args.budget, progress=told
            )
        is_kept = learned.is_better and not args.dry_run
        if is_kept:
            _keep(learned, file)
        return Outcome(_render(learned, file, form=args.format, is_kept=is_kept))

    return plan(config, _work)


_SLOW_FIRST, _MEASURED = 2, 8
"""Commits that read the whole repository, and those after which the remaining time is shown."""
_LONG_SECONDS = 20.0
"""Shorter times are not shown."""


def tell_time_left(clock: Callable[[], float]) -> ReportProgress:
    """Return a reporter that once, after some commits, shows the total time: for use without a drawing."""
    begun: list[float] = []

    def report(stage: str, done: int, total: int) -> None:
        if done == _SLOW_FIRST:
            begun.append(clock())
        elif done == _MEASURED and begun:
            left = (clock() - begun.pop()) / (_MEASURED - _SLOW_FIRST) * (total - done)
            if left >= _LONG_SECONDS:
                tell(f"satchel: learning takes another {format_span(left)}; --commits N takes fewer commits")

    return report


def _forget(args: argparse.Namespace, file: Path) -> Outcome:
    if args.repositories or args.dry_run:
        raise UsageError("--reset removes what was learned from all repositories; it takes nothing else")
    try:
        file.unlink()
    except FileNotFoundError:
        return Outcome(f"nothing was learned: there is no {file}\n")
    except OSError as error:
        raise UsageError(f"{file} can't be removed: {error.strerror}") from error
    return Outcome(f"removed {file}\n")


def _keep(learned: Learned, file: Path) -> None:
    """Write the weights, with unchanged earlier ones."""
    from satchel.cli.settings.config import to_toml

    weights = {**_read_weights(file), **{name: new for name, (_, new) in learned.weights.items()}}
    lines = [
        "# Weights that `satchel learn` fitted to the commits of your repositories.",
        "# Your own satchel.toml beside this file overrides it; `satchel learn --reset` removes it.",
    ]
    for name, weight in sorted(weights.items()):
        lines += ["", f"[scorer.{to_toml(name)}]", f"weight = {to_toml(weight)}"]
    try:
        make_private_folder(file.parent)
        with replacing(file) as stream:
            stream.write(("\n".join(lines) + "\n").encode())
    except OSError as error:
        raise UsageError(f"{file} can't be written: {error.strerror}") from error


def _read_weights(file: Path) -> dict[str, float]:
    """Return the earlier weights, {} if there is no such file."""
    import tomllib

    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return {name: float(of_scorer["weight"]) for name, of_scorer in table.get("scorer", {}).items()}


def _render(learned: Learned, file: Path, *, form: str, is_kept: bool) -> str:
    if form == "json":
        held = learned.held_out
        return json_text(
            {
                "schema": 1,
                "learned_from": learned.learned_from,
                "judged_by": learned.judged_by,
                "budget": learned.budget,
                "held_out": {
                    "before": round(held.before, 4),
                    "after": round(held.after, 4),
                    "better": held.better,
                    "worse": held.worse,
                },
                "weights": {
                    name: {"before": old, "after": new} for name, (old, new) in learned.weights.items()
                },
                "written": str(file) if is_kept else "",
            }
        )
    held = learned.held_out
    lines = [
        f"learned from {learned.learned_from} commits, judged by packs of {learned.judged_by} others",
        f"changed lines that a pack of {learned.budget:,} tokens shows: {held.before:.1%} before, "
        f"{held.after:.1%} after; {held.better} commits better, {held.worse} worse",
        *(
            f"  scorer.{name}.weight  {old:g} -> {new:g}"
            for name, (old, new) in sorted(learned.weights.items())
        ),
    ]
    if not learned.weights:
        lines.append("no other weights do better: nothing is written")
    elif not learned.is_better:
        lines.append("they do no better on commits that they were not learned from: nothing is written")
    elif is_kept:
        lines.append(f"written to {file}; satchel learn --reset takes it back")
    else:
        lines.append("nothing is written, as --dry-run asks")
    return "".join(f"{line}\n" for line in lines)
