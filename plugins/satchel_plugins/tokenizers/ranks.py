"""Keep a vocabulary's tokens in files that are read in a tenth of the time that toktok takes to load."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from satchel.workspace.places import make_private
from satchel_plugins.tokenizers.tables import write_whole

# Of the two files of each vocabulary: no other content is believed, whoever wrote it.
_SHA256 = {
    "cl100k_base.ascii": "c7a8c0e88b34fdb689ed0bd84f477748f0f704681a3be0eb8ffc490e51a12c10",
    "cl100k_base.other": "6f1363cf235fdcb616aed92041e456f36ea28689c5b976a968e03c0176a91e2b",
    "o200k_base.ascii": "d57abb86dc18266e422713f497b8121124d50e143bb7cd094dcbede27c163b00",
    "o200k_base.other": "be5be530b6708fa0f9176a7f17a5e573d35a5a08ed3b48890d62a65abe195ca6",
}
_BETWEEN = b"\xff"
"""No byte of UTF-8, so no token that holds it is ever part of a text."""


def ranks_of(encoding: str, *, plain: bool, folder: Path) -> dict[str, int] | None:
    """Return the rank of each token that is ASCII, or of each other one; None where no such file is kept.

    A token stands as a text of one character for each of its bytes (Latin-1).
    """
    data = _read(_file_name(encoding, plain=plain), folder)
    if data is None:
        return None
    tokens = data.decode("latin-1").split("\xff")
    ranks = dict(zip(tokens, range(len(tokens)), strict=True))
    del ranks[""]
    return ranks


def are_kept(encoding: str, folder: Path) -> bool:
    """Tell whether the two files of a vocabulary are there, and are what they should be."""
    return all(_read(_file_name(encoding, plain=plain), folder) is not None for plain in (False, True))


def keep_ranks(encoding: str, tokens: Sequence[bytes], folder: Path) -> None:
    """Write the two files of a vocabulary, given its tokens by rank; raise OSError where they can't be."""
    make_private(folder)
    usable = [b"" if _BETWEEN in token else token for token in tokens]
    for plain in (False, True):
        data = _BETWEEN.join(token if token.isascii() is plain else b"" for token in usable)
        write_whole(folder / _file_name(encoding, plain=plain), data)


def _read(name: str, folder: Path) -> bytes | None:
    try:
        data = (folder / name).read_bytes()
    except OSError:
        return None
    return data if hashlib.sha256(data).hexdigest() == _SHA256[name] else None


def _file_name(encoding: str, *, plain: bool) -> str:
    return f"{encoding}.{'ascii' if plain else 'other'}"
