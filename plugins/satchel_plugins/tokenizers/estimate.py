"""Estimated counts from features of the text: no vocabulary, no network, never 0 for a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import attrs

from satchel_plugins.tokenizers.cutting import cut
from satchel_plugins.tokenizers.features import features, fewest_tokens, text_kind

# A file that holds code and data is judged piece by piece, each by the weights of its kind.
_PIECE_CHARS = 60_000


@attrs.frozen(eq=False, repr=False)
class EstimateTokenizer:
    """Estimates o200k counts by a linear regression on counts of characters and borders.

    For vocabularies that aren't at hand; `docs/reference/tokenizers.md` has the measured errors.
    """

    name: ClassVar[str] = "estimate"

    @property
    def key(self) -> str:
        """Return a key of its own: an estimate must never be taken for a stored exact count."""
        return "estimate-1"

    @property
    def exact(self) -> bool:
        """Return False."""
        return False

    @property
    def error(self) -> float:
        """Return the share of the true count within which 90 % of all held-out files were."""
        from satchel_plugins.tokenizers.weights import ERROR

        return ERROR

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return about the tokens of each text, 0 for an empty one alone."""
        from satchel_plugins.tokenizers.weights import WEIGHTS

        return [estimate_with(WEIGHTS, text) for text in texts]


def estimate_with(weights: Mapping[str, Sequence[float]], text: str) -> int:
    """Return the sum of features times the weights of the text's kind, between the possible bounds."""
    return max(round(sum(_estimate(weights, piece) for piece in cut(text, _PIECE_CHARS))), 1) if text else 0


def _estimate(weights: Mapping[str, Sequence[float]], piece: str) -> float:
    counts = features(piece)
    row = weights[text_kind(counts).value]
    linear = sum(count * weight for count, weight in zip(counts, row, strict=True))
    # a byte is a token at least in part: no vocabulary of bytes has more tokens than bytes
    return min(max(linear, fewest_tokens(counts)), len(piece.encode("utf-8", "replace")))
