"""Estimated counts from features of the text: no vocabulary, no network, never 0 for a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from itertools import chain
from typing import ClassVar

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
    "sl",
    "pl",
    "nl",
    "ul",
    "dl",
    "lu",
    "su",
    "pu",
    "nu",
    "du",
    "sd",
    "pd",
    "ld",
    "nd",
    "ud",
    "lp",
    "sp",
    "np",
    "dp",
    "up",
    "pp",
    "ps",
    "pn",
    "ns",
    "ls",
    "xs",
    "sx",
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
    """Tell from a text's features what kind it is: dense is base64, numbers and the like."""
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


ERROR = 0.127

# one weight for each of satchel_plugins.tokenizers.estimate.FEATURES, in their order
# fmt: off
WEIGHTS = {
    "plain": (
        0.1226, -0.008312, 0.1328, 0.4891, 1.205, 1.639, 0.5718, 0.7948, 1.629, 2.88,
        0.8108, 2.068, 0.9221, -0.4379, 1.114, 0.5606, 0.512, -0.3683, 0.9806, 0.9272,
        1.432, 0.1991, 0.2441, -0.6539, 1.332, 1.481, 1.411, -0.07241, 0.5499, 0.9644,
        1.244, -0.1996, 0.4898, 0.1633, 0.5874, 0.3113, -1.413, -1.456, -2.037, 0.06934,
        -0.3788, 0.9428, 0, 0.08164, -0.1226, 0.4485, 0.3386, -0.03388, -1.473, -1.031,
        -1.367, -1.597, -2.989, -0.462, 0.9511, -0.6666, -0.1943, -0.1777, -0.1672, -0.4197,
        -0.431, -0.439, -0.07147, -0.4736, -0.02473, 0.1517, 0.5606, 0, 0, 0,
        0, 0, 0, 0, 0, 0,
    ),
    "marked": (
        0.05169, -0.0229, 0.04453, 0.2394, 1.186, 1.205, 2.704, 0.6441, 0.3689, 0,
        -0.8983, 1.449, 0.5811, 0.6921, 4.361, 0.8493, 0.9741, 0.6186, 1.189, 0.4981,
        1.841, 0.6305, 1.294, 0.4991, 1.589, 1.888, 1.78, 0.9822, 0.7361, 1.545,
        0.6418, -0.4851, 0.3069, -0.3603, -0.1042, -0.6804, -0.7679, -0.6442, -1.283, 0.2284,
        -0.2562, 1.273, 0, -0.026, 0.2854, 0.3804, 0.5036, -0.2103, -0.6575, -0.8372,
        -1.293, -1.067, -3.628, -0.4585, -0.412, -0.3584, -0.1511, -0.1278, -0.241, -0.272,
        -0.4595, -0.2652, -0.2667, -0.8073, 0.09994, 0.1292, 0.8493, 0, 0, 0,
        0, 0, 0, 0, 0, 0,
    ),
    "dense": (
        0.1119, 0.08837, 0.6049, 0.5569, 0.859, 0.6132, 3.594, 4.115, 0, 6.44,
        2.689, 0.01485, 0, 0, 0, 0, 0.1406, -1.064, 0.9279, 0.6527,
        0.3982, 1.679, -0.0569, -0.6648, 1.407, 0.9077, 0.686, -0.6517, 0.6714, 0.2673,
        0.1779, 1.218, 0.9904, 0.8089, 1.251, 1.054, -0.2586, -0.9528, -1.452, 0.7255,
        0.1406, -4.005, 0, 0.3456, -0.03374, 0.005401, 0.118, -0.8628, -1.577, -0.9431,
        -0.9828, -0.3369, -2.219, -0.7426, -1.442, -0.2223, -0.9397, -0.6523, -0.4423, -0.5017,
        -1.162, -0.429, -0.4923, -0.2345, 0.02689, -2.407, 0, 0, 0, 0,
        0, 0.499, 0.747, -0.3158, 0, 0,
    ),
    "foreign": (
        0.2414, 0.3126, 0.5511, 0, 1.884, 0.3542, 0.7185, 0.3528, 0.3858, 0.4326,
        0.3755, 1.24, 0.6064, 0.7614, 0.6824, 2.482, 0, 0, 0, 0,
        0, 0, 0.7005, 0, 0, 3.618, 0, 0, 0, 0,
        0, 0, 0.6969, 0, 0.855, 0, 0, 0, 0, 0,
        0, 0, 0, 0.05993, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0.2158, 0, 0, 0, 0, 0,
        0, 0, 0, 0.765, 0, 0, 0, 1.54, 1.271, 0.8816,
        0, 3.291, 0.6929, 1.821, 3.083, 2.806,
    ),
}
# fmt: on


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
        return ERROR

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return about the tokens of each text, 0 for an empty one alone."""
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
