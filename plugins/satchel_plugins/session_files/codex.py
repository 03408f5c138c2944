"""Codex: items of the Responses API, in records since late 2025, bare before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from satchel.plugin_api import Transcript, TranscriptDraft, blocks_of
from satchel_plugins.session_files.records import (
    SPEAKERS,
    Messages,
    Record,
    RecordFile,
    describe_compaction,
    dict_of,
    number_of,
    read_usage,
    text_of,
    time_of,
)


class Codex(RecordFile):
    """The sessions of Codex."""

    name = "codex"
    agent = "Codex"
    message_format = "responses"

    def _is_own(self, record: Record) -> bool:
        kind = record.get("type")
        if kind in _RECORDS:
            return isinstance(record.get("payload"), dict)
        bare = kind in ("function_call", "function_call_output") or (
            kind == "reasoning" and "summary" in record
        )
        return bare and "timestamp" not in record

    def recognizes(self, records: Sequence[Record]) -> bool:
        """Return whether one of a file's first records is this agent's, and none another's message."""
        return super().recognizes(records) and not any(record.get("type") in SPEAKERS for record in records)

    def _read_into(self, records: Sequence[Record], found: TranscriptDraft) -> None:
        asked = "\n".join(_iter_asked(records))
        for record in records:
            kind, payload, at = record.get("type"), dict_of(record.get("payload")), time_of(record)
            if kind == "session_meta":
                found.first = found.first or record
                told = payload.get("instructions") or dict_of(payload.get("base_instructions")).get("text")
                found.instructions = found.instructions or text_of(told)
            elif kind == "turn_context":
                found.model = text_of(payload.get("model")) or found.model
            elif kind == "compacted":
                found.compact(_replace_codex(found, payload), describe_compaction("", 0), at)
            elif kind == "event_msg" and payload.get("type") == "token_count":
                _count_codex(found, dict_of(payload.get("info")))
            elif kind == "event_msg" and payload.get("type") == "user_message":
                # words that no item holds, as of a turn that was not sent
                if (said := text_of(payload.get("message")).strip()) and said not in asked:
                    found.add(_write_request(said), at)
            elif kind == "response_item" and payload.get("type") not in (None, "ghost_snapshot"):
                found.add(dict(payload), at)
            elif "payload" not in record and ("role" in record or isinstance(kind, str)):
                found.add(dict(record), at)  # an item as the API has it, a message without a type, too
        found.is_bare = not found.first

    def _list_records(self, transcript: Transcript, document: Messages, time: str) -> Iterator[Record]:
        yield dict(transcript.first) or {"timestamp": time, "type": "session_meta", "payload": {}}
        if transcript.model:
            yield {"timestamp": time, "type": "turn_context", "payload": {"model": transcript.model}}
        for item in document:
            payload = dict(item)
            if "type" not in payload:  # the short form of a message, which Codex does not write
                kind = "output_text" if payload.get("role") == "assistant" else "input_text"
                said = [
                    {"type": kind, "text": one["text"]} for one in blocks_of(payload.get("content") or "")
                ]
                payload = {"type": "message", **payload, "content": said}
            yield {"timestamp": time, "type": "response_item", "payload": payload}


_RECORDS = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})


def _replace_codex(found: TranscriptDraft, payload: Record) -> list[Any]:
    """Return the window after a compaction: its named items, or all requests and the summary."""
    named = payload.get("replacement_history")
    if isinstance(named, list):
        return [one for one in map(dict_of, named) if isinstance(one.get("type"), str)]
    asked = [one for one in found.window if one.get("role") in ("user", "developer", "system")]
    return [*asked, _write_request(str(payload.get("message", "")))]


def _iter_asked(records: Sequence[Record]) -> Iterator[str]:
    """Yield the texts of the user's items."""
    for record in records:
        item = dict_of(record.get("payload")) if record.get("type") == "response_item" else record
        if item.get("role") == "user" and item.get("content"):
            yield from (
                text_of(one.get("text")) for one in blocks_of(item["content"]) if isinstance(one, dict)
            )


def _write_request(said: str) -> dict[str, Any]:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": said}]}


def _count_codex(found: TranscriptDraft, info: Record) -> None:
    found.context_tokens = number_of(info.get("model_context_window")) or found.context_tokens
    found.use(
        read_usage(info.get("last_token_usage"), "output_tokens", "cached_input_tokens", "input_tokens")
    )
