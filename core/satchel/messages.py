"""Messages of a conversation in satchel's inner form, the provider's own JSON beside it."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

MADE_UP = "satchel:"
"""What the ids begin with that satchel gives to calls and results of formats without ids."""


class Format(enum.StrEnum):
    """How a provider writes a conversation down; the values are what `--format` takes."""

    OPENAI = "openai"
    RESPONSES = "responses"
    ANTHROPIC = "anthropic"
    OLLAMA = "ollama"


class BlockKind(enum.StrEnum):
    """What a block of a message is."""

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

    Opaque is what must be kept or left out as it is: calls that the provider's own servers ran, and
    whatever satchel does not know. Thinking is signed by the provider: keep it or leave it out, never
    change it.
    """

    kind: BlockKind
    text: str = ""
    """What it says: a text, a call's arguments (JSON, or free text of a custom tool), a result's text."""
    name: str = ""
    """The tool's name, for calls (and for results, where the provider gives it)."""
    id: str = ""
    """What joins a call and its result; where the format has none, it is made up and not written."""
    error: bool = False
    """Whether a result is said to be an error."""
    blocks: tuple[Block, ...] = ()
    """The blocks of a result or a document that is more than one text."""
    fixed: bool = False
    """Whether it can only be kept or left out as it is: thinking, opaque blocks, a screenshot's result."""
    raw: Any = attrs.field(default=None, hash=False, repr=False)
    """The provider's JSON it was read from; its unknown keys are written again. None for a new one."""

    def with_text(self, text: str) -> Block:
        """Return the same block saying `text` alone; ids and unknown keys stay."""
        return attrs.evolve(self, text=text, blocks=())

    def with_blocks(self, blocks: Iterable[Block]) -> Block:
        """Return the same block holding other blocks: a result whose image was replaced by a text."""
        held = tuple(blocks)
        said = "\n".join(block.text for block in held if block.kind is BlockKind.TEXT)
        return attrs.evolve(self, text=said, blocks=held)


def _blocks(given: str | Iterable[Block]) -> tuple[Block, ...]:
    if type(given) is tuple:
        return given
    return (Block(BlockKind.TEXT, given),) if isinstance(given, str) else tuple(given)


@attrs.frozen
class Message:
    """One message: `Message("user", "text")` is a new one, `attrs.evolve(message, blocks=...)` a changed one.

    A message that was not changed is written exactly as it came; of a changed one, the blocks that
    were not changed are.
    """

    role: str
    """`system`, `developer`, `user`, `assistant`, or `tool` for results, whatever the provider calls them."""
    blocks: tuple[Block, ...] = attrs.field(default=(), converter=_blocks)
    index: int = attrs.field(default=-1, eq=False)
    """Where it stood in the list that came in, from 0; -1 outside of it, and for a new message."""
    outside: bool = False
    """Whether it stands outside of the list: Anthropic's `system`, `instructions` of Responses."""
    raw: Any = attrs.field(default=None, hash=False, repr=False)
    """The provider's JSON. Two messages that share it are pieces of one (Anthropic: results, then text)."""
    original: tuple[Block, ...] = attrs.field(default=(), eq=False, repr=False)
    """The blocks as they were read: how the writer sees what was changed."""

    @property
    def text(self) -> str:
        """Return what its texts and results say, joined by line feeds."""
        kinds = (BlockKind.TEXT, BlockKind.RESULT)
        return "\n".join(block.text for block in self.blocks if block.kind in kinds)

    @property
    def calls(self) -> tuple[Block, ...]:
        """Return its tool calls."""
        return tuple(block for block in self.blocks if block.kind is BlockKind.CALL)

    @property
    def results(self) -> tuple[Block, ...]:
        """Return the results that it brings."""
        return tuple(block for block in self.blocks if block.kind is BlockKind.RESULT)


@attrs.frozen
class Exchange:
    """A user message; or an assistant message with its calls and all of their results."""

    id: str
    messages: Sequence[Message]

    @property
    def role(self) -> str:
        """Return the role of its first message; a developer's is `system`."""
        role = self.messages[0].role if self.messages else "user"
        return "system" if role == "developer" else role


@attrs.frozen
class Conversation:
    """Messages in one provider's format, and the request they came in."""

    format: Format
    messages: tuple[Message, ...]
    """In order; what stands outside of the list comes first."""
    request: Mapping[str, Any] | None = attrs.field(default=None, hash=False, repr=False)
    """The request object, None where a bare list came in."""
    joined: bool = False
    """Whether messages of one role in a row are written as one (Anthropic wants roles to alternate)."""
