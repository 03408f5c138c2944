"""The built-in compressors."""

from satchel_plugins.compressors.delete import Delete
from satchel_plugins.compressors.hybrid import Hybrid
from satchel_plugins.compressors.mask import Mask
from satchel_plugins.compressors.summarize import Summarize
from satchel_plugins.compressors.truncate import Truncate

COMPRESSORS = (Delete, Hybrid, Mask, Summarize, Truncate)

__all__ = ["COMPRESSORS", "Delete", "Hybrid", "Mask", "Summarize", "Truncate"]
