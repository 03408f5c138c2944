"""Conversations: providers' formats, exchanges, repair, validity, and counts."""

from __future__ import annotations

from satchel.conversation.counting import Counts, Tally, calibration, compute_calibration
from satchel.conversation.documents import AUTO, Formats, dump, parse, write
from satchel.conversation.pairing import Repaired, exchanges_of, flaws_of, read_arguments, repair
from satchel.conversation.wrappers import find_spoken, is_summary, spoken
from satchel.lazy_names import import_on_first_use
from satchel.messages import Flaw

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel.conversation.transcripts import find_transcript as find_transcript

__all__ = [
    "AUTO",
    "Counts",
    "Flaw",
    "Formats",
    "Repaired",
    "Tally",
    "calibration",
    "compute_calibration",
    "dump",
    "exchanges_of",
    "find_spoken",
    "flaws_of",
    "is_summary",
    "parse",
    "read_arguments",
    "repair",
    "spoken",
    "write",
]

__getattr__ = import_on_first_use(__name__, __file__)
