"""A conversation on its way to a model: secrets become marks, old thoughts and colours are left out."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import attrs

from satchel.compaction.state import Digests
from satchel.compaction.windows import Cut, Window
from satchel.conversation import find_spoken
from satchel.conversation.cache_marks import CacheMarks, put_marks, take_marks
from satchel.escaping import CSI
from satchel.messages import Block, BlockKind, Conversation, Message
from satchel.patterns import lazily
from satchel.redaction.scanning import Scanners

_BORDER = "\n\0\n"
"""Separator between texts that are scanned together."""
_AS_THEY_ARE = frozenset(
    {"call_id", "id", "media_type", "mime_type", "model", "name", "role", "tool_call_id", "tool_use_id"}
    | {"type"}
)
"""Keys whose values are names and numbers assigned by a provider."""
_SIGNED = frozenset({"encrypted_content", "signature", "thought_signature", "thoughtSignature"})
"""Keys beside which nothing may change: the provider refuses content that it has not signed."""
_ATTACHED = frozenset({"base64", "redacted_thinking"})
"""Types of blocks that hold data instead of text."""
_MOST_KNOWN = 50_000
_known: OrderedDict[bytes, None] = OrderedDict()
"""Hashes of texts and messages without a secret: a conversation comes in again with every turn."""
REASON = "shortened: thoughts of an earlier turn"
_STYLE = lazily(rf"{CSI}m")
"""Sequences that set the colour and weight of text on a terminal."""


class Prepared(NamedTuple):
    """A conversation in the form in which it is recognised and compacted."""

    messages: Any
    """A list of messages, or the request that holds them, without secrets and marks of a prompt cache."""
    marked: list[tuple[Any, Any]]
    """The cache marks that `finish` puts back."""
    digests: Digests
    """Digests of its messages, each made once."""
    marks: CacheMarks
    """How cache marks look."""
    given: Any
    """The document as it came in."""
    has_secrets: bool
    """Whether a secret in it was replaced."""

    @property
    def document(self) -> Any:
        """Return the document without secrets, with its marks; the very same object if it has no secret."""
        return put_marks(self.messages, self.marked, self.marks) if self.has_secrets else self.given

    def finish(self, window: Window) -> Window:
        """Return a window of these messages with the marks of the prompt cache that they had."""
        if not self.marked:
            return window
        return attrs.evolve(window, messages=put_marks(window.messages, self.marked, self.marks))


def prepare(document: Any, scanners: Scanners, marks: CacheMarks, *, is_kept: bool = False) -> Prepared:
    """Return messages, or the request that holds them, as they are compacted.

    `is_kept` says that the conversation has a state, so digests are made anyway: messages that came in before
    are recognised by them, and not read again.
    """
    bare, marked = take_marks(document, marks)
    digests = Digests()
    messages = _clean_new(bare, scanners, digests) if is_kept else clean_document(bare, scanners)
    if messages is not bare:  # what is marked may have had a secret
        marked = [(clean_document(one, scanners), clean_document(was, scanners)) for one, was in marked]
    return Prepared(messages, marked, digests, marks, document, messages is not bare)


def find_items(document: Any) -> Any:
    """Return the list of messages without knowing its format: the longest list that a request has."""
    if not isinstance(document, dict):
        return document
    named = next((document[key] for key in ("messages", "input") if key in document), None)
    lists = [value for value in document.values() if isinstance(value, list)]
    return max(lists, key=len, default=None) if named is None else named


def _clean_new(document: Any, scanners: Scanners, digests: Digests) -> Any:
    """Return a document without secrets, as `clean_document` does; clean messages are not read again."""
    items = find_items(document)
    if not isinstance(items, list):
        return clean_document(document, scanners)
    seen = [f"{scanners.key} {digest}".encode() for digest in digests.of(items)]
    new = [item for item, digest in zip(items, seen, strict=True) if digest not in _known]
    unread = (
        {key: new if value is items else value for key, value in document.items()}
        if document is not items
        else new
    )
    changed = clean_texts(_texts(unread), scanners)
    cleaned = _replace_texts(document, changed) if changed else document
    pairs = zip(items, find_items(cleaned), seen, strict=True)
    _remember(digest for item, clean, digest in pairs if item == clean)
    return cleaned


def clean_document(document: Any, scanners: Scanners) -> Any:
    """Return messages, or the request that holds them, without secrets; the same object if there is none.

    What a provider signed, ids and attached data stay as they are.
    """
    changed = clean_texts(_texts(document), scanners)
    return _replace_texts(document, changed) if changed else document


def clean_texts(texts: Iterable[str], scanners: Scanners) -> dict[str, str]:
    """Return the redacted form of each text that holds a secret; do not read known clean texts again."""
    new = {digest: text for text in texts if (digest := _digest(text, scanners)) not in _known}
    changed = _redact_texts(list(new.values()), scanners) if new else {}
    _remember(digest for digest, text in new.items() if text not in changed)
    return changed


def _remember(digests: Iterable[bytes]) -> None:
    _known.update(dict.fromkeys(digests))
    while len(_known) > _MOST_KNOWN:
        with contextlib.suppress(KeyError):  # another thread drops some too
            _known.popitem(last=False)


def _digest(text: str, scanners: Scanners) -> bytes:
    content = text.encode("utf-8", "surrogatepass")
    return blake2b(content, digest_size=16, key=scanners.key.encode()[:64]).digest()


def _redact_texts(texts: Sequence[str], scanners: Scanners) -> dict[str, str]:
    """Return the redacted form of each text with a secret; scan all at once, then suspects one by one."""
    suspects: Iterable[str] = texts
    if not scanners.found:
        joined = _BORDER.join(texts)
        left = scanners.redact(joined).text
        if left is joined:
            return {}
        pieces = left.split(_BORDER)
        if len(pieces) == len(texts):
            suspects = [text for text, piece in zip(texts, pieces, strict=True) if text != piece]
    clean = {text: scanners.redact(text).text for text in dict.fromkeys(suspects)}
    return {text: left for text, left in clean.items() if left != text}


def _texts(value: Any) -> Iterator[str]:
    """Yield the prose in a value; lists may be nested deeply; a text in two places is read once."""
    waiting, seen = [value], set()
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            if one and not one.startswith("data:"):
                yield one
            continue
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, Mapping):
            waiting += list(_select_prose(one).values())
        elif isinstance(one, list | tuple):
            waiting += one


def _select_prose(table: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the entries of an object that hold prose."""
    if not _SIGNED.isdisjoint(table) or str(table.get("type")) in _ATTACHED:
        return {}
    return {key: value for key, value in table.items() if key not in _AS_THEY_ARE}


def _replace_texts(value: Any, changed: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return changed.get(value, value)
    if isinstance(value, Mapping):
        spoken = _select_prose(value)
        return {
            key: _replace_texts(inner, changed) if key in spoken else inner for key, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [_replace_texts(inner, changed) for inner in value]
    return value


def drop_old_thoughts(conversation: Conversation) -> Conversation:
    """Return a conversation without thoughts before the newest request.

    Providers leave them out themselves. They stay in a message that has nothing else, and where other items
    name them, as in Responses.
    """
    messages = conversation.messages
    said = [at for at, one in enumerate(messages) if one.role == "user" and find_spoken(one)]
    if not said or conversation.format.rules.items:
        return conversation
    shown = (*map(_drop_thoughts, messages[: said[-1]]), *messages[said[-1] :])
    return attrs.evolve(conversation, messages=shown)


def _drop_thoughts(message: Message) -> Message:
    left = tuple(block for block in message.blocks if block.kind is not BlockKind.THINKING)
    return attrs.evolve(message, blocks=left) if left and len(left) < len(message.blocks) else message


def drop_colours(conversation: Conversation) -> Conversation:
    """Return a conversation without the colours of outputs: to a model they are noise that costs tokens."""
    return attrs.evolve(conversation, messages=tuple(map(_drop_colours, conversation.messages)))


def _drop_colours(message: Message) -> Message:
    if message.role != "tool" or not any("\x1b[" in block.text for block in message.blocks):
        return message
    return attrs.evolve(message, blocks=tuple(map(_drop_colours_of_block, message.blocks)))


def _drop_colours_of_block(block: Block) -> Block:
    is_text = all(inner.kind is BlockKind.TEXT for inner in block.blocks)
    if block.kind is not BlockKind.RESULT or block.fixed or not is_text:
        return block
    text = _STYLE.sub("", block.text)
    return block.with_text(text) if text != block.text else block


def iter_thoughtless(
    before: Sequence[Message],
    after: Sequence[Message],
    count: Callable[[Sequence[Message]], Sequence[int]],
    address: Callable[[Message], str],
) -> Iterator[Cut]:
    """Yield the messages that lost nothing but their thoughts."""
    changed = [pair for pair in zip(before, after, strict=True) if len(pair[0].blocks) > len(pair[1].blocks)]
    whole, kept = count([one for one, _ in changed]), count([one for _, one in changed])
    for (message, _), tokens, left in zip(changed, whole, kept, strict=True):
        yield Cut(message.index, message.role, tokens, left, REASON, address(message))
