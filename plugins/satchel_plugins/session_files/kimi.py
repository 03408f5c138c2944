"""Kimi Code: what came into the context, where an answer is steps of parts and calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import attrs

from satchel.plugin_api import Transcript, TranscriptDraft, TranscriptUsage, blocks_of
from satchel_plugins.session_files.records import (
    SPEAKERS,
    Record,
    RecordFile,
    describe_compaction,
    dict_of,
    join_texts,
    list_of,
    name_record,
    number_of,
    text_block,
    text_of,
    text_of_result,
    time_of,
    tool_result,
    tool_use,
)

_MESSAGE, _EVENT, _COMPACTION = (
    "context.append_message",
    "context.append_loop_event",
    "context.apply_compaction",
)


@attrs.frozen
class Kimi(RecordFile):
    """The sessions of Kimi Code."""

    name: ClassVar[str] = "kimi"
    agent: ClassVar[str] = "Kimi Code"
    message_format: ClassVar[str] = "anthropic"

    def is_own(self, record: Record) -> bool:
        """Tell whether a record is this agent's."""
        return record.get("type") in (_MESSAGE, _EVENT)

    def read_into(self, records: Sequence[Record], found: TranscriptDraft) -> None:
        """Add what records hold to a draft."""
        step, answer = "", dict[str, Any]()
        for record in records:
            kind, at = record.get("type"), time_of({"timestamp": record.get("time")})
            if kind == "metadata":
                found.first = found.first or record
            found.model = text_of(record.get("modelAlias")) or found.model
            found.instructions = text_of(record.get("systemPrompt")) or found.instructions
            if kind == _COMPACTION:
                said = text_of(record.get("contextSummary")) or text_of(record.get("summary"))
                told = describe_compaction(record.get("source"), record.get("tokensBefore"))
                found.compact([{"role": "user", "content": [text_block(said or "(nothing)")]}], told, at)
            elif kind == _MESSAGE:
                message = dict_of(record.get("message"))
                content = [block for part in list_of(message.get("content")) if (block := _read_part(part))]
                if content and message.get("role") in SPEAKERS:
                    found.add({"role": message["role"], "content": content}, at)
            elif kind == _EVENT:
                event = dict_of(record.get("event"))
                if event.get("type") == "tool.result":
                    result = dict_of(event.get("result"))
                    said, failed = _describe(result.get("output")), result.get("isError") is True
                    block = tool_result(event.get("toolCallId"), said, failed=failed)
                    found.add({"role": "user", "content": [block]}, at)
                elif event.get("type") == "step.end" and event.get("uuid") == step:
                    if found.document[-1] is answer:
                        found.use(_usage_of_kimi(event.get("usage")))
                elif block := _read_event(event):
                    if event.get("stepUuid") != step or not answer:
                        step, answer = text_of(event.get("stepUuid")), {"role": "assistant", "content": []}
                        found.add(answer, at)
                    answer["content"].append(block)

    def list_records(
        self, transcript: Transcript, document: Sequence[Mapping[str, Any]], time: str
    ) -> Iterator[dict[str, Any]]:
        """Yield the records of a file with other messages."""
        at = {"time": int(max(transcript.at, default=0.0) * 1000)}
        yield dict(transcript.first) or {"type": "metadata", "protocol_version": "1.4"}
        if transcript.model or transcript.instructions:
            told = {"systemPrompt": transcript.instructions, "modelAlias": transcript.model}
            yield {"type": "config.update", **told, **at}
        for number, message in enumerate(document):
            blocks = blocks_of(message["content"])
            step = name_record(transcript, number)
            for block in blocks:
                if event := _to_event(block, step, is_answer=message["role"] == "assistant"):
                    yield {"type": _EVENT, "event": event, **at}
            said = [block for block in blocks if block.get("type") == "text"]
            if message["role"] == "user" and said:
                yield {"type": _MESSAGE, "message": {"role": "user", "content": said, "toolCalls": []}, **at}


def _read_part(part: object) -> dict[str, Any]:
    """Return a text as a block; thoughts are left out."""
    said = text_of(dict_of(part).get("text"))
    return text_block(said) if dict_of(part).get("type") == "text" and said else {}


def _read_event(event: Record) -> dict[str, Any]:
    if event.get("type") == "tool.call":
        return tool_use(event.get("toolCallId"), event.get("name"), dict_of(event.get("args")))
    return _read_part(event.get("part")) if event.get("type") == "content.part" else {}


def _describe(output: object) -> str:
    return output if isinstance(output, str) else join_texts(list(map(dict_of, list_of(output))))


def _usage_of_kimi(value: object) -> TranscriptUsage | None:
    usage = dict_of(value)
    cached = number_of(usage.get("inputCacheRead"))
    given = cached + sum(number_of(usage.get(key)) for key in ("inputOther", "inputCacheCreation"))
    return TranscriptUsage(given, cached, number_of(usage.get("output"))) if usage else None


def _to_event(block: Mapping[str, Any], step: str, *, is_answer: bool) -> dict[str, Any]:
    """Return a block as an event of the loop, {} for a person's words."""
    kind = block.get("type")
    if kind == "tool_result":
        said = {"output": text_of_result(block)}
        failed = {"isError": True} if block.get("is_error") is True else {}
        return {"type": "tool.result", "toolCallId": block.get("tool_use_id"), "result": {**said, **failed}}
    if kind == "tool_use":
        call = {"toolCallId": block["id"], "name": block["name"], "args": block["input"]}
        return {"type": "tool.call", "stepUuid": step, **call}
    if kind == "text" and is_answer:
        return {"type": "content.part", "stepUuid": step, "part": {"type": "text", "text": block["text"]}}
    return {}
