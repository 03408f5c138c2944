"""The formats of messages that ship with satchel, for tests that read conversations."""

from __future__ import annotations

import satchel_plugins
from satchel import Host, Transcript
from satchel.conversation import transcripts
from satchel.installed import find_formats

FORMATS = find_formats(Host.of(satchel_plugins, deadline_seconds=None))
OPENAI = FORMATS.find("openai")
ANTHROPIC = FORMATS.find("anthropic")
OLLAMA = FORMATS.find("ollama")
RESPONSES = FORMATS.find("responses")
read = FORMATS.read


def read_transcript(data: bytes | str) -> Transcript:
    """Read an agent's session file."""
    return transcripts.parse_transcript(data, FORMATS)


def find_transcript(data: bytes | str, name: str) -> Transcript | None:
    """Read an agent's session file, None for messages."""
    return transcripts.find_transcript(data, name, FORMATS)
