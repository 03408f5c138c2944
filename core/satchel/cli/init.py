"""`satchel init`: ask three questions, and write a commented settings file."""

from __future__ import annotations

import argparse
import os
import sys

from satchel.cli.install import PARTS, PROGRAMS, install
from satchel.cli.parsing import Outcome, Parser, add_model, add_running
from satchel.cli.streams import check_folder, say
from satchel.errors import UnknownNameError, UsageError, WorkspaceError

DESCRIPTION = """\
Write satchel.toml for a project, with a comment for every setting. Three questions are asked on a terminal:
which model, which budget, and which agent program to install satchel in. An option answers its question; a
question without an answer keeps its default. An existing file is not touched."""

EXAMPLES = """\
  satchel init
  satchel init --model claude-sonnet-4.5 --budget 24k --agent claude-code
  satchel init --print"""


def fill(parser: Parser) -> None:
    """Add the arguments of `init`."""
    add_model(parser, "the model that packs are for")
    parser.add_argument("--budget", metavar="N|auto", help="tokens of a pack; auto is the model's window")
    parser.add_argument(
        "--agent",
        choices=(*PROGRAMS, "none"),
        help="the agent program to install satchel in, for this project",
    )
    parser.add_argument("--root", default=".", metavar="DIR", help="the project (default: this folder)")
    parser.add_argument("--print", action="store_true", help="print the file, write nothing, ask nothing")
    add_running(parser)


def main(args: argparse.Namespace) -> Outcome:
    """Ask what is not answered, write the file, and install."""
    path = check_folder(args.root) / "satchel.toml"
    if os.path.lexists(path) and not args.print:
        raise WorkspaceError(str(path), "is there already; edit it, or remove it first")
    asks = not args.print and sys.stdin is not None and sys.stdin.isatty()
    model = _read_model(args.model, asks=asks)
    budget = _read_budget(args.budget, model, asks=asks)
    agent = _read_agent(args.agent, asks=asks)
    text = render_settings(model, budget)
    if args.print:
        return Outcome(text)
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise WorkspaceError(str(path), f"can't be written: {error.strerror}") from error
    rows = f"wrote {path}\n"
    if agent != "none":
        rows += install(agent, args.root, "project", PARTS)
    return Outcome(rows)


def _ask(question: str) -> str:
    """Ask on the terminal; no answer is ""."""
    sys.stderr.write(f"{question} ")
    sys.stderr.flush()
    return sys.stdin.readline().strip()


def _read_model(given: str | None, *, asks: bool) -> str:
    from satchel.tokens.models import find_model

    while True:
        name = given
        if name is None:
            name = (
                _ask("Which model are packs for, like claude-sonnet-4.5? (Enter: none in particular)")
                if asks
                else ""
            )
        if not name:
            return ""
        if name.endswith(".gguf") or name.startswith("ollama:"):
            return name  # a local one, whose window is read when it is needed
        try:
            find_model(name)
        except UnknownNameError as error:
            if given is not None:
                raise
            say(f"satchel: {error}")
            continue
        return name


def _read_budget(given: str | None, model: str, *, asks: bool) -> str:
    from satchel.config.values import budget

    while True:
        text = given
        if text is None:
            text = _ask("How many tokens may a pack cost, like 24k? (Enter: 16k)") if asks else ""
        try:
            number = budget(text or "16k")
        except ValueError:
            number = -1
        if number == "auto" and not model:
            problem = "auto is the window of a model, and none is named"
        elif number == -1:
            problem = f"expected a number of tokens, like 24k, or auto, not {text!r}"
        else:
            return text or "16k"
        if given is not None:
            raise UsageError(f"--budget: {problem}")
        say(f"satchel: {problem}")


def _read_agent(given: str | None, *, asks: bool) -> str:
    if given is not None or not asks:
        return given or "none"
    while True:
        listed = ", ".join(PROGRAMS)
        name = _ask(f"Which agent program works on it: {listed}? (Enter: none)") or "none"
        if name in (*PROGRAMS, "none"):
            return name
        say(f"satchel: {name!r} is not one of them")


def render_settings(model: str, budget: str) -> str:
    """Return a settings file in which every setting stands with its meaning, the defaults as comments."""
    import json

    from satchel.config import SETTINGS

    chosen = {"budget": int(budget) if budget.isdecimal() else budget, "model": model}
    rows = ["# Settings of satchel for this project; `satchel config show --origin` tells what applies.\n"]
    for setting in SETTINGS:
        meaning = " ".join(setting.meaning.split())
        rows.append(f"\n# {meaning[:1].upper()}{meaning[1:]}\n")
        value = chosen.get(setting.name) or setting.default
        default = json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
        rows.append(f"{'' if chosen.get(setting.name) else '# '}{setting.name} = {default}\n")
    rows.append(_PLUGINS)
    return "".join(rows)


_PLUGINS = """
# A plugin's settings stand in a table of its kind and name; `satchel plugins` lists them.
# [scorer.churn]
# weight = 0.5
"""
