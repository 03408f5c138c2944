"""Messages as plain JSON values and back, for state files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import attrs

from satchel.errors import ConversationError
from satchel.messages import Block, Message

if TYPE_CHECKING:
    from cattrs import Converter


@cache
def _converter() -> Converter:
    """Return the converter of messages; `raw` is JSON already and passes through."""
    import cattrs
    from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

    converter = cattrs.Converter(forbid_extra_keys=True, detailed_validation=False)
    raw = override(unstruct_hook=lambda value: value, struct_hook=lambda value, _: value)
    left = override(omit=True)
    converter.register_unstructure_hook(
        Block, make_dict_unstructure_fn(Block, converter, _cattrs_omit_if_default=True, raw=raw)
    )
    converter.register_structure_hook(Block, make_dict_structure_fn(Block, converter, raw=raw))
    converter.register_unstructure_hook(
        Message,
        make_dict_unstructure_fn(Message, converter, _cattrs_omit_if_default=True, raw=raw, original=left),
    )
    converter.register_structure_hook(
        Message, make_dict_structure_fn(Message, converter, raw=raw, original=left)
    )
    return converter


def unstructure_messages(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Return messages as values for JSON; `read` is the positions of the blocks that were not changed."""
    converter = _converter()
    return [
        {**converter.unstructure(message), "read": _find_original_blocks(message)} for message in messages
    ]


def _find_original_blocks(message: Message) -> list[int] | None:
    if message.blocks is message.original:
        return None
    read = {id(block) for block in message.original}
    return [at for at, block in enumerate(message.blocks) if id(block) in read]


def structure_messages(values: Sequence[Any]) -> tuple[Message, ...]:
    """Return the messages of `unstructure_messages`; ConversationError for other values."""
    converter = _converter()
    return tuple(_restore_message(value, at, converter) for at, value in enumerate(values))


def _restore_message(value: Any, at: int, converter: Converter) -> Message:
    from cattrs.errors import BaseValidationError, ForbiddenExtraKeysError

    broken = (
        BaseValidationError,
        ForbiddenExtraKeysError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    )
    try:
        plain = dict(value)
        read = plain.pop("read")
        message = converter.structure(plain, Message)
        kept = message.blocks if read is None else tuple(message.blocks[number] for number in read)
    except broken as error:
        raise ConversationError(
            f"stored message {at}", f"can't be read ({str(error).partition(chr(10))[0]})"
        ) from None
    return attrs.evolve(message, original=kept)
