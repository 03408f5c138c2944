"""Features of a text that tell its tokens without a vocabulary: counts of characters and of borders."""

from __future__ import annotations

from enum import Enum
from itertools import chain

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
