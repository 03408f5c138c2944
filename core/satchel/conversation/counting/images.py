"""Tokens of an image by its provider's published rule."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from satchel.conversation.counting.sizes import Size, size_of_base64
from satchel.messages import Block, Format


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
"""The dearest size there is for tiles: what an image is taken for that only a URL or a file id names."""

# Anthropic's guide to vision: longest edge and most tokens; newer Opus models see finer images
_CLAUDE = (1_568, 1_600)
_CLAUDE_FINE = (2_576, 4_784)
_FINE = ("claude-opus-4-7", "claude-opus-4-8", "claude-opus-5", "claude-mythos")
# what the larger vision models that Ollama runs take for a tile (Llama 3.2 Vision); it has no rule of its own
_OLLAMA = 1_601


def image_tokens(block: Block, form: Format, model: str = "") -> int:
    """Return the tokens of an image; one whose size can't be told counts as the dearest."""
    raw = block.raw
    if form is Format.OLLAMA:
        return _OLLAMA
    if form is Format.ANTHROPIC:
        return claude_tokens(_anthropic_size(raw), model)
    return openai_tokens(_size_of_url(_url(raw)), _detail(raw), model)


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


def _anthropic_size(raw: Any) -> Size | None:
    source = raw.get("source") if isinstance(raw, dict) else None
    held = source.get("data") if isinstance(source, dict) else None
    return size_of_base64(held) if isinstance(held, str) else None
