"""Read the session files that agents write; a plugin knows those of one agent.

It turns an agent's records into messages of the provider's format that is nearest to them, so that
everything that reads messages reads a session file too. It follows the branch that the session ended on, and
tells where the agent compacted and what that left. What is not a message (settings, snapshots, events for a
screen) is left out; so are side chains, which are conversations of their own.
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
    """What a provider counted for one answer, in tokens."""

    input: int
    """Of the whole prompt, whatever of it was cached."""
    cached: int
    """Of the prompt, read from the cache."""
    output: int


class TranscriptCompaction(NamedTuple):
    """A compaction that an agent made of its window."""

    place: int
    """How many messages of the document there were before it."""
    before: tuple[Any, ...]
    """The messages of the window."""
    after: tuple[Any, ...]
    """What was left of them."""
    text: str = ""
    """How it came about, and how large the window was."""
    at: float = 0.0


@attrs.define
class TranscriptFacts:
    """What an agent's session file holds."""

    document: list[Any] = attrs.field(factory=list, repr=False)
    """Every message of the branch that the session ended on, as JSON of the format."""
    window: list[Any] = attrs.field(factory=list, repr=False)
    """What is sent next: after a compaction what that left, and what came since."""
    at: list[float] = attrs.field(factory=list)
    """By message of the document: when it was written, in seconds since the epoch, 0 if unknown."""
    usages: dict[int, TranscriptUsage] = attrs.field(factory=dict)
    """By index in the document."""
    compactions: list[TranscriptCompaction] = attrs.field(factory=list)
    model: str = ""
    instructions: str = ""
    """What the agent is told before all messages, where its file holds it."""
    context_tokens: int = 0
    """The window that the agent names, 0 where it names none."""
    beside: int = 0
    """Messages in the file that are not of this conversation: of helpers, of branches that were left."""
    first: Mapping[str, Any] = attrs.field(factory=dict, repr=False)
    """The record that tells where the session ran, for a file that is written like this one."""
    is_bare: bool = False
    """Whether the records are nothing but messages as a provider takes them."""


@attrs.define
class TranscriptDraft(TranscriptFacts):
    """What is found in an agent's session file, message by message."""

    def add(self, message: Any, at: float = 0.0, usage: TranscriptUsage | None = None) -> None:
        """Add a message; one of the user joins the user's before it, as roles alternate."""
        count = len(self.document)
        _append(self.document, message)
        _append(self.window, message)
        if len(self.document) > count:
            self.at.append(at)
            self.use(usage)

    def use(self, usage: TranscriptUsage | None) -> None:
        """Note what the newest message cost."""
        if usage is not None and self.document:
            self.usages[len(self.document) - 1] = usage

    def compact(self, after: Sequence[Any] = (), text: str = "by the agent", at: float = 0.0) -> None:
        """Replace the window with what a compaction left."""
        self.compactions.append(
            TranscriptCompaction(len(self.document), tuple(self.window), tuple(after), text, at)
        )
        self.window = list(after)

    def summarize(self) -> None:
        """Take the newest message, a summary, as what the newest compaction left."""
        newest = self.compactions[-1]
        self.compactions[-1] = newest._replace(place=len(self.document), after=(self.window[-1],))


def _append(messages: list[Any], message: Any) -> None:
    last = messages[-1] if messages else {}
    if message.get("role") == last.get("role") == "user" and "type" not in message:
        content = [*blocks_of(last["content"]), *blocks_of(message["content"])]
        # results come first, whatever a person typed while the tools were running
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
"""Records that are looked at to find out which agent wrote a file."""


_READ_OF_COPILOT = "events.jsonl of Copilot CLI, from ~/.copilot/session-state"


@attrs.define(kw_only=True)
class Transcript(TranscriptFacts):
    """An agent's session: messages in a provider's format, and what else its file tells."""

    file: SessionFile
    """The plugin that read it, and can write one like it."""
    format: MessageFormat
    records: int
    """Records of the file, those that are not messages included."""
    problems: tuple[str, ...] = ()
    """Lines that can't be read."""

    @property
    def source(self) -> str:
        """The agent's name for programs, that of its plugin."""
        return self.file.name

    @cached_property
    def conversation(self) -> Conversation:
        """The messages, read in their format."""
        messages = self.format.read_messages(self.document, self.format.list_key)
        return Conversation(self.format, tuple(messages), list_key=self.format.list_key)

    @cached_property
    def window_conversation(self) -> Conversation:
        """The messages that are sent next, read in their format."""
        messages = self.format.read_messages(self.window, self.format.list_key)
        return Conversation(self.format, tuple(messages), list_key=self.format.list_key)

    def begin_with_instructions(self) -> Transcript:
        """Return it with messages that begin with what the agent is told, as its window does."""
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
        """The messages in satchel's form."""
        return self.conversation.messages


def parse_transcript(data: bytes | str, formats: Formats, name: str = "the session file") -> Transcript:
    """Read an agent's session file, JSON Lines or JSON.

    A last line that is cut off is left out: the agent may still be writing it. Other lines that can't be
    read are left out too, and named in `problems`.

    Raises:
        ConversationError: it is not JSON, no agent's that is known, or none of its records is a message.
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
            return None  # broken JSON: who reads messages says where
        raise
    if _find_file(records, formats) is not None:
        found = parse_transcript(data, formats, name)
        return None if found.is_bare and start.lstrip()[:1] == b"[" else found
    if _name_unread(records):
        return parse_transcript(data, formats, name)  # which names it
    if problems or (
        len(records) > 1
        and all(isinstance(one, dict) and not _may_be_message(one) for one in records)
        and not formats.have_sign(records)
    ):
        return parse_transcript(data, formats, name)  # which says what is wrong
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
    """Return what records are that satchel does not read, and what it does; "" where it does not know."""
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
    """Return the values of a text that is nothing but JSON values one after another, [] for any other.

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
