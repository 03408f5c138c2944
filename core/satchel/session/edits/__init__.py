"""Edits of a session: how much one changed, how a window shows it, and for how long."""

from __future__ import annotations

from satchel.session.edits.measuring import Magnitude, measure
from satchel.session.edits.recording import Edit, Life, Lives, decide, edits_of, record_edit

__all__ = ["Edit", "Life", "Lives", "Magnitude", "decide", "edits_of", "measure", "record_edit"]
