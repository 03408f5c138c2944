"""The guard of a local model's window: two gauges, what each asks for, and who does it."""

from satchel.guarding.acting import Actions, Guard, poll
from satchel.guarding.gauges import (
    CELLS,
    MEMORY,
    Limits,
    OutOfMemory,
    Reading,
    Truncation,
    out_of_memory,
    truncation,
)

__all__ = [
    "CELLS",
    "MEMORY",
    "Actions",
    "Guard",
    "Limits",
    "OutOfMemory",
    "Reading",
    "Truncation",
    "out_of_memory",
    "poll",
    "truncation",
]
