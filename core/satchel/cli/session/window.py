"""`satchel session window`: print what to send to a model next."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from satchel.cli.parsing import CommandPlan, Outcome, add_events, add_model
from satchel.cli.session import name_of
from satchel.cli.setup import load_config, open_events, plan, report_problems
from satchel.cli.streams import say
from satchel.config import Config
from satchel.spelling import format_count
from satchel.view.tables import json_text

if TYPE_CHECKING:
    from satchel.host import Host
    from satchel.session.window import SessionWindow


def fill_window(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `session window`."""
    what = parser.add_argument_group("what goes in")
    what.add_argument(
        "--task", default="", metavar="T", help="the task at hand (default: the newest user message)"
    )
    what.add_argument("--budget", metavar="N|auto", help="tokens, like 16000 or 16k; auto asks the model")
    add_model(what, "model that the window is for, or FILE.gguf, ollama:NAME")
    what.add_argument("--strategy", metavar="S", help="packer to choose with (default: hybrid)")
    what.add_argument("--compressor", metavar="C", help="compressor of the dialogue (default: hybrid)")
    what.add_argument("--pool", default="", metavar="NAME", help="show the notes of this pool")
    what.add_argument(
        "--for",
        choices=("agent", "subagent"),
        default="agent",
        dest="made_for",
        help="agent (default), or subagent: a brief for a helper, without the dialogue",
    )
    what.add_argument(
        "--reader",
        default="",
        metavar="NAME",
        help="only what NAME, an agent or a person, has not seen yet; the session records what it was shown",
    )
    how = parser.add_argument_group("how it comes out")
    how.add_argument(
        "--format",
        default="auto",
        metavar="F",
        help="format of messages, such as openai, anthropic, responses or ollama (default: as they came in); "
        "markdown to read, json for all there is",
    )
    how.add_argument("--high", metavar="N", help="tokens or share (0.9) at which cutting the dialogue starts")
    how.add_argument(
        "--low",
        metavar="N",
        help="tokens or share (0.7) of its room to cut the dialogue to; the rest is for messages to come",
    )
    add_events(how)
    parser.add_argument(
        "--no-plugin", action="append", metavar="NAME", dest="disable", help="leave out a plugin"
    )


def main_window(args: argparse.Namespace) -> CommandPlan:
    """Plan the window."""
    config = load_config(args, "budget", "model", "strategy", "compressor")
    name = name_of(args)

    def _work(host: Host) -> Outcome:
        return _render_window(_make_window(args, name, config, host), args)

    return plan(config, _work)


def _make_window(args: argparse.Namespace, name: str, config: Config, host: Host) -> SessionWindow:
    from satchel.cli.conversation.compact import refuse_crossed_marks, water_of
    from satchel.session.session import Session
    from satchel.session.window import WindowOptions, window
    from satchel.session.window.context import LOW

    refuse_crossed_marks(args, config.budget)
    options = WindowOptions(
        root=args.root,
        form=args.format,
        water=water_of(args.high or f"{config.compact_at}", args.low or f"{LOW}"),
        pool=args.pool,
        store=args.store,
        reader=args.reader,
        subagent=args.made_for == "subagent",
        config=config,
    )
    with Session.open(name, store=args.store, root=args.root, observe=open_events(args)) as session:
        return window(session, args.task, options=options, host=host)


def _render_window(made: SessionWindow, args: argparse.Namespace) -> Outcome:
    from satchel.conversation import dump

    report_problems(made.problems)
    if args.format == "json":
        return Outcome(json_text(as_json(made)), is_shown=True)
    say(f"satchel: {summary(made)}")
    text = made.text if args.format == "markdown" else f"{dump(made.document)}\n"
    return Outcome(text, is_shown=True)


def summary(made: SessionWindow) -> str:
    """Return a one-line summary of a window, with the reason for its free budget if it was cut."""
    from satchel.cli.conversation.compact import FREE, GROWS
    from satchel.compaction.windows import count_cut

    spent = ", ".join(f"{name} {tokens:,}" for name, tokens in made.parts.items() if tokens)
    cut = f"; compacted, {format_count(count_cut(made.cut), 'message')} cut" if made.compacted else ""
    is_cut = made.compacted or " messages cut; " in made.text
    grows = f"; {GROWS}" if is_cut and made.tokens < made.budget * (1 - FREE) else ""
    said = f"{made.tokens:,} of {made.budget:,} tokens: {spent}{cut}{grows}"
    return f"{said}; {made.cached_share:.0%} of it as it was sent before"


def as_json(made: SessionWindow) -> dict[str, Any]:
    """Return all facts about a window as values for JSON."""
    from satchel.compaction.windows import describe_cut

    return {
        "schema": 1,
        "task": made.task,
        "window": made.window,
        "budget": made.budget,
        "tokens": made.tokens,
        "parts": dict(made.parts),
        "format": made.form,
        "messages": made.document,
        "context": dict(made.context),
        "shown": dict(made.shown),
        "of_messages": made.of_messages,
        "compacted": made.compacted,
        "cut": [describe_cut(cut) for cut in made.cut],
        "first_divergence": made.first_divergence,
        "cached_share": made.cached_share,
        "pressure": made.pressure,
        "problems": [str(problem) for problem in made.problems],
    }
