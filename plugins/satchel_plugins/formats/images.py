"""Tokens of an image by its provider's published rule, from its width and height."""

from __future__ import annotations

import base64
import binascii
import math
import struct
from typing import Any, NamedTuple

Size = tuple[int, int]
"""Width and height in pixels."""

# enough for most JPEGs, whose size stands behind the camera's notes and its thumbnail
_FIRST = 128 * 1024


def size_of_base64(text: str) -> Size | None:
    """Return the size of an image in base64, None if unknown."""
    found = _size_of(_decode(text[:_FIRST]))
    return found if found or len(text) <= _FIRST else _size_of(_decode(text))


def _decode(text: str) -> bytes:
    whole = text[: len(text) // 4 * 4]
    try:
        return base64.b64decode(whole)
    except (binascii.Error, ValueError):
        return b""


def _size_of(head: bytes) -> Size | None:
    readers = ((b"\x89PNG\r\n\x1a\n", _png), (b"GIF8", _gif), (b"RIFF", _webp), (b"\xff\xd8", _jpeg))
    try:
        found = next((read(head) for magic, read in readers if head.startswith(magic)), None)
    except (struct.error, IndexError):
        return None
    return found if found and min(found) > 0 else None


def _png(head: bytes) -> Size:
    width, height = struct.unpack(">II", head[16:24])
    return width, height


def _gif(head: bytes) -> Size:
    width, height = struct.unpack("<HH", head[6:10])
    return width, height


def _webp(head: bytes) -> Size | None:
    """Read the three kinds of WebP: lossy, lossless, extended (RFC 9649)."""
    kind = head[12:16]
    if kind == b"VP8 ":
        width, height = struct.unpack("<HH", head[26:30])
        return width & 0x3FFF, height & 0x3FFF
    if kind == b"VP8L":
        (bits,) = struct.unpack("<I", head[21:25])
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8X" and len(head) >= 30:
        return int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1
    return None


def _jpeg(head: bytes) -> Size | None:
    """Walk the segments up to the frame's header (ITU T.81, B.2.2)."""
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if marker == 0xFF:
            at += 1
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", head[at + 5 : at + 9])
            return width, height
        elif marker == 0x01 or 0xD0 <= marker <= 0xD8:
            at += 2
        else:
            at += 2 + max(2, int.from_bytes(head[at + 2 : at + 4], "big"))
    return None


class _Tiles(NamedTuple):
    """A price for the whole, and one for each square of 512 pixels."""

    whole: int
    tile: int


# OpenAI's guide to images: models that see tiles, and those that see patches of 32 pixels times a factor
_TILES = {
    "": _Tiles(85, 170),
    "gpt-4o-mini": _Tiles(2_833, 5_667),
    "gpt-5": _Tiles(70, 140),
    "o1": _Tiles(75, 150),
    "o3": _Tiles(75, 150),
    "computer-use": _Tiles(65, 129),
}
_PATCHES = {
    "gpt-4.1-mini": 1.62,
    "gpt-4.1-nano": 2.46,
    "gpt-5-mini": 1.62,
    "gpt-5-nano": 2.46,
    "o4-mini": 1.72,
}
_MOST_PATCHES = 1_536
_UNKNOWN: Size = (2_048, 768)
"""The dearest size for tiles: it is assumed for an image that only a URL or a file id names."""

# Anthropic's guide to vision: longest edge and most tokens; newer Opus models see finer images
_CLAUDE = (1_568, 1_600)
_CLAUDE_FINE = (2_576, 4_784)
_FINE = ("claude-opus-4-7", "claude-opus-4-8", "claude-opus-5", "claude-mythos")


def openai_tokens(size: Size | None, detail: str = "auto", model: str = "") -> int:
    """Return the tokens of an image for OpenAI's models; `auto` counts as `high`.

    Source: OpenAI's guide to images, "calculating costs".
    """
    name = model.lower().rsplit("/", 1)[-1]
    patched = max((known for known in _PATCHES if name.startswith(known)), key=len, default="")
    if patched:
        return math.ceil(_patches(size or (10_000, 10_000)) * _PATCHES[patched])
    price = _TILES[max((known for known in _TILES if name.startswith(known)), key=len)]
    if detail == "low":
        return price.whole
    return price.whole + price.tile * _tiles(size or _UNKNOWN)


def _tiles(size: Size) -> int:
    width, height = size
    fit = min(1.0, 2_048 / max(width, height))
    fit *= min(1.0, 768 / (min(width, height) * fit))
    return math.ceil(width * fit / 512 - 1e-9) * math.ceil(height * fit / 512 - 1e-9)


def _patches(size: Size) -> int:
    width, height = size
    patches = math.ceil(width / 32) * math.ceil(height / 32)
    if patches <= _MOST_PATCHES:
        return patches
    fit = math.sqrt(32 * 32 * _MOST_PATCHES / (width * height))
    across, down = width * fit / 32, height * fit / 32
    fit *= min(max(1, int(across)) / across, max(1, int(down)) / down)
    return min(_MOST_PATCHES, math.ceil(width * fit / 32 - 1e-9) * math.ceil(height * fit / 32 - 1e-9))


def claude_tokens(size: Size | None, model: str = "") -> int:
    """Return the tokens of an image for Anthropic's models: width x height / 750, once it is scaled down.

    Source: Anthropic's guide to vision.
    """
    name = model.lower().rsplit("/", 1)[-1]
    edge, most = _CLAUDE_FINE if name.startswith(_FINE) else _CLAUDE
    if size is None:
        return most
    fit = min(1.0, edge / max(size))
    return max(1, min(most, math.ceil(size[0] * fit * size[1] * fit / 750 - 1e-9)))


def count_openai_image(raw: Any, model: str) -> int:
    """Return the tokens of an image in OpenAI's formats."""
    return openai_tokens(_size_of_url(_url(raw)), _detail(raw), model)


def count_claude_image(raw: Any, model: str) -> int:
    """Return the tokens of an image in Anthropic's format."""
    source = raw.get("source") if isinstance(raw, dict) else None
    held = source.get("data") if isinstance(source, dict) else None
    return claude_tokens(size_of_base64(held) if isinstance(held, str) else None, model)


def _url(raw: Any) -> str:
    url = raw.get("image_url") if isinstance(raw, dict) else None
    url = url.get("url") if isinstance(url, dict) else url
    return url if isinstance(url, str) else ""


def _detail(raw: Any) -> str:
    holder = raw.get("image_url") if isinstance(raw, dict) else None
    given = holder.get("detail") if isinstance(holder, dict) else None
    given = given or (raw.get("detail") if isinstance(raw, dict) else None)
    return given if isinstance(given, str) else "auto"


def _size_of_url(url: str) -> Size | None:
    if not url.startswith("data:"):
        return None
    at = url.find(",", 0, 200)
    return size_of_base64(url[at + 1 :]) if at > 0 and url[:at].endswith(";base64") else None
