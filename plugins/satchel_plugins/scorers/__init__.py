"""The built-in scorers."""

from satchel_plugins.scorers.history import History
from satchel_plugins.scorers.lexical import Lexical
from satchel_plugins.scorers.mentions import Mentions
from satchel_plugins.scorers.passages import Passages
from satchel_plugins.scorers.paths import Paths
from satchel_plugins.scorers.recency import Recency

SCORERS: tuple[type, ...] = (History, Lexical, Mentions, Passages, Paths, Recency)
