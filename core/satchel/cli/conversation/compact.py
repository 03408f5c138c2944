"""`satchel compact`: fit a conversation into a number of tokens."""

from __future__ import annotations

import argparse
import json
import os
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from satchel.cli.parsing import (
    CommandPlan,
    Outcome,
    Parser,
    add_archive,
    add_events,
    add_model,
    add_workspace,
)
from satchel.cli.setup import exit_code, find_transcript, load_config, open_events, plan, report_problems
from satchel.cli.streams import add_input, check_output, input_pieces, name_messages, tell
from satchel.config import Config
from satchel.config.values import budget
from satchel.errors import Problem, SatchelError, UsageError
from satchel.escaping import escape_for_json

if TYPE_CHECKING:
    from satchel.archive import Archive
    from satchel.compaction import State, Water
    from satchel.compaction.cleaning import Prepared
    from satchel.conversation import Formats
    from satchel.conversation.transcripts import Transcript
    from satchel.host import Host
    from satchel.host.observing import EventFile
    from satchel.tokens.models import Model

DESCRIPTION = """\
Fit a conversation into a token budget. Reads messages as JSON, a list or a whole request, or the session file
of an agent, and writes them to stdout in the same shape. The system prompt, the first and the newest user
message and pins stay; calls keep their results; what is cut is archived: satchel expand brings it back."""

EXAMPLES = """\
  satchel compact --budget 32k < messages.json > shorter.json
  satchel compact --budget 32k --state chat.state --report cut.json < request.json > next.json
  satchel compact ~/.codex/sessions/2026/11/24/rollout.jsonl --budget 32k > messages.json
  satchel compact --budget 8k --task "fix the login bug" --pin 3 --compressor mask < messages.json"""
GROWS = "the rest of the budget is for messages to come: the beginning stays as it was sent (--low)"
"""Why a window that was cut stays below its budget."""
FREE = 0.1
"""Free share of a budget from which it is mentioned."""
_DIGITS = 12
_PIECES = 10_000
"""JSON pieces that are written at once."""
FORMAT_HELP = "format of the messages, such as openai, responses, anthropic or ollama (default: auto)"


def fill(parser: Parser) -> None:
    """Add the arguments of `compact`."""
    add_input(parser, "the messages")
    parser.add_argument(
        "--budget",
        metavar="N",
        help="maximum tokens of the result, like 32k; auto: the model's window minus its longest answer",
    )
    parser.add_argument(
        "--task", default="", metavar="T", help="the task at hand (default: the newest user message)"
    )
    parser.add_argument("--format", default="auto", metavar="F", help=FORMAT_HELP)
    add_model(
        parser, "the model that the window is for, FILE.gguf or ollama:NAME (default: what the messages name)"
    )
    how = parser.add_argument_group("what stays")
    how.add_argument("--strategy", metavar="S", help="name of a packer (default: hybrid)")
    how.add_argument("--compressor", metavar="C", help="name of a compressor (default: hybrid)")
    how.add_argument(
        "--pin",
        action="append",
        default=[],
        metavar="INDEX|TEXT",
        help="keep a message whole, by its position from 0 or by text in it; repeatable",
    )
    kept = parser.add_argument_group("state, report and archive")
    kept.add_argument(
        "--state", metavar="FILE", help="remember what was sent, so that the next window begins the same"
    )
    kept.add_argument(
        "--high", metavar="N", help="tokens or share (0.9) at which cutting starts, with --state"
    )
    kept.add_argument(
        "--low",
        metavar="N",
        help="tokens or share (0.44) to cut to, with --state; the rest is for messages to come",
    )
    kept.add_argument(
        "--report", metavar="FILE", help="write a report: what was cut, why, and how to get it back"
    )
    kept.add_argument(
        "--transcript", metavar="FILE", help="write the result as a session file of the agent that wrote FILE"
    )
    add_archive(kept)
    add_events(kept)
    add_workspace(parser, strict=True)


def main(args: argparse.Namespace) -> Outcome | CommandPlan:
    """Plan the compaction of a conversation."""
    from satchel.installed import find_formats
    from satchel.runs import room_for

    check_output(args.report, "--report")
    check_output(args.transcript, "--transcript")
    config = load_config(args, "model", "strategy", "compressor")
    asked = _parse_limit(args.budget, config)
    state = _state(args, asked)
    events = open_events(args)
    data = b"".join(input_pieces("the messages", args.file))

    def _work(host: Host) -> Outcome:
        document, transcript = _read_messages(data, args, find_formats(host, config))
        model = _find_model(config, _name_model(document, transcript), asked)
        budget, beside = room_for(config, host, model, asked).budget, 0
        if transcript is not None and transcript.instructions:
            beside = _count_instructions(transcript.instructions, model, config, host)
            budget = max(1, budget - beside) if asked == "auto" else budget
        given = _Given(data, document, budget, model, state, events, transcript, asked == "auto", beside)
        with name_messages(args.file):
            return _compact(args, config, host, given)

    return plan(config, _work)


def _read_messages(data: bytes, args: argparse.Namespace, formats: Formats) -> tuple[Any, Transcript | None]:
    """Return the messages as JSON: those of a request, or of an agent's session file.

    Raises:
        ConversationError: it is neither.
        UsageError: a session file is required, and none was read.
        UnknownNameError: no format has the requested name.
    """
    from satchel.conversation import parse

    name = "stdin" if args.file == "-" else args.file
    transcript = find_transcript(data, name, formats) if args.format == "auto" else None
    if transcript is None:
        if args.transcript:
            raise UsageError("--transcript needs an agent's session file")
        document = parse(data, source=name)
        if args.format != "auto":
            formats.find(args.format)
        formats.refuse_empty(document, name)
        return document, None
    args.format = transcript.format.name
    return transcript.document, transcript


def _count_instructions(text: str, model: Model | None, config: Config, host: Host) -> int:
    """Return the tokens of an agent's instructions, in the model's tokens if there is one."""
    from satchel.installed import make_tokenizer

    _, tokenizer = make_tokenizer(config, host, model)
    (tokens,) = tokenizer.count([text])
    return model.to_model_tokens(tokens) if model else tokens


class _Given(NamedTuple):
    """The inputs of a compaction."""

    data: bytes
    document: Any
    """The content of `data`: messages, or a request that holds them."""
    budget: int
    model: Model | None
    """The model in whose tokens the budget is."""
    state: State | None
    events: EventFile | None
    transcript: Transcript | None
    is_auto: bool
    """Whether the budget is the rest of the model's window."""
    beside: int = 0
    """Tokens of an agent's instructions outside of its messages, which the budget includes."""


def _compact(args: argparse.Namespace, config: Config, host: Host, given: _Given) -> Outcome:
    from satchel.compaction.cleaning import prepare
    from satchel.compaction.compacting import compact
    from satchel.conversation import dump
    from satchel.conversation.cache_marks import list_cache_marks
    from satchel.installed import find_formats
    from satchel.shared_archive import open_archive

    archive, formats = open_archive(args.store), find_formats(host, config)
    prepared = prepare(given.document, archive.scanners, list_cache_marks(formats))
    window = compact(
        prepared,
        budget=given.budget,
        task=args.task,
        state=given.state,
        strategy=config.strategy,
        compressor=config.compressor,
        format=args.format,
        pins=args.pin,
        store=args.store,
        model=given.model or "",
        host=host,
        config=config,
        observe=given.events,
    )
    repairs = [problem for problem in window.problems if _is_repair(problem)]
    report_problems([problem for problem in window.problems if not _is_repair(problem)])
    if args.report:
        _write_report(args.report, {key: value for key, value in window.report.items() if key != "sent"})
    if args.transcript and given.transcript is not None:
        written = given.transcript.file.write(given.transcript, window.messages)
        _write_private(args.transcript, [written], "the session file")
    secrets = _count_secrets(prepared)
    if secrets:
        from satchel.view.packs import describe_secrets

        tell(f"satchel: {describe_secrets(secrets)}")
    unit = _describe_unit(given, is_asked=bool(args.model))
    is_exact = given.model is None or given.model.exact
    said = [_summarize(window.report, unit, is_exact=is_exact)] if window.cut else []
    if given.is_auto:
        said.append(
            f"the budget is {given.budget:,} tokens" + ("" if window.cut else f" of {unit}, all fits")
        )
    if window.cut and given.state is not None and window.tokens < given.budget * (1 - FREE):
        said.append(GROWS)
    if given.beside and said:
        said.append(f"beside them are {given.beside:,} tokens of instructions")
    said += [_count_repairs(repairs)] if repairs else []
    said += [_say_undo(prepared.document, archive, args.store)] if window.cut else []
    if said:
        tell(f"satchel: {'; '.join(filter(None, said))}")
    is_same = given.transcript is None and window.messages == given.document
    text = given.data.decode("utf-8-sig") if is_same else f"{dump(window.messages)}\n"
    return Outcome(text, exit_code(window.problems, config), is_shown=True)


def _is_repair(problem: Problem) -> bool:
    return (problem.plugin, problem.stage) == ("conversation", "repair")


def _count_repairs(problems: Sequence[Problem]) -> str:
    """Return how many repairs of the history there were, and the first."""
    if len(problems) == 1:
        return f"repaired {problems[0].error}"
    return f"{len(problems)} flaws of the history were repaired; the first: {problems[0].error}"


def _summarize(report: Mapping[str, Any], unit: str, *, is_exact: bool) -> str:
    """Return `183k -> 32k tokens of gpt-5, 983 -> 225 messages, 14 of 14 of your messages whole`.

    Tokens of a model that are estimated have `about` in front.
    """
    before, people = report["before"], report["people"]
    about = "" if is_exact else "about "
    of = f" of {unit}" if unit else ""
    sizes = f"{about}{_thousands(before['tokens'])} -> {_thousands(report['tokens'])} tokens{of}"
    counts = f"{before['messages']:,} -> {report['messages']:,} messages"
    return f"{sizes}, {counts}, {people['whole']:,} of {people['messages']:,} of your messages whole"


def _thousands(tokens: int) -> str:
    return f"{round(tokens / 1000)}k" if tokens >= 10_000 else f"{tokens:,}"


def _count_secrets(prepared: Prepared) -> Mapping[str, int]:
    """Return by kind the number of replaced secrets of a document."""
    from satchel.redaction import count_marks

    if not prepared.has_secrets:
        return {}
    both = (prepared.given, prepared.document)
    before, after = (Counter(count_marks(json.dumps(one))) for one in both)
    return after - before


def _say_undo(document: Any, archive: Archive, store: str | None) -> str:
    """Archive a document, which has no secrets; return the command that restores it."""
    from satchel.archive import ArchiveError

    try:
        hash_ = archive.put_clean(json.dumps(document))
    except ArchiveError:
        return ""  # the archive is in the problems already
    kept = f" --store {shlex.quote(store)}" if store else ""
    return f"undo with satchel expand blob:{hash_[:_DIGITS]}{kept} > messages.json"


def _write_report(path: str, report: dict[str, Any]) -> None:
    # in pieces: the report of a long history is larger than its messages
    pieces = json.JSONEncoder(ensure_ascii=False, indent=2, default=str).iterencode(report)
    _write_private(path, iter(lambda: "".join(islice(pieces, _PIECES)), ""), "the report")


def _write_private(path: str, pieces: Iterable[str], what: str) -> None:
    try:
        with open(path, "w", encoding="utf-8", errors="surrogateescape", opener=_private) as file:
            for piece in pieces:
                file.write(escape_for_json(piece))
    except OSError as error:
        raise SatchelError(f"{path}: {what} can't be written: {error.strerror}") from error


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _parse_limit(written: str | None, config: Config) -> int | str:
    try:
        asked: int | str = config.budget if written is None else budget(written)
    except ValueError as error:
        raise UsageError(f"--budget: {error}, not {written!r}") from None
    return asked


def _name_model(document: Any, transcript: Transcript | None) -> str:
    """Return the model that a session file or a request names, "" if it names none."""
    if transcript is not None:
        return transcript.model
    named = document.get("model") if isinstance(document, dict) else None
    return named if isinstance(named, str) else ""


def _find_model(config: Config, named: str, asked: int | str) -> Model | None:
    """Return the model for reported tokens; with `auto` there must be one."""
    from satchel.runs import model_of

    model = model_of(config, named=named)
    if model is None and asked == "auto":
        told = f", the messages name {named!r}, which is not known" if named else ""
        raise UsageError(f"--budget auto needs a model{told}: add --model NAME")
    return model


def _describe_unit(given: _Given, *, is_asked: bool) -> str:
    """Return the unit of reported tokens, and who named it; "" if they are no model's."""
    if given.model is None:
        return ""
    is_named = not is_asked and given.model.name == _name_model(given.document, given.transcript)
    return f"{given.model.name} (named by the messages)" if is_named else given.model.name


def _state(args: argparse.Namespace, asked: int | str) -> State | None:
    from satchel.compaction.state import State

    if not args.state:
        if args.high or args.low:
            raise UsageError("--high and --low need --state FILE")
        return None
    refuse_crossed_marks(args, asked)
    return State.at(args.state, water_of(args.high, args.low))


def refuse_crossed_marks(args: argparse.Namespace, asked: int | str) -> None:
    """Raise UsageError if the target of a cut is above its threshold, or that above the budget."""
    if args.high and isinstance(asked, int) and (_mark(args.high, "high")[1] or 0) > asked:
        raise UsageError(f"--high {args.high} is more than the budget of {asked:,} tokens")
    if not (args.high and args.low):
        return
    marks = zip(_mark(args.low, "low"), _mark(args.high, "high"), strict=True)
    if any(low is not None and high is not None and low > high for low, high in marks):
        raise UsageError(f"--low {args.low} is more than --high {args.high}")


def water_of(high: str | None, low: str | None) -> Water:
    """Return the requested water marks; raise UsageError if one is neither a share nor tokens."""
    from satchel.compaction.state import Water

    water = Water()
    shares, tokens = {"high": water.high, "low": water.low}, {"high": None, "low": None}
    for name, written in (("high", high), ("low", low)):
        if written is not None:
            share, number = _mark(written, name)
            shares[name] = share if share is not None else 1.0
            tokens[name] = number
    return Water(shares["high"], shares["low"], tokens["high"], tokens["low"])


def _mark(written: str, name: str) -> tuple[float | None, Any]:
    """Return a share or a number of tokens."""
    try:
        share = float(written)
        if 0 < share <= 1 and "." in written:
            return share, None
    except ValueError:
        pass
    try:
        tokens = budget(written)
    except ValueError:
        tokens = "auto"
    if not isinstance(tokens, int):
        raise UsageError(f"--{name}: expected a share like 0.9 or tokens like 24k, not {written!r}")
    return None, tokens
