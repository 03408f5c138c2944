"""Compress by masking observations: calls stay, results give way to a mark."""

from __future__ import annotations

from typing import ClassVar

import attrs

from satchel import Level
from satchel_plugins.compressors.shortening import Shortening


@attrs.frozen
class Mask(Shortening):
    """Show old calls without their results."""

    name: ClassVar[str] = "mask"
    levels: ClassVar[frozenset[Level]] = frozenset({Level.HEADERS, Level.FULL})
