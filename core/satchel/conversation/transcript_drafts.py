"""What a reader of an agent's session file finds: messages, the window, compactions, what was counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import attrs


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
        """Put what a compaction left in the place of the window."""
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
