"""Counts of OpenAI's own tiktoken, which needs no network here: its table is found or rebuilt."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from satchel.plugin_api import SatchelError
from satchel_plugins.tokenizers.offline import ExactTokenizer
from satchel_plugins.tokenizers.vocabulary import (
    cache_folders,
    cut,
    find_table,
    own_folder,
    rebuild_table,
    repair_surrogates,
    store_table,
)

if TYPE_CHECKING:
    import tiktoken

_SMALL_PIECE_CHARS = 4096


@attrs.frozen(eq=False, repr=False)
class TiktokenTokenizer(ExactTokenizer):
    """Counts with tiktoken, the reference, at about a fifth of the speed of `offline`.

    `encoding` is `o200k_base` or `cl100k_base`.
    """

    name: ClassVar[str] = "tiktoken"

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the tokens of each text; raise SatchelError if no official table is available."""
        encode = self._vocabulary.encode_ordinary
        return [count_in_pieces(encode, text) for text in texts]

    @cached_property
    def _vocabulary(self) -> Any:  # an Encoding: attrs resolves the annotations of what it caches
        return load_encoding(self.encoding, own_folder())


def count_in_pieces(encode: Callable[[str], Sequence[int]], text: str) -> int:
    """Return the tokens of `text`, encoded in pieces: tiktoken panics on a run of a million blanks."""
    if not text.isascii():
        text = repair_surrogates(text)
    try:
        return sum(len(encode(piece)) for piece in cut(text))
    except BaseException as failure:
        # a panic of the library's Rust code is not an Exception, and its class can't be imported
        if type(failure).__name__ != "PanicException":
            raise
        return sum(len(encode(piece)) for piece in cut(text, _SMALL_PIECE_CHARS))


def load_encoding(encoding: str, own: Path) -> tiktoken.Encoding:
    """Return tiktoken's encoding without a network, keeping a rebuilt table in the folder `own`.

    If `own` can't be written, the table goes through a temporary folder. Raises SatchelError if the rebuilt
    table is not the official one.
    """
    folder = find_table(encoding, cache_folders(os.environ, own))
    if folder is not None:
        return _load_from(folder, encoding)
    table = rebuild_table(encoding)
    try:
        store_table(encoding, table, own)
    except OSError:
        import tempfile

        with tempfile.TemporaryDirectory(prefix="satchel-") as passing:
            store_table(encoding, table, Path(passing))
            return _load_from(Path(passing), encoding)
    return _load_from(own, encoding)


def _load_from(folder: Path, encoding: str) -> tiktoken.Encoding:
    try:
        import tiktoken
    except ImportError as missing:
        raise SatchelError(
            'tiktoken is not installed: pip install tiktoken, or set tokenizer = "offline"'
        ) from missing

    # the variable is the only way to tell tiktoken where its tables are
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    try:
        return tiktoken.get_encoding(encoding)
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before
