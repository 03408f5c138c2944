"""Estimated counts from features of the text: no vocabulary, no network, never 0 for a text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

import attrs

from satchel_plugins.tokenizers.vocabulary import cut

# Each byte of the text becomes one of these letters: (l)ower, (u)pper, (d)igit, (n)ewline, (s)pace,
# (p)unctuation; of other scripts the byte that begins a character: L(a)tin with marks, Greek and
# Cyrilli(c), (r)ight-to-left and others of two bytes, (i)ndic, (j) more of South Asia and Ethiopia,
# (o)ther signs, (k)ana, (h)an, han(g)ul, (e)moji; (x) the bytes that continue a character.
_ASCII = {
    "l": b"abcdefghijklmnopqrstuvwxyz",
    "u": b"ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "d": b"0123456789",
    "n": b"\r\n",
    "s": b" \t\v\f",
}
_LEADS = {
    "x": range(0x80, 0xC0),
    "a": range(0xC0, 0xCC),
    "c": range(0xCC, 0xD7),
    "r": range(0xD7, 0xE0),
    "i": range(0xE0, 0xE1),
    "j": range(0xE1, 0xE2),
    "o": chain(range(0xE2, 0xE3), range(0xEE, 0xF0)),
    "k": range(0xE3, 0xE4),
    "h": range(0xE4, 0xEA),
    "g": range(0xEA, 0xEE),
    "e": range(0xF0, 0x100),
}


def _table() -> bytes:
    letters = bytearray(b"p" * 256)
    for letter, members in chain(_ASCII.items(), _LEADS.items()):
        for byte in members:
            letters[byte] = ord(letter)
    return bytes(letters)


_CLASS_OF = _table()

_CLASSES = tuple("ludsnpacrijokhge")
_BORDERS = (
    *("sl", "pl", "nl", "ul", "dl", "lu", "su", "pu", "nu", "du", "sd", "pd", "ld", "nd"),
    *("ud", "lp", "sp", "np", "dp", "up", "pp", "ps", "pn", "ns", "ls", "xs", "sx"),
)
_RUNS = ("llll", "l" * 6, "l" * 9, "uuu", "ddd", "s" * 4, "s" * 12, "nn", "ppp", "p" * 8, "ull", "axl")
# what common English words are made of: a text in another language has more tokens a word
_LETTERS = ("th", "he", "in", "er", "re", "on", "ti", "at", "es", "ing", "the")

# by the bytes they begin with: emoji, and Tibetan, Odia, Ethiopic and Cherokee, of which the
# vocabularies hold next to nothing
_RARE = (
    *(b"\xf0\x9f", b"\xe0\xbd", b"\xe0\xbe", b"\xe0\xac", b"\xe0\xad"),
    *(b"\xe1\x88", b"\xe1\x8a", b"\xe1\x8b", b"\xe1\x8e", b"\xe1\x8f"),
)

FEATURES = (
    *_CLASSES,
    *_BORDERS,
    *_RUNS,
    *(f"={letters}" for letters in _LETTERS),
    *(f"={start.hex()}" for start in _RARE),
)
"""Names of the features in the order in which `features` counts them."""

_PATTERNS = tuple(name.encode() for name in (*_CLASSES, *_BORDERS, *_RUNS))
_LITERALS = (*(letters.encode() for letters in _LETTERS), *_RARE)
_DIGIT, _CAPITAL, _SPACE, _NEWLINE = (_CLASSES.index(letter) for letter in "dusn")
_MARK, _FIRST_FOREIGN = _CLASSES.index("p"), _CLASSES.index("a")


class TextKind(Enum):
    """Kinds of text that have weights of their own."""

    PLAIN = "plain"
    MARKED = "marked"
    DENSE = "dense"
    FOREIGN = "foreign"


def features(text: str) -> list[int]:
    """Return the counts of FEATURES in `text`, in time linear in its size (about 15 MB/s)."""
    encoded = text.encode("utf-8", "replace")
    classes = encoded.translate(_CLASS_OF)
    return [*(classes.count(pattern) for pattern in _PATTERNS), *(encoded.count(seen) for seen in _LITERALS)]


def text_kind(counts: list[int]) -> TextKind:
    """Return the kind of a text, by its features: dense is base64, numbers and the like."""
    characters = sum(counts[: len(_CLASSES)])
    ink = max(1, characters - counts[_SPACE] - counts[_NEWLINE])
    if sum(counts[_FIRST_FOREIGN : len(_CLASSES)]) > 0.1 * ink:
        return TextKind.FOREIGN
    if counts[_DIGIT] + 0.5 * counts[_CAPITAL] > 0.2 * ink:
        return TextKind.DENSE
    return TextKind.MARKED if counts[_MARK] > 0.2 * ink else TextKind.PLAIN


def fewest_tokens(counts: list[int]) -> float:
    """Return a floor for a text's tokens, so that no odd text is estimated at next to nothing.

    A word has a token for each 10 letters, a run of blanks or marks one for each 128 of them, other
    scripts one for each 5 characters; each is more than the longest tokens of the vocabularies need.
    """
    blank = counts[_SPACE] + counts[_NEWLINE] + counts[_MARK]
    foreign = sum(counts[_FIRST_FOREIGN : len(_CLASSES)])
    ascii_letters = sum(counts[:_FIRST_FOREIGN]) - blank
    return ascii_letters / 10 + blank / 128 + foreign / 5


@cache
def _load_fit() -> dict[str, Any]:
    """Return the error, and the weights of FEATURES by kind, which `calibrate_estimator.py` fits."""
    table: dict[str, Any] = json.loads(Path(__file__).with_name("estimate.json").read_text(encoding="utf-8"))
    return table


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
        return float(_load_fit()["error"])

    def count(self, texts: Sequence[str]) -> list[int]:
        """Estimate the tokens of each text; only an empty one has 0."""
        return [estimate_with(_load_fit()["weights"], text) for text in texts]


def estimate_with(weights: Mapping[str, Sequence[float]], text: str) -> int:
    """Return the sum of features times the weights of the text's kind, between the possible bounds."""
    return max(round(sum(_estimate(weights, piece) for piece in cut(text, _PIECE_CHARS))), 1) if text else 0


def _estimate(weights: Mapping[str, Sequence[float]], piece: str) -> float:
    counts = features(piece)
    row = weights[text_kind(counts).value]
    linear = sum(count * weight for count, weight in zip(counts, row, strict=True))
    # a byte is a token at least in part: no vocabulary of bytes has more tokens than bytes
    return min(max(linear, fewest_tokens(counts)), len(piece.encode("utf-8", "replace")))
