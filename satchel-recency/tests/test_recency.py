"""What every scorer promises, tried on this one; add facts of your own below."""

from satchel.testing.contracts import ScorerContract

from satchel_recency import Recency


class TestRecency(ScorerContract):
    """The contract of a scorer."""

    plugin = Recency
