"""Compaction: a conversation fits its window, and all that was cut from it can be had back."""

from __future__ import annotations

from satchel.compaction.shares import Allocation, allocate
from satchel.compaction.state import State, Water
from satchel.compaction.windows import Cut, Window

__all__ = ["Allocation", "Cut", "State", "Water", "Window", "allocate"]
