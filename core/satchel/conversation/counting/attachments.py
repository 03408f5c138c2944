"""Estimates for what is attached to a message and is no image: documents, sound, sealed thoughts."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from satchel.messages import Block
from satchel.patterns import lazily

PAGE = 3_000
"""Tokens of a page of a PDF: the upper end of what Anthropic names, its picture included."""
_PAGE_BYTES = 100_000
_PAGES = lazily(rb"/Type\s*/Page(?![A-Za-z])")
_SOUND_BYTES = 1_600
"""Bytes of sound for a token: ten tokens a second (OpenAI) at 128 kbit/s; a WAV is counted too high."""
_SEALED = 4
"""Characters of encrypted thoughts for a token: base64 adds a third to texts of four letters a token."""


def document_tokens(block: Block) -> int:
    """Return an estimate for a document whose text is not in the message: its pages, at least one."""
    return PAGE * pages(_held(block.raw))


def pages(held: str) -> int:
    """Return how many pages a PDF in base64 has: those it names, or one for every 100 kB."""
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


def sealed_tokens(raw: Any) -> int:
    """Return an estimate for thoughts that only the provider can read; a signature costs nothing."""
    sealed = (raw.get("encrypted_content") or raw.get("data")) if isinstance(raw, dict) else None
    return len(sealed) // _SEALED if isinstance(sealed, str) else 0


def _held(raw: Any) -> str:
    """Return the base64 of a document, "" where a URL or an id names it."""
    if not isinstance(raw, dict):
        return ""
    for holder, key in ((raw.get("source"), "data"), (raw.get("file"), "file_data"), (raw, "file_data")):
        value = holder.get(key) if isinstance(holder, dict) else None
        if isinstance(value, str):
            return value
    return ""
