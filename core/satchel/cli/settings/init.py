"""`satchel init`: ask three questions, and write a commented settings file."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable

from satchel.cli.agents.install import PARTS, PROGRAMS, install
from satchel.cli.parsing import Outcome, Parser, add_model, add_running
from satchel.cli.streams import check_folder, say
from satchel.config import SETTINGS
from satchel.config.values import budget
from satchel.errors import SatchelError, UnknownNameError, UsageError, WorkspaceError

DESCRIPTION = """\
Write satchel.toml for a project, with a comment for every setting. On a terminal, init asks three questions:
which model, which budget, and which agent program to install satchel in. An option answers its question; a
question without an answer keeps its default. An existing file is never changed."""

EXAMPLES = """\
  satchel init
  satchel init --model claude-sonnet-4.5 --budget 24k --agent claude-code
  satchel init --print"""

_NEAR, _ALIKE = 5, 0.5
"""Models that are named for an unknown one, and how similar they must be."""


def fill(parser: Parser) -> None:
    """Add the arguments of `init`."""
    add_model(parser, "the model that packs are for")
    parser.add_argument("--budget", metavar="N|auto", help="tokens of a pack; auto is the model's window")
    parser.add_argument(
        "--agent",
        choices=(*PROGRAMS, "none"),
        help="the agent program to install satchel in, for this project",
    )
    parser.add_argument(
        "--root", default=".", metavar="DIR", help="the project (default: the current folder)"
    )
    parser.add_argument("--print", action="store_true", help="print the file, write nothing, ask nothing")
    add_running(parser)


def main(args: argparse.Namespace) -> Outcome:
    """Ask the open questions, write the file, and install."""
    path = check_folder(args.root) / "satchel.toml"
    if os.path.lexists(path) and not args.print:
        raise WorkspaceError(str(path), "already exists; edit it, or remove it first")
    asks = not args.print and sys.stdin is not None and sys.stdin.isatty()
    model = _settle(
        args.model,
        "Which model are packs for, like claude-sonnet-4.5? (Enter: none in particular)",
        _check_model,
        asks=asks,
    )
    question = "How many tokens may a pack cost, like 24k? (Enter: 16k)"
    tokens = _settle(args.budget, question, lambda text: _check_budget(text, model), asks=asks)
    question = f"Which agent program do you use: {', '.join(PROGRAMS)}? (Enter: none)"
    agent = _settle(args.agent, question, _check_agent, asks=asks)
    text = render_settings(model, tokens)
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


def _settle(given: str | None, question: str, check: Callable[[str], str], *, asks: bool) -> str:
    """Return the result of `check` for an option or the person's answer, asked until it is valid."""
    while True:
        answer = given or ""
        if given is None and asks:
            sys.stderr.write(f"{question} ")
            sys.stderr.flush()
            answer = sys.stdin.readline().strip()
        try:
            return check(answer)
        except SatchelError as error:
            if given is not None:
                raise
            say(f"satchel: {error}")


def _check_model(name: str) -> str:
    """Return the name of a model; the window of a local one is read on use."""
    from difflib import get_close_matches

    from satchel.tokens.models import find_model

    if name and not name.endswith(".gguf") and not name.startswith("ollama:"):
        try:
            find_model(name)
        except UnknownNameError as error:
            near = get_close_matches(name, error.known, n=_NEAR, cutoff=_ALIKE)
            told = f"no model is called {name!r}" + (f"; similar: {', '.join(near)}" if near else "")
            raise UsageError(f"{told}; `satchel completion bash` lists all {len(error.known)}") from None
    return name


def _check_budget(text: str, model: str) -> str:
    try:
        number = budget(text or "16k")
    except ValueError:
        told = f"expected a number of tokens, like 24k, or auto, not {text!r}"
        raise UsageError(f"--budget: {told}") from None
    if number == "auto" and not model:
        raise UsageError("--budget: auto is the window of a model, and none is named")
    return text or "16k"


def _check_agent(name: str) -> str:
    if name and name not in (*PROGRAMS, "none"):
        raise UsageError(f"{name!r} is not one of them")
    return name or "none"


def render_settings(model: str, budget: str) -> str:
    """Return a settings file with every setting and its meaning, the defaults as comments."""
    chosen = {"budget": int(budget) if budget.isdecimal() else budget, "model": model}
    rows = ["# Settings of satchel for this project; `satchel config show --origin` shows what applies.\n"]
    for setting in SETTINGS:
        meaning = " ".join(setting.meaning.split())
        rows.append(f"\n# {meaning[:1].upper()}{meaning[1:]}\n")
        value = chosen.get(setting.name) or setting.default
        default = json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
        rows.append(f"{'' if chosen.get(setting.name) else '# '}{setting.name} = {default}\n")
    rows.append(_PLUGINS)
    return "".join(rows)


_PLUGINS = """
# A plugin's settings are in a table of its kind and name; `satchel plugins` lists them.
# [scorer.churn]
# weight = 0.5
"""
