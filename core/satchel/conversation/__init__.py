"""Conversations: providers' formats, exchanges, repair, validity, and counts."""

from __future__ import annotations

from satchel.conversation.counting import Counts, Tally, calibrated, calibration
from satchel.conversation.documents import FORMATS, dump, parse, read, write
from satchel.conversation.exchanges import exchanges_of
from satchel.conversation.pairing import Flaw
from satchel.conversation.repair import Repaired, flaws_of, repair
from satchel.conversation.storing import restored, stored

__all__ = [
    "FORMATS",
    "Counts",
    "Flaw",
    "Repaired",
    "Tally",
    "calibrated",
    "calibration",
    "dump",
    "exchanges_of",
    "flaws_of",
    "parse",
    "read",
    "repair",
    "restored",
    "stored",
    "write",
]
