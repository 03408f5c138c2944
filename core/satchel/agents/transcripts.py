"""The session file that a hook is told of: its newest prompt, or all of it as a text to be archived."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from satchel.conversation.transcripts import Transcript

_MOST_BYTES = 64 << 20
"""Of a longer file, the end is read."""
_NEAR_END = 2 << 20
"""Bytes at the end of a file in which the newest prompt is looked for."""


class HookTranscript(NamedTuple):
    """A conversation as text."""

    text: str
    prompts: tuple[tuple[int, str], ...]
    """What the person wrote: the line of the text where its message begins, and its first line."""

    @property
    def lines(self) -> int:
        """Number of lines."""
        return self.text.count("\n")


def read_transcript(path: Path) -> HookTranscript:
    """Return a session as text; lines of the file that can't be read are left out.

    Raises:
        OSError: the file can't be read.
        ConversationError: it is not a session of an agent that satchel knows.
    """
    from satchel.conversation import find_spoken
    from satchel.session.window.rendering import as_text

    pieces: list[str] = []
    prompts: list[tuple[int, str]] = []
    at = 1
    for message in _read_end(path, _MOST_BYTES).messages:
        if message.role == "user" and (said := find_spoken(message).strip()):
            prompts.append((at, said.partition("\n")[0]))
        pieces.append(as_text([message]))
        at += pieces[-1].count("\n")
    return HookTranscript("".join(pieces), tuple(prompts))


def newest_prompt(path: Path) -> str:
    """Return what the person asked last, "" where that is not near the end of the file.

    Raises:
        OSError: the file can't be read.
        ConversationError: it is not a session of an agent that satchel knows.
    """
    from satchel.conversation import find_spoken

    said = (find_spoken(one) for one in reversed(_read_end(path, _NEAR_END).messages) if one.role == "user")
    return next((text for text in map(str.strip, said) if text), "")


def _read_end(path: Path, most: int) -> Transcript:
    from satchel.conversation.transcripts import parse_transcript
    from satchel.message_formats import find_user_formats

    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - most))
        data = file.read()
    if size > most:
        data = data.partition(b"\n")[2]
    return parse_transcript(data, find_user_formats(), path.name)
