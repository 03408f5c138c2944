"""Count messages: each text once, however often a conversation is counted again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from satchel.conversation.counting.attachments import document_tokens, sealed_tokens, sound_tokens
from satchel.conversation.counting.images import image_tokens
from satchel.conversation.formats.shapes import as_json
from satchel.messages import Block, BlockKind, Conversation, Format, Message

if TYPE_CHECKING:
    from satchel.interfaces import Tokenizer

# 3 + sum(4 + content + sum over calls (8 + name + arguments)): OpenAI's published count of chat messages,
# with the call's frame measured
START, MESSAGE, CALL = 3, 4, 8
_TOOLS = ("tools", "functions", "response_format", "format", "text", "output_format", "output_config")


class Tally(NamedTuple):
    """What a conversation costs in tokens; `total` is the start, all messages and `tools`."""

    total: int
    messages: tuple[int, ...]
    tools: int


class Counts:
    """Counts of one tokenizer for one provider's messages, remembered by content.

    Args:
        tokenizer: what texts are counted with.
        form: whose rules for images hold.
        model: the model's name, where it decides about images.
        known: counts of earlier processes, as `remembered` gave them.
    """

    def __init__(
        self, tokenizer: Tokenizer, *, form: Format, model: str = "", known: Mapping[str, int] | None = None
    ) -> None:
        self._tokenizer = tokenizer
        self._form, self._model = form, model
        self._known = dict(known or {})
        self._counted: dict[str, int] = {}
        self._last: tuple[Conversation, Tally] | None = None

    def texts(self, texts: Sequence[str]) -> list[int]:
        """Return the tokens of each text; those not known yet are counted in one batch."""
        counted = self._counted
        missing = [text for text in dict.fromkeys(texts) if text not in counted]
        if missing and self._known:
            missing = [text for text in missing if not self._recall(text)]
        if missing:
            counted.update(zip(missing, self._tokenizer.count(missing), strict=True))
        return [counted[text] for text in texts]

    def _recall(self, text: str) -> bool:
        tokens = self._known.get(_digest(text))
        if tokens is None:
            return False
        self._counted[text] = tokens
        return True

    def remembered(self, texts: Iterable[str] | None = None) -> dict[str, int]:
        """Return counts by a hash of their text, for a state file: of `texts`, or all there are."""
        chosen = self._counted if texts is None else [text for text in texts if text in self._counted]
        return {_digest(text): self._counted[text] for text in chosen}

    def messages(self, messages: Sequence[Message]) -> list[int]:
        """Return what each message costs, its frame included."""
        said = [self._texts_of(message) for message in messages]
        tokens = iter(self.texts(list(chain.from_iterable(said))))
        sums = [sum(islice(tokens, len(texts))) for texts in said]
        return [of_texts + self._frame(message) for of_texts, message in zip(sums, messages, strict=True)]

    def total(self, conversation: Conversation) -> Tally:
        """Return what the whole conversation costs, tools and the form of the answer included."""
        if self._last is not None and self._last[0] is conversation:
            return self._last[1]
        messages = tuple(self.messages(conversation.messages))
        request = conversation.request or {}
        told = [as_json(request[key], key) for key in _TOOLS if request.get(key)]
        tools = sum(self.texts(told))
        tally = Tally(START + sum(messages) + tools, messages, tools)
        self._last = conversation, tally
        return tally

    def _texts_of(self, message: Message) -> list[str]:
        found: list[str] = []
        for block in message.blocks:
            kind = block.kind
            if kind is BlockKind.CALL:
                found.append(block.name)
            if kind is BlockKind.OPAQUE:
                found.append(_opaque_text(block))
            elif not block.blocks:
                found.append(block.text)
            else:
                found += [inner.text for inner in block.blocks]
        return found

    def _frame(self, message: Message) -> int:
        """Return the tokens of a message that are no text: frames, images, what is attached."""
        results = texts = tokens = 0
        for block in message.blocks:
            kind = block.kind
            if kind is BlockKind.TEXT:
                texts += 1
            else:
                results += kind is BlockKind.RESULT
                tokens += self._extra(block)
        frames = results + (results < len(message.blocks) or not message.blocks)
        # texts of one message are joined by a line feed
        return tokens + MESSAGE * frames + max(0, texts - 1)

    def _extra(self, block: Block) -> int:
        if block.kind is BlockKind.CALL:
            return CALL
        if block.kind is BlockKind.IMAGE:
            return image_tokens(block, self._form, self._model)
        if block.kind is BlockKind.THINKING:
            return sealed_tokens(block.raw)
        if block.kind is BlockKind.DOCUMENT and not block.text and not block.blocks:
            return document_tokens(block)
        if block.kind is BlockKind.OPAQUE and block.name == "input_audio":
            return sound_tokens(block.raw)
        return self._inside(block)

    def _inside(self, block: Block) -> int:
        """Return what the blocks inside of a result or a document cost beside their texts."""
        if not block.blocks:
            return 0
        shown = sum(
            image_tokens(b, self._form, self._model) for b in block.blocks if b.kind is BlockKind.IMAGE
        )
        attached = sum(
            document_tokens(b) for b in block.blocks if b.kind is BlockKind.DOCUMENT and not b.text
        )
        return shown + attached + len(block.blocks) - 1


def _opaque_text(block: Block) -> str:
    if block.raw is None or block.name in ("input_audio", "refusal"):
        return block.text
    return as_json(block.raw, block.name)


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
