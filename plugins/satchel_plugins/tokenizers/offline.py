"""Exact counts of the OpenAI vocabularies with no network: their tables are inside the toktok package."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import attrs

from satchel_plugins.tokenizers.cutting import cut, well_formed
from satchel_plugins.tokenizers.encodings import check_encoding


@attrs.frozen
class OfflineTokenizer:
    """Counts exactly, at about 50 MB/s, with what is installed.

    `encoding` is `o200k_base` (GPT-4o and newer) or `cl100k_base` (GPT-4, GPT-3.5). Special tokens
    such as `<|endoftext|>` are counted as the ordinary text that they are in a workspace.
    """

    name: ClassVar[str] = "offline"
    encoding: str = attrs.field(default="o200k_base", validator=check_encoding)

    @property
    def key(self) -> str:
        """Return the vocabulary's name: `tiktoken` counts equally under the same one."""
        return self.encoding

    @property
    def exact(self) -> bool:
        """Return True: these are the vocabulary's own counts."""
        return True

    @property
    def error(self) -> float:
        """Return 0."""
        return 0.0

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the tokens of each text; a broken surrogate counts as U+FFFD."""
        try:
            return self._count(texts)
        except UnicodeEncodeError:
            return self._count([well_formed(text) for text in texts])

    def _count(self, texts: Sequence[str]) -> list[int]:
        import toktok

        cuts = [cut(text) for text in texts]
        flat = [piece for pieces in cuts for piece in pieces]
        counts: Iterator[int] = iter(toktok.batch_count(flat, self.encoding, threads=1))
        return [sum(next(counts) for _ in pieces) for pieces in cuts]
