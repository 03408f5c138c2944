"""Tokenizers: how many tokens a text costs, exactly or nearly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from satchel_plugins.tokenizers.estimate import EstimateTokenizer
from satchel_plugins.tokenizers.offline import OfflineTokenizer
from satchel_plugins.tokenizers.tiktoken_ import TiktokenTokenizer

if TYPE_CHECKING:
    from satchel import Tokenizer

TOKENIZERS: tuple[type[Tokenizer], ...] = (EstimateTokenizer, OfflineTokenizer, TiktokenTokenizer)
