"""Conversations: providers' formats, exchanges, repair, validity, and counts."""

from __future__ import annotations

from satchel.conversation.counting import Counts, Tally, calibration, compute_calibration
from satchel.conversation.documents import FORMATS, dump, list_all_messages, parse, read, write
from satchel.conversation.exchanges import exchanges_of
from satchel.conversation.pairing import Flaw
from satchel.conversation.repair import Repaired, flaws_of, repair
from satchel.conversation.storing import structure_messages, unstructure_messages
from satchel.conversation.wrappers import find_spoken, is_summary, spoken

__all__ = [
    "FORMATS",
    "Counts",
    "Flaw",
    "Repaired",
    "Tally",
    "calibration",
    "compute_calibration",
    "dump",
    "exchanges_of",
    "find_spoken",
    "flaws_of",
    "is_summary",
    "list_all_messages",
    "parse",
    "read",
    "repair",
    "spoken",
    "structure_messages",
    "unstructure_messages",
    "write",
]
