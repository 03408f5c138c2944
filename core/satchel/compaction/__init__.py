"""Compaction: a conversation fits its window, and all text that was cut can be retrieved."""

from __future__ import annotations

from satchel.compaction.shares import Allocation, allocate
from satchel.compaction.state import State, Water
from satchel.compaction.windows import Cut, Window
from satchel.lazy_names import import_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel.compaction.cleaning import clean_document as clean_document
    from satchel.compaction.cutting import join_messages as join_messages
    from satchel.compaction.offloading import is_large as is_large
    from satchel.compaction.pieces import Library as Library
    from satchel.compaction.pieces import ReferenceReader as ReferenceReader
    from satchel.compaction.promises import find_intent as find_intent
    from satchel.compaction.promises import tells_failure as tells_failure
    from satchel.compaction.results import know_results as know_results
    from satchel.compaction.shares import contributor_shares as contributor_shares
    from satchel.compaction.shares import division_of as division_of
    from satchel.compaction.worth import Rules as Rules

__all__ = ["Allocation", "Cut", "State", "Water", "Window", "allocate"]

__getattr__ = import_on_first_use(__name__, __file__)
