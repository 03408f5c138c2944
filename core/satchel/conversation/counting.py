"""Tokens of messages: texts counted once per content, images and documents by their provider's rule."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from itertools import accumulate, chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from satchel.conversation.documents import as_json
from satchel.messages import Block, BlockKind, Conversation, Message
from satchel.patterns import lazily

if TYPE_CHECKING:
    from satchel.interfaces import MessageFormat, Tokenizer


PAGE = 3_000
"""Tokens of a page of a PDF: the upper end of Anthropic's range, its picture included."""
_PAGE_BYTES = 100_000
_PAGES = lazily(rb"/Type\s*/Page(?![A-Za-z])")
_SOUND_BYTES = 1_600
"""Bytes of sound for a token: ten tokens a second (OpenAI) at 128 kbit/s; a WAV is counted too high."""
_SEALED = 4
"""Characters of encrypted thoughts for a token: base64 adds a third to texts of four letters a token."""


def document_tokens(block: Block) -> int:
    """Return an estimate for a document whose text is not in the message: its pages, at least one."""
    return PAGE * pages(_find_base64(block.raw))


def pages(held: str) -> int:
    """Return the number of pages of a PDF in base64: its stated number, or one for every 100 kB."""
    comma = held.find(",", 0, 200)
    encoded = held[comma + 1 :] if held.startswith("data:") and comma > 0 else held
    try:
        named = len(_PAGES.findall(base64.b64decode(encoded)))
    except (binascii.Error, ValueError):
        named = 0
    return named or max(1, -(-len(encoded) * 3 // 4 // _PAGE_BYTES))


def sound_tokens(raw: Any) -> int:
    """Return an estimate for recorded sound."""
    held = raw.get("input_audio") if isinstance(raw, dict) else None
    encoded = held.get("data") if isinstance(held, dict) else None
    return len(encoded) * 3 // 4 // _SOUND_BYTES + 1 if isinstance(encoded, str) else 1


def estimate_hidden_thoughts(raw: Any) -> int:
    """Return an estimate for thoughts that only the provider can read; a signature costs nothing."""
    sealed = (raw.get("encrypted_content") or raw.get("data")) if isinstance(raw, dict) else None
    return len(sealed) // _SEALED if isinstance(sealed, str) else 0


def _find_base64(raw: Any) -> str:
    """Return the base64 of a document, "" if a URL or an id names it."""
    if not isinstance(raw, dict):
        return ""
    for holder, key in ((raw.get("source"), "data"), (raw.get("file"), "file_data"), (raw, "file_data")):
        value = holder.get(key) if isinstance(holder, dict) else None
        if isinstance(value, str):
            return value
    return ""


# 3 + sum(4 + content + sum over calls (8 + name + arguments)): OpenAI's published count of chat messages,
# with the call's frame measured
START, MESSAGE, CALL = 3, 4, 8
_TOOLS = ("tools", "functions", "response_format", "format", "text", "output_format", "output_config")


class Tally(NamedTuple):
    """The tokens of a conversation; `total` is the start, all messages and `tools`."""

    total: int
    messages: tuple[int, ...]
    tools: int


class Counts:
    """Counts of one tokenizer for one provider's messages, remembered by content.

    Args:
        tokenizer: the counter of texts.
        form: the format with the rules for images; without one, images count nothing.
        model: the model's name, if it matters for images.
    """

    def __init__(self, tokenizer: Tokenizer, *, form: MessageFormat | None, model: str = "") -> None:
        self._tokenizer = tokenizer
        self._form, self._model = form, model
        self._counted: dict[str, int] = {}
        self._costs: dict[int, tuple[Message, int]] = {}
        """Messages and their tokens, by their `id()`."""
        self._last: tuple[Conversation, Tally] | None = None

    def texts(self, texts: Sequence[str]) -> list[int]:
        """Return the tokens of each text; those not known yet are counted in one batch."""
        counted = self._counted
        missing = [text for text in dict.fromkeys(texts) if text not in counted]
        if missing:
            counted.update(zip(missing, self._tokenizer.count(missing), strict=True))
        return [counted[text] for text in texts]

    def messages(self, messages: Sequence[Message]) -> list[int]:
        """Return the tokens of each message, its frame included; each is counted once until `forget`."""
        costs = self._costs
        new = [message for message in messages if id(message) not in costs]
        said = [self._texts_of(message) for message in new]
        tokens = iter(self.texts(list(chain.from_iterable(said))))
        for message, texts in zip(new, said, strict=True):
            # the message is held too, so that no other one gets its address
            costs[id(message)] = message, sum(islice(tokens, len(texts))) + self._frame(message)
        return [costs[id(message)][1] for message in messages]

    def forget(self) -> None:
        """Release the messages; the counts of texts stay."""
        self._costs, self._last = {}, None

    def total(self, conversation: Conversation) -> Tally:
        """Return the tokens of the whole conversation, with tools and the frame of the answer."""
        last = self._last
        if last is not None and last[0] is conversation:
            return last[1]
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
        """Return the tokens of a message that are not text: frames, images, attachments."""
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
            return self._image(block)
        if block.kind is BlockKind.THINKING:
            return estimate_hidden_thoughts(block.raw)
        if block.kind is BlockKind.DOCUMENT and not block.text and not block.blocks:
            return document_tokens(block)
        if block.kind is BlockKind.OPAQUE and block.name == "input_audio":
            return sound_tokens(block.raw)
        return self._inside(block)

    def _image(self, block: Block) -> int:
        return self._form.image_tokens(block, self._model) if self._form else 0

    def _inside(self, block: Block) -> int:
        """Return the tokens of the blocks inside a result or a document besides their texts."""
        if not block.blocks:
            return 0
        shown = sum(self._image(b) for b in block.blocks if b.kind is BlockKind.IMAGE)
        attached = sum(
            document_tokens(b) for b in block.blocks if b.kind is BlockKind.DOCUMENT and not b.text
        )
        return shown + attached + len(block.blocks) - 1


def _opaque_text(block: Block) -> str:
    if block.raw is None or block.name in ("input_audio", "refusal"):
        return block.text
    return as_json(block.raw, block.name)


LEAST, MOST = 0.5, 4.0
"""Bounds of the factor: the dearest vocabulary known counts 2.3 times ours, more is a mistake somewhere."""
_SURE = 200
"""Counted tokens below which a report is more about the frame than about the text."""
_INPUT = ("prompt_tokens", "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def calibration(conversation: Conversation, counts: Counts) -> float:
    """Return the provider's tokens for each counted one, by the newest answer that keeps its `usage`.

    `usage` is from the provider's response, kept beside the message: its input tokens are compared with the
    count of everything before. 1.0 if no message keeps one.
    """
    messages = conversation.messages
    reports = [(at, said) for at, one in enumerate(messages) if (said := read_usage(one.raw))]
    if not reports:  # known before anything is counted
        return 1.0
    tally = counts.total(conversation)
    sums = list(accumulate(tally.messages, initial=START + tally.tools))
    for at, reported in reversed(reports):
        if sums[at] >= _SURE:
            return compute_calibration(reported, sums[at])
    return 1.0


def compute_calibration(reported: int, counted: int) -> float:
    """Return the factor from `counted` tokens to the provider's `reported` ones, within bounds."""
    known = max(1, counted)
    return max(LEAST, min(reported, int(MOST) * known) / known)  # the reported number may have any size


def read_usage(raw: Any) -> int:
    """Return the input tokens in a message's usage, cached ones included; 0 if it has none."""
    if not isinstance(raw, dict) or ("usage" not in raw and "prompt_eval_count" not in raw):
        return 0
    usage = raw.get("usage")
    plain = usage if isinstance(usage, dict) else {"input_tokens": raw.get("prompt_eval_count")}
    given = [plain.get(key) for key in _INPUT]
    return sum(value for value in given if isinstance(value, int) and value > 0)
