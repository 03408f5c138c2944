"""Find tiktoken's table of a vocabulary on this machine, or rebuild it from the one inside toktok."""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from satchel import SatchelError
from satchel.private_files import make_private_folder, replacing, without_waiting
from satchel.workspace.places import cache_folder

# sha256 of the files that OpenAI publishes; tiktoken demands the same ones
_SHA256 = {
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}
_MOST_BYTES = 16 << 20
# tiktoken names a cached table by the sha1 of the address that it would be fetched from
_ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"


def table_name(encoding: str) -> str:
    """Return the file name that tiktoken looks for in its cache folder."""
    return hashlib.sha1(_ADDRESS.format(encoding).encode(), usedforsecurity=False).hexdigest()


def find_table(encoding: str, folders: Iterator[Path]) -> Path | None:
    """Return the first of `folders` that holds the official table, None where none does."""
    return next((folder for folder in folders if _is_official(folder, encoding)), None)


def cache_folders(environment: Mapping[str, str], own: Path) -> Iterator[Path]:
    """Yield the folder that the person named for tiktoken's tables, if they did, then satchel's `own`.

    tiktoken's usual one lies in the folder for temporary files, where anybody may write: it is not read.
    """
    named = environment.get("TIKTOKEN_CACHE_DIR") or environment.get("DATA_GYM_CACHE_DIR")
    if named:
        yield Path(named)
    yield own


def own_folder() -> Path:
    """Return the folder of rebuilt tables in the user's cache."""
    return cache_folder() / "tiktoken"


def rebuild_table(encoding: str) -> bytes:
    """Return the official table, made from toktok's vocabulary; raise SatchelError if it is not that."""
    import base64

    table = b"".join(
        base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens_of(encoding))
    )
    if hashlib.sha256(table).hexdigest() != _SHA256[encoding]:
        raise SatchelError(
            f"tiktoken: the table of {encoding} rebuilt from the installed toktok-rs is not the official "
            "one; install toktok-rs 0.3.0, or put the official table into TIKTOKEN_CACHE_DIR"
        )
    return table


def tokens_in(table: bytes) -> list[bytes]:
    """Return the tokens of an official table, by rank."""
    import binascii

    return [binascii.a2b_base64(line.partition(b" ")[0]) for line in table.splitlines()]


def store_table(encoding: str, table: bytes, folder: Path) -> None:
    """Write `table` under tiktoken's name, whole or not at all; raise OSError where that can't be done."""
    make_private_folder(folder)
    with replacing(folder / table_name(encoding), durable=False) as file:
        file.write(table)


def read_table(encoding: str, folder: Path) -> bytes:
    """Return the official table from a folder that has it; raise OSError where it is gone or another one."""
    place = folder / table_name(encoding)
    with open(place, "rb", opener=without_waiting) as file:
        data = file.read(_MOST_BYTES + 1)
    if hashlib.sha256(data).hexdigest() != _SHA256[encoding]:
        raise OSError(errno.EINVAL, "is not the official table", str(place))
    return data


def _is_official(folder: Path, encoding: str) -> bool:
    try:
        return bool(read_table(encoding, folder))
    except OSError:
        return False


def tokens_of(encoding: str) -> Iterator[bytes]:
    """Yield the tokens of toktok's vocabulary by rank; raise SatchelError where toktok is not installed."""
    try:
        import toktok
    except ImportError as missing:
        raise SatchelError(
            f"tiktoken: no table of {encoding} is at hand and toktok-rs, which holds one, is not installed; "
            f"put the official table into TIKTOKEN_CACHE_DIR as {table_name(encoding)}"
        ) from missing
    vocabulary = toktok._encoding(encoding)
    for rank in range(vocabulary.n_vocab):
        try:
            yield vocabulary.decode_single_token_bytes(rank)
        except KeyError:  # the first gap parts the ranks from the special tokens
            return
