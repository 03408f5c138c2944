"""Read the session files that agents write; each plugin knows those of one agent.

It turns an agent's records into messages of the nearest provider's format, so that everything that reads
messages reads a session file too. It follows the branch on which the session ended, and reports the agent's
compactions and their results. Records that are not messages (settings, snapshots, events for a screen) are
left out; so are side chains, which are conversations of their own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from satchel.errors import ConversationError
from satchel.messages import Conversation, Message
from satchel.patterns import lazily

if TYPE_CHECKING:
    from satchel.conversation.documents import Formats
    from satchel.interfaces import MessageFormat, SessionFile


class TranscriptUsage(NamedTuple):
    """A provider's token counts for one answer."""

    input: int
    """Tokens of the whole prompt, cached or not."""
    cached: int
    """Tokens of the prompt that were read from the cache."""
    output: int


class TranscriptCompaction(NamedTuple):
    """A compaction that an agent made of its window."""

    place: int
    """Number of messages of the document before it."""
    before: tuple[Any, ...]
    """The messages of the window."""
    after: tuple[Any, ...]
    """The messages left of them."""
    text: str = ""
    """Its cause, and the size of the window."""
    at: float = 0.0


@attrs.define
class TranscriptFacts:
    """The content of an agent's session file."""

    document: list[Any] = attrs.field(factory=list, repr=False)
    """Every message of the branch on which the session ended, as JSON of the format."""
    window: list[Any] = attrs.field(factory=list, repr=False)
    """The next messages to send: after a compaction its result, and newer ones."""
    at: list[float] = attrs.field(factory=list)
    """By message of the document: its time, in seconds since the epoch, 0 if unknown."""
    usages: dict[int, TranscriptUsage] = attrs.field(factory=dict)
    """By index in the document."""
    compactions: list[TranscriptCompaction] = attrs.field(factory=list)
    model: str = ""
    instructions: str = ""
    """The agent's instructions before all messages, if its file holds them."""
    context_tokens: int = 0
    """The window size that the agent names, 0 if it names none."""
    beside: int = 0
    """Messages in the file that are not of this conversation: of helpers, of abandoned branches."""
    first: Mapping[str, Any] = attrs.field(factory=dict, repr=False)
    """The record that names the session's folder, for writing a file like this one."""
    is_bare: bool = False
    """Whether the records are only messages as a provider takes them."""


@attrs.define
class TranscriptDraft(TranscriptFacts):
    """The facts found in an agent's session file, message by message."""

    def add(self, message: Any, at: float = 0.0, usage: TranscriptUsage | None = None) -> None:
        """Add a message; a user's joins the user's before it, because roles alternate."""
        count = len(self.document)
        _append(self.document, message)
        _append(self.window, message)
        if len(self.document) > count:
            self.at.append(at)
            self.use(usage)

    def use(self, usage: TranscriptUsage | None) -> None:
        """Record the tokens of the newest message."""
        if usage is not None and self.document:
            self.usages[len(self.document) - 1] = usage

    def compact(self, after: Sequence[Any] = (), text: str = "by the agent", at: float = 0.0) -> None:
        """Replace the window with the result of a compaction."""
        self.compactions.append(
            TranscriptCompaction(len(self.document), tuple(self.window), tuple(after), text, at)
        )
        self.window = list(after)

    def summarize(self) -> None:
        """Use the newest message, a summary, as the result of the newest compaction."""
        newest = self.compactions[-1]
        self.compactions[-1] = newest._replace(place=len(self.document), after=(self.window[-1],))


def _append(messages: list[Any], message: Any) -> None:
    last = messages[-1] if messages else {}
    if message.get("role") == last.get("role") == "user" and "type" not in message:
        content = [*blocks_of(last["content"]), *blocks_of(message["content"])]
        # results come first, even if a person typed while the tools were running
        content.sort(key=lambda block: block.get("type") != "tool_result")
        messages[-1] = {**last, "content": content}
    else:
        messages.append(message)


def blocks_of(content: Any) -> list[Any]:
    """Return a message's content as blocks."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


_SPACE = lazily(r"\s*")
_MOST_PROBLEMS = 10
_LOOKED_AT = 200
"""Records that are read to find out which agent wrote a file."""


_READ_OF_COPILOT = "events.jsonl of Copilot CLI, from ~/.copilot/session-state"


@attrs.define(kw_only=True)
class Transcript(TranscriptFacts):
    """An agent's session: messages in a provider's format, and the other facts in its file."""

    file: SessionFile
    """The plugin that read it, and can write one like it."""
    format: MessageFormat
    records: int
    """Number of records in the file, including those that are not messages."""
    problems: tuple[str, ...] = ()
    """Lines that can't be read."""

    @property
    def source(self) -> str:
        """Return the name of the plugin that read it."""
        return self.file.name

    @cached_property
    def conversation(self) -> Conversation:
        """Return the messages, read in their format."""
        messages = self.format.read_messages(self.document, self.format.list_key)
        return Conversation(self.format, tuple(messages), list_key=self.format.list_key)

    @cached_property
    def window_conversation(self) -> Conversation:
        """Return the next messages to send, read in their format."""
        messages = self.format.read_messages(self.window, self.format.list_key)
        return Conversation(self.format, tuple(messages), list_key=self.format.list_key)

    def begin_with_instructions(self) -> Transcript:
        """Return it with the agent's instructions as the first message, as in its window."""
        if not self.instructions:
            return self
        role = "developer" if self.format.rules.items else "system"
        (told,) = self.format.write_messages([Message(role, self.instructions)], joined=False)
        return attrs.evolve(
            self,
            document=[told, *self.document],
            window=[told, *self.window],
            at=[0.0, *self.at],
            usages={at + 1: usage for at, usage in self.usages.items()},
            compactions=[
                one._replace(place=one.place + 1, before=(told, *one.before), after=(told, *one.after))
                for one in self.compactions
            ],
            instructions="",
        )

    @property
    def messages(self) -> tuple[Message, ...]:
        """Return the messages in satchel's form."""
        return self.conversation.messages


def parse_transcript(data: bytes | str, formats: Formats, name: str = "the session file") -> Transcript:
    """Read an agent's session file, JSON Lines or JSON.

    An incomplete last line is left out: the agent may still be writing it. Other lines that can't be read
    are left out too, and named in `problems`.

    Raises:
        ConversationError: it is not JSON, not a known agent's, or none of its records is a message.
    """
    problems: list[str] = []
    records = _load(data, name, problems)
    file = _find_file(records, formats)
    if file is not None:
        found = file.read([record for record in records if isinstance(record, dict)])
        if found.document:
            return Transcript(
                file=file,
                format=formats.find(file.message_format),
                records=len(records),
                problems=tuple(problems),
                **{field.name: getattr(found, field.name) for field in attrs.fields(TranscriptFacts)},
            )
    elif problems:
        raise ConversationError(name, f"neither JSON nor JSON Lines: {problems[0]}")
    if file is None and (told := _name_unread(records)):
        raise ConversationError(name, told)
    count = f"{len(records):,} record{'s' if len(records) != 1 else ''}"
    of = f"a session of {file.agent}" if file else "an agent's session that satchel knows"
    raise ConversationError(name, f"{count}, none is a message of {of}")


def find_transcript(data: bytes | str, name: str, formats: Formats) -> Transcript | None:
    """Read an agent's session file; return None for messages or a request, which other readers read.

    Raises:
        ConversationError: it has several records, and none is a message, or they are messages without a list.
    """
    head = data[:1_000_000]
    start = head if isinstance(head, bytes) else head.encode(errors="replace")
    problems: list[str] = []
    try:
        records = _load(data, name, problems)
    except ConversationError:
        if start[:1] in (b"[", b"{", b'"') and b"\n{" not in start:
            return None  # broken JSON: the reader of messages reports the place
        raise
    if _find_file(records, formats) is not None:
        found = parse_transcript(data, formats, name)
        return None if found.is_bare and start.lstrip()[:1] == b"[" else found
    if _name_unread(records):
        return parse_transcript(data, formats, name)  # this raises with its name
    if problems or (
        len(records) > 1
        and all(isinstance(one, dict) and not _may_be_message(one) for one in records)
        and not formats.have_sign(records)
    ):
        return parse_transcript(data, formats, name)  # this raises with the reason
    if len(records) > 1 and start.lstrip()[:1] == b"{":
        if not all(isinstance(one, dict) and _may_be_message(one) for one in records):
            return parse_transcript(data, formats, name)
        told = f"{len(records):,} messages one after another; expected a list of them: [{{...}}, {{...}}]"
        raise ConversationError(name, told)
    return None


def _find_file(records: Sequence[Any], formats: Formats) -> SessionFile | None:
    first = [record for record in records[:_LOOKED_AT] if isinstance(record, dict)]
    return next((file for file in formats.session_files if file.recognizes(first)), None) if first else None


def _name_unread(records: Sequence[Any]) -> str:
    """Return the name of records that satchel does not read, with those it reads; "" if unknown."""
    first: dict[str, Any] = records[0] if records and isinstance(records[0], dict) else {}
    chat: Any = first.get("v", first)
    asked = chat.get("requests") if isinstance(chat, dict) else None
    if isinstance(asked, list) and (
        "v" in first or any("message" in one for one in asked if isinstance(one, dict))
    ):
        return f"a chat of VS Code, which satchel does not read; it reads {_READ_OF_COPILOT}"
    held = first.get("messages")
    told = held if isinstance(held, list) else records
    form = next(filter(None, map(_name_framework, told[:_LOOKED_AT])), "")
    return f"messages as {form} has them, which satchel does not read; {_AS_SENT}" if form else ""


def _name_framework(record: Any) -> str:
    """Return the framework whose own form of a message this is, "" for any other."""
    if not isinstance(record, dict):
        return ""
    is_stored = record.get("type") in _LANGCHAIN_TYPES and isinstance(record.get("data"), dict)
    if is_stored or (record.get("lc") == 1 and record.get("type") == "constructor"):
        return "LangChain"
    said = record.get("content")
    parts = said if isinstance(said, list) and "role" in record else []
    is_tool = any(isinstance(part, dict) and part.get("type") in _VERCEL_PARTS for part in parts)
    return "the Vercel AI SDK" if is_tool else ""


_LANGCHAIN_TYPES, _VERCEL_PARTS = ("human", "ai", "tool", "system"), ("tool-call", "tool-result")
_AS_SENT = "give it what is sent to the provider, as OpenAI, Anthropic, Gemini or Ollama have it"


def _may_be_message(record: Mapping[str, Any]) -> bool:
    return any(key in record for key in ("role", "messages", "input"))


def _load(data: bytes | str, name: str, problems: list[str]) -> list[Any]:
    if isinstance(data, bytes) and data.startswith(b"SQLite format 3\0"):
        raise ConversationError(name, "a SQLite database, not a session file; export the chat as JSON")
    try:
        text = data.decode("utf-8-sig") if isinstance(data, bytes) else data.removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise ConversationError(name, f"not UTF-8 at byte {error.start}") from None
    if not text.strip():
        raise ConversationError(name, "empty; expected messages, or an agent's session file")
    try:
        document = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return _load_joined(text) or _load_lines(text, name, problems)
    except ValueError as error:
        raise ConversationError(name, f"not JSON that can be read: {error}") from None
    return document if isinstance(document, list) else [document]


def _load_joined(text: str) -> list[Any]:
    """Return the values of a text that consists of JSON values one after another, [] for any other.

    `cat events/*.json` makes such texts, with or without line ends between them.
    """
    decoder, records = json.JSONDecoder(), list[Any]()
    at = len(text) - len(text.lstrip())
    try:
        while at < len(text):
            value, end = decoder.raw_decode(text, at)
            records.append(value)
            space = _SPACE.match(text, end)
            at = space.end() if space else end
    except (ValueError, RecursionError):
        return []
    return records


def _load_lines(text: str, name: str, problems: list[str]) -> list[Any]:
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    records = []
    for number, line in lines:
        try:
            records.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            if number == lines[-1][0] and records:
                break
            reason = error.msg.lower() if isinstance(error, json.JSONDecodeError) else "can't be read"
            if not records:
                told = f"neither JSON nor JSON Lines: line {number}: {reason}"
                raise ConversationError(name, told) from None
            if len(problems) < _MOST_PROBLEMS:
                problems.append(f"line {number} is left out: {reason}")
    return records
