"""Exact counts of the OpenAI vocabularies with no network: their tables are inside the toktok package."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any, ClassVar

import attrs

from satchel.plugin_api import SatchelError, UnknownNameError, cache_folder

OFFLINE_ENCODINGS = ("cl100k_base", "o200k_base")


def check_encoding(instance: object, attribute: attrs.Attribute[str], value: str) -> None:
    """Raise UnknownNameError unless `value` names an available vocabulary; an attrs validator."""
    if value not in OFFLINE_ENCODINGS:
        raise UnknownNameError("encoding", value, OFFLINE_ENCODINGS)


_FOLDER = "vocabularies"


@attrs.frozen(eq=False, repr=False)
class ExactTokenizer:
    """Common parts of tokenizers of a vocabulary."""

    encoding: str = attrs.field(default="o200k_base", validator=check_encoding)
    """`o200k_base` or `cl100k_base`; a model of OpenAI's sets it."""

    @property
    def key(self) -> str:
        """Return the vocabulary's name: all count equally under the same one."""
        return self.encoding

    @property
    def exact(self) -> bool:
        """Return True: these are the vocabulary's own counts."""
        return True

    @property
    def error(self) -> float:
        """Return 0."""
        return 0.0


@attrs.frozen(eq=False, repr=False)
class OfflineTokenizer(ExactTokenizer):
    """Counts exactly, at about 50 MB/s, with what is installed.

    `encoding` is `o200k_base` (GPT-4o and newer) or `cl100k_base` (GPT-4, GPT-3.5). Special tokens
    such as `<|endoftext|>` are counted as the ordinary text that they are in a workspace. The first run
    keeps the vocabulary's ranks in the cache; with them little text is counted without toktok, whose table
    takes a third of a second to load.
    """

    name: ClassVar[str] = "offline"

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the tokens of each text; a broken surrogate counts as U+FFFD."""
        from satchel_plugins.tokenizers.vocabulary import TooMuchError, repair_surrogates

        # What counts is loaded where something is counted: a pack of known texts finds all counts stored.

        if "toktok" not in sys.modules and self._quick is not None:
            with contextlib.suppress(TooMuchError):
                return list(self._quick.count(texts))
        try:
            return self._count(texts)
        except UnicodeEncodeError:
            return self._count([repair_surrogates(text) for text in texts])

    @cached_property
    def _quick(self) -> Any:  # a QuickCounter or None: attrs resolves the annotations of what it caches
        from satchel_plugins.tokenizers.vocabulary import quick_counter

        return quick_counter(self.encoding, _folder())

    def _count(self, texts: Sequence[str]) -> list[int]:
        toktok = _load_toktok(self.encoding, _folder())
        counts: list[int] = toktok.batch_count(list(texts), self.encoding, threads=1)
        return counts


def _folder() -> Path:
    return cache_folder() / _FOLDER


@cache
def _load_toktok(encoding: str, folder: Path) -> Any:
    """Return the library, after storing the data for little texts in `folder` for the next run."""
    try:
        import toktok
    except ImportError as missing:
        raise SatchelError(
            "toktok-rs, which holds the vocabularies, is not installed: "
            'pip install toktok-rs (without a wheel it needs Rust), or set tokenizer = "estimate"'
        ) from missing

    from satchel_plugins.tokenizers.vocabulary import keep_ranks

    with contextlib.suppress(OSError):  # then the next run loads toktok's table too
        keep_ranks(encoding, folder)
    return toktok
