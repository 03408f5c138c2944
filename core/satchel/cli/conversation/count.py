"""`satchel count`: tokens of a text, or of a conversation by part."""

from __future__ import annotations

import argparse
import warnings
from typing import TYPE_CHECKING, Any

from satchel.cli.parsing import CommandPlan, Outcome, Parser, add_model, add_workspace
from satchel.cli.setup import find_transcript, load_config, plan
from satchel.cli.streams import input_pieces, name_messages, tell
from satchel.config import Config
from satchel.errors import ConversationError, SatchelError
from satchel.spelling import format_count
from satchel.view.tables import json_text

if TYPE_CHECKING:
    from satchel.conversation import Formats
    from satchel.conversation.transcripts import Transcript
    from satchel.host import Host
    from satchel.messages import Conversation

DESCRIPTION = """\
Count the tokens of a text, or of a conversation by part: messages and requests of any provider, and the
session files of Claude Code, Codex, pi, OpenHands, opencode, Gemini CLI, Qwen Code,
Kimi Code, Copilot CLI and Cursor."""

EXAMPLES = """\
  satchel count src/app.py
  satchel count messages.json --model claude-sonnet-4-5
  git diff | satchel count - --format json"""


def fill(parser: Parser) -> None:
    """Add the arguments of `count`."""
    parser.add_argument("file", metavar="FILE", help="text or conversation; - is stdin")
    parser.add_argument("--text", action="store_true", help="count JSON as plain text")
    add_model(parser, "model whose tokens are counted (default: the one that the messages name)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    add_workspace(parser)


def main(args: argparse.Namespace) -> CommandPlan:
    """Plan the count."""
    config = load_config(args, "model")
    name = "stdin" if args.file == "-" else args.file
    data = b"".join(input_pieces("the input", args.file))

    def _work(host: Host) -> Outcome:
        return Outcome(_render(_count(data, name, args, config, host), args.format))

    return plan(config, _work)


def _count(data: bytes, name: str, args: argparse.Namespace, config: Config, host: Host) -> dict[str, Any]:
    """Return the output of `--format json`; tokens are the model's if there is one, and `parts` add up."""
    from satchel.compaction.measuring import make_counts
    from satchel.installed import find_formats, make_tokenizer
    from satchel.messages import count_listed
    from satchel.runs import model_of
    from satchel.showing.anatomy import dissect, to_model

    formats = find_formats(host, config)
    transcript, conversation = _find_messages(data, name, formats) if not args.text else (None, None)
    if transcript is not None:
        transcript = transcript.begin_with_instructions()
        named, conversation = transcript.model, transcript.conversation
    else:
        named = conversation.named_model if conversation is not None else ""
    with warnings.catch_warnings(action="ignore"):  # of an unknown model, which was told when it was set
        model = model_of(config, named=named)
    _, tokenizer = make_tokenizer(config, host, model)
    vocabulary = tokenizer.key.rpartition(": ")[2]
    convert = model.to_model_tokens if model else int
    counted: dict[str, Any] = {
        "schema": 1,
        "kind": "text",
        "tokens": 0,
        "vocabulary": model.name if model else vocabulary,
        "exact": model.exact if model else tokenizer.exact,
        "counted_in": vocabulary,
        "factor": model.factor if model else 1.0,
        "messages": 0,
        "parts": {},
    }
    if conversation is None:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise SatchelError(f"{name}: not UTF-8 at byte {error.start}") from None
        return counted | {"tokens": convert(tokenizer.count([text])[0])}
    counts = make_counts(conversation.format, model, host, config)
    anatomy = dissect(conversation, counts, transcript)
    shown = to_model(anatomy, model) if model else anatomy
    counted |= {"kind": shown.source, "tokens": shown.total, "parts": dict(shown.sections)}
    counted["messages"] = count_listed(conversation.messages)
    if transcript is not None and transcript.compactions:
        window = transcript.window_conversation
        sent = convert(counts.total(window).total)
        counted["sent_next"] = {"tokens": sent, "messages": len(transcript.window)}
    return counted


def _find_messages(data: bytes, name: str, formats: Formats) -> tuple[Transcript | None, Conversation | None]:
    """Return the conversation in a file, None for any other text."""
    from satchel.conversation import parse

    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
        return None, None
    try:
        with name_messages(name):
            transcript = find_transcript(data, name, formats)
            if transcript is None:
                document = parse(data, source=name)
                if isinstance(document, list):  # a request may have tools alone
                    formats.refuse_empty(document, name)
                return None, formats.read(document)
    except ConversationError as error:  # JSON that holds no messages is a text like any other
        tell(f"satchel: counted as text, no messages were found: {error}")
        return None, None
    return transcript, transcript.conversation


def _render(counted: dict[str, Any], form: str) -> str:
    if form == "json":
        return json_text(counted)
    unit, counted_in = counted["vocabulary"], counted["counted_in"]
    about = "" if counted["exact"] else "about "
    lines = [f"{about}{format_count(counted['tokens'], 'token')} of {unit}"]
    if counted["messages"]:
        lines[0] += f" in {format_count(counted['messages'], 'message')} ({counted['kind']})"
    if not counted["exact"] and unit != counted_in:
        lines[0] += f", estimated as {counted['factor']:g} for each of {counted_in}"
    if counted["messages"]:
        width = max(map(len, counted["parts"]))
        lines += [f"  {name:<{width}}  {tokens:>10,}" for name, tokens in counted["parts"].items()]
    if sent := counted.get("sent_next"):
        told = f"{sent['tokens']:,} tokens in {sent['messages']:,} messages"
        lines.append(f"sent next: {told}; the others came before a compaction")
    return "".join(f"{line}\n" for line in lines)
