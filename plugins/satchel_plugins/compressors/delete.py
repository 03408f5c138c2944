"""Compress by deleting lines: what stays stands word for word."""

from __future__ import annotations

from typing import ClassVar

import attrs

from satchel import Level
from satchel_plugins.compressors.shortening import Shortening


@attrs.frozen
class Delete(Shortening):
    """Delete lines and whole exchanges; nothing is rephrased, nothing is added but marks."""

    name: ClassVar[str] = "delete"
    levels: ClassVar[frozenset[Level]] = frozenset({Level.EXCERPT, Level.FULL})
