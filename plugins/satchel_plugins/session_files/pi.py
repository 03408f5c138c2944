"""pi: a tree of entries, where a compaction names the first entry that it kept; results are messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from satchel.plugin_api import Transcript, TranscriptDraft, blocks_of
from satchel_plugins.session_files.records import (
    SPEAKERS,
    Messages,
    Record,
    RecordFile,
    describe_compaction,
    dict_of,
    list_of,
    name_record,
    names_of_calls,
    read_usage,
    text_block,
    text_of,
    time_of,
    tool_result,
    tool_use,
    walk_back,
)

_USAGE = ("output", "cacheRead", "cacheRead", "input", "cacheWrite")
_NOT_COUNTED = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}


class Pi(RecordFile):
    """The sessions of pi."""

    name = "pi"
    agent = "pi"

    def _is_own(self, record: Record) -> bool:
        message = dict_of(record.get("message"))
        return record.get("type") == "message" and message.get("role") in ("user", "assistant", "toolResult")

    def _read_into(self, records: Sequence[Record], found: TranscriptDraft) -> None:
        entries = [record for record in records if record.get("type") != "session"]
        found.first = next((record for record in records if record.get("type") == "session"), {})
        chain = walk_back(entries, "id", ("parentId",))
        found.beside = sum(record.get("type") == "message" for record in entries)
        found.beside -= sum(record.get("type") == "message" for record in chain)
        places: dict[str, int] = {}
        for record in chain:
            kind, at = record.get("type"), time_of(record)
            if kind == "message":
                message = dict_of(record.get("message"))
                content = _content_of_pi(message)
                if content:
                    role = "assistant" if message.get("role") == "assistant" else "user"
                    found.add(
                        {"role": role, "content": content}, at, read_usage(message.get("usage"), *_USAGE)
                    )
                found.model = text_of(message.get("model")) or found.model
            elif kind in ("branch_summary", "custom_message"):
                content = _list_pi_blocks(record.get("summary") or record.get("content"))
                if content:
                    found.add({"role": "user", "content": content}, at)
            elif kind == "model_change":
                found.model = text_of(record.get("modelId")) or found.model
            elif kind == "compaction":
                kept = places.get(str(record.get("firstKeptEntryId")), len(found.document))
                said = text_block(text_of(record.get("summary")) or "(nothing)")
                summary = {"role": "user", "content": [said]}
                told = describe_compaction("", record.get("tokensBefore"))
                found.compact([summary, *found.document[kept:]], told, at)
            places[str(record.get("id"))] = len(found.document) - (kind == "message" and bool(found.document))

    def _list_records(self, transcript: Transcript, document: Messages, time: str) -> Iterator[Record]:
        begun = {"type": "session", "id": name_record(transcript, -1), "timestamp": time}
        yield dict(transcript.first) or begun
        above = None
        for number, message in enumerate(_iter_pi_messages(transcript, document)):
            name = name_record(transcript, number)[:8]
            yield {"type": "message", "id": name, "parentId": above, "timestamp": time, "message": message}
            above = name


def _content_of_pi(message: Record) -> list[dict[str, Any]]:
    role = message.get("role")
    if role == "toolResult":
        blocks = _list_pi_blocks(message.get("content"))
        return [tool_result(message.get("toolCallId"), blocks, failed=message.get("isError") is True)]
    if role == "bashExecution":
        typed, shown = message.get("command", ""), message.get("output", "")
        return [text_block(f"<bash-input>{typed}</bash-input>\n<bash-stdout>{shown}</bash-stdout>")]
    return _list_pi_blocks(message.get("content")) if role in SPEAKERS else []


def _list_pi_blocks(content: object) -> list[dict[str, Any]]:
    parts = [text_block(content)] if isinstance(content, str) else list_of(content)
    return [block for block in map(_read_pi_block, map(dict_of, parts)) if block]


def _read_pi_block(block: Record) -> dict[str, Any] | None:
    """Return a block of pi in Anthropic's form; thoughts without a signature are left out."""
    kind = block.get("type")
    if kind == "toolCall":
        return tool_use(block.get("id"), block.get("name"), block.get("arguments"))
    if kind == "image":
        media, data = block.get("mimeType", "image/png"), block.get("data", "")
        return {"type": "image", "source": {"type": "base64", "media_type": media, "data": data}}
    if kind in ("tool_use", "tool_result"):  # agents that write records like pi's have Anthropic's blocks
        return dict(block)
    return text_block(block["text"]) if kind == "text" and text_of(block.get("text")) else None


def _iter_pi_messages(transcript: Transcript, document: Messages) -> Iterator[dict[str, Any]]:
    names = names_of_calls(document)
    for message in document:
        said = []
        for block in blocks_of(message["content"]):
            if block.get("type") == "tool_result":
                id_ = block.get("tool_use_id")
                yield {
                    "role": "toolResult",
                    "toolCallId": id_,
                    "toolName": names.get(id_, "tool"),
                    "content": [_to_pi(inner) for inner in blocks_of(block.get("content") or "")],
                    "isError": block.get("is_error") is True,
                }
            elif block.get("type") in ("text", "image", "tool_use"):
                said.append(_to_pi(block))
        if said and message["role"] == "user":
            yield {"role": "user", "content": said}
        elif said:
            calls = any(block["type"] == "toolCall" for block in said)
            more = {"model": transcript.model, "stopReason": "toolUse" if calls else "stop"}
            yield {"role": "assistant", "content": said, **more, "usage": _NOT_COUNTED}


def _to_pi(block: Mapping[str, Any]) -> Record:
    if block.get("type") == "tool_use":
        return {"type": "toolCall", "id": block["id"], "name": block["name"], "arguments": block["input"]}
    if block.get("type") == "image":
        source = block.get("source") or {}
        return {"type": "image", "mimeType": source.get("media_type"), "data": source.get("data")}
    return {"type": "text", "text": block.get("text", "")}
