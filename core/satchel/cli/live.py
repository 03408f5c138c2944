"""Show what a command prints while it runs, to a person at a terminal."""

from __future__ import annotations

import codecs
import time
from collections.abc import Callable, Iterable, Iterator

Redact = Callable[[str], str]

_PROMPT_SECONDS = 0.2
"""After so long without more, the beginning of a line is shown: it may be a prompt."""
_SILENT_SECONDS = 30.0
"""How often a silent command is said to live."""
_MOST_HELD = 65_536
"""Characters of a line that are held back until it ends."""


class Live:
    """Writes what a command prints, without secrets: whole lines at once, a prompt after a moment."""

    def __init__(
        self,
        write: Callable[[str], None],
        redact: Redact,
        *,
        tell: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take what writes to the terminal, what hides secrets, and what tells that a command lives."""
        self._write, self._redact, self._tell, self._clock = write, redact, tell, clock
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""
        self._began = self._last = self._said = clock()

    def pass_on(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the pieces of an output, each shown before; an empty one means that a moment has passed."""
        for piece in pieces:
            self._take(piece)
            if piece:
                yield piece
        self._show(len(self._held))

    def _take(self, piece: bytes) -> None:
        now = self._clock()
        if piece:
            self._held += self._decoder.decode(piece)
            self._last = self._said = now
            end = max(self._held.rfind("\n"), self._held.rfind("\r")) + 1
            self._show(end if end or len(self._held) < _MOST_HELD else len(self._held))
        elif self._held and now - self._last >= _PROMPT_SECONDS:
            self._show(len(self._held))
        elif now - self._said >= _SILENT_SECONDS:
            self._said = now
            self._tell(f"satchel: the command is running, for {now - self._began:.0f} s by now")

    def _show(self, end: int) -> None:
        text, self._held = self._held[:end], self._held[end:]
        if text:
            self._write(self._redact(text))
