"""Edits of a session: how much one changed, and how and how long a window shows it."""

from __future__ import annotations

from satchel.session.edits.measuring import Magnitude, measure
from satchel.session.edits.recording import LIVES, Edit, Life, decide, edits_of, record_edit

__all__ = ["LIVES", "Edit", "Life", "Magnitude", "decide", "edits_of", "measure", "record_edit"]
