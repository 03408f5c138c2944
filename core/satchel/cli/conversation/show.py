"""`satchel show`: the content of a window, and advice."""

from __future__ import annotations

import argparse
import io
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from satchel.cli.parsing import (
    CommandPlan,
    Outcome,
    Parser,
    add_model,
    add_store,
    add_workspace,
    parse_tokens,
    whole_number,
)
from satchel.cli.setup import find_transcript, load_config, plan
from satchel.cli.streams import (
    add_input,
    input_pieces,
    is_result_seen,
    is_stdin_typed,
    name_messages,
    read_file,
)
from satchel.config import Config
from satchel.errors import ConversationError, SatchelError, UsageError
from satchel.redaction.scanning import redact_secrets
from satchel.view.tables import json_text

if TYPE_CHECKING:
    from satchel.conversation.counting import Counts
    from satchel.conversation.transcripts import Transcript
    from satchel.host import Host
    from satchel.messages import Conversation
    from satchel.showing.anatomy import Anatomy
    from satchel.showing.costs import ModelMemory
    from satchel.showing.line_memo import LineAsked, LineCount
    from satchel.tokens.models import Model

DESCRIPTION = """\
Show what is in a window: its sections, its largest parts, its history, and what to do about it. Reads
a pack's JSON, messages of any format, and the session files of Claude Code, Codex, pi, OpenHands, opencode,
Gemini CLI, Qwen Code, Kimi Code, Copilot CLI and Cursor."""

EXAMPLES = """\
  satchel show --latest
  satchel show ~/.claude/projects/-home-me-shop/3f9c2a1b.jsonl --line
  satchel pack "fix the login" --format json | satchel show"""
_ASSUMED = 200_000
"""Tokens of the window of an unknown model."""
_PAUSE_SECONDS = 1.0


def fill(parser: Parser) -> None:
    """Add the arguments of `show`."""
    add_input(parser, "what to read")
    parser.add_argument(
        "--latest",
        action="store_true",
        help="the newest session file of this folder (default on a terminal)",
    )
    parser.add_argument("--session", default="", metavar="ID", help="a session of satchel, instead of FILE")
    add_store(parser)
    add_model(parser, "the model whose window it is")
    parser.add_argument("--window", default="", metavar="N", help="tokens of the window, like 200k")
    shown = parser.add_argument_group("what you see")
    shown.add_argument(
        "--line", action="store_true", help="one line, for a prompt or a status line; ~ marks an estimate"
    )
    shown.add_argument(
        "--exact",
        action="store_true",
        help="with --line: count new messages exactly instead of estimating them",
    )
    shown.add_argument("--format", choices=("text", "json"), default="text", help="text (default) or json")
    shown.add_argument("--width", type=whole_number(1), metavar="N", help="columns (default: the terminal)")
    shown.add_argument(
        "--gpu", action="store_true", help="add the memory of a local model: --model FILE.gguf or ollama:NAME"
    )
    shown.add_argument(
        "--vram",
        action="append",
        metavar="24GiB",
        help="assume this much free memory on a card instead of asking it",
    )
    shown.add_argument("--watch", action="store_true", help="redraw it whenever the file changes")
    add_workspace(parser)


def main(args: argparse.Namespace) -> CommandPlan:
    """Plan the display."""
    _refuse_contradictions(args)
    config = load_config(args, "model")
    if args.latest or (args.file == "-" and not args.session and is_stdin_typed()):
        args.file = _find_latest(args.root)
    line = _ask_line(args)
    # Read here: where plugins of others take part, the work is done in a child without this stdin.
    is_given = args.file == "-" and not args.session and not args.watch
    args.given = b"".join(input_pieces("the window")) if is_given else b""

    def _work(host: Host) -> Outcome:
        if args.watch:
            return Outcome("", following=_follow(args, config, host))
        found = _read(args, config, host)
        text = _render(found, args, host, config)
        if line is not None:
            from satchel.showing.line_memo import keep_line

            keep_line(line, _line_count(found), text)
        return Outcome(text)

    return plan(config, _work)


def _refuse_contradictions(args: argparse.Namespace) -> None:
    """Raise UsageError for two windows to show, or two ways to show one."""
    windows = {"FILE": args.file != "-", "--latest": args.latest, "--session": bool(args.session)}
    named = [name for name, is_given in windows.items() if is_given]
    if len(named) > 1:
        raise UsageError(f"{' and '.join(named)} each name a window; give one of them")
    if args.line and args.format == "json":
        raise UsageError("--line prints text; leave out --line or --format json")
    if args.exact and not args.line:
        raise UsageError("--exact needs --line; without it, messages are always counted exactly")


def _ask_line(args: argparse.Namespace) -> LineAsked | None:
    """Return the inputs of the line to store, None if the output is not a storable line."""
    given = (args.session, args.store, args.gpu, args.vram, args.watch, args.disable, args.plugin_files)
    if not args.line or args.file == "-" or args.root != "." or args.format != "text":
        return None
    if any(given) or args.assignments:
        return None
    from satchel.showing.line_memo import ask

    return ask(args.file, args.model or "", args.window)


def _find_latest(root: str) -> str:
    from satchel.showing.finding import find_latest

    found = find_latest(Path(root))
    if found is None:
        raise SatchelError(f"no agent has a session for {Path(root).resolve()}; give its FILE")
    return str(found)


def _follow(args: argparse.Namespace, config: Config, host: Host) -> Any:
    """Yield the display after each change of the file, until interrupted."""
    if args.file == "-":
        raise UsageError("--watch needs a file, or --latest")
    known: tuple[int, int] | None = None
    while True:
        state = Path(args.file).stat()
        if (state.st_mtime_ns, state.st_size) != known:
            known = state.st_mtime_ns, state.st_size
            clear = "\x1b[H\x1b[2J" if is_result_seen() and not args.line else ""
            yield clear + redact_secrets(_render(_read(args, config, host), args, host, config))
        time.sleep(_PAUSE_SECONDS)


class _WindowRead(NamedTuple):
    """A window as it was read."""

    anatomy: Anatomy
    counts: Counts | None = None
    """The counter of its messages; None for a pack."""
    conversation: Conversation | None = None
    model: Model | None = None
    """The model in whose tokens it is."""
    memory: ModelMemory | None = None
    share_of_file: float = 1.0
    """Share of a session file in the window."""


def _read(args: argparse.Namespace, config: Config, host: Host) -> _WindowRead:
    import attrs

    from satchel.showing.anatomy import to_model

    found = (_read_session if args.session else _take_apart)(args, config, host)
    anatomy, known = found.anatomy, found.model
    if known is not None:
        anatomy = to_model(anatomy, known)
    memory = _measure_memory(args, config, host, anatomy.total) if args.gpu or args.vram else None
    ends = memory.context if memory is not None else 0
    asked = parse_tokens(args.window, "--window") if args.window else 0
    window = asked or anatomy.window or ends or (known.context_tokens if known else 0)
    model = known.name if known is not None else anatomy.model
    told = attrs.evolve(anatomy, window=window or _ASSUMED, is_window_guessed=not window, model=model)
    return found._replace(anatomy=told, memory=memory)


def _read_session(args: argparse.Namespace, config: Config, host: Host) -> _WindowRead:
    from satchel.compaction.measuring import make_counts
    from satchel.installed import find_formats
    from satchel.runs import model_of
    from satchel.showing.finding import dissect_session

    model = model_of(config)

    def count(conversation: Conversation) -> Counts:
        return make_counts(conversation.format, model, host, config)

    anatomy, conversation = dissect_session(
        args.session, store=args.store, root=args.root, formats=find_formats(host, config), counts_of=count
    )
    return _WindowRead(anatomy, count(conversation), conversation, model)


def _measure_memory(args: argparse.Namespace, config: Config, host: Host, tokens: int) -> ModelMemory:
    from satchel.showing.costs import measure_memory
    from satchel.sizing.sizing import cards_of, name_cards, size
    from satchel.tokens.models import is_local

    model = args.model or config.model
    if not is_local(model):
        option = "--vram" if args.vram else "--gpu"
        raise UsageError(f"{option} needs a local model: --model FILE.gguf or --model ollama:NAME")
    cards = name_cards(args.vram or ())
    return measure_memory(size(model, cards=cards or cards_of(host, config)), tokens)


def _take_apart(args: argparse.Namespace, config: Config, host: Host) -> _WindowRead:
    from satchel.compaction.measuring import make_counts
    from satchel.conversation import parse
    from satchel.installed import find_formats
    from satchel.runs import model_of
    from satchel.showing.anatomy import dissect, dissect_pack

    name, data = (
        ("stdin", args.given) if args.file == "-" else (args.file, read_file(args.file, "the window"))
    )
    formats = find_formats(host, config)
    transcript = find_transcript(data, name, formats)
    if transcript is None:
        document = parse(data, source=name)
        if isinstance(document, dict) and "items" in document and "left_out" in document:
            return _WindowRead(dissect_pack(document))
        _refuse_other_answers(document, name)
        formats.refuse_empty(document, name)
        with name_messages(args.file):
            conversation = formats.read(document)
    else:
        transcript = transcript.begin_with_instructions()
        conversation = transcript.window_conversation
    named = conversation.named_model if transcript is None else transcript.model
    model = model_of(config, named=named)
    counts = make_counts(conversation.format, model, host, config)
    anatomy = dissect(conversation, counts, transcript)
    share = _measure_share(conversation, transcript) if transcript is not None and args.line else 1.0
    return _WindowRead(anatomy, counts, conversation, model, share_of_file=share)


def _refuse_other_answers(document: object, name: str) -> None:
    """Raise ConversationError for JSON of another command, and name the command that shows it."""
    from satchel.report.printed import is_output, is_window

    if is_output(document):
        raise ConversationError(name, "an output that satchel squeeze shortened; satchel report shows it")
    if is_window(document):
        told = "a session's window; satchel report shows it, and satchel show --session ID the session"
        raise ConversationError(name, told)


def _measure_share(window: Conversation, transcript: Transcript) -> float:
    """Return the share of a session's text in its window."""
    if not transcript.compactions:
        return 1.0
    sizes = (sum(len(one.text) for one in each.messages) for each in (window, transcript.conversation))
    shown, whole = sizes
    return min(1.0, shown / whole) if shown and whole else 1.0


def _render(found: _WindowRead, args: argparse.Namespace, host: Host, config: Config) -> str:
    anatomy = found.anatomy
    if args.line:
        from satchel.showing.line_memo import format_line

        return format_line(_line_count(found))
    from satchel.showing.advice import advise, name_session
    from satchel.showing.costs import find_price

    source = "" if args.file == "-" else args.file
    if args.session:
        source = name_session(args.session, args.store)
    trials = None
    if not args.watch and found.conversation is not None and found.counts is not None:
        from satchel.showing.advice import make_trials

        trials = make_trials(found.conversation, found.counts, host, config, found.model)
    advice = advise(anatomy, source, trials)
    price = find_price(anatomy.model) if anatomy.model else None
    if args.format == "json":
        from satchel.view.packs import window_json

        return json_text(window_json(anatomy, advice, price, found.memory))
    from satchel.showing.drawing import draw

    target = io.StringIO()
    if is_result_seen():
        target.isatty = lambda: True  # type: ignore[method-assign]  # rich asks it whether to use colours
    width = args.width or shutil.get_terminal_size((80, 24)).columns
    draw(anatomy, advice, price=price, file=target, width=width, memory=found.memory)
    return target.getvalue()


def _line_count(found: _WindowRead) -> LineCount:
    from satchel.showing.line_memo import LineCount

    anatomy = found.anatomy
    return LineCount(anatomy.total, anatomy.window, tuple(anatomy.sections.items()), found.share_of_file)
