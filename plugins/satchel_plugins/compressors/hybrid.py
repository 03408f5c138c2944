"""The default compressor: calls stay, results and long texts keep the lines that are worth most."""

from __future__ import annotations

from typing import ClassVar

import attrs

from satchel import Level
from satchel_plugins.compressors.shortening import Shortening


@attrs.frozen
class Hybrid(Shortening):
    """Keep calls, and of results and long texts the lines that are worth their tokens."""

    name: ClassVar[str] = "hybrid"
    levels: ClassVar[frozenset[Level]] = frozenset({Level.HEADERS, Level.EXCERPT, Level.FULL})
