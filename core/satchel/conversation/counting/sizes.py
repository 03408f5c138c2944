"""Width and height of an image from the first bytes of its file: PNG, JPEG, GIF, WebP."""

from __future__ import annotations

import base64
import binascii
import struct

Size = tuple[int, int]
"""Width and height in pixels."""

# enough for most JPEGs, whose size stands behind the camera's notes and its thumbnail
_FIRST = 128 * 1024


def size_of_base64(text: str) -> Size | None:
    """Return the size of an image given as base64, None where it can't be told."""
    found = _size_of(_decoded(text[:_FIRST]))
    return found if found or len(text) <= _FIRST else _size_of(_decoded(text))


def _decoded(text: str) -> bytes:
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
