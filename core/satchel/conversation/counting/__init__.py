"""Tokens of messages: texts counted once per content, images and documents by their provider's rule."""

from __future__ import annotations

from satchel.conversation.counting.calibrating import calibrated, calibration
from satchel.conversation.counting.counts import Counts, Tally

__all__ = ["Counts", "Tally", "calibrated", "calibration"]
