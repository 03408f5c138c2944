"""Tokenizers: how many tokens a text costs, exactly or nearly."""

from __future__ import annotations

from satchel.plugin_api import Later, import_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel_plugins.tokenizers.offline import OfflineTokenizer as OfflineTokenizer
    from satchel_plugins.tokenizers.tiktoken_ import TiktokenTokenizer as TiktokenTokenizer
    from satchel_plugins.tokenizers.tiktoken_ import count_in_pieces as count_in_pieces
    from satchel_plugins.tokenizers.tiktoken_ import load_encoding as load_encoding
    from satchel_plugins.tokenizers.vocabulary import cache_folders as cache_folders
    from satchel_plugins.tokenizers.vocabulary import find_table as find_table
    from satchel_plugins.tokenizers.vocabulary import keep_ranks as keep_ranks
    from satchel_plugins.tokenizers.vocabulary import read_ranks as read_ranks
    from satchel_plugins.tokenizers.vocabulary import rebuild_table as rebuild_table
    from satchel_plugins.tokenizers.vocabulary import repair_surrogates as repair_surrogates
    from satchel_plugins.tokenizers.vocabulary import store_table as store_table
    from satchel_plugins.tokenizers.vocabulary import table_name as table_name
    from satchel_plugins.tokenizers.vocabulary import tokens_of as tokens_of

TOKENIZERS = (
    Later("estimate", "satchel_plugins.tokenizers.estimate:EstimateTokenizer"),
    Later("offline", "satchel_plugins.tokenizers.offline:OfflineTokenizer"),
    Later("tiktoken", "satchel_plugins.tokenizers.tiktoken_:TiktokenTokenizer"),
)
"""Each is imported when it may be needed."""

__getattr__ = import_on_first_use(__name__, __file__)
