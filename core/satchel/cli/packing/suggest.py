"""`satchel suggest`: list files worth adding to a project's context, and why."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from satchel.cli.parsing import CommandPlan, Outcome, Parser, add_shown, add_workspace
from satchel.cli.setup import load_config, plan
from satchel.paths import safe_text
from satchel.view.tables import json_text

if TYPE_CHECKING:
    from satchel.host import Host
    from satchel.packing.suggesting import Suggestion

DESCRIPTION = """\
List files worth adding to a project's context, and why: instructions, explanations, entry points,
files that change often, files that many others name. Add them under [provider.read_only]."""

EXAMPLES = """\
  satchel suggest
  satchel suggest --root ~/src/shop --format json"""

_NOTHING = "nothing stands out here; [provider.read_only] takes any file\n"


def fill(parser: Parser) -> None:
    """Add the arguments of `suggest`."""
    add_shown(parser)
    add_workspace(parser)


def main(args: argparse.Namespace) -> CommandPlan:
    """Plan the suggestions."""
    config = load_config(args)

    def _work(host: Host) -> Outcome:
        from satchel.packing.suggesting import suggest

        return Outcome(_render_suggestions(suggest(args.root, host=host, config=config), args.format))

    return plan(config, _work)


def _render_suggestions(suggestions: Sequence[Suggestion], form: str) -> str:
    if form == "json":
        listed = [{"path": s.path, "tokens": s.tokens, "reasons": list(s.reasons)} for s in suggestions]
        return json_text({"schema": 1, "suggestions": listed})
    paths = [safe_text(one.path) for one in suggestions]
    width = max(map(len, paths), default=0)
    return (
        "".join(
            f"{path:<{width}}  {f'~{one.tokens:,}':>7} tokens  {'; '.join(one.reasons)}\n"
            for path, one in zip(paths, suggestions, strict=True)
        )
        or _NOTHING
    )
