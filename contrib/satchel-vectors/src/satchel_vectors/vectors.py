"""Static word vectors, from the two files that ship in the wheel of wordllama.

Its code is not imported: at import it sets up the logging of the whole process, and asked to load, it
looks for the tokenizer in a folder that the wheel does not have, and would download it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TENSOR = "embedding.weight"
_LONGEST = 80
"""Letters of a word that are read."""


@attrs.frozen
class StaticVectors:
    """A table of vectors, one for each token, and the tokenizer that it was made for."""

    tokenizer: Any
    table: NDArray[np.float16]

    def of_words(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return for each word the mean vector of its tokens, of length 1; a word without tokens has 0."""
        found = np.zeros((len(words), self.table.shape[1]), dtype=np.float32)
        if not words:
            return found
        readable = [word[:_LONGEST].encode("utf-8", "replace").decode() for word in words]
        encodings = self.tokenizer.encode_batch(readable, add_special_tokens=False)
        counts = np.array([len(one.ids) for one in encodings])
        ids = np.array([id_ for one in encodings for id_ in one.ids], dtype=np.intp)
        held = np.flatnonzero(counts)
        starts = np.concatenate(([0], np.cumsum(counts[held])[:-1])).astype(np.intp)
        if held.size:
            rows = self.table[np.minimum(ids, len(self.table) - 1)].astype(np.float32)
            found[held] = unit(np.add.reduceat(rows, starts, axis=0))
        return found

    def stacked(self, rows: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        """Return rows of single words as one table."""
        return np.stack(rows) if rows else np.zeros((0, self.table.shape[1]), dtype=np.float32)


def unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the rows with length 1; rows of zeros stay."""
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    scaled: NDArray[np.float32] = rows / np.maximum(lengths, np.float32(1e-9))
    return scaled


@cache  # the files never change while a process runs, and reading them takes longer than any score
def load() -> StaticVectors:
    """Read both files; the table stays on disk, and only the rows of asked words are read.

    Raises:
        FileNotFoundError: wordllama is not installed, or is another version than the pinned one.
        ValueError: the table is not what the pinned version has.
    """
    from tokenizers import Tokenizer

    folder = _folder()
    tokenizer = Tokenizer.from_file(str(_existing(folder / _TOKENIZER)))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return StaticVectors(tokenizer, _table(_existing(folder / _WEIGHTS)))


def _folder() -> Path:
    """Return where wordllama is installed, without importing it."""
    spec = find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("wordllama is not installed; install satchel-vectors again")
    return Path(spec.origin).parent


def _existing(file: Path) -> Path:
    if not file.is_file():
        raise FileNotFoundError(
            f"{file} is missing; install satchel-vectors again, with its pinned wordllama"
        )
    return file


def _table(file: Path) -> NDArray[np.float16]:
    """Map a safetensors file: 8 bytes of length, that much JSON, then the numbers."""
    with file.open("rb") as opened:
        length = int.from_bytes(opened.read(8), "little")
        header = json.loads(opened.read(length))[_TENSOR]
    if header["dtype"] != "F16":
        raise ValueError(f"{file} holds {header['dtype']} numbers, not F16; install satchel-vectors again")
    rows, columns = header["shape"]
    start = 8 + length + header["data_offsets"][0]
    return np.memmap(file, dtype="<f2", mode="r", offset=start, shape=(rows, columns))
