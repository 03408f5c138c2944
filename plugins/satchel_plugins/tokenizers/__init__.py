"""Tokenizers: how many tokens a text costs, exactly or nearly."""

from __future__ import annotations

from satchel.plugin_api import Later

TOKENIZERS = (
    Later("estimate", "satchel_plugins.tokenizers.estimate:EstimateTokenizer"),
    Later("offline", "satchel_plugins.tokenizers.offline:OfflineTokenizer"),
    Later("tiktoken", "satchel_plugins.tokenizers.tiktoken_:TiktokenTokenizer"),
)
"""Each is imported when something may need it."""
