"""GitHub Copilot CLI: events, each with its data; a tool's result is an event of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from satchel.plugin_api import Transcript, TranscriptDraft, blocks_of
from satchel_plugins.session_files.records import (
    Messages,
    Record,
    RecordFile,
    describe_compaction,
    dict_of,
    join_texts,
    list_of,
    name_record,
    pick,
    text_block,
    text_of,
    text_of_result,
    time_of,
    tool_result,
    tool_use,
)

_TALK = ("user.message", "assistant.message", "tool.execution_complete")


class Copilot(RecordFile):
    """The sessions of GitHub Copilot CLI."""

    name = "copilot"
    agent = "GitHub Copilot CLI"

    def _is_own(self, record: Record) -> bool:
        return record.get("type") in (*_TALK, "session.start") and isinstance(record.get("data"), dict)

    def _read_into(self, records: Sequence[Record], found: TranscriptDraft) -> None:
        for record in records:
            kind, data, at = record.get("type"), dict_of(record.get("data")), time_of(record)
            if "agentId" in record or text_of(data.get("parentToolCallId")):
                found.beside += kind in _TALK  # of a helper
                continue
            found.model = text_of(data.get("newModel") or data.get("selectedModel")) or found.model
            if kind == "session.start":
                found.first = found.first or record
            elif kind == "system.message":
                found.instructions = text_of(data.get("content"))
            elif kind == "session.compaction_complete" and text_of(data.get("summaryContent")):
                summary = {
                    "role": "user",
                    "content": [text_block(f"<summary>\n{data['summaryContent']}\n</summary>")],
                }
                told = describe_compaction(data.get("trigger"), data.get("preCompactionTokens"))
                found.compact([summary], told, at)
            elif kind in _TALK and (content := _list_blocks(kind, data)):
                role = "assistant" if kind == "assistant.message" else "user"
                found.add({"role": role, "content": content}, at)

    def _list_records(self, transcript: Transcript, document: Messages, time: str) -> Iterator[Record]:
        first = transcript.first or {"type": "session.start", "data": {"producer": "copilot-agent"}}
        yield dict(first)
        above = first.get("id")
        told = []
        if transcript.model not in ("", dict_of(first.get("data")).get("selectedModel")):
            told.append(("session.model_change", {"newModel": transcript.model}))
        if transcript.instructions:
            told.append(("system.message", {"content": transcript.instructions}))
        for number, (kind, data) in enumerate([*told, *_iter_events(document)]):
            name = name_record(transcript, number)
            yield {"type": kind, "data": data, "id": name, "timestamp": time, "parentId": above}
            above = name


def _list_blocks(kind: str, data: Record) -> list[dict[str, Any]]:
    """Return the blocks of an event."""
    if kind == "tool.execution_complete":
        failed = data.get("success") is False
        result, error = dict_of(data.get("result")), dict_of(data.get("error"))
        said = text_of(result.get("content")) or text_of(error.get("message"))
        return [tool_result(data.get("toolCallId"), said, failed=failed)]
    said = text_of(data.get("content"))
    calls = [dict_of(call) for call in list_of(data.get("toolRequests"))]
    return [
        *([text_block(said)] if said.strip() else []),
        *(
            tool_use(call.get("toolCallId"), call.get("name"), _parse(call.get("arguments")))
            for call in calls
        ),
    ]


def _parse(arguments: object) -> object:
    """Return a call's arguments, which older versions wrote as a text."""
    if not isinstance(arguments, str):
        return arguments or {}
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments


def _iter_events(document: Messages) -> Iterator[tuple[str, dict[str, Any]]]:
    for message in document:
        blocks = blocks_of(message["content"])
        for block in pick(blocks, "tool_result"):
            told = {"toolCallId": block.get("tool_use_id"), "success": block.get("is_error") is not True}
            yield "tool.execution_complete", {**told, "result": {"content": text_of_result(block)}}
        said = join_texts(blocks)
        calls = [
            {
                "toolCallId": block["id"],
                "name": block["name"],
                "arguments": block["input"],
                "type": "function",
            }
            for block in pick(blocks, "tool_use")
        ]
        if message["role"] == "assistant":
            yield "assistant.message", {"content": said, "toolRequests": calls}
        elif said:
            yield "user.message", {"content": said}
