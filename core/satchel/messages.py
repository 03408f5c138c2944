"""Messages of a conversation in satchel's internal form, with the provider's JSON."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from satchel.errors import Problem

if TYPE_CHECKING:
    from satchel.interfaces import MessageFormat

MADE_UP = "satchel:"
"""Prefix of ids that satchel assigns to calls and results in formats without ids."""


class BlockKind(enum.StrEnum):
    """The kind of a message's block."""

    TEXT = "text"
    CALL = "call"
    RESULT = "result"
    IMAGE = "image"
    DOCUMENT = "document"
    THINKING = "thinking"
    OPAQUE = "opaque"


@attrs.frozen
class Block:
    """One block of a message: a text, a tool call, its result, an image, a document, thinking, or opaque.

    Opaque blocks must be kept or left out unchanged: calls that the provider's servers ran, and anything
    that satchel does not know. Thinking is signed by the provider: keep it or leave it out, never
    change it.
    """

    kind: BlockKind
    text: str = ""
    """The text, a call's arguments (JSON, or free text for a custom tool), or a result's text."""
    name: str = ""
    """The tool's name, for calls (and for results, if the provider gives it)."""
    id: str = ""
    """Joins a call and its result; generated and never written in formats without ids."""
    error: bool = False
    """Whether a result is marked as an error."""
    blocks: tuple[Block, ...] = ()
    """The blocks of a result or a document that has more than one text."""
    fixed: bool = False
    """Whether it can only be kept unchanged or left out: thinking, opaque blocks, a screenshot's result."""
    free: bool = False
    """Whether a call's arguments are free text, as those of a custom tool are, and not JSON."""
    raw: Any = attrs.field(default=None, hash=False, repr=False)
    """The provider's JSON; its unknown keys are written back. None for a new block."""

    def with_text(self, text: str) -> Block:
        """Return the block with only `text`; ids and unknown keys stay."""
        return attrs.evolve(self, text=text, blocks=())


def _to_blocks(given: str | Iterable[Block]) -> tuple[Block, ...]:
    if type(given) is tuple:
        return given
    return (Block(BlockKind.TEXT, given),) if isinstance(given, str) else tuple(given)


@attrs.frozen
class Message:
    """One message: `Message("user", "text")` is a new one, `attrs.evolve(message, blocks=...)` a changed one.

    An unchanged message is written exactly as it came; in a changed one, unchanged blocks are.
    """

    role: str
    """`system`, `developer`, `user`, `assistant`, or `tool` for results, whatever the provider's name."""
    blocks: tuple[Block, ...] = attrs.field(default=(), converter=_to_blocks)
    index: int = attrs.field(default=-1, eq=False)
    """Its index in the input list, from 0; -1 outside the list and for a new message."""
    outside: bool = False
    """Whether it is outside the list, under the format's `system_key` of the request."""
    raw: Any = attrs.field(default=None, hash=False, repr=False)
    """The provider's JSON. Messages that share it are pieces of one (Anthropic: results, then text)."""
    original: tuple[Block, ...] = attrs.field(default=(), eq=False, repr=False)
    """The blocks as read, so that the writer can see what changed."""

    @property
    def text(self) -> str:
        """Return its texts and results, joined by line feeds."""
        kinds = (BlockKind.TEXT, BlockKind.RESULT)
        return "\n".join([block.text for block in self.blocks if block.kind in kinds])

    @property
    def calls(self) -> tuple[Block, ...]:
        """Return its tool calls."""
        return tuple([block for block in self.blocks if block.kind is BlockKind.CALL])

    @property
    def results(self) -> tuple[Block, ...]:
        """Return its tool results."""
        return tuple([block for block in self.blocks if block.kind is BlockKind.RESULT])


def count_listed(messages: Iterable[Message]) -> int:
    """Return the length of the list that these were read from: several may be pieces of one message."""
    return 1 + max([message.index for message in messages], default=-1)


@attrs.frozen
class Exchange:
    """A user message, or an assistant message with its calls and all their results."""

    id: str
    messages: Sequence[Message]

    @property
    def role(self) -> str:
        """Return the role of its first message; a developer's is `system`."""
        role = self.messages[0].role if self.messages else "user"
        return "system" if role == "developer" else role


@attrs.frozen
class Flaw:
    """Something that a provider refuses (HTTP 400), or that was repaired.

    `index` is the message's place in the list that came in, -1 for one outside of it or a new one.
    """

    index: int
    rule: str
    what: str

    def __str__(self) -> str:
        return f"messages[{self.index}]: {self.what}" if self.index >= 0 else self.what

    @property
    def problem(self) -> Problem:
        """Return it as a recorded failure that did not stop the run."""
        return Problem("conversation", "repair", str(self))


@attrs.frozen
class Conversation:
    """Messages in one provider's format, and their request."""

    format: MessageFormat
    messages: tuple[Message, ...]
    """In order; messages outside the list come first."""
    request: Mapping[str, Any] | None = attrs.field(default=None, hash=False, repr=False)
    """The request object, None if the input was a bare list."""
    joined: bool = False
    """Whether consecutive messages of one role are written as one, for providers whose roles alternate."""
    list_key: str = "messages"
    """Key of the request that holds the list."""

    @property
    def named_model(self) -> str:
        """Return the name of the model that the request is for, "" if it names none."""
        named = (self.request or {}).get("model")
        return named if isinstance(named, str) else ""
