"""Cursor: a line for each message, with blocks like Anthropic's; results of tools may be missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from satchel.plugin_api import Transcript, TranscriptDraft
from satchel_plugins.session_files.records import (
    SPEAKERS,
    Messages,
    Record,
    RecordFile,
    dict_of,
    text_of,
    tool_use,
)

_SENT = ("text", "image", "tool_use", "tool_result")


class Cursor(RecordFile):
    """The transcripts of Cursor's agents."""

    name = "cursor"
    agent = "Cursor"

    def _is_own(self, record: Record) -> bool:
        is_message = record.get("role") in SPEAKERS and "type" not in record and "content" not in record
        return is_message and isinstance(dict_of(record.get("message")).get("content"), list)

    def _read_into(self, records: Sequence[Record], found: TranscriptDraft) -> None:
        for record in filter(self._is_own, records):
            blocks = map(dict_of, record["message"]["content"])
            content = [
                _name_call(block, f"call-{len(found.document)}-{at}")
                for at, block in enumerate(blocks)
                if block.get("type") in _SENT and block.get("text") != ""
            ]
            if content:
                found.add({"role": record["role"], "content": content})

    def _list_records(self, transcript: Transcript, document: Messages, time: str) -> Iterator[Record]:
        for message in document:
            yield {"role": message["role"], "message": {"content": message["content"]}}


def _name_call(block: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a block, a call with an id."""
    if block.get("type") != "tool_use":
        return block
    return tool_use(text_of(block.get("id")) or name, block.get("name"), dict_of(block.get("input")))
