"""Read a vocabulary's tokens in a fraction of the time that toktok takes to load.

Those of `o200k_base` come with satchel; of others they are kept where they were loaded once.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from satchel.private_files import make_private_folder, read_private, replacing

# Of the two files of each vocabulary: no other content is believed, whoever wrote it.
_SHA256 = {
    "cl100k_base.ascii": "8a8164b8410796a27cb08ebb989a09e26cb87e5f0def143aeb26f8b3d40fe01b",
    "cl100k_base.other": "aa3ef7cc9d4c26d49d5effb4d05d9f477bc5ca5275181ba84e89601c5de1678a",
    "o200k_base.ascii": "faaedee4a725d8ebf18547ff07343e51f5e9d3e2b956b2e01e5881068023d89f",
    "o200k_base.other": "6b161f78bd0789bcc9341dc34f8c37608d681fbb3c8bea07e2b8245d7f64b1c1",
}
_INSTALLED = Path(__file__).with_name("vocabularies")
_BETWEEN = b"\xff"
"""No byte of UTF-8, so no token that holds it is ever part of a text."""
_SIZE = 4
"""Bytes before the tokens in a file, which say how long they are together."""
_RANK = 3
"""Bytes of each rank behind them, the lowest first."""
_FEW = 10_000
_MOST_BYTES = 16 << 20


class Ranks:
    """The ranks of tokens, each a text of one character for each of its bytes (Latin-1).

    The first are looked up among sorted tokens, which are soon read. A dictionary is ten times as fast, but
    takes as long to make as `_FEW` looks and more.
    """

    def __init__(self, tokens: Sequence[str], numbers: Sequence[int]) -> None:
        self._tokens, self._numbers = tokens, numbers
        self._looks = 0
        self._all: dict[str, int] | None = None

    def rank(self, token: str, none: int) -> int:
        """Return the rank of a token, or `none` where it is no token."""
        if self._all is not None:
            return self._all.get(token, none)
        self._looks += 1
        if self._looks >= _FEW:
            self._all = dict(zip(self._tokens, self._numbers, strict=True))
        at = bisect_left(self._tokens, token)
        return self._numbers[at] if at < len(self._tokens) and self._tokens[at] == token else none


def ranks_of(encoding: str, *, plain: bool, folder: Path) -> Ranks | None:
    """Return the ranks of all tokens in ASCII, or of all others; None where no such file is at hand."""
    data = _read(_file_name(encoding, plain=plain), folder)
    if data is None:
        return None
    end = _SIZE + int.from_bytes(data[:_SIZE], "little")
    tokens = data[_SIZE:end].decode("latin-1").split("\xff")
    return Ranks(tokens, _widened(data[end:]))


def _widened(data: bytes) -> array[int]:
    """Read numbers of `_RANK` bytes each."""
    size = array("I").itemsize
    wide = bytearray(len(data) // _RANK * size)
    for place in range(_RANK):
        wide[place::size] = data[place::_RANK]
    numbers = array("I", bytes(wide))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def are_at_hand(encoding: str, folder: Path) -> bool:
    """Tell whether the two files of a vocabulary are installed or kept, and are what they should be."""
    return all(_read(_file_name(encoding, plain=plain), folder) is not None for plain in (False, True))


def keep_ranks(encoding: str, tokens: Sequence[bytes], folder: Path) -> None:
    """Write the two files of a vocabulary, given its tokens by rank; raise OSError where they can't be."""
    make_private_folder(folder)
    for plain in (False, True):
        ranks = {token: rank for rank, token in enumerate(tokens) if token.isascii() is plain}
        listed = sorted(token for token in ranks if _BETWEEN not in token)
        joined = _BETWEEN.join(listed)
        numbers = (ranks[token].to_bytes(_RANK, "little") for token in listed)
        data = b"".join([len(joined).to_bytes(_SIZE, "little"), joined, *numbers])
        with replacing(folder / _file_name(encoding, plain=plain), durable=False) as file:
            file.write(data)


def _read(name: str, folder: Path) -> bytes | None:
    for read in (
        (_INSTALLED / name).read_bytes,
        partial(read_private, folder / name, most_bytes=_MOST_BYTES),
    ):
        with contextlib.suppress(OSError):
            data = read()
            if hashlib.sha256(data).hexdigest() == _SHA256[name]:
                return data
    return None


def _file_name(encoding: str, *, plain: bool) -> str:
    return f"{encoding}.{'ascii' if plain else 'other'}"
