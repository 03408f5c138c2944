"""Qwen Code: a tree of records like Claude Code's, with contents as Gemini's API has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from satchel.plugin_api import Transcript, TranscriptDraft, blocks_of
from satchel_plugins.session_files.gemini import iter_parts
from satchel_plugins.session_files.records import (
    Messages,
    Record,
    RecordFile,
    dict_of,
    list_of,
    name_record,
    names_of_calls,
    pick,
    read_usage,
    remind,
    text_of,
    text_of_result,
    time_of,
    walk_back,
)

_USAGE = ("candidatesTokenCount", "cachedContentTokenCount", "promptTokenCount")
_BY_PROGRAM = frozenset({"notification", "cron"})
"""Kinds of user records that the program wrote."""


class Qwen(RecordFile):
    """The sessions of Qwen Code."""

    name = "qwen"
    agent = "Qwen Code"

    def _is_own(self, record: Record) -> bool:
        return "uuid" in record and isinstance(dict_of(record.get("message")).get("parts"), list)

    def _read_into(self, records: Sequence[Record], found: TranscriptDraft) -> None:
        held = {record.get("uuid") for record in walk_back(records, "uuid", ("parentUuid",))}
        mine = [record for record in records if record.get("uuid") in held]  # an answer has several records
        found.beside = sum(map(self._is_own, records)) - sum(map(self._is_own, mine))
        newest = None
        for record in mine:
            at = time_of(record)
            if record.get("subtype") == "chat_compression":
                left = TranscriptDraft()
                for content in list_of(dict_of(record.get("systemPayload")).get("compressedHistory")):
                    if message := _read_content(dict_of(content)):
                        left.add(message)
                found.compact(left.window, "by the agent", at)
            elif record.get("type") != "system" and (message := _read_record(record)):
                found.first = found.first or record
                found.model = text_of(record.get("model")) or found.model
                if record["uuid"] == newest and message["role"] == "assistant":
                    found.document[-1]["content"] += message["content"]
                    found.use(read_usage(record.get("usageMetadata"), *_USAGE))
                else:
                    found.add(message, at, read_usage(record.get("usageMetadata"), *_USAGE))
                newest = record["uuid"]

    def _list_records(self, transcript: Transcript, document: Messages, time: str) -> Iterator[Record]:
        kept = ("sessionId", "cwd", "version", "gitBranch")
        frame = {key: transcript.first[key] for key in kept if key in transcript.first}
        names, above, number = names_of_calls(document), None, 0
        for message in document:
            blocks = blocks_of(message["content"])
            results = pick(blocks, "tool_result")
            said = [block for block in blocks if block.get("type") != "tool_result"]
            kind = "assistant" if message["role"] == "assistant" else "user"
            for made, group in (("tool_result", results), (kind, said)):
                parts = [part for block in group if (part := _to_part(block, names))]
                if not parts:
                    continue
                name, number = name_record(transcript, number), number + 1
                yield {
                    "uuid": name,
                    "parentUuid": above,
                    **frame,
                    "timestamp": time,
                    "type": made,
                    **({"model": transcript.model} if made == "assistant" else {}),
                    "message": {"role": "model" if made == "assistant" else "user", "parts": parts},
                }
                above = name


def _read_content(content: Record) -> dict[str, Any]:
    """Return a content of the API as a message, {} if it is empty."""
    blocks = list(iter_parts(list_of(content.get("parts"))))
    role = "assistant" if content.get("role") == "model" else "user"
    return {"role": role, "content": blocks} if blocks else {}


def _read_record(record: Record) -> dict[str, Any]:
    """Return a record as a message, in a frame if the program wrote it."""
    message = dict_of(record.get("message"))
    if record.get("subtype") in _BY_PROGRAM:
        said = "\n".join(text_of(dict_of(part).get("text")) for part in list_of(message.get("parts")))
        message = {"role": "user", "parts": [{"text": remind(said)}]}
    return _read_content(message)


def _to_part(block: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return a block as a part, {} if the API has no part for it."""
    kind = block.get("type")
    if kind == "tool_use":
        return {"functionCall": {"id": block["id"], "name": block["name"], "args": block["input"]}}
    if kind == "tool_result":
        id_, said = text_of(block.get("tool_use_id")), text_of_result(block)
        response = {"error" if block.get("is_error") is True else "output": said}
        return {"functionResponse": {"id": id_, "name": names.get(id_, "tool"), "response": response}}
    if kind in ("image", "document"):
        source = dict_of(block.get("source"))
        return {"inlineData": {"mimeType": source.get("media_type"), "data": source.get("data", "")}}
    return {"text": block["text"]} if kind == "text" else {}
