"""The two vocabularies that are at hand without a network, as a setting of the exact tokenizers."""

from __future__ import annotations

import attrs

from satchel import UnknownNameError

OFFLINE_ENCODINGS = ("cl100k_base", "o200k_base")


def check_encoding(instance: object, attribute: attrs.Attribute[str], value: str) -> None:
    """Raise UnknownNameError unless `value` names a vocabulary that is at hand; an attrs validator."""
    if value not in OFFLINE_ENCODINGS:
        raise UnknownNameError("encoding", value, OFFLINE_ENCODINGS)
